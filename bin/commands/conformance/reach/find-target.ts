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
import type { Profile } from '../../../../conformance/providers/profile.ts';
import { profileProvider } from '../../../../conformance/providers/profile-provider.ts';
import type { Provider } from '../../../../conformance/providers/target.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { isLoopbackHost } from '../../../../simulator/host/delivery/loopback.ts';
import { type CommandIo, UsageError } from '../../io.ts';
import { usedBeside } from '../input-files.ts';
import type { TargetOptions } from '../options.ts';
import { readTarget, type TargetReading } from './read-target.ts';

export interface Found {
  readonly baseUrl: string;
  readonly controlUrl: string | null;
  readonly provider: Provider;
  /** Sends all requests, with the headers that a gateway needs. */
  readonly sender: Sender;
  /** Records that were created on it so far. */
  readonly inventory: Inventory;
  /** Part of every name that the run creates. */
  readonly mark: string;
  readonly notes: readonly string[];
}

interface Given {
  readonly options: TargetOptions;
  readonly io: CommandIo;
  readonly sender: Sender;
  readonly redactor: Redactor;
  /** A run on a live target writes only to records that it created. */
  readonly isGuarded?: boolean;
  /** Called with the way to reach the target before any request to its API. */
  readonly onMode?: (mode: Mode, controlUrl: string | null, inventory: Inventory) => void;
}

export async function findTarget(given: Given): Promise<Found> {
  const { options, redactor, onMode } = given;
  const read = readTarget(options, given.io, redactor);
  const { hostname } = new URL(read.baseUrl);
  if (!isLoopbackHost(hostname)) for (const each of read.warnings) given.io.err(`${each}\n`);
  const { baseUrl, controlUrl: requestedUrl } = read;
  const inventory = new Inventory(baseUrl);
  const urls = [baseUrl, ...(requestedUrl === null ? [] : [requestedUrl])];
  const sender = inventory.watch(senderTo(urls, given));
  const common = { baseUrl, sender, inventory, mark: newMark() };
  const plane =
    requestedUrl === null
      ? undefined
      : new ControlPlaneClient(requestedUrl, sender, options.controlTokenEnv?.value);
  const absent = (await plane?.absence(options.timeoutS * 1000)) ?? null;
  refuseAbsence(options, absent);
  if (requestedUrl !== null && absent === null) {
    onMode?.('control', requestedUrl, inventory);
    const { controlTokenEnv, maxRate } = options;
    const controlToken = controlTokenEnv?.value;
    const provider = await controlProvider({
      baseUrl,
      controlUrl: requestedUrl,
      sender,
      controlToken,
      maxRate,
      positions: read.profile?.positions,
      secret: (value) => redactor.learn(value),
    });
    const own = read.profile === undefined && options.tokenEnv === undefined;
    const notes = own ? [] : [`${UNUSED} (--control-url none leaves the control plane alone).`];
    return { ...common, controlUrl: requestedUrl, provider, notes };
  }
  onMode?.('profile', null, inventory);
  const provider = liveProvider(given, read, common.mark, absent);
  if (given.isGuarded) inventory.protect(recordsOf(read.profile));
  return { ...common, controlUrl: null, provider, notes: [] };
}

/** If a control plane is given and does not answer, the run stops. */
function refuseAbsence(options: TargetOptions, absent: string | null): void {
  const { controlUrl, controlTokenEnv } = options;
  if (absent === null || (controlUrl === undefined && controlTokenEnv === undefined)) return;
  const option = controlUrl === undefined ? '--control-token-env' : '--control-url';
  const advice = '--control-url none goes without one';
  throw new UsageError(`${option}: ${absent}; ${advice}`);
}

/** By the profile, by a token alone, or without credentials. */
function liveProvider(
  { options, io }: Given,
  read: TargetReading,
  mark: string,
  absent: string | null,
): Provider {
  const { brandId, profile: file, maxRate, tokenEnv } = options;
  const token = tokenEnv?.value;
  const firm = { token: token ?? '', ...(brandId === undefined ? {} : { brand_id: brandId }) };
  const profile = read.profile ?? { credentials: token === undefined ? {} : { firm } };
  const warn = (note: string) => io.err(`${note}\n`);
  const give =
    'For an API without a control plane give --profile FILE (see: conformance init) or --token-env NAME';
  return profileProvider({
    baseUrl: read.baseUrl,
    profile,
    notes: read.notes,
    variables: read.variables,
    mark,
    maxRate,
    ...(file === undefined ? {} : { used: usedBeside(file, io.cwd, warn) }),
    ...(tokenEnv === undefined ? {} : { tokenFrom: `--token-env ${tokenEnv.env}` }),
    noCredential: `${absent ?? 'there is no control plane'}. ${give}`,
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

/** The headers for a gateway are sent to the target and its operator, and to no other origin. */
function senderTo(urls: readonly string[], { options, sender, redactor }: Given): Sender {
  const lines = options.header.map(({ name, value }) => [name, value] as const);
  for (const [, value] of lines) redactor.add(value);
  const origins = urls.map((each) => new URL(each).origin);
  return withHeaders(sender, lines, origins);
}

const UNUSED =
  'A control plane responds, so the runner makes its own credentials and those given are not used';
