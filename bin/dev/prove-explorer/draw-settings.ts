// Settings of a simulator, drawn by chance.
import { Random } from '../../../conformance/explore/draw/random.ts';
import {
  defaultSettings,
  parseSettings,
  type SettingSpec,
  type Settings,
  settingSpecs,
} from '../../../fixtures/settings.ts';

/** Numbers and names that are worth trying; every choice and every yes or no is drawn besides. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  first_revision: [0, 7, 100],
  revision_step: [2, 10],
  envelope_seq_name: ['sequence', 'number'],
  signature_header: ['X-Signed'],
  subscription_header: ['X-Sub'],
};

/** What breaks a rule, or takes away what the explorer could compare. */
const KEPT = new Set([
  ...['unrecorded_refusals', 'key_across_brands', 'account_statuses', 'replay_etag'],
  ...['deprecation_header', 'account_status_endpoint'],
]);

export function drawSettings(seed: number): Settings {
  const random = new Random(seed);
  const drawn: Record<string, unknown> = {};
  const specs: Readonly<Record<string, SettingSpec>> = settingSpecs;
  for (const [key, spec] of Object.entries(specs)) {
    if (KEPT.has(key) || random.chance(0.5)) continue;
    if (spec.kind === 'boolean') drawn[key] = !spec.default;
    else if (spec.kind === 'choice') drawn[key] = random.pick(spec.allowed);
    else if (key in OTHERS) drawn[key] = random.pick(OTHERS[key]!);
  }
  return parseSettings(drawn).settings ?? defaultSettings;
}
