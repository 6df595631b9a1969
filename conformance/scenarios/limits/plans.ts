// LIM-1, LIM-4, LIM-10: which rate a credential is held to: its plan's, its own, or a delegate's.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Credential } from '../../providers/target.ts';
import { anotherToken } from '../support/request-token.ts';
import { allowanceOf, nearly, weighBurst } from './rate-evidence.ts';
import { requireRateLimits } from './rate-limit-controls.ts';
import {
  clearlyAbove,
  drain,
  exhaust,
  harmlessWrite,
  joined,
  type RateLimitProbe,
  type RepeatableRequest,
  rateLimitProbeOf,
  rateOf,
  refill,
  sendBurst,
  truthOf,
} from './rate-limit-probe.ts';
import { expectRefusalForm } from './rate-limit-refusal.ts';

const limPlans: Scenario = {
  id: 'lim-plans',
  title: 'Standard is 50 a second and Pro 200; a new credential is on Sandbox, at 5',
  rules: ['LIM-1'],
  needs: ['bursts', 'plan', 'mint'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const scopes = ['accounts:write'];
    const request = await harmlessWrite(t);
    // Without a plan and without a limit of its own, it is on the plan of new credentials.
    const credential = await t.operator.mint({ scopes, perSecond: null });
    await expectRate(t, 'LIM-1', 'a new credential', { credential, perSecond: 5, request });
    const faster = [
      ['standard', 50],
      ['pro', 200],
    ] as const;
    for (const [plan, perSecond] of faster) {
      const probe = await rateLimitProbeOf(t, { plan });
      await expectRate(t, 'LIM-1', plan, { ...probe, perSecond });
    }
  },
};

const limPerCredential: Scenario = {
  id: 'lim-per-credential',
  title: 'Each credential has an allowance of its own, which its tokens share',
  rules: ['LIM-1'],
  needs: ['bursts', 'plan', 'mint'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const [one, other] = [await rateLimitProbeOf(t), await rateLimitProbeOf(t)];
    await exhaust(t, one);
    const beside = await sendBurst(t, other, 2);
    const served = `${beside.served.length} served`;
    const apart = beside.served.length === 2;
    t.claim('LIM-1', 'two served to another credential', apart, served, ...beside.limited);

    const token = await anotherToken(t, one.credential);
    if (token === undefined) return;
    await refill(t);
    const used = await exhaust(t, one);
    const authorization = `Bearer ${token}`;
    const request: RepeatableRequest = (client, options) =>
      one.request(client, { ...options, authorization });
    const second = await sendBurst(t, { ...one, request }, clearlyAbove(one.perSecond));
    // AUTH-3a: one that is no token shows nothing about limits.
    const unknown = second.served.find(({ status }) => status === 401);
    if (unknown !== undefined) throw new Blocked(`a token just issued: ${unknown.summary}`);
    const expected = 'no more than about a second of allowance to both tokens of the credential';
    // LIM-2 judges how much gathers for one of them.
    t.presume('LIM-2');
    const both = joined(used, second);
    const truth = truthOf(weighBurst(allowanceOf(one.perSecond), both.sightings));
    const actual = `${used.served.length} served to one, ${second.served.length} to the other`;
    t.claim('LIM-1', expected, truth, actual, ...both.served, ...second.limited.slice(0, 1));
  },
};

const limOwnLimit: Scenario = {
  id: 'lim-own-limit',
  title: 'A limit of its own takes the place of the plan, be it higher or lower',
  rules: ['LIM-4', 'LIM-6'],
  needs: ['bursts', 'plan', 'rates', 'mint'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const own = [
      ['sandbox', 12],
      ['pro', 3],
    ] as const;
    for (const [plan, perSecond] of own) {
      const probe = await rateLimitProbeOf(t, { plan, perSecond });
      const words = `${perSecond} a second of its own on the plan ${plan}`;
      const { truth, refusal } = await expectRate(t, 'LIM-4', words, probe);
      await expectRefusalForm(t, refusal, truth ? perSecond : undefined);
    }
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
    const where = await t.given.freshPlace();
    const made = await t.given.transaction(where);
    const request: RepeatableRequest = (client, options) =>
      client.createTransaction(made.body, { key: t.fresh.key(), ...options });
    const scopes = ['transactions:write', 'trader:funds'];
    const delegate = async (by: Credential): Promise<RateLimitProbe> => {
      const wish = { kind: 'delegated', scopes: ['trader:funds'] } as const;
      const of = { accountId: where.account_id, ...(by.clientId && { mintedBy: by.clientId }) };
      return { credential: await t.operator.mint({ ...wish, ...of }), perSecond: 5, request };
    };
    const minter = await t.operator.mint({ scopes, plan: 'pro' });
    const one = await delegate(minter);
    const words = 'minted by a credential on Pro';
    const { truth, refusal } = await expectRate(t, 'LIM-10', words, one);
    await expectRefusalForm(t, refusal, truth ? 5 : undefined);

    // Another minter's is another allowance, however the tokens of one minter share theirs.
    const stranger = await delegate(await t.operator.mint({ scopes, plan: 'sandbox' }));
    const sibling = await delegate(minter);
    await refill(t);
    await exhaust(t, one);
    const theirs = await sendBurst(t, stranger, 1);
    const expected = 'the token of another minter served, while the first one is used up';
    const served = theirs.served.length === 1;
    t.claim('LIM-10', expected, served, 'refused as well', ...theirs.limited, ...theirs.served);

    const siblings = await sendBurst(t, sibling, 1);
    t.claim(
      'LIM-10',
      'another token of the same minter refused, because they share one allowance',
      siblings.served.length === 0,
      'served out of an allowance of its own',
      ...siblings.served,
    );
    await observeMinter(t, scopes, delegate);
  },
};

/** NS-37: whether what a delegated token uses up is missing from its minter's own allowance. */
async function observeMinter(
  t: ScenarioContext,
  scopes: readonly string[],
  delegate: (by: Credential) => Promise<RateLimitProbe>,
): Promise<void> {
  const minter = await t.operator.mint({ scopes, plan: 'sandbox' });
  const token = await delegate(minter);
  await refill(t);
  await exhaust(t, token);
  const own = await sendBurst(t, { ...token, credential: minter }, 1);
  const within = own.served.length === 0;
  const words = within ? 'the minter’s own allowance is used up too' : 'the minter has its own';
  t.observe('NS-37', words, { delegated_allowance: within ? 'within_the_minters' : 'apart' });
}

/** The rate once the allowance is used up, whatever gathers before; with a refusal to look at. */
async function expectRate(
  t: ScenarioContext,
  rule: RuleId,
  words: string,
  probe: RateLimitProbe,
): Promise<{ truth: boolean; refusal: Answer }> {
  const { perSecond } = probe;
  const drained = await drain(t, probe);
  const range = nearly(perSecond).join(' to ');
  const expected = `${words}: about ${perSecond} requests a second, ${range}`;
  const [refusal] = drained.limited;
  if (refusal === undefined) {
    await requireRateLimits(t);
    const actual = `${drained.served.length} one after the other, none refused`;
    const truth = truthOf(weighBurst(allowanceOf(perSecond), drained.sightings));
    t.claim(rule, expected, truth, actual, ...drained.served.slice(-1));
    throw new Blocked('nothing was refused, so that no refusal could be looked at');
  }
  // What comes back is counted by what is served between refusals: these must cost nothing.
  t.presume('LIM-5');
  const rate = await rateOf(t, probe, drained);
  if (rate.weight === 'broken' && rule !== 'LIM-1') await requireRateLimits(t);
  const actual = `${rate.perSecond.toFixed(1)} a second`;
  t.claim(rule, expected, truthOf(rate.weight), actual, ...rate.answers.slice(-1), refusal);
  return { truth: rate.weight !== 'broken', refusal };
}

export const limitPlanScenarios: readonly Scenario[] = [
  limPlans,
  limPerCredential,
  limOwnLimit,
  limDelegated,
];
