// What a person sees while a judge runs: what will be tried, how far it is and how long the rest
// takes. One line, redrawn on a terminal and repeated every 30 s in a log.
import { type Pace, planRun, type RunPlan } from '../engine/inventory/plan.ts';
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

/** How long the rest takes at the pace so far; undefined while that says nothing. */
export function remainingMs(share: number, elapsedMs: number): number | undefined {
  if (share < PREDICTIVE_SHARE) return undefined;
  return Math.max(0, 1 - share) * (elapsedMs / share);
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
      const leftMs = remainingMs(this.#done / total, elapsedMs);
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

/** Progress of a run on an API: its plan counts the requests. */
export class RunProgress {
  readonly #io: ProgressIo;
  readonly #line: ProgressLine;
  #plan: RunPlan | undefined;
  #done = 0;
  #total: number | undefined;
  #deviating = 0;

  /** `requests` returns how many were sent so far. */
  constructor(io: ProgressIo, requests: () => number) {
    const startedAtMs = performance.now();
    this.#io = io;
    this.#line = new ProgressLine(io, () => {
      if (this.#plan === undefined) return undefined;
      const sent = requests();
      const planned = Math.max(this.#plan.requests, sent);
      const elapsedMs = performance.now() - startedAtMs;
      const time = timeWords(elapsedMs, remainingMs(sent / Math.max(1, planned), elapsedMs));
      const bad = this.#deviating === 0 ? '' : `, ${this.#deviating} deviating`;
      const total = this.#total ?? this.#plan.scenarios;
      return `${this.#done} of ${total} scenarios, ${sent} of about ${planned} requests${bad}, ${time}`;
    });
  }

  /** Announces what is about to be tried, and counts from then on. */
  start(where: string, { chosen, wanted, pace }: ProgressOptions): void {
    this.#plan = planRun(chosen, pace);
    this.#io.err(`Judging ${where}: ${planWords(this.#plan, wanted, pace)}\n`);
  }

  /** `total`: how many scenarios there are, now that the target has been looked at. */
  played({ verdict }: ScenarioResult, total: number): void {
    this.#done += 1;
    this.#total = total;
    if (verdict === 'deviates') this.#deviating += 1;
  }

  end(): void {
    this.#line.end();
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
