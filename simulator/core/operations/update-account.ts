// PATCH /api/v1/accounts/{id}: compare-and-swap on the revision.

import { profileFields } from '../../../fixtures/schemas/account-profile.ts';
import type { Decision } from '../call.ts';
import { citesIf } from '../cites.ts';
import { emit } from '../delivery/emit-event.ts';
import { headerOf } from '../pipeline/operation-row.ts';
import { refuse } from '../pipeline/refuse.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import type { Account } from '../records.ts';
import type { IfMatch } from '../values/etag.ts';
import { accountReply } from './create-account.ts';
import { findAccount, parsePathId } from './find-record.ts';
import { optionalText } from './members.ts';

/** UPD-3: what can be updated. Email and phone are not among it (UPD-11). */
const updatable = [...profileFields, 'status'] as const;

export function updateAccount(context: RequestContext): Decision {
  const { behaviour } = context;
  const match = behaviour.values.ifMatch(headerOf(context, 'if-match'));
  const id = parsePathId(context, 'account');
  if (typeof id !== 'string') return id;
  // UPD-6: who cannot see the account learns nothing of its tag, not even that it has a wrong form.
  const account = findAccount(context, id, ['UPD-5', 'UPD-6']);
  if ('reply' in account) return account;
  const unusable =
    refuseUnusableTag(context, match) ??
    refuseNull(context) ??
    refuseOthers(context) ??
    refuseStatus(context);
  if (unusable !== null) return unusable;
  const updated = applyMembers(context, account);
  const stale = refuseStaleTag(context, match, account);
  const idle = updated === null ? refuseNoChange(context) : null;
  // NS-19: which of the two is said when both are wrong.
  const refused = behaviour.settings.tag_before_no_change ? (stale ?? idle) : (idle ?? stale);
  if (refused !== null) return refused;
  if (updated === null) throw new Error('an update without a change got past its refusal');
  const body = behaviour.serialize.account(updated);
  return {
    reply: accountReply(context, updated, 200, body),
    changes: [
      { type: 'account-changed', account: updated },
      ...emit(context, 'account.updated', updated, body),
    ],
    cites: ['UPD-1', 'UPD-2', 'UPD-3', ...citesOfMembers(context), 'NS-26'],
  };
}

/** What has a say only where the body names it. */
function citesOfMembers({ body }: RequestContext) {
  return [
    ...citesIf(body.status !== undefined, 'UPD-4'),
    ...citesIf(body.email !== undefined || body.phone !== undefined, 'UPD-11'),
    ...citesIf(body.client_reference_id !== undefined, 'ACC-7'),
  ] as const;
}

function refuseUnusableTag(context: RequestContext, match: IfMatch): Decision | null {
  if (match.kind === 'missing') {
    return refuse(context, {
      code:
        context.behaviour.settings.missing_if_match === 412
          ? 'revision_conflict'
          : 'validation_failed',
      status: context.behaviour.settings.missing_if_match,
      detail: 'Send If-Match with the ETag of the account as you last saw it.',
      field: 'If-Match',
      cites: ['UPD-10', 'NS-18'],
    });
  }
  if (match.kind !== 'malformed') return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: 'If-Match must be one strong tag in double quotes, such as "3".',
    field: 'If-Match',
    cites: ['UPD-9', 'NS-39'],
  });
}

/** NS-55: a setting may take null for a wish, which is then refused; no status is ever cleared. */
function refuseNull(context: RequestContext): Decision | null {
  const { update_null: choice } = context.behaviour.settings;
  if (choice === 'not_sent') return null;
  const names = choice === 'cleared' ? ['status'] : updatable;
  const field = names.find((name) => context.body[name] === null);
  if (field === undefined) return null;
  const detail = `${field} must not be null.`;
  return refuse(context, { code: 'validation_failed', detail, field, cites: ['NS-55'] });
}

/** NS-27: a setting may refuse what UPD-11 would only leave as it is. */
function refuseOthers(context: RequestContext): Decision | null {
  if (context.behaviour.settings.update_other_members === 'ignored') return null;
  const known: readonly string[] = updatable;
  const field = Object.keys(context.body).find((name) => !known.includes(name));
  if (field === undefined) return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: `${field} cannot be changed by an update, only ${updatable.join(', ')}.`,
    field,
    cites: ['UPD-11', 'NS-27'],
  });
}

/** NS-5: a setting may name the statuses; the rules take any (UPD-4). */
function refuseStatus(context: RequestContext): Decision | null {
  const { statuses } = context.behaviour.accounts;
  const status = optionalText(context.body, 'status');
  if (statuses === null || status === null || statuses.includes(status)) return null;
  return refuse(context, {
    code: 'validation_failed',
    detail: `status must be one of ${statuses.join(', ')}.`,
    field: 'status',
    cites: ['NS-5'],
  });
}

function refuseStaleTag(
  context: RequestContext,
  match: IfMatch,
  account: Account,
): Decision | null {
  const current = String(account.revision);
  if (match.kind === 'tag' && match.value === current) return null;
  if (match.kind === 'any' && (match.values === null || match.values.includes(current)))
    return null;
  return refuse(context, {
    code: 'revision_conflict',
    detail: `The account has changed since that ETag. ${howToReread(context, account)}, then send a new operation under a new Idempotency-Key.`,
    field: 'If-Match',
    cites: ['UPD-7', 'UPD-12'],
  });
}

/** NS-54: where the tag of now can be had. */
function howToReread({ behaviour }: RequestContext, { id }: Account): string {
  return behaviour.settings.account_status_endpoint === 'served'
    ? `Read it anew at GET /api/v1/accounts/${id}/status, which carries the ETag of now`
    : 'Read it anew, from the list of accounts or by creating it again under its reference';
}

function refuseNoChange(context: RequestContext): Decision {
  return refuse(context, {
    code: 'validation_failed',
    detail: `The body would change nothing. Send at least one new value of ${updatable.join(', ')}.`,
    cites: ['UPD-8', ...citesOfMembers(context)],
  });
}

/** UPD-2: only the members sent; null when nothing would be different. */
function applyMembers(context: RequestContext, account: Account): Account | null {
  const patch: Record<string, string | null> = {};
  // NS-55.
  const clears = context.behaviour.settings.update_null === 'cleared';
  // NS-44: where what was never given reads as empty, an empty text changes nothing of it (UPD-8).
  const readsEmpty = context.behaviour.settings.absent_optionals === 'empty';
  const read = (value: string | null) => (readsEmpty ? (value ?? '') : value);
  for (const name of updatable) {
    const value = optionalText(context.body, name);
    const sent = value !== null || (clears && context.body[name] === null);
    if (sent && read(value) !== read(account[name])) patch[name] = value;
  }
  if (Object.keys(patch).length === 0) return null;
  const revision = context.behaviour.accounts.nextRevision(account.revision);
  return { ...account, ...(patch as Partial<Account>), revision };
}
