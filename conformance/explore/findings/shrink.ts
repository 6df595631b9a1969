// Shrinks a sequence to the shortest and plainest one that still shows the same difference.
import { EVERY_OPERATION, OPS } from '../draw/operations.ts';
import { Spent } from '../play/ground.ts';
import {
  callsOf,
  closure,
  countCalls,
  labels,
  mapMembers,
  needed,
  type Sequence,
  type Step,
  sameValue,
  upTo,
  type Value,
  without,
  withoutRedirected,
} from '../sequence.ts';
import type { Shown } from './found.ts';

/**
 * Plays a sequence on fresh worlds; null if it does not show the difference. It is played without
 * hurry, so that late events arrive, before and after it is shrunk.
 */
export type Shows = (sequence: Sequence, isUnhurried?: boolean) => Promise<Shown | null>;
type Steps = readonly Step[];

/** How often the shortest sequence is played after shrinking. */
export const SHOWN_AGAIN = 2;
const MOST_PLAYS = 60;

/** The shortest play that shows it, or the best so far if no requests are left. */
export async function shrink(first: Shown, shows: Shows, left: () => number): Promise<Shown> {
  const shrinking = new Shrinking(first, shows, left);
  await shrinking.slice();
  await shrinking.drop();
  await shrinking.simplify();
  await shrinking.drop();
  return shrinking.best;
}

class Shrinking {
  best: Shown;
  #plays = 0;
  readonly #shows: Shows;
  readonly #left: () => number;

  constructor(first: Shown, shows: Shows, left: () => number) {
    this.best = first;
    this.#shows = shows;
    this.#left = left;
  }

  get #steps(): Steps {
    return this.best.recorded.sequence.steps;
  }

  async #try(steps: Steps): Promise<boolean> {
    const { n } = this.best.difference;
    const isWhole = steps.some((step) => labels(step).includes(n));
    // The current result must still be reproduced on fresh worlds within the budget.
    const cost = countCalls(steps) + SHOWN_AGAIN * countCalls(this.#steps);
    if (!isWhole || this.#plays >= MOST_PLAYS || this.#left() < cost) return false;
    this.#plays += 1;
    try {
      const shown = await this.#shows({ steps });
      if (shown === null) return false;
      const { recorded, difference } = shown;
      const sequence = upTo(recorded.sequence, difference.n);
      this.best = { ...shown, recorded: { ...recorded, sequence } };
      return true;
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
      this.#plays = MOST_PLAYS;
      return false;
    }
  }

  /** Only the dependencies of the last step; or those and the steps that share a key or a record. */
  async slice(): Promise<void> {
    const { n } = this.best.difference;
    for (const part of [closure(this.#steps, [n]), needed({ steps: this.#steps }, n)]) {
      if (part.length < this.#steps.length && (await this.#try(part))) return;
    }
  }

  /** Drops steps, in halves first, with the steps that depend on them, or repairs those. */
  async drop(): Promise<void> {
    for (let size = Math.ceil(this.#steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let end = this.#steps.length - 1; end > 0; end -= size) {
        const gone = this.#steps.slice(Math.max(0, end - size), end).map(({ n }) => n);
        const [rest, mended] = [without(this.#steps, gone), withoutRedirected(this.#steps, gone)];
        if (!(await this.#try(rest)) && mended.length > rest.length) await this.#try(mended);
        end = Math.min(end, this.#steps.length - 1 + size);
      }
    }
  }

  async simplify(): Promise<void> {
    // All calls of one credential, then single ones.
    for (const caller of new Set(callsOf(this.#steps).map(({ as }) => as))) {
      if (caller === 'firm' || caller === 'anonymous') continue;
      const asFirm = (name: string, value: unknown) =>
        name === 'as' && value === caller ? 'firm' : value;
      await this.#try(this.#steps.map((step) => mapMembers(step, asFirm) as Step));
    }
    for (let at = 0; at < this.#steps.length; at += 1) {
      const step = this.#steps[at]!;
      // If the calls need not be concurrent, they are shown in series.
      if (step.do === 'burst') await this.#try(this.#steps.toSpliced(at, 1, ...step.calls));
      for (let isPlainer = true; isPlainer; ) isPlainer = await this.#simplifyAt(at);
    }
  }

  async #simplifyAt(at: number): Promise<boolean> {
    const step = this.#steps[at];
    if (step === undefined) return false;
    for (const plainer of simpler(step, this.#steps.slice(0, at))) {
      if (await this.#try(this.#steps.with(at, plainer))) return true;
    }
    return false;
  }
}

const SIZES = ['count', 'byMs', '$rows', 'length', 'perSecond'];
/** Members that a step, a body or a value requires. */
const NEEDED: ReadonlySet<string> = new Set([
  ...['do', 'n', 'operation', 'as', 'id', 'key', 'ifMatch', 'query', 'body', 'call', 'calls', 'at'],
  ...['account', 'kind', 'name', 'wish', 'scopes', 'tradingAccount', 'answers', 'allowed', 'of'],
  ...['phase', 'effect', 'status', 'ms', 'form', 'has', 'mintedBy', 'brand', 'authorization'],
  ...['accounts', 'brand_id', 'position_id', 'account_id'],
  ...EVERY_OPERATION.flatMap((each) => OPS[each].fields.filter(({ required }) => required)).map(
    ({ name }) => name,
  ),
]);

/** The boldest first; the candidates depend on the steps before. */
function* simpler(step: Step, before: readonly Step[]): Generator<Step> {
  if (step.do === 'call') {
    // BULK-3: a row is answered like a single create, which shows that the batch is not the cause.
    const { accounts: rows } = Object(step.body) as { readonly accounts?: Value };
    const [row] = Array.isArray(rows) ? (rows as readonly Value[]) : [];
    if (isRowAlone(rows)) yield { ...step, operation: 'createAccount', body: row! };
    // An exact repeat is plainest: with new names it would be a different call.
    const first = callsOf(before).find(
      ({ operation, key }) => operation === step.operation && sameValue(key, step.key),
    );
    if (first?.body !== undefined) yield { ...step, body: first.body };
    const isOwn = step.as === 'firm' || step.headers?.authorization !== undefined;
    if (!isOwn) yield { ...step, as: 'firm' };
  }
  yield* lessOf(step) as Generator<Step>;
}

const isRowAlone = (rows: Value | undefined): boolean =>
  Array.isArray(rows) && rows.length === 1 && !('$rows' in Object(rows[0]));

function* lessOf(value: unknown): Generator<unknown> {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    if (value.length > 2) yield value.slice(Math.floor(value.length / 2));
    if (value.length > 1) for (const at of value.keys()) yield value.toSpliced(at, 1);
    for (const [at, each] of value.entries()) {
      for (const less of lessOf(each)) yield value.with(at, less);
    }
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as { readonly [name: string]: unknown };
    const isSymbol = name.startsWith('$');
    if (!isSymbol && !NEEDED.has(name) && !SIZES.includes(name)) yield rest;
    const part = isSymbol ? null : each;
    const smaller = SIZES.includes(name) ? smallerThan(Number(each)) : lessOf(part);
    for (const less of smaller) yield { ...value, [name]: less };
  }
}

function* smallerThan(size: number): Generator<number> {
  for (const part of [0, 0.1, 0.5, 0.95]) {
    const less = Math.max(1, Math.floor(size * part));
    if (less < size) yield less;
  }
}
