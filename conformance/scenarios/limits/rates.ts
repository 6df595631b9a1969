// LIM-1 to LIM-4, LIM-10: which rate a credential is held to, and how much of it is served at once.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { anotherToken } from '../support/request-token.ts';
import {
  type Burst,
  clearlyAbove,
  drain,
  exhaust,
  harmlessWrite,
  joined,
  type Probe,
  probeOf,
  type Rate,
  type RepeatableRequest,
  rateOf,
  refill,
  sendBurst,
  truthOf,
} from './measure.ts';
import { about, allowanceOf, nearly, shownBy, weighBurst } from './rate-evidence.ts';
import { expectRefusalForm } from './refusal-form.ts';

/** Half a day: long enough for a target to forget an idle credential. */
const LONG_REST_MS = 12 * 3_600_000;

const limRate: Scenario = {
  id: 'lim-rate',
  title: 'About a second of allowance is served at once, then 429, and so much a second on',
  rules: ['LIM-1', 'LIM-2', 'LIM-5', 'LIM-6'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await probeOf(t);
    const { perSecond } = probe;
    const first = await sendBurst(t, probe, clearlyAbove(perSecond));
    if (first.limited.length === 0) return expectLimited(t, probe, first);
    const held = `${first.unanswered} got no answer until the clock moved`;
    const words = 'refused at once, not held back first';
    t.claim('LIM-5', words, first.unanswered === 0, held, ...first.limited);
    // Long enough to make up for what was refused, if refusals count (LIM-5).
    await t.wait(2_000);
    const rate = await rateOf(t, probe, await drain(t, probe));
    claimRate(t, probe, rate, first.limited.slice(0, 1));
    const isRight = rate.weight !== 'broken';
    expectBurst(t, probe, rate, first, 'from the start');
    await t.wait(t.has('clock') ? LONG_REST_MS : 3_000);
    const rested = await sendBurst(t, probe, clearlyAbove(isRight ? perSecond : rate.perSecond));
    expectBurst(t, probe, rate, rested, 'after a long rest');
    for (const refusal of first.limited) {
      await expectRefusalForm(t, refusal, isRight ? perSecond : undefined);
    }
  },
};

function claimRate(
  t: ScenarioContext,
  { perSecond }: Probe,
  rate: Rate,
  refused: Burst['limited'],
): void {
  const range = nearly(perSecond).join(' to ');
  // Without a control plane only the profile says which rate is right.
  const basis = t.has('mint') ? '' : ' (the rate in the profile)';
  const expected = `about ${perSecond} requests a second, ${range}${basis}`;
  const actual = `${rate.perSecond.toFixed(1)} a second`;
  t.claim('LIM-1', expected, truthOf(rate.weight), actual, ...rate.answers, ...refused);
}

/** Nothing was refused: there is no limit, the burst is too large, or requests were held back. */
async function expectLimited(t: ScenarioContext, probe: Probe, first: Burst): Promise<void> {
  const { served, unanswered, sightings } = first;
  const { perSecond } = probe;
  const actual = `${served.length} served, ${unanswered} held back, none refused`;
  const expected = `429 to what comes after about ${perSecond} requests at once`;
  if (unanswered > 0) t.claim('LIM-5', expected, false, actual, ...served);
  else if (weighBurst(allowanceOf(perSecond), sightings) === 'open') {
    throw new Inconclusive(`${actual}: they may have come too slowly for the limit to be met`);
  } else {
    const more = await sendBurst(t, probe, 2 * clearlyAbove(perSecond));
    // LIM-2: a limit that is met later allows too large a burst.
    const isLate = more.limited.length > 0;
    t.claim(isLate ? 'LIM-2' : ['LIM-1', 'LIM-2'], expected, false, actual, ...served);
    if (isLate) claimRate(t, probe, await rateOf(t, probe, await drain(t, probe)), []);
  }
  throw new Blocked('nothing was refused, so that no refusal could be looked at');
}

/** LIM-2: about a second's allowance, of the plan's rate or of the one that is in force (LIM-1). */
function expectBurst(
  t: ScenarioContext,
  { perSecond }: Probe,
  rate: Rate,
  { served, limited, sightings }: Burst,
  when: string,
): void {
  const rates = rate.weight === 'broken' ? [perSecond, rate.perSecond] : [perSecond];
  const truths = rates.map((each) => truthOf(weighBurst(allowanceOf(each), sightings)));
  const truth =
    truths.find((each) => each !== false) ?? (truths.includes(undefined) ? undefined : false);
  const range = about(perSecond).join(' to ');
  const expected = `about a second's allowance at once ${when}, ${range} requests`;
  t.claim('LIM-2', expected, truth, `${served.length} served`, ...served, ...limited.slice(0, 1));
  const [refusal] = limited;
  if (refusal !== undefined) t.expect('LIM-2', refusal).refused(429, 'rate_limited');
}

/** A credential, and the rate that it is held to. */
type RateRow = readonly [RuleId, words: string, perSecond: number, Partial<CredentialOptions>];

const PLANS: readonly RateRow[] = [
  // Without a plan or a limit of its own it is on the plan of new credentials.
  ['LIM-1', 'a new credential', 5, { perSecond: null }],
  ['LIM-1', 'standard', 50, { plan: 'standard' }],
  ['LIM-1', 'pro', 200, { plan: 'pro' }],
];

const OWN_LIMITS: readonly RateRow[] = [
  ['LIM-4', '12 a second of its own on the plan sandbox', 12, { plan: 'sandbox', perSecond: 12 }],
  ['LIM-4', '3 a second of its own on the plan pro', 3, { plan: 'pro', perSecond: 3 }],
];

const limPlans: Scenario = {
  id: 'lim-plans',
  title: 'Standard is 50 a second and Pro 200; a new credential is on Sandbox, at 5',
  rules: ['LIM-1'],
  needs: ['bursts', 'plan', 'mint'],
  lane: 'limits',
  provokes: [429],
  run: (t) => expectRates(t, PLANS),
};

const limOwnLimit: Scenario = {
  id: 'lim-own-limit',
  title: 'A limit of its own takes the place of the plan, be it higher or lower',
  rules: ['LIM-4', 'LIM-6'],
  needs: ['bursts', 'plan', 'rates', 'mint'],
  lane: 'limits',
  provokes: [429],
  run: (t) => expectRates(t, OWN_LIMITS),
};

async function expectRates(t: ScenarioContext, rows: readonly RateRow[]): Promise<void> {
  const request = await harmlessWrite(t);
  for (const [rule, words, perSecond, options] of rows) {
    const credential = await t.operator.mint({ scopes: ['accounts:write'], ...options });
    await expectRate(t, rule, words, { credential, perSecond, request });
  }
}

/** The rate once the allowance is used up, however much gathers before; and the refusal. */
async function expectRate(
  t: ScenarioContext,
  rule: RuleId,
  words: string,
  probe: Probe,
): Promise<void> {
  const { perSecond } = probe;
  const used = await drain(t, probe);
  const expected = `${words}: about ${perSecond} requests a second, ${nearly(perSecond).join(' to ')}`;
  const [refusal] = used.limited;
  if (refusal === undefined) {
    const actual = `${used.served.length} one after the other, none refused`;
    const truth = truthOf(weighBurst(allowanceOf(perSecond), used.sightings));
    // `lim-rate` judges whether a credential on Sandbox is limited at all.
    const isPlain = rule === 'LIM-1' && perSecond === 5;
    if (!isPlain) t.claim(rule, expected, truth, actual, ...used.served.slice(-1));
    throw new Blocked('nothing was refused, so that no refusal could be looked at');
  }
  const rate = await rateOf(t, probe, used);
  const actual = `${rate.perSecond.toFixed(1)} a second`;
  t.claim(rule, expected, truthOf(rate.weight), actual, ...rate.answers.slice(-1), refusal);
  if (rule === 'LIM-1') return;
  await expectRefusalForm(t, refusal, rate.weight === 'broken' ? undefined : perSecond);
}

const limPerCredential: Scenario = {
  id: 'lim-per-credential',
  title: 'Each credential has an allowance of its own, which its tokens share',
  rules: ['LIM-1'],
  needs: ['bursts', 'plan', 'mint'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const [one, other] = [await probeOf(t), await probeOf(t)];
    const alone = await exhaust(t, one);
    const beside = await sendBurst(t, other, 2);
    const isApart = beside.limited.length === 0;
    const actual = `${beside.served.length} served`;
    t.claim('LIM-1', 'two served to another credential', isApart, actual, ...beside.limited);

    const token = await anotherToken(t, one.credential);
    if (token === undefined) return;
    await refill(t);
    const used = await exhaust(t, one);
    const authorization = `Bearer ${token}`;
    const request: RepeatableRequest = (client, options) =>
      one.request(client, { ...options, authorization });
    const second = await sendBurst(t, { ...one, request }, clearlyAbove(one.perSecond));
    // AUTH-3a judges whether the token works.
    const unknown = second.served.find(({ status }) => status === 401);
    if (unknown !== undefined) throw new Blocked(`a token just issued: ${unknown.summary}`);
    const both = joined(used, second);
    const truth = truthOf(weighBurst(shownBy(one.perSecond, alone.sightings), both.sightings));
    const expected = 'no more than about a second of allowance to both tokens of the credential';
    const seen = `${used.served.length} served to one, ${second.served.length} to the other`;
    t.claim('LIM-1', expected, truth, seen, ...both.served, ...second.limited.slice(0, 1));
  },
};

const limDelegated: Scenario = {
  id: 'lim-delegated',
  title: 'A delegated token is metered against its minting credential, at the Sandbox rate',
  rules: ['LIM-6', 'LIM-10'],
  observes: ['NS-37'],
  needs: ['bursts', 'plan', 'mint', 'fresh_trading_account'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const place = await t.given.freshPlace();
    const { body } = await t.given.transaction(place);
    const request: RepeatableRequest = (client, options) =>
      client.createTransaction(body, { key: t.fresh.key(), ...options });
    const scopes = ['transactions:write', 'trader:funds'];
    const delegate = async (minter: Credential): Promise<Probe> => {
      const mintedBy = minter.clientId === undefined ? {} : { mintedBy: minter.clientId };
      const wish = { kind: 'delegated', scopes: ['trader:funds'], ...mintedBy } as const;
      const credential = await t.operator.mint({ ...wish, accountId: place.account_id });
      return { credential, perSecond: 5, request };
    };
    const minter = await t.operator.mint({ scopes, plan: 'pro' });
    const one = await delegate(minter);
    await expectRate(t, 'LIM-10', 'minted by a credential on Pro', one);

    const unrelated = await delegate(await t.operator.mint({ scopes, plan: 'sandbox' }));
    const sibling = await delegate(minter);
    await refill(t);
    await exhaust(t, one);
    const theirs = await sendBurst(t, unrelated, 1);
    const expected = 'the token of another minter served, while the first one is used up';
    const isApart = theirs.limited.length === 0;
    t.claim('LIM-10', expected, isApart, 'refused as well', ...theirs.limited, ...theirs.served);
    const { served } = await sendBurst(t, sibling, 1);
    const words = 'another token of the same minter refused, because they share one allowance';
    const isShared = served.length === 0;
    t.claim('LIM-10', words, isShared, 'served out of an allowance of its own', ...served);

    // NS-37: whether a delegated token draws on its minter's own allowance as well.
    const owner = await t.operator.mint({ scopes, plan: 'sandbox' });
    const token = await delegate(owner);
    await refill(t);
    await exhaust(t, token);
    const own = await sendBurst(t, { ...token, credential: owner }, 1);
    const isWithin = own.served.length === 0;
    const found = isWithin ? 'the minter’s own allowance is used up too' : 'the minter has its own';
    t.observe('NS-37', found, { delegated_allowance: isWithin ? 'within_the_minters' : 'apart' });
  },
};

export const limitRateScenarios: readonly Scenario[] = [
  limRate,
  limPlans,
  limOwnLimit,
  limPerCredential,
  limDelegated,
];
