// Wrong ways with a batch as a whole (BULK-6 to BULK-13).

import type { Batch, Decision } from '../../core/call.ts';
import {
  type Body,
  copyContext,
  type RequestContext,
} from '../../core/pipeline/request-context.ts';
import { type Json, operation, policy } from '../bend.ts';
import { refuseAs, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

const bulk = 'bulkCreateAccounts';

/** Runs batches in another way. */
const batch = (
  change: (given: Batch, context: RequestContext) => Batch | Decision,
): Deviation['bend'] =>
  operation(bulk, (run, context) => {
    const given = run(context);
    return 'decideRow' in given ? change(given, context) : given;
  });

/** Answers whole-batch refusals otherwise. */
const refusal = (
  words: RegExp,
  other: (given: Decision, context: RequestContext) => Decision | Batch,
): Deviation['bend'] =>
  operation(bulk, (run, context) => {
    const given = run(context);
    return 'decideRow' in given || !words.test(given.reply.body) ? given : other(given, context);
  });

function sent(context: RequestContext): readonly Body[] {
  return context.body.accounts as readonly Body[];
}

export const batchDeviations: readonly Deviation[] = [
  {
    id: 'bulk-empty-is-200',
    breaks: ['BULK-6'],
    story: 'Nothing to do is done at once.',
    bend: refusal(/at least one row/, () => ({
      reply: {
        status: 200,
        contentType: 'application/json',
        body: '{"total":0,"created":0,"failed":0,"rows":[]}',
      },
      changes: [],
      cites: [],
    })),
  },
  {
    id: 'bulk-takes-1001',
    breaks: ['BULK-7'],
    story: 'At most 1001: an off-by-one.',
    bend: policy('accounts', () => ({ maxRows: 1001 })),
  },
  {
    id: 'bulk-takes-999',
    breaks: ['BULK-7'],
    story: 'Less than 1000 where the rule says at most.',
    bend: policy('accounts', () => ({ maxRows: 999 })),
  },
  {
    id: 'bulk-all-or-nothing',
    breaks: ['BULK-8'],
    story: 'The batch is one database transaction: one failing row takes all back.',
    bend: batch((given, context) => {
      const tried = sent(context).map((_row, index) => given.decideRow(index));
      if (tried.every(({ reply: { status } }) => status < 300)) return given;
      return {
        ...given,
        decideRow: (index) => {
          const own = tried[index] as Decision;
          return own.reply.status >= 300
            ? own
            : refuseAs(context, 409, 'invalid_state', 'Another row failed.');
        },
      };
    }),
  },
  {
    id: 'bulk-missing-reference-fails-row',
    breaks: ['BULK-9'],
    story: 'A row without a reference fails alone, like any other mistake.',
    bend: operation(bulk, (run, context) => {
      const given = run(context);
      if ('decideRow' in given || !/has no client_reference_id/.test(given.reply.body))
        return given;
      context.body = {
        ...context.body,
        accounts: sent(context).map((row) => ({ client_reference_id: '', ...row })),
      };
      return run(context);
    }),
  },
  {
    id: 'bulk-refusal-does-not-say-which',
    breaks: ['BULK-9', 'BULK-10'],
    story: 'The message says that a row is wrong, not which one.',
    bend: refusal(/Row \d+/, ({ reply: { status, body } }, context) => {
      const { code } = JSON.parse(body) as { code: string };
      return refuseAs(context, status, code, 'One of the rows is wrong; nothing was created.');
    }),
  },
  {
    id: 'bulk-other-brand-fails-row',
    breaks: ['BULK-10'],
    story: 'A row with another brand fails alone with 403.',
    bend: operation(bulk, (run, context) => {
      const given = run(context);
      if ('decideRow' in given || !/names brand/.test(given.reply.body)) return given;
      const open = { ...context.behaviour.reach, brand: () => true };
      const lenient = copyContext(context, { behaviour: { ...context.behaviour, reach: open } });
      const served = run(lenient);
      if (!('decideRow' in served)) return given;
      const { credential, world, behaviour } = context;
      return {
        ...served,
        decideRow: (index) => {
          const brandId = sent(context)[index]?.brand_id;
          const usable =
            typeof brandId !== 'string' ||
            credential === null ||
            behaviour.reach.brand(credential, brandId, world);
          return usable
            ? served.decideRow(index)
            : refuseAs(context, 403, 'forbidden', 'This credential cannot use that brand.');
        },
      };
    }),
  },
  {
    id: 'bulk-resubmitted-rows-conflict',
    breaks: ['BULK-11'],
    story: 'In a batch, a reference that is known is an error.',
    bend: batch((given, context) => ({
      ...given,
      decideRow: (index) => {
        const own = given.decideRow(index);
        return own.reply.status === 200
          ? refuseAs(context, 409, 'invalid_state', 'This reference is used already.')
          : own;
      },
    })),
    alsoSeenAs: { 'BULK-3': 'a row tells another status than a single create' },
  },
  {
    id: 'bulk-twins-become-two',
    breaks: ['BULK-12'],
    story: 'Rows are inserted without seeing each other.',
    bend: batch((given, context) => ({
      ...given,
      decideRow: (index) => {
        const own = given.decideRow(index);
        if (own.reply.status !== 200) return own;
        const first = sent(context).findIndex(
          (row) =>
            String(row.client_reference_id).toLowerCase() ===
            String(sent(context)[index]?.client_reference_id).toLowerCase(),
        );
        if (first === index) return own;
        const id = String(context.world.counters.account + 1);
        const body = JSON.stringify({ ...(JSON.parse(own.reply.body) as Json), id });
        return {
          ...own,
          reply: { ...own.reply, status: 201, body },
          changes: [{ type: 'counted', counter: 'account', to: Number(id) }],
        };
      },
    })),
  },
  {
    id: 'bulk-unscoped',
    breaks: ['BULK-13'],
    story: 'The scope is checked on the single create only.',
    bend: unscoped(bulk),
  },
];
