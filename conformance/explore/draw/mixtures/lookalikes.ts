// Ideas about what a careless service takes for the same, or keeps only in part: keys and emails
// that look alike, answers too long for a column, decisions that only their kind forbids.
import type { SeedKind } from '../../../providers/target.ts';
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members } from '../idea.ts';
import { madeBy, openedAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { VERY_LONG } from '../people.ts';
import type { DrawnPlace } from '../scene.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { followed } from '../webhooks.ts';

const join = (...parts: Value[]): Value => ({ $join: parts });

/** Pairs of keys that a careless look takes for one. */
export function keysAlike(d: Drawing): readonly (readonly [Value, Value])[] {
  const short: Value = { $fresh: `k${d.stem()}` };
  // As long as may be, so that whatever keeps less of it shows.
  const stem: Value = { $fresh: `k${d.stem()}`, length: 254 };
  return [
    [join(stem, 'a'), join(stem, 'b')],
    [join('a', stem), join('b', stem)],
    [join(short, 'a b'), join(short, 'ab')],
    [join(short, 'a-b'), join(short, 'ab')],
    [join(short, 'xy'), join(short, 'XY')],
    [join(short, 'pxq'), join(short, 'p_q')],
    [join(short, 'pxxr'), join(short, 'p%r')],
    [join(short, '1'), join(short, '01')],
  ];
}

/** The first makes the account, so that the second tells a repeat from another call. */
function keysOfCreates(d: Drawing): readonly Step[] {
  return keysAlike(d).flatMap(([one, other]) => {
    const step = createCall(d, d.main);
    return [
      { ...step, key: one },
      { ...step, n: d.scene.label(), key: other },
    ];
  });
}

const repeated = (d: Drawing, step: CallStep): CallStep => ({ ...step, n: d.scene.label() });

/** Beginnings of a domain; with them an email is longer than a column may hold, and still one. */
const LABELS = [[], [12], [60, 12], [60, 60, 50]] as const;

/** ACC-1, ACC-8: those that differ in a mark, or only after a long beginning, are of two people. */
function emails(d: Drawing): readonly Step[] {
  const stem: Value = { $fresh: `e${d.stem()}` };
  const domain = '@explore.example.com';
  const long = LABELS.flatMap((lengths) => {
    const local: Value = { $fresh: `e${d.stem()}`, length: 60 };
    const labels = lengths.map((length) => 'm'.repeat(length)).join('.');
    return ['a', 'b'].map((end) => join(local, '@', labels, end, '.example.com'));
  });
  const forms = [join(stem, domain), join(stem, '+a', domain), join(stem, '.a', domain), ...long];
  return forms.map((email) => createCall(d, d.main, { email }));
}

/** More than a column of 8 kB holds, told again byte for byte (IDEM-4b). */
function longAnswerAgain(d: Drawing): readonly Step[] {
  const stem = `b${d.stem()}r$i`;
  const row: Members = {
    client_reference_id: { $fresh: stem },
    email: join({ $fresh: stem }, '@explore.example.com'),
    brand_id: { $role: d.main, has: 'brand' },
  };
  const step = bulkCall(d, d.main, [{ $rows: 130, of: row }]);
  return [step, repeated(d, step)];
}

/** Two updates, and then every call once more: each under the tag that it had (IDEM-4b). */
function tagsOfRepeats(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const updates = ['one', 'two'].map((status) => {
    const newest = account.tags[account.tags.length - 1]!;
    const step = updateCall(d, account, { status }, { ifMatch: { $header: newest, name: 'etag' } });
    account.tags.push(step.n);
    return step;
  });
  const all = [created, ...updates];
  return [...all, ...all.map((step) => repeated(d, step))];
}

export function openedPlace(d: Drawing, kind?: SeedKind) {
  const created = createCall(d, d.main);
  const { step, place } = openedAt(d, { $of: created.n, at: 'id' }, kind);
  return { steps: [created, step], place };
}

export function transactionOf(step: CallStep, place: DrawnPlace) {
  const { client_reference_id: reference } = step.body as Members;
  const id: Value = { $of: step.n, at: 'id' };
  return { id, place, reference: reference!, step, status: 'pending' };
}

/** Every type with every method: what is paid out by a provider goes by one of them (TXS-3). */
function kindsOfMoney(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d, 'provider_trading_account');
  const kinds = ['Deposit', 'Withdrawal', 'Credit', 'Debit'].flatMap((type) =>
    ['Deposit', 'Withdrawal', 'Bonus', undefined].map((method) => ({ type, method })),
  );
  const decided = kinds.flatMap(({ type, method }): Step[] => {
    const amount = d.random.pick(['25.00', '-25.00']);
    const made = transactionCall(d, place, { transaction_type: type, method, amount });
    return [made, decideCall(d, 'approveTransaction', transactionOf(made, place))];
  });
  return [...steps, ...decided];
}

const TAKEN_BACK: readonly Members[] = [
  { transaction_type: 'Deposit' },
  { transaction_type: 'Withdrawal', amount: '5' },
  { transaction_type: 'Withdrawal', amount: '-5' },
  { transaction_type: 'Credit', amount: '3' },
  { transaction_type: 'Debit', amount: '-3' },
  { transaction_type: 'Deposit', method: 'Bonus' },
];

/** A settled one of each kind, taken back by who may not (TXS-11), and then by who may (TXS-10). */
function takenBack(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const settled = TAKEN_BACK.flatMap((over): Step[] => {
    const made = transactionCall(d, place, over);
    const transaction = transactionOf(made, place);
    return [
      made,
      decideCall(d, 'approveTransaction', transaction),
      { do: 'settle', n: d.scene.label(), id: transaction.id },
      decideCall(d, 'cancelTransaction', transaction, { as: 'no_amend' }),
      decideCall(d, 'cancelTransaction', transaction),
    ];
  });
  const { tradingAccount } = place;
  return [...steps, ...settled, { do: 'ledger', n: d.scene.label(), tradingAccount }];
}

/** So many subscriptions that a list or an event may not reach them all (HOOK-11, EVT-4). */
function longList(d: Drawing): readonly Step[] {
  const hook = d.scene.label();
  const body = { url: { $of: hook, at: 'url' }, event_categories: ['account'] };
  const made = call(d, { operation: 'createWebhook', as: d.main, body });
  return [
    { do: 'hook', n: hook, answers: [200] },
    made,
    { do: 'many', n: d.scene.label(), count: 25, call: { ...made, n: d.scene.label() } },
    call(d, { operation: 'listWebhooks', as: d.main }),
    createCall(d, d.main),
    // The first of them is still there.
    ...(['getWebhook', 'rotateWebhookSecret', 'disableWebhook'] as const).map((operation) =>
      call(d, { operation, as: d.main, id: { $of: made.n, at: 'id' } }),
    ),
  ];
}

const HOUR_MS = 3_600_000;

/** Each decision again after half a day, when it runs as little as at once (IDEM-7a). */
function decidedAndAgain(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const verbs = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;
  const decided = verbs.map((verb) => {
    const made = transactionCall(d, place);
    return { made, step: decideCall(d, verb, transactionOf(made, place)) };
  });
  // Cancelled, it answers a second approval otherwise than its repeat.
  const undone = decided.map(({ made }) =>
    decideCall(d, 'cancelTransaction', transactionOf(made, place)),
  );
  return [
    ...steps,
    ...decided.flatMap(({ made, step }) => [made, step]),
    ...undone,
    advance(d, d.random.pick([7, 13, 20]) * HOUR_MS),
    ...decided.map(({ step }) => repeated(d, step)),
  ];
}

/** The first money stays the first, however long ago it came (TXS-2). */
function paidInLongAfter(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const paid = [0, d.random.pick([31, 100, 400])].flatMap((days): Step[] => {
    const made = transactionCall(d, place);
    const approved = decideCall(d, 'approveTransaction', transactionOf(made, place));
    return [...(days === 0 ? [] : [advance(d, days * 24 * HOUR_MS)]), made, approved];
  });
  return [...steps, ...paid];
}

/** An endpoint that never takes an event, looked at every half hour for a day (EVT-8a). */
function refusedForADay(d: Drawing): readonly Step[] {
  return [
    ...followed(d, [500]).steps,
    createCall(d, d.main),
    ...Array.from({ length: 44 }, () => advance(d, HOUR_MS / 2)),
  ];
}

/** An event of more than 4 kB: what is signed is all of it (EVT-6). */
function longEvent(d: Drawing): readonly Step[] {
  return [...followed(d, [200]).steps, createCall(d, d.main, { first_name: VERY_LONG })];
}

const needsPlace = ['trading_account'] as const;

export const lookalikeIdeas: readonly Idea[] = [
  { id: 'alike/keys', weight: 4, draw: keysOfCreates },
  { id: 'alike/emails', weight: 3, draw: emails },
  {
    id: 'alike/long-answer-again',
    weight: 2,
    draw: (d) => (d.disposable ? longAnswerAgain(d) : []),
  },
  { id: 'alike/tags-of-repeats', weight: 3, draw: tagsOfRepeats },
  {
    id: 'alike/kinds-of-money',
    weight: 2,
    needs: ['provider_trading_account'],
    draw: kindsOfMoney,
  },
  {
    id: 'alike/taken-back',
    weight: 3,
    needs: [...needsPlace, 'settle', 'no_amend', 'ledger'],
    draw: takenBack,
  },
  {
    id: 'alike/decided-and-again',
    weight: 2,
    needs: [...needsPlace, 'clock'],
    draw: decidedAndAgain,
  },
  {
    id: 'alike/paid-in-long-after',
    weight: 2,
    needs: [...needsPlace, 'clock'],
    draw: paidInLongAfter,
  },
  { id: 'alike/refused-for-a-day', weight: 1, needs: ['receiver', 'clock'], draw: refusedForADay },
  { id: 'alike/long-event', weight: 1, needs: ['receiver'], draw: longEvent },
  { id: 'alike/long-list', weight: 3, needs: ['receiver'], draw: longList },
];
