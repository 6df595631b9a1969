// LIM-6: the form of a 429, wherever a scenario meets one.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { nearly } from './rate-evidence.ts';

const WHOLE_SECONDS = /^[0-9]{1,6}$/;
/**
 * A second returns a second's allowance. A target may ask for more, but a value in milliseconds, or a
 * time of day, is far more than a minute.
 */
const MOST_SECONDS = 60;
const NUMBER = /^[0-9]+(\.[0-9]+)?$/;

/**
 * The four headers and the body of a problem. `perSecond` is the allowance in force; undefined if
 * another rule has found that it is not the right one.
 */
export async function expectRefusalForm(
  t: ScenarioContext,
  refusal: Answer | undefined,
  perSecond: number | undefined,
): Promise<void> {
  await t.branch('LIM-6', 'what a 429 looks like', async () => {
    // LIM-2 judges whether it is a 429.
    if (refusal?.status !== 429) throw new Blocked(`no 429: ${refusal?.summary ?? 'all served'}`);
    const soon = `whole seconds, 1 to ${MOST_SECONDS}`;
    const isSoon = (value: string) =>
      WHOLE_SECONDS.test(value) && Number(value) >= 1 && Number(value) <= MOST_SECONDS;
    const limit = perSecond === undefined ? 'a number' : `${perSecond}, the allowance a second`;
    // LIM-1: a little more than the plan is no deviation, and the header then says so.
    const [least, most] = perSecond === undefined ? [0, Infinity] : nearly(perSecond);
    const isLimit = (value: string) =>
      NUMBER.test(value) && Number(value) >= least && Number(value) <= most;
    const type = refusal.headers.mediaType();
    t.expect('LIM-6', refusal)
      .header('Retry-After', soon, isSoon)
      .header('X-RateLimit-Reset', soon, isSoon)
      .header('X-RateLimit-Limit', limit, isLimit)
      .header('X-RateLimit-Remaining', '0', (value) => value === '0')
      .is('application/problem+json', type === 'application/problem+json', type || 'no type')
      .field('errors', []);
  });
}

/** What Retry-After asks for; undefined if it is not a number of seconds that can be waited. */
export function secondsToWait(refusal: Answer): number | undefined {
  const value = refusal.headers.get('retry-after') ?? '';
  return WHOLE_SECONDS.test(value) && Number(value) <= 120 ? Number(value) : undefined;
}
