// Deliveries whose signature is right in itself and whose t is too far from the clock, or no time
// at all: a correct receiver answers none of them with 2xx.

import type { Check } from '../check.ts';
import { type Parts, refuse, replayed } from './attack.ts';

const stale = 'Refuse when t is more than five minutes from your clock; t is in milliseconds.';
const minuteMs = 60_000;

/** A signature right in itself, at a time that is too far off in one direction. */
function refuseAge(name: string, title: string, ageMs: number): Check {
  return refuse(name, {
    title,
    ageMs,
    gains: replayed,
    why: 'EVT-5b, EVT-6: t more than five minutes off is refused.',
    fix:
      ageMs > 0 ? stale : `${stale} That is the absolute difference: a t ahead is wrong as well.`,
  });
}

/** A signature right in itself, under a t that is no time. */
function refuseTime(
  name: string,
  title: string,
  fix: string,
  headers: readonly ((parts: Parts) => string)[],
): Check {
  return refuse(name, {
    title,
    headers,
    fix,
    why: 'EVT-5a, EVT-6: t is the time in epoch milliseconds; what is more than five minutes off is refused.',
    gains: 'A signature under a t that is no time never grows old: it can be repeated for ever.',
  });
}

/** Headers whose v1 is right for a t that reads as each of these texts. */
function signedFor(
  texts: readonly string[],
  print: (mac: string, t: string) => string,
): readonly ((parts: Parts) => string)[] {
  return texts.map(
    (t) =>
      ({ macFor }) =>
        print(macFor(t), t),
  );
}

export const timeChecks: readonly Check[] = [
  // A minute beyond the five is left for clocks that differ, and a little for the way.
  refuseAge('six-minutes-old', 'a delivery signed six minutes ago', 6 * minuteMs + 5000),
  refuseAge('ten-minutes-old', 'a delivery signed ten minutes ago', 10 * minuteMs),
  refuseAge('an-hour-old', 'a delivery signed an hour ago', 60 * minuteMs),
  refuseAge('a-day-old', 'a delivery signed a day ago', 1440 * minuteMs),
  refuseAge('six-minutes-ahead', 'a t six minutes ahead of the clock', -6 * minuteMs - 5000),
  refuseAge('ten-minutes-ahead', 'a t ten minutes ahead of the clock', -10 * minuteMs),
  refuseAge('an-hour-ahead', 'a t an hour ahead of the clock', -60 * minuteMs),
  refuseTime('no-t', 'a signature without t', 'Refuse a header that names no t.', [
    ({ mac }) => `v1=${mac}`,
    // What an absent t is read as, by one language or another.
    ...signedFor(['undefined', 'null', 'None', 'NaN', '', '0'], (mac) => `v1=${mac}`),
  ]),
  refuseTime('empty-t', 'an empty t', 'Refuse a t that is not digits alone.', [
    ({ mac }) => `t=,v1=${mac}`,
    ...signedFor(['', '0', 'NaN'], (mac) => `t=,v1=${mac}`),
  ]),
  refuseTime(
    't-not-a-number',
    'a t that is no number',
    'Check that t is a number before comparing times: NaN compares as neither too old nor too new.',
    [
      ({ mac }) => `t=now,v1=${mac}`,
      ...signedFor(['now', 'NaN'], (mac) => `t=now,v1=${mac}`),
      ...signedFor(['NaN'], (mac) => `t=NaN,v1=${mac}`),
    ],
  ),
  refuseTime(
    't-zero',
    'a t of 0',
    'Look whether t is there, not whether it is truthy: 0 is a time, and an old one.',
    signedFor(['0', '0000000000000'], (mac, t) => `t=${t},v1=${mac}`),
  ),
];
