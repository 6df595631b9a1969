// AUTH-5, AUTH-6, AUTH-7: a record out of reach is indistinguishable from a record that does not
// exist, for every credential and every field that can name it, by the response and by later
// responses.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Call } from '../../core/call.ts';
import { replyHeaders } from '../../core/call.ts';
import type { CreateCredential } from '../../core/commands/commands.ts';
import { phoneTables } from '../../core/values/phone.ts';
import { restoreState, serializeState } from '../../host/storage/world-document.ts';
import { createTestSandbox, tokenOf } from '../../host/testing/sandbox.ts';
import type { Sandbox } from '../../host/world/sandbox.ts';
import { get, type Named, type Own, type Probe, placesThatName, post, probes } from './probes.ts';

const reach = suite('out of reach');

// biome-ignore lint/suspicious/noExplicitAny: answers of any operation, read as they are.
type Any = any;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly body: Any;
}

const everyScope = [
  ...['accounts:write', 'trades:write', 'trader:trade', 'transactions:write', 'trader:funds'],
  ...['transactions:amend', 'webhooks:manage'],
];

/** A credential, and the records that it must not see. */
interface View {
  readonly outsider: string;
  readonly outsideBrand: string;
  readonly insider: string;
  readonly insideBrand: string;
  /** The account that the credential is limited to. */
  readonly delegated?: true;
}

const viewOf = (outsider: string, outsideBrand: string, insider: string, insideBrand: string) => ({
  ...{ outsider, outsideBrand, insider, insideBrand },
});

const views: Readonly<Record<string, View>> = {
  'another brand': viewOf('brand-b', '11', 'brand-a', '10'),
  'another firm': viewOf('other-firm', '20', 'firm', '10'),
  'another firm, from a brand': viewOf('brand-a', '10', 'other-firm', '20'),
  'another account': { ...viewOf('narrow', '10', 'firm', '10'), delegated: true },
};

class Stage {
  readonly sandbox: Sandbox;
  #calls = 0;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  send(as: string, probe: Probe): Promise<Seen> {
    this.#calls += 1;
    const { method, path, body, headers = {} } = probe;
    const call: Call = {
      method,
      target: `/api/v1/${path}`,
      headers: {
        authorization: path === 'oauth/token' ? undefined : `Bearer ${tokenOf(this.sandbox, as)}`,
        'idempotency-key': `key-${this.#calls}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? new Uint8Array(0) : Buffer.from(JSON.stringify(body)),
    };
    return new Promise((resolve, reject) => {
      this.sandbox.first.call(call, (answer) => {
        if (answer.kind !== 'answer') {
          reject(new Error(`${method} ${path} was cut off`));
          return;
        }
        const { reply, requestId } = answer;
        const { status, body: text } = reply;
        const isJson = /json/.test(reply.contentType ?? '');
        resolve({
          status,
          text: `${status} ${JSON.stringify(replyHeaders(reply, requestId))} ${text}`,
          body: isJson ? JSON.parse(text) : null,
        });
      });
    });
  }

  async answerTo(as: string, probe: Probe): Promise<Any> {
    const { status, text, body } = await this.send(as, probe);
    assert.ok(status < 300, text);
    return body;
  }

  tradingAccount(accountId: string): string {
    const outcome = this.sandbox.first.execute('createTradingAccount', { account_id: accountId });
    return (outcome as Any).value.tradingAccount.id;
  }
}

/** Records of one owner: one of each kind. */
async function recordsOf(stage: Stage, as: string, name: string, brand_id: string): Promise<Named> {
  const make = (path: string, body: object) => stage.answerTo(as, post(path, body));
  const email = `${name}@example.com`;
  const phone = name === 'hidden' ? '+442079460958' : '+442079460111';
  const reference = `${name}-Person`;
  const person = { client_reference_id: reference, email, phone, brand_id };
  const { id: account } = await make('accounts', person);
  const trading = stage.tradingAccount(account);
  const transactionReference = `${name}-Money`;
  const place = { account_id: account, trading_account_id: trading };
  const { id: transaction } = await make('transactions', {
    client_reference_id: transactionReference,
    ...place,
    currency: 'USD',
    amount: '5.00',
    transaction_type: 'Deposit',
  });
  const order = { instrument: 'EURUSD', side: 'buy', volume: '1.00' };
  const opened = await make('positions/open', { ...order, trading_account_id: trading });
  const position = opened.position_id;
  const { id: subscription } = await make('webhooks', {
    url: `https://${name}.example.com/in`,
    event_categories: ['position'],
  });
  const client = [...stage.sandbox.first.world.credentials.values()].find(
    (credential) => credential.name === as,
  );
  return {
    ...{ account, trading, transaction, position, subscription: String(subscription) },
    ...{ brand: brand_id, client: String(client?.client_id), reference, transactionReference },
    ...{ email, phone, seq: String(stage.sandbox.first.world.events.lastSeq) },
  };
}

/** Unknown ids with the same number of characters. */
const absent = {
  account: '9781',
  trading: '9782',
  transaction: '9783',
  position: '9784',
  subscription: '9',
  brand: '97',
  reference: 'absent-Person',
  transactionReference: 'absent-Money',
  email: 'absent@example.com',
  phone: '+442079460777',
  client: 'cl_nobody',
  seq: '978',
} as const;

interface Prepared {
  readonly stage: Stage;
  readonly hidden: Named;
  readonly own: Own;
  readonly state: unknown;
}

async function prepare(view: View): Promise<Prepared> {
  await phoneTables.load();
  const stage = new Stage(await createTestSandbox());
  const { first } = stage.sandbox;
  for (const name of ['own', 'hidden']) {
    first.execute('setName', { hostname: `${name}.example.com`, addresses: ['93.184.216.34'] });
  }
  const owner = view.delegated ? view.insider : view.outsider;
  const own = await recordsOf(stage, owner, 'own', view.outsideBrand);
  if (view.delegated) {
    const narrow: CreateCredential = {
      name: view.outsider,
      kind: 'delegated',
      firm_id: '1',
      account_id: own.account,
      scopes: everyScope,
      rate_per_second: 1_000_000,
    };
    first.execute('createCredential', narrow);
  }
  // The newest record is hidden, so that its number would reveal it.
  const hidden = await recordsOf(stage, view.insider, 'hidden', view.insideBrand);
  const state = JSON.parse([...serializeState(first)].join(''));
  return { stage, hidden, own: { ...own, brand: view.outsideBrand }, state };
}

/** The response to a probe and to some ordinary calls after it, without the named ids. */
async function look(
  { stage, own, state }: Prepared,
  view: View,
  probe: Probe,
  named: Named,
): Promise<string> {
  restoreState(stage.sandbox.first, state);
  const after: readonly Probe[] = [
    post('accounts', {
      ...{ client_reference_id: 'next', email: 'next@example.com', brand_id: own.brand },
    }),
    post('transactions', {
      ...{ client_reference_id: 'next', account_id: own.account, amount: '7.00' },
      ...{ trading_account_id: own.trading, currency: 'USD', transaction_type: 'Deposit' },
    }),
    ...['accounts', 'transactions', 'webhooks'].map(get),
  ];
  const texts: string[] = [];
  for (const each of [probe, ...after]) texts.push((await stage.send(view.outsider, each)).text);
  return Object.entries(named).reduce(
    (text, [name, value]) => withoutName(text, name, value),
    texts.join('\n'),
  );
}

function withoutName(text: string, name: string, value: string): string {
  if (value === '-') return text;
  const bare = value.replace(/[.+]/g, '\\$&');
  return text.replace(new RegExp(`(?<![0-9A-Za-z])${bare}(?![0-9A-Za-z])`, 'gi'), `<${name}>`);
}

reach('every field that can name a record has a probe', () => {
  // An account of the token endpoint is in the client’s own reach: tested below.
  const covered = [...Object.keys(probes), 'issueToken.account_id'].sort();
  assert.equal(covered, placesThatName());
});

for (const [words, view] of Object.entries(views)) {
  reach(`${words}: a hidden record looks unknown, in every field`, async () => {
    const prepared = await prepare(view);
    const differences: string[] = [];
    for (const [place, makers] of Object.entries(probes)) {
      // ACC-8, ACC-9: a person known at the brand is reported to all credentials that may create
      // there.
      const atBrand = /\.(email|phone)$/.test(place) && view.delegated === true;
      // Both belong to the same brand; that another brand exists is not secret.
      if (atBrand || (place.endsWith('.brand_id') && view.delegated === true)) continue;
      for (const [index, make] of makers.entries()) {
        const unknown = { ...absent, seq: String(Number(prepared.hidden.seq) + 900) };
        // The number of a brand is in many unrelated responses.
        const brand = place.endsWith('.brand_id') ? {} : { brand: '-' };
        const probe = (named: Named) =>
          look(prepared, view, make(named, prepared.own), { ...named, ...brand });
        const [hidden, none] = [await probe(prepared.hidden), await probe(unknown)];
        if (hidden !== none)
          differences.push(`${place} (${index}):\n  ${firstUnlike(hidden, none)}`);
      }
    }
    await prepared.stage.sandbox.close();
    assert.is(differences.join('\n'), '');
  });
}

function firstUnlike(hidden: string, none: string): string {
  const others = none.split('\n');
  const index = hidden.split('\n').findIndex((line, at) => line !== others[at]);
  return `${hidden.split('\n')[index]}\n  ${others[index]}`;
}

reach('a token cannot be delegated for an account out of reach or an unknown account', async () => {
  for (const view of Object.values(views)) {
    if (view.delegated) continue;
    const { stage, hidden, state } = await prepare(view);
    const { credentials } = stage.sandbox.first.world;
    const client = [...credentials.values()].find(({ name }) => name === view.outsider);
    const texts: string[] = [];
    for (const account_id of [hidden.account, absent.account]) {
      restoreState(stage.sandbox.first, state);
      const { client_id, client_secret } = client ?? {};
      const grant = { grant_type: 'client_credentials', client_id, client_secret, account_id };
      const seen = await stage.send(view.outsider, post('oauth/token', grant));
      texts.push(withoutName(seen.text, 'account', account_id));
    }
    assert.match(texts[0] ?? '', /^400/);
    assert.is(texts[0], texts[1]);
    await stage.sandbox.close();
  }
});

reach('the probes succeed for records within reach', async () => {
  const view = views['another brand'] as View;
  const prepared = await prepare(view);
  const refused: string[] = [];
  for (const [place, makers] of Object.entries(probes)) {
    let isServed = false;
    for (const make of makers) {
      restoreState(prepared.stage.sandbox.first, prepared.state);
      const probe = make(prepared.hidden, { ...prepared.hidden, brand: view.insideBrand });
      isServed ||= (await prepared.stage.send(view.insider, probe)).status < 300;
    }
    if (!isServed) refused.push(place);
  }
  // The person exists already; a secret is wrong; a reason is empty; 101 belongs to the channel.
  assert.equal(refused, [
    'createAccount.email',
    'createAccount.phone',
    'cancelTransaction.path',
    'cancelTransaction.account_id',
    'issueToken.client_id',
  ]);
  await prepared.stage.sandbox.close();
});

reach.run();
