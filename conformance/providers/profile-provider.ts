// Provides a live target from a profile: finds out first which of its parts work, so that what does
// not is left out with a word about it and no rule is blamed for it.
import type { Need, Role } from '../engine/needs.ts';
import type { Sender } from '../engine/send.ts';
import type { Knocking } from './knock.ts';
import { listenAddress, type Profile } from './profile.ts';
import {
  findHindrance,
  withBrands,
  withMain,
  withoutLostSeeds,
  withoutRefused,
} from './profile-check.ts';
import {
  credentialOf,
  mainRoleOf,
  ProfileTarget,
  pathUnder,
  SANDBOX_PER_SECOND,
} from './profile-target.ts';
import { Receiver } from './receiver.ts';
import { deliveryArrives, leadsHere } from './receiver-check.ts';
import type { Provider, Target } from './target.ts';

/** Which settled transactions earlier runs have used up. */
export interface Used {
  has(transactionId: string): boolean;
  add(transactionId: string): void;
}

export interface ProfileProviderParts {
  readonly baseUrl: string;
  readonly profile: Profile;
  readonly secrets: readonly string[];
  readonly sender: Sender;
  readonly used?: Used;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Between the first careful requests; as the plan has it when left out. */
  readonly gapMs?: number;
}

export async function profileProvider(parts: ProfileProviderParts): Promise<Provider> {
  const notes: string[] = [];
  const { baseUrl, sender, timeoutMs } = parts;
  const gapMs = parts.gapMs ?? 1000 / (parts.profile.plan?.per_second ?? SANDBOX_PER_SECOND);
  const knocking: Knocking = { baseUrl, sender, timeoutMs, signal: parts.signal, gapMs };
  let profile = withoutUsed(parts.profile, parts.used, notes);
  profile = await withMain(profile, knocking);
  profile = await withoutRefused(profile, knocking, notes);
  profile = await withBrands(profile, knocking, notes);
  const hindrance = await findHindrance(profile, knocking);
  if (hindrance === null) profile = await withoutLostSeeds(profile, knocking, notes);
  const receiver = await openReceiver(profile, knocking, notes);
  const target = new ProfileTarget({
    baseUrl,
    profile,
    offers: offersOf(profile, receiver !== undefined),
    receiver,
    hindrance,
    used: (id) => parts.used?.add(id),
  });
  return new ProfileProvider(target, parts.secrets, notes, receiver);
}

class ProfileProvider implements Provider {
  readonly worlds = false;
  readonly offers: ReadonlySet<Need>;
  readonly notes: readonly string[];
  readonly #target: Target;
  readonly #secrets: readonly string[];
  readonly #receiver: Receiver | undefined;

  constructor(
    target: Target,
    secrets: readonly string[],
    notes: readonly string[],
    receiver: Receiver | undefined,
  ) {
    this.offers = target.offers;
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

function offersOf(profile: Profile, receives: boolean): Set<Need> {
  const offers = new Set<Need>();
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

function withoutUsed(profile: Profile, used: Used | undefined, notes: string[]): Profile {
  const all = profile.seeds?.settled_transactions ?? [];
  const left = all.filter(({ id }) => used?.has(id) !== true);
  if (left.length < all.length) {
    const gone = all.filter((each) => !left.includes(each)).map(({ id }) => id);
    notes.push(
      `seeds.settled_transactions: ${gone.join(', ')} was used up by an earlier run; add others.`,
    );
  }
  return { ...profile, seeds: { ...profile.seeds, settled_transactions: left } };
}

async function openReceiver(
  profile: Profile,
  knocking: Knocking,
  notes: string[],
): Promise<Receiver | undefined> {
  if (profile.receiver === undefined) return undefined;
  const { listen, public_url: publicUrl } = profile.receiver;
  const { host, port } = listenAddress(listen)!;
  let receiver: Receiver;
  try {
    receiver = await Receiver.listen(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    notes.push(`receiver.listen: cannot listen on ${listen} (${code}), so nothing is received.`);
    return undefined;
  }
  const hook = receiver.hook((name) => pathUnder(publicUrl, name));
  if (await leadsHere(knocking, hook)) return receiver;
  const main = credentialOf(profile, mainRoleOf(profile.credentials));
  if (main !== undefined && (await deliveryArrives(knocking, hook, main))) return receiver;
  notes.push(
    `receiver.public_url: neither a request to ${publicUrl} nor a delivery of the target arrived ` +
      `at ${listen}, so rules about deliveries are not tested.`,
  );
  await receiver.close();
  return undefined;
}
