// The rate limits, by credential and by firm (LIM-1 to LIM-11).
import { type Context, Early } from './context.ts';
import type { Reply } from './records.ts';

/** A request is served only if every allowance that it uses has room. */
export function takeAllowance(context: Context): void {
  const { store, credential } = context;
  const buckets = allowancesOf(context).map(([name, rate]) => {
    const bucket = store.bucket(name, rate);
    return { name, bucket, waitS: (1 - bucket.tokens) / rate };
  });
  const waitS = Math.max(...buckets.map((each) => each.waitS));
  if (waitS > 0) throw new Early(rateLimited(context, waitS, String(store.rateOf(credential))));
  for (const { name, bucket } of buckets) {
    store.saveBucket(name, { ...bucket, tokens: bucket.tokens - 1 });
  }
}

function allowancesOf({ credential, store, style }: Context): [name: string, rate: number][] {
  const { kind, client_id: own, minted_by: mintedBy, firm_id: firmId } = credential;
  // LIM-10: all delegated tokens of one credential share one allowance.
  const name = kind === 'delegated' ? `minted by ${mintedBy ?? own}` : `credential ${own}`;
  const minter = mintedBy === null ? undefined : store.credential(mintedBy);
  const allowances: [string, number][] = [
    [name, store.rateOf(credential)],
    [`firm ${firmId}`, store.firmRateOf(firmId)],
  ];
  // NS-37
  if (minter === undefined || !style.delegatedDrawsOnMinter) return allowances;
  return [...allowances, [`credential ${minter.client_id}`, store.rateOf(minter)]];
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
  const refusal = context.refusal(429, 'rate_limited', 'too many requests; wait and repeat');
  return { ...refusal, headers: [...refusal.headers, ...Object.entries(headers)] };
}
