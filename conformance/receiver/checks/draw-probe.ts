// Keeps chance out of the checks: a receiver that compares part of a digest must not pass or fail
// because a wrong signature happens to share digits with the right one.
import type { Probe } from '../check.ts';
import { macOf, type SigningOptions } from '../delivery.ts';

/** Most draws; about two in three are usable. */
const mostDraws = 500;

/** Another digit in the place of each, so that nothing of it is right. */
export function shiftDigits(hex: string): string {
  return hex.replace(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));
}

/**
 * The first draw whose signatures are either right as a whole or wrong in every byte, and in the
 * first and last digit as well.
 */
export function drawProbe(signing: SigningOptions, draw: (turn: number) => Probe): Probe {
  let probe = draw(0);
  for (let turn = 1; turn < mostDraws && matchesByChance(signing, probe); turn += 1)
    probe = draw(turn);
  return probe;
}

function matchesByChance(signing: SigningOptions, { delivery }: Probe): boolean {
  const pairs = delivery.headers
    .filter(([name]) => name === signing.names.signature)
    .flatMap(([, value]) => value.split(','))
    .map((part) => part.trim().split('=', 2) as [string, string?]);
  const times = pairs.filter(([key]) => key === 't').map(([, value = '']) => value);
  const secrets = [
    signing.secret,
    ...(signing.previousSecret === null ? [] : [signing.previousSecret]),
  ];
  const macs = secrets.flatMap((secret) =>
    // Without a t there may still be receivers that compute with none.
    (times.length === 0 ? [''] : times).map((t) => macOf(secret, t, delivery.body)),
  );
  return pairs.some(([key, value]) => {
    if (key === 't' || value === undefined) return false;
    return macs.some((mac) => value !== mac && sharesBytes(value, mac));
  });
}

function sharesBytes(candidate: string, mac: string): boolean {
  if (candidate === '') return false;
  if (candidate[0] === mac[0] || candidate.at(-1) === mac.at(-1)) return true;
  for (let at = 0; at < mac.length; at += 2) {
    if (candidate.slice(at, at + 2) === mac.slice(at, at + 2)) return true;
  }
  return false;
}
