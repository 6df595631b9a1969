// Chooses how a target is reached: by its control plane if one answers, else by a profile or a
// token.
import { type Sender, withHeaders } from '../../../../conformance/engine/send/sender.ts';
import { bareProvider } from '../../../../conformance/providers/bare-provider.ts';
import { ControlPlaneClient } from '../../../../conformance/providers/control-plane-client.ts';
import { controlProvider } from '../../../../conformance/providers/control-provider.ts';
import { findBrand, type ProbeSession } from '../../../../conformance/providers/probe.ts';
import type { Profile } from '../../../../conformance/providers/profile-parser.ts';
import { profileProvider } from '../../../../conformance/providers/profile-provider.ts';
import type { Provider } from '../../../../conformance/providers/target.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import { readProfileFile, usedBeside } from '../input-files.ts';
import { type JudgeIo, UsageError } from '../io.ts';
import type { RunOptions } from '../run-options.ts';

export interface Found {
  readonly baseUrl: string;
  readonly controlUrl: string | null;
  readonly provider: Provider;
  /** Through which everything goes there: with the lines that a gateway wants. */
  readonly sender: Sender;
  readonly notes: readonly string[];
}

interface Given {
  readonly options: RunOptions;
  readonly io: JudgeIo;
  readonly sender: Sender;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

export async function findTarget(given: Given): Promise<Found> {
  const { options, io, redactor } = given;
  const read = options.profile === undefined ? undefined : readProfileFile(options.profile, io);
  const secrets = [...(read?.secrets ?? [])];
  for (const secret of [options.token, options.controlToken]) {
    if (secret !== undefined) secrets.push(secret);
  }
  for (const secret of secrets) redactor.add(secret);
  const baseUrl = options.baseUrl ?? read?.profile.base_url?.replace(/\/+$/, '');
  if (baseUrl === undefined) {
    throw new UsageError('--base-url is missing, and the profile has no base_url');
  }
  const asked = options.controlUrl ?? `${baseUrl}/_sandbox`;
  const sender = senderTo([baseUrl, ...(asked === 'none' ? [] : [asked])], given);
  const plane =
    asked === 'none' ? undefined : new ControlPlaneClient(asked, sender, options.controlToken);
  if (plane !== undefined && (await plane.ready(options.timeoutS * 1000))) {
    const secret = (value: string) => redactor.learn(value);
    const { controlToken } = options;
    const parts = { baseUrl, controlUrl: asked, sender, controlToken, secret };
    const provider = await controlProvider(parts);
    const own = read === undefined && options.token === undefined;
    const notes = own ? [] : [`${UNUSED} (--control-url none leaves the control plane alone).`];
    return { baseUrl, controlUrl: asked, provider, sender, notes };
  }
  const notes = options.controlUrl === undefined || asked === 'none' ? [] : [silent(asked)];
  const found = { baseUrl, controlUrl: null, sender, notes };
  const timeoutMs = options.timeoutS * 1000;
  const profile = read?.profile ?? (await profileOfToken({ ...given, sender }, baseUrl));
  if (profile === undefined) {
    const give = 'give --profile FILE (see: conformance init) or --token-env NAME';
    const why = `${silent(asked)}, and there is no credential: ${give}`;
    return { ...found, notes: [], provider: bareProvider({ baseUrl, sender, timeoutMs, why }) };
  }
  const warn = (note: string) => io.err(`${note}\n`);
  const { profile: file } = options;
  const used = file === undefined ? {} : { used: usedBeside(file, io.cwd, warn) };
  const rest = { sender, timeoutMs, signal: given.signal, ...used };
  return { ...found, provider: await profileProvider({ baseUrl, profile, secrets, ...rest }) };
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

function silent(url: string): string {
  return url === 'none' ? 'There is no control plane' : `No control plane answers at ${url}`;
}

/** A token alone: what kind it is shows by whether it can create an account without a brand. */
async function profileOfToken(given: Given, baseUrl: string): Promise<Profile | undefined> {
  const { options, sender, signal } = given;
  const { token, brandId } = options;
  if (token === undefined) return undefined;
  const knocking: ProbeSession = { baseUrl, sender, timeoutMs: options.timeoutS * 1000, signal };
  const bound = await findBrand(knocking, token);
  if (bound !== undefined) return { credentials: { brand: { token, brand_id: bound } } };
  const firm = brandId === undefined ? { token } : { token, brand_id: brandId };
  return { credentials: { firm } };
}
