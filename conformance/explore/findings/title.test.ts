// Checks that the title of a difference says what a reader can see for himself.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVERY_SCOPE } from '../../providers/control-provider.ts';
import { shown } from '../compare/values.ts';
import type { Outcome } from '../play/outcome.ts';
import type { CallStep, Value } from '../sequence.ts';
import { expectedBody } from './expected.ts';
import type { Found } from './investigate.ts';
import { call } from './plain-calls.ts';
import { foundOf } from './testing/made.ts';
import { titleOf } from './title.ts';

const titles = suite('titles');

const outcome = (n: number, json: object) =>
  [n, { kind: 'answer', n, status: 200, json }] as unknown as [number, Outcome];

/** What both sides have answered, the model first. */
function answered(of: Found, answers: Readonly<Record<number, readonly [object, object]>>): Found {
  const side = (at: 0 | 1) =>
    new Map(Object.entries(answers).map(([n, each]) => outcome(Number(n), each[at])));
  const { duel } = of;
  const [model, target] = [side(0), side(1)];
  return {
    ...of,
    duel: {
      ...duel,
      model: { ...duel.model, outcomes: model },
      target: { ...duel.target, outcomes: target },
    },
  } as Found;
}

const steps = [call(1, 'createTransaction', 'firm', {}), call(2, 'createTransaction', 'firm', {})];
const again = { steps, due: '200', came: '200' };

const known = [
  { id: '9001', account_id: '1001', created_at: 1_000 },
  { id: '37', account_id: '12', created_at: 501_000 },
] as const;

titles('what is expected has the names of the target', () => {
  const made = foundOf({ ...again, at: 'body.is_ftd', model: 'true', target: 'false' });
  const found = answered(made, {
    1: known,
    2: [
      { id: '9002', account_id: '1001', is_ftd: true, created_at: 1_250 },
      { id: '38', account_id: '12', is_ftd: false, created_at: 501_251 },
    ],
  });
  const expected = { id: '38', account_id: '12', is_ftd: true, created_at: 501_251 };
  assert.equal(expectedBody(found), expected);
});

titles('and what differs is not made alike by it', () => {
  const made = foundOf({ ...again, at: 'body.id', model: '"9001"', target: '"38"' });
  const found = answered(made, { 1: known, 2: [known[0], { ...known[1], id: '38' }] });
  assert.is(titleOf(found), 'Recording a transaction answers 200 with id "38" in place of "37"');
});

titles('of two times it is said what is between them', () => {
  const made = foundOf({ ...again, at: 'body.created_at', model: '1000', target: '501250' });
  const found = answered(made, { 1: known, 2: [known[0], { ...known[1], created_at: 501_250 }] });
  assert.is(titleOf(found), 'Recording a transaction answers 200 with created_at 250 ms too late');
});

titles('a row of a batch is named by its place', () => {
  const batch = [call(1, 'bulkCreateAccounts', 'firm', {})];
  const row = { at: 'body.rows.1.status', model: '409', target: '201' };
  assert.is(
    titleOf(foundOf({ steps: batch, due: '200', came: '200', ...row })),
    'Creating accounts in bulk answers 200 with rows[1].status 201 in place of 409',
  );
  const rows = [{ rows: [{}, { code: 'invalid_state' }] }, { rows: [{}, { code: null }] }] as const;
  assert.match(
    titleOf(answered(foundOf({ steps: batch, due: '200', came: '200', ...row }), { 1: rows })),
    /rows\[1\]\.status 201 in place of 409 invalid_state$/,
  );
});

titles('of deliveries the title says how many came, and after what time', () => {
  const pause = { do: 'advance', n: 2, byMs: 30_000 } as const;
  const counted = { operation: 'delivery', at: 'count' } as const;
  const said = { model: '2 deliveries', target: '1 delivery' };
  const made = foundOf({ steps: [steps[0]!, pause], due: '', came: '', ...counted, ...said });
  const title =
    'Webhook deliveries on recording a transaction after 30.0 s: 1 delivery in place of 2 deliveries';
  assert.is(titleOf(made), title);
  const missing = `${said.target}: 1 of transaction.created missing`;
  assert.is(
    titleOf({ ...made, difference: { ...made.difference, target: missing } }),
    `${title}, 1 of transaction.created missing`,
  );
});

titles('an event that is made while the channel is listened to is nobody else’s', () => {
  const listen = { do: 'listen', n: 2, as: 'firm', after: 0 } as const;
  const said = { operation: 'delivery', at: 'envelope.seq', model: '2', target: '1' } as const;
  const made = foundOf({ steps: [steps[0]!, listen], due: '', came: '', ...said });
  const title =
    'Webhook deliveries on an event that an operator makes, envelope.seq: 1 in place of 2';
  assert.is(titleOf(made), title);
});

titles('of a delivery that cannot be read the title says how it ends', () => {
  const said = { model: 'an envelope in JSON', target: '9 bytes that are no JSON and end in "{"' };
  const cut = { operation: 'delivery', at: 'body', due: '', came: '', ...said } as const;
  const [first] = steps;
  const title = 'Webhook deliveries on recording a transaction: a body of';
  const whole = `${title} ${said.target} in place of ${said.model}`;
  assert.is(titleOf(foundOf({ steps: [first!], ...cut })), whole);
});

titles('whoever was made for this play is told by what it may', () => {
  const as = 'm7';
  const minted = (wish: object) => {
    const mint = { do: 'mint', n: 1, name: as, wish } as never;
    return titleOf(
      foundOf({ steps: [mint, call(2, 'createAccount', as, {})], due: '201', came: '200' }),
    );
  };
  const [every, none] = [[...EVERY_SCOPE], []];
  for (const [wish, who] of [
    [{ kind: 'delegated', scopes: none }, "with a trader's token"],
    [{ kind: 'delegated', scopes: none, readOnly: true }, 'that may only read'],
    [{ scopes: every, brand: 'brand' }, 'with another credential bound to one brand answers'],
    [{ scopes: none }, 'with another credential without any scope'],
    [{ scopes: ['a'] }, 'with another credential that has a answers'],
    [{ scopes: every, perSecond: 3 }, 'with another credential, held to 3 calls a second'],
    [{ scopes: every, firm: 'other_firm' }, 'with another credential of another firm'],
  ] as const) {
    assert.ok(minted(wish).includes(who), minted(wish));
    assert.not.ok(minted(wish).includes(as));
  }
  const role = foundOf({ steps: [call(1, 'createAccount', 'brand', {})], due: '201', came: '200' });
  assert.match(titleOf(role), /^Creating an account with a credential bound to one brand answers/);
});

titles('an update is told by what it says, and a long text by its length', () => {
  const update = (body: Value) => {
    const steps = [
      call(1, 'updateAccount', 'firm', { body, ifMatch: { $header: 0, name: 'etag' } }),
    ];
    return titleOf(foundOf({ steps, due: '200', came: '422 validation_failed' }));
  };
  assert.match(update({ status: 'a' }), /^Updating status of an account answers 422/);
  assert.match(update({ a: 'a', b: 'b' }), /^Updating a and b of an account answers/);
  assert.match(update({}), /^Updating an account answers/);
  assert.match(update({ status: 'x'.repeat(120) }), /^Updating .* with status of 120 characters/);
});

titles('a long value is shown by both of its ends', () => {
  const url = `https://a.example/${'u'.repeat(300)}${'path/'.repeat(30)}end`;
  const cut = url.slice(0, 200);
  const given = { model: shown(url), target: shown(cut), at: 'body.url' };
  const made = foundOf({ ...again, ...given, steps: [call(1, 'createWebhook', 'firm', {})] });
  const title = titleOf(answered(made, { 1: [{ url }, { url: cut }] }));
  assert.match(title, /with url "https:\/\/a\.example\/u\{182\}" in place of "https:.*….*end"$/);
  assert.ok(title.length < 250, title);
});

const updated = (ifMatch: CallStep['ifMatch'], sent: string) => {
  const update = { ...call(1, 'updateAccount', 'firm', {}), ...(ifMatch && { ifMatch }) };
  const made = foundOf({ steps: [update], due: '412 revision_conflict', came: '200' });
  const outcome = { kind: 'answer', n: 1, status: 200, sent: { headers: [['if-match', sent]] } };
  const target = { ...made.duel.target, outcomes: new Map([[1, outcome]]) };
  return titleOf({ ...made, duel: { ...made.duel, target } } as unknown as Found);
};

titles('a tag that no answer has had is shown', () => {
  const odd = updated({ $join: ['"0', { $of: 1, at: 'revision' }, '"'] }, '"01"');
  assert.match(odd, /^Updating an account with If-Match "01" answers 200/);
  const plain = updated({ $header: 1, name: 'etag' }, '"1"');
  assert.match(plain, /^Updating an account answers 200/);
  assert.match(updated(undefined, ''), /^Updating an account without If-Match answers 200/);
});

titles('what it takes in size is in the title', () => {
  const long = { client_reference_id: { $fresh: 'a', length: 200 } };
  const single = [call(1, 'createAccount', 'firm', { body: long })];
  assert.match(
    titleOf(foundOf({ steps: single, due: '201', came: '200' })),
    /^Creating an account with client_reference_id of 200 characters answers 200/,
  );
  const two = [{ email: { $fresh: 'a' } }, { email: { $fresh: 'b' } }];
  const plain = [call(1, 'bulkCreateAccounts', 'firm', { body: { accounts: two } })];
  assert.match(
    titleOf(foundOf({ steps: plain, due: '200', came: '500 internal_error' })),
    /^Creating accounts in bulk answers/,
  );
  const rows = [{ $rows: 100, of: { email: 'a' } }, { email: 'b' }];
  const batch = [call(1, 'bulkCreateAccounts', 'firm', { body: { accounts: rows } })];
  assert.match(
    titleOf(foundOf({ steps: batch, due: '200', came: '500 internal_error' })),
    /^Creating accounts in bulk of 101 rows answers/,
  );
});

titles('a key that is nearly another one is told of', () => {
  const keys = [{ $fresh: 'k' }, { $case: 'upper', of: { $fresh: 'k' } }] as const;
  const calls = keys.map((key, at) => call(at + 1, 'createAccount', 'firm', { key, body: {} }));
  assert.match(
    titleOf(foundOf({ steps: calls, due: '200', came: '201' })),
    /^Creating an account under a key like that of step 1 answers 201/,
  );
  const same = calls.map((each) => ({ ...each, key: keys[0] }));
  assert.match(
    titleOf(foundOf({ steps: same, due: '200', came: '201' })),
    /^Creating an account under the key of step 1 answers/,
  );
  assert.match(
    titleOf(foundOf({ steps: same, due: '200', came: '201', idempotency: 'replayed' })),
    /^Creating an account again under its key answers/,
  );
  const sent = (one: string, other: string) => {
    const made = foundOf({ steps: calls, due: '200', came: '201' });
    const outcomes = new Map(
      [one, other].map((key, at) => [
        at + 1,
        { kind: 'answer', sent: { headers: [['idempotency-key', key]] } },
      ]),
    );
    const target = { ...made.duel.target, outcomes };
    return titleOf({ ...made, duel: { ...made.duel, target } } as unknown as Found);
  };
  const long = 'k'.repeat(250);
  assert.match(sent(`${long}a`, `${long}b`), /under a key whose first 250 characters are those of/);
  assert.match(sent('key', 'KEY'), /under the key of step 1 in other letters/);
  assert.match(sent('key', ' key'), /under the key of step 1 with other spaces around it/);
});

titles('of a decision it is said what had become of its transaction', () => {
  const id = { $of: 1, at: 'id' } as const;
  const [approve, other, cancel] = [
    call(2, 'approveTransaction', 'firm', { id }),
    call(3, 'rejectTransaction', 'firm', { id: { $of: 9, at: 'id' } }),
    call(5, 'cancelTransaction', 'firm', { id }),
  ];
  const said = { due: '200', came: '409 invalid_state' };
  const settle = { do: 'settle', n: 4, id } as const;
  const title = titleOf(foundOf({ steps: [approve!, other!, settle, cancel!], ...said }));
  assert.match(title, /^Cancelling a transaction after approving and settling it answers 409/);
  const alone = titleOf(foundOf({ steps: [other!, cancel!], ...said }));
  assert.match(alone, /^Cancelling a transaction answers/);
  const burst = { do: 'burst', n: 6, calls: [approve!, cancel!] } as never;
  const race = foundOf({ steps: [burst, cancel!], ...said });
  assert.not.match(titleOf({ ...race, sequence: { steps: [burst] } }), /after approving/);
});

titles('of calls at once it is said what the other one does', () => {
  const [update, other] = [1, 2].map((n) => call(n, 'disableWebhook', 'firm', {}));
  const rotate = call(3, 'rotateWebhookSecret', 'firm', {});
  const titleFor = (...calls: readonly CallStep[]) => {
    const made = foundOf({ steps: [update!], due: '200', came: '409 invalid_state' });
    return titleOf({ ...made, sequence: { steps: [{ do: 'burst', n: 9, calls } as never] } });
  };
  assert.match(titleFor(update!, rotate), /at once with rotating a webhook secret answers/);
  assert.match(titleFor(update!, other!), /at once with another such call answers/);
  assert.match(titleFor(update!, other!, rotate), /at once with other calls answers/);
  const later = (...calls: readonly CallStep[]) => {
    // A burst is numbered after its calls, and what comes later not always after it.
    const burst = { do: 'burst', n: 9, calls } as never;
    const read = call(5, 'getWebhook', 'firm', {});
    return titleOf(foundOf({ steps: [burst, read], due: '200', came: '404 not_found' }));
  };
  const both = 'disabling a webhook subscription and rotating a webhook secret';
  assert.match(later(update!, rotate), new RegExp(`subscription after ${both} at once answers`));
  assert.match(later(update!, other!), /after disabling a webhook subscription 2 times at once/);
  const third = call(6, 'listWebhooks', 'firm', {});
  assert.match(later(update!, rotate, third), /after 3 calls at once answers/);
});

titles('a url is expected as it was sent', () => {
  const made = foundOf({ ...again, at: 'body.url', steps: [call(1, 'createWebhook', 'firm', {})] });
  const side = (sent: string, url: string) => {
    const body = Buffer.from(JSON.stringify({ url: sent }));
    return new Map([[1, { kind: 'answer', status: 200, json: { url }, sent: { body } }]]);
  };
  const [model, target] = [
    side('https://m/long', 'https://m/long'),
    side('https://t/long', 'https'),
  ];
  const duel = {
    model: { ...made.duel.model, outcomes: model },
    target: { ...made.duel.target, outcomes: target },
  };
  assert.equal(expectedBody({ ...made, duel } as unknown as Found), { url: 'https://t/long' });
});

titles('members stand in the order in which they came', () => {
  const made = foundOf({ ...again, at: 'body.is_ftd', model: 'true', target: 'false' });
  const came = { created_at: 5, is_ftd: false, id: '7' };
  const found = answered(made, {
    2: [{ id: '7', is_ftd: true, created_at: 5, method: null }, came],
  });
  assert.equal(Object.keys(expectedBody(found) as object), [...Object.keys(came), 'method']);
});

titles('an id of another record is named by its step', () => {
  const made = foundOf({ ...again, at: 'body.id', model: '"9002"', target: '"37"' });
  const taken = [{ id: '9002' }, { id: '37' }] as const;
  assert.is(
    titleOf(answered(made, { 1: known, 2: taken })),
    'Recording a transaction answers 200 with the id of step 1 in place of one of its own',
  );
});

titles('a secret is told in words', () => {
  const rotation = [call(1, 'rotateWebhookSecret', 'firm', {})];
  const said = { at: 'body.secret', target: 'one given before', model: 'a new one' };
  const made = foundOf({ steps: rotation, due: '200', came: '200', ...said });
  const found = answered(made, { 1: [{ secret: 'whsec_1' }, { secret: 'whsec_2' }] });
  assert.is(
    titleOf(found),
    'Rotating a webhook secret answers 200 with one given before as secret in place of a new one',
  );
});

titles('a refusal that is not repeated is told from a success', () => {
  const refused = { due: '422 validation_failed', came: '422 validation_failed' };
  const made = { steps, ...refused, at: 'replay.body', idempotency: 'replayed' } as const;
  assert.match(titleOf(foundOf(made)), /the first answer, 422 validation_failed$/);
});

titles.run();
