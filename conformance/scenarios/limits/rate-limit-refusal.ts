// LIM-6: what a 429 looks like, wherever a scenario meets one.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { nearly } from './rate-evidence.ts';

const WHOLE_SECONDS = /^[0-9]{1,6}$/;
const MOST_SECONDS = 60;
const NUMBER = /^[0-9]+(\.[0-9]+)?$/;

/**
 * The four headers and the body of a problem. `perSecond` is the allowance in force; undefined
 * where another rule says that it is not the one that should be.
 */
export async function expectRefusalForm(
  t: ScenarioContext,
  refusal: Answer | undefined,
  perSecond: number | undefined,
): Promise<void> {
  await t.branch('LIM-6', 'what a 429 looks like', async () => {
    // LIM-2: something else than a 429 is no refusal of this kind.
    if (refusal?.status !== 429) throw new Blocked(`no 429: ${refusal?.summary ?? 'all served'}`);
    expectHeaders(t, refusal, perSecond);
    const type = refusal.headers.mediaType();
    t.expect('LIM-6', refusal)
      .is('application/problem+json', type === 'application/problem+json', type || 'no type')
      .field('errors', []);
  });
}

function expectHeaders(t: ScenarioContext, refusal: Answer, perSecond: number | undefined): void {
  // A second brings a second's allowance. Who asks for more is only careful, but what is told in
  // milliseconds, or as a time of day, is far more than a minute; and none at all is no wait.
  const soon = `whole seconds, 1 to ${MOST_SECONDS}`;
  for (const name of ['Retry-After', 'X-RateLimit-Reset']) {
    t.expect('LIM-6', refusal).header(name, soon, isSoon);
  }
  const words = perSecond === undefined ? 'a number' : `${perSecond}, the allowance a second`;
  // LIM-1: a little more than the plan is no deviation, and the header then says so.
  const [least, most] = nearly(perSecond ?? 0);
  t.expect('LIM-6', refusal).header('X-RateLimit-Limit', words, (value) => {
    if (perSecond === undefined) return NUMBER.test(value);
    return NUMBER.test(value) && Number(value) >= least && Number(value) <= most;
  });
  t.expect('LIM-6', refusal).header('X-RateLimit-Remaining', '0', (value) => value === '0');
}

function isSoon(value: string): boolean {
  return WHOLE_SECONDS.test(value) && Number(value) >= 1 && Number(value) <= MOST_SECONDS;
}

/** What Retry-After asks for; undefined where that is not a number of seconds to be waited. */
export function secondsToWait(refusal: Answer): number | undefined {
  const value = refusal.headers.get('retry-after') ?? '';
  return WHOLE_SECONDS.test(value) && Number(value) <= 120 ? Number(value) : undefined;
}
