// Advances the clock: the next due timer, its effects, their responses, and so on until the given
// time.
import type { FiredTimer } from '../../core/step.ts';
import type { WorldHost } from './world-host.ts';

/** One of three: so many milliseconds, to this time, or to the next due thing. */
export type AdvanceOptions =
  | { readonly by_ms: number; readonly to_ms?: never; readonly to_next?: never }
  | { readonly to_ms: number; readonly by_ms?: never; readonly to_next?: never }
  | { readonly to_next: true; readonly by_ms?: never; readonly to_ms?: never };

/** Something that happened during the advance. */
interface AdvanceStep extends Omit<FiredTimer, 'kind'> {
  readonly kind: FiredTimer['kind'] | 'delivery';
}

export interface AdvanceReport {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fired: readonly AdvanceStep[];
}

/** A time to which the clock cannot go; the message says why. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
}

/** The last moment of a four-digit year. */
const lastMs = Date.UTC(10_000, 0) - 1;
/** Waits for attempts that were already running, until none has ended for this long. */
const graceMs = 1000;

/** Rejects with a ClockError; ends early if another world replaces this one. */
export async function advance(host: WorldHost, options: AdvanceOptions): Promise<AdvanceReport> {
  const { clock, inFlight, world } = host;
  const isOver = () => host.world !== world;
  const fromMs = host.nowMs;
  const fired: AdvanceStep[] = [];
  // The clock is frozen while a response is pending.
  clock.standAt(fromMs);
  try {
    const fixedMs = options.to_next === true ? null : readTarget(options, fromMs);
    await inFlight.waitUntilIdle(graceMs);
    const toMs = fixedMs ?? Math.max(host.nextDueMs() ?? fromMs, fromMs);
    inFlight.beginOrder();
    while (!isOver()) {
      const next = host.nextDueMs();
      if (next === null || next > toMs) break;
      const atMs = Math.max(next, world.nowMs);
      // Work that was due before the advance keeps its own time; the clock is already later.
      clock.standAt(Math.max(atMs, fromMs));
      for (const id of inFlight.expire(atMs)) {
        fired.push({ atMs, kind: 'delivery', ref: id, outcome: 'timed out' });
      }
      for (const timer of host.fireUntil(atMs)) fired.push(timer);
      const isSettled = await inFlight.settle((id) => {
        const delivery = world.deliveries.get(id);
        const last = delivery?.attempts.at(-1);
        const outcome = `${delivery?.status}: ${last?.status ?? last?.error ?? 'no response'}`;
        fired.push({ atMs: world.nowMs, kind: 'delivery', ref: id, outcome });
      });
      if (!isSettled) break;
    }
    if (!isOver()) clock.standAt(toMs);
    return { fromMs, toMs, fired };
  } finally {
    inFlight.endOrder();
    if (!isOver()) clock.release();
  }
}

function readTarget({ by_ms, to_ms }: AdvanceOptions, fromMs: number): number {
  const toMs = to_ms ?? fromMs + (by_ms ?? 0);
  if (toMs < fromMs) throw new ClockError(`time never goes back, and it is ${fromMs} already`);
  if (toMs > lastMs) throw new ClockError('it would go beyond the year 9999');
  return toMs;
}
