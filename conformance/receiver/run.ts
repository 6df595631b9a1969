// One run against a receiver: a valid delivery first, the checks group by group, and a valid
// delivery again after each group.
import { setTimeout as pause } from 'node:timers/promises';
import type { Selection } from '../engine/run/select.ts';
import type { Exchange } from '../engine/types.ts';
import { mannerChecks } from './behaviour.ts';
import type { Check } from './check.ts';
import { checksOf, groupsInOrder } from './checks.ts';
import { type SigningOptions, validDelivery } from './delivery.ts';
import { diagnose } from './diagnose.ts';
import {
  describeExchange,
  isAccepted,
  isGone,
  isUnreached,
  type Judgement,
  judgeCheck,
  judgeEnded,
  leaksMac,
  unjudged,
} from './judge.ts';
import { Interrupted, openProbeSender, type ProbeSender } from './probe-sender.ts';
import { type EffectCounter, judgeEffects } from './side-effects.ts';

/** The result of one check. */
export interface CheckResult {
  readonly check: Check;
  readonly judgement: Judgement;
  /** Why it was not judged. */
  readonly why: string | null;
  readonly exchanges: readonly Exchange[];
}

export interface ReceiverRun {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly requests: number;
  readonly results: readonly CheckResult[];
  /** Why nothing was judged; null if the first valid delivery was accepted. */
  readonly refused: string | null;
  readonly interrupted: boolean;
  /** What was measured besides, one sentence each. */
  readonly observed: readonly string[];
}

export interface ReceiverRunOptions {
  readonly url: string;
  readonly signing: SigningOptions;
  readonly effects: EffectCounter | null;
  readonly selection?: Selection;
  /** Ends the run; what was judged until then stands. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: CheckResult, done: number, total: number) => void;
}

export async function runReceiver(options: ReceiverRunOptions): Promise<ReceiverRun> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const sender = await openProbeSender(options.url, startedAtMs, options.signal);
  try {
    const run = new Run(options, sender);
    await run.play();
    return {
      startedAt,
      durationMs: performance.now() - startedAtMs,
      requests: sender.sentCount(),
      results: run.results,
      refused: run.refused,
      interrupted: options.signal?.aborted ?? false,
      observed: run.observed,
    };
  } finally {
    await sender.close();
  }
}

/** How long a receiver that ended may take until its supervisor has started it again. */
const returnLimitMs = 5000;
const returnStepMs = 250;
const interruptedWords = 'interrupted before it was judged';

type Played = Omit<CheckResult, 'why'>;

class Run {
  readonly results: CheckResult[] = [];
  readonly observed: string[] = [];
  refused: string | null = null;
  readonly #options: ReceiverRunOptions;
  readonly #sender: ProbeSender;
  /** The checks of this run, in the order of the report. */
  readonly #wanted: readonly Check[];
  readonly #valid: Exchange[] = [];
  readonly #leaking: Exchange[] = [];
  readonly #repeated = new Set<Check>();
  /** Checks of the current group, until the valid delivery after it decides what they show. */
  #played: Played[] = [];

  constructor(options: ReceiverRunOptions, sender: ProbeSender) {
    this.#options = options;
    this.#sender = sender;
    this.#wanted = checksOf(options.effects !== null, options.selection);
  }

  async play(): Promise<void> {
    try {
      await this.#judge();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.#interrupt();
    }
  }

  async #judge(): Promise<void> {
    const { effects, signing } = this.#options;
    const control = await this.#control();
    if (!isAccepted(control)) {
      this.refused = await diagnose(signing, control, this.#sender.send);
      this.#addRest(this.refused);
      return;
    }
    let lost: string | null = null;
    for (const group of groupsInOrder) {
      const checks = this.#wanted.filter((each) => each.group === group);
      if (lost === null && checks.length > 0) lost = await this.#playGroup(checks);
    }
    if (lost !== null) {
      this.observed.push(`The run ended early: ${lost}.`);
      this.#addRest(lost, ({ group }) => group !== 'behaviour');
    }
    this.#addManners();
    if (lost !== null) return this.#addRest(lost);
    if (effects === null) {
      this.observed.push('Side effects were not counted, because --effect-probe is missing.');
      return;
    }
    for (const result of await judgeEffects(effects, this.#wanted, signing, this.#sender.send)) {
      this.#add({ ...result, why: null });
    }
  }

  #sendValid(name: string): Promise<Exchange> {
    const { signing } = this.#options;
    return this.#sender.send(validDelivery(signing, `${name}-${this.#sender.sentCount()}`));
  }

  /** Sends a valid delivery that counts for the response times. */
  async #control(): Promise<Exchange> {
    const exchange = await this.#sendValid('control');
    this.#valid.push(exchange);
    return exchange;
  }

  /** Returns why nothing more can be shown; null while valid deliveries are accepted. */
  async #playGroup(checks: readonly Check[]): Promise<string | null> {
    for (const check of checks) {
      const gone = await this.#playCheck(check);
      if (gone === null) continue;
      this.#settle(null);
      return gone;
    }
    const control = await this.#control();
    // The refusals of a receiver that accepts nothing any more show nothing.
    const why = isAccepted(control)
      ? null
      : `a valid delivery was no longer accepted (${describeExchange(control)})`;
    this.#settle(why);
    return why;
  }

  /** Moves the checks of a group into the results; `why` invalidates all but their failures. */
  #settle(why: string | null): void {
    for (const played of this.#played) {
      const isKept = why === null || played.judgement.verdict === 'deviates';
      const judgement = isKept ? played.judgement : unjudged(played.check, why);
      this.#add({ ...played, judgement, why: isKept ? null : why });
    }
    this.#played = [];
  }

  /** Returns why nothing more can be shown if the receiver ended and does not return. */
  async #playCheck(check: Check): Promise<string | null> {
    const exchanges = await this.#sendProbes(check);
    const last = exchanges.at(-1);
    const control = last !== undefined && isGone(last) ? await this.#control() : null;
    if (control === null || !isGone(control)) {
      this.#played.push({ check, judgement: judgeCheck(check, exchanges), exchanges });
      return null;
    }
    const guilty = this.#blame(check, exchanges, control);
    if (!(await this.#hasReturned())) return `the receiver went away when ${guilty} was sent`;
    if (guilty === check.id) return null;
    // The delivery never reached the receiver, so it is sent again.
    if (this.#repeated.has(check)) return 'the receiver went away again and again';
    this.#repeated.add(check);
    return this.#playCheck(check);
  }

  /** Judges the check at which the receiver ended, and returns its id. */
  #blame(check: Check, exchanges: readonly Exchange[], control: Exchange): string {
    const reached = exchanges.filter((each) => !isUnreached(each));
    const before = this.#played.at(-1);
    const isOwn = reached.length > 0 || before === undefined;
    if (!isOwn) this.#played.pop();
    const guilty = isOwn ? { check, exchanges: reached } : before;
    const judgement = judgeEnded(guilty.check, guilty.exchanges, control);
    this.#played.push({
      check: guilty.check,
      judgement,
      exchanges: [...guilty.exchanges, control],
    });
    return guilty.check.id;
  }

  async #hasReturned(): Promise<boolean> {
    const untilMs = performance.now() + returnLimitMs;
    while (performance.now() < untilMs) {
      await pause(returnStepMs);
      if (isAccepted(await this.#sendValid('return'))) return true;
    }
    return false;
  }

  /** All deliveries of a check, up to the first one without a response. */
  async #sendProbes(check: Check): Promise<readonly Exchange[]> {
    const exchanges: Exchange[] = [];
    for (const probe of check.probes(this.#options.signing)) {
      const exchange = await this.#sender.send(probe.delivery);
      exchanges.push(exchange);
      if (leaksMac(probe, exchange)) this.#leaking.push(exchange);
      if (exchange.response === null) break;
    }
    if (check.group === 'accept') this.#valid.push(...exchanges);
    return exchanges;
  }

  /** What was shown before stands; nothing that was cut off counts against the receiver. */
  #interrupt(): void {
    if (this.results.length + this.#played.length === 0) this.refused = interruptedWords;
    this.#played = this.#played.filter(({ judgement }) => judgement.verdict === 'deviates');
    this.#settle(null);
    this.#addManners(({ verdict }) => verdict === 'deviates');
    this.#addRest(interruptedWords);
  }

  #addManners(isWanted: (judgement: Judgement) => boolean = () => true): void {
    for (const check of mannerChecks) {
      const { shown, ...judged } = check.judge(this.#valid, this.#leaking);
      const judgement: Judgement = { ...judged, exchanges: shown.map(({ n }) => n) };
      if (!this.#wanted.includes(check) || !isWanted(judgement)) continue;
      this.#add({ check, judgement, why: null, exchanges: shown });
    }
  }

  /** Marks every check that has no result as not judged. */
  #addRest(why: string, isWanted: (check: Check) => boolean = () => true): void {
    for (const check of this.#wanted.filter(isWanted)) {
      this.#add({ check, judgement: unjudged(check, why), why, exchanges: [] });
    }
  }

  /** The first result of a check stands. */
  #add(result: CheckResult): void {
    if (this.results.some(({ check }) => check === result.check)) return;
    this.results.push(result);
    this.#options.onResult?.(result, this.results.length, this.#wanted.length);
  }
}
