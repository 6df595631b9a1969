// A process of the gate: tries the deviations it is sent one after another, and tells what it saw.
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { judgeDeviation, scenariosOf } from './judge-deviation.ts';
import { plantedDeviations, plantedScenarios } from './planted.ts';

export interface Order {
  readonly id: string;
  /** Rules whose scenarios are played; null: all. */
  readonly rules: readonly string[] | null;
  /** Scenarios that are played as well, whatever they are about. */
  readonly witnesses?: readonly string[];
}

process.on('message', (order: Order) => {
  const deviation =
    findDeviation(order.id) ?? plantedDeviations.find(({ id }) => id === order.id) ?? null;
  const played = [...scenariosOf(order.rules, order.witnesses), ...plantedScenarios(order.id)];
  judgeDeviation(deviation, played).then(
    (tried) => process.send?.({ tried }),
    (error: Error) => process.send?.({ failed: `${order.id}: ${error.stack ?? error.message}` }),
  );
});
