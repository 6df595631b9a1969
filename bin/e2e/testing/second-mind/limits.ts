// How many calls a second are served, by credential and by firm (LIM-1 to LIM-11).
import type { SecondMind } from './mind.ts';
import type { Answer, Bucket, Credential } from './records.ts';
import { type RequestContext, refuse, setHeader } from './request-context.ts';

const PLANS = { sandbox: 5, standard: 50, pro: 200 };
const FIRM_TIMES = 4;

interface Allowance {
  readonly bucket: Bucket;
  readonly rate: number;
}

export function takeAllowance(ctx: RequestContext): Answer | null {
  const { mind, credential } = ctx;
  const allowances = allowancesOf(mind, credential);
  for (const each of allowances) refill(mind, each);
  const short = allowances.filter(({ bucket }) => bucket.tokens < 1);
  if (short.length === 0) {
    for (const { bucket } of allowances) bucket.tokens -= 1;
    return null;
  }
  const waitsS = short.map(({ bucket, rate }) => (1 - bucket.tokens) / rate);
  return limited(ctx, Math.max(...waitsS), String(rateOf(credential)));
}

function allowancesOf(mind: SecondMind, credential: Credential): Allowance[] {
  const { clientId, firmId, kind, mintedBy } = credential;
  const found: Allowance[] = [];
  // LIM-10: all that one credential has minted share one allowance.
  const isDelegated = kind === 'delegated';
  const name = isDelegated ? `minted by ${mintedBy ?? clientId}` : `credential ${clientId}`;
  found.push({ bucket: bucketOf(mind, name, rateOf(credential)), rate: rateOf(credential) });
  const minter = mind.credentials.find((each) => each.clientId === mintedBy);
  if (isDelegated && minter !== undefined && mind.style.delegatedDrawsOnMinter) {
    const rate = rateOf(minter);
    found.push({ bucket: bucketOf(mind, `credential ${minter.clientId}`, rate), rate });
  }
  const rate = firmRate(mind, firmId);
  found.push({ bucket: bucketOf(mind, `firm ${firmId}`, rate), rate });
  return found;
}

export function rateOf({ kind, plan, ratePerSecond }: Credential): number {
  if (kind === 'delegated') return PLANS.sandbox;
  return ratePerSecond ?? PLANS[plan];
}

export function firmRate(mind: SecondMind, firmId: string): number {
  const firm = mind.firms.find((each) => each.id === firmId)!;
  return firm.ratePerSecond ?? FIRM_TIMES * PLANS[firm.plan];
}

function bucketOf(mind: SecondMind, name: string, rate: number): Bucket {
  const found = mind.buckets.find((each) => each.name === name);
  if (found !== undefined) return found;
  const made = { name, tokens: rate, atMs: mind.now() };
  mind.buckets.push(made);
  return made;
}

/** LIM-2: about one second's allowance is saved up, and no more. */
function refill(mind: SecondMind, { bucket, rate }: Allowance): void {
  const nowMs = mind.now();
  const gained = ((nowMs - bucket.atMs) / 1000) * rate;
  bucket.tokens = Math.min(Math.max(rate, 1), bucket.tokens + gained);
  bucket.atMs = nowMs;
}

/** LIM-6 */
export function limited(ctx: RequestContext, waitS: number, limit: string): Answer {
  const seconds = String(Math.max(1, Math.ceil(waitS)));
  const answer = refuse(ctx, 429, 'rate_limited', 'too many requests; wait and repeat');
  setHeader(answer, 'Retry-After', seconds);
  setHeader(answer, 'X-RateLimit-Limit', limit);
  setHeader(answer, 'X-RateLimit-Remaining', '0');
  setHeader(answer, 'X-RateLimit-Reset', seconds);
  return answer;
}
