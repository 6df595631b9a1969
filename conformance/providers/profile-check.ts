// Tries what a profile claims before rules rest on it: a wrong profile must not look like a target
// that deviates.
import type { Role } from '../engine/capabilities.ts';
import type { WireAnswer } from '../engine/send/sender.ts';
import {
  findBrand,
  isNeeded,
  isTokenRefused,
  memberOf,
  type ProbeSession,
  probeName,
  sendProbe,
} from './probe.ts';
import type { Profile } from './profile-parser.ts';
import { credentialOf, mainRoleOf } from './profile-target.ts';
import { type Credential, type Place, SEED_KINDS } from './target.ts';

type Credentials = Profile['credentials'];

/** A token that is refused is taken out: rules that need it are not tested, and none is blocked. */
export async function dropRefusedCredentials(
  profile: Profile,
  session: ProbeSession,
  notes: string[],
): Promise<Profile> {
  const main = mainRoleOf(profile.credentials);
  const kept: Partial<Record<Role, unknown>> = { ...profile.credentials };
  for (const role of Object.keys(profile.credentials) as Role[]) {
    const token = credentialOf(profile, role)?.token ?? '';
    // The main one is tried by the run itself, which then says why it cannot start.
    if (role === main || token === '' || !isNeeded(session, role)) continue;
    if (await isTokenRefused(session, token)) {
      notes.push(`credentials.${role}: its token was refused (401), so it is not used.`);
      delete kept[role];
    }
  }
  return { ...profile, credentials: kept as Credentials };
}

/**
 * Scenarios act as `firm` or `brand`. Where there is neither, a credential of the other brand or
 * the other firm is as good: nothing is other than it then.
 */
export async function withMain(profile: Profile, session: ProbeSession): Promise<Profile> {
  const {
    firm,
    brand,
    other_brand: otherBrand,
    other_firm: otherFirm,
    ...rest
  } = profile.credentials;
  if (firm !== undefined || brand !== undefined) return profile;
  if (otherBrand !== undefined) {
    const others = otherFirm === undefined ? {} : { other_firm: otherFirm };
    return { ...profile, credentials: { ...rest, ...others, brand: otherBrand } };
  }
  if (otherFirm === undefined) return profile;
  const bound = await findBrand(session, otherFirm.token);
  const main = bound === undefined ? { firm: otherFirm } : { brand: otherFirm };
  return { ...profile, credentials: { ...rest, ...main } };
}

const SERVERS = ['firm', 'brand', 'other_brand', 'other_firm'] as const;

/** Finds the brand of a credential that is bound to one and does not say to which. */
export async function withBrands(
  profile: Profile,
  session: ProbeSession,
  notes: string[],
): Promise<Profile> {
  const credentials: Partial<Record<Role, object>> = { ...profile.credentials };
  const main = mainRoleOf(profile.credentials);
  for (const role of SERVERS) {
    const given = profile.credentials[role];
    if (given === undefined || given.brand_id !== undefined) continue;
    if (role !== main && !isNeeded(session, role)) continue;
    if (role === 'firm' && profile.credentials.brand?.brand_id !== undefined) {
      credentials.firm = { ...given, brand_id: profile.credentials.brand.brand_id };
      continue;
    }
    const brandId = await findBrand(session, given.token);
    if (brandId !== undefined) {
      credentials[role] = { ...given, brand_id: brandId };
    } else if (role !== main) {
      const why = 'creates under it must name a brand';
      notes.push(`credentials.${role}: ${why}; add its brand_id, or some rules are blocked.`);
    }
  }
  return { ...profile, credentials: credentials as Credentials };
}

/**
 * Why scenarios cannot act under this profile; null when they can. The plainest create there is
 * must be taken: where it is refused everything else would be blocked, and the profile is the
 * likelier cause. `given` says how the credential was given, where that was not by a profile.
 */
export async function findPreflightProblem(
  profile: Profile,
  session: ProbeSession,
  given?: string,
): Promise<string | null> {
  const main = mainRoleOf(profile.credentials);
  const credential = credentialOf(profile, main);
  if (credential === undefined) {
    return 'scenarios act as a server credential with every scope: add credentials.firm or brand';
  }
  const created = await createPlainly(session, credential);
  // What does not look like the API's own refusal is for the run itself to find out and to name.
  if (created === undefined || ![401, 403, 422].includes(created.status)) return null;
  const code = memberOf(created, 'code');
  const detail = memberOf(created, 'detail');
  const seen = [created.status, code, detail].filter((each) => each !== undefined).join(' ');
  const check =
    credential.brandId === undefined
      ? `add its brand_id (--brand-id for a token)`
      : 'check its scopes and its brand_id';
  const name = given ?? `credentials.${main}`;
  const refused = `a plain create under ${name} is refused (${seen})`;
  // The run's first request may be refused for want of a key before anyone looks at its token.
  if (created.status === 401) return `the token was refused (401): check ${name}`;
  return `${refused}: ${check}; if they are right, the target breaks ACC-1`;
}

function createPlainly(
  session: ProbeSession,
  credential: Credential,
): Promise<WireAnswer | undefined> {
  const mark = probeName(session, 'plain');
  const body = {
    client_reference_id: mark,
    email: `${mark}@conformance.example.com`,
    ...(credential.brandId === undefined ? {} : { brand_id: credential.brandId }),
  };
  const key = ['idempotency-key', mark] as const;
  return sendProbe(session, credential.token, 'POST', '/api/v1/accounts', body, [key]);
}

/** A seed that the main credential cannot reach is left out with a word. */
export async function dropLostSeeds(
  profile: Profile,
  session: ProbeSession,
  notes: string[],
): Promise<Profile> {
  const main = credentialOf(profile, mainRoleOf(profile.credentials));
  const seeds: Record<string, unknown> = { ...profile.seeds };
  const lost = new Set<string>();
  for (const kind of SEED_KINDS) {
    const place = profile.seeds?.[kind];
    if (place === undefined || main === undefined || !isNeeded(session, kind)) continue;
    if (!(await isLost(place, session, main))) continue;
    const names = `account ${place.account_id} with trading account ${place.trading_account_id}`;
    notes.push(`seeds.${kind}: the target does not know ${names} (404), so it is not used.`);
    delete seeds[kind];
    lost.add(place.account_id);
  }
  // Of these there is nothing that could be tried without using them up.
  const settled = profile.seeds?.settled_transactions ?? [];
  seeds.settled_transactions = settled.filter((each) => !lost.has(each.account_id));
  return { ...profile, seeds: seeds as NonNullable<Profile['seeds']> };
}

/** TXN-10: told by a transaction, which is cancelled again where it was created. */
async function isLost(place: Place, session: ProbeSession, main: Credential): Promise<boolean> {
  const mark = probeName(session, 'seed');
  const key = (name: string) => [['idempotency-key', `${mark}-${name}`]] as const;
  const body = {
    ...place,
    client_reference_id: mark,
    amount: '1.00',
    transaction_type: 'Deposit',
  };
  const made = await sendProbe(
    session,
    main.token,
    'POST',
    '/api/v1/transactions',
    body,
    key('make'),
  );
  if (made?.status === 404) return memberOf(made, 'code') === 'not_found';
  const id = made === undefined || made.status >= 300 ? undefined : memberOf(made, 'id');
  if (typeof id === 'string') {
    const path = `/api/v1/transactions/${id}/cancel?account_id=${place.account_id}`;
    await sendProbe(
      session,
      main.token,
      'POST',
      path,
      { reason: 'a check of the seed' },
      key('end'),
    );
  }
  return false;
}
