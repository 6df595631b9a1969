// A profile becomes a target with its working parts: refused tokens, used seeds and dead tunnels are
// left out with a note.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../engine/capabilities.ts';
import type { Rate } from '../engine/pace/pacer.ts';
import { runScenarios } from '../engine/run/run.ts';
import { Unreachable } from '../engine/scenario-errors.ts';
import type { Sender, WireAnswer, WireRequest } from '../engine/send/sender.ts';
import { post } from '../engine/testing/http.ts';
import { profileScenarios } from '../scenarios/profile/profile.ts';
import type { Profile } from './profile.ts';
import { profileProvider } from './profile-provider.ts';
import type { Provider } from './target.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const BASE = 'http://target.test';

/** A small target: the tokens that it knows, whether they are bound to a brand, deliveries. */
class SmallTarget implements Sender {
  readonly requests: string[] = [];
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
    this.requests.push(`${wire.method} ${url.pathname} ${token}`);
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
      await post(this.tunnel + this.deliversTo, Buffer.from('{}'));
    }
    return answer(201, { id: '1', brand_id: brand });
  }

  async #outside(url: URL): Promise<WireAnswer> {
    if (this.tunnel === undefined || url.hostname === 'only-the-target.example.com') {
      throw new Unreachable('name', 'no such host');
    }
    await post(this.tunnel + url.pathname, Buffer.from('{}'));
    return answer(204, {});
  }

  async close(): Promise<void> {}
}

function answer(status: number, body: object): WireAnswer {
  return { status, headers: [], body: Buffer.from(JSON.stringify(body)) };
}

/** The provider after every part of the profile was checked, and why a run could not start. */
async function tried(
  sender: Sender,
  profile: Profile,
  used = new Set<string>(),
  timeoutMs = 1000,
): Promise<{ own: Provider; problem: string | null }> {
  const own = profileProvider({ baseUrl: BASE, profile, used, mark: 'test' });
  const rest = { provider: own, sender, timeoutMs, confirmsAll: true, pause: () => sleep(5) };
  const scenarios = [{ id: 'none', title: 'none', rules: ['ACC-1'] as const, run: async () => {} }];
  const run = await runScenarios({ ...rest, scenarios, profileScenarios });
  return { own, problem: run.refusedToStart };
}

const provide = async (sender: Sender, profile: Profile, used = new Set<string>()) =>
  (await tried(sender, profile, used)).own;

const firm = { token: 'firm-token', brand_id: '10' };
const otherBrand = { token: 'x', brand_id: '11' };
const otherFirm = { token: 'y', brand_id: '20' };
const place = { account_id: '1', trading_account_id: '5', currency: 'USD' };

const offered = ({ offers }: Provider) => {
  const names = [...offers].filter((each) => each !== 'bursts');
  return names.sort().join();
};

const provider = suite('a target from a profile');

provider('a rate limit or a gateway error withdraws no part of a profile', async () => {
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
  assert.equal(offered(own), 'firm,no_scopes');
});

const bound = { token: 'bound' };
const SEEDS: Profile['seeds'] = {
  trading_account: place,
  second_trading_account: { ...place, account_id: '404' },
  settled_transactions: [{ id: '7', account_id: '404' }],
};

/** The parts of a profile that can be used, and why the rest or the whole run cannot. */
const USABLE: readonly (readonly [
  profile: Profile['credentials'],
  offers: string,
  why?: RegExp,
  seeds?: Profile['seeds'],
])[] = [
  [{ firm, no_scopes: { token: 'old' } }, 'firm', /credentials.no_scopes: its token was refused/],
  [{ firm, other_brand: bound }, 'firm,other_brand'],
  [{ firm, other_firm: { token: 'o' } }, 'firm', /other_firm: creates under it must name a brand/],
  [{ firm }, 'firm,trading_account', /second_trading_account: the target does not know/, SEEDS],
  // A single credential of the other brand or firm is used as the main one.
  [{ other_brand: otherBrand }, 'brand'],
  [{ other_firm: otherFirm }, 'firm'],
  [{ other_firm: bound }, 'brand'],
  [{ other_brand: otherBrand, other_firm: otherFirm }, 'brand,other_firm'],
  [{ other_brand: otherBrand, other_firm: otherFirm, firm }, 'firm,other_brand,other_firm'],
  [{ firm: { token: 'f' } }, '', /add its brand_id/],
  [{ firm: { token: 'forbidden', brand_id: '10' } }, '', /check its scopes/],
  [{ firm: { token: 'old' } }, '', /the token was refused \(401\): check credentials.firm/],
  [{ no_scopes: { token: 'n' } }, '', /add credentials.firm or brand/],
];
for (const [credentials, offers, why = /^$/, seeds] of USABLE) {
  provider(`${offers || 'none'} of ${JSON.stringify(credentials)} can be used`, async () => {
    const small = new SmallTarget();
    small.refused.add('old');
    small.forbidden.add('forbidden');
    small.bound.set('bound', '20');
    const { own, problem } = await tried(small, { credentials, ...(seeds && { seeds }) });
    assert.is(problem === null, offers !== '');
    if (problem === null) assert.is(offered(own), offers);
    assert.match(problem ?? own.notes.join(), why);
    const tidied = small.requests.includes('POST /api/v1/transactions/9/cancel firm-token');
    assert.is(tidied, seeds !== undefined);
  });
}

provider('brands are discovered, or taken from another credential', async () => {
  const small = new SmallTarget();
  small.bound.set('bound', '11');
  const own = await provide(small, { credentials: { firm, other_brand: { token: 'bound' } } });
  assert.is((await own.shared()).brandId('other_brand'), '11');
  const beside = await provide(new SmallTarget(), {
    credentials: { firm: { token: 'f' }, brand: { token: 'b', brand_id: '10' } },
  });
  assert.is((await beside.shared()).brandId('firm'), '10');
  assert.equal(beside.notes, []);
});

provider('each settled transaction is used only once', async () => {
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
  const own = await provide(new SmallTarget(), {
    credentials: { firm, delegated, other_firm: otherFirm },
    plan: { per_second: 50 },
  });
  const target = await own.shared();
  const rates = async (role: Role, of = target) => (await of.credential(role)).rates;
  const speeds = (all: readonly Rate[]) => all.map(({ perSecond }) => perSecond);
  assert.equal(speeds(await rates('firm')), [50, 200]);
  assert.equal(speeds(await rates('delegated')), [5, 50, 200]);
  assert.is.not((await rates('firm'))[1]!.key, (await rates('other_firm'))[1]!.key);
  const bare = await (await provide(new SmallTarget(), { credentials: { firm } })).shared();
  assert.equal(speeds(await rates('firm', bare)), [5, 20]);
});

const TUNNELS: [name: string, publicUrl: string, hook: RegExp][] = [
  ['a tunnel that leads here', 'https://tunnel.example.com/in/?x=1', /\.com\/in\/[^/?]+\?x=1$/],
  ['a name that only the target knows', 'https://only-the-target.example.com', /\.com\/[^/?]+$/],
];
for (const [name, publicUrl, hook] of TUNNELS) {
  provider(`${name}: deliveries are judged`, async () => {
    const free = await WebhookReceiver.listen();
    const { port } = new URL(free.origin);
    await free.close();
    const small = new SmallTarget();
    small.tunnel = `http://127.0.0.1:${port}`;
    const receiver = { listen: `127.0.0.1:${port}`, public_url: publicUrl };
    const own = await provide(small, { credentials: { firm }, receiver });
    try {
      assert.ok(own.offers.has('receiver'), own.notes.join());
      const { url, deliveries } = await (await own.shared()).receiver();
      assert.match(url, hook);
      assert.equal(deliveries, []);
    } finally {
      await own.close();
    }
  });
}

provider('a tunnel that leads nowhere is reported, and deliveries are not judged', async () => {
  const small = new SmallTarget();
  const receiver = { listen: '127.0.0.1:0', public_url: 'https://tunnel.example.com' };
  const profile: Profile = { credentials: { firm }, receiver };
  const { own } = await tried(small, profile, undefined, 50);
  assert.not.ok(own.offers.has('receiver'));
  assert.match(own.notes.join(), /neither a request to https:\/\/tunnel\.ex\S+ nor a delivery/);
  assert.ok(small.requests.some((each) => each.startsWith('POST /api/v1/webhooks/7/disable')));
});

provider('a port in use is reported, and deliveries are not judged', async () => {
  const other = await WebhookReceiver.listen();
  const listen = new URL(other.origin).host;
  const receiver = { listen, public_url: 'https://tunnel.example.com' };
  const own = await provide(new SmallTarget(), { credentials: { firm }, receiver });
  await other.close();
  assert.not.ok(own.offers.has('receiver'));
  assert.match(own.notes.join(), 'cannot listen on');
});

provider.run();
