// Deviations of account updates (UPD).
import { mapProfile, profileFields } from '../../fixtures/schemas/account-profile.ts';
import { copyContext, headerOf, type RequestContext } from '../core/pipeline/request-context.ts';
import { parseIfMatch } from '../core/values/text.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  answerAccount,
  type Json,
  members,
  memory,
  type Override,
  operation,
  refusal,
  refusedAs,
  refuseIf,
  requestBody,
  status,
  stored,
  underStatus,
  unscoped,
} from './overrides.ts';

const update = 'updateAccount';

/** One deviation for each member of a profile. */
function eachIgnored(): DeviationFamily {
  const rows = profileFields.map((field) => [
    `update-ignores-${field.replaceAll('_', '-')}`,
    {
      breaks: ['UPD-3'],
      story: `${field} is missing from the list of members that can be updated.`,
      override: ignoring(field),
    },
  ]);
  return Object.fromEntries(rows);
}

/** The context of the update with the current tag; null if there is no account. */
function withFreshTag(context: RequestContext): RequestContext | null {
  const account = context.world.accounts.get(context.pathId);
  if (account === undefined) return null;
  const headers = { ...context.call.headers, 'if-match': context.behaviour.values.etag(account) };
  return copyContext(context, { call: { ...context.call, headers } });
}

/** Accepts some stale tags as current. */
const taking = (test: (header: string) => boolean): Override =>
  operation(update, (run, context) =>
    run((test(headerOf(context, 'if-match') ?? '') ? withFreshTag(context) : null) ?? context),
  );

const ignoring = (member: string): Override =>
  requestBody(update, ({ [member]: _, ...rest }) => rest);

export const updateDeviations: DeviationFamily = {
  'update-answers-204': {
    breaks: ['UPD-1'],
    story: 'The client already has the account, so the response is empty.',
    override: status(update, 200, 204),
  },
  'update-keeps-revision': {
    breaks: ['UPD-1'],
    story: 'A job raises the revision later.',
    override: stored('account', update, (after, { world }) => ({
      ...after,
      revision: world.accounts.get(after.id)?.revision ?? after.revision,
    })),
  },
  'update-answers-old-account': {
    breaks: ['UPD-1'],
    story: 'The response is printed before the change is stored.',
    override: members(update, (body, { world, pathId, behaviour }) => {
      const before = world.accounts.get(pathId);
      return before === undefined
        ? body
        : (JSON.parse(behaviour.serialize.account(before)) as Json);
    }),
    alsoSeenAs: { 'ACC-19': 'tag and revision differ' },
  },
  'update-replaces-whole-account': {
    breaks: ['UPD-2'],
    story: 'PATCH is served like PUT, so members that are not sent are emptied.',
    override: stored('account', update, (after, { body }) => ({
      ...after,
      ...mapProfile((field) => (typeof body[field] === 'string' ? after[field] : null)),
    })),
  },
  'update-resets-status': {
    breaks: ['UPD-2'],
    story: 'Every update sets the account back to review.',
    override: stored('account', update, (after, { body }) =>
      typeof body.status === 'string' ? after : { ...after, status: 'Review' },
    ),
  },
  ...eachIgnored(),
  'update-ignores-status': {
    breaks: ['UPD-3'],
    story: 'status is missing from the list of members that can be updated.',
    override: ignoring('status'),
    alsoSeenAs: { 'UPD-4': 'a status cannot be set' },
  },
  'update-status-capitalised': {
    breaks: ['UPD-4'],
    story: 'Statuses are written with a capital.',
    override: stored('account', update, (after) => ({
      ...after,
      status: `${after.status.charAt(0).toUpperCase()}${after.status.slice(1).toLowerCase()}`,
    })),
  },
  'update-unknown-is-403': {
    breaks: ['UPD-5'],
    story: 'An account that is not visible is forbidden, existing or not.',
    override: refusedAs(update, 'not_found', 'forbidden'),
  },
  'update-answers-without-firm': {
    breaks: ['ACC-18'],
    story: 'The response to an update is put together by hand.',
    override: members(update, ({ firm_id: _, ...rest }) => rest),
  },
  'update-tag-form-before-visibility': {
    breaks: ['UPD-6'],
    story: 'The tag is parsed before the service checks who may see the account.',
    override: refuseIf(
      update,
      (context) =>
        context.world.accounts.has(context.pathId) &&
        !Array.isArray(parseIfMatch(headerOf(context, 'if-match'))),
    ),
  },
  'update-unknown-with-tag-is-412': {
    breaks: ['UPD-6'],
    story: 'No record matches both id and tag, so the precondition failed.',
    override: refusedAs(update, 'not_found', 'revision_conflict'),
  },
  'update-ignores-tag': {
    breaks: ['UPD-7'],
    story: 'The last update wins.',
    override: taking((header) => Array.isArray(parseIfMatch(header))),
    alsoSeenAs: { 'UPD-12': 'all concurrent updates apply' },
  },
  'update-stale-tag-is-409': {
    breaks: ['UPD-7'],
    story: 'Every conflict is 409.',
    override: underStatus('revision_conflict', 409),
    alsoSeenAs: { 'ERR-3': 'the table has another status' },
  },
  'update-without-change-is-200': {
    breaks: ['UPD-8'],
    story: 'An update that changes nothing succeeds.',
    override: refusal(update, 'UPD-8', (context, given) => {
      const account = context.world.accounts.get(context.pathId);
      return account === undefined ? given : answerAccount(context, account, false);
    }),
  },
  'update-takes-weak-tag': {
    breaks: ['UPD-9'],
    story: 'The mark of a weak tag is removed before tags are compared.',
    override: taking((header) => /^W\/".*"$/.test(header)),
  },
  'update-without-tag-applies': {
    breaks: ['UPD-10'],
    story: 'If-Match is optional, as in HTTP.',
    override: taking((header) => header === ''),
  },
  'update-changes-email': {
    breaks: ['UPD-11'],
    story: 'The email can be updated like any other member.',
    override: refusal(update, 'UPD-8', (context, given) => {
      const account = context.world.accounts.get(context.pathId);
      const { email } = context.body;
      return typeof email === 'string' && account !== undefined
        ? answerAccount(context, { ...account, email })
        : given;
    }),
  },
  'update-changes-phone': {
    breaks: ['UPD-11'],
    story: 'The phone can be updated like any other member.',
    override: stored('account', update, (after, { body }) =>
      typeof body.phone === 'string' ? { ...after, phone: body.phone } : after,
    ),
  },
  'update-unscoped': {
    breaks: ['UPD-13'],
    story: 'Any valid token may update accounts.',
    override: unscoped(update),
  },
  'update-races': {
    breaks: ['UPD-12'],
    story: 'Two concurrent updates both find the tag fresh before either writes.',
    override: (behaviour) => {
      const writtenAt = memory(() => new Map<string, number>());
      return operation(update, (run, context) => {
        const result = run(context);
        if ('decideRow' in result) return result;
        const times = writtenAt(context.world);
        const now = performance.now();
        if (result.reply.status === 200) times.set(context.pathId, now);
        const isJustWritten = now - (times.get(context.pathId) ?? Number.NEGATIVE_INFINITY) < 60;
        const fresh = result.reply.status === 412 && isJustWritten ? withFreshTag(context) : null;
        return fresh === null ? result : run(fresh);
      })(behaviour);
    },
    alsoSeenAs: { 'UPD-7': 'a tag that has just become stale still applies' },
    byChance: true,
  },
};
