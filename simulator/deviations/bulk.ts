// Deviations of bulk creation (BULK).
import type { Batch, Decision } from '../core/call.ts';
import {
  type Body,
  callerOf,
  copyContext,
  type RequestContext,
} from '../core/pipeline/request-context.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  answer,
  decision,
  type Json,
  mapJson,
  members,
  type Override,
  operation,
  policy,
  refusal,
  refuseAs,
  refuseIf,
  refuses,
  status,
  unscoped,
} from './overrides.ts';

const bulk = 'bulkCreateAccounts';

interface Row extends Json {
  status: number;
  client_reference_id: string;
}

interface Result extends Json {
  rows: Row[];
}

/** Changes the result of a served batch. */
const result = (change: (body: Result) => Json): Override =>
  members(bulk, (body) => change(body as Result), 200);

/** Changes every row of the result. */
const rows = (change: (row: Row, index: number) => Json): Override =>
  result((body) => ({ ...body, rows: body.rows.map(change) }));

/** Changes the decision about each row. */
const rowDecisions = (
  change: (own: Decision, index: number, context: RequestContext, given: Batch) => Decision,
): Override =>
  operation(bulk, (run, context) => {
    const given = run(context);
    if (!('decideRow' in given)) return given;
    const decideRow = (index: number) => change(given.decideRow(index), index, context, given);
    return { ...given, decideRow };
  });

function sent(context: RequestContext): readonly Body[] {
  return context.body.accounts as readonly Body[];
}

export const bulkDeviations: DeviationFamily = {
  'bulk-answers-201': {
    breaks: ['BULK-1'],
    story: 'Accounts were created, so the status is 201.',
    override: status(bulk, 200, 201),
  },
  'bulk-rows-sorted': {
    breaks: ['BULK-2'],
    story: 'Rows come back sorted by reference.',
    override: result((body) => ({
      ...body,
      rows: body.rows.toSorted((a, b) =>
        a.client_reference_id.localeCompare(b.client_reference_id),
      ),
    })),
  },
  'bulk-total-counts-references': {
    breaks: ['BULK-2'],
    story: 'Rows with the same reference count as one.',
    override: result((body) => ({
      ...body,
      total: new Set(body.rows.map((row) => row.client_reference_id)).size,
    })),
  },
  'bulk-total-counts-created': {
    breaks: ['BULK-2'],
    story: 'total counts the created accounts.',
    override: result((body) => ({ ...body, total: body.created })),
  },
  'bulk-row-status-200': {
    breaks: ['BULK-3'],
    story: 'A row that succeeded says 200, whether its account was created or found.',
    override: rows((row) => (row.status === 201 ? { ...row, status: 200 } : row)),
  },
  'bulk-row-status-always-400': {
    breaks: ['BULK-3'],
    story: 'A row that failed always says 400.',
    override: rows((row) => (row.status >= 400 ? { ...row, status: 400 } : row)),
  },
  'bulk-created-without-found': {
    breaks: ['BULK-4'],
    story: 'Found accounts are not counted as created.',
    override: result((body) => ({
      ...body,
      created: body.rows.filter(({ status }) => status === 201).length,
    })),
  },
  'bulk-failed-always-zero': {
    breaks: ['BULK-4'],
    story: 'The counter of failed rows is never raised.',
    override: result((body) => ({ ...body, failed: 0 })),
  },
  'bulk-failed-row-has-no-code': {
    breaks: ['BULK-5'],
    story: 'A failed row has words but no code.',
    override: rows((row) => ({ ...row, code: null })),
  },
  'bulk-failed-row-has-id-zero': {
    breaks: ['BULK-5'],
    story: 'A row without an account has the id 0.',
    override: rows((row) => (row.id === null ? { ...row, id: '0' } : row)),
  },
  'bulk-brand-must-be-named': {
    breaks: ['BULK-3'],
    story: 'The brand of a row comes from the row only.',
    override: refuseIf(
      bulk,
      ({ body, credential }) =>
        credential?.brand_id != null &&
        (body.accounts as Json[]).some((row) => row.brand_id == null),
    ),
  },
  'bulk-empty-is-200': {
    breaks: ['BULK-6'],
    story: 'An empty batch has nothing to do, so it succeeds.',
    override: refusal(bulk, 'BULK-6', () => answer('{"total":0,"created":0,"failed":0,"rows":[]}')),
  },
  'bulk-limit-long': {
    breaks: ['BULK-7'],
    story: 'The limit is off by one: 1001 rows are allowed.',
    override: policy('accounts', () => ({ maxRows: 1001 })),
  },
  'bulk-limit-short': {
    breaks: ['BULK-7'],
    story: 'A batch must have fewer than 1000 rows instead of at most 1000.',
    override: policy('accounts', () => ({ maxRows: 999 })),
  },
  'bulk-all-or-nothing': {
    breaks: ['BULK-8'],
    story: 'The batch is one database transaction, so one failing row undoes it.',
    override: rowDecisions((own, _index, context, given) => {
      const all = sent(context).map((_row, index) => given.decideRow(index));
      return own.reply.status >= 300 || all.every(({ reply }) => reply.status < 300)
        ? own
        : refuseAs(context, 'invalid_state');
    }),
  },
  'bulk-missing-reference-fails-row': {
    breaks: ['BULK-9'],
    story: 'A row without a reference fails alone.',
    override: refusal(bulk, 'BULK-9', (context) => {
      const accounts = sent(context).map((row) => ({ client_reference_id: '', ...row }));
      context.body = { ...context.body, accounts };
      return context.behaviour.operations[bulk](context);
    }),
  },
  'bulk-refusal-does-not-say-which': {
    breaks: ['BULK-9', 'BULK-10'],
    story: 'The message does not say which row is wrong.',
    override: decision(bulk, (given, context) =>
      refuses(given, 'BULK-9') || refuses(given, 'BULK-10')
        ? refuseAs(
            context,
            refuses(given, 'forbidden') ? 'forbidden' : 'validation_failed',
            'One of the rows is wrong.',
          )
        : given,
    ),
  },
  'bulk-other-brand-fails-row': {
    breaks: ['BULK-10'],
    story: 'A row with another brand fails alone.',
    override: operation(bulk, (run, context) => {
      const given = run(context);
      if ('decideRow' in given || !refuses(given, 'BULK-10')) return given;
      const { behaviour, world } = context;
      const reach = { ...behaviour.reach, brand: () => true };
      const served = run(copyContext(context, { behaviour: { ...behaviour, reach } }));
      if (!('decideRow' in served)) return given;
      const isUsable = (brandId: unknown) =>
        typeof brandId !== 'string' || behaviour.reach.brand(callerOf(context), brandId, world);
      return {
        ...served,
        decideRow: (index) =>
          isUsable(sent(context)[index]?.brand_id)
            ? served.decideRow(index)
            : refuseAs(context, 'forbidden'),
      };
    }),
  },
  'bulk-resubmitted-rows-conflict': {
    breaks: ['BULK-11'],
    story: 'In a batch a known reference is an error.',
    override: rowDecisions((own, _index, context) =>
      own.reply.status === 200 ? refuseAs(context, 'invalid_state') : own,
    ),
    alsoSeenAs: { 'BULK-3': 'the row has another status than a single create' },
  },
  'bulk-twins-become-two': {
    breaks: ['BULK-12'],
    story: 'The rows of a batch are inserted without seeing each other.',
    override: rowDecisions((own, index, context) => {
      const references = sent(context).map((row) => String(row.client_reference_id).toLowerCase());
      const isFirst = references.indexOf(references[index] ?? '') === index;
      if (own.reply.status !== 200 || isFirst) return own;
      const id = String(context.world.counters.account + 1);
      return {
        reply: { ...mapJson(own.reply, (body) => ({ ...body, id })), status: 201 },
        changes: [{ type: 'counter', counter: 'account', to: Number(id) }],
        cites: own.cites,
      };
    }),
  },
  'bulk-unscoped': {
    breaks: ['BULK-13'],
    story: 'Only the single create checks the scope.',
    override: unscoped(bulk),
  },
};
