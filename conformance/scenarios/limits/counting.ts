// LIM-9, LIM-11: what is counted: bulk as one, reads as writes.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import { shownBy, weighBurst } from './rate-evidence.ts';
import {
  type Burst,
  clearlyAbove,
  type RateLimitProbe,
  type RepeatableRequest,
  rateLimitProbeOf,
  refill,
  sendBurst,
  truthOf,
} from './rate-limit-probe.ts';

const limBulkIsOne: Scenario = {
  id: 'lim-bulk-is-one',
  title: 'A bulk create counts as one request, however many its rows',
  rules: ['LIM-9'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await rateLimitProbeOf(t);
    const half = Math.max(2, Math.round(probe.perSecond * 0.6));
    const plain = await sendBurst(t, probe, half);
    if (plain.limited.length > 0) throw new Blocked(`control failed: ${half} requests at once`);
    await refill(t);
    // Twins of one account, so that a thousand rows make one.
    const row = t.newAccount();
    const rows = Array.from({ length: Math.min(1000, probe.perSecond * 4) }, () => row);
    const client = t.as(probe.credential);
    const batch = await client.bulkCreateAccounts(rows, { unpaced: true });
    t.expect('LIM-9', batch).is(`${rows.length} rows served`, batch.status < 300);
    const after = await sendBurst(t, probe, half - 1);
    const expected = `${half - 1} more requests served, as if it had been one`;
    const truth = after.limited.length === 0;
    const actual = `${after.limited.length} of them refused`;
    t.claim('LIM-9', expected, truth, actual, batch, ...after.served, ...after.limited);
  },
};

const limReadsAndWrites: Scenario = {
  id: 'lim-reads-and-writes',
  title: 'Reads are metered as writes are, from the same allowance',
  rules: ['LIM-11'],
  observes: ['NS-59'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await rateLimitProbeOf(t);
    const size = clearlyAbove(probe.perSecond);
    const read: RepeatableRequest = (client, options) => client.listWebhooks(options);
    const shown = await read(t.as(probe.credential), {});
    if (shown.status !== 200) throw new Blocked(`control failed: a read: ${shown.summary}`);
    await refill(t);
    const writes = await sendBurst(t, probe, size);
    if (writes.limited.length === 0) throw new Blocked(`no 429 to ${size} writes at once`);
    await refill(t);
    const reads = await sendBurst(t, { ...probe, request: read }, size);
    await expectAlike(t, 'reads', reads, writes, probe);
    await refill(t);
    let turn = 0;
    const either: RepeatableRequest = (client, options) => {
      turn += 1;
      return turn % 2 === 0 ? read(client, options) : probe.request(client, options);
    };
    const mixed = await sendBurst(t, { ...probe, request: either }, size);
    await expectAlike(t, 'reads and writes by turns', mixed, writes, probe);
    await observeMetered(t, probe, size);
  },
};

/** NS-59: whether what is refused for another reason, and what is replayed, is counted as well. */
async function observeMetered(
  t: ScenarioContext,
  probe: RateLimitProbe,
  size: number,
): Promise<void> {
  const [key, body] = [t.fresh.key(), t.newAccount()];
  const kinds: readonly (readonly [string, RepeatableRequest])[] = [
    ['refusals', (client, options) => client.createAccount(t.newAccount({ email: 'x' }), options)],
    ['replays', (client, options) => client.createAccount(body, { ...options, key })],
  ];
  for (const [name, request] of kinds) {
    await refill(t);
    const { limited } = await sendBurst(t, { ...probe, request }, size);
    t.observe('NS-59', `${name} ${limited.length > 0 ? 'count' : 'do not count'}`);
  }
}

/**
 * LIM-2 has how many that are: here only that they are as many, but for what came back while they
 * arrived, which of the slower ones is more.
 */
async function expectAlike(
  t: ScenarioContext,
  words: string,
  some: Burst,
  writes: Burst,
  probe: RateLimitProbe,
): Promise<void> {
  const { perSecond } = probe;
  const expected = `as many ${words} at once as writes: about ${writes.served.length}`;
  const truth = truthOf(weighBurst(shownBy(perSecond, writes.sightings), some.sightings));
  const actual = `${some.served.length} served`;
  if (truth === false) await requireAlike(t, writes, probe);
  t.claim('LIM-11', expected, truth, actual, ...some.served.slice(-1));
}

/** Asked before blaming: as many writes are served a second time as the first. */
async function requireAlike(
  t: ScenarioContext,
  writes: Burst,
  probe: RateLimitProbe,
): Promise<void> {
  await refill(t);
  const again = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
  if (weighBurst(shownBy(probe.perSecond, writes.sightings), again.sightings) !== 'broken') return;
  throw new Blocked(`${writes.served.length} writes at once, then ${again.served.length} (LIM-2)`);
}

export const limitCountingScenarios: readonly Scenario[] = [limBulkIsOne, limReadsAndWrites];
