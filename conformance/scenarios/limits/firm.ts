// LIM-3: what a firm is allowed, over all its credentials, and what a refusal by it draws on.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { FirmRate } from '../../providers/target.ts';
import { about, allowanceOf, weighBurst } from './rate-evidence.ts';
import { requireRateLimits } from './rate-limit-controls.ts';
import {
  type Burst,
  clearlyAbove,
  drain,
  joined,
  type RateLimitProbe,
  type RepeatableRequest,
  refill,
  sendBurst,
  standsStill,
  truthOf,
} from './rate-limit-probe.ts';
import { expectRefusalForm } from './rate-limit-refusal.ts';

const limFirm: Scenario = {
  id: 'lim-firm',
  title: 'A firm is served four times the rate of a credential, and both must have room',
  rules: ['LIM-3', 'LIM-5', 'LIM-6'],
  observes: ['NS-36'],
  needs: ['bursts', 'plan', 'rates', 'mint', 'clock', 'other_firm'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const scopes = ['accounts:write'];
    const plan = 'sandbox';
    const one = await t.operator.mint({ scopes, plan });
    const firmId = one.firmId ?? '1';
    // Brands of a firm are one firm. No credential here is faster than Sandbox (NS-36).
    const others = [await t.operator.mint({ scopes, plan, brand: 'brand' })];
    while (others.length < 5) others.push(await t.operator.mint({ scopes, plan }));
    const known = t.newAccount({ brand_id: one.brandId }, 'brand');
    const request: RepeatableRequest = (client, options) =>
      client.createAccount(known, { key: t.fresh.key(), ...options });
    await t.control('a create', () => request(t.as(one), {}));
    const probes = [one, ...others].map((credential) => ({ credential, perSecond: 5, request }));

    await t.branch('LIM-3', 'a firm with little room', () =>
      expectBothNeeded(t, firmId, one, request),
    );
    await t.branch('LIM-3', 'four times the rate of a credential', () =>
      expectFourTimes(t, firmId, request),
    );
    const theirs = await t.operator.mint({ scopes, plan, firm: 'other_firm' });
    const body = t.newAccount({ brand_id: t.brandId('other_firm') }, 'other_firm');
    const apart = await t.as(theirs).createAccount(body, { unpaced: true });
    t.expect('LIM-3', apart).is('another firm served meanwhile', apart.status < 300);

    await t.operator.firmRate(firmId, 10);
    await expectFirm(t, firmId, probes, { perSecond: 10, words: 'what the agreement sets' });
    const still = await standsStill(t);
    for (const [words, expectKept] of [
      ['refused by the firm', expectOwnKept],
      ['refused for its own rate', expectFirmKept],
    ] as const) {
      await t.branch('LIM-5', words, async () => {
        if (!still) throw new Inconclusive('the target cannot stop its clock');
        await expectKept(t, firmId, probes);
      });
    }
    await observeFirmRate(t, firmId, request);
  },
};

/** What each plan allows a credential. */
const PLANS = [
  ['sandbox', 5],
  ['standard', 50],
  ['pro', 200],
] as const;

/** Six credentials of the firm's own plan, which together are allowed more than their firm. */
async function expectFourTimes(
  t: ScenarioContext,
  firmId: string,
  request: RepeatableRequest,
): Promise<void> {
  const [plan, perSecond] = planOf(await t.operator.firmRate(firmId, null));
  const probes: RateLimitProbe[] = [];
  while (probes.length < 6) {
    const credential = await t.operator.mint({ scopes: ['accounts:write'], plan });
    probes.push({ credential, perSecond, request });
  }
  await t.operator.firmRate(firmId, null);
  const words = 'four times that of a credential';
  await expectFirm(t, firmId, probes, { perSecond: FOUR * perSecond, words });
}

/**
 * The plan of a firm, by the rate that the target tells. Where it tells another and was not put on
 * Sandbox, an agreement may have set that; and one as high as credentials of this run have may
 * follow from them (NS-36).
 */
function planOf({ perSecond: told, isOnSandbox }: FirmRate): (typeof PLANS)[number] {
  const plan = PLANS.find(([, rate]) => FOUR * rate === (told ?? FOUR * PLANS[0][1]));
  if (plan !== undefined) return plan;
  if (isOnSandbox && told! <= FOUR * PLANS[2][1]) return PLANS[0];
  throw new Inconclusive(`the firm has ${told} a second, which may be what its agreement sets`);
}

const FOUR = 4;

/**
 * All allowances used up, then a second: each credential has its five again, and so what is refused
 * is refused by the firm. How much gathers before does not count (LIM-2).
 */
async function expectFirm(
  t: ScenarioContext,
  firmId: string,
  probes: readonly RateLimitProbe[],
  { perSecond, words }: { readonly perSecond: number; readonly words: string },
): Promise<void> {
  await t.operator.advance(1_500);
  const own = await drain(t, probes[0]!);
  for (const probe of probes) await drain(t, probe);
  await t.operator.advance(1_000);
  const drained: Burst[] = [];
  for (const probe of probes) drained.push(await drain(t, probe));
  const { served, sightings } = joined(...drained);
  const [limited] = drained.at(-1)!.limited;
  const range = about(perSecond).join(' to ');
  const expected = `about ${perSecond} served to six credentials, ${words}: ${range}`;
  const truth = truthOf(weighBurst(allowanceOf(perSecond), sightings));
  if (truth === false) await requireOwnLimits(t, firmId);
  t.claim(
    'LIM-3',
    expected,
    truth,
    `${served.length} served`,
    ...(limited ? [limited] : []),
    ...served,
  );
  // The header is about the credential, whoever had no room.
  const limit = Number(own.limited[0]?.headers.get('x-ratelimit-limit') ?? Number.NaN);
  await expectRefusalForm(t, limited, Number.isNaN(limit) ? undefined : limit);
}

/** Asked before blaming: what the firm has does not matter to what a credential is held to. */
async function requireOwnLimits(t: ScenarioContext, firmId: string): Promise<void> {
  await t.operator.firmRate(firmId, 100_000);
  await t.operator.advance(1_000);
  await requireRateLimits(t);
}

/** Room of its own is not enough: a firm with less than one credential has holds it to that. */
async function expectBothNeeded(
  t: ScenarioContext,
  firmId: string,
  credential: RateLimitProbe['credential'],
  request: RepeatableRequest,
): Promise<void> {
  await t.operator.firmRate(firmId, 2);
  await refill(t);
  // One after another where time allows it: what races is LIM-2's to judge.
  const seen = await drain(t, { credential, perSecond: 5, request });
  if (seen.limited.length === 0) throw new Blocked('nothing is limited at all');
  const most = about(2)[1];
  const expected = `${most} served at most to one credential, whose firm has room for 2`;
  // How little gathers for the credential itself is LIM-2's to judge.
  const few = seen.served.length <= most;
  const truth = few || truthOf(weighBurst(allowanceOf(2), seen.sightings));
  // Beyond what the credential alone may have at once, it gathers for longer than a second.
  const gathers = seen.served.length > about(5)[1];
  const served = seen.served.map((each) => (gathers ? each.presuming('LIM-2') : each));
  t.claim('LIM-3', expected, truth, `${served.length} served`, ...served);
}

/**
 * Refused by its firm, a credential keeps its own allowance: as soon as the firm has room it is
 * there, as that of one who was not refused.
 */
async function expectOwnKept(
  t: ScenarioContext,
  firmId: string,
  probes: readonly RateLimitProbe[],
): Promise<void> {
  await t.operator.firmRate(firmId, 5);
  await refill(t);
  const [spender, refused, untouched] = probes as [RateLimitProbe, RateLimitProbe, RateLimitProbe];
  await sendBurst(t, spender, clearlyAbove(5));
  const turned = await sendBurst(t, refused, 5);
  if (turned.served.length > 0) throw new Blocked('the firm still had room for another credential');
  await t.operator.firmRate(firmId, 100);
  await t.operator.advance(150);
  const after = await sendBurst(t, refused, 5);
  const beside = await sendBurst(t, untouched, 5);
  if (beside.served.length < 3) throw new Blocked('the firm has no room again');
  const expected = `${beside.served.length} served at once, as to one who was not refused before`;
  const truth = after.served.length >= beside.served.length - 1;
  t.claim('LIM-5', expected, truth, `${after.served.length} served`, ...turned.limited);
}

/** Refused for its own rate, a credential draws nothing from its firm, whose others need it. */
async function expectFirmKept(
  t: ScenarioContext,
  firmId: string,
  probes: readonly RateLimitProbe[],
): Promise<void> {
  await t.operator.firmRate(firmId, 30);
  await refill(t);
  const [insistent, other] = probes as [RateLimitProbe, RateLimitProbe];
  const control = await drain(t, other);
  await refill(t);
  const tried = await sendBurst(t, insistent, 45);
  // What was served draws from the firm, and rightly so.
  if (tried.served.length > clearlyAbove(insistent.perSecond)) {
    throw new Blocked(`${tried.served.length} served at once of one credential (LIM-1)`);
  }
  const beside = await drain(t, other);
  const expected = `${control.served.length} served, though another one was refused 40 times`;
  const truth = beside.served.length >= control.served.length - 1;
  if (!truth) await requireOwnLimits(t, firmId);
  t.claim('LIM-5', expected, truth, `${beside.served.length} served`, ...beside.limited);
}

/** NS-36: whether a faster credential makes the firm faster. */
async function observeFirmRate(
  t: ScenarioContext,
  firmId: string,
  request: RepeatableRequest,
): Promise<void> {
  const credential = await t.operator.mint({ scopes: ['accounts:write'], plan: 'standard' });
  await t.operator.firmRate(firmId, null);
  await refill(t);
  const { served } = await sendBurst(t, { credential, perSecond: 50, request }, 40);
  const fast = served.length > 32;
  const words = `${served.length} of 40 served: a firm on Sandbox, one credential on Standard`;
  t.observe('NS-36', words, { firm_rate_from: fast ? 'highest_credential' : 'firm_plan' });
}

export const limitFirmScenarios: readonly Scenario[] = [limFirm];
