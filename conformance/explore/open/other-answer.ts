// Whether other answers to open questions make the model do what the target has done: then the
// difference is open, and what the target was not asked about before has been learned.
import { type SettingSpec, settingSpecs } from '../../../fixtures/settings.ts';
import { type Difference, isLike } from '../compare/difference.ts';
import type { Reference } from '../compare/reference.ts';
import type { Shown } from '../findings/found.ts';
import type { ModelSettings } from '../model.ts';
import { NEVER_LEARNED } from '../observe.ts';
import type { Excuse } from './projection.ts';

export interface OtherAnswer {
  readonly excuse: Excuse;
  readonly learned: ModelSettings;
}

/** So many answers that the target was not asked for may meet in one difference. */
const MOST_TOGETHER = 6;

/** `unasked` are settings that the target was not asked about: what it was asked it has answered. */
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
    if (next === undefined) return undefined;
    flips.push(next.flip);
    reached = next.reached;
  }
  // One pause shows on which side of it a time is, and not how long it is.
  const learned = valuesOf(flips.filter(({ setting }) => !(setting in TIMES)));
  return { excuse: flips[0]!.question, learned };
}

/** The answer with which nothing differs, or else the one that leads to another, later difference. */
async function nextAnswer(
  shown: Shown,
  reference: Reference,
  unasked: ReadonlySet<string>,
  flips: readonly Flip[],
  before: Difference,
) {
  const chosen = valuesOf(flips);
  const settings = { ...reference.settings, ...chosen };
  let best: { readonly flip: Flip; readonly reached: Difference } | undefined;
  for (const flip of flipsFor(before, settings, unasked)) {
    const { setting, value } = flip;
    if (setting in chosen) continue;
    const others = shown.compared.differences.filter((each) => !isLike(each, shown.difference));
    const answers = { ...chosen, [setting]: value };
    const { differences, why } = await reference.compare(shown.recorded, answers);
    const reached = differences.find((each) => !others.some((other) => isLike(each, other)));
    if (reached === undefined && why === undefined) return { flip, reached };
    if (reached === undefined || setting in TIMES) continue;
    // In which order concurrent calls came may be another now: it need not be later.
    const isOther = !isLike(reached, before) && reached.n >= before.n;
    if (isOther && (best === undefined || reached.n > best.reached.n)) best = { flip, reached };
  }
  return best;
}

interface Flip {
  readonly question: string;
  readonly setting: string;
  readonly value: unknown;
}

const valuesOf = (flips: readonly Flip[]): ModelSettings =>
  Object.fromEntries(flips.map(({ setting, value }) => [setting, value]));

/** Settings that allow what breaks a rule, or that are known of the target beforehand. */
const NOT_OPEN: ReadonlySet<string> = new Set([...NEVER_LEARNED, 'deprecation_header']);

/** Settings that a rule closes if another kind of record is concerned. */
const ONLY_FOR: Readonly<Record<string, RegExp>> = {
  // IDEM-2c: an account's reference is the same subject in any case.
  transaction_subject_case_sensitive: /Transaction/,
  // CONV-1c: for the nine writes it is 422.
  path_id_status: /Webhook/,
};

/** Times that people choose. */
const TIMES: Readonly<Record<string, readonly number[]>> = {
  rotation_overlap_s: [1, 60, 300, 900, 3_600, 43_200, 604_800],
};

/** Every other answer to the questions that the target was not asked. */
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
  // NS-3: how long something takes by itself shows in whether it ever comes about.
  if (type?.includes('integer')) return type !== 'integer' && now !== null ? [null] : [];
  return allowed.filter((each) => each !== (now ?? usual));
}

/** NS-17: two neighbours the other way round, if the setting allows it. */
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
