// A sequence of calls with symbolic references, so that the same one can be played on the target,
// on the model, from fresh, and with calls left out.
import type { CredentialOptions, SeedKind } from '../providers/target.ts';
import type { OperationName } from '../spec/operations.ts';

/** A placeholder that a play replaces; everything else in a value is literal. */
export type Symbolic =
  /** A text that no other play has used; the same stem gives the same text within one play. */
  | { readonly $fresh: string; readonly length?: number; readonly fill?: string }
  /** A member of the answer to an earlier step, by its dotted path. */
  | { readonly $of: number; readonly at: string }
  /** A header of the response to an earlier step. */
  | { readonly $header: number; readonly name: string }
  /** A property of a credential: its brand, or the account of a delegated token. */
  | { readonly $role: string; readonly has: RoleHas }
  /**
   * A phone number that no other play has used, written in one of the common notations; its
   * `sibling` is another number with the same ending.
   */
  | { readonly $phone: string; readonly form: PhoneForm }
  | { readonly $join: readonly Value[] }
  | { readonly $case: 'upper' | 'lower'; readonly of: Value }
  /** The value repeated, for the rows of a batch: `$i` in a fresh stem is the row number. */
  | { readonly $rows: number; readonly of: Value };

export type RoleHas = 'brand' | 'account' | 'tradingAccount' | 'client' | 'secret';
export type PhoneForm = 'e164' | 'spaced' | 'dashes' | 'national' | 'sibling';

export type Value =
  | string
  | number
  | boolean
  | null
  | Symbolic
  | readonly Value[]
  | { readonly [name: string]: Value };

/** Applies only to the call that has it; the control plane plants it. */
export interface Fault {
  readonly phase?: 'before' | 'after';
  readonly effect: { readonly [name: string]: string | number };
  /** How long the call has been delayed when the calls of `meanwhile` are sent. */
  readonly afterMs?: number;
}

export interface CallStep {
  readonly do: 'call';
  /** The label by which later steps refer to it; kept when other steps are dropped. */
  readonly n: number;
  readonly operation: OperationName;
  /** A role, the name of a minted credential, or `anonymous`. */
  readonly as: string;
  /** The id in the path. */
  readonly id?: Value;
  readonly query?: { readonly [name: string]: Value };
  readonly key?: Value;
  readonly ifMatch?: Value;
  readonly body?: Value;
  /** Sent as it is, instead of a JSON body. */
  readonly raw?: string;
  readonly headers?: { readonly [name: string]: Value };
  readonly fault?: Fault;
  /** Sent while a fault delays this call; then the clock is advanced until the call is answered. */
  readonly meanwhile?: readonly CallStep[];
}

/** Calls that are sent concurrently. */
export interface BurstStep {
  readonly do: 'burst';
  readonly n: number;
  readonly calls: readonly CallStep[];
}

/** One call repeated many times with different names: `$i` in a fresh stem is the count. */
export interface ManyStep {
  readonly do: 'many';
  readonly n: number;
  readonly count: number;
  readonly call: CallStep;
}

/** Done by an operator, a profile or the clock; each needs a capability of the target. */
export type OperatorStep = { readonly n: number } & (
  | { readonly do: 'advance'; readonly byMs: number }
  | {
      readonly do: 'open';
      readonly account: Value;
      readonly currency?: string;
      readonly provider?: boolean;
    }
  /** A trading account that a profile names, if none can be opened. */
  | { readonly do: 'place'; readonly kind: SeedKind }
  | { readonly do: 'mint'; readonly name: string; readonly wish: MintWish }
  | { readonly do: 'rescope'; readonly name: string; readonly scopes: string[] }
  | { readonly do: 'settle'; readonly id: Value }
  | { readonly do: 'ledger'; readonly tradingAccount: Value }
  | { readonly do: 'hook'; readonly answers: readonly number[] }
  | { readonly do: 'permit'; readonly operation: string; readonly allowed: boolean }
);

/** As for an operator, except that the account may be symbolic. */
export type MintWish = Omit<CredentialOptions, 'accountId' | 'mintedBy'> & {
  readonly account?: Value;
  /** A role, or the name of a credential that was minted before. */
  readonly mintedBy?: string;
};

export type Step = CallStep | BurstStep | ManyStep | OperatorStep;

export interface Sequence {
  readonly steps: readonly Step[];
}

/** The calls of a sequence in the order in which they are answered. */
export function callsOf(steps: readonly Step[]): readonly CallStep[] {
  return steps.flatMap((step) => {
    if (step.do === 'call') return [...(step.meanwhile ?? []), step];
    return step.do === 'burst' ? step.calls : [];
  });
}

/** The number of calls in these steps. */
export function countCalls(steps: readonly Step[]): number {
  const many = steps.map((step) => (step.do === 'many' ? step.count : 0));
  return many.reduce((sum, each) => sum + each, callsOf(steps).length);
}

/** Every label of a step, including the labels of its calls. */
export const labels = (step: Step): readonly number[] => [
  ...new Set([step.n, ...callsOf([step]).map(({ n }) => n)]),
];

export const nextLabel = (steps: readonly Step[]): number =>
  1 + Math.max(0, ...steps.flatMap(labels));

/** Every object in a value, outermost first. */
export function* partsOf(value: unknown): Generator<{ readonly [name: string]: unknown }> {
  if (value === null || typeof value !== 'object') return;
  yield value as { readonly [name: string]: unknown };
  for (const each of Object.values(value)) yield* partsOf(each);
}

/** Steps whose responses a value refers to. */
export const refersTo = (value: unknown): readonly number[] =>
  [...partsOf(value)].flatMap(({ $of, $header }) =>
    [$of, $header].filter((each) => typeof each === 'number'),
  );

/** Credentials whose brand or account a value names. */
export const rolesIn = (value: unknown): readonly string[] =>
  [...partsOf(value)].flatMap(({ $role }) => (typeof $role === 'string' ? [$role] : []));

/** Replaces references to steps; the step's own label stays. */
export const rebound = (step: Step, others: ReadonlyMap<number, number>): Step =>
  relabelled(step, (n) => others.get(n) ?? n, ['$of', '$header']);

/** Numbers the steps again from 1, for readers. */
export function renumbered({ steps }: Sequence): Sequence {
  const numbers = new Map<number, number>();
  const count = (n: number) => numbers.set(n, numbers.get(n) ?? numbers.size + 1);
  // Readers count the calls of a burst; the burst itself is numbered after everything else.
  for (const step of steps)
    for (const n of labels(step)) if (step.do !== 'burst' || n !== step.n) count(n);
  for (const step of steps) {
    if (step.do === 'burst') count(step.n);
    if (step.do === 'many') count(step.call.n);
  }
  return { steps: steps.map((step) => relabelled(step, (n) => numbers.get(n) ?? n)) };
}

function relabelled(
  step: Step,
  renumber: (n: number) => number,
  names: readonly string[] = ['n', '$of', '$header'],
): Step {
  return mapMembers(step, (name, value) =>
    names.includes(name) && typeof value === 'number' ? renumber(value) : value,
  ) as Step;
}

/** A copy in which `change` has replaced every member, at any depth. */
export function mapMembers(
  value: unknown,
  change: (name: string, value: unknown) => unknown,
): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => mapMembers(each, change));
  const members = Object.entries(value).map(([name, each]) => {
    const changed = change(name, each);
    return [name, changed === each ? mapMembers(each, change) : changed];
  });
  return Object.fromEntries(members);
}

export const sameValue = (one: unknown, other: unknown): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);
