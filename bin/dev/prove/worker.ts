// A worker process of the proof: judges the deviations that it receives, one after another.
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { judgeDeviation, playedScenarios } from './judge.ts';

/** A deviation to judge (any other id means the conforming service), and the scenarios to play. */
export interface Order {
  readonly id: string;
  readonly scenarios: readonly string[];
}

// A worker does not outlive the proof that started it.
process.once('disconnect', () => process.exit());
process.on('message', async ({ id, scenarios }: Order) => {
  const chosen = playedScenarios.filter((scenario) => scenarios.includes(scenario.id));
  process.send?.(await judgeDeviation(findDeviation(id) ?? null, chosen));
});
