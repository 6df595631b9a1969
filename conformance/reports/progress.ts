// What a person sees while a judge runs: what will be tried, how far it is and how long the rest
// takes. One line, redrawn on a terminal and repeated every 30 s in a log.
import { type Pace, planRun, type RunPlan, weightOf } from '../engine/inventory/plan.ts';
import type { SelectedScenario } from '../engine/run/select.ts';
import type { ScenarioResult } from '../engine/types.ts';
import { count, duration } from './verdict-words.ts';

export interface ProgressIo {
  /** Text on standard error. */
  err(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

const REDRAW_MS = 250;
const LOG_EVERY_MS = 30_000;

export class ProgressLine {
  readonly #io: ProgressIo;
  readonly #words: () => string | undefined;
  readonly #timer: ReturnType<typeof setInterval>;
  #isDrawn = false;

  /** Draws from now on; `words` returns undefined while there is nothing to say. */
  constructor(io: ProgressIo, words: () => string | undefined) {
    this.#io = io;
    this.#words = words;
    this.#timer = setInterval(() => this.draw(), io.isTerminal ? REDRAW_MS : LOG_EVERY_MS).unref();
  }

  draw(): void {
    const words = this.#words();
    if (words === undefined) return;
    this.#isDrawn = true;
    const { isTerminal, columns } = this.#io;
    this.#io.err(isTerminal ? `\r\x1b[K${words.slice(0, columns - 1)}` : `${words}\n`);
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#isDrawn && this.#io.isTerminal) this.#io.err('\r\x1b[K');
  }
}

/** With less than this done, the time so far predicts nothing. */
const PREDICTIVE_SHARE = 0.05;

/**
 * How long the rest takes: by the plan at first, and more and more by the pace so far. Undefined
 * while neither says anything.
 */
export function remainingMs(
  share: number,
  elapsedMs: number,
  plannedMs: number | undefined,
): number | undefined {
  const rest = Math.max(0, 1 - share);
  const seenMs = share > 0 ? elapsedMs / share : 0;
  if (plannedMs === undefined) return share < PREDICTIVE_SHARE ? undefined : rest * seenMs;
  const wholeMs = rest * Math.max(plannedMs, elapsedMs) + share * seenMs;
  return rest * wholeMs;
}

/** `about 4 min`, in coarse steps. */
export function about(ms: number): string {
  if (ms < 1_000) return 'under 1 s';
  if (ms < 90_000) return `about ${duration(Math.ceil(ms / 5_000) * 5_000).replace('.0', '')}`;
  return `about ${Math.round(ms / 60_000)} min`;
}

/** `4.2 s, about 10 s left`. */
function timeWords(elapsedMs: number, leftMs: number | undefined): string {
  return `${duration(elapsedMs)}${leftMs === undefined ? '' : `, ${about(leftMs)} left`}`;
}

/** Progress through a list of checks that take about the same time. */
export class CountedProgress {
  readonly #line: ProgressLine;
  #done = 0;
  #total: number | undefined;

  constructor(io: ProgressIo, noun: string) {
    const startedAtMs = performance.now();
    this.#line = new ProgressLine(io, () => {
      const elapsedMs = performance.now() - startedAtMs;
      const total = this.#total;
      if (total === undefined) return `Waiting for the first response, ${duration(elapsedMs)}`;
      const leftMs = remainingMs(this.#done / total, elapsedMs, undefined);
      return `${this.#done} of ${count(total, noun)}, ${timeWords(elapsedMs, leftMs)}`;
    });
  }

  reached(done: number, total: number): void {
    this.#done = done;
    this.#total = total;
  }

  end(): void {
    this.#line.end();
  }
}

export interface ProgressOptions {
  readonly chosen: readonly SelectedScenario[];
  /** Scenarios that were asked for, some of which need something that is missing. */
  readonly wanted: number;
  readonly pace: Pace;
}

/** Progress of a run on an API. */
export class RunProgress {
  readonly #io: ProgressIo;
  readonly #line: ProgressLine;
  readonly #startedAtMs = performance.now();
  readonly #requests: () => number;
  #plan: RunPlan | undefined;
  #isPaced = false;
  #weights = new Map<string, number>();
  #done = 0;
  #total: number | undefined;
  #doneWeight = 0;
  #deviating = 0;

  /** `requests` returns how many were sent so far. */
  constructor(io: ProgressIo, requests: () => number) {
    this.#io = io;
    this.#requests = requests;
    this.#line = new ProgressLine(io, () => this.#words());
  }

  /** Announces what is about to be tried, and counts from then on. */
  start(where: string, { chosen, wanted, pace }: ProgressOptions): void {
    this.#plan = planRun(chosen, pace);
    this.#isPaced = Number.isFinite(pace.perSecond);
    this.#weights = new Map(chosen.map(({ scenario }) => [scenario.id, weightOf(scenario, pace)]));
    this.#io.err(`Judging ${where}: ${planWords(this.#plan, wanted, pace)}\n`);
  }

  /** `total`: how many scenarios there are, now that the target has been looked at. */
  played(result: ScenarioResult, total: number): void {
    this.#done += 1;
    this.#total = total;
    this.#doneWeight += this.#weights.get(result.id) ?? 0;
    if (result.verdict === 'deviates') this.#deviating += 1;
  }

  end(): void {
    this.#line.end();
  }

  #words(): string | undefined {
    if (this.#plan === undefined) return undefined;
    const { scenarios: planned, requests, ms } = this.#plan;
    const elapsedMs = performance.now() - this.#startedAtMs;
    const scenarios = this.#total ?? planned;
    const sent = this.#requests();
    const whole = [...this.#weights.values()].reduce((sum, each) => sum + each, 0);
    // A long scenario has sent requests long before it ends.
    const done = Math.max(this.#doneWeight / (whole || 1), sent / (requests || 1));
    const leftMs =
      this.#done >= scenarios
        ? 0
        : remainingMs(Math.min(0.99, done), elapsedMs, this.#isPaced ? ms : undefined);
    const bad = this.#deviating === 0 ? '' : `, ${this.#deviating} deviating`;
    const asked = `${sent} of about ${Math.max(requests, sent)} requests`;
    const time = timeWords(elapsedMs, leftMs);
    return `${this.#done} of ${scenarios} scenarios, ${asked}${bad}, ${time}`;
  }
}

function planWords({ scenarios, requests, ms }: RunPlan, wanted: number, pace: Pace): string {
  const much =
    scenarios === wanted
      ? count(scenarios, 'scenario')
      : `${scenarios} of ${count(wanted, 'scenario')} (the rest need something that is missing)`;
  const sent = `${much}, about ${count(requests, 'request')}`;
  if (!Number.isFinite(pace.perSecond)) return sent;
  return `${sent}, ${about(ms)} at ${pace.perSecond} a second`;
}
