// A profile becomes a target of what works of it: refused tokens, used seeds and dead tunnels are
// left out with a word.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScenarios } from '../engine/run/run.ts';
import { MissingCapability, Unreachable } from '../engine/scenario-errors.ts';
import type { Sender, WireAnswer, WireRequest } from '../engine/send/sender.ts';
import { profileScenarios } from '../scenarios/profile/profile.ts';
import type { Profile } from './profile.ts';
import { pathUnder, profileProvider } from './profile-provider.ts';
import type { Provider } from './target.ts';

const BASE = 'http://target.test';

/** A target of a few lines: tokens it knows, whether they are bound to a brand, deliveries. */
class SmallTarget implements Sender {
  readonly asked: string[] = [];
  readonly refused = new Set<string>();
  readonly forbidden = new Set<string>();
  readonly bound = new Map<string, string>();
  /** Where deliveries are posted to instead of the subscribed origin. */
  tunnel: string | undefined;
  deliversTo: string | undefined;

  async send(wire: WireRequest): Promise<WireAnswer> {
    const url = new URL(wire.url);
    if (url.origin !== BASE) return this.#outside(url);
    const authorization = wire.headers.find(([name]) => name === 'authorization')?.[1] ?? '';
    const token = authorization.replace('Bearer ', '');
    this.asked.push(`${wire.method} ${url.pathname} ${token}`);
    if (this.refused.has(token)) return answer(401, {});
    const body = wire.body === undefined ? {} : JSON.parse(Buffer.from(wire.body).toString());
    if (url.pathname === '/api/v1/webhooks') {
      this.deliversTo = new URL(body.url).pathname;
      return answer(201, { id: 7, secret: 's' });
    }
    if (this.forbidden.has(token)) return answer(403, { code: 'forbidden' });
    if (body.account_id === '404') return answer(404, { code: 'not_found' });
    if (body.amount !== undefined) return answer(201, { id: '9' });
    if (body.email === undefined) return answer(422, {});
    const brand = body.brand_id ?? this.bound.get(token);
    if (brand === undefined) return answer(422, { code: 'validation_failed' });
    if (this.deliversTo !== undefined && this.tunnel !== undefined) {
      await post(this.tunnel + this.deliversTo);
    }
    return answer(201, { id: '1', brand_id: brand });
  }

  async #outside(url: URL): Promise<WireAnswer> {
    if (this.tunnel === undefined || url.hostname === 'only-the-target.example.com') {
      throw new Unreachable('name', 'no such host');
    }
    await post(this.tunnel + url.pathname);
    return answer(204, {});
  }

  async close(): Promise<void> {}
}

function answer(status: number, body: object): WireAnswer {
  return { status, headers: [], body: Buffer.from(JSON.stringify(body)) };
}

function post(url: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST' }, (came) => {
      came.resume();
      came.on('end', () => resolve());
    });
    sent.on('error', () => resolve());
    sent.end('{}');
  });
}

/** The provider once every part of the profile was tried, and why a run could not start. */
async function tried(
  sender: Sender,
  profile: Profile,
  used = new Set<string>(),
  timeoutMs = 1000,
): Promise<{ own: Provider; problem: string | null }> {
  const own = profileProvider({ baseUrl: BASE, profile, secrets: [], used, mark: 'test' });
  const rest = { provider: own, sender, timeoutMs, confirmsAll: true, pause: () => sleep(5) };
  const scenarios = [{ id: 'none', title: 'none', rules: ['ACC-1'] as const, run: async () => {} }];
  const run = await runScenarios({ ...rest, scenarios, profileScenarios });
  return { own, problem: run.refusedToStart };
}

const provide = async (sender: Sender, profile: Profile, used = new Set<string>()) =>
  (await tried(sender, profile, used)).own;

const firm = { token: 'firm-token', brand_id: '10' };

const provider = suite('a target from a profile');

provider('a limit or a gateway on the way to it takes nothing out', async () => {
  const target = new SmallTarget();
  target.forbidden.add('n');
  let count = 0;
  const limited: Sender = {
    close: async () => {},
    async send(wire) {
      count += 1;
      if (count % 2 === 1) return answer(count % 4 === 1 ? 429 : 502, {});
      return target.send(wire);
    },
  };
  const own = await provide(limited, { credentials: { firm, no_scopes: { token: 'n' } } });
  assert.equal(own.notes, []);
  assert.equal([...own.offers].sort(), ['bursts', 'firm', 'no_scopes']);
});

provider('offers what the profile has, and nothing that takes a control plane', async () => {
  const place = { account_id: '1', trading_account_id: '5', currency: 'USD' };
  const scoped = new SmallTarget();
  scoped.forbidden.add('n');
  const own = await provide(scoped, {
    credentials: { firm, no_scopes: { token: 'n' } },
    seeds: { trading_account: place },
    plan: { per_second: 50 },
  });
  assert.equal([...own.offers].sort(), ['bursts', 'firm', 'no_scopes', 'plan', 'trading_account']);
  const target = await own.shared();
  assert.equal(await target.seed('trading_account'), place);
  assert.not.ok(target.disposable);
  for (const lacking of [
    () => target.seed('second_trading_account'),
    () => target.credential('brand'),
    () => target.settledTransaction(),
    () => target.receiver(),
    async () => target.operator.advance(1),
    async () => target.operator.mint({ scopes: [] }),
  ]) {
    try {
      await lacking();
      assert.unreachable();
    } catch (error) {
      assert.instance(error, MissingCapability);
    }
  }
});

provider('a token that is refused is left out; without the main one nothing starts', async () => {
  const small = new SmallTarget();
  small.refused.add('old');
  const profile: Profile = { credentials: { firm, no_scopes: { token: 'old' } } };
  const own = await provide(small, profile);
  assert.ok(own.offers.has('firm'));
  assert.not.ok(own.offers.has('no_scopes'));
  assert.equal(own.notes.length, 1);
  assert.match(own.notes[0]!, 'credentials.no_scopes: its token was refused');
  small.refused.add('firm-token');
  const { problem } = await tried(small, profile);
  assert.match(problem!, 'the token was refused (401): check credentials.firm');
});

provider('the brand of a bound credential is found, of a firm-wide one asked for', async () => {
  const small = new SmallTarget();
  small.bound.set('brand-token', '11');
  const own = await provide(small, {
    credentials: { firm, other_brand: { token: 'brand-token' }, other_firm: { token: 'o' } },
  });
  assert.is((await own.shared()).brandId('other_brand'), '11');
  assert.match(own.notes.join('\n'), 'credentials.other_firm: creates under it must name a brand');
});

/** Why the main credential cannot act. */
const refusalOf = async (small: SmallTarget, profile: Profile) =>
  (await tried(small, profile)).problem ?? '';

provider('a profile under which nothing can be created is not played with', async () => {
  const small = new SmallTarget();
  const unnamed = await refusalOf(small, { credentials: { firm: { token: 'f' } } });
  assert.match(unnamed, 'add its brand_id');
  small.forbidden.add('firm-token');
  assert.match(await refusalOf(small, { credentials: { firm } }), 'check its scopes');
  const bare = { credentials: { no_scopes: { token: 'n' } } };
  assert.match(await refusalOf(new SmallTarget(), bare), 'add credentials.firm or brand');
  assert.is(await refusalOf(new SmallTarget(), { credentials: { firm } }), '');
});

provider('a credential of the other brand or firm, alone, is the one to act as', async () => {
  const small = new SmallTarget();
  small.bound.set('bound', '20');
  const roles = async (credentials: Profile['credentials']) =>
    [...(await provide(small, { credentials })).offers]
      .filter((each) => each !== 'bursts')
      .sort()
      .join();
  const otherBrand = { token: 'x', brand_id: '11' };
  assert.is(await roles({ other_brand: otherBrand }), 'brand');
  assert.is(await roles({ other_firm: { token: 'y', brand_id: '20' } }), 'firm');
  assert.is(await roles({ other_firm: { token: 'bound' } }), 'brand');
  const both = { other_brand: otherBrand, other_firm: { token: 'y', brand_id: '20' } };
  assert.is(await roles(both), 'brand,other_firm');
  assert.is(await roles({ ...both, firm }), 'firm,other_brand,other_firm');
});

provider('a seed that the target does not know is left out, one it knows is tidied', async () => {
  const small = new SmallTarget();
  const place = { trading_account_id: '5', currency: 'USD' };
  const own = await provide(small, {
    credentials: { firm },
    seeds: {
      trading_account: { ...place, account_id: '1' },
      second_trading_account: { ...place, account_id: '404' },
      settled_transactions: [{ id: '7', account_id: '404' }],
    },
  });
  assert.equal([...own.offers].sort(), ['bursts', 'firm', 'trading_account']);
  assert.match(own.notes.join(), 'seeds.second_trading_account: the target does not know account');
  assert.ok(small.asked.includes('POST /api/v1/transactions/9/cancel firm-token'));
});

provider('a firm-wide credential takes the brand of the bound one beside it', async () => {
  const own = await provide(new SmallTarget(), {
    credentials: { firm: { token: 'f' }, brand: { token: 'b', brand_id: '10' } },
  });
  assert.is((await own.shared()).brandId('firm'), '10');
  assert.equal(own.notes, []);
});

provider('each settled transaction is handed out once, and never again', async () => {
  const used = new Set(['9001']);
  const settled = ['9001', '9002'].map((id) => ({ id, account_id: '1' }));
  const profile: Profile = { credentials: { firm }, seeds: { settled_transactions: settled } };
  const own = await provide(new SmallTarget(), profile, used);
  assert.match(own.notes.join(), 'used up by earlier runs: 9001; 1 left');
  assert.is((await (await own.shared()).settledTransaction()).id, '9002');
  assert.ok(used.has('9002'));
  const later = await provide(new SmallTarget(), profile, used);
  assert.not.ok(later.offers.has('settled_transaction'));
});

provider('rates are those of the plan, the Sandbox ones for delegated tokens', async () => {
  const delegated = { token: 'd', account_id: '1', trading_account_id: '5' };
  const other = { token: 'o', brand_id: '20' };
  const own = await provide(new SmallTarget(), {
    credentials: { firm, delegated, other_firm: other },
    plan: { per_second: 50 },
  });
  const target = await own.shared();
  const rates = async (role: 'firm' | 'delegated' | 'other_firm') =>
    (await target.credential(role)).rates;
  assert.equal(
    (await rates('firm')).map((each) => each.perSecond),
    [50, 200],
  );
  assert.equal(
    (await rates('delegated')).map((each) => each.perSecond),
    [5, 50, 200],
  );
  assert.is.not((await rates('firm'))[1]!.key, (await rates('other_firm'))[1]!.key);
  const bare = await (await provide(new SmallTarget(), { credentials: { firm } })).shared();
  assert.equal(
    (await bare.credential('firm')).rates.map((each) => each.perSecond),
    [5, 20],
  );
});

const TUNNELS: [name: string, publicUrl: string][] = [
  ['a tunnel that leads here', 'https://tunnel.example.com/in?x=1'],
  ['a name that only the target knows', 'https://only-the-target.example.com'],
];
for (const [name, publicUrl] of TUNNELS) {
  provider(`${name}: deliveries are judged`, async () => {
    const port = await freePort();
    const small = new SmallTarget();
    small.tunnel = `http://127.0.0.1:${port}`;
    const receiver = { listen: `127.0.0.1:${port}`, public_url: publicUrl };
    const own = await provide(small, { credentials: { firm }, receiver });
    try {
      assert.ok(own.offers.has('receiver'), own.notes.join());
      const hook = await (await own.shared()).receiver();
      assert.ok(hook.url.startsWith(publicUrl.split('?')[0]!));
      assert.equal(hook.deliveries, []);
    } finally {
      await own.close();
    }
  });
}

provider('a tunnel that leads nowhere is told, and deliveries are not judged', async () => {
  const small = new SmallTarget();
  const receiver = { listen: '127.0.0.1:0', public_url: 'https://tunnel.example.com' };
  const profile: Profile = { credentials: { firm }, receiver };
  const { own } = await tried(small, profile, undefined, 50);
  assert.not.ok(own.offers.has('receiver'));
  assert.match(
    own.notes.join(),
    /neither a request to https:\/\/tunnel\.example\.com\S* nor a delivery/,
  );
  assert.ok(small.asked.some((each) => each.startsWith('POST /api/v1/webhooks/7/disable')));
});

provider('a port that is taken is told, and deliveries are not judged', async () => {
  const { WebhookReceiver } = await import('./webhook-receiver.ts');
  const other = await WebhookReceiver.listen();
  const listen = new URL(other.origin).host;
  const receiver = { listen, public_url: 'https://tunnel.example.com' };
  const own = await provide(new SmallTarget(), { credentials: { firm }, receiver });
  await other.close();
  assert.not.ok(own.offers.has('receiver'));
  assert.match(own.notes.join(), 'cannot listen on');
});

provider('a hook’s name is one more step of the path', () => {
  assert.is(pathUnder('https://x.test', 'h'), 'https://x.test/h');
  assert.is(pathUnder('https://x.test/in/', 'h'), 'https://x.test/in/h');
  assert.is(pathUnder('https://x.test/in?k=1', 'h'), 'https://x.test/in/h?k=1');
});

async function freePort(): Promise<number> {
  const { WebhookReceiver } = await import('./webhook-receiver.ts');
  const receiver = await WebhookReceiver.listen();
  const port = Number(new URL(receiver.origin).port);
  await receiver.close();
  return port;
}

provider.run();
