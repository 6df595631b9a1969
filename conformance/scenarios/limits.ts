// LIM: how a credential is held to its rate, what a refusal looks like, and that it does nothing.
import type { Answer } from '../engine/answer.ts';
import type { Trial } from '../engine/trial.ts';
import type { Scenario } from '../engine/types.ts';
import {
  about,
  type Burst,
  beyond,
  burst,
  exhaust,
  type Meter,
  meterOf,
  rest,
  sustained,
  within,
} from './meters.ts';

const limRate: Scenario = {
  id: 'lim-rate',
  title:
    'About a second of allowance is served at once, then 429; and so much a second from then on',
  rules: ['LIM-1', 'LIM-2', 'LIM-5', 'LIM-6', 'LIM-7'],
  needs: ['plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const meter = await meterOf(t);
    const first = await burst(t, meter, beyond(meter.perSecond));
    if (!expectLimited(t, meter, first)) return;
    for (const refusal of first.limited) expectRefusalForm(t, meter, refusal);
    expectPrompt(t, first);

    const [refusal] = first.limited as [Answer];
    const seconds = Number(refusal.headers.get('retry-after'));
    if (Number.isFinite(seconds) && seconds <= 60) {
      await t.wait(seconds * 1000);
      const after = await meter.request(t.as(meter.credential), { unpaced: true });
      const words = `served after the ${seconds} s of exchange ${refusal.n}`;
      t.expect('LIM-7', after).is(words, after.status !== 429, undefined, refusal);
    } else {
      t.expect('LIM-7', refusal).header('Retry-After', 'seconds that can be waited', () => false);
    }

    // Drained once more, because what was just waited for may have brought more than one.
    const drained = await burst(t, meter, beyond(meter.perSecond));
    const gathers = first.served.length;
    const rate = await sustained(t, meter, { gathers, seconds: 3 });
    const wanted = about(meter.perSecond);
    const seen = `${rate.perSecond.toFixed(1)} a second`;
    const expected = `about ${meter.perSecond} requests a second, ${wanted.join(' to ')}`;
    const held = within(rate.perSecond, wanted);
    t.claim('LIM-1', expected, held, seen, ...rate.answers, ...drained.limited.slice(0, 1));

    // LIM-1 has the rate: what gathers is measured by the one that there is.
    const own = { ...meter, perSecond: held ? meter.perSecond : rate.perSecond };
    expectBurst(t, own, first, 'from the start');
    await t.wait(t.has('clock') ? 60_000 : 3_000);
    expectBurst(t, own, await burst(t, own, beyond(own.perSecond)), 'after a long rest');
  },
};

/** False where nothing was refused: held back until there was room, or let through. */
function expectLimited(t: Trial, { perSecond }: Meter, { served, limited, held, tookMs }: Burst) {
  if (limited.length > 0) return true;
  const beyondMs = ((served.length + held - perSecond) / perSecond) * 1000;
  const queued = held > 0 || tookMs > beyondMs / 2;
  const expected = `429 to what comes after about ${perSecond} requests at once`;
  const late = `${served.length} served in ${Math.round(tookMs)} ms, ${held} held back, none refused`;
  const rules = queued ? ['LIM-5' as const] : ['LIM-1' as const, 'LIM-2' as const];
  t.claim(rules, expected, false, late, ...served);
  return false;
}

function expectBurst(t: Trial, { perSecond }: Meter, seen: Burst, words: string): void {
  const wanted = about(perSecond, perSecond, seen.elapsedMs);
  const { served, limited } = seen;
  const expected = `about a second's allowance at once ${words}, ${wanted.join(' to ')} requests`;
  const truth = within(served.length, wanted);
  t.claim('LIM-2', expected, truth, `${served.length} served`, ...served, ...limited.slice(0, 1));
  const [refusal] = limited;
  if (refusal !== undefined) t.expect('LIM-2', refusal).refused(429, 'rate_limited');
}

const wholeSeconds = (value: string) => /^[0-9]{1,6}$/.test(value);

/** LIM-6: that what is refused bears the four headers and the body of a problem. */
export function expectRefusalForm(t: Trial, { perSecond }: Meter, refusal: Answer): void {
  t.expect('LIM-6', refusal).header('Retry-After', 'whole seconds', wholeSeconds);
  const limit = `${perSecond}, the allowance a second`;
  t.expect('LIM-6', refusal).header('X-RateLimit-Limit', limit, (value) => {
    return Number(value) === perSecond;
  });
  t.expect('LIM-6', refusal).header('X-RateLimit-Remaining', '0', (value) => value === '0');
  t.expect('LIM-6', refusal).header('X-RateLimit-Reset', 'seconds, not a time of day', (value) => {
    return /^[0-9]+(\.[0-9]+)?$/.test(value) && Number(value) < 1_000_000;
  });
  const type = refusal.headers.mediaType();
  t.expect('LIM-6', refusal)
    .is('application/problem+json', type === 'application/problem+json', type || 'no type')
    .field('code', 'rate_limited')
    .field('errors', []);
}

/** LIM-5: refused at once. The quickest refusal counts, so that a slow network is not blamed. */
function expectPrompt(t: Trial, { served, limited }: Burst): void {
  const slowest = Math.max(...served.map((each) => each.durationMs), 0);
  const quickest = Math.min(...limited.map((each) => each.durationMs));
  const truth = quickest <= slowest + 600;
  const actual = `after ${Math.round(quickest)} ms, when the others took ${Math.round(slowest)}`;
  t.claim('LIM-5', 'refused at once, not held back first', truth, actual, ...limited);
}

const limNothingDone: Scenario = {
  id: 'lim-nothing-done',
  title: 'A limited request does nothing, and its key runs afterwards',
  rules: ['LIM-5', 'IDEM-6a'],
  needs: ['plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const meter = await meterOf(t);
    const client = t.as(meter.credential);
    await exhaust(t, meter);
    const bodies = [t.newAccount(), t.newAccount(), t.newAccount(), t.newAccount()] as const;
    const keys = bodies.map(() => t.fresh.key());
    const send = (at: number, key = keys[at]!) =>
      client.createAccount(bodies[at]!, { key, unpaced: true });
    const limited: number[] = [];
    for (const at of bodies.keys()) if ((await send(at)).status === 429) limited.push(at);
    const [one, another] = limited;
    if (one === undefined || another === undefined) {
      return t.untested(['LIM-5', 'IDEM-6a'], 'the allowance came back too fast to be used up');
    }
    await rest(t);
    const renewed = await send(another, t.fresh.key());
    t.expect('LIM-5', renewed).is(
      '201: the limited create had made nothing',
      renewed.status === 201,
    );
    if (renewed.status === 429) return;
    const again = await send(one);
    t.expect('IDEM-6a', again).is(
      'run under its key',
      again.status === 201 || again.status === 200,
    );
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
    const [calm, insistent] = [await meterOf(t), await meterOf(t)];
    await exhaust(t, calm);
    await exhaust(t, insistent);
    await burst(t, insistent, 15);
    await t.operator.advance(1_000);
    const size = beyond(calm.perSecond);
    const [few, many] = [await burst(t, calm, size), await burst(t, insistent, size)];
    const expected = `${few.served.length} served a second later, with or without 15 refusals before`;
    const truth = many.served.length >= few.served.length - 1;
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
  limNothingDone,
  limRefusalsCostNothing,
  limHeadersElsewhere,
];
