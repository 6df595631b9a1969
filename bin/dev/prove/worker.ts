// A process of the gate: tries the deviations it is sent one after another, and tells what it saw.
import { findDeviation } from '../../../simulator/deviations/all.ts';
import { plantedDeviations } from './planted.ts';
import { scenariosOf, tryDeviation } from './try.ts';

export interface Order {
  readonly id: string;
  /** Rules whose scenarios are played; null: all. */
  readonly rules: readonly string[] | null;
}

process.on('message', (order: Order) => {
  const deviation =
    findDeviation(order.id) ?? plantedDeviations.find(({ id }) => id === order.id) ?? null;
  tryDeviation(deviation, scenariosOf(order.rules)).then(
    (tried) => process.send?.({ tried }),
    (error: Error) => process.send?.({ failed: `${order.id}: ${error.stack ?? error.message}` }),
  );
});
