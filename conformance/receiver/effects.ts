// Whether the side effect of an event happens once, asked of a URL that answers a count.
import type { Exchange } from '../engine/types.ts';
import { effectChecks, nothingWhenRefused } from './behaviour.ts';
import type { Check } from './check.ts';
import type { Delivery, Terms } from './delivery.ts';
import { isAccepted, type Judgement, told } from './judge.ts';

export interface EffectProbe {
  /** The number of side effects so far; rejects when it cannot be read. */
  readonly count: () => Promise<number>;
}

/** A probe of a URL that answers a number, or JSON with a member `count`. */
export function probeOf(url: string): EffectProbe {
  return {
    count: async () => {
      const { request } = (await import('undici')).default;
      const answer = await request(url, { signal: AbortSignal.timeout(5000) });
      const text = (await answer.body.text()).trim();
      const json: unknown = text === '' ? null : JSON.parse(text);
      const count = typeof json === 'number' ? json : (json as { count?: unknown } | null)?.count;
      if (typeof count === 'number' && Number.isFinite(count)) return count;
      throw new Error(`${url} answers neither a number nor {"count": number}`);
    },
  };
}

interface EffectResult {
  readonly check: Check;
  readonly judgement: Judgement;
  readonly exchanges: readonly Exchange[];
}

type Shoot = (delivery: Delivery) => Promise<Exchange>;

/** EVT-4: the same event may come twice; what it causes may not. */
export async function judgeEffects(
  probe: EffectProbe,
  terms: Terms,
  shoot: Shoot,
): Promise<readonly EffectResult[]> {
  const results: EffectResult[] = [];
  for (const check of effectChecks) {
    const wanted = check === nothingWhenRefused ? 0 : 1;
    results.push(await measure(probe, check, wanted, () => fire(check, terms, shoot)));
  }
  return results;
}

async function fire(check: Check, terms: Terms, shoot: Shoot): Promise<readonly Exchange[]> {
  const deliveries = check.shots(terms).map(({ delivery }) => delivery);
  if (check.together) return Promise.all(deliveries.map(shoot));
  const exchanges: Exchange[] = [];
  for (const delivery of deliveries) exchanges.push(await shoot(delivery));
  return exchanges;
}

async function measure(
  probe: EffectProbe,
  check: Check,
  wanted: number,
  play: () => Promise<readonly Exchange[]>,
): Promise<EffectResult> {
  const before = await probe.count();
  const exchanges = await play();
  const after = await settled(probe, before + wanted);
  const refusedRepeat = wanted === 1 && !exchanges.every(isAccepted);
  const right = after - before === wanted && !refusedRepeat;
  const judgement: Judgement = {
    verdict: right ? 'passed' : 'deviates',
    expected: `${wanted} side effect${wanted === 1 ? ', and 2xx to every delivery' : 's'}`,
    actual: `${after - before}; answers: ${exchanges.map(told).join(', ')}`,
    exchanges: exchanges.map(({ n }) => n),
  };
  return { check, judgement, exchanges };
}

/** Side effects may come a moment after the answer. */
async function settled(probe: EffectProbe, wanted: number): Promise<number> {
  let count = await probe.count();
  for (let turn = 0; turn < 10 && count < wanted; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    count = await probe.count();
  }
  // Nor is it over when the wanted number is reached: one too many may still come.
  await new Promise((resolve) => setTimeout(resolve, 150));
  return probe.count();
}
