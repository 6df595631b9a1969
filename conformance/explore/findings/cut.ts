// Cuts steps out of a sequence, together with the steps that depend on them, or repairs those.

import { symbolsIn } from '../play/symbols.ts';
import {
  type CallStep,
  callsOf,
  labels,
  rebound,
  refersTo,
  rolesIn,
  type Sequence,
  type Step,
  sameValue,
} from '../sequence.ts';

type Steps = readonly Step[];

/** These steps and all their dependencies, direct or indirect. */
export function closure(steps: Steps, wanted: readonly number[]): Steps {
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
function needsOf(step: Step, steps: Steps): readonly number[] {
  const names = new Set([...callsOf([step]).map(({ as }) => as), ...rolesIn(step)]);
  if (step.do === 'mint' && step.wish.mintedBy !== undefined) names.add(step.wish.mintedBy);
  const minted = steps.flatMap((each) =>
    each.do === 'mint' && each !== step && names.has(each.name) ? [each.n] : [],
  );
  return [...refersTo(step), ...minted];
}

/** Without these steps and the steps that depend on them. */
export function without(steps: Steps, gone: readonly number[]): Steps {
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
export function withoutRedirected(steps: Steps, gone: readonly number[]): Steps {
  const before = new Map<number, number>();
  const dropped = steps.filter(({ n }) => gone.includes(n));
  for (const call of callsOf(dropped)) {
    const shown = shownBefore(call, steps);
    if (shown !== undefined) before.set(call.n, before.get(shown) ?? shown);
  }
  const mended = steps.map((step) => (dropped.includes(step) ? step : rebound(step, before)));
  return without(mended, gone);
}

/** The call whose answer showed the record that this call is about. */
function shownBefore(call: CallStep, steps: Steps): number | undefined {
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
export function needed(sequence: Sequence, n: number): Steps {
  const { steps } = upTo(sequence, n);
  const symbols = new Set(symbolsIn(steps.at(-1)));
  // A change of permissions concerns all callers, and a pause all records.
  const isKin = (step: Step) =>
    /^(permit|rescope|advance)$/.test(step.do) || symbolsIn(step).some((each) => symbols.has(each));
  return closure(steps, [...steps.filter(isKin).map((step) => step.n), n]);
}

/** The sequence up to the step that shows the difference. */
export function upTo({ steps }: Sequence, n: number): Sequence {
  const at = steps.findIndex((step) => labels(step).includes(n));
  return { steps: at < 0 ? steps : steps.slice(0, at + 1) };
}
