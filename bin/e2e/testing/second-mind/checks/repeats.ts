// Defects in which a replay does something, although it answers as it should (IDEM-4c).
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
