// NS-17: of a call with two faults either may be said first, but where a rule says which. Whether a
// refusal is of that kind shows on the model: mend the fault that it names, and see what it says
// then.
import type { OperationName } from '../../engine/operations.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { summaryOf } from '../compare/answers.ts';
import { sameValue } from '../draw/scene.ts';
import type { CallOutcome, Outcome } from '../play/outcome.ts';
import { type CallStep, callsOf, type Sequence, type Step, type Value } from '../sequence.ts';
import type { Case } from './case.ts';
import { excuseOf } from './excuses.ts';
import { repairsOf } from './repairs.ts';

/** Plays steps on the model alone, from fresh, and gives the outcome of the last. */
export type PlayOnModel = (steps: readonly Step[]) => Promise<Outcome | undefined>;

/** Whether the target has only named another of the call's faults than the model has. */
export async function isOtherFault(
  { steps }: Sequence,
  each: Case,
  play: PlayOnModel,
): Promise<boolean> {
  const { target, model, step } = each;
  // Where both have named the same fault its place in an order says nothing.
  if (summaryOf(target) === summaryOf(model) || !isOpenOrder(target, model)) return false;
  const before = steps.slice(0, -1);
  // An account that a fault has kept from being made mends nothing; one of its own does.
  const spared = step.operation === 'updateAccount' ? [...before, spareAccount(steps)] : before;
  for (const earlier of new Set([before, spared, unmoved(before, step)])) {
    for (const mended of repairsOf(step, earlier)) {
      const outcome = await play([...earlier, mended]);
      if (outcome?.kind !== 'answer') continue;
      if (isSameRefusal(each, outcome)) return true;
    }
  }
  return false;
}

/**
 * Without what has moved the transaction on, alone or at once: a state that refuses is a fault like
 * others.
 */
function unmoved(before: readonly Step[], { id, operation }: CallStep): readonly Step[] {
  if (!MOVES.has(operation)) return before;
  const isMove = (each: CallStep) => MOVES.has(each.operation) && sameValue(each.id, id);
  const rest = before.flatMap((each): readonly Step[] => {
    if (each.do === 'settle') return sameValue(each.id, id) ? [] : [each];
    if (each.do === 'call') return isMove(each) ? [] : [each];
    if (each.do !== 'burst' || !each.calls.some(isMove)) return [each];
    const calls = each.calls.filter((one) => !isMove(one));
    return calls.length === 0 ? [] : [{ ...each, calls }];
  });
  const isSame = rest.length === before.length && rest.every((each, at) => each === before[at]);
  return isSame ? before : rest;
}

const MOVES: ReadonlySet<OperationName> = new Set([
  'approveTransaction',
  'rejectTransaction',
  'cancelTransaction',
]);

/** Made under a number that no step has. */
function spareAccount(steps: readonly Step[]): CallStep {
  const n = 1 + Math.max(...[...steps, ...callsOf(steps)].map((each) => each.n));
  const name: Value = { $fresh: 'spare' };
  const email: Value = { $join: [name, '@explore.example.com'] };
  const body: Value = {
    client_reference_id: name,
    email,
    brand_id: { $role: 'firm', has: 'brand' },
  };
  return {
    do: 'call',
    n,
    operation: 'createAccount',
    as: 'firm',
    key: { $fresh: 'sparekey' },
    body,
  };
}

function isSameRefusal(each: Case, model: CallOutcome): boolean {
  if (model.status < 400) return false;
  if (summaryOf(model) === summaryOf(each.target)) return true;
  return excuseOf({ ...each, model, first: undefined }) !== undefined;
}

/** The orders that the rules fix are no open ones. */
function isOpenOrder(target: CallOutcome, model: CallOutcome): boolean {
  if (target.status < 400 || model.status < 400) return false;
  const [own, other] = [memberAt(target.json, 'code'), memberAt(model.json, 'code')];
  // IDEM-1d: the key is checked before the rest of the request.
  if (other === 'idempotency_key_required') return target.status === 401 || target.status === 429;
  if (own === 'idempotency_key_required') return model.status === 401 || model.status === 429;
  // UPD-6: what cannot be seen is 404 whatever its tag.
  if (target.status === 412 && model.status === 404) return false;
  // IDEM-4: a repeat is answered before anything else is looked at.
  return model.basis?.idempotency !== 'replayed';
}
