// Provides a live target from a profile: finds out first which of its parts work, so that what does
// not is left out with a word about it and no rule is blamed for it.
import type { Capability, Role } from '../engine/capabilities.ts';
import { newMark } from '../engine/scenario/fresh-values.ts';
import type { Sender } from '../engine/send/sender.ts';
import { isNeeded, isSilent, type ProbeSession } from './probe.ts';
import {
  dropLostSeeds,
  dropRefusedCredentials,
  findPreflightProblem,
  withBrands,
  withMain,
} from './profile-check.ts';
import { listenAddress, type Profile } from './profile-parser.ts';
import { dropMisnamedRoles } from './profile-roles.ts';
import {
  credentialOf,
  mainRoleOf,
  ProfileTarget,
  pathUnder,
  SANDBOX_PER_SECOND,
} from './profile-target.ts';
import { deliveryArrives, reachesReceiver } from './receiver-reachability.ts';
import type { Provider, Target } from './target.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** Which settled transactions earlier runs have used up. */
export interface UsedSeeds {
  has(transactionId: string): boolean;
  add(transactionId: string): void;
}

export interface ProfileProviderOptions {
  readonly baseUrl: string;
  readonly profile: Profile;
  readonly secrets: readonly string[];
  readonly sender: Sender;
  readonly used?: UsedSeeds;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Between the first careful requests; as the plan has it when left out. */
  readonly gapMs?: number;
  /** In every name that is made; new when left out. */
  readonly mark?: string;
  /** What the selected scenarios may take; all there is when left out. */
  readonly needed?: ReadonlySet<Capability>;
  /** How its one credential was given, where that was not by a profile. */
  readonly given?: string;
}

export async function profileProvider(options: ProfileProviderOptions): Promise<Provider> {
  const notes: string[] = [];
  const { baseUrl, sender, timeoutMs } = options;
  const gapMs = options.gapMs ?? 1000 / (options.profile.plan?.per_second ?? SANDBOX_PER_SECOND);
  const { mark = newMark(), needed } = options;
  const session: ProbeSession = {
    ...{ baseUrl, sender, timeoutMs, signal: options.signal, gapMs, mark },
    ...(needed === undefined ? {} : { needed }),
  };
  let profile = await withMain(options.profile, session);
  const claimed = offersOf(profile, profile.receiver !== undefined);
  profile = dropUsedSeeds(profile, options.used, session, notes);
  profile = await dropRefusedCredentials(profile, session, notes);
  profile = await withBrands(profile, session, notes);
  const problem = await findPreflightProblem(profile, session, options.given);
  if (problem === null) {
    profile = await dropMisnamedRoles(profile, session, notes);
    profile = await dropLostSeeds(profile, session, notes);
  }
  // Where the run cannot start anyway, no further trouble is looked for that would only mislead.
  const isPointless = problem !== null || isSilent(session);
  const receiver = isPointless ? undefined : await openReceiver(profile, session, notes);
  const receives = isPointless ? profile.receiver !== undefined : receiver !== undefined;
  const target = new ProfileTarget({
    baseUrl,
    profile,
    offers: offersOf(profile, receives),
    receiver,
    problem,
    used: (id) => options.used?.add(id),
  });
  const isLost = (each: Capability) => !target.offers.has(each) && isNeeded(session, each);
  const lost = new Set([...claimed].filter(isLost));
  return new ProfileProvider({ target, lost, secrets: options.secrets, notes, receiver });
}

interface ProviderOptions {
  readonly target: Target;
  readonly lost: ReadonlySet<Capability>;
  readonly secrets: readonly string[];
  readonly notes: readonly string[];
  readonly receiver: WebhookReceiver | undefined;
}

class ProfileProvider implements Provider {
  readonly worlds = false;
  readonly offers: ReadonlySet<Capability>;
  readonly lost: ReadonlySet<Capability>;
  readonly notes: readonly string[];
  readonly #target: Target;
  readonly #secrets: readonly string[];
  readonly #receiver: WebhookReceiver | undefined;

  constructor({ target, lost, secrets, notes, receiver }: ProviderOptions) {
    this.offers = target.offers;
    this.lost = lost;
    this.notes = notes;
    this.#target = target;
    this.#secrets = secrets;
    this.#receiver = receiver;
  }

  async shared(): Promise<Target> {
    return this.#target;
  }

  async own(): Promise<Target> {
    return this.#target;
  }

  secrets(): Iterable<string> {
    return this.#secrets;
  }

  async close(): Promise<void> {
    await this.#receiver?.close();
  }
}

export function offersOf(profile: Profile, receives: boolean): Set<Capability> {
  const offers = new Set<Capability>();
  for (const role of Object.keys(profile.credentials) as Role[]) offers.add(role);
  const seeds = profile.seeds ?? {};
  if (seeds.trading_account) offers.add('trading_account');
  if (seeds.second_trading_account) offers.add('second_trading_account');
  if (seeds.provider_trading_account) offers.add('provider_trading_account');
  if ((seeds.settled_transactions ?? []).length > 0) offers.add('settled_transaction');
  if (profile.plan) offers.add('plan');
  if (receives) offers.add('receiver');
  return offers;
}

function dropUsedSeeds(
  profile: Profile,
  used: UsedSeeds | undefined,
  session: ProbeSession,
  notes: string[],
): Profile {
  const all = profile.seeds?.settled_transactions ?? [];
  const left = all.filter(({ id }) => used?.has(id) !== true);
  if (left.length < all.length && isNeeded(session, 'settled_transaction')) {
    const gone = all.filter((each) => !left.includes(each)).map(({ id }) => id);
    const more = left.length === 0 ? 'add others' : `${left.length} left`;
    notes.push(`seeds.settled_transactions: used up by earlier runs: ${gone.join(', ')}; ${more}.`);
  }
  return { ...profile, seeds: { ...profile.seeds, settled_transactions: left } };
}

async function openReceiver(
  profile: Profile,
  session: ProbeSession,
  notes: string[],
): Promise<WebhookReceiver | undefined> {
  if (profile.receiver === undefined || !isNeeded(session, 'receiver')) return undefined;
  const { listen, public_url: publicUrl } = profile.receiver;
  const { host, port } = listenAddress(listen)!;
  let receiver: WebhookReceiver;
  try {
    receiver = await WebhookReceiver.listen(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'EADDRINUSE' ? 'something else listens there already' : code;
    notes.push(`receiver.listen: cannot listen on ${listen} (${why}), so nothing is received.`);
    return undefined;
  }
  const hook = receiver.hook((name) => pathUnder(publicUrl, name));
  if (await reachesReceiver(session, hook)) return receiver;
  const main = credentialOf(profile, mainRoleOf(profile.credentials));
  if (main !== undefined && (await deliveryArrives(session, hook, main))) return receiver;
  notes.push(
    `receiver.public_url: neither a request to ${publicUrl} nor a delivery of the target arrived ` +
      `at ${listen}, so rules about deliveries are not tested.`,
  );
  await receiver.close();
  return undefined;
}
