// The corpus: sequences that made the model do something new, and the mutations that derive new
// sequences from them.
import type { Random } from '../../../fixtures/random.ts';
import { memberAt } from '../../engine/send/json.ts';
import type { OperationName } from '../../spec/operations.ts';
import { type CallOutcome, summaryOf } from '../play/outcome.ts';
import {
  type CallStep,
  callsOf,
  countCalls,
  nextLabel,
  refersTo,
  type Step,
  withoutRedirected,
} from '../sequence.ts';
import { TIMES } from './boundaries.ts';
import type { Draft } from './draft.ts';
import { OPS } from './operations.ts';

/** How often each operation, answer, rule and state transition occurred. */
export interface Coverage {
  readonly operations: Map<string, number>;
  readonly answers: Map<string, number>;
  readonly rules: Map<string, number>;
  /** The rules that every such refusal cites, by operation and answer. */
  readonly refusals: Map<string, readonly string[]>;
}

export const noCoverage = (): Coverage => ({
  operations: new Map(),
  answers: new Map(),
  rules: new Map(),
  refusals: new Map(),
});

const count = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const MOST_KEPT = 200;
const MOST_CALLS = 40;
const MOST_MUTATIONS = 4;

export class Corpus {
  readonly coverage = noCoverage();
  readonly #met = new Set<string>();
  readonly #kept: { readonly steps: readonly Step[]; uses: number }[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Keeps a sequence that made the model do something new, without its final reads. */
  take(d: Draft, steps: readonly Step[]): void {
    const before = this.#met.size;
    for (const each of this.#featuresOf(d)) this.#met.add(each);
    if (this.#met.size === before || countCalls(steps) > MOST_CALLS) return;
    this.#kept.push({ steps, uses: 0 });
    if (this.#kept.length > MOST_KEPT) this.#kept.shift();
  }

  /** The behavior of the model, in context: after which change of the record, and by which rules. */
  #featuresOf(d: Draft): readonly string[] {
    const features: string[] = [];
    const lastOf = new Map<string, string>();
    for (const step of d.steps) {
      for (const call of callsOf([step])) {
        const outcome = d.options.player.outcomes.get(call.n);
        if (outcome?.kind !== 'answer') continue;
        this.#count(call.operation, outcome);
        const { operation } = call;
        const said = `${operation} ${summaryOf(outcome)} ${outcome.basis?.idempotency ?? '-'}`;
        const record = String(memberAt(outcome.json, 'id') ?? JSON.stringify(call.id ?? null));
        const before = lastOf.get(record) ?? 'nothing';
        features.push(said, `${said} after ${before}`, `${said} in a ${step.do}`);
        for (const cite of outcome.basis?.cites ?? []) features.push(`${operation} ${cite}`);
        const status = String(memberAt(outcome.json, 'status') ?? '');
        if (!OPS[operation].isRead) lastOf.set(record, `${operation} ${status}`);
      }
    }
    return features;
  }

  #count(operation: OperationName, outcome: CallOutcome): void {
    const { operations, answers, rules, refusals } = this.coverage;
    const answer = summaryOf(outcome);
    const cites = outcome.basis?.cites ?? [];
    count(operations, operation);
    count(answers, answer);
    for (const each of cites) count(rules, each);
    const isReplay = outcome.basis?.idempotency === 'replayed';
    if (outcome.status < 400 || outcome.status >= 500 || isReplay) return;
    const known = refusals.get(`${operation} ${answer}`) ?? cites;
    const common = known.filter((rule) => cites.includes(rule));
    refusals.set(`${operation} ${answer}`, common);
  }

  mutated(): readonly Step[] {
    // Each is used before any is used again.
    const [base] = this.#random.shuffled(this.#kept).sort((one, two) => one.uses - two.uses);
    if (base === undefined) return [];
    base.uses += 1;
    let { steps } = base;
    for (let times = 1 + this.#random.below(MOST_MUTATIONS); times > 0; times -= 1) {
      steps = this.#random.pick(MUTATIONS)(steps, this.#random);
    }
    return steps;
  }
}

type Mutation = (steps: readonly Step[], random: Random) => readonly Step[];

/** Repeats an earlier call at the end, under its key or a new one. */
const repeated: Mutation = (steps, random) => {
  const calls = callsOf(steps).filter(({ key }) => key !== undefined);
  if (calls.length === 0) return steps;
  const { fault: _, meanwhile: __, ...call } = random.pick(calls);
  const n = nextLabel(steps);
  const key = random.chance(0.5) ? call.key! : { $fresh: `key${n}` };
  return [...steps, { ...call, n, key }];
};

const late: Mutation = (steps, random) => {
  const at = random.below(steps.length + 1);
  const n = nextLabel(steps);
  const pause: Step = { do: 'advance', n, byMs: random.pick(TIMES) };
  return repeated([...steps.slice(0, at), pause, ...steps.slice(at)], random);
};

/** Sends two neighbors concurrently, if the second does not depend on the first. */
const concurrent: Mutation = (steps, random) => {
  const pairs = steps.flatMap((step, at) => {
    const next = steps[at + 1];
    if (step.do !== 'call' || next?.do !== 'call') return [];
    // Which of two concurrent calls a fault hits is random.
    if (step.fault !== undefined || next.fault !== undefined) return [];
    return refersTo(next).includes(step.n) ? [] : [at];
  });
  if (pairs.length === 0) return steps;
  const at = random.pick(pairs);
  const calls = [steps[at], steps[at + 1]] as CallStep[];
  return [
    ...steps.slice(0, at),
    { do: 'burst', n: nextLabel(steps), calls },
    ...steps.slice(at + 2),
  ];
};

const otherCaller: Mutation = (steps, random) => {
  const names = steps.flatMap((step) => (step.do === 'mint' ? [step.name] : []));
  const as = random.pick(['brand', 'other_brand', 'firm', ...names]);
  const minted = steps.findIndex((step) => step.do === 'mint' && step.name === as);
  const calls = steps.flatMap((step, at) => (step.do === 'call' && at > minted ? [at] : []));
  if (calls.length === 0) return steps;
  const at = random.pick(calls);
  return steps.with(at, { ...(steps[at] as CallStep), as });
};

const shorter: Mutation = (steps, random) => {
  const gone = steps.filter(() => random.chance(0.15)).map(({ n }) => n);
  return withoutRedirected(steps, gone);
};

const MUTATIONS: readonly Mutation[] = [repeated, late, concurrent, otherCaller, shorter];
