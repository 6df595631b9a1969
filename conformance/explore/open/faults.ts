// NS-17: of a call with two faults either may be named first, except where a rule says which.
// Whether a refusal is of that kind shows on the model: mend the fault that it names, and see what it
// names then.
import type { OperationName } from '../../engine/operations.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { differenceOf } from '../compare/answers.ts';
import { bodyOf, type Members, sameValue } from '../draw/draft.ts';
import { type Field, isDecision, OPS } from '../draw/operations.ts';
import { type CallOutcome, type Outcome, summaryOf } from '../play/outcome.ts';
import { type CallStep, callsOf, type Step, type Value } from '../sequence.ts';
import { MISSING } from '../values.ts';
import type { Pair } from './pair.ts';
import { excuseFor } from './projection.ts';

/** Plays steps on the model alone, from fresh, and gives the outcome of the last. */
export type PlayOnModel = (steps: readonly Step[]) => Promise<Outcome | undefined>;

/** Whether the target has only named another of the call's faults than the model has. */
export async function isOtherFault(
  steps: readonly Step[],
  pair: Pair,
  play: PlayOnModel,
): Promise<boolean> {
  const { target, model, step } = pair;
  if (summaryOf(target) === summaryOf(model) || !isOpenOrder(target, model)) return false;
  const before = steps.filter(({ n }) => n !== step.n);
  // An account that a fault has kept from being made mends nothing; one of its own does.
  const spared = step.operation === 'updateAccount' ? [...before, spareAccount(steps)] : before;
  for (const earlier of new Set([before, spared, unmoved(before, step)])) {
    for (const mended of mendedCalls(step, earlier)) {
      const outcome = await play([...earlier, mended]);
      if (outcome?.kind === 'answer' && isSameRefusal(pair, outcome)) return true;
    }
  }
  return false;
}

function isSameRefusal(pair: Pair, model: CallOutcome): boolean {
  if (model.status < 400) return false;
  if (summaryOf(model) === summaryOf(pair.target)) return true;
  const other = { ...pair, model, first: undefined };
  const difference = differenceOf(pair.step, pair.target, model, STATUS);
  return excuseFor(other, difference) !== undefined;
}

const STATUS = { at: 'status', target: '', model: '' };

/** The orders that the rules fix are no open ones. */
function isOpenOrder(target: CallOutcome, model: CallOutcome): boolean {
  if (target.status < 400 || model.status < 400 || target.status === 500) return false;
  const [own, other] = [memberAt(target.json, 'code'), memberAt(model.json, 'code')];
  // IDEM-1d: the key is checked before the rest of the request.
  if (other === 'idempotency_key_required') return target.status === 401 || target.status === 429;
  if (own === 'idempotency_key_required') return model.status === 401 || model.status === 429;
  // UPD-6: what cannot be seen is 404 whatever its tag.
  if (target.status === 412 && model.status === 404) return false;
  // IDEM-4: a repeat is answered before anything else is looked at.
  return model.basis?.idempotency !== 'replayed';
}

/** Without what has moved the transaction on: a state that refuses is a fault like others. */
function unmoved(before: readonly Step[], { id, operation }: CallStep): readonly Step[] {
  if (!isDecision(operation)) return before;
  const isMove = (each: CallStep) => isDecision(each.operation) && sameValue(each.id, id);
  return before.flatMap((each): readonly Step[] => {
    if (each.do === 'settle') return sameValue(each.id, id) ? [] : [each];
    if (each.do === 'call') return isMove(each) ? [] : [each];
    if (each.do !== 'burst' || !each.calls.some(isMove)) return [each];
    const calls = each.calls.filter((one) => !isMove(one));
    return calls.length === 0 ? [] : [{ ...each, calls }];
  });
}

const GOOD_NAME: Value = { $fresh: 'mended' };
const GOOD_EMAIL: Value = { $join: [GOOD_NAME, '@explore.example.com'] };

function spareAccount(steps: readonly Step[]): CallStep {
  const n = 1 + Math.max(0, ...[...steps, ...callsOf(steps)].map((each) => each.n));
  const brand: Value = { $role: 'firm', has: 'brand' };
  const body = { client_reference_id: GOOD_NAME, email: GOOD_EMAIL, brand_id: brand };
  return {
    do: 'call',
    n,
    operation: 'createAccount',
    as: 'firm',
    key: { $fresh: 'sparekey' },
    body,
  };
}

/** What is good in a member, whatever stood there; null takes it out. */
function goodValue({ name, kind, required, words }: Field, { as }: CallStep): Value | null {
  if (name === 'brand_id') return { $role: as, has: 'brand' };
  if (kind === 'reference') return GOOD_NAME;
  if (kind === 'email') return GOOD_EMAIL;
  // An id that can be read, and that names nothing.
  if (kind === 'id') return MISSING;
  if (kind === 'decimal') return '25.00';
  if (kind === 'url') return 'https://93.184.216.34/hook';
  if (kind === 'list') return ['account'];
  if (kind === 'currency') return 'USD';
  if (!required) return name === 'status' ? 'Mended' : null;
  return words[0] ?? 'late';
}

type Mend = (step: CallStep) => CallStep;

/** Each with one fault mended, if it was one, then with two. */
function mendedCalls(step: CallStep, before: readonly Step[]): readonly CallStep[] {
  const mends = mendsOf(step, before);
  const pairs = mends.flatMap((one, at) =>
    mends.slice(at + 1).map((other) => (each: CallStep) => other(one(each))),
  );
  return [...mends, ...pairs].map((mend) => mend(step));
}

function mendsOf(step: CallStep, before: readonly Step[]): readonly Mend[] {
  const calls = callsOf(before).filter(({ n }) => n !== step.n);
  const mends: Mend[] = [];
  if (step.as !== 'firm') mends.push((each) => ({ ...each, as: 'firm' }));
  if (step.raw !== undefined) mends.push(({ raw: _, ...each }) => each);
  if (step.body !== undefined && step.operation !== 'bulkCreateAccounts') {
    const fields = OPS[step.operation].fields;
    for (const field of fields) {
      mends.push((each) => withMember(each, field.name, goodValue(field, each)));
    }
    const known = new Set(fields.map(({ name }) => name));
    for (const name of Object.keys(bodyOf(step))) {
      if (!known.has(name)) mends.push((each) => withMember(each, name, null));
    }
  }
  if (step.key !== undefined) mends.push((each) => ({ ...each, key: { $fresh: 'mendedkey' } }));
  const account = newestOf(calls, 'createAccount');
  if (step.operation === 'updateAccount') {
    if (account !== undefined) mends.push((each) => ({ ...each, id: idAt(account.n) }));
    mends.push((each) => ({ ...each, ifMatch: tagFor(each.id, calls) }));
  }
  if (isDecision(step.operation)) mends.push(...mendsOfDecision(step, calls));
  return mends;
}

function mendsOfDecision(step: CallStep, calls: readonly CallStep[]): readonly Mend[] {
  const record = calls.find(
    ({ operation, n }) => operation === 'createTransaction' && sameValue(step.id, idAt(n)),
  );
  const newest = newestOf(calls, 'createTransaction');
  const owner = record === undefined ? undefined : bodyOf(record).account_id;
  return [
    (each) => ({ ...each, query: { account_id: owner ?? MISSING } }),
    ...(newest === undefined ? [] : [(each: CallStep) => ({ ...each, id: idAt(newest.n) })]),
  ];
}

function withMember(step: CallStep, name: string, good: Value | null): CallStep {
  const { [name]: _, ...rest } = bodyOf(step) as Members;
  return { ...step, body: good === null ? rest : { ...rest, [name]: good } };
}

const idAt = (n: number): Value => ({ $of: n, at: 'id' });

const newestOf = (calls: readonly CallStep[], operation: OperationName) =>
  calls.filter((each) => each.operation === operation).at(-1);

/** The tag of the last answer that showed the account. */
function tagFor(id: Value | undefined, calls: readonly CallStep[]): Value {
  const last = calls
    .filter(
      ({ operation, id: own, n }) =>
        (operation === 'updateAccount' && sameValue(own, id)) ||
        (operation === 'createAccount' && sameValue(idAt(n), id)),
    )
    .at(-1);
  return last === undefined ? '"1"' : { $header: last.n, name: 'etag' };
}
