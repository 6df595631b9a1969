// What the sequences so far have met: rules, refusals, ways of idempotency; and the sequences that
// met something first, to build on.
import type { CallOutcome, Outcome } from '../play/outcome.ts';
import { callsOf, type Sequence } from '../sequence.ts';
import type { Random } from './random.ts';

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

  /** Takes in what one sequence met on the model; what met something new is kept. */
  take(sequence: Sequence, outcomes: ReadonlyMap<number, Outcome>): boolean {
    let isNew = false;
    let before = '';
    for (const call of callsOf(sequence.steps)) {
      const outcome = outcomes.get(call.n);
      if (outcome?.kind !== 'answer') continue;
      const feature = this.#count(call.operation, outcome);
      // In which company a thing is met is something new as well.
      for (const each of [feature, `${before} > ${feature}`]) {
        if (add(this.#features, each) === 1) isNew = true;
      }
      before = feature;
    }
    if (isNew) this.#corpus.push(sequence);
    return isNew;
  }

  #count(operation: string, { status, json, basis }: CallOutcome): string {
    const code = (json as { code?: unknown } | null | undefined)?.code;
    const answer = typeof code === 'string' && status >= 400 ? `${status} ${code}` : `${status}`;
    add(this.operations, operation);
    add(this.answers, answer);
    for (const cite of basis?.cites ?? []) {
      if (!cite.startsWith('NS-')) add(this.rules, cite);
    }
    return [operation, answer, basis?.idempotency, basis?.cites.join(' ')].join('|');
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

function add(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
}
