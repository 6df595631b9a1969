// AUTH-5, AUTH-6, AUTH-7: a record out of reach is indistinguishable from a record that does not
// exist, for every credential and every field that can name it, by the response and by later
// responses.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type OperationName, operationNames, operationTable } from '../../fixtures/operations.ts';
import { requestSchemas } from '../../fixtures/schemas/requests.ts';
import { openClient, type SandboxClient } from './sandbox-client.ts';

const reach = suite('out of reach');

/** The records that a call can name. */
type Named = Readonly<
  Record<
    | 'account'
    | 'trading'
    | 'transaction'
    | 'position'
    | 'subscription'
    | 'brand'
    | 'client'
    | 'reference'
    | 'email'
    | 'phone',
    string
  >
>;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const personOf = ({ reference, email, phone, brand }: Named) => ({
  ...{ client_reference_id: reference, email, phone, brand_id: brand },
});

const bodies: Readonly<Partial<Record<OperationName, (of: Named) => object>>> = {
  createAccount: personOf,
  bulkCreateAccounts: (of) => ({ accounts: [personOf(of)] }),
  updateAccount: () => ({ country: 'NO' }),
  openPosition: ({ trading }) => ({
    ...{ trading_account_id: trading, instrument: 'EURUSD', side: 'buy', volume: '1.00' },
  }),
  closePosition: ({ trading, position }) => ({
    ...{ trading_account_id: trading, position_id: position },
  }),
  createTransaction: ({ reference, account, trading }) => ({
    ...{ client_reference_id: reference, account_id: account, trading_account_id: trading },
    ...{ currency: 'USD', amount: '5.00', transaction_type: 'Deposit' },
  }),
  rejectTransaction: () => ({ reason: 'because' }),
  cancelTransaction: () => ({ reason: 'because' }),
  createWebhook: () => ({ url: 'https://own.example.com/', event_categories: ['account'] }),
  issueToken: ({ client, account }) => ({
    ...{ grant_type: 'client_credentials', client_id: client, client_secret: 'wrong' },
    ...{ account_id: account },
  }),
};

/** Other values of members that name nothing: the refusal of them must not depend on the record. */
const oddMembers: Readonly<Partial<Record<OperationName, readonly object[]>>> = {
  createAccount: [{ email: 'no at sign' }],
  createTransaction: [{ amount: 'none' }, { currency: 'CHF' }],
  closePosition: [{ volume: '99.00' }],
  updateAccount: [{ country: undefined }, { status: null }],
  cancelTransaction: [{ reason: '' }],
};
const tags = ['"1"', '"0"', 'garbage', ''];
const afters = [0, 1];

const idOf = {
  accounts: 'account',
  transactions: 'transaction',
  webhooks: 'subscription',
} as const;

/** The calls of an operation, all of whose records are `of`. */
function callsOf(operation: OperationName, of: Named): readonly Call[] {
  const { method, path } = operationTable[operation];
  const [first = ''] = path.split('/');
  const named = path.replace(':id', of[idOf[first as keyof typeof idOf]]);
  const body = bodies[operation]?.(of);
  if (operation === 'updateAccount') {
    return [{}, ...(oddMembers.updateAccount ?? [])].flatMap((odd) =>
      tags.map((tag) => ({
        ...{ method, path: named, body: { ...body, ...odd } },
        headers: tag === '' ? {} : { 'if-match': tag },
      })),
    );
  }
  if (operation === 'listAccounts' || operation === 'listTransactions') {
    const id = operation === 'listAccounts' ? of.account : of.transaction;
    return afters.map((less) => ({
      ...{ method, path: `${path}?limit=1&after=${Number(id) - less}` },
    }));
  }
  const query = first === 'transactions' && named !== path ? `?account_id=${of.account}` : '';
  if (body === undefined) return [{ method, path: `${named}${query}` }];
  return [{}, ...(oddMembers[operation] ?? [])].map((odd) => ({
    ...{ method, path: `${named}${query}`, body: { ...body, ...odd } },
  }));
}

/** Each single record that a call of the operation names, and then all of them. */
function recordsIn(operation: OperationName, own: Named): readonly (readonly (keyof Named)[])[] {
  const plain = JSON.stringify(callsOf(operation, own));
  const names = (Object.keys(own) as (keyof Named)[]).filter(
    (name) => JSON.stringify(callsOf(operation, { ...own, [name]: '0' })) !== plain,
  );
  const single = names.map((name) => [name]);
  return names.length > 1 ? [...single, names] : single;
}

/** A credential and its brand, and the owner of the records that it must not see and their brand. */
type View = readonly [outsider: string, outsideBrand: string, insider: string, insideBrand: string];

const delegated: View = ['narrow', '10', 'firm', '10'];
const views: Readonly<Record<string, View>> = {
  'another brand': ['brand-b', '11', 'brand-a', '10'],
  'another firm': ['other-firm', '20', 'firm', '10'],
  'another firm, from a brand': ['brand-a', '10', 'other-firm', '20'],
  'another account': delegated,
};

/** Records of one owner: one of each kind. */
async function recordsOf(
  client: SandboxClient,
  as: string,
  name: string,
  brand: string,
): Promise<Named> {
  const make = async (path: string, body: object) => {
    const { status, body: made } = await client.post(path, body, { as });
    assert.ok(status < 300, JSON.stringify(made));
    return made;
  };
  const { client_id } = (await client.control('GET', 'credentials')).credentials.find(
    (each: { name: string }) => each.name === as,
  );
  const named = {
    ...{ account: '', trading: '', transaction: '', position: '', subscription: '', brand },
    ...{ client: client_id, reference: `${name}-Ref`, email: `${name}@example.com` },
    phone: name === 'hidden' ? '+442079460958' : '+442079460111',
  };
  const account = (await make('accounts', personOf(named))).id;
  const { id: trading } = await client.control('POST', `accounts/${account}/trading-accounts`);
  const place = { ...named, account, trading };
  const transaction = (await make('transactions', bodies.createTransaction?.(place) ?? {})).id;
  const opened = await make('positions/open', bodies.openPosition?.(place) ?? {});
  const hook = { url: `https://${name}.example.com/in`, event_categories: ['position'] };
  const subscription = String((await make('webhooks', hook)).id);
  return { ...place, transaction, position: opened.position_id, subscription };
}

/** Unknown names with the same number of characters. */
const absent: Named = {
  ...{ account: '9781', trading: '9782', transaction: '9783', position: '9784', subscription: '9' },
  ...{ brand: '97', client: 'cl_nobody', reference: 'absent-Ref', email: 'absent@example.com' },
  phone: '+442079460777',
};

/** A sandbox with records of both sides; `own` has names that are not used yet. */
async function prepare([outsider, outsideBrand, insider, insideBrand]: View) {
  const client = await openClient();
  const unlimited = { rate_per_second: 1_000_000 };
  for (const { client_id } of (await client.control('GET', 'credentials')).credentials) {
    await client.control('PATCH', `credentials/${client_id}`, unlimited);
  }
  for (const id of ['1', '2']) await client.control('PATCH', `firms/${id}`, unlimited);
  for (const name of ['own', 'hidden']) {
    await client.control('PUT', `dns/${name}.example.com`, { addresses: ['93.184.216.34'] });
  }
  const owner = outsider === 'narrow' ? insider : outsider;
  const records = await recordsOf(client, owner, 'own', outsideBrand);
  if (outsider === 'narrow') {
    const { scopes } = client.sandbox.credential('firm');
    const narrow = { name: 'narrow', kind: 'delegated', account_id: records.account, scopes };
    await client.control('POST', 'credentials', { ...narrow, ...unlimited });
  }
  // The newest record is hidden, so that its number would reveal it.
  const hidden = await recordsOf(client, insider, 'hidden', insideBrand);
  await client.control('POST', 'snapshots', { name: 'begin' });
  const fresh = { reference: 'probe', email: 'probe@example.com', phone: '+442079460222' };
  return { client, hidden, own: { ...records, ...fresh } };
}

async function send(client: SandboxClient, as: string, { method, path, ...more }: Call) {
  const { status, headers, body } = await client.call(method, path, {
    ...more,
    as: path === 'oauth/token' ? null : as,
  });
  const text = JSON.stringify([method, status, [...headers], body]);
  return { status, text: text.replace(/(req|evt)_\w+/g, '$1') };
}

/** The responses to a call and to some ordinary calls after it, without the named ids. */
async function look(client: SandboxClient, as: string, own: Named, call: Call, named: object) {
  await client.control('POST', 'snapshots/begin/restore');
  const next = { ...own, reference: 'next', email: 'next@example.com', phone: '+442079460333' };
  const after = (['createAccount', 'createTransaction'] as const).flatMap((operation) =>
    callsOf(operation, next).slice(0, 1),
  );
  const lists = ['accounts', 'transactions', 'webhooks'].map((path) => ({ method: 'GET', path }));
  const texts: string[] = [];
  for (const each of [call, ...after, ...lists]) texts.push((await send(client, as, each)).text);
  return Object.entries(named).reduce(
    (text, [name, value]) => withoutName(text, name, value),
    texts.join('\n'),
  );
}

function withoutName(text: string, name: string, value: string): string {
  const bare = value.replace(/[.+]/g, '\\$&');
  return text.replace(new RegExp(`(?<![0-9A-Za-z])${bare}(?![0-9A-Za-z])`, 'gi'), `<${name}>`);
}

function firstUnlike(hidden: string, none: string): string {
  const others = none.split('\n');
  const index = hidden.split('\n').findIndex((line, at) => line !== others[at]);
  return `${hidden.split('\n')[index]}\n  ${others[index]}`;
}

const spellings: readonly ((text: string) => string)[] = [String, (text) => text.toUpperCase()];

/** The caller's own records, except those that the call is to name. */
function mixed(
  own: Named,
  named: Named,
  names: readonly (keyof Named)[],
  spell: (text: string) => string,
): Named {
  const others = Object.fromEntries(names.map((name) => [name, named[name]])) as Partial<Named>;
  const { reference = own.reference } = others;
  return { ...own, ...others, reference: spell(reference) };
}

// ACC-8, ACC-9: a person known at the brand is reported to all credentials that may create there;
// and that the brand of an account exists is no secret from its holder.
const sharedByBrand: readonly (keyof Named)[] = ['brand', 'email', 'phone'];

for (const [words, view] of Object.entries(views)) {
  reach(`${words}: a hidden record looks unknown, in every field`, async () => {
    const { client, hidden, own } = await prepare(view);
    const differences: string[] = [];
    let count = 0;
    const compare = async (operation: OperationName, names: readonly (keyof Named)[]) => {
      for (const spell of spellings.slice(0, names.includes('reference') ? 2 : 1)) {
        const calls = [hidden, absent].map((named) =>
          callsOf(operation, mixed(own, named, names, spell)),
        );
        for (const [index, call] of (calls[0] ?? []).entries()) {
          // The number of a brand is in many unrelated responses.
          const textFor = (each: Call, { brand, ...others }: Named) =>
            look(client, view[0], own, each, {
              ...others,
              ...(names.includes('brand') ? { brand } : {}),
            });
          const text = await textFor(call, hidden);
          const unknown = await textFor(calls[1]?.[index] as Call, absent);
          count += 1;
          if (text !== unknown) {
            differences.push(`${operation} ${names} (${index}):\n  ${firstUnlike(text, unknown)}`);
          }
        }
      }
    };
    for (const operation of operationNames) {
      for (const names of recordsIn(operation, own)) {
        if (view === delegated && names.some((name) => sharedByBrand.includes(name))) continue;
        await compare(operation, names);
      }
    }
    await client.close();
    assert.is(differences.join('\n'), '');
    assert.ok(count > 50, `${count} calls`);
  });
}

reach('every member of a body that names a record is varied', () => {
  for (const [operation, schema] of Object.entries(requestSchemas)) {
    const body = JSON.stringify(bodies[operation as OperationName]?.(absent));
    for (const [name] of JSON.stringify(schema).matchAll(/"(\w+_id|email|phone)":(?=\{)/g)) {
      assert.ok(body.includes(name), `${operation}: ${name}`);
    }
  }
});

reach('a token cannot be delegated for an account out of reach or an unknown account', async () => {
  for (const view of Object.values(views)) {
    if (view === delegated) continue;
    const { client, hidden } = await prepare(view);
    const { client_id, client_secret } = client.sandbox.credential(view[0]);
    const grant = { grant_type: 'client_credentials', client_id, client_secret };
    const texts: string[] = [];
    for (const account_id of [hidden.account, absent.account]) {
      await client.control('POST', 'snapshots/begin/restore');
      const call = { method: 'POST', path: 'oauth/token', body: { ...grant, account_id } };
      const { status, text } = await send(client, view[0], call);
      assert.is(status, 400);
      texts.push(withoutName(text, 'account', account_id));
    }
    assert.is(texts[0], texts[1]);
    await client.close();
  }
});

reach('the same calls succeed for records within reach', async () => {
  const { client, hidden, own } = await prepare(delegated);
  const refused: string[] = [];
  for (const operation of operationNames) {
    const { reference, email, phone } = own;
    const [call] = callsOf(operation, { ...hidden, reference, email, phone });
    await client.control('POST', 'snapshots/begin/restore');
    const { status } = await send(client, 'firm', call as Call);
    if (status >= 300) refused.push(`${operation} ${status}`);
  }
  // The secret is wrong, and the channel needs an upgrade.
  assert.equal(refused, ['issueToken 401', 'streamEvents 426']);
  await client.close();
});

reach.run();
