// NS-17: if a call has two faults, either may be reported first, unless a rule fixes the order. The
// model shows whether a refusal is of that kind: correct the fault that it names, and check which fault
// it names then.
import { memberAt } from '../../engine/send/json.ts';
import { isDecision, type OperationName } from '../../spec/operations.ts';
import { differenceOf } from '../compare/answers.ts';
import { bodyOf, type Call, plainMember } from '../draw/draft.ts';
import { OPS } from '../draw/operations.ts';
import { type CallOutcome, type Outcome, summaryOf } from '../play/outcome.ts';
import {
  type CallStep,
  callsOf,
  nextLabel,
  type Step,
  sameValue,
  type Value,
} from '../sequence.ts';
import { MISSING } from '../values.ts';
import { excuseFor, type Pair } from './projection.ts';

type Steps = readonly Step[];
/** Plays steps on a fresh world of the model alone and returns the outcome of the last. */
export type PlayOnModel = (steps: Steps) => Promise<Outcome | undefined>;

/** Whether the target only reported another fault of the call than the model did. */
export async function isOtherFault(steps: Steps, pair: Pair, play: PlayOnModel): Promise<boolean> {
  const { target, model, step } = pair;
  if (summaryOf(target) === summaryOf(model) || !isOpenOrder(target, model)) return false;
  const before = steps.filter(({ n }) => n !== step.n);
  for (const earlier of new Set([
    before,
    withNewAccount(before, step),
    withoutDecisions(before, step),
  ])) {
    for (const corrected of correctedCalls(step, earlier)) {
      const outcome = await play([...earlier, corrected]);
      if (outcome?.kind === 'answer' && isSameRefusal(pair, outcome)) return true;
    }
  }
  return false;
}

function isSameRefusal(pair: Pair, model: CallOutcome): boolean {
  if (model.status < 400) return false;
  if (summaryOf(model) === summaryOf(pair.target)) return true;
  const status = { at: 'status', target: '', model: '' };
  const difference = differenceOf(pair.step, pair.target, model, status);
  return excuseFor({ ...pair, model, first: undefined }, difference) !== undefined;
}

/** The orders that the rules fix are not open. */
function isOpenOrder(target: CallOutcome, model: CallOutcome): boolean {
  if (target.status < 400 || model.status < 400 || target.status === 500) return false;
  const [own, other] = [target, model].map(({ json }) => memberAt(json, 'code'));
  // IDEM-1d: the key is checked before the rest of the request.
  if (other === 'idempotency_key_required') return target.status === 401 || target.status === 429;
  if (own === 'idempotency_key_required') return model.status === 401 || model.status === 429;
  // UPD-6: a record out of reach is 404, whatever the tag.
  if (target.status === 412 && model.status === 404) return false;
  // IDEM-4: a repeat is answered before anything else is checked.
  return model.basis?.idempotency !== 'replayed';
}

/** With a new account: if a fault prevented its creation, nothing is corrected. */
function withNewAccount(before: Steps, { operation }: CallStep): Steps {
  if (operation !== 'updateAccount') return before;
  const n = nextLabel(before) + 1;
  const spare = { $fresh: 'spare' };
  const body = {
    client_reference_id: spare,
    email: { $join: [spare, '@explore.example.com'] },
    brand_id: { $role: 'firm', has: 'brand' },
  } as const;
  return [...before, { do: 'call', n, operation: 'createAccount', as: 'firm', key: spare, body }];
}

/** Without the steps that changed the state: a state that refuses is a fault too. */
function withoutDecisions(before: Steps, { id, operation }: CallStep): Steps {
  if (!isDecision(operation)) return before;
  const isMove = (each: CallStep) => isDecision(each.operation) && sameValue(each.id, id);
  return before.flatMap((each): Steps => {
    if (each.do === 'settle') return sameValue(each.id, id) ? [] : [each];
    if (each.do === 'call') return isMove(each) ? [] : [each];
    if (each.do !== 'burst') return [each];
    const calls = each.calls.filter((one) => !isMove(one));
    return calls.length === 0 ? [] : [{ ...each, calls }];
  });
}

type Change = Partial<Call>;

/** The call with one fault corrected, for each possible fault, then with two. */
function* correctedCalls(step: CallStep, before: Steps): Generator<CallStep> {
  const corrections = [...correctionsOf(step, before)];
  const merged = (base: CallStep, ...changes: readonly Change[]): CallStep => {
    const bodies = changes.flatMap(({ body }) => body ?? []);
    const body = bodies.length === 0 ? {} : { body: mergedBody(bodyOf(base), bodies) };
    return { ...base, ...Object.assign({}, ...changes), ...body };
  };
  const { raw, fault, meanwhile: _, ...plain } = step;
  // A raw body or a planted fault is a fault of the call too.
  if (raw !== undefined || fault !== undefined) {
    yield plain;
    for (const correction of corrections) yield merged(plain, correction);
  }
  for (const correction of corrections) yield merged(step, correction);
  for (const [at, correction] of corrections.entries()) {
    for (const other of corrections.slice(at + 1)) yield merged(step, correction, other);
  }
}

/** A member that a change sets to null is removed. */
function mergedBody(body: object, changes: readonly Value[]): Value {
  const all = Object.assign({}, ...changes) as Readonly<Record<string, Value>>;
  const members = Object.entries({ ...body, ...all }).filter(([name]) => all[name] !== null);
  return Object.fromEntries(members);
}

function* correctionsOf(step: CallStep, before: Steps): Generator<Change> {
  const { operation, as, key, body, id } = step;
  const calls = callsOf(before).filter(({ n }) => n !== step.n);
  const newest = (name: OperationName): Value | undefined => {
    const made = calls.findLast((each) => each.operation === name);
    return made && { $of: made.n, at: 'id' };
  };
  if (as !== 'firm') yield { as: 'firm' };
  if (body !== undefined && operation !== 'bulkCreateAccounts') yield* correctedMembers(step);
  if (key !== undefined) yield { key: { $fresh: 'mendedkey' } };
  if (operation === 'updateAccount') {
    const account = newest('createAccount');
    if (account !== undefined) yield { id: account, ifMatch: tagFor(account, calls) };
    yield { ifMatch: tagFor(id, calls) };
  }
  if (!isDecision(operation)) return;
  const made = calls.find(({ n }) => sameValue(id, { $of: n, at: 'id' }));
  yield { query: { account_id: (made && bodyOf(made).account_id) ?? MISSING } };
  const transaction = newest('createTransaction');
  if (transaction !== undefined) yield { id: transaction };
}

/** Labels that no call of a sequence uses. */
const UNUSED_LABEL = 1_000_000;

function* correctedMembers({ operation, as, n, ...step }: CallStep): Generator<Change> {
  const { fields } = OPS[operation];
  const body = bodyOf(step);
  for (const field of fields) {
    const { name, kind, required } = field;
    if (!required && !(name in body)) continue;
    // An id that is well formed and names no record.
    const isOther = kind === 'id' && name !== 'brand_id';
    yield { body: { [name]: isOther ? MISSING : plainMember(field, as, UNUSED_LABEL + n) } };
  }
  const isKnown = (name: string) => fields.some((each) => each.name === name);
  for (const name of Object.keys(body)) if (!isKnown(name)) yield { body: { [name]: null } };
}

function tagFor(id: Value | undefined, calls: readonly CallStep[]): Value {
  const last = calls.findLast(
    (each) =>
      (each.operation === 'updateAccount' && sameValue(each.id, id)) ||
      (each.operation === 'createAccount' && sameValue({ $of: each.n, at: 'id' }, id)),
  );
  return last === undefined ? '"1"' : { $header: last.n, name: 'etag' };
}
