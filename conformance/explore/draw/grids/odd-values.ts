// Grids of odd values: everything that may be said though few say it, and everything that may not,
// however it is written. Several members are odd at once where all of them are to be taken.
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { madeBy, openedAt, pendingAt } from '../made.ts';
import { AMOUNTS, BAD_AMOUNTS, transactionCall } from '../money.ts';
import { COUNTRIES, LANGUAGES, SCRIPTS, STATUSES } from '../people.ts';
import { orderCall } from '../positions.ts';
import { updateCall } from '../updates.ts';
import { BAD_URLS } from '../webhooks.ts';

const join = (...parts: readonly Value[]): Value => ({ $join: parts });

/** Around a text that makes it new: whatever has an @ is an email (ACC-4). */
const EMAILS: readonly (readonly [string, string])[] = [
  ['', '@explore.example.com'],
  ['', '@localhost'],
  ['', '+tag@explore.example.com'],
  ['first.', '.last@explore.example.com'],
  ["o'", '@explore.example.com'],
  ['', '@sub.explore.example.co.uk'],
  ['', '@explore.example.photography'],
  ['', '@xn--bcher-kva.example'],
  ['', '@[192.0.2.1]'],
  ['UPPER-', '@Explore.Example.COM'],
  ['_%', '@explore.example.com'],
  ['é', '@explore.example.com'],
  ['"quoted ', '"@explore.example.com'],
  ['@', ''],
];

/** Texts that mean something to a language, a path or a query, and are names like any other. */
const NAMES: readonly string[] = [
  ...['constructor', '__proto__', 'toString', 'null', 'undefined', 'true', '0', '-1', '1e3'],
  ...['../a', 'a/b', 'a?b=c', 'a%20b', 'a b', 'a;b', "a'b", 'a"b', '<a>', '{{a}}', '$a', '*'],
  ...['наталья', '李雷', '👩‍🚀', 'e\u0301'],
];

/** What nobody else has called so, where records stay. */
const named = (d: Drawing, name: string): Value =>
  d.disposable ? name : join(name, { $fresh: `o${d.stem()}` });

const SPACED = [' GB ', 'g b', 'GB-ENG', 'null', '0'];

/** ACC-1, ACC-2, ACC-14: people of every name, with every kind of email. */
function everyPerson(d: Drawing): readonly Step[] {
  const countries = [...COUNTRIES, ...SPACED];
  const languages = [...LANGUAGES, ' en ', 'null', '0', 'x-klingon'];
  return NAMES.map((name, at): CallStep => {
    const [before, after] = EMAILS[at % EMAILS.length]!;
    return createCall(d, d.main, {
      client_reference_id: named(d, name),
      email: join(before, { $fresh: `o${d.stem()}` }, after),
      first_name: SCRIPTS[at % SCRIPTS.length]!,
      last_name: SCRIPTS[(at + 7) % SCRIPTS.length]!,
      country: countries[at % countries.length]!,
      language: languages[at % languages.length]!,
    });
  });
}

/** UPD-3, UPD-4: the same of what is changed. */
function everyChange(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main, { first_name: 'Ada', last_name: 'King', country: 'ZZ' });
  const account = madeBy(created);
  const statuses = [...STATUSES, ...NAMES];
  const updates = statuses.map((status, at): CallStep => {
    const ifMatch: Value = { $header: account.tags.at(-1)!, name: 'etag' };
    const body: Members = {
      status,
      first_name: SCRIPTS[at % SCRIPTS.length]!,
      country: [...COUNTRIES, ...SPACED][at % (COUNTRIES.length + SPACED.length)]!,
    };
    const step = updateCall(d, account, body, { ifMatch });
    account.tags.push(step.n);
    return step;
  });
  return [created, ...updates];
}

const MORE_AMOUNTS = ['-0.40', '-0.01', '0.99', '-1.5', '0.10', '100.10', '21474836.48', '1000.00'];
const MORE_BAD = [
  '1,000.00',
  '1,000',
  '1_000',
  '1.000,00',
  'Infinity',
  '1/2',
  '10%',
  '$10',
  '10 USD',
];
const TYPES = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];
const BAD_TYPES = ['deposit', 'DEPOSIT', 'Bonus', 'Transfer', '', ' Deposit', 'Depo'];

/** CONV-2a, TXN-5, TXN-6, TXN-7: every amount and type, without a method. */
function everyAmount(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const { step: open, place } = openedAt(d, madeBy(created).id);
  const amounts = [...AMOUNTS, ...MORE_AMOUNTS, ...BAD_AMOUNTS, ...MORE_BAD];
  return [
    ...[created, open],
    ...amounts.map((amount, at) =>
      transactionCall(d, place, { amount, transaction_type: TYPES[at % TYPES.length]! }),
    ),
    ...BAD_TYPES.map((type) => transactionCall(d, place, { transaction_type: type })),
  ];
}

const MAPPED = [
  ...['https://[::ffff:10.0.0.1]/a', 'https://[::ffff:a9fe:a9fe]/a', 'https://[::]/a'],
  ...['https://[fd00:ec2::254]/a', 'https://[100::1]/a', 'https://[2001:db8::1]/a'],
  ...['https://10.0.0.1:8443/a', 'https://0x0a.1/a', 'https://012.0.0.1/a', 'https://%31%30.1/a'],
];

/** HOOK-7, HOOK-8: no target that is not public, in any spelling. */
function everyTarget(d: Drawing): readonly Step[] {
  return [...BAD_URLS, ...MAPPED].map((url) =>
    call(d, {
      operation: 'createWebhook',
      as: d.main,
      body: { url, event_categories: ['account'] },
    }),
  );
}

/** HOOK-1, HOOK-2: every good target, shown as it was given. */
function everyGoodTarget(d: Drawing): readonly Step[] {
  const n = d.scene.label();
  const ends = ['', '?a=1&b=2', '/', '/deep/er', '?q=%20%2F', '/caf%C3%A9', ';v=1', '/A-Z_~'];
  const made = ends.map((end) =>
    call(d, {
      operation: 'createWebhook',
      as: d.main,
      body: { url: join({ $of: n, at: 'url' }, end), event_categories: ['account'] },
    }),
  );
  const read = call(d, { operation: 'listWebhooks', as: d.main });
  return [{ do: 'hook', n, answers: [200] }, ...made, read];
}

/** Around a text that makes it new. */
const KEYS: readonly (readonly [string, string])[] = [
  ['', ' and more'],
  ['{', '}'],
  ['"', '"'],
  ['a:b/c?', '#d'],
  ['(), ;=@[]', '\\'],
  ["!$%&'*+", '^_`|~'],
  ['bm9uY2U', '=='],
  ['', '.'],
];

/** IDEM-1: a key is any text; under each the call is made once, whatever it looks like. */
function everyKey(d: Drawing): readonly Step[] {
  return KEYS.flatMap(([before, after]) => {
    const step = createCall(d, d.main);
    const key = join(before, { $fresh: `o${d.stem()}` }, after);
    const again = { ...step, n: d.scene.label(), key };
    return [{ ...step, key }, again];
  });
}

/** Numbers to a careless reader, and no decimal strings. */
const ODD_IDS: readonly (readonly [string, string])[] = [
  ['', '.0'],
  ['', 'e0'],
  ['+', ''],
  ['-', ''],
  ['', 'n'],
  ['', ' '],
  ['', ','],
];

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

/**
 * CONV-1c: the id of a record that is there, written in another way, wherever it is named; each way
 * in every second place.
 */
function everySpellingOfIds(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const { step: open, place } = openedAt(d, account.id);
  const made = pendingAt(d, place);
  const turn = d.random.below(2);
  const steps = ODD_IDS.flatMap(([before, after], row): Step[] => {
    const odd = (id: Value) => join(before, id, after);
    const trading_account_id = odd(place.tradingAccount);
    return [
      updateCall(d, account, { status: `i${d.stem()}` }, { id: odd(account.id) }),
      decideCall(d, 'rejectTransaction', made, { id: odd(made.id) }),
      decideCall(d, 'rejectTransaction', made, { query: { account_id: odd(place.account) } }),
      transactionCall(d, place, { account_id: odd(place.account) }),
      transactionCall(d, place, { trading_account_id }),
      createCall(d, d.main, { brand_id: odd(account.brand) }),
      orderCall(d, trading_account_id),
    ].filter((_, at) => (row + at + turn) % 2 === 0);
  });
  const empty = VERBS.map((verb) => decideCall(d, verb, made, { query: { account_id: '' } }));
  return [created, open, made.step, ...empty, ...steps];
}

const RAW = ['null', '[]', '"text"', '7', 'true', '', ' ', '{', '{}', '[{}]', '{"a":1}}', 'nul'];

/** ERR-2: whatever stands there in place of an object. */
function everyBody(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const account = madeBy(created);
  const update = () => updateCall(d, account, {});
  const bulk = () =>
    call(d, { operation: 'bulkCreateAccounts', as: d.main, key: newKey(d), body: {} });
  const steps = RAW.map((raw, at): CallStep => {
    const { body: _, ...step } = [createCall(d, d.main), update(), bulk()][at % 3]!;
    return { ...step, raw };
  });
  return [created, ...steps];
}

const needsPlace = ['trading_account'] as const;

export const oddValueGrids: readonly Idea[] = [
  { id: 'account/every-person', weight: 5, draw: everyPerson },
  { id: 'update/every-change', weight: 4, draw: everyChange },
  { id: 'transaction/every-amount', weight: 5, needs: needsPlace, draw: everyAmount },
  { id: 'webhook/every-target', weight: 4, draw: everyTarget },
  { id: 'webhook/every-good-target', weight: 4, needs: ['receiver'], draw: everyGoodTarget },
  { id: 'again/every-key', weight: 4, draw: everyKey },
  { id: 'decide/every-spelling-of-ids', weight: 4, needs: needsPlace, draw: everySpellingOfIds },
  { id: 'account/every-body', weight: 4, draw: everyBody },
];
