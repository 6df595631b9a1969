// A siege: interval after interval of everything at once, then a rest in which all is taken back,
// every invariant is looked at, and what the program still holds is measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { conformingBehaviour } from '../../../simulator/core/policies/conforming.ts';
import { loadWorld } from '../../../simulator/core/state/snapshot.ts';
import { Invariants } from '../../../simulator/core/testing/invariants.ts';
import { drawFrom } from '../../../simulator/core/testing/random-inputs.ts';
import { phoneTables } from '../../../simulator/core/values/phone.ts';
import { Besieged } from './besieged.ts';
import { Callers, type Place, Tally } from './callers.ts';
import { Followers } from './followers.ts';
import { Operator } from './operator.ts';
import { Receiver } from './receiver.ts';
import { findTrends, type Interval } from './verdict.ts';
import { Yardstick } from './yardstick.ts';

export interface SiegeOptions {
  readonly seconds: number;
  readonly seed: number;
  /** More options of `sandbox start`. */
  readonly more?: readonly string[];
  /** Told of each interval as it ends. */
  readonly onInterval?: (interval: Interval) => void;
}

export interface SiegeReport {
  readonly intervals: readonly Interval[];
  readonly statuses: ReadonlyMap<string, number>;
  readonly orders: number;
  readonly deliveries: number;
  readonly envelopes: number;
  readonly streamBytes: number;
  /** What broke; empty when all held. */
  readonly broken: readonly string[];
}

const behaviour = conformingBehaviour(defaultSettings);
const callers = 8;
const followers = 6;
/** At the most this many seconds to one interval, and at least so many intervals. */
const longestSeconds = 30;
const fewest = 3;
/** What a follower or a delivery leaves behind has ended by then. */
const restMs = 700;

export async function besiege(options: SiegeOptions): Promise<SiegeReport> {
  const { more = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'siege-'));
  const state = join(folder, 'state.json');
  const receiver = await Receiver.start(drawFrom(options.seed + 1));
  const besieged = await Besieged.start(['--plan', 'pro', '--state', state, ...more]);
  const yardstick = await Yardstick.start();
  const siege = new Siege({ besieged, receiver, yardstick }, options);
  try {
    return await siege.run();
  } finally {
    await siege.close();
    await besieged.stop('SIGKILL');
    await receiver.close();
    await yardstick.close();
    rmSync(folder, { recursive: true });
  }
}

interface Parties {
  readonly besieged: Besieged;
  readonly receiver: Receiver;
  readonly yardstick: Yardstick;
}

class Siege {
  readonly #besieged: Besieged;
  readonly #receiver: Receiver;
  readonly #yardstick: Yardstick;
  readonly #options: SiegeOptions;
  readonly #callers: Callers;
  readonly #followers: Followers;
  readonly #operator: Operator;
  readonly #statuses = new Map<string, number>();
  readonly #broken: string[] = [];
  #places: Place[] = [];
  #tally = new Tally();

  constructor({ besieged, receiver, yardstick }: Parties, options: SiegeOptions) {
    this.#besieged = besieged;
    this.#receiver = receiver;
    this.#yardstick = yardstick;
    this.#options = options;
    const tally = () => this.#tally;
    this.#callers = new Callers(besieged.ready.base_url, () => this.#places);
    this.#followers = new Followers(besieged, tally);
    this.#operator = new Operator(besieged, receiver.url, tally);
  }

  async run(): Promise<SiegeReport> {
    await phoneTables.load();
    const { seconds, onInterval } = this.#options;
    const count = Math.max(fewest, Math.ceil(seconds / longestSeconds));
    const intervals: Interval[] = [];
    for (let n = 1; n <= count && this.#besieged.isAlive; n += 1) {
      const interval = await this.#interval(n, (1000 * seconds) / count);
      intervals.push(interval);
      onInterval?.(interval);
    }
    const code = await this.#besieged.stop();
    if (code !== 0) this.#broken.push(`it ended with ${code}: ${this.#besieged.said}`);
    const said = this.#besieged.said.split('\n').find((line) => /failure|Error/.test(line));
    if (said !== undefined) this.#broken.push(`it said: ${said}`);
    return {
      intervals,
      statuses: this.#statuses,
      orders: this.#operator.orders,
      deliveries: this.#receiver.arrived,
      envelopes: this.#followers.envelopes,
      streamBytes: this.#followers.streamBytes,
      broken: [...this.#broken, ...findTrends(intervals)],
    };
  }

  close(): Promise<void> {
    return this.#callers.close();
  }

  async #interval(n: number, lastsMs: number): Promise<Interval> {
    this.#tally = new Tally();
    this.#callers.tally = this.#tally;
    await this.#operator.prepare('');
    this.#places = [await this.#placeOf('')];
    const drawOf = (part: number) => drawFrom(this.#options.seed * 1_000_003 + n * 101 + part);
    this.#callers.start(Array.from({ length: callers }, (_, index) => drawOf(index)));
    this.#followers.start(Array.from({ length: followers }, (_, index) => drawOf(20 + index)));
    this.#operator.start(drawOf(50));
    this.#yardstick.start();
    await this.#lookAround(lastsMs);
    const yardstickMs = await this.#yardstick.stop();
    await this.#operator.stop();
    await this.#callers.stop();
    await this.#followers.stop();
    await this.#judgeWorlds();
    await this.#operator.clear();
    // What stays open now is the sandbox's own doing.
    await this.#callers.hangUp();
    this.#receiver.hangUp();
    await pause(restMs);
    const gauge = await this.#besieged.gauge();
    return this.#told({ n, gauge, yardstickMs });
  }

  /** New worlds are called as well, and old ones by what they hold by now. */
  async #lookAround(lastsMs: number): Promise<void> {
    const endsMs = performance.now() + lastsMs;
    while (performance.now() < endsMs && this.#besieged.isAlive) {
      await pause(Math.min(1000, Math.max(0, endsMs - performance.now())));
      const places: Place[] = [];
      for (const name of ['', ...this.#operator.worlds]) {
        const place = await this.#placeOf(name).catch(() => null);
        if (place !== null) places.push(place);
      }
      if (places.length > 0) this.#places = places;
    }
  }

  async #placeOf(name: string): Promise<Place> {
    const path = name === '' ? 'state' : `worlds/${name}/state`;
    return { world: loadWorld(await this.#besieged.control('GET', path), behaviour) };
  }

  async #judgeWorlds(): Promise<void> {
    for (const name of ['', ...this.#operator.worlds]) {
      const { world } = await this.#placeOf(name);
      for (const problem of new Invariants().problems(world)) {
        this.#tally.breaks(`world ${name || 'default'}: ${problem}`);
      }
    }
  }

  #told(measured: Pick<Interval, 'n' | 'gauge' | 'yardstickMs'>): Interval {
    const { calls, statuses, broken, tookMs } = this.#tally;
    for (const [status, many] of statuses)
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + many);
    this.#broken.push(...broken.map((what) => `interval ${measured.n}: ${what}`));
    const sorted = tookMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { ...measured, calls, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}
