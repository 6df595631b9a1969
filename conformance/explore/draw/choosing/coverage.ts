// What the sequences so far have met: rules, refusals, ways of idempotency, and what followed on
// what; and the sequences that met something first, to build on.

import type { Random } from '../../../../fixtures/random.ts';
import type { CallOutcome, Outcome } from '../../play/outcome.ts';
import { callsOf, countCalls, type Sequence, type Step } from '../../sequence.ts';

const HOUR_MS = 3_600_000;

export class Coverage {
  readonly operations = new Map<string, number>();
  readonly answers = new Map<string, number>();
  readonly rules = new Map<string, number>();
  /** How often each idea was drawn. */
  readonly ideas = new Map<string, number>();
  readonly #features = new Map<string, number>();
  readonly #corpus: Sequence[] = [];

  drawn(idea: string): void {
    add(this.ideas, idea);
  }

  /** How much of what a sequence meets was never met before, for each of its calls. */
  noveltyOf(sequence: Sequence, outcomes: ReadonlyMap<number, Outcome>): number {
    const features = new Set(featuresOf(sequence, outcomes));
    const fresh = [...features].filter((each) => !this.#features.has(each)).length;
    return fresh / Math.max(1, countCalls(sequence.steps));
  }

  /** Takes in what one sequence met on the model; what met something new is kept. */
  take(sequence: Sequence, outcomes: ReadonlyMap<number, Outcome>): void {
    for (const call of callsOf(sequence.steps)) {
      const outcome = outcomes.get(call.n);
      if (outcome?.kind === 'answer') this.#count(call.operation, outcome);
    }
    let isNew = false;
    for (const each of featuresOf(sequence, outcomes)) {
      if (add(this.#features, each) === 1) isNew = true;
    }
    if (isNew) this.#corpus.push(sequence);
  }

  #count(operation: string, outcome: CallOutcome): void {
    add(this.operations, operation);
    add(this.answers, answerOf(outcome));
    for (const cite of outcome.basis?.cites ?? []) {
      if (!cite.startsWith('NS-')) add(this.rules, cite);
    }
  }

  /** One that has met something new, the later ones more often. */
  pick(random: Random): Sequence | undefined {
    if (this.#corpus.length === 0) return undefined;
    const recent = this.#corpus.slice(-200);
    return random.pick(random.chance(0.5) ? recent : this.#corpus);
  }

  get size(): number {
    return this.#features.size;
  }
}

/** What each step met, by itself and after the one and the two before it. */
function featuresOf({ steps }: Sequence, outcomes: ReadonlyMap<number, Outcome>): string[] {
  const words = steps.flatMap((step) => wordsOf(step, outcomes));
  return words.flatMap(([word, rests], at) => {
    const [before] = words[at - 1] ?? ['-'];
    const [earlier] = words[at - 2] ?? ['-'];
    return [`${word} ${rests}`, `${before} > ${word}`, `${earlier} > ${before} > ${word}`];
  });
}

function wordsOf(step: Step, outcomes: ReadonlyMap<number, Outcome>): [string, string][] {
  if (step.do === 'advance') return [[`advance ${pauseOf(step.byMs)}`, '']];
  if (step.do === 'many') return [[`many ${step.call.operation}`, '']];
  if (step.do !== 'call' && step.do !== 'burst') return [[step.do, '']];
  const together = step.do === 'burst' ? 'at once ' : '';
  return callsOf([step]).map(({ n, operation, as }) => {
    const outcome = outcomes.get(n);
    if (outcome?.kind !== 'answer') return [`${together}${operation} unanswered`, ''];
    const { basis } = outcome;
    const how = basis?.idempotency ?? '-';
    const who = /^m\d/.test(as) ? 'minted' : as;
    return [
      `${together}${operation} ${answerOf(outcome)} ${how}`,
      `${who} ${basis?.cites.join(' ')}`,
    ];
  });
}

function answerOf({ status, json }: CallOutcome): string {
  const code = (json as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && status >= 400 ? `${status} ${code}` : `${status}`;
}

function pauseOf(byMs: number): string {
  if (byMs < 60_000) return 'seconds';
  return byMs < HOUR_MS ? 'minutes' : byMs < 24 * HOUR_MS ? 'hours' : 'days';
}

function add(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
