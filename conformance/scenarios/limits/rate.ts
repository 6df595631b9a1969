// LIM: how a credential is held to its rate, what a refusal looks like, and that it does nothing.
import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import { CONNECTIONS } from '../../engine/send/route.ts';
import type { Scenario } from '../../engine/types.ts';
import { isNewAccount } from '../support/account-assertions.ts';
import { expectPrompt, seemsQueued } from './prompt-refusals.ts';
import { about, allowanceOf, nearly, weighBurst } from './rate-evidence.ts';
import { requireSeparateAllowances } from './rate-limit-controls.ts';
import {
  type Burst,
  clearlyAbove,
  drain,
  exhaust,
  measureBurst,
  type RateLimitProbe,
  rateLimitProbeOf,
  rateOf,
  refill,
  sendBurst,
  standsStill,
  truthOf,
} from './rate-limit-probe.ts';
import { expectRefusalForm, secondsToWait } from './rate-limit-refusal.ts';

const limRate: Scenario = {
  id: 'lim-rate',
  title: 'About a second of allowance is served at once, then 429, and so much a second on',
  rules: ['LIM-1', 'LIM-2', 'LIM-5', 'LIM-6'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await rateLimitProbeOf(t);
    const first = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
    await demandLimited(t, probe, first);
    await expectPrompt(t, probe, first);
    // What comes back is counted by what is served until the next refusal.
    t.presume('LIM-5');

    // Long enough to make up for what was refused, should that have cost anything (LIM-5).
    await t.wait(2_000);
    const held = await expectRate(t, probe, [...first.limited.slice(0, 1)]);
    // LIM-1 has the rate: what gathers, and what a refusal says, is held against the one there is.
    const own = { ...probe, perSecond: held };
    expectBurst(t, own, first, 'from the start');
    await t.wait(t.has('clock') ? LONG_REST_MS : 3_000);
    expectBurst(t, own, await sendBurst(t, own, clearlyAbove(own.perSecond)), 'after a long rest');
    for (const refusal of first.limited) {
      const told = held === probe.perSecond ? held : undefined;
      await expectRefusalForm(t, refusal, told);
    }
  },
};

/** Half a day: whoever forgets an idle credential, or forgives it, does so by then. */
const LONG_REST_MS = 12 * 3_600_000;

/** LIM-1: gives the rate that there is: the one that should be, unless that is shown wrong. */
async function expectRate(
  t: ScenarioContext,
  probe: RateLimitProbe,
  refused: readonly Burst['limited'][number][],
): Promise<number> {
  const rate = await rateOf(t, probe, await drain(t, probe));
  const range = nearly(probe.perSecond).join(' to ');
  // Without a control plane nobody but the profile says which rate is right.
  const basis = t.has('mint') ? '' : ' (the rate in the profile)';
  const expected = `about ${probe.perSecond} requests a second, ${range}${basis}`;
  const seen = `${rate.perSecond.toFixed(1)} a second`;
  t.claim('LIM-1', expected, truthOf(rate.weight), seen, ...rate.answers, ...refused);
  return rate.weight === 'broken' ? rate.perSecond : probe.perSecond;
}

/** Ends the scenario where nothing is refused: held back until there was room, or let through. */
async function demandLimited(
  t: ScenarioContext,
  probe: RateLimitProbe,
  first: Burst,
): Promise<void> {
  const { served, limited, unanswered, tookMs } = first;
  if (limited.length > 0) return;
  const { perSecond } = probe;
  const took = `${Math.round(tookMs)} ms`;
  const late = `${served.length} served in ${took}, ${unanswered} held back, none refused`;
  const expected = `429 to what comes after about ${perSecond} requests at once`;
  const end = new Blocked('nothing was refused, so that no refusal could be looked at');
  if (unanswered > 0 || (await seemsQueued(t, probe, first))) {
    t.claim('LIM-5', expected, false, late, ...served);
    throw end;
  }
  if (weighBurst(allowanceOf(perSecond), first.sightings) === 'open') {
    throw new Inconclusive(`${late}: they may have come too slowly for the limit to be met`);
  }
  // There may be an end to it still, which is then too large a burst, and not no limit (LIM-2).
  const more = await sendBurst(t, probe, 2 * clearlyAbove(perSecond));
  if (more.limited.length > 0) {
    t.claim('LIM-2', expected, false, late, ...served);
    await expectRate(t, probe, []);
  } else t.claim(['LIM-1', 'LIM-2'], expected, false, late, ...served);
  throw end;
}

function expectBurst(
  t: ScenarioContext,
  { perSecond }: RateLimitProbe,
  seen: Burst,
  words: string,
): void {
  const { served, limited, sightings } = seen;
  const range = about(perSecond).join(' to ');
  const expected = `about a second's allowance at once ${words}, ${range} requests`;
  const truth = truthOf(weighBurst(allowanceOf(perSecond), sightings));
  t.claim('LIM-2', expected, truth, `${served.length} served`, ...served, ...limited.slice(0, 1));
  const [refusal] = limited;
  if (refusal !== undefined) t.expect('LIM-2', refusal).refused(429, 'rate_limited');
}

const limRetryAfter: Scenario = {
  id: 'lim-retry-after',
  title: 'A request that waits for as long as Retry-After says is served',
  rules: ['LIM-7'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await rateLimitProbeOf(t);
    const { limited } = await exhaust(t, probe);
    const refusal = limited.at(-1)!;
    const seconds = secondsToWait(refusal);
    // LIM-6: what it must look like.
    if (seconds === undefined) throw new Blocked('Retry-After has no whole seconds to wait');
    await t.wait(seconds * 1000);
    const after = await probe.request(t.as(probe.credential), { unpaced: true });
    const words = `served after the ${seconds} s of exchange ${refusal.n}`;
    const served = after.status !== 429 && after.status < 500;
    t.expect('LIM-7', after).is(words, served, describeAnswer(after), refusal);
  },
};

const limNothingDone: Scenario = {
  id: 'lim-nothing-done',
  title: 'A limited request does nothing, and its key runs afterwards',
  rules: ['LIM-5', 'IDEM-6a'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await rateLimitProbeOf(t);
    const client = t.as(probe.credential);
    const bodies = Array.from({ length: 5 }, () => t.newAccount());
    const keys = bodies.map(() => t.fresh.key());
    const send = (at: number, key = keys[at]!) =>
      client.createAccount(bodies[at]!, { key, unpaced: true });
    // Behind as many as use the allowance up, at the same moment: later it may have come back.
    const limited: number[] = [];
    const filling = Array.from(
      { length: clearlyAbove(probe.perSecond) },
      () => () => probe.request(client, { unpaced: true }),
    );
    const creating = bodies.map((_, at) => async () => {
      const answer = await send(at);
      if (answer.status === 429) limited.push(at);
      return answer;
    });
    // Those that wait for a connection may be late enough to be served.
    const atOnce = Math.min(filling.length, CONNECTIONS - creating.length);
    await measureBurst(t, [...filling.slice(0, atOnce), ...creating, ...filling.slice(atOnce)]);
    const [one, another] = limited;
    if (one === undefined || another === undefined) {
      const why = 'no create was limited behind those that use the allowance up';
      throw (await standsStill(t)) ? new Blocked(why) : new Inconclusive(why);
    }
    await refill(t);
    // Under another name, so that an account which was made before is told by the old one.
    const name = t.fresh.text();
    const renamed = { ...bodies[another]!, first_name: name };
    const made = await client.createAccount(renamed, { unpaced: true });
    if (made.status >= 300)
      throw new Blocked(`control failed: a new key after a rest: ${made.summary}`);
    const expected = 'a new account: the limited create had made nothing';
    t.expect('LIM-5', made).is(expected, isNewAccount(made, name));
    await refill(t);
    const again = await send(one);
    t.expect('IDEM-6a', again).is('run under its key', again.status < 300);
  },
};

const ITS_CLOCK_RUNS =
  'the target cannot stop its clock, and what comes back meanwhile is not known';

const limRefusalsCostNothing: Scenario = {
  id: 'lim-refusals-cost-nothing',
  title: 'What is refused draws nothing from the allowance: who insists is served as soon',
  rules: ['LIM-5'],
  needs: ['bursts', 'plan', 'mint', 'clock'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    if (!(await standsStill(t))) throw new Inconclusive(ITS_CLOCK_RUNS);
    const [calm, insistent] = [await rateLimitProbeOf(t), await rateLimitProbeOf(t)];
    await exhaust(t, calm);
    await exhaust(t, insistent);
    await sendBurst(t, insistent, 15);
    await t.operator.advance(1_000);
    const [few, many] = [await drain(t, calm), await drain(t, insistent)];
    const expected = `${few.served.length} served a second later, after 15 refusals or none`;
    const truth = many.served.length >= few.served.length - 1;
    if (!truth) await requireSeparateAllowances(t);
    const answers = [...few.served, ...many.limited];
    t.claim('LIM-5', expected, truth, `${many.served.length} served`, ...answers);
  },
};

const limHeadersElsewhere: Scenario = {
  id: 'lim-headers-elsewhere',
  title: 'No answer but a 429 has rate-limit headers, be it served or refused',
  rules: ['LIM-8'],
  async run(t) {
    const known = await t.given.account();
    const key = t.fresh.key();
    const update = () =>
      t.api.updateAccount(known.id, { country: 'FR' }, { key, ifMatch: known.etag });
    const answers = [
      known.answer,
      await t.given.reread(known),
      await update(),
      await update(),
      await t.api.createAccount(known.body, { key: null }),
      await t.api.createAccount({ ...known.body, client_reference_id: t.fresh.reference() }),
      await t.api.createAccount(t.newAccount({ email: t.fresh.text() })),
      await t.api.createAccount({}, { raw: '{' }),
      await t.api.updateAccount('999999999999', { country: 'FR' }, { ifMatch: '"1"' }),
      await t.api.updateAccount(known.id, { country: 'DE' }, { ifMatch: known.etag }),
      await t.api.bulkCreateAccounts([known.body]),
      await t.api.listWebhooks(),
      await t.api.listAccounts(),
    ];
    for (const answer of answers) {
      if (answer.status === 429) continue;
      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        t.expect('LIM-8', answer).lacksHeader(name);
      }
      if (answer.status < 300) t.expect('LIM-8', answer).lacksHeader('Retry-After');
    }
  },
};

export const limitScenarios: readonly Scenario[] = [
  limRate,
  limRetryAfter,
  limNothingDone,
  limRefusalsCostNothing,
  limHeadersElsewhere,
];
