// LIM-3: what a firm is allowed over all its credentials.
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import type { OperationCall } from '../../engine/send/call.ts';
import type { Scenario } from '../../engine/types.ts';
import type { FirmRate } from '../../providers/control-plane.ts';
import type { Credential } from '../../providers/target.ts';
import {
  type Burst,
  drain,
  joined,
  type Probe,
  press,
  type RepeatableRequest,
  refill,
  sendBurst,
  sightingsOf,
  truthOf,
} from './measure.ts';
import { about, allowanceOf, nearly, weighBurst, weighTogether } from './rate-evidence.ts';
import { expectRefusalForm } from './refusal-form.ts';

const SANDBOX = 5;
/** The firm's rate, in rates of a credential. */
const FOUR = 4;
const SCOPES = ['accounts:write'];

const limFirm: Scenario = {
  id: 'lim-firm',
  title: 'A firm is served four times the rate of a credential, and both must have room',
  rules: ['LIM-3', 'LIM-6'],
  observes: ['NS-36'],
  needs: ['bursts', 'plan', 'rates', 'mint', 'clock', 'other_firm'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const mint = (options = {}) => t.operator.mint({ scopes: SCOPES, plan: 'sandbox', ...options });
    const one = await mint();
    // A credential of a brand draws on its firm too. None is faster than Sandbox (NS-36).
    const credentials = [one, await mint({ brand: 'brand' })];
    while (credentials.length < 6) credentials.push(await mint());
    const known = t.newAccount({ brand_id: one.brandId }, 'brand');
    const request = (): OperationCall => ({ operation: 'createAccount', body: known });
    await t.control(request(), { as: one });
    const probes = credentials.map((credential) => ({ credential, perSecond: SANDBOX, request }));
    const firm = new Firm(t, one.firmId ?? '1', request);

    await firm.requireOwnRate(probes[0]!);
    await t.branch('LIM-3', 'a firm with little room', () => firm.expectBothNeeded(one));
    await t.branch('LIM-3', 'four times the rate of a credential', () => firm.expectFourTimes());
    const body = t.newAccount({ brand_id: t.brandId('other_firm') }, 'other_firm');
    const theirs = await mint({ firm: 'other_firm' });
    const apart = await t.call('createAccount', { as: theirs, body, unpaced: true });
    t.expect('LIM-3', apart).is('another firm served meanwhile', apart.status < 300);

    await firm.setRate(10);
    await firm.expectRate(probes, 10, 'what the agreement sets');
    await firm.observeRate();
  },
};

/** The rates of the plans. */
const PLANS = [
  ['sandbox', SANDBOX],
  ['standard', 50],
  ['pro', 200],
] as const;

/**
 * The plan of a firm, by the rate that the target reports. If it reports an odd rate and could not be
 * put on Sandbox, an agreement may have set that; a rate up to that of Pro may follow from
 * credentials of this run (NS-36).
 */
function planOf({ perSecond, isOnSandbox }: FirmRate): (typeof PLANS)[number] {
  const plan = PLANS.find(([, rate]) => FOUR * rate === (perSecond ?? FOUR * SANDBOX));
  if (plan !== undefined) return plan;
  if (isOnSandbox && perSecond! <= FOUR * PLANS[2][1]) return PLANS[0];
  throw new Inconclusive(
    `the firm has ${perSecond} a second, which may be what its agreement sets`,
  );
}

class Firm {
  readonly #t: ScenarioContext;
  readonly #id: string;
  readonly #request: RepeatableRequest;

  constructor(t: ScenarioContext, id: string, request: RepeatableRequest) {
    this.#t = t;
    this.#id = id;
    this.#request = request;
  }

  setRate(perSecond: number | null): Promise<FirmRate> {
    return this.#t.operator.firmRate(this.#id, perSecond);
  }

  /** LIM-1 judges whether one credential is served its rate when its firm has room. */
  async requireOwnRate(probe: Probe): Promise<void> {
    await this.setRate(100_000);
    await refill(this.#t);
    const burst = await drain(this.#t, probe);
    await this.#t.operator.advance(1_000);
    const counts = [burst, await drain(this.#t, probe)].map(({ served }) => served.length);
    if (counts.every((count) => count >= about(SANDBOX)[0])) return;
    throw new Blocked(`${counts.join(', then ')} served to one credential on Sandbox (LIM-1)`);
  }

  /** A firm with a lower rate than its credential holds the credential to that. */
  async expectBothNeeded(credential: Credential): Promise<void> {
    await this.setRate(2);
    await refill(this.#t);
    const seen = await drain(this.#t, { credential, perSecond: SANDBOX, request: this.#request });
    const count = seen.served.length;
    if (seen.limited.length === 0) throw new Blocked('nothing is limited at all (LIM-1)');
    if (count > about(SANDBOX)[1]) {
      throw new Blocked(`${count} served at once to one credential on Sandbox (LIM-2)`);
    }
    const most = about(2)[1];
    const expected = `${most} served at most to one credential, whose firm has room for 2`;
    // LIM-2 judges how little gathers for the credential itself.
    const truth = count <= most || truthOf(weighBurst(allowanceOf(2), seen.sightings));
    this.#t.claim('LIM-3', expected, truth, `${count} served`, ...seen.served);
  }

  /** Six credentials of the firm's own plan, which together are allowed more than their firm. */
  async expectFourTimes(): Promise<void> {
    const [plan, perSecond] = planOf(await this.setRate(null));
    const probes: Probe[] = [];
    while (probes.length < 6) {
      const credential = await this.#t.operator.mint({ scopes: SCOPES, plan });
      probes.push({ credential, perSecond, request: this.#request });
    }
    await this.setRate(null);
    await this.expectRate(probes, FOUR * perSecond, 'four times that of a credential');
  }

  /**
   * All allowances are used up, then a second passes: each credential has its own again, so that what
   * is refused is refused by the firm. How much gathers before does not count (LIM-2).
   */
  async expectRate(probes: readonly Probe[], perSecond: number, words: string): Promise<void> {
    const { operator } = this.#t;
    await operator.advance(1_500);
    const own = await drain(this.#t, probes[0]!);
    for (const probe of probes) await drain(this.#t, probe);
    await operator.advance(1_000);
    const drained: Burst[] = [];
    for (const probe of probes) drained.push(await drain(this.#t, probe));
    const counts = drained.map((each) => each.served.length);
    if (Math.max(...counts) > about(probes[0]!.perSecond)[1]) {
      throw new Blocked(`${counts.join(', ')} served to the credentials of the firm (LIM-1)`);
    }
    const { served, sightings } = joined(...drained);
    const limited = drained.at(-1)!.limited.slice(0, 1);
    const expected = `about ${perSecond} served to six credentials, ${words}: ${about(perSecond).join(' to ')}`;
    const truth = truthOf(weighBurst(allowanceOf(perSecond), sightings));
    this.#t.claim('LIM-3', expected, truth, `${served.length} served`, ...limited, ...served);
    // LIM-6: the header is about the credential, even if the firm had no room.
    const limit = Number(own.limited[0]?.headers.get('x-ratelimit-limit') ?? Number.NaN);
    await expectRefusalForm(this.#t, limited[0], Number.isNaN(limit) ? undefined : limit);
  }

  /** NS-36: whether a faster credential makes the firm faster. */
  async observeRate(): Promise<void> {
    const credential = await this.#t.operator.mint({ scopes: SCOPES, plan: 'standard' });
    await this.setRate(null);
    await refill(this.#t);
    const probe = { credential, perSecond: 50, request: this.#request };
    const { served } = await sendBurst(this.#t, probe, 40);
    const words = `${served.length} of 40 served: a firm on Sandbox, one credential on Standard`;
    const isFast = served.length > 32;
    this.#t.observe('NS-36', words, {
      firm_rate_from: isFast ? 'highest_credential' : 'firm_plan',
    });
  }
}

/** Server credentials of one firm, each with its own allowance. */
const ROLES: readonly Role[] = [
  ...(['firm', 'brand', 'other_brand'] as const),
  ...(['no_amend', 'no_scopes', 'amend_only'] as const),
];

/** Together they must be allowed clearly more than their firm, or nothing is shown. */
const CLEARLY_MORE = 1.15;
/** Faster ones would need thousands of requests. */
const FASTEST = 20;
const PRESSED_MS = 12_000;
/** Twice as often as each is allowed. */
const FACTOR = 2;

const limFirmInRealTime: Scenario = {
  id: 'lim-firm-in-real-time',
  title: 'Credentials of one firm that press at once are served what the firm is allowed',
  rules: ['LIM-3'],
  needs: ['bursts', 'plan', 'firm'],
  lane: 'limits',
  provokes: [429],
  standsInFor: ['lim-firm'],
  async run(t) {
    const [ownRate, firmRate] = (await t.credential('firm')).rates;
    const [own, firm] = [ownRate?.perSecond ?? Number.NaN, firmRate?.perSecond ?? Number.NaN];
    const members: Pick<Probe, 'credential' | 'request'>[] = [];
    for (const role of ROLES) {
      const request = t.has(role) ? await requestOf(t, role) : undefined;
      if (request !== undefined) members.push({ credential: await t.credential(role), request });
    }
    if (!(members.length * own >= CLEARLY_MORE * firm) || own > FASTEST) {
      const words = `${members.length} credentials of ${own} a second, and ${firm} for the firm`;
      t.notTested('LIM-3', `${words}: it takes more than that, none of them above ${FASTEST}`);
      return;
    }
    await refill(t);
    const answers = await press(t, members, { forMs: PRESSED_MS, perSecond: own * FACTOR });
    const sightings = sightingsOf(answers, false);
    const served = sightings.filter((each) => each.served).length;
    const range = nearly(firm).join(' to ');
    const words = `about ${firm} a second to ${members.length} credentials together, ${range}`;
    const seen = `${served} served in ${PRESSED_MS / 1000} s`;
    const truth = truthOf(weighTogether(firm, sightings));
    if (truth === false && firmRate?.isAssumed) {
      const agreed =
        'its agreement sets another rate: plan.firm_per_second in the profile tells it';
      throw new Inconclusive(`${seen}: ${words}, unless ${agreed}`);
    }
    t.claim('LIM-3', words, truth, seen, ...answers.slice(-1));
  },
};

/** A request that this credential may repeat; undefined if none is known. */
async function requestOf(t: ScenarioContext, role: Role): Promise<RepeatableRequest | undefined> {
  const body = t.newAccount({}, role);
  const requests: RepeatableRequest[] = [
    () => ({ operation: 'createAccount', body }),
    () => ({ operation: 'listAccounts' }),
    () => ({ operation: 'listWebhooks' }),
  ];
  for (const request of requests) {
    if ((await t.call(request(), { as: role })).isServed) return request;
  }
  return undefined;
}

export const limitFirmScenarios: readonly Scenario[] = [limFirm, limFirmInRealTime];
