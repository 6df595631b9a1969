// LIM-1, LIM-4, LIM-10: which rate a credential is held to: its plan's, its own, or a delegate's.
import type { Trial } from '../engine/trial.ts';
import type { RuleId, Scenario } from '../engine/types.ts';
import type { Credential, CredentialWish } from '../providers/target.ts';
import { expectRefusalForm } from './limits.ts';
import {
  about,
  beyond,
  burst,
  exhaust,
  type Meter,
  meterOf,
  type Request,
  sustained,
  within,
} from './meters.ts';

const limPlans: Scenario = {
  id: 'lim-plans',
  title: 'Standard is 50 a second and Pro 200; a new credential is on Sandbox, at 5',
  rules: ['LIM-1'],
  needs: ['plan', 'mint'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    // Without a plan and without a limit of its own: the plan of new credentials.
    const plans: readonly [string, number, Partial<CredentialWish>][] = [
      ['a new credential', 5, { perSecond: null }],
      ['Standard', 50, { plan: 'standard' }],
      ['Pro', 200, { plan: 'pro' }],
    ];
    for (const [words, perSecond, wish] of plans) {
      const made = await madeMeter(t, wish);
      await expectRate(t, 'LIM-1', words, { ...made, perSecond });
    }
  },
};

const limOwnLimit: Scenario = {
  id: 'lim-own-limit',
  title: 'A limit of its own takes the place of the plan, be it higher or lower',
  rules: ['LIM-4', 'LIM-6'],
  needs: ['plan', 'rates', 'mint'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    for (const [plan, perSecond] of [
      ['sandbox', 12],
      ['pro', 2],
    ] as const) {
      const meter = await madeMeter(t, { plan, perSecond });
      const words = `${perSecond} a second of its own on the plan ${plan}`;
      const refusal = await expectRate(t, 'LIM-4', words, { ...meter, perSecond });
      if (refusal !== undefined) expectRefusalForm(t, { ...meter, perSecond }, refusal);
    }
  },
};

const limDelegated: Scenario = {
  id: 'lim-delegated',
  title: 'A delegated token is metered against its minting credential, at the Sandbox rate',
  rules: ['LIM-6', 'LIM-10'],
  observes: ['NS-37'],
  needs: ['plan', 'mint', 'fresh_trading_account'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const where = await t.given.freshPlace();
    const made = await t.given.transaction(where);
    const request: Request = (client, options) =>
      client.createTransaction(made.body, { key: t.fresh.key(), ...options });
    const scopes = ['transactions:write', 'trader:funds'];
    const minter = await t.operator.mint({ scopes, plan: 'pro' });
    const delegate = async (by: Credential): Promise<Meter> => {
      const wish = { kind: 'delegated', scopes: ['trader:funds'] } as const;
      const of = { accountId: where.account_id, ...(by.clientId && { mintedBy: by.clientId }) };
      return { credential: await t.operator.mint({ ...wish, ...of }), perSecond: 5, request };
    };
    const one = await delegate(minter);
    const refusal = await expectRate(t, 'LIM-10', 'minted by a credential on Pro', one);
    if (refusal !== undefined) expectRefusalForm(t, one, refusal);

    // Another minter's is another allowance, however the tokens of one minter share theirs.
    const stranger = await delegate(await t.operator.mint({ scopes, plan: 'sandbox' }));
    const [sibling] = [await delegate(minter)];
    await exhaust(t, one);
    const [theirs] = [await burst(t, stranger, 2)];
    const served = theirs.served.length === 2;
    const expected = 'the token of another minter served, while the first one is used up';
    t.claim('LIM-10', expected, served, 'refused as well', ...theirs.limited, ...theirs.served);

    const shared = (await burst(t, sibling, 2)).served.length === 0;
    const words = shared ? 'tokens of one minter share an allowance' : 'each token has its own';
    t.observe('NS-37', words, { delegated_bucket: shared ? 'minting_credential' : 'token' });
  },
};

async function madeMeter(t: Trial, wish: Partial<CredentialWish>): Promise<Meter> {
  // `plan: undefined` would still name one.
  if (wish.perSecond !== null) return meterOf(t, wish);
  const { request } = await meterOf(t);
  const scopes = ['accounts:write'];
  return { credential: await t.operator.mint({ scopes, perSecond: null }), perSecond: 5, request };
}

/** The rate once the allowance is used up, whatever gathers before; gives a refusal. */
async function expectRate(t: Trial, rule: RuleId, words: string, meter: Meter) {
  const { perSecond } = meter;
  const drained = await burst(t, meter, beyond(perSecond));
  const wanted = about(perSecond);
  const expected = `${words}: about ${perSecond} requests a second, ${wanted.join(' to ')}`;
  const [refusal] = drained.limited;
  if (refusal === undefined) {
    const actual = `${drained.served.length} at once, none refused`;
    t.claim(rule, expected, false, actual, ...drained.served.slice(-1));
    return undefined;
  }
  const rate = await sustained(t, meter, { gathers: drained.served.length });
  const truth = within(rate.perSecond, wanted);
  const actual = `${rate.perSecond.toFixed(1)} a second`;
  t.claim(rule, expected, truth, actual, ...rate.answers.slice(-1), refusal);
  return refusal;
}

export const limitPlanScenarios: readonly Scenario[] = [limPlans, limOwnLimit, limDelegated];
