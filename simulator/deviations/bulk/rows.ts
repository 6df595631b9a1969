// Wrong ways of creating accounts in bulk (BULK).

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

export const bulkDeviations: readonly Deviation[] = [
  {
    id: 'bulk-answers-201',
    breaks: ['BULK-1'],
    story: 'Accounts were created, so the status is 201.',
    bend: reply(bulk, (given) => (given.status === 200 ? { ...given, status: 201 } : given)),
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
    id: 'bulk-row-status-always-400',
    breaks: ['BULK-3'],
    story: 'Rows that failed say 400, whatever the reason.',
    bend: rows((row) => (row.status >= 400 ? { ...row, status: 400 } : row)),
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
    id: 'bulk-failed-always-zero',
    breaks: ['BULK-4'],
    story: 'The counter of failures is never raised.',
    bend: result((body) => ({ ...body, failed: 0 })),
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
    id: 'bulk-brand-must-be-named',
    breaks: ['BULK-3'],
    story: 'Whose brand a row is for is taken from the row alone.',
    bend: operation(bulk, (run, context) => {
      const unnamed = (context.body.accounts as Json[]).some((row) => row.brand_id == null);
      return unnamed && context.credential?.brand_id != null
        ? refuseAs(context, 422, 'validation_failed', 'brand_id is required in every row.')
        : run(context);
    }),
  },
];
