// A whole run of the judge: the command as it is, then against worlds in which something goes wrong,
// as many at once as --jobs allows.

import { CheckPlay, type Task } from './check-play.ts';
import type { Check, CheckVerdict } from './checks/check.ts';
import type { Conclusion } from './conclude.ts';
import type { Fault } from './faults.ts';
import type { OpenWorld } from './play.ts';
import { play } from './play.ts';
import {
  endingWords,
  isUnheard,
  type Observation,
  observe,
  type Recording,
  succeeded,
} from './recording.ts';
import { membersOf, parseJson } from './requests.ts';

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
  /** What was played last. */
  readonly check: Check;
}

export interface CheckResult {
  readonly check: Check;
  readonly verdict: CheckVerdict;
  /** Why it was not judged, or what was left out; null where there is nothing to say. */
  readonly why: string | null;
  readonly concluded: readonly Conclusion[];
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
  /** Things to know of the judgement as a whole, one sentence each. */
  readonly notes: readonly string[];
}

export async function judgeClient(options: JudgeOptions): Promise<ClientRun> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const judgement = new Judgement(options);
  const { recording: first } = await judgement.run(`${options.seed}/first`, {});
  const seen = observe(first);
  options.onFirst?.(seen);
  const unusable = whyUnusable(first, options);
  const notes: string[] = unusable === null ? [] : lastRefusal(first);
  const plays = options.checks.map((check) => new CheckPlay(check, seen));
  for (const each of plays) each.judgeHabit(first, 1);
  if (unusable === null) {
    const isAlone = !(await judgement.runBesideItself(plays));
    await judgement.playAll(plays);
    if (isAlone && options.jobs > 1) notes.push(notSideBySide);
  }
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
    notes,
  };
}

const notSideBySide =
  'The command failed when it ran beside itself, so it was run one at a time. It may use a fixed port or file, or fail now and then for a reason of its own.';

function whyUnusable(first: Recording, { timeoutMs, signal }: JudgeOptions): string | null {
  if (signal.aborted) return 'interrupted';
  const { ending, calls } = first;
  const { code, killed, durationMs } = ending;
  const within = `within ${timeoutMs / 1000} s (--timeout-s)`;
  if (calls.length === 0) {
    if (killed) return `the first run called nothing of the sandbox and did not end ${within}`;
    if (code !== 0) {
      const when = `after ${(durationMs / 1000).toFixed(1)} s, before it called the sandbox`;
      return `the command failed to start: it ${endingWords(ending)} ${when}`;
    }
    const how = 'send its requests to the address in the variable SANDBOX_BASE_URL';
    return `the first run called nothing of the sandbox, and ${endingWords(ending)}: ${how}`;
  }
  if (killed) return `the first run did not end by itself ${within}`;
  return succeeded(first)
    ? null
    : `the first run ${endingWords(ending)} although nothing went wrong`;
}

/** Many clients hide why they failed; the last refusal of the platform says most. */
function lastRefusal({ calls }: Recording): string[] {
  const refused = calls.findLast(({ response }) => (response?.status ?? 0) >= 400);
  if (refused?.response == null) return [];
  const { status, body } = refused.response;
  const { code, detail } = membersOf(parseJson(body));
  const reason = typeof detail === 'string' ? `${code}: ${detail}` : body.split('\n', 1)[0];
  const call = `call ${refused.n}, ${refused.method} ${refused.path}`;
  return [`The last refusal of the first run: ${call}, was answered ${status} ${reason}`];
}

class Judgement {
  runs = 0;
  requests = 0;
  readonly #options: JudgeOptions;
  #jobs: number;
  #done = 0;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#jobs = options.jobs;
  }

  async run(
    seed: string,
    fault: Fault,
    patience = 1,
  ): Promise<{ recording: Recording; n: number }> {
    this.runs += 1;
    const n = this.runs;
    const timeoutMs = this.#options.timeoutMs * patience;
    const recording = await play({ ...this.#options, timeoutMs, seed, fault });
    this.requests += recording.calls.length;
    // A client that does not read its responses in time has too much running beside it.
    if (recording.calls.some(isUnheard)) this.#jobs = Math.max(1, Math.floor(this.#jobs / 2));
    return { recording, n };
  }

  /**
   * Runs the command twice at once, to see whether that works at all. It is also another chance for
   * a bad habit to show.
   */
  async runBesideItself(plays: readonly CheckPlay[]): Promise<boolean> {
    const count = Math.min(2, this.#jobs);
    const runs = await Promise.all(
      Array.from({ length: count }, (_, n) => this.run(`${this.#options.seed}/as it is ${n}`, {})),
    );
    for (const { recording, n } of runs) {
      if (succeeded(recording)) for (const each of plays) each.judgeHabit(recording, n);
    }
    // A timeout on a busy machine says nothing about ports and files.
    const isGood = runs.every(
      ({ recording }) => succeeded(recording) || recording.calls.some(isUnheard),
    );
    if (!isGood) this.#jobs = 1;
    return isGood;
  }

  /** Checks that wait long first, confirmations last. */
  async playAll(plays: readonly CheckPlay[]): Promise<void> {
    const waiting: Task[] = plays.flatMap((each) => each.begin());
    const running = new Map<Task, Promise<void>>();
    while (waiting.length > 0 || running.size > 0) {
      if (this.#options.signal.aborted) waiting.length = 0;
      waiting.sort((a, b) => rank(a) - rank(b));
      while (waiting[0] !== undefined && this.#hasRoom(waiting[0], [...running.keys()])) {
        const task = waiting.shift()!;
        const played = this.#play(task).then((more) => {
          running.delete(task);
          waiting.push(...more);
          const left = waiting.filter((each) => !each.isIdle());
          waiting.splice(0, waiting.length, ...left);
          const planned = this.#done + waiting.length + running.size;
          this.#options.onProgress?.({ done: this.#done, planned, check: task.check });
        });
        running.set(task, played);
      }
      // After an interrupt there may be nothing to wait for.
      if (running.size > 0) await Promise.race(running.values());
    }
  }

  #hasRoom({ isSole }: Task, running: readonly Task[]): boolean {
    if (isSole || running.some((each) => each.isSole)) return running.length === 0;
    return running.length < this.#jobs;
  }

  async #play(task: Task): Promise<readonly Task[]> {
    const seed = `${this.#options.seed}/${task.name}`;
    const { recording, n } = await this.run(seed, task.fault(), task.patience);
    this.#done += 1;
    if (this.#options.signal.aborted) return [];
    return task.played(recording, n);
  }
}

/** Lower is sooner. */
function rank({ isSole, check: { waitS = 0 } }: Task): number {
  return isSole ? 1 : -waitS;
}
