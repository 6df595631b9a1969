// ERR: the refusals of a service in trouble or in a hurry, provoked by faults and by a credential's
// own rate.
import type { Scenario } from '../../engine/types.ts';
import { expectProblem } from './expect-problem.ts';

const errTrouble: Scenario = {
  id: 'err-trouble',
  title: 'A failure, contention and an attempt in flight are problems with their codes',
  rules: ['ERR-1a', 'ERR-1b', 'ERR-3'],
  needs: ['fault', 'clock'],
  lane: 'own_world',
  provokes: [500, 503],
  async run(t) {
    await t.given.account();
    const match = { operation: 'createAccount' };
    for (const status of [500, 503]) {
      const fault = await t.operator.fault({ match, effect: { kind: 'status', status }, times: 1 });
      const answer = await t.api.createAccount(t.newAccount());
      // Whatever else may have failed on the way has a form of its own.
      if ((await fault.hits()) >= 1) expectProblem(t, answer);
      await fault.remove();
    }
    const effect = { kind: 'delay', ms: 5_000 };
    const fault = await t.operator.fault({ match, effect, times: 1 });
    const body = t.newAccount();
    const key = t.fresh.key();
    const held = t.api.createAccount(body, { key });
    // It is answered below, or given up with the scenario.
    held.catch(() => {});
    if (await t.until(async () => (await fault.hits()) >= 1, 2_000)) {
      expectProblem(t, await t.api.createAccount(body, { key }));
    }
    await t.operator.advance(5_000);
    await held;
  },
};

const errLimited: Scenario = {
  id: 'err-limited',
  title: 'A request over the rate is refused with a 429 problem',
  rules: ['ERR-1a', 'ERR-1b', 'ERR-3'],
  needs: ['mint', 'rates', 'clock'],
  lane: 'own_world',
  provokes: [429, 503],
  async run(t) {
    const slow = t.as(await t.operator.mint({ scopes: ['accounts:write'], perSecond: 1 }));
    const create = () => slow.createAccount(t.newAccount(), { unpaced: true });
    await t.control('a request within the rate', create, 201);
    // The clock stands, so that nothing is refilled between them. Twice, because something in front
    // of the service may limit too, now and then and in a form of its own.
    const [answer, again] = [await create(), await create()];
    if (answer.headers.mediaType() !== again.headers.mediaType()) return;
    // A 503 is a service in trouble, unless it says that it is this refusal (ERR-3).
    if (answer.status !== 503 || answer.code === 'rate_limited') expectProblem(t, answer);
  },
};

export const errorFaultScenarios: readonly Scenario[] = [errTrouble, errLimited];
