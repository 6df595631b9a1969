// Whether another answer to one open question makes the model do what the target has done.
import { findQuestion, type QuestionId } from '../../../fixtures/questions.ts';
import type { ListSpec, SettingSpec } from '../../../fixtures/settings/spec.ts';
import { settingSpecs } from '../../../fixtures/settings.ts';
import type { Difference } from '../compare/difference.ts';
import type { ModelSettings } from '../model.ts';

export interface Flip {
  readonly question: string;
  readonly setting: string;
  readonly value: unknown;
}

type Specs = Readonly<Record<string, SettingSpec>>;

/** The settings of these questions. */
function settingsOf(...ids: readonly QuestionId[]): Specs {
  const keys = ids.flatMap((id) => findQuestion(id).settings);
  return Object.fromEntries(keys.map((key) => [key, settingSpecs[key]]));
}

const bodySettings = settingsOf('NS-40', 'NS-44', 'NS-46', 'NS-48', 'NS-2', 'NS-49');
const conventionSettings = { ...settingsOf('NS-17', 'NS-32'), ...bodySettings };
const errorSettings = settingsOf('NS-13', 'NS-14', 'NS-15', 'NS-31', 'NS-45', 'NS-47');
const idempotencySettings = settingsOf('NS-34', 'NS-35', 'NS-42', 'NS-58');
const accessSettings = settingsOf('NS-8', 'NS-50', 'NS-16', 'NS-57', 'NS-64');
const peopleSettings = settingsOf('NS-5', 'NS-20', 'NS-56', 'NS-54', 'NS-62', 'NS-63');
const accountSettings = { ...peopleSettings, ...settingsOf('NS-24', 'NS-25', 'NS-26') };
const updateSettings = settingsOf('NS-18', 'NS-19', 'NS-39', 'NS-55');
const transactionSettings = settingsOf('NS-27', 'NS-21', 'NS-60', 'NS-43');
const stateSettings = settingsOf('NS-3', 'NS-4', 'NS-1');
const subscriptionSettings = settingsOf('NS-7', 'NS-52', 'NS-23', 'NS-53', 'NS-38', 'NS-65');
const deliverySettings = settingsOf('NS-22', 'NS-9', 'NS-10', 'NS-11', 'NS-12', 'NS-28');

/** What these allow breaks a rule, or is known of the target beforehand. */
const NOT_OPEN = new Set([
  'unrecorded_refusals',
  'key_across_brands',
  'account_statuses',
  'replay_etag',
  'provider_withdrawals',
  'deprecation_header',
]);

/** Settings that a rule closes where another kind of record is concerned. */
const ONLY_FOR: Readonly<Record<string, RegExp>> = {
  // IDEM-2c: an account's reference is the same subject in any case.
  subject_case_sensitive: /Transaction/,
  // CONV-1c: for the nine writes it is 422.
  path_id_status: /Webhook/,
};

/** Times that people choose, tried where nobody has asked: a pause is longer than one, or not. */
const TIMES: Readonly<Record<string, readonly number[]>> = {
  rotation_overlap_s: [1, 60, 300, 900, 3_600, 43_200, 604_800],
};

/** One pause shows on which side of it such a time is, and not how long it is. */
export const isShown = ({ setting }: Flip): boolean => !(setting in TIMES);

/** Every other answer to the questions that an operation may meet. */
export function flipsFor(
  difference: Difference,
  settings: ModelSettings,
  unasked: ReadonlySet<string> = new Set(),
): readonly Flip[] {
  const common = { ...conventionSettings, ...errorSettings, ...idempotencySettings };
  const { operation } = difference;
  const specs: Specs = { ...common, ...accessSettings, ...ownSettings(difference) };
  return Object.entries(specs).flatMap(([setting, spec]) => {
    if (NOT_OPEN.has(setting) || ONLY_FOR[setting]?.test(operation) === false) return [];
    const question = /^NS-\d+/.exec(spec.description)?.[0] ?? '';
    const times = unasked.has(setting) ? (TIMES[setting] ?? []) : [];
    const values = [...otherValues(spec, settings[setting]), ...times];
    return values.map((value) => ({ question, setting, value }));
  });
}

function ownSettings({ operation, at }: Difference): Specs {
  if (/Webhook|delivery|channel/.test(operation)) {
    // What an event carries is the record as its own calls show it.
    const records = at.startsWith('envelope.data') ? { ...accountSettings } : {};
    return { ...subscriptionSettings, ...deliverySettings, ...records };
  }
  if (/Account/.test(operation))
    return {
      ...accountSettings,
      ...updateSettings,
      update_other_members: settingSpecs.update_other_members,
      ...settingsOf('NS-6', 'NS-33'),
    };
  // NS-56 and NS-20 are asked of transactions as well.
  const { known_reference, transaction_reference_scope } = settingSpecs;
  const references = { known_reference, transaction_reference_scope };
  return { ...transactionSettings, ...stateSettings, ...references };
}

function otherValues(spec: SettingSpec, now: unknown): readonly unknown[] {
  if (spec.kind === 'boolean') return [!(now ?? spec.default)];
  if (spec.kind === 'list' && spec.all) return otherOrders(spec, now);
  // NS-3: how long something takes by itself shows in whether it ever comes about.
  if (spec.kind === 'integer') return spec.nullable === true && now !== null ? [null] : [];
  if (spec.kind !== 'choice') return [];
  return spec.allowed.filter((each) => each !== (now ?? spec.default));
}

/** NS-17: two neighbours the other way round, where the setting allows it. */
function otherOrders({ default: usual, order = [] }: ListSpec, now: unknown): readonly string[][] {
  const names = (Array.isArray(now) ? now : (usual ?? [])).map(String);
  return names.slice(1).flatMap((name, n) => {
    const before = names[n] as string;
    const isFixed = order.some(([first, second]) => first === before && second === name);
    return isFixed ? [] : [names.with(n, name).with(n + 1, before)];
  });
}
