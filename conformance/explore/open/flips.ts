// Other answers to the open questions: whether one of them makes the model do what the target has
// done.
import { type SettingSpec, settingSpecs } from '../../../fixtures/settings.ts';
import type { Difference } from '../compare/difference.ts';
import type { ModelSettings } from '../model.ts';
import { NEVER_LEARNED } from '../observe.ts';

export interface Flip {
  readonly question: string;
  readonly setting: string;
  readonly value: unknown;
}

/** What these allow breaks a rule, or is known of the target beforehand. */
const NOT_OPEN: ReadonlySet<string> = new Set([...NEVER_LEARNED, 'deprecation_header']);

/** Settings that a rule closes where another kind of record is concerned. */
const ONLY_FOR: Readonly<Record<string, RegExp>> = {
  // IDEM-2c: an account's reference is the same subject in any case.
  transaction_subject_case_sensitive: /Transaction/,
  // CONV-1c: for the nine writes it is 422.
  path_id_status: /Webhook/,
};

/**
 * Questions with one answer for everybody: a target that was asked plainly has answered them, and
 * another answer elsewhere, as to one of two calls at the same time, is none of its choices.
 */
const ASKED_ONCE: ReadonlySet<string> = new Set([
  ...['email_case_sensitive', 'account_status_endpoint', 'delivery_order'],
  ...[
    'reject_from_approved',
    'cancel_from_approved',
    'reject_from_settled',
    'approve_from_settled',
  ],
]);

/** Times that people choose, tried where the target was not asked. */
const TIMES: Readonly<Record<string, readonly number[]>> = {
  rotation_overlap_s: [1, 60, 300, 900, 3_600, 43_200, 604_800],
};

/** One pause shows on which side of it such a time is, and not how long it is. */
export const isShown = ({ setting }: Flip): boolean => !(setting in TIMES);

/** Every other answer to the questions, those of the operation's own rules first. */
export function flipsFor(
  { operation }: Pick<Difference, 'operation'>,
  settings: ModelSettings,
  unasked: ReadonlySet<string> = new Set(),
): readonly Flip[] {
  const specs: Readonly<Record<string, SettingSpec>> = settingSpecs;
  return Object.entries(specs).flatMap(([setting, spec]) => {
    if (NOT_OPEN.has(setting) || ONLY_FOR[setting]?.test(operation) === false) return [];
    const isUnasked = unasked.has(setting);
    if (!isUnasked && ASKED_ONCE.has(setting)) return [];
    const question = /^NS-\d+/.exec(spec.description)?.[0] ?? '';
    const values = [
      ...otherValues(spec, settings[setting]),
      ...(isUnasked ? (TIMES[setting] ?? []) : []),
    ];
    // How long something takes by itself was answered where it was asked.
    const open = isUnasked ? values : values.filter((value) => value !== null);
    return open.map((value) => ({ question, setting, value }));
  });
}

function otherValues(spec: SettingSpec, now: unknown): readonly unknown[] {
  if (spec.kind === 'boolean') return [!(now ?? spec.default)];
  if (spec.kind === 'list' && spec.all === true) {
    return otherOrders((Array.isArray(now) ? now : (spec.default ?? [])).map(String), spec.order);
  }
  // NS-3: how long something takes by itself shows in whether it ever comes about.
  if (spec.kind === 'integer') return spec.nullable === true && now !== null ? [null] : [];
  if (spec.kind !== 'choice') return [];
  return spec.allowed.filter((each) => each !== (now ?? spec.default));
}

/** NS-17: two neighbours the other way round, where the setting allows it. */
function otherOrders(
  names: readonly string[],
  order: readonly (readonly [string, string])[] = [],
): readonly string[][] {
  return names.slice(1).flatMap((name, n) => {
    const before = names[n]!;
    const isFixed = order.some(([first, second]) => first === before && second === name);
    return isFixed ? [] : [names.with(n, name).with(n + 1, before)];
  });
}
