// A whole run of the judge: first the command without faults, then against worlds with faults, with
// as many concurrent runs as --jobs allows.

import { parseJson } from '../../fixtures/lenient.ts';
import { type CheckPlay, type CheckResult, checkPlay, type Job, type Run } from './check-play.ts';
import type { Check } from './checks/check.ts';
import { type PlayOptions, play } from './play.ts';
import {
  endingWords,
  isUnheard,
  type Observation,
  observe,
  type Recording,
  succeeded,
} from './recording.ts';
import { membersOf } from './requests.ts';

/** Its signal ends the judgement; results so far are kept. */
export interface JudgeOptions extends Omit<PlayOptions, 'seed' | 'fault' | 'aimed'> {
  readonly checks: readonly Check[];
  readonly jobs: number;
  readonly seed: number;
  readonly onFirst?: (seen: Observation) => void;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly done: number;
  readonly planned: number;
  /** The last check played. */
  readonly check: Check;
}

export interface ClientRun {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seen: Observation;
  /** Why only habits could be judged; null if the first run was usable. */
  readonly unusable: string | null;
  readonly results: readonly CheckResult[];
  /** How often the command was run. */
  readonly runs: number;
  readonly requests: number;
  readonly interrupted: boolean;
  /** Notes about the whole run, one sentence each. */
  readonly notes: readonly string[];
}

export async function judgeClient(options: JudgeOptions): Promise<ClientRun> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const runner = new Runner(options);
  const first = await runner.play({ name: 'first' });
  const seen = observe(first.recording);
  options.onFirst?.(seen);
  const unusable = whyUnusable(first.recording, options);
  const notes: string[] = unusable === null ? [] : lastRefusal(first.recording);
  const plays = options.checks.map((check) => checkPlay(check, seen, (job) => runner.run(job)));
  for (const each of plays) each.judgeHabit(first);
  if (unusable === null) {
    const isAlone = !(await runner.runBesideItself(plays));
    await Promise.all(plays.map((each) => each.play()));
    if (isAlone && options.jobs > 1) notes.push(notSideBySide);
  }
  const interrupted = options.signal.aborted;
  if (lacksBrand(first.recording)) notes.push(withoutBrand);
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    seen,
    unusable,
    results: plays.map((each) => each.result(unusable ?? (interrupted ? 'interrupted' : null))),
    runs: runner.runs,
    requests: runner.requests,
    interrupted,
    notes,
  };
}

const withoutBrand =
  'No create of an account sent a brand_id. SANDBOX_TOKEN is valid for every brand of its firm, so each create needs SANDBOX_BRAND_ID as its brand_id.';
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
      return `the command ${endingWords(ending)} ${when}`;
    }
    const how = 'send its requests to the address in the variable SANDBOX_BASE_URL';
    return `the first run called nothing of the sandbox, and ${endingWords(ending)}: ${how}`;
  }
  if (killed) return `the first run did not end by itself ${within}`;
  return succeeded(first)
    ? null
    : `the first run ${endingWords(ending)} although nothing went wrong`;
}

function lacksBrand({ calls }: Recording): boolean {
  const creates = calls.filter(({ operation }) => /createAccounts?$/i.test(operation ?? ''));
  return creates.length > 0 && creates.every(({ body }) => !body.includes('"brand_id"'));
}

/** Many clients hide why they failed; the last refusal of the platform is the best hint. */
function lastRefusal({ calls }: Recording): string[] {
  const refused = calls.findLast(({ response }) => (response?.status ?? 0) >= 400);
  if (refused?.response == null) return [];
  const { status, body } = refused.response;
  const { code, detail } = membersOf(parseJson(body));
  const reason = typeof detail === 'string' ? `${code}: ${detail}` : body.split('\n', 1)[0];
  const call = `call ${refused.n}, ${refused.method} ${refused.path}`;
  return [`The last refusal of the first run: ${call}, was answered ${status} ${reason}`];
}

/** Runs the command for each request, with as many concurrent runs as there is room for. */
class Runner {
  runs = 0;
  requests = 0;
  readonly #options: JudgeOptions;
  #jobs: number;
  #done = 0;
  #waiting: { readonly job: Job; readonly go: (isWanted: boolean) => void }[] = [];
  readonly #running = new Set<Job>();

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.#jobs = options.jobs;
  }

  /** One run, started immediately. */
  async play(job: Pick<Job, 'name'> & Partial<Job>): Promise<Run> {
    this.runs += 1;
    const n = this.runs;
    const { name, patience = 1, aimed = [], fault = () => ({}) } = job;
    const recording = await play({
      ...this.#options,
      timeoutMs: this.#options.timeoutMs * patience,
      seed: `${this.#options.seed}/${name}`,
      fault: fault(),
      aimed,
    });
    this.requests += recording.calls.length;
    // If a client does not read its responses in time, too many runs are concurrent.
    if (recording.calls.some(isUnheard)) this.#jobs = Math.max(1, Math.floor(this.#jobs / 2));
    return { recording, n };
  }

  /**
   * Runs the command twice concurrently, to see whether that works at all. A bad habit may also
   * appear in these runs.
   */
  async runBesideItself(plays: readonly CheckPlay[]): Promise<boolean> {
    const count = Math.min(2, this.#jobs);
    const runs = await Promise.all(
      Array.from({ length: count }, (_, n) => this.play({ name: `as it is ${n}` })),
    );
    for (const run of runs) {
      if (succeeded(run.recording)) for (const each of plays) each.judgeHabit(run);
    }
    // A timeout on a busy machine says nothing about ports and files.
    const isGood = runs.every(
      ({ recording }) => succeeded(recording) || recording.calls.some(isUnheard),
    );
    if (!isGood) this.#jobs = 1;
    return isGood;
  }

  /** One run as soon as there is room; null if it is no longer needed. */
  async run(job: Job): Promise<Run | null> {
    const isWanted = await new Promise<boolean>((go) => {
      this.#waiting.push({ job, go });
      this.#admitLater();
    });
    if (!isWanted) return null;
    try {
      const run = await this.play(job);
      this.#done += 1;
      return this.#options.signal.aborted ? null : run;
    } finally {
      this.#running.delete(job);
      this.#admitLater(job.check);
    }
  }

  /** After waiting checks have requested their next runs. */
  #admitLater(check?: Check): void {
    setImmediate(() => {
      this.#admit();
      const planned = this.#done + this.#waiting.length + this.#running.size;
      if (check !== undefined) this.#options.onProgress?.({ done: this.#done, planned, check });
    });
  }

  /** Checks that wait long first, confirmations last. */
  #admit(): void {
    const isIdle = ({ job }: { job: Job }) => this.#options.signal.aborted || job.isIdle();
    for (const { go } of this.#waiting.filter(isIdle)) go(false);
    this.#waiting = this.#waiting
      .filter((each) => !isIdle(each))
      .sort((a, b) => rank(a.job) - rank(b.job));
    while (this.#waiting[0] !== undefined && this.#hasRoom(this.#waiting[0].job)) {
      const { job, go } = this.#waiting.shift()!;
      this.#running.add(job);
      go(true);
    }
  }

  #hasRoom({ isSole }: Job): boolean {
    if (isSole || [...this.#running].some((each) => each.isSole)) return this.#running.size === 0;
    return this.#running.size < this.#jobs;
  }
}

/** A lower rank starts sooner. */
function rank({ isSole, check: { waitS = 0 } }: Job): number {
  return isSole ? 1 : -waitS;
}
