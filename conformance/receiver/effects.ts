// Whether the side effect of an event happens once, asked of a URL that answers a count.
import type { Exchange } from '../engine/types.ts';
import { unlike } from './chance.ts';
import { bytesOf, type Delivery, deliveryOf, eventOf, macOf, type Terms } from './delivery.ts';
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
  readonly id: string;
  readonly title: string;
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
  const body = (name: string) => bytesOf(JSON.stringify(eventOf(terms, name)));
  const once = body('once');
  const many = body('many');
  return [
    await measure(
      probe,
      'RCV-once-in-sequence',
      'the side effect of an event delivered twice happens once',
      1,
      async () => [
        await shoot(deliveryOf(terms, { body: once })),
        await shoot(deliveryOf(terms, { body: once })),
      ],
    ),
    await measure(
      probe,
      'RCV-once-in-a-crowd',
      'the side effect of an event delivered ten times at once happens once',
      1,
      () => Promise.all(Array.from({ length: 10 }, () => shoot(deliveryOf(terms, { body: many })))),
    ),
    await measure(
      probe,
      'RCV-nothing-when-refused',
      'a delivery that is refused has no side effect',
      0,
      async () => {
        const t = String(Date.now());
        const event = body('forged');
        const forged = `t=${t},v1=${unlike(macOf(terms.secret, t, event))}`;
        return [await shoot(deliveryOf(terms, { body: event, signature: [forged] }))];
      },
    ),
  ];
}

async function measure(
  probe: EffectProbe,
  id: string,
  title: string,
  wanted: number,
  fire: () => Promise<readonly Exchange[]>,
): Promise<EffectResult> {
  const before = await probe.count();
  const exchanges = await fire();
  const after = await settled(probe, before + wanted);
  const refusedRepeat = wanted === 1 && !exchanges.every(isAccepted);
  const right = after - before === wanted && !refusedRepeat;
  const judgement: Judgement = {
    verdict: right ? 'passed' : 'deviates',
    expected: `${wanted} side effect${wanted === 1 ? ', and 2xx to every delivery' : 's'}`,
    actual: `${after - before}; answers: ${exchanges.map(told).join(', ')}`,
    exchanges: exchanges.map(({ n }) => n),
  };
  return { id, title, judgement, exchanges };
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
