// A whole run against one receiver: a valid control first, the checks group by group, the control
// again after each.
import { setTimeout as pause } from 'node:timers/promises';
import type { Exchange } from '../engine/types.ts';
import type { Check, Group } from './check.ts';
import { effectChecks, mannerChecks } from './checks/behaviour.ts';
import { groupsInOrder, receiverChecks } from './checks.ts';
import { bytesOf, deliveryOf, eventOf, type SigningOptions } from './delivery.ts';
import { diagnose } from './diagnose.ts';
import {
  describeExchange,
  isAccepted,
  isGone,
  isUnreached,
  type Judgement,
  judgeCheck,
  judgeEnded,
  judgeManners,
  leaksMac,
  unjudged,
} from './judge.ts';
import { Interrupted, openProbeSender, type ProbeSender } from './probe-sender.ts';
import { type EffectCounter, judgeEffects } from './side-effects.ts';
import { measureWindow } from './timestamp-tolerance.ts';

/** What came of one check. */
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
  /** Why nothing was judged; null when the control was accepted. */
  readonly refused: string | null;
  readonly interrupted: boolean;
  /** What was measured besides, one sentence each. */
  readonly observed: readonly string[];
}

export interface ReceiverRunOptions {
  readonly url: string;
  readonly signing: SigningOptions;
  readonly effects: EffectCounter | null;
  /** Ends the run; what was judged until then stands. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: CheckResult, done: number, total: number) => void;
}

export async function runReceiver(options: ReceiverRunOptions): Promise<ReceiverRun> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const sender = await openProbeSender(options.url, startedAtMs, options.signal);
  try {
    const state = new Run(options, sender);
    await state.play();
    return {
      startedAt,
      durationMs: performance.now() - startedAtMs,
      requests: sender.sentCount(),
      results: state.results,
      refused: state.refused,
      interrupted: state.interrupted,
      observed: state.observed,
    };
  } finally {
    await sender.close();
  }
}

interface PlayedCheck {
  readonly check: Check;
  readonly judgement: Judgement;
  readonly exchanges: readonly Exchange[];
}

/** How long a receiver that ended is given to be started anew by whatever watches over it. */
const returnLimitMs = 5000;
const returnStepMs = 250;
const interruptedWords = 'interrupted before it was judged';

class Run {
  readonly results: CheckResult[] = [];
  readonly observed: string[] = [];
  refused: string | null = null;
  readonly #options: ReceiverRunOptions;
  readonly #sender: ProbeSender;
  readonly #valid: Exchange[] = [];
  readonly #leaking: Exchange[] = [];
  readonly #retried = new Set<Check>();
  /** The checks of a group, until the control after it says what they show. */
  #played: PlayedCheck[] = [];
  #controls = 0;

  constructor(options: ReceiverRunOptions, sender: ProbeSender) {
    this.#options = options;
    this.#sender = sender;
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
    const control = await this.#control();
    if (!isAccepted(control)) {
      this.refused = await diagnose(this.#options.signing, control, this.#sender.send);
      for (const check of this.#wanted()) this.#add(check, unjudged(check, this.refused), []);
      return;
    }
    let lost: string | null = null;
    for (const group of groupsInOrder) lost = await this.#playGroup(group, lost);
    this.#addManners();
    const { effects, signing } = this.#options;
    if (lost === null) {
      this.observed.push(await measureWindow(signing, this.#sender.send));
      if (effects !== null) await this.#addEffects(effects, signing);
      else this.observed.push('Side effects were not counted: no probe of them was given.');
      return;
    }
    this.observed.push(`The run ended early: ${lost}.`);
    for (const check of this.#wanted()) {
      if (!this.#has(check)) this.#add(check, unjudged(check, lost), []);
    }
  }

  /** Every check of this run, in the order of the report. */
  #wanted(): readonly Check[] {
    const counted = this.#options.effects === null ? [] : effectChecks;
    return [...receiverChecks, ...mannerChecks, ...counted];
  }

  #has(check: Check): boolean {
    return this.results.some((result) => result.check === check);
  }

  async #control(): Promise<Exchange> {
    this.#controls += 1;
    const { signing } = this.#options;
    const body = bytesOf(JSON.stringify(eventOf(signing, `control-${this.#controls}`)));
    const exchange = await this.#sender.send(deliveryOf(signing, { body }));
    this.#valid.push(exchange);
    return exchange;
  }

  /** Answers why nothing more can be shown; null as long as valid deliveries are accepted. */
  async #playGroup(group: Group, lost: string | null): Promise<string | null> {
    const checks = receiverChecks.filter((each) => each.group === group);
    if (lost !== null) {
      for (const check of checks) this.#add(check, unjudged(check, lost), [], lost);
      return lost;
    }
    this.#played = [];
    for (const check of checks) {
      const gone = await this.#playCheck(check);
      if (gone === null) continue;
      this.#settle(null);
      for (const rest of checks) {
        if (!this.#has(rest)) this.#add(rest, unjudged(rest, gone), [], gone);
      }
      return gone;
    }
    const control = await this.#control();
    // A receiver that stopped accepting has shown nothing with its refusals.
    const why = isAccepted(control)
      ? null
      : `a valid delivery was no longer accepted (${describeExchange(control)})`;
    this.#settle(why);
    return why;
  }

  /** Takes the checks of a group into the results; `why` is what makes their refusals worthless. */
  #settle(why: string | null): void {
    for (const { check, judgement, exchanges } of this.#played) {
      const kept = why === null || judgement.verdict === 'deviates';
      this.#add(check, kept ? judgement : unjudged(check, why), exchanges, kept ? null : why);
    }
    this.#played = [];
  }

  /** Answers why nothing more can be shown, where the receiver ended and does not come back. */
  async #playCheck(check: Check): Promise<string | null> {
    const exchanges = await this.#shootAll(check);
    const last = exchanges.at(-1);
    if (last === undefined || !isGone(last)) {
      this.#played.push({ check, judgement: judgeCheck(check, exchanges), exchanges });
      return null;
    }
    const control = await this.#control();
    if (!isGone(control)) {
      this.#played.push({ check, judgement: judgeCheck(check, exchanges), exchanges });
      return null;
    }
    const guilty = this.#ended(check, exchanges, control);
    if (!(await this.#returned())) return `the receiver went away when ${guilty} was sent`;
    if (guilty === check.id) return null;
    // What never came to the receiver is sent again, now that it is back.
    if (this.#retried.has(check)) return 'the receiver went away again and again';
    this.#retried.add(check);
    return this.#playCheck(check);
  }

  /** Names the check at which the receiver ended, and judges it. */
  #ended(check: Check, exchanges: readonly Exchange[], control: Exchange): string {
    const reached = exchanges.filter((each) => !isUnreached(each));
    const before = this.#played.at(-1);
    if (reached.length > 0 || before === undefined) {
      const judgement = judgeEnded(check, reached, control);
      this.#played.push({ check, judgement, exchanges: [...reached, control] });
      return check.id;
    }
    this.#played.pop();
    const judgement = judgeEnded(before.check, before.exchanges, control);
    this.#played.push({ ...before, judgement, exchanges: [...before.exchanges, control] });
    return before.check.id;
  }

  /** A receiver that is started anew is judged on. */
  async #returned(): Promise<boolean> {
    const untilMs = performance.now() + returnLimitMs;
    while (performance.now() < untilMs) {
      await pause(returnStepMs);
      const { signing } = this.#options;
      const body = bytesOf(JSON.stringify(eventOf(signing, `return-${this.#sender.sentCount()}`)));
      if (isAccepted(await this.#sender.send(deliveryOf(signing, { body })))) return true;
    }
    return false;
  }

  /** All the deliveries of a check, up to one that nobody answers. */
  async #shootAll(check: Check): Promise<readonly Exchange[]> {
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

  /** What was shown until then stands; nothing is held against the receiver that was cut off. */
  #interrupt(): void {
    if (this.results.length + this.#played.length === 0) this.refused = interruptedWords;
    this.#played = this.#played.filter(({ judgement }) => judgement.verdict === 'deviates');
    this.#settle(null);
    for (const { check, judgement } of judgeManners(this.#valid, this.#leaking)) {
      if (judgement.verdict === 'deviates' && !this.#has(check)) this.#addManner(check, judgement);
    }
    for (const check of this.#wanted()) {
      if (!this.#has(check)) {
        this.#add(check, unjudged(check, interruptedWords), [], interruptedWords);
      }
    }
  }

  get interrupted(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  #addManners(): void {
    for (const { check, judgement } of judgeManners(this.#valid, this.#leaking)) {
      this.#addManner(check, judgement);
    }
  }

  #addManner(check: Check, judgement: Judgement): void {
    const seen = [...this.#valid, ...this.#leaking];
    const shown = seen.filter(({ n }) => judgement.exchanges.includes(n));
    this.#add(check, judgement, shown);
  }

  async #addEffects(counter: EffectCounter, signing: SigningOptions): Promise<void> {
    const results = await judgeEffects(counter, signing, this.#sender.send);
    for (const { check, judgement, exchanges } of results) this.#add(check, judgement, exchanges);
  }

  #add(
    check: Check,
    judgement: Judgement,
    exchanges: readonly Exchange[],
    why: string | null = null,
  ): void {
    const result = { check, judgement, why, exchanges };
    this.results.push(result);
    this.#options.onResult?.(result, this.results.length, this.#wanted().length);
  }
}
