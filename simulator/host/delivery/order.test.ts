// EVT-4, EVT-8, NS-28: events arrive in order, whatever receivers do and however time moves.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restoreState, serializeState } from '../storage/world-document.ts';
import { DeliveryTestHarness, startMs } from './testing/delivery-test-harness.ts';

const order = suite('delivery order');

type Move =
  | { readonly kind: 'emit'; readonly count: number }
  | { readonly kind: 'advance'; readonly byMs: number }
  | { readonly kind: 'resume' }
  | { readonly kind: 'reload' };

const moves = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('emit' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({
      kind: fc.constant('advance' as const),
      byMs: fc.oneof(
        fc.constantFrom(0, 1, 29_999, 30_000, 120_000, 43_200_000),
        fc.integer({ min: 0, max: 100_000_000 }),
      ),
    }),
    fc.record({ kind: fc.constant('resume' as const) }),
    fc.record({ kind: fc.constant('reload' as const) }),
  ),
  { minLength: 1, maxLength: 14 },
);

/** How many times in a row each event fails; events beyond the list never fail. */
const failures = fc.array(fc.constantFrom(0, 0, 0, 1, 2, 7, 8, 9, 17), { maxLength: 10 });

/** The waits of the specification in milliseconds: 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h. */
const waitsMs = [30_000, 120_000, 600_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000];

/** The arrivals of one subscription by a naive model. */
class Naive {
  readonly arrivals: [seq: number, atMs: number][] = [];
  readonly #failures: readonly number[];
  readonly #queue: number[] = [];
  #nowMs = startMs;
  #dueMs: number | null = null;
  #stopped = false;
  #inRound = 0;
  #inAll = 0;
  #events = 0;

  constructor(failuresOf: readonly number[]) {
    this.#failures = failuresOf;
  }

  play(move: Move): void {
    if (move.kind === 'emit') {
      for (let n = 0; n < move.count; n += 1) {
        this.#events += 1;
        this.#queue.push(this.#events);
        if (this.#queue.length === 1) this.#try();
      }
    } else if (move.kind === 'advance') {
      const untilMs = this.#nowMs + move.byMs;
      while (this.#dueMs !== null && this.#dueMs <= untilMs) {
        this.#nowMs = this.#dueMs;
        this.#try();
      }
      this.#nowMs = untilMs;
    } else if (move.kind === 'resume' && this.#stopped) {
      this.#stopped = false;
      this.#inRound = 0;
      this.#try();
    }
  }

  #try(): void {
    this.#dueMs = null;
    for (let seq = this.#queue[0]; seq !== undefined && !this.#stopped; seq = this.#queue[0]) {
      this.arrivals.push([seq, this.#nowMs]);
      this.#inRound += 1;
      this.#inAll += 1;
      if (this.#inAll > (this.#failures[seq - 1] ?? 0)) {
        this.#queue.shift();
        this.#inRound = 0;
        this.#inAll = 0;
        continue;
      }
      const waitMs = waitsMs[this.#inRound - 1];
      if (waitMs === undefined) this.#stopped = true;
      else {
        this.#dueMs = this.#nowMs + waitMs;
        return;
      }
    }
  }
}

async function play(harness: DeliveryTestHarness, id: number, move: Move): Promise<void> {
  if (move.kind === 'emit') harness.emit(move.count);
  else if (move.kind === 'advance') await harness.advance(move.byMs);
  else if (move.kind === 'resume') harness.execute('resumeSubscription', { id: String(id) });
  else await restoreState(harness.host, JSON.parse([...serializeState(harness.host)].join('')));
  await harness.waitUntilIdle();
}

order('arrivals and their times equal those of the naive model', async () => {
  const property = fc.asyncProperty(moves, failures, async (played, failuresOf) => {
    const harness = await DeliveryTestHarness.begin();
    const naive = new Naive(failuresOf);
    const tries = new Map<number, number>();
    harness.script = ({ seq }) => {
      const nth = (tries.get(seq) ?? 0) + 1;
      tries.set(seq, nth);
      return nth > (failuresOf[seq - 1] ?? 0) ? 200 : 503;
    };
    const id = await harness.subscribe();
    for (const move of played) {
      await play(harness, id, move);
      naive.play(move);
      const arrivals = harness.arrivals.map(({ seq, atMs }) => [seq, atMs]);
      assert.equal(arrivals, naive.arrivals);
    }
    await harness.close();
  });
  await fc.assert(property, { numRuns: 100, seed: 20_260_101 });
});

order('an attempt interrupted by a restart is made again (EVT-4)', async () => {
  const before = await DeliveryTestHarness.begin();
  before.script = () => new Promise(() => undefined);
  const id = await before.subscribe();
  before.emit(2);
  await before.arrived(1);
  const text = [...serializeState(before.host)].join('');
  await before.close();

  const after = await DeliveryTestHarness.begin();
  await restoreState(after.host, JSON.parse(text));
  await after.waitUntilIdle();
  assert.equal(after.seqs, [1, 2]);
  assert.is(after.subscription(id).last_delivered_seq, 2);
  assert.is(after.host.world.openDeliveries.get(id)?.size, 0);
  await after.close();
});

order.run();
