// Measures how old, and how far in the future, a signature may be for this receiver.
import type { Exchange } from '../engine/types.ts';
import { bytesOf, type Delivery, deliveryOf, eventOf, type SigningOptions } from './delivery.ts';
import { isAccepted } from './judge.ts';

const second = 1000;
/** Around the five minutes of the rules, both ways; negative is in the future. */
export const agesMs = [290, 298, 302, 310, -290, -302, -330].map((seconds) => seconds * second);

/** One sentence: what was accepted and what was refused. */
export async function measureWindow(
  signing: SigningOptions,
  shoot: (delivery: Delivery) => Promise<Exchange>,
): Promise<string> {
  const taken: string[] = [];
  const refused: string[] = [];
  for (const [index, ageMs] of agesMs.entries()) {
    const body = bytesOf(JSON.stringify(eventOf(signing, `window-${index}`)));
    const exchange = await shoot(deliveryOf(signing, { body, tMs: Date.now() - ageMs }));
    const words = `${Math.abs(ageMs) / second} s ${ageMs > 0 ? 'old' : 'ahead'}`;
    (isAccepted(exchange) ? taken : refused).push(words);
  }
  const list = (words: readonly string[]) => (words.length === 0 ? 'none' : words.join(', '));
  return `Around five minutes, accepted: ${list(taken)}; refused: ${list(refused)}.`;
}
