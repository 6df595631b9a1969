// A whole judgement: the command as it is, then once a check against a world in which something
// goes wrong, side by side as far as was asked for.
import { type Recording, succeeded } from './call.ts';
import { CheckPlay, type Task } from './check-play.ts';
import type { Check, CheckVerdict } from './checks/check.ts';
import type { Fault } from './faults/fault.ts';
import { type Observation, observe } from './observation.ts';
import { play } from './play.ts';
import type { OpenWorld } from './port.ts';
import type { Settled } from './settle.ts';

export interface JudgeOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly checks: readonly Check[];
  readonly timeoutMs: number;
  readonly jobs: number;
  readonly seed: number;
  readonly openWorld: OpenWorld;
  /** Ends the judgement; what was judged until then stands. */
  readonly signal: AbortSignal;
  readonly onFirst?: (seen: Observation) => void;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly done: number;
  readonly planned: number;
  readonly remainingMs: number;
  readonly check: string;
}

export interface CheckResult {
  readonly check: Check;
  readonly verdict: CheckVerdict;
  /** Why it was not judged, or what was left out; null where there is nothing to say. */
  readonly why: string | null;
  readonly settled: readonly Settled[];
}

export interface ClientRun {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seen: Observation;
  /** Why only habits could be judged; null where the first run was good. */
  readonly unusable: string | null;
  readonly results: readonly CheckResult[];
  /** How often the command was run. */
  readonly runs: number;
  readonly requests: number;
  readonly interrupted: boolean;
}

export async function judgeClient(options: JudgeOptions): Promise<ClientRun> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const judgement = new Judgement(options);
  const { recording: first } = await judgement.run(`${options.seed}/first`, {});
  const seen = observe(first);
  options.onFirst?.(seen);
  const unusable = whyUnusable(first, options);
  const plays = options.checks.map((check) => new CheckPlay(check, seen));
  for (const each of plays) each.judgeHabit(first, 1);
  if (unusable === null) await judgement.playAll(plays);
  const interrupted = options.signal.aborted;
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    seen,
    unusable,
    results: plays.map((each) => each.result(unusable ?? (interrupted ? 'interrupted' : null))),
    runs: judgement.runs,
    requests: judgement.requests,
    interrupted,
  };
}

function whyUnusable(first: Recording, { timeoutMs, signal }: JudgeOptions): string | null {
  if (signal.aborted) return 'interrupted';
  const { ending, calls } = first;
  const within = `within ${timeoutMs / 1000} s (--timeout-s)`;
  if (ending.killed) return `the first run did not end by itself ${within}`;
  if (calls.length === 0) {
    const how = 'does it read SANDBOX_BASE_URL from its environment?';
    return `the first run called nothing: ${how}`;
  }
  return succeeded(first)
    ? null
    : `the first run failed although nothing went wrong: exit code ${ending.code ?? ending.signal}`;
}

class Judgement {
  runs = 0;
  requests = 0;
  readonly #options: JudgeOptions;
  #done = 0;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  async run(seed: string, fault: Fault): Promise<{ recording: Recording; n: number }> {
    this.runs += 1;
    const n = this.runs;
    const recording = await play({ ...this.#options, seed, fault });
    this.requests += recording.calls.length;
    return { recording, n };
  }

  /** So many at once as was asked for, those that take longest first. */
  async playAll(plays: readonly CheckPlay[]): Promise<void> {
    const waiting: Task[] = plays.flatMap((each) => each.begin());
    const second = plays.find(({ check }) => check.atOnce === 0);
    if (second !== undefined) waiting.push(second.againAsItIs(plays));
    const running = new Map<Task, Promise<void>>();
    while (waiting.length > 0 || running.size > 0) {
      if (this.#options.signal.aborted) waiting.length = 0;
      waiting.sort((a, b) => b.expectedMs - a.expectedMs);
      while (waiting.length > 0 && running.size < this.#options.jobs) {
        const task = waiting.shift()!;
        const played = this.#play(task).then((more) => {
          running.delete(task);
          waiting.push(...more);
          const left = waiting.filter((each) => !each.isIdle());
          waiting.splice(0, waiting.length, ...left);
          this.#tell(task, [...waiting, ...running.keys()]);
        });
        running.set(task, played);
      }
      await Promise.race(running.values());
    }
  }

  async #play(task: Task): Promise<readonly Task[]> {
    const { recording, n } = await this.run(`${this.#options.seed}/${task.name}`, task.fault());
    this.#done += 1;
    if (this.#options.signal.aborted) return [];
    return task.played(recording, n);
  }

  #tell({ name }: Task, left: readonly Task[]): void {
    const expectedMs = left.reduce((sum, each) => sum + each.expectedMs, 0);
    const longestMs = Math.max(0, ...left.map((each) => each.expectedMs));
    this.#options.onProgress?.({
      done: this.#done,
      planned: this.#done + left.length,
      remainingMs: Math.max(longestMs, expectedMs / this.#options.jobs),
      check: name,
    });
  }
}
