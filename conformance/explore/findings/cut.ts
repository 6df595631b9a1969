// Cuts steps out of a sequence, with what cannot be without them, or with that mended.
import { sameValue } from '../draw/draft.ts';
import { type CallStep, callsOf, rebound, refersTo, rolesIn, type Step } from '../sequence.ts';

export function labels(step: Step): readonly number[] {
  return [step.n, ...callsOf([step]).map(({ n }) => n)];
}

/** These steps and all that they refer to, directly or by way of others. */
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

/** What a step cannot be without: answers that it names, and the minting of its credential. */
function needsOf(step: Step, steps: readonly Step[]): readonly number[] {
  const names = new Set([...callsOf([step]).map(({ as }) => as), ...rolesIn(step)]);
  const minted = steps.flatMap((each) =>
    each.do === 'mint' && each !== step && names.has(each.name) ? [each.n] : [],
  );
  return [...refersTo(step), ...minted];
}

/** Without these steps, and without those that cannot be without them. */
export function without(steps: readonly Step[], gone: readonly number[]): readonly Step[] {
  const lost = new Set(gone);
  return steps.filter((step) => {
    const isLost = lost.has(step.n) || needsOf(step, steps).some((n) => lost.has(n));
    if (isLost) for (const n of labels(step)) lost.add(n);
    return !isLost;
  });
}

/**
 * Without these steps; what refers to one of them means the call before it that showed the same
 * record: the tag that an update was sent with is the newest where that update never was.
 */
export function bridged(steps: readonly Step[], gone: readonly number[]): readonly Step[] {
  const before = new Map<number, number>();
  const dropped = steps.filter(({ n }) => gone.includes(n));
  for (const call of callsOf(dropped)) {
    const shown = shownBefore(call, steps);
    if (shown !== undefined) before.set(call.n, before.get(shown) ?? shown);
  }
  return without(
    steps.map((step) => (dropped.includes(step) ? step : rebound(step, before))),
    gone,
  );
}

/** The call whose answer showed the record that this one is about. */
function shownBefore(call: CallStep, steps: readonly Step[]): number | undefined {
  const [shown] = [...refersTo(call.ifMatch), ...refersTo(call.id)];
  if (shown !== undefined) return shown;
  const reference = referenceOf(call);
  const calls = callsOf(steps);
  const first = calls.find(
    (each) => each.operation === call.operation && sameValue(referenceOf(each), reference),
  );
  return reference === undefined || first === call ? undefined : first?.n;
}

const referenceOf = ({ body }: CallStep) =>
  (body as Readonly<Record<string, CallStep['body']>> | null | undefined)?.client_reference_id;

/** What is delayed by a clock that stands is never answered, unless time is moved on for it. */
export function isStuck(steps: readonly Step[]): boolean {
  return steps.some((step, at) => {
    if (step.do !== 'fault' || step.effect.kind !== 'delay') return false;
    const after = steps.slice(at + 1);
    const next = callsOf(after)[0];
    if (next === undefined) return false;
    if (next.pending !== true) return true;
    const awaited = after.findIndex((each) => each.do === 'await' && each.call === next.n);
    const passedMs = after
      .slice(0, Math.max(0, awaited))
      .reduce((sum, each) => sum + (each.do === 'advance' ? each.byMs : 0), 0);
    return awaited >= 0 && passedMs < Number(step.effect.ms);
  });
}
