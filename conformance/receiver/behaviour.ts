// Checks over many deliveries: response time, redirects, leaked signatures, side effects. A URL that
// returns a count says whether the side effect of an event happens once.
import { setTimeout as pause } from 'node:timers/promises';
import { readBody } from '../engine/send/read-body.ts';
import type { Exchange } from '../engine/types.ts';
import { type Check, LOST } from './check.ts';
import {
  bytesOf,
  type Delivery,
  deliveryOf,
  eventOf,
  type Probe,
  probesOf,
  type SigningOptions,
  shiftDigits,
} from './delivery.ts';
import { type CheckResult, describeExchange, isAccepted, type Judgement } from './judge.ts';

const forged = (name: string) => (signing: SigningOptions) =>
  probesOf(signing, name, { headers: [({ t, mac }) => `t=${t},v1=${shiftDigits(mac)}`] });

/** The same valid delivery several times. */
const valid =
  (name: string, times = 1) =>
  (signing: SigningOptions): readonly Probe[] => {
    const body = bytesOf(JSON.stringify(eventOf(signing, name)));
    return Array.from({ length: times }, () => ({ delivery: deliveryOf(signing, { body }) }));
  };

const check = (id: string, parts: Omit<Check, 'id' | 'group'>): Check => ({
  id: `RCV-${id}`,
  group: 'behaviour',
  ...parts,
});

/** EVT-9b: 15 s is too long; from 5 s on the result is advice. */
const slowMs = 5_000;
const tooSlowMs = 15_000;

/** A check over the responses to valid deliveries and to forgeries; a response may leak the signature. */
export interface MannerCheck extends Check {
  readonly judge: (
    valid: readonly Exchange[],
    leaking: readonly Exchange[],
  ) => Judgement & { readonly shown: readonly Exchange[] };
}

/** Judged in every run. */
export const mannerChecks: readonly MannerCheck[] = [
  {
    ...check('answers-in-time', {
      title: 'every valid delivery is answered within 15 s, better within 5 s',
      why: 'EVT-9b: a later response counts as a failure.',
      gains: LOST,
      fix: 'Verify, put the event into a queue, answer, and process it afterwards.',
      probes: valid('pace'),
    }),
    judge: (all) => {
      const slowest = Math.max(0, ...all.map(({ durationMs }) => durationMs));
      return {
        verdict: slowest > tooSlowMs ? 'deviates' : slowest > slowMs ? 'advisory' : 'passed',
        expected: 'a response within 15 s, better within 5 s',
        actual: `the slowest took ${(slowest / 1000).toFixed(1)} s`,
        shown: all.filter(({ durationMs }) => durationMs > slowMs),
      };
    },
  },
  {
    ...check('does-not-redirect', {
      title: 'no valid delivery is answered with a redirect',
      why: 'EVT-9a: a delivery needs a 2xx; redirects are not followed.',
      gains: LOST,
      fix: 'Subscribe with the URL that answers: https, the right host, and the slash at the end or not.',
      probes: valid('redirect'),
    }),
    judge: (all) => {
      const shown = all.filter(({ response }) => /^3/.test(`${response?.status}`));
      return {
        verdict: shown.length > 0 ? 'deviates' : 'passed',
        expected: 'no redirect: the platform does not follow them',
        actual: shown.map(({ response }) => `status ${response?.status}`).join(', ') || 'none',
        shown,
      };
    },
  },
  {
    ...check('gives-nothing-away', {
      title: 'no response to a forged delivery contains the signature that would have been right',
      why: 'EVT-6: an attacker with the right v1 needs no secret.',
      gains:
        'An attacker sends any event, reads the signature in the response, and sends the event again with it.',
      fix: 'Answer 400 and nothing else; the expected signature belongs in no response and in no log.',
      probes: forged('leak'),
    }),
    judge: (_, leaking) => ({
      verdict: leaking.length > 0 ? 'deviates' : 'passed',
      expected: 'responses that do not contain the right signature',
      actual:
        leaking.length === 0
          ? 'none contains it'
          : `${leaking.length} responses to forgeries contain it`,
      shown: leaking,
    }),
  },
];

const nothingWhenRefused = check('nothing-when-refused', {
  title: 'a delivery with a wrong signature has no side effect',
  why: 'EVT-6: only a v1 over exactly these bytes and this time passes.',
  gains: 'Anyone who knows the URL can cause the effect, whatever the response says.',
  fix: 'Verify before doing anything else.',
  probes: forged('forged'),
});

/** Only judged if a probe counts the side effects. */
export const effectChecks: readonly Check[] = [
  check('once-in-sequence', {
    title: 'an event delivered twice, one after the other, has its side effect once',
    why: 'EVT-4: delivery is at least once.',
    gains: 'One lost response is enough: a deposit is booked twice.',
    fix: 'Keep the ids of events in a table where they are unique, in one transaction with the effect.',
    probes: valid('once', 2),
  }),
  check('once-in-a-crowd', {
    title: 'an event delivered ten times at once has its side effect once',
    why: 'EVT-4: delivery is at least once, and a repeat may arrive while the first is being processed.',
    gains: 'A deposit is booked twice when two workers look for the id before either writes it.',
    fix: 'Let the database refuse the second: insert the id under a unique key before the effect.',
    probes: valid('many', 10),
    together: true,
  }),
  nothingWhenRefused,
];

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
      const response = await request(url, { signal: AbortSignal.timeout(5000) });
      text = Buffer.from(await readBody(response.body)).toString();
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
    actual: `${count}; responses: ${exchanges.map(describeExchange).join(', ')}`,
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
