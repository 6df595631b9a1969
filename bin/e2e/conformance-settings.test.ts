// Open questions are never judged: with any settings the simulator is conformant, and the observed
// settings configure another simulator in the same way.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { parseConfig } from '../../fixtures/config.ts';
import { defaultSettings, type SettingKey, type Settings } from '../../fixtures/settings.ts';
import { type Given, runJudge, withFolder } from '../commands/conformance/testing/run-judge.ts';
import { repetitive, sandboxed, unpassedOf } from './testing/sandboxed.ts';

const judgeWith = (settings: Partial<Settings>, given: Given, cwd = '.') =>
  sandboxed({ clock: 'frozen', settings }, async (baseUrl) => {
    return (await runJudge({ baseUrl, json: true, ...given }, { cwd })).report;
  });

/** Another value of every setting that the judge observes. */
const CHANGED: Partial<Settings> = {
  error_entry: 'text',
  unparsable_status: 422,
  batch_refusal_status: 400,
  missing_if_match: 428,
  webhook_list_shape: 'array',
  webhook_create_status: 200,
  rotate_secret_status: 201,
  open_position_status: 200,
  unknown_method_status: 404,
  signature_header: 'X-Signed',
  subscription_header: 'X-Sub',
  envelope_seq_name: 'sequence',
  event_kinds: {
    'account.created': 'account.created',
    'account.updated': 'person.changed',
    'transaction.created': 'transaction.created',
    'transaction.approved': 'transaction.approved',
    'transaction.settled': 'transaction.arrived',
    'transaction.rejected': null,
    'transaction.cancelled': 'transaction.cancelled',
    'order.filled': null,
    'position.opened': 'position.begun',
    'position.closed': 'position.closed',
  },
  first_revision: 7,
  revision_step: 3,
  reject_from_approved: 'rejected',
  cancel_from_approved: 'cancelled',
  retry_counted_from: 'start',
  after_last_attempt: 'skip',
  delivery_order: 'independent',
  phone_form: 'digits',
  webhook_refusal_status: 400,
  events_path: '/api/v1/stream',
  rotation_overlap_s: 3600,
  token_lifetime_s: 900,
  account_status_endpoint: 'none',
  approve_body: 'refused',
  delegated_account_create: 'refused',
  delegated_allowance: 'within_the_minters',
  known_reference: 'last',
  other_currency: 'refused',
  path_id_status: 422,
  phone_letters: 'keypad',
  foreign_brand_status: 404,
  read_only_before_scope: false,
  repeated_account_id: 'last',
  repeated_key: 'joined',
  transaction_subject_case_sensitive: true,
  unknown_categories: 'left_out',
  update_null: 'cleared',
  update_other_members: 'refused',
  absent_optionals: 'left_out',
  account_named_after_email: 'local_part',
  account_reference_scope: 'firm',
  amount_as_number: 'accepted',
  amount_exponent: 'accepted',
  amount_sign: 'matches_method',
  approve_from_settled: 'refused',
  batch_brand_refusal_status: 422,
  bonus_is_deposit: true,
  bulk_row_problems: 'batch',
  close_position_status: 200,
  content_type_status: 400,
  duplicate_members: 'refused',
  email_case_sensitive: true,
  firm_wide_sees_webhooks: 'own',
  id_leading_zeros: 'refused',
  if_match_star: 'any',
  key_age_from: 'request',
  length_unit: 'utf16',
  reject_from_settled: 'rejected',
  settlement_delay_ms: 5000,
  subscription_brand_id: 'number',
  tag_before_no_change: false,
  token_errors: 'problem',
  transaction_reference_scope: 'account',
  unauthorized_code: 'no_token',
  unauthorized_status: 403,
  unknown_fields: 'refused',
  unreadable_status: 400,
  unresolvable_webhook_host: 'accepted',
  webhook_disable_answer: 'empty',
  withdrawal_method_is_deposit: false,
  zero_amount: 'accepted',
  abandon_after_ms: 60_000,
  firm_rate_from: 'highest_credential',
  deprecation_header: '@1767225600',
  max_body_bytes: 2_000_000,
};

/** Settings that the judge does not observe; `simulator/testing/settings.test.ts` shows their values. */
const UNOBSERVED: Partial<Settings> = {
  account_statuses: defaultSettings.account_statuses,
  body_too_large_status: 400,
  check_order: defaultSettings.check_order,
  delegated_webhooks: 'brand',
  max_bulk_body_bytes: defaultSettings.max_bulk_body_bytes,
  provider_withdrawals: 'every',
  read_page_size: defaultSettings.read_page_size,
  read_scope: defaultSettings.read_scope,
};

/** Values beside the default and the one in CHANGED. */
const THIRD: Partial<Settings> = { absent_optionals: 'empty', repeated_key: 'first' };

const open = suite('open questions');

open('every setting is observed by the judge or shown by the simulator', () => {
  const all = Object.keys({ ...CHANGED, ...UNOBSERVED });
  assert.equal(all.sort(), Object.keys(defaultSettings).sort());
});

/** Scenarios that observe no setting, and send many requests of a kind that others send too. */
const skip = scenarios
  .filter(({ id, lane, observes = [] }) => {
    return observes.length === 0 && (lane === 'limits' || repetitive.includes(id));
  })
  .map(({ id }) => id);

open('with every setting changed no rule fails, and the settings are observed', () =>
  withFolder(async (cwd) => {
    const given = { seed: '2', skip, observed: 'o.json' };
    const report = await judgeWith({ ...CHANGED, ...UNOBSERVED }, given, cwd);
    assert.equal(unpassedOf(report, ['advisory']), []);
    const { config } = parseConfig(JSON.parse(readFileSync(join(cwd, 'o.json'), 'utf8')));
    const twin: Settings = { ...defaultSettings, ...config!.settings };
    for (const key of Object.keys(defaultSettings) as SettingKey[]) {
      assert.equal(twin[key], key in CHANGED ? CHANGED[key] : defaultSettings[key], key);
      if (key in CHANGED) assert.not.equal(twin[key], defaultSettings[key], `${key} was changed`);
    }
  }),
);

open('with the third value of a setting no rule fails', async () => {
  const only = ['ACC-1*', 'UPD-1', 'IDEM-1*'];
  assert.equal(unpassedOf(await judgeWith(THIRD, { only }), ['advisory']), []);
});

open.run();
