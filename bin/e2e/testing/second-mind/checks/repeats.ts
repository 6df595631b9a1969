// Defects in what a key is recognised by, and those in which a replay does something, although it
// answers as it should (IDEM-4c).
import { emit } from '../events.ts';
import { book, effectOf } from '../operations/money-moves.ts';
import type { RequestContext } from '../request-context.ts';
import type { JsonObject } from '../values/json.ts';
import type { KeyRecord } from '../values/records.ts';

export function repeatEffects(ctx: RequestContext, record: KeyRecord): void {
  const { mind, operation } = ctx;
  const status = record.answer?.status ?? 0;
  if (status >= 300) return;
  const body = JSON.parse(record.answer?.body || '{}') as JsonObject;
  const account = mind.accounts.find((each) => each.id === body.id);
  if (mind.has('idem-replay-emits') && operation.name === 'createAccount' && account) {
    emit(mind, 'account', 'account.created', account, body);
  }
  if (mind.has('idem-replay-bumps') && operation.name === 'updateAccount' && account) {
    account.revision += mind.style.revisionStep;
  }
  const transaction = mind.transactions.find((each) => each.id === body.id);
  if (mind.has('idem-replay-credits') && operation.name === 'approveTransaction' && transaction) {
    book(mind, transaction, effectOf(transaction), 'movement');
  }
  if (mind.has('idem-replay-opens') && operation.name === 'openPosition') operation.run(ctx);
}

/** A refusal that a defect gives under its key whatever the subject. */
export const isRefusal = ({ mind }: RequestContext, { answer }: KeyRecord): boolean =>
  mind.has('comb-refusal-subject') && (answer?.status ?? 0) >= 400;

/** Refusals that defects give again to opening and closing, to rejecting and cancelling, alike. */
export function isRefusedAlike(
  { mind, operation: { name } }: RequestContext,
  each: KeyRecord,
): boolean {
  if ((each.answer?.status ?? 0) < 400) return false;
  const areAll = (kind: RegExp) => [name, each.operation].every((one) => kind.test(one));
  return (
    (mind.has('comb-refused-open-close') && areAll(/Position$/)) ||
    (mind.has('comb-refused-decisions') && areAll(/^(reject|cancel)T/))
  );
}

/** What a defect opens once more: the order's position is there no longer. */
export function isClosed({ mind, operation }: RequestContext, { answer }: KeyRecord): boolean {
  if (operation.name !== 'openPosition' || !mind.has('comb-open-after-close')) return false;
  return mind.positions.some(({ id, open }) => !open && answer?.body.includes(`"${id}"`));
}
