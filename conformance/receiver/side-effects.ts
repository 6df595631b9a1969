// Whether the side effect of an event happens once, according to a URL that returns a count.
import { setTimeout as pause } from 'node:timers/promises';
import { readWhole } from '../engine/send/read-body.ts';
import type { Exchange } from '../engine/types.ts';
import { effectChecks, nothingWhenRefused } from './behaviour.ts';
import type { Check } from './check.ts';
import type { Delivery, SigningOptions } from './delivery.ts';
import { type CheckResult, describeExchange, isAccepted, type Judgement } from './judge.ts';

/** The number of side effects so far; rejects if it cannot be read. */
export type EffectCounter = () => Promise<number>;

/** The count cannot be read. */
export class EffectCounterError extends Error {}

/** Reads a URL that returns a number, or JSON with a member `count`. */
export function effectCounterOf(url: string): EffectCounter {
  return async () => {
    const { request } = (await import('undici')).default;
    let text: string;
    try {
      const answer = await request(url, { signal: AbortSignal.timeout(5000) });
      text = Buffer.from(await readWhole(answer.body)).toString();
    } catch (error) {
      throw new EffectCounterError(`${url} does not answer (${(error as Error).message})`);
    }
    const found =
      /^(\d+)$/.exec(text.trim()) ?? /^\{[^{}]*"count"\s*:\s*(\d+)\s*[,}]/.exec(text.trim());
    if (found !== null) return Number(found[1]);
    throw new EffectCounterError(`${url} answers neither a number nor {"count": number}`);
  };
}

type Send = (delivery: Delivery) => Promise<Exchange>;

/** EVT-4: an event may be delivered twice; its side effect must happen once. */
export async function judgeEffects(
  counter: EffectCounter,
  wanted: readonly Check[],
  signing: SigningOptions,
  send: Send,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of effectChecks.filter((each) => wanted.includes(each))) {
    const deliveries = check.probes(signing).map(({ delivery }) => delivery);
    try {
      results.push(await measure(counter, check, deliveries, send));
    } catch (error) {
      if (!(error instanceof EffectCounterError)) throw error;
      const actual = `the effects could not be counted: ${error.message}`;
      const judged = { verdict: 'blocked', expected: check.title, actual } as const;
      results.push({ check, judgement: judged, exchanges: [] });
    }
  }
  return results;
}

async function measure(
  counter: EffectCounter,
  check: Check,
  deliveries: readonly Delivery[],
  send: Send,
): Promise<CheckResult> {
  const wanted = check === nothingWhenRefused ? 0 : 1;
  const before = await counter();
  const exchanges: Exchange[] = [];
  if (check.together) exchanges.push(...(await Promise.all(deliveries.map(send))));
  else for (const delivery of deliveries) exchanges.push(await send(delivery));
  const count = (await settled(counter, before + wanted)) - before;
  const isRepeatRefused = wanted === 1 && !exchanges.every(isAccepted);
  const judgement: Judgement = {
    verdict: count === wanted && !isRepeatRefused ? 'passed' : 'deviates',
    expected: `${wanted} side effect${wanted === 1 ? ', and 2xx to every delivery' : 's'}`,
    actual: `${count}; answers: ${exchanges.map(describeExchange).join(', ')}`,
  };
  return { check, judgement, exchanges };
}

/** Side effects may happen a moment after the response. */
async function settled(counter: EffectCounter, wanted: number): Promise<number> {
  for (let turn = 0; turn < 10 && (await counter()) < wanted; turn += 1) await pause(100);
  // A duplicate may still follow after the expected number.
  await pause(150);
  return counter();
}
