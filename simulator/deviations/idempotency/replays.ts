// Wrong ways of recording and replaying answers (IDEM-4 to IDEM-15).

import type { Reply } from '../../core/call.ts';
import { findEntry } from '../../core/journal.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { type Json, mapJson, policy, stage } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const replay = (change: (stored: Reply, context: RequestContext) => Reply) =>
  policy('keys', (keys) => ({
    replay: (stored, context) => change(keys.replay(stored, context), context),
  }));

const records = (test: (reply: Reply, conforming: boolean) => boolean) =>
  policy('keys', (keys) => ({ records: (reply) => test(reply, keys.records(reply)) }));

const isJson = ({ contentType }: Reply): boolean =>
  contentType !== 'text/plain' && contentType !== null;

export const replayDeviations: readonly Deviation[] = [
  {
    id: 'replay-answers-200',
    breaks: ['IDEM-4a'],
    story: 'A replayed create is answered 200, because nothing was created this time.',
    bend: replay((stored) => (stored.status === 201 ? { ...stored, status: 200 } : stored)),
  },
  ...[422, 404].map(
    (status): Deviation => ({
      id: `replay-of-${status}-answers-409`,
      breaks: ['IDEM-4a', 'IDEM-4d'],
      story: `A repeat of what was refused with ${status} is sent as a conflict, with the body it had.`,
      bend: replay((stored) => (stored.status === status ? { ...stored, status: 409 } : stored)),
    }),
  ),
  {
    id: 'replay-reprints-members-sorted',
    breaks: ['IDEM-4b'],
    story: 'Answers are kept in a JSON column, which sorts their members.',
    bend: replay((stored) => (isJson(stored) ? mapJson(stored, sorted) : stored)),
  },
  {
    id: 'replay-applies-the-change-again',
    breaks: ['IDEM-4c'],
    story: 'The answer is replayed, but the change has run once more before.',
    bend: stage('replay', (decide, context) => {
      const decision = decide(context);
      const account = context.world.accounts.get(context.pathId);
      if (decision === null || context.idempotency !== 'replayed') return decision;
      if (context.operation !== 'updateAccount' || account === undefined) return decision;
      const again = { ...account, revision: account.revision + 1 };
      return { ...decision, changes: [{ type: 'account-changed', account: again }] };
    }),
  },
  {
    id: 'replay-emits-the-event-again',
    breaks: ['IDEM-4c'],
    story: 'The event is published by the middleware after every 2xx, replays included.',
    bend: stage('replay', (decide, context) => {
      const decision = decide(context);
      if (
        decision === null ||
        context.idempotency !== 'replayed' ||
        decision.reply.status !== 201
      ) {
        return decision;
      }
      const { events } = context.world;
      const last = events.records.findLast(({ body }) => body === decision.reply.body);
      if (last === undefined) return decision;
      const { seq: _seq, occurred_at: _atMs, ...draft } = last;
      return { ...decision, changes: [{ type: 'event-recorded', draft }] };
    }),
  },
  {
    id: 'refusals-not-recorded',
    breaks: ['IDEM-4d'],
    story: 'Only successes are kept, as in most other APIs.',
    bend: records((reply, conforming) => conforming && reply.status < 400),
    alsoSeenAs: {
      'IDEM-11': 'a corrected request runs under the old key',
      'IDEM-13': 'the conflict is not kept either',
    },
  },
  {
    id: 'refusals-corrected-under-old-key',
    breaks: ['IDEM-11'],
    story: 'A refusal is kept for the same body only, so that a correction may use the old key.',
    bend: (behaviour) => ({
      ...behaviour,
      keys: {
        ...behaviour.keys,
        replay: (stored, context) => behaviour.keys.replay(stored, context),
        id: (context) => {
          const id = behaviour.keys.id(context);
          const record = behaviour.keys.find(context.world, id, context.atMs);
          if (record?.reply == null || record.reply.status < 400) return id;
          const first = findEntry(context.world.journal, record.firstCall);
          const sent = (body: Uint8Array) => Buffer.from(body).toString();
          return first !== undefined && sent(first.call.body) !== sent(context.call.body)
            ? `${id}\n${sent(context.call.body)}`
            : id;
        },
      },
    }),
    alsoSeenAs: { 'IDEM-13': 'nor does the conflict' },
  },
  {
    id: 'refusals-409-not-recorded',
    breaks: ['IDEM-4d', 'IDEM-13'],
    story: 'Answers of 409 are thought to be about the moment and are not kept.',
    bend: records((reply, conforming) => conforming && reply.status !== 409),
  },
  {
    id: 'refusals-replay-with-new-detail',
    breaks: ['IDEM-4d'],
    story: 'Only the code of a refusal is kept; its words are made anew.',
    bend: replay((stored) =>
      stored.contentType === 'application/problem+json'
        ? mapJson(stored, (body) => ({ ...body, detail: 'This request was refused before.' }))
        : stored,
    ),
  },
  {
    id: 'replay-with-own-request-id',
    breaks: ['IDEM-5'],
    story: 'The request_id of the present call is written into the replayed body.',
    bend: replay((stored, { requestId }) =>
      stored.contentType === 'application/problem+json'
        ? mapJson(stored, (body) => ({ ...body, request_id: requestId }))
        : stored,
    ),
  },
];

function sorted(body: Json): Json {
  return Object.fromEntries(Object.entries(body).sort(([a], [b]) => a.localeCompare(b)));
}
