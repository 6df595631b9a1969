// Receivers that read the time or the digest loosely, lose bytes, or end at what they do not
// expect, each with the checks that have to notice. For tests.
import { timingSafeEqual } from 'node:crypto';
import {
  correctSteps,
  fiveMinutesMs,
  type HeaderParts,
  type ReceiverSteps,
} from './sample-receivers.ts';

export interface Broken {
  readonly name: string;
  readonly change: Partial<ReceiverSteps>;
  /** Checks that deviate; `*` at the end stands for any rest. */
  readonly trips: readonly string[];
  /** It ends for good, so that what comes after that is not judged. */
  readonly ends?: true;
}

const refuses = (...names: string[]) => names.map((name) => `RCV-refuses-${name}`);

/** The text of the first t, as the code of a partner would have it. */
const textOf = (parts: HeaderParts) => parts.find(([key]) => key === 't')?.[1];

/** Signs what its language prints for a t that is not there. */
const printing = (absent: string): Partial<ReceiverSteps> => ({
  mac: (secret, t, body) => correctSteps.mac(secret, t === '' ? absent : t, body),
});

/** Throws at another length, as timingSafeEqual does. */
const unguarded = (candidate: string, mac: string) =>
  timingSafeEqual(Buffer.from(candidate), Buffer.from(mac));

const oddLengths = [
  ...refuses('empty-v1', 'truncated-v1', 'extended-v1'),
  'RCV-advises-sha1',
  'RCV-advises-sha512',
];

export const brokenVerifiers: readonly Broken[] = [
  {
    name: 'allows seven minutes',
    change: { fresh: (t, now) => Math.abs(now - t) <= 7 * 60_000 },
    trips: refuses('six-minutes-old', 'six-minutes-ahead'),
  },
  {
    name: 'allows five minutes back and any time ahead',
    change: { fresh: (t, now) => now - t <= fiveMinutesMs },
    trips: refuses('six-minutes-ahead', 'ten-minutes-ahead', 'an-hour-ahead'),
  },
  {
    name: 'refuses every t ahead of its clock',
    change: { fresh: (t, now) => t <= now && now - t <= fiveMinutesMs },
    trips: ['RCV-accepts-a-minute-ahead'],
  },
  {
    name: 'takes a t of 0 for none, and none for fresh',
    change: {
      time: (parts) => Number(textOf(parts) ?? 'none'),
      fresh: (t, now) => t === 0 || Math.abs(now - t) <= fiveMinutesMs,
    },
    trips: refuses('t-zero', 'empty-t'),
  },
  {
    name: 'compares NaN with five minutes',
    change: {
      time: (parts) => Number(textOf(parts) || '0'),
      fresh: (t, now) => !(Math.abs(now - t) > fiveMinutesMs),
    },
    trips: refuses('t-not-a-number'),
  },
  {
    name: 'compares NaN with five minutes, and signs it',
    change: {
      time: (parts) =>
        textOf(parts) === undefined ? null : Number.parseInt(textOf(parts) ?? '', 10),
      fresh: (t, now) => !(Math.abs(now - t) > fiveMinutesMs),
      mac: (secret, t, body) => correctSteps.mac(secret, String(Number.parseInt(t, 10)), body),
    },
    trips: refuses('t-not-a-number', 'empty-t'),
  },
  {
    name: 'asks for the time only where there is a t, and signs undefined',
    change: {
      time: (parts) => Number(textOf(parts) ?? 0),
      fresh: (t, now) => t === 0 || Math.abs(now - t) <= fiveMinutesMs,
      ...printing('undefined'),
    },
    trips: refuses('no-t', 't-zero'),
  },
  {
    name: 'asks for the time only where there is a t, and signs None',
    change: {
      time: (parts) => (textOf(parts) === undefined ? Date.now() : correctSteps.time(parts)),
      ...printing('None'),
    },
    trips: refuses('no-t'),
  },
  {
    name: 'compares all but the last digit',
    change: {
      equal: (candidate, mac) => candidate.length === 64 && candidate.startsWith(mac.slice(0, -1)),
    },
    trips: refuses('last-digit-changed-v1'),
  },
  {
    name: 'compares all but the first digit',
    change: {
      equal: (candidate, mac) => candidate.length === 64 && candidate.endsWith(mac.slice(1)),
    },
    trips: refuses('first-digit-changed-v1'),
  },
  {
    name: 'compares the first half of a whole digest',
    change: {
      equal: (candidate, mac) => candidate.length === 64 && candidate.startsWith(mac.slice(0, 32)),
    },
    trips: refuses('part-changed-v1', 'last-digit-changed-v1'),
  },
  {
    name: 'compares both ends of a whole digest',
    change: {
      equal: (candidate, mac) =>
        candidate.length === 64 &&
        candidate.startsWith(mac.slice(0, 16)) &&
        candidate.endsWith(mac.slice(48)),
    },
    trips: refuses('part-changed-v1'),
  },
  {
    name: 'puts the body together as text',
    change: {
      body: (_raw, chunks) => Buffer.from(chunks.map((chunk) => chunk.toString()).join('')),
    },
    trips: ['RCV-accepts-cut-letters'],
  },
  {
    name: 'ends at a v1 of another length',
    change: { equal: unguarded, diesForMs: 3_600_000 },
    trips: refuses('empty-v1'),
    ends: true,
  },
  {
    name: 'ends at a v1 of another length and is started again',
    change: { equal: unguarded, diesForMs: 200 },
    trips: oddLengths,
  },
  {
    name: 'ends at an odd number of digits and is started again',
    change: {
      equal: (candidate, mac) => {
        if (/^([0-9a-f]{2})*[0-9a-f]$/.test(candidate)) throw new Error('an odd number of digits');
        return correctSteps.equal(candidate, mac);
      },
      diesForMs: 200,
    },
    trips: refuses('truncated-v1'),
  },
  {
    name: 'answers, and then ends at a header without a signature',
    change: { endsAfter: (request) => request.headers['x-webhook-signature'] === undefined },
    trips: refuses('no-header'),
    ends: true,
  },
];
