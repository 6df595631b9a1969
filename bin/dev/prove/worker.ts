// A process of the gate: tries the deviations it is sent one after another, and tells what it saw.
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { judgeDeviation, scenariosOf } from './judge-deviation.ts';
import { plantedDeviations } from './planted.ts';

export interface Order {
  readonly id: string;
  /** Rules whose scenarios are played; null: all. */
  readonly rules: readonly string[] | null;
}

process.on('message', (order: Order) => {
  const deviation =
    findDeviation(order.id) ?? plantedDeviations.find(({ id }) => id === order.id) ?? null;
  judgeDeviation(deviation, scenariosOf(order.rules)).then(
    (tried) => process.send?.({ tried }),
    (error: Error) => process.send?.({ failed: `${order.id}: ${error.stack ?? error.message}` }),
  );
});
