// Asked before a target is blamed for a limit: whether it keeps the plain one of a credential.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { allowanceOf, weighBurst } from './rate-evidence.ts';
import {
  clearlyAbove,
  drain,
  exhaust,
  type RateLimitProbe,
  rateLimitProbeOf,
  rateOf,
  sendBurst,
} from './rate-limit-probe.ts';

const crowd = (t: ScenarioContext, probe: RateLimitProbe) =>
  sendBurst(t, probe, clearlyAbove(probe.perSecond));

/** Asked before blaming: an ordinary credential on Sandbox is limited, and to about its rate. */
export async function requireRateLimits(t: ScenarioContext): Promise<void> {
  const plain = await rateLimitProbeOf(t);
  const used = await exhaust(t, plain);
  const rate = await rateOf(t, plain, used);
  if (rate.weight === 'broken') {
    throw new Blocked(`${rate.perSecond.toFixed(1)} requests a second to a credential on Sandbox`);
  }
  const bursts = [used];
  // What comes at the same moment may get through where one after another does not.
  for (const burst of t.has('clock') ? [drain, crowd] : []) {
    await t.operator.advance(60_000);
    bursts.push(await burst(t, plain));
  }
  for (const each of bursts) {
    if (weighBurst(allowanceOf(plain.perSecond), each.sightings) !== 'broken') continue;
    throw new Blocked(
      `${each.served.length} served at once, where about ${plain.perSecond} gather`,
    );
  }
  await requireSeparateAllowances(t);
}

/** Asked before blaming: one credential that is used up leaves another one its allowance. */
export async function requireSeparateAllowances(t: ScenarioContext): Promise<void> {
  if (!t.has('mint')) return;
  await exhaust(t, await rateLimitProbeOf(t));
  const other = await sendBurst(t, await rateLimitProbeOf(t), 1);
  if (other.served.length === 0) throw new Blocked('two credentials share one allowance');
}
