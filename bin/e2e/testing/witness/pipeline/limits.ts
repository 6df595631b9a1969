// How many requests a second are served, by credential and by firm (LIM-1 to LIM-11).
import type { Credential, Reply } from '../records.ts';
import { refuse, withHeader } from '../replies.ts';
import type { Context, World } from '../types.ts';

export function takeAllowance(context: Context): Reply | null {
  const { world, credential } = context;
  const { store } = world;
  const buckets = allowancesOf(world, credential).map(({ name, rate }) => {
    const bucket = store.bucket(name, rate);
    return { name, bucket, waitS: (1 - bucket.tokens) / rate };
  });
  const waitS = Math.max(...buckets.map((each) => each.waitS));
  if (waitS > 0) return rateLimited(context, waitS, String(store.rateOf(credential)));
  for (const { name, bucket } of buckets) {
    store.saveBucket(name, { ...bucket, tokens: bucket.tokens - 1 });
  }
  return null;
}

/** A request is served only if all of these have room. */
function allowancesOf(world: World, credential: Credential) {
  const { store, style } = world;
  const { kind, client_id: own, minted_by: mintedBy, firm_id: firmId } = credential;
  const minter = mintedBy === null ? undefined : store.credential(mintedBy);
  // LIM-10: all that one credential has minted share one allowance.
  const name = kind === 'delegated' ? `minted by ${mintedBy ?? own}` : `credential ${own}`;
  const allowances = [
    { name, rate: store.rateOf(credential) },
    { name: `firm ${firmId}`, rate: store.firmRateOf(firmId) },
  ];
  // NS-37
  if (minter !== undefined && style.delegatedDrawsOnMinter) {
    allowances.push({ name: `credential ${minter.client_id}`, rate: store.rateOf(minter) });
  }
  return allowances;
}

/** LIM-6 */
export function rateLimited(context: Context, waitS: number, limit: string): Reply {
  const seconds = String(Math.max(1, Math.ceil(waitS)));
  const headers = {
    'Retry-After': seconds,
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': seconds,
  };
  return Object.entries(headers).reduce(
    (reply, [name, value]) => withHeader(reply, name, value),
    refuse(context, 429, 'rate_limited', 'too many requests; wait and repeat'),
  );
}
