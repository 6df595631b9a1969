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
import { isAccepted, type Judgement, judgeCheck, judgeManners, told } from './judge.ts';
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
  /** What was measured besides, one sentence each. */
  readonly observed: readonly string[];
}

export interface ReceiverParts {
  readonly url: string;
  readonly terms: Terms;
  readonly effects: EffectProbe | null;
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
  try {
    const state = new Run(parts, gun);
    await state.play();
    return {
      startedAt,
      durationMs: performance.now() - startedAtMs,
      requests: gun.sent(),
      results: state.results,
      refused: state.refused,
      observed: state.observed,
    };
  } finally {
    await gun.close();
  }
}

const order: readonly Group[] = ['accept', 'refuse', 'advice'];

class Run {
  readonly results: CheckResult[] = [];
  readonly observed: string[] = [];
  refused: string | null = null;
  readonly #parts: ReceiverParts;
  readonly #gun: Gun;
  readonly #valid: Exchange[] = [];
  #controls = 0;

  constructor(parts: ReceiverParts, gun: Gun) {
    this.#parts = parts;
    this.#gun = gun;
  }

  async play(): Promise<void> {
    const control = await this.#control();
    if (!isAccepted(control)) {
      const why = await diagnose(this.#parts.terms, control, this.#gun.shoot);
      this.refused = `a valid delivery was answered ${told(control)}: ${why}`;
      for (const check of receiverChecks) this.#add(check, unjudged(check, this.refused), []);
      return;
    }
    let lost: string | null = null;
    for (const group of order) lost = await this.#playGroup(group, lost);
    this.#addManners();
    const { effects, terms } = this.#parts;
    if (lost === null) {
      this.observed.push(await measureWindow(terms, this.#gun.shoot));
      if (effects !== null) await this.#addEffects(effects, terms);
      return;
    }
    this.observed.push(`The run ended early: ${lost}.`);
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
    const played: { check: Check; judgement: Judgement; exchanges: readonly Exchange[] }[] = [];
    for (const check of receiverChecks.filter((each) => each.group === group)) {
      const shots = check.shots(terms);
      const exchanges: Exchange[] = [];
      for (const { delivery } of shots) exchanges.push(await this.#gun.shoot(delivery));
      if (group === 'accept') this.#valid.push(...exchanges);
      played.push({ check, judgement: judgeCheck(check, shots, exchanges), exchanges });
    }
    // A receiver that stopped answering has shown nothing with its refusals.
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

  #addManners(): void {
    for (const { check, judgement } of judgeManners(this.#valid)) {
      const shown = this.#valid.filter(({ n }) => judgement.exchanges.includes(n));
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
    this.#parts.onResult?.(result, this.results.length, receiverChecks.length + 2);
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
