// Checks whether other answers to open questions make the model behave as the target did: then the
// difference is open, and the settings that were not observed have been learned.
import { type SettingSpec, settingSpecs } from '../../../fixtures/settings.ts';
import { type Difference, isLike } from '../compare/difference.ts';
import type { Reference } from '../compare/reference.ts';
import { type Compared, hasBursts, type Recorded } from '../compare/run.ts';
import type { Shown } from '../findings/found.ts';
import type { ModelSettings } from '../model.ts';
import { NEVER_LEARNED } from '../observe.ts';
import { needed } from '../sequence.ts';
import type { Excuse } from './projection.ts';

export interface OtherAnswer {
  readonly excuse: Excuse;
  readonly learned: ModelSettings;
}

/** The most settings that were not observed and may combine in one difference. */
const MOST_TOGETHER = 6;

/** `unasked` are settings that were not observed; observed settings are never changed. */
export async function otherAnswerFor(
  shown: Shown,
  reference: Reference,
  unasked: ReadonlySet<string>,
): Promise<OtherAnswer | undefined> {
  const flips: Flip[] = [];
  let reached: Difference | undefined = shown.difference;
  while (reached !== undefined) {
    if (flips.length === MOST_TOGETHER) return undefined;
    const next = await nextAnswer(shown, reference, unasked, flips, reached);
    // A later member that differs has a difference of its own.
    const isMember = shown.difference.at.startsWith('body.');
    if (next === undefined && isMember && isFurther(shown.difference, reached)) break;
    if (next === undefined) return undefined;
    flips.push(next.flip);
    reached = next.reached;
  }
  // One pause shows whether a time has passed, but not its length.
  const learned = valuesOf(flips.filter(({ setting }) => !(setting in TIMES)));
  return { excuse: flips[0]!.question, learned };
}

/** The parts of an answer in the order in which they are compared, up to the first difference. */
const PARTS = ['status', 'code', 'header.content-type', 'body'];

/** Whether the later difference is in a part of the same answer that was not compared before. */
export function isFurther(first: Difference, later: Difference): boolean {
  const [own, other] = [first, later].map(({ at }) => {
    const isBody = at.startsWith('body.');
    const [part, member] = isBody ? ['body', at.slice('body.'.length)] : [at, ''];
    return { part: PARTS.indexOf(part) >>> 0, member };
  });
  if (first.n !== later.n) return false;
  if (own!.part !== other!.part) return other!.part > own!.part;
  const names = Object.keys(Object(first.pair?.model.json));
  const before = names.slice(0, names.indexOf(own!.member) + 1);
  return before.length > 0 && !before.includes(other!.member);
}

/** The answer that removes the difference, or else the one that leads to another, later one. */
async function nextAnswer(
  shown: Shown,
  reference: Reference,
  unasked: ReadonlySet<string>,
  flips: readonly Flip[],
  before: Difference,
) {
  const chosen = valuesOf(flips);
  const settings = { ...reference.settings, ...chosen };
  const { part, partedAt } = await partOf(shown, before, reference, chosen);
  let best: { readonly flip: Flip; readonly reached: Difference; readonly far: number } | undefined;
  for (const flip of flipsFor(before, settings, unasked)) {
    const { setting, value } = flip;
    if (setting in chosen) continue;
    const compared = await reference.compareWith(part, { ...chosen, [setting]: value });
    if (compared.partedAt !== partedAt && isPartedBefore(compared, before)) continue;
    const reached = newIn(compared, shown, reference);
    if (reached === undefined && compared.why === undefined) {
      const whole = await reference.compareWith(shown.recorded, { ...chosen, [setting]: value });
      const isWhole = newIn(whole, shown, reference) === undefined && whole.why === undefined;
      if (isWhole) return { flip, reached };
    }
    if (reached === undefined || setting in TIMES) continue;
    const far = reached.n + (isFurther(before, reached) ? 0.5 : 0);
    // The order of concurrent calls may now be another: the new difference need not be later.
    const isOther = hasBursts(shown.recorded.sequence)
      ? !isLike(reached, before) && reached.n >= before.n
      : far > before.n;
    if (isOther && (best === undefined || far > best.far)) best = { flip, reached, far };
  }
  return best;
}

/** The first difference that has no explanation of its own. */
function newIn({ differences }: Compared, shown: Shown, reference: Reference) {
  const others = shown.compared.differences.filter((each) => !isLike(each, shown.difference));
  return differences.find(
    (each) => !reference.isKnown(each) && !others.some((other) => isLike(each, other)),
  );
}

/** If the states differ sooner, the difference is not explained but not compared. */
const isPartedBefore = ({ partedAt = Infinity }: Compared, { n, operation }: Difference): boolean =>
  partedAt < n || (operation === 'delivery' && partedAt === n);

/**
 * The steps that the difference depends on, if they show it on their own: they are compared sooner.
 * And the first of them after which the states differ.
 */
async function partOf(
  { recorded }: Shown,
  before: Difference,
  reference: Reference,
  chosen: ModelSettings,
): Promise<{ readonly part: Recorded; readonly partedAt: number | undefined }> {
  const part = { ...recorded, sequence: { steps: needed(recorded.sequence, before.n) } };
  const { differences, partedAt } = await reference.compareWith(part, chosen);
  if (differences.some((each) => isLike(each, before))) return { part, partedAt };
  const whole = await reference.compareWith(recorded, chosen);
  return { part: recorded, partedAt: whole.partedAt };
}

interface Flip {
  readonly question: string;
  readonly setting: string;
  readonly value: unknown;
}

const valuesOf = (flips: readonly Flip[]): ModelSettings =>
  Object.fromEntries(flips.map(({ setting, value }) => [setting, value]));

/** Settings that allow a rule to be broken, or that are known before a run. */
const NOT_OPEN: ReadonlySet<string> = new Set([...NEVER_LEARNED, 'deprecation_header']);

/** Settings that apply only to some operations; for the others a rule decides. */
const ONLY_FOR: Readonly<Record<string, RegExp>> = {
  // IDEM-2c: an account's reference is the same subject in any case.
  transaction_subject_case_sensitive: /Transaction/,
  // CONV-1c: for the nine writes it is 422.
  path_id_status: /Webhook/,
};

const TIMES: Readonly<Record<string, readonly number[]>> = {
  rotation_overlap_s: [1, 60, 300, 900, 3_600, 43_200, 604_800],
};

/** Every other answer to the questions that were not observed. */
function flipsFor(
  { operation }: Difference,
  settings: ModelSettings,
  unasked: ReadonlySet<string>,
): readonly Flip[] {
  const specs: Readonly<Record<string, SettingSpec>> = settingSpecs;
  return Object.entries(specs).flatMap(([setting, spec]) => {
    const isClosed = NOT_OPEN.has(setting) || ONLY_FOR[setting]?.test(operation) === false;
    if (isClosed || !unasked.has(setting)) return [];
    const question = /^NS-\d+/.exec(spec.description)?.[0] ?? '';
    const values = [...otherValues(spec, settings[setting]), ...(TIMES[setting] ?? [])];
    return values.map((value) => ({ question, setting, value }));
  });
}

function otherValues(spec: SettingSpec, now: unknown): readonly unknown[] {
  const { type, enum: allowed = [], order, default: usual } = spec;
  if (type === 'boolean') return [!(now ?? usual)];
  if (order !== undefined) return otherOrders((now ?? usual) as readonly string[], order);
  // NS-3: the delay of an automatic event shows only in whether the event ever happens.
  if (type?.includes('integer')) return type !== 'integer' && now !== null ? [null] : [];
  return allowed.filter((each) => each !== (now ?? usual));
}

/** NS-17: two neighbors in the opposite order, if the setting allows it. */
function otherOrders(
  names: readonly string[],
  order: readonly (readonly [string, string])[],
): readonly string[][] {
  return names.slice(1).flatMap((name, n) => {
    const before = names[n]!;
    const isFixed = order.some(([first, second]) => first === before && second === name);
    return isFixed ? [] : [names.with(n, name).with(n + 1, before)];
  });
}
