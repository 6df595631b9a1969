// Whether another answer to one open question makes the model do what the target has done.
import { accessSettings } from '../../../fixtures/settings/access.ts';
import { accountSettings } from '../../../fixtures/settings/accounts.ts';
import { bulkSettings } from '../../../fixtures/settings/bulk.ts';
import { conventionSettings } from '../../../fixtures/settings/conventions.ts';
import { deliverySettings } from '../../../fixtures/settings/delivery.ts';
import { errorSettings } from '../../../fixtures/settings/errors.ts';
import { idempotencySettings } from '../../../fixtures/settings/idempotency.ts';
import { positionSettings } from '../../../fixtures/settings/positions.ts';
import type { ListSpec, SettingSpec } from '../../../fixtures/settings/spec.ts';
import { transactionSettings } from '../../../fixtures/settings/transactions.ts';
import { transitionSettings } from '../../../fixtures/settings/transitions.ts';
import { updateSettings } from '../../../fixtures/settings/updates.ts';
import { webhookSettings } from '../../../fixtures/settings/webhooks.ts';
import type { Difference } from '../compare/difference.ts';
import type { ModelSettings } from '../model.ts';

export interface Flip {
  readonly question: string;
  readonly setting: string;
  readonly value: unknown;
}

type Specs = Readonly<Record<string, SettingSpec>>;

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
    return { ...webhookSettings, ...deliverySettings, ...records };
  }
  if (/Account/.test(operation)) return { ...accountSettings, ...updateSettings, ...bulkSettings };
  // NS-56 and NS-20 are asked of transactions as well.
  const { known_reference, transaction_reference_scope } = accountSettings;
  const references = { known_reference, transaction_reference_scope };
  return { ...transactionSettings, ...transitionSettings, ...positionSettings, ...references };
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
