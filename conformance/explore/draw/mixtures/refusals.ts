// Ideas about what was refused: it has left nothing behind, so that the same put right is served.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { phoneMembers } from '../people.ts';
import { updateCall } from '../updates.ts';

/** The same call with other members, under a key of its own. */
function putRight(d: Drawing, step: CallStep, over: Members): CallStep {
  const body = { ...(step.body as Members), ...over };
  return { ...step, n: d.scene.label(), key: newKey(d), body };
}

/** IDEM-11, ACC-8, ACC-9: neither its reference nor its email nor its phone is taken. */
function createdAfterAll(d: Drawing): readonly Step[] {
  const stem = `r${d.stem()}`;
  const first = createCall(d, d.main, phoneMembers(stem, 'e164'));
  const { email } = first.body as Members;
  const byPhone = createCall(d, d.main, phoneMembers(stem, 'spaced'));
  const byEmail = createCall(d, d.main, { email: email!, ...phoneMembers(`${stem}e`, 'e164') });
  const bad = createCall(d, d.main, { email: 'no-at-in-it' });
  const fresh = (): Value => ({ $join: [{ $fresh: `r${d.stem()}` }, '@explore.example.com'] });
  const other = phoneMembers(`${stem}o`, 'e164');
  // As rows, people of their own: they were never refused alone.
  const rows = [
    createCall(d, d.main, phoneMembers(stem, 'spaced')),
    createCall(d, d.main, { email: email!, ...phoneMembers(`${stem}f`, 'e164') }),
    createCall(d, d.main, { email: 'no-at-in-it' }),
  ] as const;
  return [
    first,
    byPhone,
    byEmail,
    bad,
    bulkCall(
      d,
      d.main,
      rows.map(({ body }) => body as Members),
    ),
    putRight(d, byPhone, other),
    putRight(d, byEmail, { email: fresh() }),
    putRight(d, bad, { email: fresh() }),
    putRight(d, rows[0], phoneMembers(`${stem}p`, 'e164')),
    putRight(d, rows[1], { email: fresh() }),
    putRight(d, rows[2], { email: fresh() }),
  ];
}

/** UPD-7, UPD-8: the tag is as good as before. */
function updatedAfterAll(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main, { first_name: 'Ada' });
  const own = madeBy(created);
  const newest: Value = { $header: created.n, name: 'etag' };
  const refused: readonly CallStep[] = [
    updateCall(d, own, { status: 'Stale' }, { ifMatch: '"987654"' }),
    updateCall(d, own, { first_name: 'Ada' }, { ifMatch: newest }),
    updateCall(d, own, {}, { ifMatch: newest }),
    updateCall(d, own, { status: 'Loose' }, { ifMatch: 'loose' }),
  ];
  return [created, ...refused, updateCall(d, own, { status: 'Right' }, { ifMatch: newest })];
}

/** TXN-2, TXS-3, TXS-12, TXS-14: recorded, and decided on, when it is put right. */
function movedAfterAll(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account: Value = { $of: created.n, at: 'id' };
  const { step: open, place } = openedAt(d, account);
  const { step: paysOut, place: provider } = openedAt(d, account, 'provider_trading_account');
  const bad = pendingAt(d, place, { amount: 'abc' }).step;
  const astray = pendingAt(d, place, { account_id: '999999999' }).step;
  const one = pendingAt(d, place);
  const out = pendingAt(d, provider, { transaction_type: 'Withdrawal', amount: '5' });
  const empty = { body: { reason: '' } };
  return [
    ...[created, open, paysOut, bad, astray],
    putRight(d, bad, { amount: '25.00' }),
    putRight(d, astray, { account_id: place.account }),
    one.step,
    decideCall(d, 'rejectTransaction', one, empty),
    decideCall(d, 'cancelTransaction', one, empty),
    decideCall(d, 'approveTransaction', one),
    decideCall(d, 'rejectTransaction', one),
    decideCall(d, 'approveTransaction', one),
    out.step,
    decideCall(d, 'approveTransaction', out),
    decideCall(d, d.random.pick(['rejectTransaction', 'cancelTransaction']), out),
    call(d, { operation: 'listTransactions', as: d.main }),
  ];
}

const needsPlaces = ['trading_account', 'provider_trading_account'] as const;

export const refusalIdeas: readonly Idea[] = [
  { id: 'refused/created-after-all', weight: 3, draw: createdAfterAll },
  { id: 'refused/updated-after-all', weight: 2, draw: updatedAfterAll },
  { id: 'refused/moved-after-all', weight: 2, needs: needsPlaces, draw: movedAfterAll },
];
