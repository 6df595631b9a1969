// A worker process of the proof: judges the deviations that it is sent, one after another.
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { playedScenarios } from './chosen-scenarios.ts';
import { judgeDeviation } from './judge-deviation.ts';

export interface Order {
  /** Of a deviation; every other id stands for the conforming service. */
  readonly id: string;
  /** Ids of the scenarios to play. */
  readonly scenarios: readonly string[];
}

process.on('message', ({ id, scenarios }: Order) => {
  const deviation = findDeviation(id) ?? null;
  const chosen = playedScenarios.filter((scenario) => scenarios.includes(scenario.id));
  judgeDeviation(deviation, chosen).then(
    (tried) => {
      // Only of the conforming service is it recorded what is met.
      const evaluated = tried.evaluated.filter(({ tripped }) => tripped || deviation === null);
      process.send?.({ tried: { ...tried, evaluated } });
    },
    (error: Error) => process.send?.({ failed: `${id}: ${error.stack ?? error.message}` }),
  );
});
