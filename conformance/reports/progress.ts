// What a person sees while a run goes on: one line that changes on a terminal, now and then a line
// in a log.
import { type Selection, selectedRules } from '../engine/run/selection.ts';
import type { Scenario, ScenarioResult } from '../engine/types.ts';
import type { Provider } from '../providers/target.ts';
import { count, duration } from './verdict-words.ts';

export interface ProgressIo {
  /** Text on standard error. */
  err(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

const REDRAW_MS = 80;
const LOG_EVERY_MS = 30_000;

export class Progress {
  readonly #io: ProgressIo;
  readonly #shown: (text: string) => string;
  readonly #startedAtMs = performance.now();
  #lastMs = performance.now();
  #drawn = false;
  #calls = 0;
  #deviating = 0;

  /** `shown` takes out of the words what is not for everybody to see. */
  constructor(io: ProgressIo, shown: (text: string) => string = (text) => text) {
    this.#io = io;
    this.#shown = shown;
  }

  /** Says what is about to be tried, and where. */
  start(
    baseUrl: string,
    controlUrl: string | null,
    scenarios: readonly Scenario[],
    provider: Provider,
    selection: Selection,
  ): void {
    const chosen = scenarios.filter((each) => selectedRules(each, selection).length > 0);
    const able = chosen.filter((each) =>
      (each.needs ?? []).every((need) => provider.offers.has(need)),
    );
    const how = controlUrl === null ? 'without a control plane' : `control plane ${controlUrl}`;
    const much =
      able.length === chosen.length
        ? count(able.length, 'scenario')
        : `${able.length} of ${count(chosen.length, 'scenario')} (the rest lack something)`;
    this.#io.err(this.#shown(`Judging ${baseUrl}, ${how}: ${much}\n`));
    for (const note of provider.notes) this.#io.err(this.#shown(`  ${note}\n`));
  }

  played(result: ScenarioResult, done: number, total: number): void {
    this.#calls += result.exchanges.filter((each) => each.kind === 'call').length;
    if (result.verdict === 'deviates') this.#deviating += 1;
    const nowMs = performance.now();
    const waitMs = this.#io.isTerminal ? REDRAW_MS : LOG_EVERY_MS;
    if (nowMs - this.#lastMs < waitMs) return;
    this.#lastMs = nowMs;
    this.#draw(done, total, result.id);
  }

  end(): void {
    if (this.#drawn && this.#io.isTerminal) this.#io.err('\r\x1b[K');
  }

  #draw(done: number, total: number, id: string): void {
    const took = duration(performance.now() - this.#startedAtMs);
    const bad = this.#deviating === 0 ? '' : `, ${this.#deviating} deviating`;
    const line = `${done} of ${total} scenarios, ${count(this.#calls, 'request')}${bad}, ${took}`;
    if (this.#io.isTerminal) {
      const whole = `${line}  ${id}`.slice(0, this.#io.columns - 1);
      this.#io.err(`\r\x1b[K${whole}`);
    } else {
      this.#io.err(`${line}\n`);
    }
    this.#drawn = true;
  }
}
