// Open questions are never judged: with any settings the simulator is conformant, and the observed
// settings configure another simulator in the same way.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { parseConfig } from '../../fixtures/config.ts';
import {
  defaultSettings,
  type SettingKey,
  type SettingSpec,
  type Settings,
  settingSpecs,
} from '../../fixtures/settings.ts';
import { type Given, runJudge, withFolder } from '../commands/conformance/testing/run-judge.ts';
import { repetitive, sandboxed, unpassedOf } from './testing/sandboxed.ts';

const judgeWith = (settings: Partial<Settings>, given: Given, cwd = '.') =>
  sandboxed({ clock: 'frozen', settings }, async (baseUrl) => {
    return (await runJudge({ baseUrl, json: true, ...given }, { cwd })).report;
  });

/** Settings that the judge does not observe; `simulator/testing/settings.test.ts` shows their values. */
const UNOBSERVED: readonly SettingKey[] = [
  ...(['account_statuses', 'body_too_large_status', 'check_order', 'delegated_webhooks'] as const),
  ...(['max_bulk_body_bytes', 'provider_withdrawals', 'read_page_size', 'read_scope'] as const),
];

/** Another value of every setting with a fixed set of values. */
function otherChoices(): Partial<Settings> {
  const specs: Readonly<Record<string, SettingSpec>> = settingSpecs;
  const other: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(specs)) {
    if (spec.type === 'boolean') other[key] = !spec.default;
    if (spec.enum !== undefined) other[key] = spec.enum.find((each) => each !== spec.default);
  }
  return other as Partial<Settings>;
}

const CHANGED: Partial<Settings> = {
  ...otherChoices(),
  abandon_after_ms: 60_000,
  deprecation_header: '@1767225600',
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
  events_path: '/api/v1/stream',
  first_revision: 7,
  max_body_bytes: 2_000_000,
  revision_step: 3,
  rotation_overlap_s: 3600,
  settlement_delay_ms: 5000,
  signature_header: 'X-Signed',
  subscription_header: 'X-Sub',
  token_lifetime_s: 900,
  unauthorized_code: 'no_token',
};

/** The values of these that are neither the default nor in CHANGED. */
const THIRD: Partial<Settings> = { absent_optionals: 'left_out', repeated_key: 'joined' };

const open = suite('open questions');

open('every setting is observed by the judge or shown by the simulator', () => {
  const all = new Set([...Object.keys(CHANGED), ...UNOBSERVED]);
  assert.equal([...all].sort(), Object.keys(defaultSettings).sort());
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
    assert.equal(unpassedOf(await judgeWith(CHANGED, given, cwd), ['advisory']), []);
    const { config } = parseConfig(JSON.parse(readFileSync(join(cwd, 'o.json'), 'utf8')));
    const twin: Settings = { ...defaultSettings, ...config!.settings };
    for (const key of Object.keys(defaultSettings) as SettingKey[]) {
      const isObserved = !UNOBSERVED.includes(key);
      assert.equal(twin[key], isObserved ? CHANGED[key] : defaultSettings[key], key);
      if (isObserved) assert.not.equal(twin[key], defaultSettings[key], `${key} was changed`);
    }
  }),
);

open('with the third value of a setting no rule fails', async () => {
  const only = ['ACC-1*', 'UPD-1', 'IDEM-1*'];
  assert.equal(unpassedOf(await judgeWith(THIRD, { only }), ['advisory']), []);
});

open.run();
