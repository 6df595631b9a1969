// What a person sees while a run goes on: what is about to be tried and how long it takes, before
// the first request, and then how far it is.

import { type Pace, planRun, type RunPlan, weightOf } from '../../engine/inventory/plan.ts';
import type { SelectedScenario } from '../../engine/run/choose.ts';
import type { ScenarioResult } from '../../engine/types.ts';
import { count, duration } from '../verdict-words.ts';
import { about, leftWords, type ProgressIo, ProgressLine, remainingMs } from './progress-line.ts';

export interface ProgressOptions {
  readonly chosen: readonly SelectedScenario[];
  /** Scenarios that were asked for, of which some lack something. */
  readonly wanted: number;
  readonly pace: Pace;
}

export class Progress {
  readonly #io: ProgressIo;
  readonly #line: ProgressLine;
  readonly #startedAtMs = performance.now();
  readonly #requests: () => number;
  #plan: RunPlan | undefined;
  #isPaced = false;
  #weights = new Map<string, number>();
  #whole = 0;
  #done = 0;
  #total: number | undefined;
  #doneWeight = 0;
  #deviating = 0;

  /** `requests` says how many were sent so far. */
  constructor(io: ProgressIo, requests: () => number) {
    this.#io = io;
    this.#requests = requests;
    this.#line = new ProgressLine(io, () => this.#words());
  }

  /** Says what is about to be tried and how long it takes, and counts from then on. */
  start(where: string, { chosen, wanted, pace }: ProgressOptions): void {
    const plan = planRun(chosen, pace);
    this.#plan = plan;
    this.#isPaced = Number.isFinite(pace.perSecond);
    this.#weights = new Map(
      chosen.map(({ scenario }) => [scenario.id, weightOf(scenario, pace)] as const),
    );
    this.#whole = [...this.#weights.values()].reduce((sum, each) => sum + each, 0);
    this.#io.err(`Judging ${where}: ${planWords(plan, wanted, pace)}\n`);
    this.#line.start();
  }

  /** `total`: of how many, now that the target has been looked at. */
  played(result: ScenarioResult, total: number): void {
    this.#done += 1;
    this.#total = total;
    this.#doneWeight += this.#weights.get(result.id) ?? 0;
    if (result.verdict === 'deviates') this.#deviating += 1;
  }

  end(): void {
    this.#line.end();
  }

  #words(): string {
    const elapsedMs = performance.now() - this.#startedAtMs;
    const { scenarios: planned = 0, requests = 0, ms } = this.#plan ?? {};
    const scenarios = this.#total ?? planned;
    const sent = this.#requests();
    // A long scenario is on its way long before it ends.
    const share = Math.min(
      0.99,
      Math.max(this.#doneWeight / (this.#whole || 1), sent / (requests || 1)),
    );
    const isOver = this.#done >= scenarios;
    const leftMs = isOver ? 0 : remainingMs(share, elapsedMs, this.#isPaced ? ms : undefined);
    const bad = this.#deviating === 0 ? '' : `, ${this.#deviating} deviating`;
    const asked = `${sent} of about ${Math.max(requests, sent)} requests`;
    const took = duration(elapsedMs);
    return `${this.#done} of ${scenarios} scenarios, ${asked}${bad}, ${took}${leftWords(leftMs)}`;
  }
}

function planWords({ scenarios, requests, ms }: RunPlan, wanted: number, pace: Pace): string {
  const much =
    scenarios === wanted
      ? count(scenarios, 'scenario')
      : `${scenarios} of ${count(wanted, 'scenario')} (the rest lack something)`;
  const sent = `${much}, about ${count(requests, 'request')}`;
  if (!Number.isFinite(pace.perSecond)) return sent;
  return `${sent}, ${about(ms)} at ${pace.perSecond} a second`;
}
