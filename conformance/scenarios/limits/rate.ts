// LIM: how a credential is held to its rate, what a refusal looks like, and that it does nothing.
import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  allowanceNowMs,
  type Burst,
  clearlyAbove,
  drain,
  exhaust,
  measureBurst,
  type RateLimitProbe,
  rateLimitProbeOf,
  refill,
  requireSeparateAllowances,
  sendBurst,
  sustained,
  toleranceOf,
  within,
} from './rate-limit-probe.ts';
import { expectRefusalForm, secondsToWait } from './rate-limit-refusal.ts';

const limRate: Scenario = {
  id: 'lim-rate',
  title: 'About a second of allowance is served at once, then 429, and so much a second on',
  rules: ['LIM-1', 'LIM-2', 'LIM-5', 'LIM-6'],
  needs: ['plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await rateLimitProbeOf(t);
    const first = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
    if (!(await expectLimited(t, probe, first))) {
      throw new Blocked('nothing was refused, so that no refusal could be looked at');
    }
    expectPrompt(t, first);

    // Long enough to make up for what was refused, should that have cost anything (LIM-5).
    await t.wait(2_000);
    const drainedAtMs = await allowanceNowMs(t);
    await drain(t, probe);
    const gathers = first.served.length;
    const rate = await sustained(t, probe, { gathers, seconds: 3, drainedAtMs });
    const wanted = toleranceOf(probe.perSecond);
    const seen = `${rate.perSecond.toFixed(1)} a second`;
    const expected = `about ${probe.perSecond} requests a second, ${wanted.join(' to ')}`;
    const held = within(rate.perSecond, wanted);
    t.claim('LIM-1', expected, held, seen, ...rate.answers, ...first.limited.slice(0, 1));

    // LIM-1 has the rate: what gathers, and what a refusal says, is held against the one there is.
    const own = { ...probe, perSecond: held ? probe.perSecond : rate.perSecond };
    expectBurst(t, own, first, 'from the start');
    await t.wait(t.has('clock') ? 60_000 : 3_000);
    expectBurst(t, own, await sendBurst(t, own, clearlyAbove(own.perSecond)), 'after a long rest');
    for (const refusal of first.limited) {
      await expectRefusalForm(t, refusal, held ? probe.perSecond : undefined);
    }
  },
};

/** False where nothing is refused ever: held back until there was room, or let through. */
async function expectLimited(
  t: ScenarioContext,
  probe: RateLimitProbe,
  first: Burst,
): Promise<boolean> {
  const { served, limited, unanswered, tookMs } = first;
  if (limited.length > 0) return true;
  const { perSecond } = probe;
  const beyondMs = ((served.length + unanswered - perSecond) / perSecond) * 1000;
  const queued = unanswered > 0 || tookMs > beyondMs / 2;
  const took = `${Math.round(tookMs)} ms`;
  const late = `${served.length} served in ${took}, ${unanswered} held back, none refused`;
  const expected = `429 to what comes after about ${perSecond} requests at once`;
  if (queued) return t.claim('LIM-5', expected, false, late, ...served);
  // There may be an end to it still, which is then too large a burst, and not no limit (LIM-2).
  const more = await sendBurst(t, probe, 2 * clearlyAbove(perSecond));
  if (more.limited.length > 0) {
    t.claim('LIM-2', expected, false, late, ...served);
    return await expectSlow(t, probe);
  }
  return t.claim(['LIM-1', 'LIM-2'], expected, false, late, ...served);
}

function expectBurst(
  t: ScenarioContext,
  { perSecond }: RateLimitProbe,
  seen: Burst,
  words: string,
): void {
  const wanted = toleranceOf(perSecond, seen.spreadMs);
  const { served, limited } = seen;
  const expected = `about a second's allowance at once ${words}, ${wanted.join(' to ')} requests`;
  const truth = within(served.length, wanted);
  t.claim('LIM-2', expected, truth, `${served.length} served`, ...served, ...limited.slice(0, 1));
  const [refusal] = limited;
  if (refusal !== undefined) t.expect('LIM-2', refusal).refused(429, 'rate_limited');
}

/** The rate of a credential whose burst is too large for the rest of the scenario; always false. */
async function expectSlow(t: ScenarioContext, probe: RateLimitProbe): Promise<false> {
  const { perSecond, answers } = await sustained(t, probe, {
    drainedAtMs: await allowanceNowMs(t),
  });
  const wanted = toleranceOf(probe.perSecond);
  const expected = `about ${probe.perSecond} requests a second, ${wanted.join(' to ')}`;
  const truth = within(perSecond, wanted);
  t.claim('LIM-1', expected, truth, `${perSecond.toFixed(1)} a second`, ...answers);
  return false;
}

/** LIM-5: refused at once. The quickest refusal counts, so that a slow network is not blamed. */
function expectPrompt(t: ScenarioContext, { served, limited }: Burst): void {
  const slowest = Math.max(...served.map((each) => each.durationMs), 0);
  const quickest = Math.min(...limited.map((each) => each.durationMs));
  const truth = quickest <= slowest + 600;
  const actual = `after ${Math.round(quickest)} ms, when the others took ${Math.round(slowest)}`;
  t.claim('LIM-5', 'refused at once, not held back first', truth, actual, ...limited);
}

const limRetryAfter: Scenario = {
  id: 'lim-retry-after',
  title: 'A request that waits for as long as Retry-After says is served',
  rules: ['LIM-7'],
  needs: ['plan'],
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
  needs: ['plan'],
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
    await measureBurst(t, [...filling, ...creating]);
    const [one, another] = limited;
    if (one === undefined || another === undefined) {
      throw new Blocked('no create was limited behind those that use the allowance up');
    }
    await refill(t);
    const made = await send(another, t.fresh.key());
    if (made.status >= 300)
      throw new Blocked(`control failed: a new key after a rest: ${made.summary}`);
    t.expect('LIM-5', made).is('201: the limited create had made nothing', made.status === 201);
    await refill(t);
    const again = await send(one);
    t.expect('IDEM-6a', again).is('run under its key', again.status < 300);
  },
};

const limRefusalsCostNothing: Scenario = {
  id: 'lim-refusals-cost-nothing',
  title: 'What is refused draws nothing from the allowance: who insists is served as soon',
  rules: ['LIM-5'],
  needs: ['plan', 'mint', 'clock'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
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
