// LIM-5, LIM-7, LIM-8: a limited request does nothing and costs nothing, and succeeds later.
import { describeAnswer } from '../../engine/judge/expect.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import { CONNECTIONS } from '../../engine/send/route.ts';
import type { Scenario } from '../../engine/types.ts';
import { isNewAccount } from '../support/account-assertions.ts';
import {
  clearlyAbove,
  drain,
  exhaust,
  probeOf,
  refill,
  sendAtOnce,
  sendBurst,
  standsStill,
} from './measure.ts';
import { secondsToWait } from './refusal-form.ts';

const limRetryAfter: Scenario = {
  id: 'lim-retry-after',
  title: 'A request that waits for as long as Retry-After says is served',
  rules: ['LIM-7'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await probeOf(t);
    const { limited } = await exhaust(t, probe);
    const refusal = limited.at(-1)!;
    const seconds = secondsToWait(refusal);
    // LIM-6 judges its form.
    if (seconds === undefined) throw new Blocked('Retry-After has no whole seconds to wait');
    await t.wait(seconds * 1000);
    const after = await probe.request(t.as(probe.credential), { unpaced: true });
    const words = `served after the ${seconds} s of exchange ${refusal.n}`;
    const isServed = after.status !== 429 && after.status < 500;
    t.expect('LIM-7', after).is(words, isServed, describeAnswer(after), refusal);
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
    const probe = await probeOf(t);
    const client = t.as(probe.credential);
    const creates = Array.from({ length: 5 }, () => ({ body: t.newAccount(), key: t.fresh.key() }));
    const limited: typeof creates = [];
    const creating = creates.map((create) => async () => {
      const { body, key } = create;
      const answer = await client.createAccount(body, { key, unpaced: true });
      if (answer.status === 429) limited.push(create);
      return answer;
    });
    // Among those that use the allowance up, at the same moment: later, allowance has returned, and
    // a request that waits for a connection may be late enough to be served.
    const fill = () => probe.request(client, { unpaced: true });
    const filling = Array<typeof fill>(clearlyAbove(probe.perSecond)).fill(fill);
    const before = Math.min(filling.length, CONNECTIONS - creating.length);
    await sendAtOnce(t, [...filling.slice(0, before), ...creating, ...filling.slice(before)]);
    const [one, another] = limited;
    if (one === undefined || another === undefined) {
      const why = 'no create was limited behind those that use the allowance up';
      throw (await standsStill(t)) ? new Blocked(why) : new Inconclusive(why);
    }
    await refill(t);
    // With another name, so that an account which was created before is recognised.
    const name = t.fresh.text();
    const made = await client.createAccount(
      { ...another.body, first_name: name },
      { unpaced: true },
    );
    if (made.status >= 300)
      throw new Blocked(`control failed: a new key after a rest: ${made.summary}`);
    const expected = 'a new account: the limited create had made nothing';
    t.expect('LIM-5', made).is(expected, isNewAccount(made, name));
    await refill(t);
    const again = await client.createAccount(one.body, { key: one.key, unpaced: true });
    t.expect('IDEM-6a', again).is('run under its key', again.status < 300);
  },
};

const limRefusalsCostNothing: Scenario = {
  id: 'lim-refusals-cost-nothing',
  title: 'A refused request draws nothing from the allowance',
  rules: ['LIM-5'],
  needs: ['bursts', 'plan', 'mint', 'clock'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    if (!(await standsStill(t))) {
      throw new Inconclusive('the target cannot stop its clock, so allowance returns meanwhile');
    }
    const [calm, insistent] = [await probeOf(t), await probeOf(t)];
    await exhaust(t, calm);
    const used = await exhaust(t, insistent);
    if (used.served.length === 0) throw new Blocked('two credentials share one allowance');
    await sendBurst(t, insistent, 15);
    await t.operator.advance(1_000);
    const [few, many] = [await drain(t, calm), await drain(t, insistent)];
    const expected = `${few.served.length} served a second later, after 15 refusals or none`;
    const truth = many.served.length >= few.served.length - 1;
    const answers = [...few.served, ...many.limited];
    t.claim('LIM-5', expected, truth, `${many.served.length} served`, ...answers);
  },
};

const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const limHeadersElsewhere: Scenario = {
  id: 'lim-headers-elsewhere',
  title: 'No answer but a 429 has rate-limit headers, be it served or refused',
  rules: ['LIM-8'],
  async run(t) {
    const { api } = t;
    const known = await t.given.account();
    const key = t.fresh.key();
    const update = () =>
      api.updateAccount(known.id, { country: 'FR' }, { key, ifMatch: known.etag });
    const otherReference = { client_reference_id: t.fresh.reference() };
    const answers = [
      known.answer,
      await t.given.reread(known),
      await update(),
      await update(),
      await api.createAccount(known.body, { key: null }),
      await api.createAccount({ ...known.body, ...otherReference }),
      await api.createAccount(t.newAccount({ email: t.fresh.text() })),
      await api.createAccount({}, { raw: '{' }),
      await api.updateAccount('999999999999', { country: 'FR' }, { ifMatch: '"1"' }),
      await api.updateAccount(known.id, { country: 'DE' }, { ifMatch: known.etag }),
      await api.bulkCreateAccounts([known.body]),
      await api.listWebhooks(),
      await api.listAccounts(),
    ];
    for (const answer of answers) {
      if (answer.status === 429) continue;
      // A 503 may ask for a wait (IDEM-6b).
      const names = answer.status < 300 ? [...LIMIT_HEADERS, 'Retry-After'] : LIMIT_HEADERS;
      for (const name of names) t.expect('LIM-8', answer).lacksHeader(name);
    }
  },
};

export const limitRefusalScenarios: readonly Scenario[] = [
  limRetryAfter,
  limNothingDone,
  limRefusalsCostNothing,
  limHeadersElsewhere,
];
