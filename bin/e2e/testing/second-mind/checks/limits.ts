// How many calls a second are served, by credential and by firm (LIM-1 to LIM-11).
import type { SecondMind } from '../mind.ts';
import { type RequestContext, refuse, setHeader } from '../request-context.ts';
import { isBegunAnew } from '../sealed-effects.ts';
import type { Answer, Bucket, Credential } from '../values/records.ts';

const PLANS = { sandbox: 5, standard: 50, pro: 200 };
const FIRM_TIMES = 4;

interface Allowance {
  readonly bucket: Bucket;
  readonly rate: number;
}

export function takeAllowance(ctx: RequestContext): Answer | null {
  const { mind, credential } = ctx;
  const allowances = allowancesOf(ctx);
  for (const each of allowances) refill(mind, each);
  const cost = costOf(ctx);
  const short = allowances.filter(({ bucket }) => bucket.tokens < Math.min(cost, 1));
  const isPunished = punish(mind, credential, short.length > 0);
  if (isPunished) return limited(ctx, 1, String(rateOf(mind, credential)));
  const untilMs = cappedUntil(mind, credential);
  if (untilMs > mind.now()) {
    return limited(ctx, (untilMs - mind.now()) / 1000, String(rateOf(mind, credential)));
  }
  if (short.length === 0 || isForgiven(ctx)) {
    for (const { bucket } of allowances) bucket.tokens -= cost;
    if (mind.has('time-minute-cap')) {
      mind.served.push({ clientId: credential.clientId, atMs: mind.now() });
    }
    return null;
  }
  if (mind.has('lim-refused-costs')) for (const { bucket } of allowances) bucket.tokens -= 1;
  const waitsS = short.map(({ bucket, rate }) => (1 - bucket.tokens) / rate);
  return limited(ctx, Math.max(...waitsS), String(rateOf(mind, credential)));
}

/** A defect that serves nothing for five seconds to whoever was limited three times in a row. */
function punish(mind: SecondMind, { clientId }: Credential, isLimited: boolean): boolean {
  const [row, until] = [`in a row ${clientId}`, `not before ${clientId}`];
  if (!mind.has('comb-429-penalty')) return false;
  if ((mind.counts[until] ?? 0) > mind.now()) return true;
  if (!isLimited) mind.counts[row] = 0;
  else if (mind.count(row) % 3 === 0) mind.counts[until] = mind.now() + 5_000;
  return false;
}

/** A defect that counts minutes too: when who has had 40 seconds of allowance is served again. */
function cappedUntil(mind: SecondMind, credential: Credential): number {
  if (!mind.has('time-minute-cap')) return 0;
  const own = mind.served.filter(
    ({ clientId, atMs }) => clientId === credential.clientId && mind.now() - atMs < 60_000,
  );
  const most = 40 * rateOf(mind, credential);
  return own.length < most ? 0 : own.at(-most)!.atMs + 60_000;
}

/** LIM-9, LIM-11: one, whatever it is. */
function costOf({ mind, operation, call }: RequestContext): number {
  if (call.method === 'GET' && mind.has('lim-reads-free')) return 0;
  if (call.method === 'GET' && mind.has('lim-reads-double')) return 2;
  if (operation.name !== 'bulkCreateAccounts' || !mind.has('lim-bulk-by-rows')) return 1;
  return Math.max(1, call.body.toString('utf8').split('"client_reference_id"').length - 1);
}

/** Defects in what is let through although nothing is left. */
function isForgiven({ mind, credential }: RequestContext): boolean {
  const nowMs = mind.now();
  const last = mind.lastCalls.find((each) => each.clientId === credential.clientId);
  const lastMs = last?.atMs ?? Number.NEGATIVE_INFINITY;
  if (last === undefined) mind.lastCalls.push({ clientId: credential.clientId, atMs: nowMs });
  else last.atMs = nowMs;
  return (
    mind.has('lim-none') ||
    (mind.has('time-pause-free') && isAfterPause(mind, credential, lastMs)) ||
    (mind.has('race-allowance') && mind.underway.length > 0)
  );
}

function isAfterPause(mind: SecondMind, { clientId }: Credential, lastMs: number): boolean {
  const name = `free ${clientId}`;
  if (mind.now() - lastMs >= 10_000 && Number.isFinite(lastMs)) mind.counts[name] = 1;
  return mind.counts[name] === 1;
}

function allowancesOf({ mind, credential, call }: RequestContext): Allowance[] {
  const { clientId, firmId, kind, mintedBy } = credential;
  const found: Allowance[] = [];
  // LIM-10: all that one credential has minted share one allowance.
  const isDelegated = kind === 'delegated';
  const isShared = isDelegated && !mind.has('lim-delegated-own');
  const plain = isShared ? `minted by ${mintedBy ?? clientId}` : `credential ${clientId}`;
  const isApart = call.method === 'GET' && mind.has('comb-limits-apart');
  const name = isApart ? `reads of ${plain}` : plain;
  const own = rateOf(mind, credential);
  found.push({ bucket: bucketOf(mind, name, own), rate: own });
  const minter = mind.credentials.find((each) => each.clientId === mintedBy);
  if (isDelegated && minter !== undefined && mind.style.delegatedDrawsOnMinter) {
    const rate = rateOf(mind, minter);
    found.push({ bucket: bucketOf(mind, `credential ${minter.clientId}`, rate), rate });
  }
  if (mind.has('lim-firm-none')) return found;
  const rate = firmRate(mind, firmId);
  found.push({ bucket: bucketOf(mind, `firm ${firmId}`, rate), rate });
  return found;
}

export function rateOf(mind: SecondMind, credential: Credential): number {
  const { kind, plan, ratePerSecond, mintedBy } = credential;
  if (kind === 'delegated') {
    const minter = mind.credentials.find((each) => each.clientId === mintedBy);
    if (minter !== undefined && mind.has('lim-delegated-minter')) return rateOf(mind, minter);
    return PLANS.sandbox;
  }
  if (ratePerSecond !== null && !mind.has('lim-override-ignored')) return ratePerSecond;
  if (plan === 'sandbox' && mind.has('lim-four')) return 4;
  if (plan === 'sandbox' && mind.has('lim-six')) return 6;
  if (plan === 'pro' && mind.has('lim-pro-standard')) return PLANS.standard;
  return PLANS[plan];
}

function firmRate(mind: SecondMind, firmId: string): number {
  const firm = mind.firms.find((each) => each.id === firmId)!;
  const times = mind.has('lim-firm-double') ? 2 * FIRM_TIMES : FIRM_TIMES;
  const rate = firm.ratePerSecond ?? times * PLANS[firm.plan];
  return mind.has('size-firm-100') ? Math.min(100, rate) : rate;
}

export function bucketOf(mind: SecondMind, name: string, rate: number): Bucket {
  const found = mind.buckets.find((each) => each.name === name);
  if (found !== undefined) return found;
  const made = { name, tokens: rate, atMs: mind.now() };
  mind.buckets.push(made);
  return made;
}

/** LIM-2: about one second's allowance is saved up, and no more. */
function refill(mind: SecondMind, { bucket, rate }: Allowance): void {
  const nowMs = mind.now();
  const pauseMs = nowMs - bucket.atMs;
  const gained = mind.has('time-fixed-window')
    ? rate * (Math.floor(nowMs / 1000) - Math.floor(bucket.atMs / 1000))
    : (heldMs(mind, pauseMs) / 1000) * rate;
  const kept = mind.has('time-pause-saves') ? bucket.tokens : 0;
  const most = Math.max(kept, mostOf(mind, bucket, rate, pauseMs));
  bucket.tokens = Math.min(most, bucket.tokens + gained);
  if (isBegunAnew(mind, bucket.name)) bucket.tokens = rate;
  bucket.atMs = nowMs;
  if (mind.has('time-idle-empty') && pauseMs > 3_600_000) bucket.tokens = 0;
}

/** Of a pause; a defect counts full seconds. */
const heldMs = (mind: SecondMind, pauseMs: number): number =>
  mind.has('time-refill-floors') ? pauseMs - (pauseMs % 1000) : pauseMs;

function mostOf(mind: SecondMind, { name }: Bucket, rate: number, pauseMs: number): number {
  const most = Math.max(rate, 1);
  const isFirm = name.startsWith('firm');
  if (mind.has('lim-burst-double') && !isFirm) return 2 * most;
  if (mind.has('lim-burst-one') && !isFirm) return 1;
  if (mind.has('size-burst-100') && !isFirm) return Math.min(100, most);
  if (mind.has('lim-firm-only-burst') && isFirm) return Math.max(1, rate / 2);
  if (mind.has('time-pause-saves') && pauseMs >= 10_000) return 10 * most;
  return most;
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
