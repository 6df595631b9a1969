// A call with one of its faults mended: whoever answers it otherwise has looked at another fault
// first.

import { sameValue } from '../draw/scene.ts';
import { type CallStep, callsOf, type Step, type Value } from '../sequence.ts';
import { MISSING } from '../values.ts';

type Members = { readonly [name: string]: Value };

/** What is good in a member, whatever stood there; null takes it out. */
const GOOD: Readonly<Record<string, (step: CallStep) => Value | null>> = {
  client_reference_id: () => ({ $fresh: 'mended' }),
  email: () => ({ $join: [{ $fresh: 'mended' }, '@explore.example.com'] }),
  // An id that can be read, and that nobody has.
  account_id: () => MISSING,
  trading_account_id: () => MISSING,
  brand_id: ({ as }) => ({ $role: as, has: 'brand' }),
  amount: () => '25.00',
  currency: () => 'USD',
  transaction_type: () => 'Deposit',
  method: () => null,
  reason: () => 'late',
  status: () => 'Mended',
  is_ftd: () => null,
  url: () => 'https://93.184.216.34/hook',
  event_categories: () => ['account'],
};

/** Each with one fault mended, if it was one, then with two. */
export function repairsOf(step: CallStep, before: readonly Step[]): readonly CallStep[] {
  const mends = mendsOf(step, before);
  const pairs = mends.flatMap((one, at) =>
    mends.slice(at + 1).map((other) => (each: CallStep) => other(one(each))),
  );
  return [...mends, ...pairs].map((mend) => mend(step));
}

type Mend = (step: CallStep) => CallStep;

function mendsOf(step: CallStep, before: readonly Step[]): readonly Mend[] {
  const calls = callsOf(before).filter(({ n }) => n !== step.n);
  const mends: Mend[] = [];
  if (step.as !== 'firm') mends.push((each) => ({ ...each, as: 'firm' }));
  if (step.body !== undefined && isMembers(step.body)) {
    for (const name of Object.keys(GOOD)) mends.push((each) => withMember(each, name));
  }
  if (step.key !== undefined) mends.push((each) => ({ ...each, key: { $fresh: 'mendedkey' } }));
  const account = newestOf(calls, 'createAccount');
  if (step.operation === 'updateAccount') {
    if (account !== undefined) mends.push((each) => ({ ...each, id: idOf(account) }));
    mends.push((each) => ({ ...each, ifMatch: tagFor(each.id, calls) }));
  }
  if (step.query !== undefined) {
    const record = calls.find(
      ({ operation, n }) => operation === 'createTransaction' && sameValue(step.id, idAt(n)),
    );
    const owner = membersOf(record)?.account_id;
    if (owner !== undefined) mends.push((each) => ({ ...each, query: { account_id: owner } }));
    const newest = newestOf(calls, 'createTransaction');
    if (newest !== undefined) mends.push((each) => ({ ...each, id: idOf(newest) }));
  }
  return mends;
}

function isMembers(value: unknown): value is Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function membersOf(step: CallStep | undefined): Members | undefined {
  const body: unknown = step?.body;
  return isMembers(body) ? body : undefined;
}

function withMember(step: CallStep, name: string): CallStep {
  const good = GOOD[name]!(step);
  const { [name]: _, ...rest } = membersOf(step) ?? {};
  return { ...step, body: good === null ? rest : { ...rest, [name]: good } };
}

const idAt = (n: number): Value => ({ $of: n, at: 'id' });
const idOf = ({ n }: CallStep): Value => idAt(n);

function newestOf(calls: readonly CallStep[], operation: CallStep['operation']) {
  return calls.filter((each) => each.operation === operation).at(-1);
}

/** The tag of the last answer that showed the account. */
function tagFor(id: Value | undefined, calls: readonly CallStep[]): Value {
  const shown = calls.filter(
    (each) =>
      (each.operation === 'updateAccount' && sameValue(each.id, id)) ||
      (each.operation === 'createAccount' && sameValue(idAt(each.n), id)),
  );
  const last = shown.at(-1);
  return last === undefined ? '"1"' : { $header: last.n, name: 'etag' };
}
