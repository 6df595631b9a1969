// The facts about a target from options and files, before any request is sent to it.
import type { Capability } from '../../../../conformance/engine/capabilities.ts';
import { EVERY_CAPABILITY } from '../../../../conformance/engine/capabilities.ts';
import type { Mode, Pace } from '../../../../conformance/engine/inventory/plan.ts';
import type { Profile, ReadProfile } from '../../../../conformance/providers/profile.ts';
import {
  FIRM_FACTOR,
  isAmple,
  offersOf,
  SANDBOX_PER_SECOND,
} from '../../../../conformance/providers/profile-provider.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { type CommandIo, UsageError } from '../../io.ts';
import { readProfileFile } from '../input-files.ts';
import type { TargetOptions } from '../options.ts';

export interface TargetReading extends Pick<ReadProfile, 'notes' | 'variables' | 'warnings'> {
  readonly baseUrl: string;
  /** The URL to try for a control plane; null: there is none. */
  readonly controlUrl: string | null;
  readonly profile: Profile | undefined;
  readonly secrets: readonly string[];
}

/** Throws UsageError if a file is invalid. */
export function readTarget(
  options: TargetOptions,
  io: CommandIo,
  redactor: Redactor,
): TargetReading {
  const read = options.profile === undefined ? undefined : readProfileFile(options.profile, io);
  const secrets = [...(read?.secrets ?? [])];
  for (const secret of [options.tokenEnv, options.controlTokenEnv]) {
    if (secret !== undefined) secrets.push(secret.value);
  }
  for (const secret of secrets) redactor.add(secret);
  const baseUrl = options.baseUrl ?? read?.profile.base_url?.replace(/(?<!\/)\/+$/, '');
  if (baseUrl === undefined) {
    throw new UsageError('--base-url is missing, and the profile has no base_url');
  }
  const { controlUrl: option } = options;
  const controlUrl = option === 'none' ? null : (option ?? `${baseUrl}/_sandbox`);
  const nothing = { profile: undefined, notes: [], warnings: [], variables: new Map() };
  return { ...nothing, ...read, baseUrl, controlUrl, secrets };
}

/** The claimed capabilities of the target; the run verifies them first. */
export function claimedOffers(
  { profile }: TargetReading,
  mode: Mode,
  { maxRate, tokenEnv }: TargetOptions,
): ReadonlySet<Capability> {
  if (mode === 'control') {
    const isLimited = !isAmple(maxRate, 200);
    return new Set(EVERY_CAPABILITY.filter((each) => each !== 'bursts' || !isLimited));
  }
  const credentials = tokenEnv === undefined ? {} : { firm: { token: tokenEnv.value } };
  return offersOf(profile ?? { credentials }, maxRate);
}

export function paceOf({ profile }: TargetReading, mode: Mode, { maxRate }: TargetOptions): Pace {
  const most = maxRate ?? Number.POSITIVE_INFINITY;
  if (mode === 'control') return { mode, perSecond: most, firmPerSecond: most };
  const perSecond = profile?.plan?.per_second ?? SANDBOX_PER_SECOND;
  const firm = profile?.plan?.firm_per_second ?? perSecond * FIRM_FACTOR;
  return { mode, perSecond: Math.min(perSecond, most), firmPerSecond: Math.min(firm, most) };
}
