// POST /api/v1/accounts/bulk: checked as a whole first, then row by row.

import type { Batch, Decision, Reply } from '../call.ts';
import { refuse } from '../pipeline/refuse.ts';
import { type Body, callerOf, type RequestContext } from '../pipeline/request-context.ts';
import { refuseByFirm } from '../pipeline/scope.ts';
import { shortened } from '../values/text.ts';
import { createOrFindAccount } from './create-account.ts';
import { optionalText } from './members.ts';

export function bulkCreateAccounts(context: RequestContext): Decision | Batch {
  const rows = context.body.accounts as readonly Body[];
  const refused = refuseBatch(context, rows);
  if (refused !== null) return refused;
  return {
    rows: rows.length,
    // BULK-3: a firm that may create no single account may create none in a batch either.
    decideRow: (index) =>
      refuseByFirm(context, 'createAccount') ?? createOrFindAccount(context, rows[index] as Body),
    answer: (replies) => bulkReply(rows, replies),
    cites: ['BULK-1', 'BULK-2', 'BULK-3', 'BULK-4', 'BULK-5', 'BULK-8', 'BULK-11', 'BULK-12'],
  };
}

/** What refuses the batch before anything is created; null when it may run. */
function refuseBatch(context: RequestContext, rows: readonly Body[]): Decision | null {
  if (rows.length === 0) {
    return refuse(context, {
      code: 'validation_failed',
      detail: 'accounts must have at least one row.',
      field: 'accounts',
      cites: ['BULK-6'],
    });
  }
  const { maxRows } = context.behaviour.accounts;
  if (rows.length > maxRows) {
    return refuse(context, {
      code: 'scope_too_wide',
      detail: `accounts may have at most ${maxRows} rows, not ${rows.length}.`,
      field: 'accounts',
      cites: ['BULK-7'],
    });
  }
  for (const [index, row] of rows.entries()) {
    const refused = refuseWholeFor(context, row, index);
    if (refused !== null) return refused;
  }
  return null;
}

function refuseWholeFor(context: RequestContext, row: Body, index: number): Decision | null {
  const { behaviour, world } = context;
  const { settings } = behaviour;
  if (row.client_reference_id === undefined || row.client_reference_id === null) {
    return refuse(context, {
      code: 'validation_failed',
      status: settings.batch_refusal_status,
      detail: `Row ${index} has no client_reference_id; nothing was created.`,
      field: `accounts.${index}.client_reference_id`,
      cites: ['BULK-9', 'NS-6'],
    });
  }
  const named = optionalText(row, 'brand_id');
  const brandId = named === null ? null : behaviour.values.id(named);
  if (brandId !== null && !behaviour.reach.brand(callerOf(context), brandId, world)) {
    const status = settings.batch_brand_refusal_status;
    return refuse(context, {
      code: status === 403 ? 'forbidden' : 'validation_failed',
      status,
      detail: `Row ${index} names brand ${shortened(brandId)}, which this credential cannot use; nothing was created.`,
      field: `accounts.${index}.brand_id`,
      cites: ['BULK-10', 'NS-6'],
    });
  }
  return settings.bulk_row_problems === 'batch' ? refuseForRowProblem(context, row, index) : null;
}

/**
 * NS-33, the other choice: what a row lacks refuses the batch; any other fault stays its own
 * (BULK-8).
 */
function refuseForRowProblem(context: RequestContext, row: Body, index: number): Decision | null {
  const lacking = findLacking(context, row);
  if (lacking === null) return null;
  return refuse(context, {
    code: 'validation_failed',
    status: context.behaviour.settings.batch_refusal_status,
    detail: `Row ${index} has ${lacking}; nothing was created.`,
    field: `accounts.${index}`,
    cites: ['NS-33'],
  });
}

function findLacking(context: RequestContext, row: Body): string | null {
  if (context.behaviour.values.isBlank(optionalText(row, 'client_reference_id') ?? '')) {
    return 'a blank client_reference_id';
  }
  if (optionalText(row, 'email') === null) return 'no email';
  const placed = optionalText(row, 'brand_id') ?? callerOf(context).brand_id;
  return placed === null ? 'no brand_id, which this credential must name' : null;
}

/** BULK-2 to BULK-5: one entry a row, in order, with what a single create would have answered. */
function bulkReply(rows: readonly Body[], replies: readonly Reply[]): Reply {
  let created = 0;
  const entries = replies.map((reply, index) => {
    const landed = reply.status < 300;
    if (landed) created += 1;
    const body = JSON.parse(reply.body) as { id?: string; code?: string; detail?: string };
    return {
      client_reference_id: optionalText(rows[index] as Body, 'client_reference_id'),
      status: reply.status,
      id: landed ? body.id : null,
      code: landed ? null : body.code,
      detail: landed ? null : body.detail,
    };
  });
  const body = { total: rows.length, created, failed: rows.length - created, rows: entries };
  return { status: 200, contentType: 'application/json', body: JSON.stringify(body) };
}
