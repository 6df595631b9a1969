// A sequence of calls with symbolic references, so that the same one can be played on the target,
// on the model, from fresh, and with calls cut out.
import type { CredentialOptions, SeedKind } from '../providers/target.ts';
import type { OperationName } from '../spec/operations.ts';

/** A placeholder that a play replaces; everything else in a value is literal. */
export type Symbolic =
  /** A text that no other play has used; the same stem gives the same text within one play. */
  | { readonly $fresh: string; readonly length?: number; readonly fill?: string }
  /** A member of the answer to an earlier step, by its dotted path. */
  | { readonly $of: number; readonly at: string }
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

export function countCalls(steps: readonly Step[]): number {
  const many = steps.map((step) => (step.do === 'many' ? step.count : 0));
  return many.reduce((sum, each) => sum + each, callsOf(steps).length);
}

export const labels = (step: Step): readonly number[] => [
  ...new Set([step.n, ...callsOf([step]).map(({ n }) => n)]),
];

export const nextLabel = (steps: readonly Step[]): number =>
  1 + Math.max(0, ...steps.flatMap(labels));

function* partsOf(value: unknown): Generator<{ readonly [name: string]: unknown }> {
  if (value === null || typeof value !== 'object') return;
  yield value as { readonly [name: string]: unknown };
  for (const each of Object.values(value)) yield* partsOf(each);
}

/** Steps whose responses a value refers to. */
export const refersTo = (value: unknown): readonly number[] =>
  [...partsOf(value)].flatMap(({ $of, $header }) =>
    [$of, $header].filter((each) => typeof each === 'number'),
  );

export const rolesIn = (value: unknown): readonly string[] =>
  [...partsOf(value)].flatMap(({ $role }) => (typeof $role === 'string' ? [$role] : []));

/** Numbers the steps again from 1, for readers. */
export function renumbered({ steps }: Sequence): Sequence {
  // Readers count the calls of a burst; the burst itself is numbered after everything else.
  const read = steps.flatMap((step) =>
    labels(step).filter((n) => step.do !== 'burst' || n !== step.n),
  );
  const unread = steps.flatMap((step) => (step.do === 'many' ? [step.call.n] : [step.n]));
  const numbers = new Map([...new Set([...read, ...unread])].map((n, at) => [n, at + 1]));
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

/** `text ref7` for a fresh text, `answer 3` for a value from the response to step 3. */
export function symbolOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { $fresh, $phone, $of, $header } = value as { readonly [name: string]: unknown };
  const text = $fresh ?? $phone;
  if (text !== undefined) return `text ${String(text)}`;
  const step = $of ?? $header;
  return step === undefined ? undefined : `answer ${String(step)}`;
}

export const symbolsIn = (value: unknown): readonly string[] =>
  [...partsOf(value)].flatMap((part) => symbolOf(part) ?? []);

/** Includes the minted credentials, which may be metered. */
export const symbolsOf = (step: Step): readonly string[] => [
  ...symbolsIn(step),
  ...callsOf([step]).flatMap(({ as }) => (/^m\d/.test(as) ? [`as ${as}`] : [])),
];

/** Without the parent under which a record is created: creating a record does not change it. */
export function changedBy(step: Step): readonly string[] {
  if (step.do !== 'call' || !/^createT|^openP/.test(step.operation)) return symbolsOf(step);
  const { account_id: _, trading_account_id: __, currency: ___, ...body } = Object(step.body);
  return symbolsOf({ ...step, body });
}

/** Symbols that name the same record, each mapped to all of them. */
export function recordsIn(steps: readonly Step[]): ReadonlyMap<string, ReadonlySet<string>> {
  const records = new Map<string, Set<string>>();
  for (const { n, operation, id, body } of callsOf(steps)) {
    const references = [...partsOf(body)].map((part) => part.client_reference_id);
    const named = symbolsIn(/^create|^bulkCreate/.test(operation) ? references : id);
    const all = new Set([`answer ${n}`, ...named]);
    for (const each of [...all]) for (const other of records.get(each) ?? []) all.add(other);
    for (const each of all) records.set(each, all);
  }
  return records;
}

export function closure(steps: readonly Step[], wanted: readonly number[]): readonly Step[] {
  const kept = new Set<Step>();
  const add = (n: number) => {
    const step = steps.find((each) => labels(each).includes(n));
    if (step === undefined || kept.has(step)) return;
    kept.add(step);
    for (const each of needsOf(step, steps)) add(each);
  };
  for (const n of wanted) add(n);
  return steps.filter((step) => kept.has(step));
}

/** The dependencies of a step: answers that it refers to, and the minting of its credential. */
function needsOf(step: Step, steps: readonly Step[]): readonly number[] {
  const names = new Set([...callsOf([step]).map(({ as }) => as), ...rolesIn(step)]);
  if (step.do === 'mint' && step.wish.mintedBy !== undefined) names.add(step.wish.mintedBy);
  const minted = steps.flatMap((each) =>
    each.do === 'mint' && each !== step && names.has(each.name) ? [each.n] : [],
  );
  return [...refersTo(step), ...minted];
}

export function without(steps: readonly Step[], gone: readonly number[]): readonly Step[] {
  const lost = new Set(gone);
  return steps.filter((step) => {
    const isLost = lost.has(step.n) || needsOf(step, steps).some((n) => lost.has(n));
    if (isLost) for (const n of labels(step)) lost.add(n);
    return !isLost;
  });
}

/**
 * Without these steps; references to one of them are redirected to the call before it that showed
 * the same record: if an update is removed, its own tag is the newest one.
 */
export function withoutRedirected(
  steps: readonly Step[],
  gone: readonly number[],
): readonly Step[] {
  const before = new Map<number, number>();
  const dropped = steps.filter(({ n }) => gone.includes(n));
  for (const call of callsOf(dropped)) {
    const shown = shownBefore(call, steps);
    if (shown !== undefined) before.set(call.n, before.get(shown) ?? shown);
  }
  const mended = steps.map((step) =>
    dropped.includes(step) ? step : relabelled(step, (n) => before.get(n) ?? n, ['$of', '$header']),
  );
  return without(mended, gone);
}

function shownBefore(call: CallStep, steps: readonly Step[]): number | undefined {
  const [shown] = [...refersTo(call.ifMatch), ...refersTo(call.id)];
  if (shown !== undefined) return shown;
  const referenceOf = ({ body }: CallStep) =>
    (body as { readonly client_reference_id?: unknown } | null | undefined)?.client_reference_id;
  const first = callsOf(steps).find(
    (each) => each.operation === call.operation && sameValue(referenceOf(each), referenceOf(call)),
  );
  return first === call ? undefined : first?.n;
}

/** The dependencies of the step, and the steps with the same records and keys. */
export function needed(sequence: Sequence, n: number): readonly Step[] {
  const { steps } = upTo(sequence, n);
  const symbols = new Set(symbolsIn(steps.at(-1)));
  // A change of permissions concerns all callers, and a pause all records.
  const isKin = (step: Step) =>
    /^(permit|rescope|advance)$/.test(step.do) || symbolsIn(step).some((each) => symbols.has(each));
  return closure(steps, [...steps.filter(isKin).map((step) => step.n), n]);
}

export function upTo({ steps }: Sequence, n: number): Sequence {
  const at = steps.findIndex((step) => labels(step).includes(n));
  return { steps: at < 0 ? steps : steps.slice(0, at + 1) };
}
