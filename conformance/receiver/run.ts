// A whole run against one receiver: a valid control first, the checks group by group, the control
// again after each.
import type { Exchange, Judged } from '../engine/types.ts';
import { acceptChecks } from './accept.ts';
import { adviceChecks, laxChecks } from './advice.ts';
import { effectChecks, mannerChecks } from './behaviour.ts';
import type { Check, Group } from './check.ts';
import { bytesOf, deliveryOf, eventOf, type Terms } from './delivery.ts';
import { diagnose } from './diagnose.ts';
import { type EffectProbe, judgeEffects } from './effects.ts';
import { isAccepted, type Judgement, judgeCheck, judgeManners, leaks, told } from './judge.ts';
import { refuseChecks } from './refuse.ts';
import { type Gun, gunFor } from './shoot.ts';
import { agesMs, measureWindow } from './window.ts';

export const receiverChecks: readonly Check[] = [
  ...acceptChecks,
  ...refuseChecks,
  ...adviceChecks,
  ...laxChecks,
];

/** Those that are judged over many deliveries too, and those that take a probe of the effects. */
export const allChecks: readonly Check[] = [...receiverChecks, ...mannerChecks, ...effectChecks];

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

export interface ReceiverParts {
  readonly url: string;
  readonly terms: Terms;
  readonly effects: EffectProbe | null;
  /** Ends the run; what was judged until then stands. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: CheckResult, done: number, total: number) => void;
}

/** The most deliveries that a run can send, to be said before it starts. */
export function mostDeliveries(effects: boolean): number {
  const names = { signature: 'signature', subscription: 'subscription' };
  const terms = { secret: 'none', previousSecret: null, names, mark: 'none' };
  const checks = effects ? [...receiverChecks, ...effectChecks] : receiverChecks;
  const shots = checks.reduce((sum, check) => sum + check.shots(terms).length, 0);
  // Where the first control fails there are guesses in place of checks, and they are fewer.
  const controls = 1 + order.length;
  return shots + controls + agesMs.length;
}

export async function runReceiver(parts: ReceiverParts): Promise<ReceiverRun> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const gun = await gunFor(parts.url, startedAtMs);
  const cutOff = () => void gun.close();
  parts.signal?.addEventListener('abort', cutOff, { once: true });
  try {
    const state = new Run(parts, gun);
    await state.play();
    return {
      startedAt,
      durationMs: performance.now() - startedAtMs,
      requests: gun.sent(),
      results: state.results,
      refused: state.refused,
      interrupted: state.interrupted,
      observed: state.observed,
    };
  } finally {
    parts.signal?.removeEventListener('abort', cutOff);
    await gun.close();
  }
}

interface Played {
  readonly check: Check;
  readonly judgement: Judgement;
  readonly exchanges: readonly Exchange[];
}

const order: readonly Group[] = ['accept', 'refuse', 'advice'];

class Run {
  readonly results: CheckResult[] = [];
  readonly observed: string[] = [];
  refused: string | null = null;
  readonly #parts: ReceiverParts;
  readonly #gun: Gun;
  readonly #valid: Exchange[] = [];
  readonly #leaking: Exchange[] = [];
  #controls = 0;

  constructor(parts: ReceiverParts, gun: Gun) {
    this.#parts = parts;
    this.#gun = gun;
  }

  async play(): Promise<void> {
    const control = await this.#control();
    if (!isAccepted(control)) {
      const why = this.interrupted
        ? 'interrupted before it was judged'
        : await diagnose(this.#parts.terms, control, this.#gun.shoot);
      this.refused = why;
      const checks = this.#parts.effects === null ? [] : effectChecks;
      for (const check of [...receiverChecks, ...mannerChecks, ...checks]) {
        this.#add(check, unjudged(check, why), []);
      }
      return;
    }
    let lost: string | null = null;
    for (const group of order) lost = await this.#playGroup(group, lost);
    this.#addManners();
    const { effects, terms } = this.#parts;
    if (lost === null) {
      this.observed.push(await measureWindow(terms, this.#gun.shoot));
      if (effects !== null) await this.#addEffects(effects, terms);
      else this.observed.push('Side effects were not counted: no probe of them was given.');
      return;
    }
    if (!this.interrupted) this.observed.push(`The run ended early: ${lost}.`);
    for (const check of effects === null ? [] : effectChecks) {
      this.#add(check, unjudged(check, lost), []);
    }
  }

  async #control(): Promise<Exchange> {
    this.#controls += 1;
    const { terms } = this.#parts;
    const body = bytesOf(JSON.stringify(eventOf(terms, `control-${this.#controls}`)));
    const exchange = await this.#gun.shoot(deliveryOf(terms, { body }));
    this.#valid.push(exchange);
    return exchange;
  }

  /** Answers why nothing more can be shown; null as long as valid deliveries are accepted. */
  async #playGroup(group: Group, lost: string | null): Promise<string | null> {
    const { terms } = this.#parts;
    if (lost !== null) {
      for (const check of receiverChecks.filter((each) => each.group === group)) {
        this.#add(check, unjudged(check, lost), [], lost);
      }
      return lost;
    }
    const played: Played[] = [];
    for (const check of receiverChecks.filter((each) => each.group === group)) {
      if (this.interrupted) break;
      const shots = check.shots(terms);
      const exchanges: Exchange[] = [];
      for (const shot of shots) {
        const exchange = await this.#gun.shoot(shot.delivery);
        exchanges.push(exchange);
        if (leaks(shot, exchange)) this.#leaking.push(exchange);
      }
      if (group === 'accept') this.#valid.push(...exchanges);
      played.push({ check, judgement: judgeCheck(check, exchanges), exchanges });
    }
    // A receiver that stopped answering has shown nothing with its refusals.
    if (this.interrupted) return this.#interrupt(group, played);
    const control = await this.#control();
    const fatal = played.find(({ exchanges }) => exchanges.some(({ response }) => !response));
    const why = isAccepted(control) ? null : lostBecause(control, fatal?.check);
    for (const { check, judgement, exchanges } of played) {
      const told = judgement.verdict === 'deviates' || check === fatal?.check;
      const kept = why === null || told;
      this.#add(check, kept ? judgement : unjudged(check, why), exchanges, kept ? null : why);
    }
    return why;
  }

  /** What was not played, and what was cut off, is not judged. */
  #interrupt(group: Group, played: readonly Played[]): string {
    const why = 'interrupted before it was judged';
    const judged = played.filter(({ judgement }) => judgement.verdict === 'deviates');
    for (const { check, judgement, exchanges } of judged) this.#add(check, judgement, exchanges);
    for (const check of receiverChecks.filter((each) => each.group === group)) {
      if (judged.some((each) => each.check === check)) continue;
      this.#add(check, unjudged(check, why), [], why);
    }
    return why;
  }

  get interrupted(): boolean {
    return this.#parts.signal?.aborted ?? false;
  }

  #addManners(): void {
    const seen = [...this.#valid, ...this.#leaking];
    for (const { check, judgement } of judgeManners(this.#valid, this.#leaking)) {
      const shown = seen.filter(({ n }) => judgement.exchanges.includes(n));
      this.#add(check, judgement, shown);
    }
  }

  async #addEffects(probe: EffectProbe, terms: Terms): Promise<void> {
    const results = await judgeEffects(probe, terms, this.#gun.shoot);
    for (const { check, judgement, exchanges } of results) this.#add(check, judgement, exchanges);
  }

  #add(
    check: Check,
    judgement: Judgement,
    exchanges: readonly Exchange[],
    why: string | null = null,
  ): void {
    this.#push({ check, judgement, why, exchanges });
  }

  #push(result: CheckResult): void {
    this.results.push(result);
    this.#parts.onResult?.(
      result,
      this.results.length,
      receiverChecks.length + mannerChecks.length,
    );
  }
}

function lostBecause(control: Exchange, fatal: Check | undefined): string {
  const words = `a valid delivery was no longer accepted (${told(control)})`;
  if (control.response !== null || fatal === undefined) return words;
  return `the receiver went away when ${fatal.id} was sent, and ${words}`;
}

function unjudged(check: Check, why: string): Judgement {
  const verdict: Judged = 'inconclusive';
  return { verdict, expected: check.title, actual: why, exchanges: [] };
}
