// Chooses how a target is reached: by its control plane if one answers, else by a profile or a
// token.
import type { Capability } from '../../../../conformance/engine/capabilities.ts';
import { Inventory } from '../../../../conformance/engine/inventory/inventory.ts';
import type { Mode } from '../../../../conformance/engine/inventory/plan.ts';
import { newMark } from '../../../../conformance/engine/scenario/fresh-values.ts';
import { type Sender, withHeaders } from '../../../../conformance/engine/send/sender.ts';
import { bareProvider } from '../../../../conformance/providers/bare-provider.ts';
import { ControlPlaneClient } from '../../../../conformance/providers/control-plane-client.ts';
import { controlProvider } from '../../../../conformance/providers/control-provider.ts';
import { findBrand, type ProbeSession } from '../../../../conformance/providers/probe.ts';
import type { Profile } from '../../../../conformance/providers/profile-parser.ts';
import { profileProvider } from '../../../../conformance/providers/profile-provider.ts';
import type { Provider } from '../../../../conformance/providers/target.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { usedBeside } from '../input-files.ts';
import { type JudgeIo, UsageError } from '../io.ts';
import type { RunOptions } from '../run-options.ts';
import { readTarget, type TargetReading } from './read-target.ts';

export interface Found {
  readonly baseUrl: string;
  readonly controlUrl: string | null;
  readonly provider: Provider;
  /** Through which everything goes there: with the lines that a gateway wants. */
  readonly sender: Sender;
  /** What was made on it so far. */
  readonly inventory: Inventory;
  /** In every name that is made. */
  readonly mark: string;
  readonly notes: readonly string[];
}

interface Given {
  readonly options: RunOptions;
  readonly io: JudgeIo;
  readonly sender: Sender;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** What the selected scenarios may take; all there is when left out. */
  readonly needed?: ReadonlySet<Capability>;
  /** Told how the target is reached before anything is asked of its API. */
  readonly onMode?: (mode: Mode, controlUrl: string | null, inventory: Inventory) => void;
}

export async function findTarget(given: Given): Promise<Found> {
  const { options, redactor, onMode } = given;
  const read = readTarget(options, given.io, redactor);
  const { baseUrl, asked } = read;
  const inventory = new Inventory(baseUrl);
  const urls = [baseUrl, ...(asked === null ? [] : [asked])];
  const sender = inventory.watch(senderTo(urls, given));
  const common = { baseUrl, sender, inventory, mark: newMark() };
  const plane =
    asked === null ? undefined : new ControlPlaneClient(asked, sender, options.controlToken);
  const absent = (await plane?.absence(options.timeoutS * 1000)) ?? null;
  refuseAbsence(options, asked, absent);
  if (asked !== null && absent === null) {
    onMode?.('control', asked, inventory);
    const secret = (value: string) => redactor.learn(value);
    const { controlToken } = options;
    const parts = { baseUrl, controlUrl: asked, sender, controlToken, secret };
    const provider = await controlProvider(parts);
    const own = read.profile === undefined && options.token === undefined;
    const notes = own ? [] : [`${UNUSED} (--control-url none leaves the control plane alone).`];
    return { ...common, controlUrl: asked, provider, notes };
  }
  onMode?.('profile', null, inventory);
  const provider = await liveProvider({ ...given, sender }, read, common.mark, absent);
  return { ...common, controlUrl: null, provider, notes: [] };
}

/** What was asked for by name is not silently done without. */
function refuseAbsence(options: RunOptions, asked: string | null, absent: string | null): void {
  const { controlUrl, controlToken } = options;
  if (absent === null || (controlUrl === undefined && controlToken === undefined)) return;
  const option = controlUrl === undefined ? '--control-token-env' : '--control-url';
  const advice = '--control-url none goes without one';
  throw new UsageError(`${option}: no control plane at ${asked}: ${absent}; ${advice}`);
}

/** By the profile, by a token alone, or by nothing at all. */
async function liveProvider(
  given: Given,
  read: TargetReading,
  mark: string,
  absent: string | null,
): Promise<Provider> {
  const { options, io, sender, signal, needed } = given;
  const { baseUrl, asked, secrets } = read;
  const timeoutMs = options.timeoutS * 1000;
  const profile = read.profile ?? (await profileOfToken(given, baseUrl, mark));
  if (profile === undefined) {
    const give = 'give --profile FILE (see: conformance init) or --token-env NAME';
    const why = `${silent(asked, absent)}, and there is no credential: ${give}`;
    return bareProvider({ baseUrl, sender, timeoutMs, why });
  }
  const warn = (note: string) => io.err(`${note}\n`);
  const { profile: file } = options;
  const used = file === undefined ? {} : { used: usedBeside(file, io.cwd, warn) };
  const rest = { sender, timeoutMs, signal, mark, ...used };
  const looked = needed === undefined ? {} : { needed };
  const from = options.tokenEnv === undefined ? {} : { given: `--token-env ${options.tokenEnv}` };
  return await profileProvider({ baseUrl, profile, secrets, ...rest, ...looked, ...from });
}

/** What a gateway wants is sent to the target and its operator, and to nobody else. */
function senderTo(urls: readonly string[], { options, sender, redactor }: Given): Sender {
  const lines = options.headers.map(({ name, value }) => [name, value] as const);
  for (const [, value] of lines) redactor.add(value);
  const origins = urls.map((each) => new URL(each).origin);
  return withHeaders(sender, lines, origins);
}

const UNUSED =
  'A control plane answers, so the runner makes its own credentials and those given are not used';

function silent(url: string | null, absent: string | null): string {
  if (url === null) return 'There is no control plane';
  return `No control plane answers at ${url}${absent === null ? '' : ` (${absent})`}`;
}

/** A token alone: what kind it is shows by whether it can create an account without a brand. */
async function profileOfToken(
  given: Given,
  baseUrl: string,
  mark: string,
): Promise<Profile | undefined> {
  const { options, sender, signal } = given;
  const { token, brandId } = options;
  if (token === undefined) return undefined;
  const timeoutMs = options.timeoutS * 1000;
  const session: ProbeSession = { baseUrl, sender, timeoutMs, signal, mark };
  const bound = await findBrand(session, token);
  if (bound !== undefined) return { credentials: { brand: { token, brand_id: bound } } };
  const firm = brandId === undefined ? { token } : { token, brand_id: brandId };
  return { credentials: { firm } };
}
