// Broken sample receivers, one defect each, with the checks that must detect it. For tests.
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  correctSteps,
  fiveMinutesMs,
  type HeaderParts,
  type Received,
  type ReceiverSteps,
} from './sample-receivers.ts';

/**
 * `trips` are the checks that deviate; `*` at the end matches any rest. `ends`: the receiver ends
 * permanently, so later checks are not judged.
 */
export type Broken = readonly [
  name: string,
  change: Partial<ReceiverSteps>,
  trips: readonly string[],
  ends?: true,
];

const reprinted = (raw: Buffer) => Buffer.from(JSON.stringify(JSON.parse(raw.toString())));
const firstT = (parts: HeaderParts) => parts.find(([name]) => name === 't')?.[1];
const lastT = (parts: HeaderParts) => parts.findLast(([name]) => name === 't')?.[1];
const { secret, mac: macOf } = correctSteps;
/** Accepts this signature too. */
const also = (wrong: (received: Received) => string): Partial<ReceiverSteps> => ({
  equal: (candidate, mac, received) => [mac, wrong(received)].includes(candidate),
});
const keyed = (other: string) => also(({ t, body }) => macOf(other, t, body));
const hashed = (...parts: (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

const old = ['six-minutes-old', 'ten-minutes-old', 'an-hour-old'];
const ahead = ['six-minutes-ahead', 'ten-minutes-ahead', 'an-hour-ahead'];
const refuses = (...names: string[]) => names.map((name) => `RCV-refuses-${name}`);
const accepts = (...names: string[]) => names.map((name) => `RCV-accepts-${name}`);

/** Throws if the lengths differ, as timingSafeEqual does. */
const unguarded = (candidate: string, mac: string) =>
  timingSafeEqual(Buffer.from(candidate), Buffer.from(mac));

const NONE = 'none';
const withoutV1: Partial<ReceiverSteps> = {
  candidates: (parts) => {
    const all = correctSteps.candidates(parts);
    return all.length === 0 ? [NONE] : all;
  },
  equal: (candidate, mac) => [NONE, mac].includes(candidate),
};

/** The age is checked with one t, and the signature with another. */
const signingT = (pick: (parts: HeaderParts) => string | undefined): Partial<ReceiverSteps> => ({
  equal: (candidate, _, { parts, body }) => candidate === macOf(secret, pick(parts) ?? '', body),
});

/**
 * As if t were not signed: a v1 over any time near the ages that checks send is accepted. The event
 * contains its creation time, so the transit time does not matter.
 */
const ignoringT: Partial<ReceiverSteps> = {
  equal: (candidate, _, { body }) => {
    const madeAt = Number(/"occurred_at":\s*(\d+)/.exec(body.toString())?.[1] ?? 0);
    for (const age of [0, 1000, 60_000, -60_000, 240_000, 3_600_000]) {
      for (let near = -300; near <= 300; near += 1) {
        if (candidate === macOf(secret, String(madeAt - age + near), body)) return true;
      }
    }
    return false;
  },
};

/** A v1 that was correct for one body is accepted for every body with the same id. */
const skippingMember: Partial<ReceiverSteps> = {
  equal: (candidate, mac, { body }) =>
    candidate === mac ||
    (/^[0-9a-f]{64}$/.test(candidate) &&
      /"id":\s*"evt_\w+_(byte|white|newline|members|swapped)/.test(body.toString())),
};

/** Accepts only verified bodies like these. */
const only = (isAccepted: (raw: Buffer) => boolean): Partial<ReceiverSteps> => ({
  answer: (verified, raw) => ({ status: verified && isAccepted(raw) ? 204 : 400 }),
});

function refusingRepeats(): Partial<ReceiverSteps> {
  const seen = new Set<string>();
  return {
    answer: (verified, raw) => {
      if (!verified) return { status: 400 };
      const text = raw.toString();
      if (seen.has(text)) return { status: 409 };
      seen.add(text);
      return { status: 204 };
    },
  };
}

/** Hostile input ends its process, and it is started again. */
export const endingReceiver: Broken = [
  'ends at a v1 of another length',
  { equal: unguarded, diesForMs: 200 },
  [
    ...refuses('empty-v1', 'truncated-v1', 'extended-v1'),
    ...['RCV-advises-sha1', 'RCV-advises-sha512'],
  ],
];

export const brokenReceivers: readonly Broken[] = [
  [
    'allows seven minutes',
    { fresh: (t, now) => Math.abs(now - t) <= 7 * 60_000 },
    refuses('six-minutes-old', 'six-minutes-ahead'),
  ],
  [
    'takes a t of 0 for none, and none for fresh',
    {
      time: (parts) => Number(firstT(parts) ?? 'none'),
      fresh: (t, now) => t === 0 || Math.abs(now - t) <= fiveMinutesMs,
    },
    refuses('t-zero', 'empty-t', 'two-t'),
  ],
  [
    'compares NaN with five minutes',
    {
      time: (parts) => Number(firstT(parts) || '0'),
      fresh: (t, now) => !(Math.abs(now - t) > fiveMinutesMs),
    },
    refuses('t-not-a-number', 'two-t'),
  ],
  [
    'asks for the time only where there is a t, and signs undefined',
    {
      time: (parts) => Number(firstT(parts) ?? 0),
      fresh: (t, now) => t === 0 || Math.abs(now - t) <= fiveMinutesMs,
      mac: (own, t, body) => macOf(own, t || 'undefined', body),
    },
    refuses('no-t', 't-zero', 'two-t'),
  ],
  [
    'puts the body together as text',
    { body: (_raw, chunks) => Buffer.from(chunks.join('')) },
    accepts('cut-letters'),
  ],
  [
    'answers, and then ends at a header without a signature',
    { endsAfter: (request) => request.headers['x-webhook-signature'] === undefined },
    refuses('no-header'),
    true,
  ],
  ['accepts everything', { answer: () => ({ status: 200 }) }, ['RCV-refuses-*']],
  [
    'reprints the body before verifying',
    { body: reprinted },
    [
      ...accepts('pretty-body', 'escaped-body', 'trailing-newline', 'numbers-as-written'),
      ...refuses('white-space-added', 'newline-added'),
    ],
  ],
  [
    'reads the body as latin1',
    { body: (raw) => Buffer.from(raw.toString('latin1')) },
    accepts('raw-utf-8', 'cut-letters'),
  ],
  [
    'looks at the first v1 only',
    { candidates: (parts) => correctSteps.candidates(parts).slice(0, 1) },
    accepts('bad-v1-then-good', 'previous-secret-first'),
  ],
  [
    'looks at the last v1 only',
    { candidates: (parts) => correctSteps.candidates(parts).slice(-1) },
    accepts('good-v1-then-bad', 'both-secrets'),
  ],
  [
    'compares the first byte',
    { equal: (candidate, mac) => candidate.slice(0, 2) === mac.slice(0, 2) },
    refuses(
      'truncated-v1',
      'extended-v1',
      'first-bytes-v1',
      'part-changed-v1',
      'last-digit-changed-v1',
    ),
  ],
  [
    'compares the last byte',
    { equal: (candidate, mac) => candidate.slice(62, 64) === mac.slice(62, 64) },
    refuses('extended-v1', 'last-bytes-v1', 'part-changed-v1', 'first-digit-changed-v1'),
  ],
  ['takes a header without v1', withoutV1, refuses('no-v1', 'unknown-version-only')],
  [
    'does not look at the time',
    { fresh: () => true },
    refuses(...old, 'a-day-old', ...ahead, 't-zero'),
  ],
  [
    'allows thirty seconds',
    { fresh: (t, now) => Math.abs(now - t) <= 30_000 },
    accepts('a-minute-old', 'four-minutes-old', 'a-minute-ahead'),
  ],
  [
    'takes the first t',
    { time: (parts) => Number(firstT(parts)), ...signingT(lastT) },
    refuses('two-t-new-first', 'two-t'),
  ],
  [
    'takes the last t',
    { time: (parts) => Number(lastT(parts)), ...signingT(firstT) },
    refuses('two-t-new-last', 'two-header-lines', 'two-t'),
  ],
  ['does not sign t', ignoringT, refuses('new-t')],
  ['takes the empty secret', keyed(''), refuses('empty-secret')],
  ['takes the secret undefined', keyed('undefined'), refuses('secret-undefined')],
  ['takes the secret null', keyed('null'), refuses('secret-null')],
  ['takes a plain hash', also(({ t, body }) => hashed(`${t}.`, body)), refuses('unkeyed-hash')],
  [
    'takes a plain hash of the body',
    also(({ body }) => hashed(body)),
    refuses('unkeyed-body-hash'),
  ],
  ['takes a test secret', keyed('whsec_another'), refuses('wrong-secret')],
  [
    'verifies the id only',
    skippingMember,
    refuses(
      'byte-changed',
      'white-space-added',
      'white-space-removed',
      'newline-added',
      'members-reordered',
      'body-swapped',
    ),
  ],
  [
    'gives the expected signature away',
    {
      answer: (verified, _raw, mac) =>
        verified ? { status: 204 } : { status: 400, text: `expected ${mac}` },
    },
    ['RCV-gives-nothing-away'],
  ],
  ['refuses unknown kinds', only((raw) => !raw.includes('reconsidered')), accepts('unknown-kind')],
  [
    'refuses unknown members',
    only((raw) => !raw.includes('"priority"')),
    accepts('unknown-fields'),
  ],
  ['refuses large bodies', only((raw) => raw.length < 10_000), accepts('large')],
  ['answers a repeat with 409', refusingRepeats(), accepts('redelivery')],
];
