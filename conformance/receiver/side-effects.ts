// Whether the side effect of an event happens once, according to a URL that returns a count.
import { readWhole } from '../engine/send/read-body.ts';
import type { Exchange } from '../engine/types.ts';
import { effectChecks, nothingWhenRefused } from './behaviour.ts';
import type { Check } from './check.ts';
import type { Delivery, SigningOptions } from './delivery.ts';
import { describeExchange, isAccepted, type Judgement } from './judge.ts';

export interface EffectCounter {
  /** The number of side effects so far; rejects if it cannot be read. */
  readonly count: () => Promise<number>;
}

/** The count cannot be read. */
export class EffectCounterError extends Error {}

/** Reads a URL that returns a number, or JSON with a member `count`. */
export function effectCounterOf(url: string): EffectCounter {
  return {
    count: async () => {
      const { request } = (await import('undici')).default;
      let text: string;
      try {
        const answer = await request(url, { signal: AbortSignal.timeout(5000) });
        text = Buffer.from(await readWhole(answer.body))
          .toString()
          .trim();
      } catch (error) {
        throw new EffectCounterError(`${url} does not answer (${(error as Error).message})`);
      }
      const count = countIn(text);
      if (count !== null) return count;
      throw new EffectCounterError(`${url} answers neither a number nor {"count": number}`);
    },
  };
}

function countIn(text: string): number | null {
  const found = /^(\d+)$/.exec(text) ?? /^\{[^{}]*"count"\s*:\s*(\d+)\s*[,}]/.exec(text);
  return found === null ? null : Number(found[1]);
}

interface EffectResult {
  readonly check: Check;
  readonly judgement: Judgement;
  readonly exchanges: readonly Exchange[];
}

type SendDelivery = (delivery: Delivery) => Promise<Exchange>;

/** EVT-4: an event may be delivered twice; its side effect must happen once. */
export async function judgeEffects(
  counter: EffectCounter,
  wanted: readonly Check[],
  signing: SigningOptions,
  shoot: SendDelivery,
): Promise<readonly EffectResult[]> {
  const results: EffectResult[] = [];
  for (const check of effectChecks.filter((each) => wanted.includes(each))) {
    const effects = check === nothingWhenRefused ? 0 : 1;
    const play = () => sendProbes(check, signing, shoot);
    results.push(await measure(counter, check, effects, play).catch(blocked(check)));
  }
  return results;
}

function blocked(check: Check): (error: Error) => EffectResult {
  return (error) => {
    if (!(error instanceof EffectCounterError)) throw error;
    const { title: expected } = check;
    const judgement: Judgement = {
      verdict: 'blocked',
      expected,
      actual: `the effects could not be counted: ${error.message}`,
      exchanges: [],
    };
    return { check, judgement, exchanges: [] };
  };
}

async function sendProbes(
  check: Check,
  signing: SigningOptions,
  shoot: SendDelivery,
): Promise<readonly Exchange[]> {
  const deliveries = check.probes(signing).map(({ delivery }) => delivery);
  if (check.together) return Promise.all(deliveries.map(shoot));
  const exchanges: Exchange[] = [];
  for (const delivery of deliveries) exchanges.push(await shoot(delivery));
  return exchanges;
}

async function measure(
  counter: EffectCounter,
  check: Check,
  wanted: number,
  play: () => Promise<readonly Exchange[]>,
): Promise<EffectResult> {
  const before = await counter.count();
  const exchanges = await play();
  const after = await settled(counter, before + wanted);
  const refusedRepeat = wanted === 1 && !exchanges.every(isAccepted);
  const right = after - before === wanted && !refusedRepeat;
  const judgement: Judgement = {
    verdict: right ? 'passed' : 'deviates',
    expected: `${wanted} side effect${wanted === 1 ? ', and 2xx to every delivery' : 's'}`,
    actual: `${after - before}; answers: ${exchanges.map(describeExchange).join(', ')}`,
    exchanges: exchanges.map(({ n }) => n),
  };
  return { check, judgement, exchanges };
}

/** Side effects may happen a moment after the response. */
async function settled(counter: EffectCounter, wanted: number): Promise<number> {
  let count = await counter.count();
  for (let turn = 0; turn < 10 && count < wanted; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    count = await counter.count();
  }
  // One too many may still follow after the expected number.
  await new Promise((resolve) => setTimeout(resolve, 150));
  return counter.count();
}
