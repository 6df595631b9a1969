// Wrong ways of creating accounts in bulk (BULK).

import { createOrFindAccount } from '../../core/operations/create-account.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { type Json, operation, reply } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

const bulk = 'bulkCreateAccounts';

interface Row extends Json {
  status: number;
}

interface Result extends Json {
  rows: Row[];
}

/** Changes the result of a batch that was served. */
const result = (change: (body: Result, context: RequestContext) => Json): Deviation['bend'] =>
  reply(bulk, (given, context) =>
    given.status === 200
      ? { ...given, body: JSON.stringify(change(JSON.parse(given.body) as Result, context)) }
      : given,
  );

/** Changes every row of the result. */
const rows = (change: (row: Row, index: number) => Json): Deviation['bend'] =>
  result((body) => ({ ...body, rows: body.rows.map(change) }));

/** Runs the batch with other rows than those that were sent. */
const rowsSentAs = (change: (row: Json) => Json): Deviation['bend'] =>
  operation(bulk, (run, context) => {
    context.body = { ...context.body, accounts: (context.body.accounts as Json[]).map(change) };
    return run(context);
  });

export const bulkDeviations: readonly Deviation[] = [
  {
    id: 'bulk-answers-201',
    breaks: ['BULK-1'],
    story: 'Accounts were created, so the status is 201.',
    bend: reply(bulk, (given) => (given.status === 200 ? { ...given, status: 201 } : given)),
  },
  {
    id: 'bulk-answers-207-when-mixed',
    breaks: ['BULK-1'],
    story: 'Mixed outcomes are 207 Multi-Status.',
    bend: reply(bulk, (given) => {
      if (given.status !== 200) return given;
      const { created, failed } = JSON.parse(given.body) as { created: number; failed: number };
      return created > 0 && failed > 0 ? { ...given, status: 207 } : given;
    }),
  },
  {
    id: 'bulk-answers-422-when-all-fail',
    breaks: ['BULK-1'],
    story: 'A batch of which nothing landed is an error.',
    bend: reply(bulk, (given) => {
      if (given.status !== 200) return given;
      const { created } = JSON.parse(given.body) as { created: number };
      return created === 0 ? { ...given, status: 422 } : given;
    }),
  },
  {
    id: 'bulk-rows-sorted',
    breaks: ['BULK-2'],
    story: 'Rows come back sorted by reference.',
    bend: result((body) => ({
      ...body,
      rows: [...body.rows].sort((a, b) =>
        String(a.client_reference_id).localeCompare(String(b.client_reference_id)),
      ),
    })),
  },
  {
    id: 'bulk-failed-rows-last',
    breaks: ['BULK-2'],
    story: 'The rows that landed come first, the failed ones after them.',
    bend: result((body) => ({
      ...body,
      rows: [...body.rows].sort((a, b) => Number(a.status >= 300) - Number(b.status >= 300)),
    })),
  },
  {
    id: 'bulk-omits-failed-rows',
    breaks: ['BULK-2'],
    story: 'Only what was created is listed.',
    bend: result((body) => ({ ...body, rows: body.rows.filter(({ status }) => status < 300) })),
    alsoSeenAs: { 'BULK-3': 'failed rows are missing' },
  },
  {
    id: 'bulk-total-counts-references',
    breaks: ['BULK-2'],
    story: 'Rows of one reference are counted as one.',
    bend: result((body) => ({
      ...body,
      total: new Set((body.rows as Json[]).map((row) => row.client_reference_id)).size,
    })),
  },
  {
    id: 'bulk-total-counts-created',
    breaks: ['BULK-2'],
    story: 'total is the number of accounts made.',
    bend: result((body) => ({ ...body, total: body.created })),
  },
  {
    id: 'bulk-row-status-200',
    breaks: ['BULK-3'],
    story: 'Rows that landed say 200, created or found.',
    bend: rows((row) => (row.status === 201 ? { ...row, status: 200 } : row)),
  },
  {
    id: 'bulk-rows-whatever-the-firm-may',
    breaks: ['BULK-3'],
    story:
      'The permission for single creates is asked where single creates come in, and only there.',
    bend: operation(bulk, (run, context) => {
      const result = run(context);
      if (!('decideRow' in result)) return result;
      const rows = context.body.accounts as readonly Json[];
      return { ...result, decideRow: (index) => createOrFindAccount(context, rows[index] as Json) };
    }),
  },
  {
    id: 'bulk-row-status-always-400',
    breaks: ['BULK-3'],
    story: 'Rows that failed say 400, whatever the reason.',
    bend: rows((row) => (row.status >= 400 ? { ...row, status: 400 } : row)),
  },
  {
    id: 'bulk-row-found-is-201',
    breaks: ['BULK-3'],
    story: 'A known reference is answered as though it were new.',
    bend: rows((row) => (row.status === 200 ? { ...row, status: 201 } : row)),
  },
  {
    id: 'bulk-created-without-found',
    breaks: ['BULK-4'],
    story: 'Rows answered 200 were not created, so they are not counted.',
    bend: result((body) => ({
      ...body,
      created: body.rows.filter(({ status }) => status === 201).length,
    })),
  },
  {
    id: 'bulk-found-count-as-failed',
    breaks: ['BULK-4'],
    story: 'Everything that is not 201 has failed.',
    bend: result((body) => {
      const created = body.rows.filter(({ status }) => status === 201).length;
      return { ...body, created, failed: body.rows.length - created };
    }),
  },
  {
    id: 'bulk-failed-always-zero',
    breaks: ['BULK-4'],
    story: 'The counter of failures is never raised.',
    bend: result((body) => ({ ...body, failed: 0 })),
  },
  {
    id: 'bulk-failed-row-has-no-detail',
    breaks: ['BULK-5'],
    story: 'The code says enough.',
    bend: rows((row) => ({ ...row, detail: null })),
  },
  {
    id: 'bulk-failed-row-has-no-code',
    breaks: ['BULK-5'],
    story: 'The words say enough.',
    bend: rows((row) => ({ ...row, code: null })),
  },
  {
    id: 'bulk-failed-row-has-id-zero',
    breaks: ['BULK-5'],
    story: 'An id that is none is 0.',
    bend: rows((row) => (row.id === null ? { ...row, id: '0' } : row)),
  },
  {
    id: 'bulk-row-id-as-number',
    breaks: ['CONV-1a'],
    story: 'The rows are printed by other code, with the id as it is in the database.',
    bend: rows((row) => (row.id === null ? row : { ...row, id: Number(row.id) })),
  },
  {
    id: 'bulk-ignores-phone-region',
    breaks: ['ACC-12'],
    story: 'The columns of the import have no region.',
    bend: rowsSentAs((row) => ({ ...row, phone_region: undefined })),
  },
  {
    id: 'bulk-brand-must-be-named',
    breaks: ['BULK-3'],
    story: 'Whose brand a row is for is taken from the row alone.',
    bend: operation(bulk, (run, context) => {
      const unnamed = (context.body.accounts as Json[]).some((row) => row.brand_id == null);
      return unnamed && context.credential?.brandId != null
        ? refuseAs(context, 422, 'validation_failed', 'brand_id is required in every row.')
        : run(context);
    }),
  },
  {
    id: 'bulk-twins-of-another-case',
    breaks: ['BULK-12'],
    story: 'Within a batch references are compared as they were sent.',
    bend: operation(bulk, (run, context) => {
      const spelt = new Map<string, unknown>();
      const apart = (row: Json): Json => {
        const name = String(row.client_reference_id).toLowerCase();
        const before = spelt.get(name);
        if (before === undefined) spelt.set(name, row.client_reference_id);
        return before === undefined || before === row.client_reference_id
          ? row
          : { ...row, client_reference_id: `${String(row.client_reference_id)}-2` };
      };
      context.body = { ...context.body, accounts: (context.body.accounts as Json[]).map(apart) };
      return run(context);
    }),
  },
];
