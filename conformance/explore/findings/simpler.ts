// Plainer forms of one step: with fewer members, with smaller numbers, and by the usual caller.
import { EVERY_OPERATION, OPS } from '../draw/operations.ts';
import { callsOf, type Step, sameValue, type Value } from '../sequence.ts';

/** Members that set a size. */
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
export function* simpler(step: Step, before: readonly Step[]): Generator<Step> {
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
