// A sequence of calls with symbolic references, so that the same one can be played on the target,
// on the model, from fresh, and with calls left out.

import type { OperationName } from '../engine/operations.ts';
import type { CredentialOptions, SeedKind } from '../providers/target.ts';

/** Stands for something that only playing makes known; everything else in a value is literal. */
export type Symbolic =
  /** A text that no other play has used; the same stem is the same text within one play. */
  | { readonly $fresh: string; readonly length?: number; readonly fill?: string }
  /** A member of the answer to an earlier step, by its dotted path. */
  | { readonly $of: number; readonly at: string }
  /** A header of the answer to an earlier step. */
  | { readonly $header: number; readonly name: string }
  /** What belongs to a credential: its brand, or the account of a delegated token. */
  | { readonly $role: string; readonly has: RoleHas }
  /**
   * A phone that no other play has used, written in one of the ways that people write them; its
   * `sibling` is another phone that ends alike.
   */
  | { readonly $phone: string; readonly form: PhoneForm }
  | { readonly $join: readonly Value[] }
  | { readonly $case: 'upper' | 'lower'; readonly of: Value }
  /** A decimal text as the JSON number it is. */
  | { readonly $number: Value }
  /** The value repeated, as the rows of a batch are: `$i` in a fresh stem is the row. */
  | { readonly $rows: number; readonly of: Value };

export type RoleHas = 'brand' | 'account' | 'tradingAccount' | 'client' | 'secret';

export type PhoneForm = 'e164' | 'spaced' | 'zeros' | 'national' | 'dashes' | 'spread' | 'sibling';

export type Value =
  | string
  | number
  | boolean
  | null
  | Symbolic
  | readonly Value[]
  | { readonly [name: string]: Value };

export interface CallStep {
  readonly do: 'call';
  /** By which later steps refer to it; kept when others are dropped. */
  readonly n: number;
  readonly operation: OperationName;
  /** A role, the name of a minted credential, or `no one`. */
  readonly as: string;
  /** The id in the path. */
  readonly id?: Value;
  readonly query?: { readonly [name: string]: Value };
  readonly key?: Value;
  readonly ifMatch?: Value;
  readonly body?: Value;
  /** Sent instead of a JSON body, whatever it says. */
  readonly raw?: string;
  readonly headers?: { readonly [name: string]: Value };
  /** A fault keeps it waiting: what follows is not held up, an await step takes its answer. */
  readonly pending?: true;
}

/** Calls that are released together. */
export interface BurstStep {
  readonly do: 'burst';
  readonly n: number;
  readonly calls: readonly CallStep[];
  /** The last of them goes out when the first answer is there. */
  readonly trails?: true;
}

/** One call many times over, each with names of its own: `$i` in a fresh stem is the count. */
export interface ManyStep {
  readonly do: 'many';
  readonly n: number;
  readonly count: number;
  readonly call: CallStep;
}

/** What an operator, a profile or time does; each needs what not every target offers. */
export type OperatorStep =
  | { readonly do: 'advance'; readonly n: number; readonly byMs: number }
  | {
      readonly do: 'open';
      readonly n: number;
      readonly account: Value;
      readonly currency?: string;
      readonly provider?: boolean;
    }
  /** A trading account that a profile names, where none can be opened. */
  | { readonly do: 'place'; readonly n: number; readonly kind: SeedKind }
  | { readonly do: 'mint'; readonly n: number; readonly name: string; readonly wish: MintWish }
  | { readonly do: 'rescope'; readonly n: number; readonly name: string; readonly scopes: string[] }
  | { readonly do: 'settle'; readonly n: number; readonly id: Value }
  | { readonly do: 'ledger'; readonly n: number; readonly tradingAccount: Value }
  | {
      readonly do: 'hook';
      readonly n: number;
      readonly answers: readonly number[];
    }
  | {
      readonly do: 'permit';
      readonly n: number;
      readonly operation: string;
      readonly allowed: boolean;
    }
  | {
      readonly do: 'emit';
      readonly n: number;
      readonly category: string;
      readonly kind: string;
      readonly account?: Value;
    }
  /** The answer of a call that was kept waiting. */
  | { readonly do: 'await'; readonly n: number; readonly call: number }
  | {
      readonly do: 'fault';
      readonly n: number;
      readonly match: { readonly [name: string]: string };
      readonly phase?: 'before' | 'after';
      readonly effect: { readonly [name: string]: string | number };
      readonly times?: number;
    };

/** As an operator's, but that the account may be a symbolic one. */
export type MintWish = Omit<CredentialOptions, 'accountId' | 'mintedBy'> & {
  readonly account?: Value;
  /** A role, or the name of a credential minted before. */
  readonly mintedBy?: string;
};

export type Step = CallStep | BurstStep | ManyStep | OperatorStep;

export interface Sequence {
  readonly steps: readonly Step[];
}

/** The calls of a sequence, those of its bursts among them. */
export function callsOf(steps: readonly Step[]): readonly CallStep[] {
  return steps.flatMap((step) =>
    step.do === 'call' ? [step] : step.do === 'burst' ? step.calls : [],
  );
}

/** How many calls are made in these steps. */
export function countCalls(steps: readonly Step[]): number {
  const many = steps.map((step) => (step.do === 'many' ? step.count : 0));
  return many.reduce((sum, each) => sum + each, callsOf(steps).length);
}

/** Steps whose answers a value refers to. */
export function refersTo(value: unknown): readonly number[] {
  if (value === null || typeof value !== 'object') return [];
  const own = value as { $of?: unknown; $header?: unknown; do?: unknown; call?: unknown };
  const found: number[] = [];
  if (own.do === 'await' && typeof own.call === 'number') found.push(own.call);
  if (typeof own.$of === 'number') found.push(own.$of);
  if (typeof own.$header === 'number') found.push(own.$header);
  return [...found, ...Object.values(value).flatMap(refersTo)];
}

/** Credentials whose brand or account a value names. */
export function rolesIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const { $role } = value as { readonly $role?: unknown };
  return [...(typeof $role === 'string' ? [$role] : []), ...Object.values(value).flatMap(rolesIn)];
}

/** Refers to other steps instead of some; which step it is itself stays. */
export function rebound(step: Step, others: ReadonlyMap<number, number>): Step {
  return relabelled(step, (n) => others.get(n) ?? n, REFERRING) as Step;
}

/** Numbers the steps again, as the one who reads them counts them. */
export function renumbered(sequence: Sequence): Sequence {
  const labels = newLabels(sequence);
  const renumber = (n: number) => labels.get(n) ?? n;
  return { steps: sequence.steps.map((step) => relabelled(step, renumber, NAMING) as Step) };
}

/** The new number of each step by its old one. */
function newLabels({ steps }: Sequence): ReadonlyMap<number, number> {
  const labels = new Map<number, number>();
  for (const step of steps) {
    // The calls of a burst are what is counted; the burst itself is told of by no number.
    const counted = step.do === 'burst' ? callsOf([step]) : [step];
    for (const { n } of counted) labels.set(n, labels.size + 1);
  }
  for (const step of steps) {
    if (step.do === 'burst') labels.set(step.n, labels.size + 1);
    if (step.do === 'many') labels.set(step.call.n, labels.size + 1);
  }
  return labels;
}

/** The same steps with labels that are larger by so many. */
export const shifted = (sequence: Sequence, by: number): Sequence => ({
  steps: sequence.steps.map((step) => relabelled(step, (n) => n + by, NAMING) as Step),
});

/** Members that name the step whose answer or header is meant. */
const REFERRING: ReadonlySet<string> = new Set(['$of', '$header']);
/** And the step itself. */
const NAMING: ReadonlySet<string> = new Set(['n', ...REFERRING]);

function relabelled(
  value: unknown,
  renumber: (n: number) => number,
  names: ReadonlySet<string>,
): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => relabelled(each, renumber, names));
  const isAwait = names.has('n') && (value as { readonly do?: unknown }).do === 'await';
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const isName = names.has(name) || (isAwait && name === 'call');
      const own = isName && typeof each === 'number';
      return [name, own ? renumber(each) : relabelled(each, renumber, names)];
    }),
  );
}
