// Chooses how to reach a target: by its control plane if one answers, otherwise by a profile or a
// token.
import {
  Inventory,
  type ProfileRecords,
} from '../../../../conformance/engine/inventory/inventory.ts';
import type { Mode } from '../../../../conformance/engine/inventory/plan.ts';
import { newMark } from '../../../../conformance/engine/scenario/fresh-values.ts';
import { type Sender, withHeaders } from '../../../../conformance/engine/send/sender.ts';
import { ControlPlaneClient } from '../../../../conformance/providers/control-plane.ts';
import { controlProvider } from '../../../../conformance/providers/control-provider.ts';
import type { Profile, ReadProfile } from '../../../../conformance/providers/profile.ts';
import { profileProvider } from '../../../../conformance/providers/profile-provider.ts';
import type { Provider } from '../../../../conformance/providers/target.ts';
import { Redactor } from '../../../../conformance/reports/redact.ts';
import { isLoopbackHost } from '../../../../simulator/host/delivery/loopback.ts';
import { type CommandIo, UsageError } from '../../io.ts';
import { readProfileFile, usedBeside } from '../input-files.ts';
import type { TargetOptions } from '../options.ts';
import { openSender } from './open-sender.ts';

/** The facts about a target from options and files. */
export interface TargetReading extends Pick<ReadProfile, 'notes' | 'variables' | 'warnings'> {
  readonly baseUrl: string;
  /** The URL to try for a control plane; null: there is none. */
  readonly controlUrl: string | null;
  readonly profile: Profile | undefined;
}

export interface Found {
  readonly baseUrl: string;
  readonly controlUrl: string | null;
  readonly provider: Provider;
  /** Sends all requests, with the headers that a gateway needs. */
  readonly sender: Sender;
  readonly redactor: Redactor;
  /** Records that were created on it so far. */
  readonly inventory: Inventory;
  /** Part of every name that the run creates. */
  readonly mark: string;
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

/** `onMode` is called with the way to reach the target before any request to its API. */
export async function findTarget(
  options: TargetOptions,
  io: CommandIo,
  onMode: (
    mode: Mode,
    read: TargetReading,
    found: Pick<Found, 'inventory' | 'redactor'>,
  ) => void = () => {},
): Promise<Found> {
  const redactor = new Redactor();
  const sockets = await openSender(options, io, redactor);
  try {
    const read = readTarget(options, io, redactor);
    const { hostname } = new URL(read.baseUrl);
    if (!isLoopbackHost(hostname)) for (const each of read.warnings) io.err(`${each}\n`);
    const { baseUrl, controlUrl } = read;
    const inventory = new Inventory(baseUrl);
    // The headers for a gateway are sent to the target and its operator, and to no other origin.
    const headers = options.header.map(({ name, value }) => [name, value] as const);
    for (const [, value] of headers) redactor.add(value);
    const origins = [baseUrl, controlUrl ?? baseUrl].map((each) => new URL(each).origin);
    const sender = inventory.watch(withHeaders(sockets, headers, origins));
    const common = { baseUrl, sender, redactor, inventory, mark: newMark() };
    const reached = await reach(options, io, read, common, (mode) => onMode(mode, read, common));
    const close = async () => {
      await reached.provider.close();
      await sockets.close();
    };
    return { ...common, ...reached, close };
  } catch (error) {
    await sockets.close();
    throw error;
  }
}

/** Throws UsageError if a file is invalid. */
export function readTarget(
  options: TargetOptions,
  io: CommandIo,
  redactor: Redactor,
): TargetReading {
  const read = options.profile === undefined ? undefined : readProfileFile(options.profile, io);
  const { tokenEnv, controlTokenEnv, controlUrl } = options;
  const tokens = [tokenEnv, controlTokenEnv].flatMap((each) => each?.value ?? []);
  for (const secret of [...(read?.secrets ?? []), ...tokens]) redactor.add(secret);
  const baseUrl = options.baseUrl ?? read?.profile.base_url?.replace(/(?<!\/)\/+$/, '');
  if (baseUrl === undefined) {
    throw new UsageError('--base-url is missing, and the profile has no base_url');
  }
  return {
    ...{ profile: undefined, notes: [], warnings: [], variables: new Map() },
    ...read,
    baseUrl,
    controlUrl: controlUrl === 'none' ? null : (controlUrl ?? `${baseUrl}/_sandbox`),
  };
}

const UNUSED =
  'A control plane responds, so the runner makes its own credentials and those given are not used (--control-url none leaves the control plane alone).';

async function reach(
  options: TargetOptions,
  io: CommandIo,
  read: TargetReading,
  { sender, redactor, inventory, mark }: Pick<Found, 'sender' | 'redactor' | 'inventory' | 'mark'>,
  onMode: (mode: Mode) => void,
): Promise<Pick<Found, 'controlUrl' | 'provider' | 'notes'>> {
  const { baseUrl, controlUrl, profile } = read;
  const { controlTokenEnv, maxRate, timeoutS, tokenEnv } = options;
  const controlToken = controlTokenEnv?.value;
  const absent =
    controlUrl === null
      ? 'there is no control plane'
      : await new ControlPlaneClient(controlUrl, sender, controlToken).absence(timeoutS * 1000);
  if (controlUrl === null || absent !== null) {
    if (controlUrl !== null) refuseAbsence(options, absent);
    onMode('profile');
    inventory.protect(recordsOf(profile));
    return { controlUrl: null, provider: liveProvider(options, io, read, mark, absent), notes: [] };
  }
  onMode('control');
  const provider = await controlProvider({
    ...{ baseUrl, controlUrl, sender, controlToken, maxRate, positions: profile?.positions },
    secret: (value) => redactor.learn(value),
  });
  const isUnused = profile !== undefined || tokenEnv !== undefined;
  return { controlUrl, provider, notes: isUnused ? [UNUSED] : [] };
}

/** If a control plane is given and does not answer, the run stops. */
function refuseAbsence(
  { controlUrl, controlTokenEnv }: TargetOptions,
  absent: string | null,
): void {
  if (controlUrl === undefined && controlTokenEnv === undefined) return;
  const option = controlUrl === undefined ? '--control-token-env' : '--control-url';
  throw new UsageError(`${option}: ${absent}; --control-url none goes without one`);
}

/** By the profile, by a token alone, or without credentials. */
function liveProvider(
  { brandId, profile: file, maxRate, tokenEnv }: TargetOptions,
  io: CommandIo,
  { baseUrl, profile, notes, variables }: TargetReading,
  mark: string,
  absent: string | null,
): Provider {
  const firm = {
    token: tokenEnv?.value ?? '',
    ...(brandId !== undefined && { brand_id: brandId }),
  };
  const warn = (note: string) => io.err(`${note}\n`);
  const give =
    'For an API without a control plane give --profile FILE (see: conformance init) or --token-env NAME';
  return profileProvider({
    ...{ baseUrl, notes, variables, mark, maxRate },
    profile: profile ?? { credentials: tokenEnv === undefined ? {} : { firm } },
    ...(file !== undefined && { used: usedBeside(file, io.cwd, warn) }),
    ...(tokenEnv !== undefined && { tokenFrom: `--token-env ${tokenEnv.env}` }),
    ...(profile === undefined && { noCredential: `${absent}. ${give}` }),
  });
}

/** The records of the profile: a run writes only to these and to those that it created. */
function recordsOf(profile: Profile | undefined): ProfileRecords {
  const { credentials = {}, seeds = {}, positions, receiver } = profile ?? {};
  const { settled_transactions: settled = [], ...places } = seeds;
  const { delegated, read_only: readOnly } = credentials as Profile['credentials'];
  const owners = [...Object.values(places), delegated, readOnly, ...settled];
  const url = receiver?.public_url;
  return {
    accounts: owners.flatMap((each) => each?.account_id ?? []),
    tradingAccounts: [...Object.values(places), delegated].flatMap(
      (each) => each?.trading_account_id ?? [],
    ),
    transactions: settled.map(({ id }) => id),
    closing: Object.values(positions?.close.body ?? {}).map(String),
    webhookHost: url === undefined ? undefined : new URL(url).hostname,
  };
}
