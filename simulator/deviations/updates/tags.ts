// Wrong ways with the tag of an update, and with who may send one (UPD-6 to UPD-13).

import type { Decision } from '../../core/call.ts';
import { accountReply } from '../../core/operations/create-account.ts';
import { headerOf } from '../../core/pipeline/operation-row.ts';
import { copyContext, type RequestContext } from '../../core/pipeline/request-context.ts';
import type { Account } from '../../core/records.ts';
import { parseIfMatch } from '../../core/values/etag.ts';
import { operation } from '../bend.ts';
import { refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { left, update } from './bends.ts';

/** Applies an update as though its tag were right. */
function applyAnyway(context: RequestContext): Decision | null {
  const account = context.world.accounts.get(context.pathId);
  if (account === undefined) return null;
  const headers = { ...context.call.headers, 'if-match': context.behaviour.values.etag(account) };
  const call = { ...context.call, headers };
  const retold = copyContext(context, { call });
  const result = context.behaviour.operations[update](retold);
  return 'decideRow' in result ? null : result;
}

/** The account under its next revision, as an update answers it. */
function raised(context: RequestContext, before: Account): Decision {
  const account = { ...before, revision: before.revision + 1 };
  const body = context.behaviour.serialize.account(account);
  const changes = [{ type: 'account-changed', account } as const];
  return { reply: accountReply(context, account, 200, body), changes, cites: [] };
}

const taking = (test: (header: string) => boolean): Deviation['bend'] =>
  operation(update, (run, context) => {
    const header = headerOf(context, 'if-match') ?? '';
    const account = context.world.accounts.get(context.pathId);
    if (!test(header) || account === undefined) return run(context);
    const headers = { ...context.call.headers, 'if-match': context.behaviour.values.etag(account) };
    return run(copyContext(context, { call: { ...context.call, headers } }));
  });

export const updateTagDeviations: readonly Deviation[] = [
  {
    id: 'update-tag-form-before-visibility',
    breaks: ['UPD-6'],
    story: 'The record is loaded by its id alone, its tag parsed, and only then who may see it.',
    bend: operation(update, (run, context) => {
      const exists = context.world.accounts.has(context.pathId);
      const { kind } = parseIfMatch(headerOf(context, 'if-match'));
      return exists && (kind === 'malformed' || kind === 'missing')
        ? refuseAs(context, 422, 'validation_failed', 'If-Match must be one strong tag.')
        : run(context);
    }),
  },
  {
    id: 'update-unknown-with-tag-is-412',
    breaks: ['UPD-6'],
    story: 'No record matches id and tag, so the precondition failed.',
    bend: refusedWith(update, /"not_found"/, (context) =>
      refuseAs(context, 412, 'revision_conflict', 'The account has changed.'),
    ),
  },
  {
    id: 'update-ignores-tag',
    breaks: ['UPD-7'],
    story: 'The last one to write wins.',
    bend: taking((header) => parseIfMatch(header).kind === 'tag'),
    alsoSeenAs: { 'UPD-12': 'every one of several at once applies' },
  },
  {
    id: 'update-stale-tag-is-409',
    breaks: ['UPD-7'],
    story: 'A conflict is 409.',
    bend: refusedWith(update, /"revision_conflict"/, (context) =>
      refuseAs(context, 409, 'revision_conflict', 'The account has changed.'),
    ),
    alsoSeenAs: { 'ERR-3': 'another status than the table’s' },
  },
  {
    id: 'update-without-change-is-200',
    breaks: ['UPD-8'],
    story: 'Changing nothing succeeds.',
    bend: refusedWith(update, /would change nothing/, (context, given) => {
      const account = context.world.accounts.get(context.pathId);
      if (account === undefined) return given;
      const { serialize, values } = context.behaviour;
      return {
        reply: {
          status: 200,
          contentType: 'application/json',
          body: serialize.account(account),
          etag: values.etag(account),
        },
        changes: [],
        cites: [],
      };
    }),
  },
  {
    id: 'update-takes-weak-tag',
    breaks: ['UPD-9'],
    story: 'The mark of a weak tag is cut off before comparing.',
    bend: taking((header) => /^W\/".*"$/.test(header)),
  },
  {
    id: 'update-without-tag-applies',
    breaks: ['UPD-10'],
    story: 'If-Match is optional, as HTTP has it.',
    bend: taking((header) => header === ''),
  },
  {
    id: 'update-changes-email',
    breaks: ['UPD-11'],
    story: 'The email is updated like everything else.',
    bend: operation(update, (run, context) => {
      const account = context.world.accounts.get(context.pathId);
      const { email } = context.body;
      const result = run(context);
      if (
        typeof email !== 'string' ||
        account === undefined ||
        'decideRow' in result ||
        !/would change nothing/.test(result.reply.body)
      )
        return result;
      return raised(context, { ...account, email });
    }),
  },
  {
    id: 'update-changes-phone',
    breaks: ['UPD-11'],
    story: 'The phone is updated with what else is sent.',
    bend: left((after, _before, { body }) =>
      typeof body.phone === 'string' ? { ...after, phone: body.phone } : after,
    ),
  },
  {
    id: 'update-unscoped',
    breaks: ['UPD-13'],
    story: 'Any valid token may update accounts.',
    bend: unscoped(update),
  },
  {
    id: 'update-races',
    breaks: ['UPD-12'],
    story: 'Read, compare, write: within a moment two writers both find the tag fresh.',
    bend: (behaviour) => {
      const writtenAt = new Map<string, number>();
      const run = behaviour.operations[update];
      const races = (context: RequestContext) => {
        const name = `${context.world.name}\n${context.pathId}`;
        const result = run(context);
        const wall = performance.now();
        if ('decideRow' in result) return result;
        if (result.reply.status === 200) writtenAt.set(name, wall);
        const justWritten = wall - (writtenAt.get(name) ?? Number.NEGATIVE_INFINITY) < 60;
        return result.reply.status === 412 && justWritten
          ? (applyAnyway(context) ?? result)
          : result;
      };
      return { ...behaviour, operations: { ...behaviour.operations, [update]: races } };
    },
    alsoSeenAs: { 'UPD-7': 'a tag just become stale still applies' },
    byChance: true,
  },
];
