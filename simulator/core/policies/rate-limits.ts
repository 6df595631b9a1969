// Rate limits of the conforming service: token buckets counted in thousandths of a request.
import type { Settings } from '../../../fixtures/settings.ts';
import type { Demand, LimitPolicy } from '../behaviour.ts';
import type { Credential } from '../records.ts';
import { firmFactor, planRates } from '../tables/rate-plans.ts';
import type { World } from '../world.ts';

const request = 1000;

export function limitPolicy(settings: Settings): LimitPolicy {
  // LIM-1, LIM-4, LIM-10.
  const rate = (credential: Credential): number =>
    credential.rate_per_second ??
    (credential.kind === 'delegated' ? planRates.sandbox : planRates[credential.plan]);
  // LIM-3, NS-36.
  const firmRate = (world: World, firmId: string): number => {
    const firm = world.firms.get(firmId);
    if (firm === undefined) throw new Error(`no firm ${firmId}`);
    if (firm.rate_per_second !== null) return firm.rate_per_second;
    if (settings.firm_rate_from === 'firm_plan') return firmFactor * planRates[firm.plan];
    return firmFactor * highestRate(world, firmId, rate);
  };
  return {
    plans: planRates,
    rate,
    firmRate,
    demands: ({ world, credential, behaviour: { limits } }): readonly Demand[] => {
      if (credential === null) return [];
      const own = { bucket: bucketOf(credential), rate: limits.rate(credential) };
      const { firm_id: firmId } = credential;
      const firm = { bucket: `firm:${firmId}`, rate: limits.firmRate(world, firmId) };
      if (settings.delegated_allowance === 'apart') return [own, firm];
      // NS-37, the other choice.
      const minter = world.credentials.get(credential.minted_by ?? '');
      if (minter === undefined) return [own, firm];
      return [own, { bucket: bucketOf(minter), rate: limits.rate(minter) }, firm];
    },
    // LIM-2: about one second's allowance gathers, and never less than one request.
    level: (bucket, perSecond, atMs) => {
      const full = Math.max(perSecond, 1) * request;
      if (bucket === undefined) return full;
      return Math.min(full, bucket.units + Math.max(0, atMs - bucket.atMs) * perSecond);
    },
    // LIM-9, LIM-11: one request is one request, bulk or read.
    cost: () => request,
    // LIM-8: made for refusals only; no other answer carries them.
    // LIM-6: whole seconds, and never less than one, so that honouring them succeeds (LIM-7).
    headers: (perSecond, waitMs) => {
      const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
      return {
        'retry-after': seconds,
        'x-ratelimit-limit': String(perSecond),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': seconds,
      };
    },
    // AUTH-3b.
    tokenRequests: 10,
    tokenWindowMs: 60_000,
    // AUTH-3c.
    tokenBudget: (clientId) => clientId,
  };
}

/**
 * LIM-10, NS-37: delegated tokens share a bucket of their minting credential, apart from its own.
 */
function bucketOf(credential: Credential): string {
  if (credential.kind !== 'delegated') return `credential:${credential.client_id}`;
  return `delegated:${credential.minted_by ?? credential.client_id}`;
}

function highestRate(
  world: World,
  firmId: string,
  rate: (credential: Credential) => number,
): number {
  let highest = 0;
  for (const credential of world.credentials.values()) {
    if (credential.firm_id === firmId) highest = Math.max(highest, rate(credential));
  }
  return highest;
}
