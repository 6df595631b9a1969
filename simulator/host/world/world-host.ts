// A world and its mailbox: stamps every input with the clock's time, carries out effects, and
// advances time.

import { parseJson } from '../../../fixtures/lenient.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import { type Call, type Facts, noFacts } from '../../core/call.ts';
import type {
  CommandArguments,
  CommandName,
  CommandOutcome,
  CommandValue,
} from '../../core/commands/commands.ts';
import { Coverage } from '../../core/explain/coverage.ts';
import { beginIdEra } from '../../core/serialize.ts';
import { copyWorld } from '../../core/state/copy-world.ts';
import {
  brokenReply,
  type Effect,
  type FiredTimer,
  type Input,
  nextDueMs,
  type StepResult,
  step,
} from '../../core/step.ts';
import { phoneTables } from '../../core/values/phone.ts';
import { parseTargetUrl } from '../../core/values/target-url.ts';
import type { World } from '../../core/world.ts';
import type { Deliverer } from '../delivery/deliverer.ts';
import { InFlightDeliveries } from '../delivery/in-flight.ts';
import { type AdvanceOptions, type AdvanceReport, advance } from './advance.ts';
import type { Clock, ClockMode, ClockState } from './clock.ts';

/** The final outcome for a caller: a response, or a cut connection. */
export type Answer =
  | Omit<Extract<Effect, { readonly kind: 'answer' }>, 'n'>
  | { readonly kind: 'reset' };

/** Something that happened, for the log, the stream and the events channel. */
export type Notice =
  | { readonly kind: 'request'; readonly n: number }
  | { readonly kind: 'event'; readonly seq: number }
  | {
      readonly kind: 'delivery';
      readonly id: string;
      /** `delayed`: by a fault, before anything was sent. A dropped delivery is `ended`. */
      readonly phase: 'sent' | 'ended' | 'delayed';
    }
  | { readonly kind: 'command'; readonly name: CommandName }
  | { readonly kind: 'snapshots' }
  | { readonly kind: 'clock' }
  /** Another world replaced this one. */
  | { readonly kind: 'world' }
  /** The world is dropped, or the sandbox is closed: the last notice. */
  | { readonly kind: 'closed' };

/** A world in memory, which can be restored in milliseconds, or copied. */
export interface WorldSnapshot {
  readonly world: World;
  readonly clock: ClockState;
}

type WorldHostOptions = Pick<
  WorldHost,
  'world' | 'behaviour' | 'clock' | 'deliverer' | 'wallMs' | 'idNonce'
>;

type Waiting = (answer: Answer) => void;

/** Stores the inputs of a world. */
export interface InputKeeper {
  /** Before the step. False: the input cannot be stored, so it must not be applied. */
  begin?(input: Input): boolean;
  /** The step has succeeded. */
  done(input: Input): void;
  /** The step has failed, perhaps halfway: the world may differ from what its inputs produce. */
  failed?(input: Input): void;
}

/** `--state-sync`: a step that cannot be written is not applied. */
export class UnkeptInputError extends Error {
  override readonly name = 'UnkeptInputError';
  constructor() {
    super('The state file cannot be written, so nothing was done. Repeat this when it can be.');
  }
}

/** Delay before a timer or receiver response is retried after it could not be saved. */
const unkeptRetryMs = 500;

const longestTimerMs = 2 ** 31 - 1;

const endsCall = ({ kind }: Effect): boolean => kind === 'answer' || kind === 'reset';

export class WorldHost {
  world: World;
  behaviour: Behaviour;
  readonly clock: Clock;
  readonly deliverer: Deliverer;
  readonly wallMs: () => number;
  /** Called when a saved world replaces this one; if empty, its ids continue unchanged. */
  readonly idNonce: () => string;
  readonly inFlight: InFlightDeliveries;
  /** Coverage of this world since it was cleared, across resets. */
  readonly coverage: Coverage;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(notice: Notice) => void>();
  readonly #keepers = new Set<InputKeeper>();
  /** By name, oldest first. They survive resets of the world, and are dropped with it. */
  readonly snapshots = new Map<string, WorldSnapshot>();
  #unrecorded = 0;
  /** Wakes this world at the next due time; null: nothing is due, or the clock is frozen. */
  #alarm: NodeJS.Timeout | null = null;
  #alarmAtMs: number | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #advancing = false;
  #closed = false;
  /** Why the last write of the state file failed; null: it succeeded, or there is no file. */
  stateTrouble: string | null = null;

  constructor(options: WorldHostOptions) {
    this.world = options.world;
    this.behaviour = options.behaviour;
    this.clock = options.clock;
    this.deliverer = options.deliverer;
    this.wallMs = options.wallMs;
    this.idNonce = options.idNonce;
    this.coverage = new Coverage(this.world);
    this.inFlight = new InFlightDeliveries(this);
    this.#setAlarm();
  }

  /** The time of this world: its clock's, or that of its last input if that is later. */
  get nowMs(): number {
    return Math.max(this.clock.nowMs(), this.world.nowMs);
  }

  /** The number of calls waiting for an answer. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Accepts a call. `answered` is called once, and before this returns if there is nothing to wait
   * for.
   */
  call(call: Call, answered: Waiting): void {
    const facts = gatherFacts(this, call);
    if ('then' in facts) void facts.then((found) => this.#takeCall(call, found, answered));
    else this.#takeCall(call, facts, answered);
  }

  #takeCall(call: Call, found: Facts, answered: Waiting): void {
    if (this.#closed) {
      // The world was dropped during the look-up.
      answered({ kind: 'reset' });
      return;
    }
    const facts = this.clock.mode === 'frozen' ? { ...found, frozen: true } : found;
    let result: StepResult;
    try {
      result = this.step({ kind: 'call', atMs: this.#arrive(), call, facts });
    } catch (error) {
      this.#answerBroken(call, error as Error, answered);
      return;
    }
    if (result.n !== undefined) this.#waiting.set(result.n, answered);
    this.carryOut(result.effects);
  }

  /** Answers without recording: a broken invariant, which is also printed, or a full disk. */
  #answerBroken(call: Call, error: Error, answered: Waiting): void {
    const isUnkept = error instanceof UnkeptInputError;
    if (!isUnkept) process.stderr.write(`simulator failure: ${error.stack ?? error}\n`);
    this.#unrecorded += 1;
    const last = this.behaviour.requestId(this.world, this.world.counters.request);
    const requestId = `${last}-${this.#unrecorded}`;
    const detail = isUnkept
      ? 'The state file cannot be written. Nothing was recorded; repeat the call with the same key.'
      : 'The simulator itself failed here. Nothing was recorded; please report this.';
    const reply = brokenReply(this.world, this.behaviour, call, { requestId, detail });
    answered({ kind: 'answer', requestId, reply });
  }

  execute<N extends CommandName>(
    name: N,
    args: CommandArguments<N>,
  ): CommandOutcome<CommandValue<N>> {
    const atMs = this.#arrive();
    const result = this.step({ kind: 'command', atMs, name, args });
    this.carryOut(result.effects);
    // A command may make work due immediately, which a frozen clock would never reach.
    this.fireUntil(atMs);
    this.notify({ kind: 'command', name });
    return result.outcome as CommandOutcome<CommandValue<N>>;
  }

  /** The time of an external input; work that is due by then runs first. */
  #arrive(): number {
    const { nowMs } = this;
    this.fireUntil(nowMs);
    return nowMs;
  }

  /** Fires due timers, and returns them; deliveries continue in the background. */
  fireUntil(nowMs: number): readonly FiredTimer[] {
    const all: FiredTimer[] = [];
    for (;;) {
      const due = nextDueMs(this.world);
      if (due === null || due > nowMs) return all;
      // Each at its own time, however late it fires.
      const atMs = Math.max(due, this.world.nowMs);
      const { fired, effects } = this.step({ kind: 'time', atMs });
      if (fired !== undefined) all.push(fired);
      this.carryOut(effects);
    }
  }

  /** One step of the world, with its consequences for listeners and alarm. */
  step(input: Input): StepResult {
    const before = this.world.events.lastSeq;
    const result = this.#keptStep(input);
    this.coverage.step({ world: this.world, input, eventsBefore: before, result });
    if (this.#listeners.size > 0) {
      for (let seq = before + 1; seq <= this.world.events.lastSeq; seq += 1) {
        this.notify({ kind: 'event', seq });
      }
      if (result.n !== undefined && !result.effects.some(endsCall)) {
        this.notify({ kind: 'request', n: result.n });
      }
    }
    this.#setAlarm();
    return result;
  }

  #keptStep(input: Input): StepResult {
    for (const keeper of this.#keepers) {
      if (keeper.begin?.(input) === false) throw new UnkeptInputError();
    }
    let result: StepResult;
    try {
      result = step(this.world, this.behaviour, input);
    } catch (error) {
      for (const keeper of this.#keepers) keeper.failed?.(input);
      throw error;
    }
    for (const keeper of this.#keepers) keeper.done(input);
    return result;
  }

  /** Applies a timer or receiver response, retrying until it can be saved. */
  untilKept(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UnkeptInputError)) throw error;
      setTimeout(() => this.#closed || this.untilKept(work), unkeptRetryMs).unref();
    }
  }

  /** Answers callers; sends deliveries. */
  carryOut(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === 'send') {
        this.inFlight.start(effect);
        if (this.#watchesAttempts) this.#setAlarm();
        continue;
      }
      if (effect.kind === 'fault-injected') {
        const phase = effect.how === 'dropped' ? 'ended' : 'delayed';
        this.notify({ kind: 'delivery', id: effect.deliveryId, phase });
        continue;
      }
      const waiting = this.#waiting.get(effect.n);
      this.#waiting.delete(effect.n);
      waiting?.(effect);
      this.notify({ kind: 'request', n: effect.n });
    }
  }

  /** The caller has left: its answer is dropped. */
  forget(answered: Waiting): void {
    for (const [n, waiting] of this.#waiting) {
      if (waiting === answered) this.#waiting.delete(n);
    }
  }

  listen(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls this keeper before and after every step. */
  keepInputs(keeper: InputKeeper): () => void {
    this.#keepers.add(keeper);
    return () => this.#keepers.delete(keeper);
  }

  notify(notice: Notice): void {
    for (const listener of this.#listeners) listener(notice);
  }

  /** Runs work of several steps one after another, never concurrently. */
  #serialized<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work);
    this.#turn = run.catch(() => undefined);
    return run;
  }

  /** Advances the clock; concurrent advances are queued. Rejects with a ClockError. */
  advance(options: AdvanceOptions): Promise<AdvanceReport> {
    return this.#serialized(() => this.#advance(options));
  }

  async #advance(options: AdvanceOptions): Promise<AdvanceReport> {
    this.#advancing = true;
    try {
      return await advance(this, options);
    } finally {
      this.#advancing = false;
      this.#setAlarm(true);
      this.notify({ kind: 'clock' });
    }
  }

  /**
   * Changes the clock's mode, and its time if given; work that is due until then runs. Rejects with
   * a ClockError if that time is in the past.
   */
  setClock(mode: ClockMode, nowMs: number | null, speed = 1): Promise<void> {
    return this.#serialized(async () => {
      if (nowMs !== null) await this.#advance({ to_ms: nowMs });
      this.clock.set({ mode, nowMs: this.nowMs, speed });
      this.#setAlarm(true);
      this.notify({ kind: 'clock' });
    });
  }

  /** Replaces this world with another; waiting callers are cut off. */
  replace(world: World, clock: ClockState): void {
    // Checked before anything is discarded: this throws for a world whose timers cannot be read.
    nextDueMs(world);
    this.cutOff();
    this.inFlight.abandon();
    this.world = world;
    this.coverage.forget(world);
    this.clock.set(clock);
    this.inFlight.restart(world);
    this.#setAlarm(true);
    this.notify({ kind: 'world' });
  }

  /** Includes work that is due by now. */
  takeSnapshot(): WorldSnapshot {
    const { nowMs, clock } = this;
    this.fireUntil(nowMs);
    const { mode, speed } = clock;
    return { world: copyWorld(this.world), clock: { mode, speed, nowMs } };
  }

  /** Replaces this world with a copy; the snapshot stays usable. */
  restoreSnapshot({ world, clock }: WorldSnapshot): void {
    const copy = copyWorld(world);
    // A receiver that remembers ids must not mistake new events for known ones.
    beginIdEra(copy, this.idNonce());
    this.replace(copy, clock);
  }

  /** Cuts the connections of suspended calls. */
  cutOff(): void {
    for (const waiting of [...this.#waiting.values()]) waiting({ kind: 'reset' });
    this.#waiting.clear();
  }

  close(): void {
    this.#closed = true;
    this.cutOff();
    this.inFlight.abandon();
    this.#stopAlarm();
    this.notify({ kind: 'closed' });
    this.#listeners.clear();
  }

  /** `isMoved`: the clock was moved, so the same due time is now a different wait. */
  #setAlarm(isMoved = false): void {
    const { clock } = this;
    if (isMoved) this.#stopAlarm();
    // An advance fires its own timers, and waits for their effects.
    if (this.#closed || this.#advancing || clock.mode === 'frozen') return;
    const due = this.#watchesAttempts ? this.nextDueMs() : nextDueMs(this.world);
    if (due === null || due === this.#alarmAtMs) return;
    this.#stopAlarm();
    this.#alarmAtMs = due;
    const waitMs = Math.max(0, due - clock.nowMs()) / clock.speed;
    this.#alarm = setTimeout(() => this.#ring(), Math.min(waitMs, longestTimerMs));
    this.#alarm.unref();
  }

  #stopAlarm(): void {
    if (this.#alarm !== null) clearTimeout(this.#alarm);
    this.#alarm = null;
    this.#alarmAtMs = null;
  }

  #ring(): void {
    this.#stopAlarm();
    this.untilKept(() => {
      if (this.#advancing) return;
      const { nowMs } = this;
      this.fireUntil(nowMs);
      if (this.#watchesAttempts) this.inFlight.expire(nowMs);
      this.#setAlarm();
    });
  }

  /** When the next timer fires, or an attempt times out (EVT-9b); null if there is neither. */
  nextDueMs(): number | null {
    const due = nextDueMs(this.world);
    const expiry = this.inFlight.nextExpiryMs();
    return due === null || expiry === null ? (due ?? expiry) : Math.min(due, expiry);
  }

  /** EVT-9b: at normal speed the connection's own limit ends attempts; a faster clock is first. */
  get #watchesAttempts(): boolean {
    return this.clock.speed > 1;
  }
}

const phoneMember = Buffer.from('"phone"');
const webhooksPath = /^\/api\/v1\/webhooks(\?|$)/;

/**
 * What core cannot wait for: the addresses of a webhook's hostname, and the tables of phone numbers.
 * A promise only if a look-up is needed.
 */
function gatherFacts(host: WorldHost, call: Call): Facts | Promise<Facts> {
  if (call.method === 'POST' && webhooksPath.test(call.target)) {
    const hostname = hostnameOf(host, call);
    if (hostname === null || host.world.names.has(hostname)) return noFacts;
    return host.deliverer.resolve(hostname).then((addresses) => ({ addresses }));
  }
  if (phoneTables.ready()) return noFacts;
  const { buffer, byteOffset, byteLength } = call.body;
  // A view of the same bytes: copying every body would cost more than the search.
  const hasPhone = Buffer.from(buffer, byteOffset, byteLength).includes(phoneMember);
  return hasPhone ? phoneTables.load().then(() => noFacts) : noFacts;
}

/** The hostname to look up; null if the URL has none or the result is known. */
function hostnameOf({ world }: WorldHost, call: Call): string | null {
  const body = parseJson(Buffer.from(call.body).toString()) as { url?: unknown } | null | undefined;
  const url = body?.url;
  if (typeof url !== 'string') return null;
  const target = parseTargetUrl(url, world.options.allowLocalWebhooks);
  if (target.kind === 'refused' || target.address !== null) return null;
  return world.forwards.has(target.origin) ? null : target.hostname;
}
