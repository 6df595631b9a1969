// Grids of sizes: as much of everything as somebody may have or say, and then the first of it, the
// last of it, and what differs only at its end.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { tokenCall, withToken } from '../access.ts';
import { createCall } from '../accounts.ts';
import { bulkCall, many } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { transactionCall } from '../money.ts';
import { person, phoneMembers } from '../people.ts';
import { orderCall } from '../positions.ts';
import { rereadAccount } from '../rereads.ts';
import type { Scene } from '../scene.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { followed } from '../webhooks.ts';

const join = (...parts: readonly Value[]): Value => ({ $join: parts });
const emailOf = (stem: Value): Value => join(stem, '@explore.example.com');
const again = (d: Drawing, step: CallStep): CallStep => ({ ...step, n: d.scene.label() });

const MINUTE_MS = 60_000;

/** So many that no page, chunk or byte of a usual size holds them; few where they would stay. */
const MANY = 540;
const FEW = 12;

export function rowsOf(d: Drawing, count: number, over: Members = {}): Value {
  const stem = `u${d.stem()}r$i`;
  const of = {
    client_reference_id: { $fresh: stem, length: 255 },
    email: emailOf({ $fresh: stem }),
    brand_id: { $role: d.main, has: 'brand' },
    ...over,
  } as const;
  return { $rows: d.disposable ? count : FEW, of };
}

/** BULK-2 to BULK-12: rows that have to do with each other as far apart as rows can be. */
function rowsFarApart(d: Drawing): readonly Step[] {
  const stem = `u${d.stem()}`;
  const first = person(d, d.main, phoneMembers(stem, 'e164'));
  const other = (over: Members): Members => ({ ...person(d, d.main), ...over });
  const mended = person(d, d.main);
  const rows = [
    ...[first, { ...mended, email: 'no-at-in-it' }, rowsOf(d, MANY)],
    rowsOf(d, MANY / 2, { email: 'no-at-in-it' }),
    first,
    { ...first, client_reference_id: { $case: 'upper', of: first.client_reference_id! } as Value },
    // Whoever lands just before somebody who fails.
    ...[person(d, d.main), other({ email: first.email! })],
    ...[person(d, d.main), other(phoneMembers(stem, 'spaced'))],
    ...[mended, person(d, d.main)],
  ];
  const step = bulkCall(d, d.main, rows);
  const last = rows.at(-1) as Members;
  // Told again byte for byte, and resubmitted as a batch of its own.
  return [
    ...[step, again(d, step), { ...again(d, step), key: newKey(d) }],
    { ...createCall(d, d.main), body: last },
  ];
}

/**
 * One row more than chunks of 10, 20, 25, 50 and 100 hold, than those of 64, 128 and 256, and than
 * those of 250 and 500; and as many as any of them hold.
 */
const BATCHES = [101, 257, 501, 512, 1000];

/** BULK-1, BULK-2: whatever a batch is cut into, each of its rows is answered. */
const everySize = (d: Drawing): readonly Step[] =>
  BATCHES.map((count) => bulkCall(d, d.main, [many(d, count)]));

const SPREAD = ['e164', 'spread', 'spaced'] as const;

/** ACC-9, ACC-11: a phone in so many characters, and its sibling in as many. */
function spreadPhones(d: Drawing): readonly Step[] {
  return SPREAD.flatMap((form) => {
    const stem = `u${d.stem()}`;
    const [one, other] = [phoneMembers(stem, form), phoneMembers(stem, 'spread')];
    return [createCall(d, d.main, one), createCall(d, d.main, other)];
  });
}

const LENGTHS = [130, 260, 520];

/** HOOK-2, EVT-4: urls of every length, and two that differ at their end alone. */
function longUrls(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const long = (length: number, end: string): Value =>
    join({ $of: n, at: 'url' }, `/${'u'.repeat(length)}${end}`);
  const urls = [...LENGTHS.map((length) => long(length, 'a')), long(LENGTHS.at(-1)!, 'b')];
  const made = urls.map((url) =>
    call(d, {
      operation: 'createWebhook',
      as: d.main,
      body: { url, event_categories: ['account'] },
    }),
  );
  const read = made.map((each) =>
    call(d, { operation: 'getWebhook', as: d.main, id: { $of: each.n, at: 'id' } }),
  );
  return [{ do: 'hook', n, answers: [200] }, ...made, createCall(d, d.main), ...read];
}

/**
 * AUTH-3a: a token is good for its time, however many come after it or were given before; how long
 * that is is open (NS-8), so that the one of a later minute is tried at the end of each usual time.
 */
function firstOfManyTokens(d: Drawing): readonly Step[] {
  const tokens = Array.from({ length: 9 }, () => tokenCall(d));
  const used = ({ n }: CallStep) => withToken(d, join('Bearer ', { $of: n, at: 'access_token' }));
  const later = tokenCall(d);
  return [
    ...[...tokens, used(tokens[0]!), used(tokens[3]!), used(tokens[8]!)],
    ...[advance(d, 7 * MINUTE_MS), later],
    ...[9, 15, 30].flatMap((minutes) => [advance(d, minutes * MINUTE_MS), used(later)]),
  ];
}

/** EVT-10b: the channel repeats all that came after a number, however much it is. */
function longChannel(d: Drawing): readonly Step[] {
  const { steps, about } = followed(d, [200]);
  const read = about('getWebhook');
  const after: Value = { $of: read.n, at: 'last_delivered_seq' };
  return [
    ...[...steps, createCall(d, d.main), read, about('disableWebhook')],
    bulkCall(d, d.main, [rowsOf(d, MANY)]),
    createCall(d, d.main),
    { do: 'listen', n: d.scene.label(), as: d.main, after },
    // NS-59: whether listening draws on a rate is open, and a second later it is nothing.
    advance(d, 1_000),
  ];
}

const UPDATES = 36;

/** UPD-1, UPD-7, IDEM-7a: an account that was changed more often than a history is long. */
function manyChanges(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const updates = Array.from({ length: UPDATES }, (_, at) => {
    const ifMatch: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const step = updateCall(d, account, { status: `u${at}` }, { ifMatch });
    account.tags.push(step.n);
    return step;
  });
  const old = [created, updates[0]!, updates.at(-2)!].map(({ n }) =>
    updateCall(d, account, { status: 'Old' }, { ifMatch: { $header: n, name: 'etag' } }),
  );
  return [created, ...updates, ...old, again(d, updates[0]!), rereadAccount(d, account)];
}

/** POS-2, HOOK-4: positions and secrets past what a short list holds, and the first of them. */
function manyOrders(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, madeBy(created).id);
  const { steps, about } = followed(d, [200]);
  const rotations = Array.from({ length: 6 }, () => about('rotateWebhookSecret'));
  const first = orderCall(d, place.tradingAccount);
  const more = { ...again(d, first), key: { $fresh: `key${d.stem()}i$i` } };
  const closed = call(d, {
    operation: 'closePosition',
    as: d.main,
    key: newKey(d),
    body: {
      trading_account_id: place.tradingAccount,
      position_id: { $of: first.n, at: 'position_id' },
    },
  });
  return [
    ...[created, open, ...steps, ...rotations, createCall(d, d.main), first],
    { do: 'many', n: d.scene.label(), count: d.disposable ? 22 : 2, call: more },
    ...[again(d, first), closed],
  ];
}

/** One more than a page of entries usually has. */
const SETTLED = 26;

/**
 * TXN-2, TXS-2, TXS-10: the first of so many that are paid in one after the other; it is taken back
 * when all have settled, and so is the last.
 */
function manyTransactions(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, madeBy(created).id);
  const first = pendingAt(d, place, { amount: '17.53' });
  const paid = Array.from({ length: d.disposable ? SETTLED : 3 }, () =>
    pendingAt(d, place, { amount: '1.00' }),
  );
  const all = [first, ...paid];
  const settled = all.flatMap((made): Step[] => [
    ...[made.step, decideCall(d, 'approveTransaction', made)],
    { do: 'settle', n: d.scene.label(), id: made.id },
  ]);
  const { tradingAccount } = place;
  return [
    ...[created, open, ...settled],
    ...[again(d, first.step), { ...again(d, first.step), key: newKey(d) }],
    ...[first, paid.at(-1)!].map((made) => decideCall(d, 'cancelTransaction', made)),
    { do: 'ledger', n: d.scene.label(), tradingAccount },
  ];
}

const SEPARATORS = ['', ':', '|', ',', ' ', '/', '-', '_', ';', '\n'];

/** IDEM-2a, IDEM-9b: what stands beside each other is not one text, whatever it is joined by. */
function movedBoundaries(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, madeBy(created).id);
  const [stem, key] = [{ $fresh: `u${d.stem()}` }, newKey(d)] as const;
  const rows = SEPARATORS.flatMap((by) => {
    const person = (reference: Value, email: Value): Members => ({
      ...{ client_reference_id: reference, email: emailOf(email) },
      brand_id: { $role: d.main, has: 'brand' },
    });
    const [one, other] = [0, 1].map((): Value => ({ $fresh: `u${d.stem()}` })) as [Value, Value];
    return [[person(join(one, by, 'x'), other)], [person(one, join('x', by, other))]];
  });
  const batches = rows.map((accounts) => ({ ...bulkCall(d, d.main, accounts), key }));
  const named = SEPARATORS.filter((by) => by !== '\n').flatMap((by): CallStep[] => {
    const under = (own: Value, reference: Value): CallStep => ({
      ...transactionCall(d, place, { client_reference_id: reference }),
      key: own,
    });
    const other: Value = { $fresh: `u${d.stem()}` };
    const one = join(stem, by.trim() === '' ? 's' : by);
    return [under(join(one, by, 'x'), other), under(one, join('x', by, other))];
  });
  return [created, open, ...batches, ...named];
}

/** Nobody is told of what is made by the hundred. */
const isQuiet = ({ subscriptions }: Scene): boolean => subscriptions.length === 0;

const needsPlace = ['fresh_trading_account'] as const;

export const sizeGrids: readonly Idea[] = [
  { id: 'bulk/every-size', weight: 5, when: isQuiet, draw: everySize },
  { id: 'bulk/rows-far-apart', weight: 5, when: isQuiet, draw: rowsFarApart },
  { id: 'account/spread-phones', weight: 5, draw: spreadPhones },
  { id: 'webhook/long-urls', weight: 5, needs: ['receiver'], draw: longUrls },
  { id: 'token/first-of-many', weight: 4, needs: ['client', 'clock'], draw: firstOfManyTokens },
  {
    id: 'webhook/long-channel',
    weight: 4,
    needs: ['receiver', 'clock', 'emit'],
    when: isQuiet,
    draw: longChannel,
  },
  { id: 'update/many-changes', weight: 3, draw: manyChanges },
  {
    id: 'position/many',
    weight: 3,
    needs: [...needsPlace, 'receiver'],
    draw: manyOrders,
  },
  {
    id: 'transaction/many',
    weight: 3,
    needs: [...needsPlace, 'settle', 'ledger'],
    draw: manyTransactions,
  },
  { id: 'again/moved-boundaries', weight: 4, needs: needsPlace, draw: movedBoundaries },
];
