// Broken sample receivers, one defect each, with the checks that have to notice. For tests.
import { createHash, createHmac } from 'node:crypto';
import { type Broken, brokenVerifiers } from './broken-verifiers.ts';
import {
  ignoringT,
  refusingRepeats,
  signingT,
  skippingEmpty,
  skippingMember,
  spaceless,
  withoutV1,
} from './receiver-defects.ts';
import {
  correctSteps,
  fiveMinutesMs,
  type HeaderParts,
  type ReceiverSteps,
} from './sample-receivers.ts';

const reprinted = (space?: number) => (raw: Buffer) =>
  Buffer.from(JSON.stringify(JSON.parse(raw.toString()), null, space));
const first = (parts: HeaderParts, key: string) => parts.find(([name]) => name === key)?.[1];
const last = (parts: HeaderParts, key: string) => parts.findLast(([name]) => name === key)?.[1];
const number = (text: string | undefined) => (text === undefined ? null : Number(text));
const also = (...wrong: ((t: string, body: Buffer) => string)[]): Partial<ReceiverSteps> => ({
  mac: (secret, t, body) =>
    [correctSteps.mac(secret, t, body), ...wrong.map((each) => each(t, body))].join(' '),
  equal: (candidate, macs) => macs.split(' ').some((mac) => correctSteps.equal(candidate, mac)),
});
const keyed = (secret: string) => (t: string, body: Buffer) => correctSteps.mac(secret, t, body);

const old = ['six-minutes-old', 'ten-minutes-old', 'an-hour-old'];
const ahead = ['six-minutes-ahead', 'ten-minutes-ahead', 'an-hour-ahead'];
const refuses = (...names: string[]) => names.map((name) => `RCV-refuses-${name}`);
const accepts = (...names: string[]) => names.map((name) => `RCV-accepts-${name}`);

export const brokenReceivers: readonly Broken[] = [
  ...brokenVerifiers,
  {
    name: 'accepts everything',
    change: { answer: () => ({ status: 200 }) },
    trips: ['RCV-refuses-*'],
  },
  {
    name: 'verifies only when there is a header',
    change: {
      header: (request) => correctSteps.header(request) ?? 'none',
      answer: (verified, _raw, mac) => ({ status: verified || mac === '' ? 204 : 400 }),
    },
    trips: ['RCV-refuses-*'],
  },
  {
    name: 'reprints the body before verifying',
    change: { body: reprinted() },
    trips: [
      ...accepts('pretty-body', 'escaped-body', 'trailing-newline', 'numbers-as-written'),
      ...refuses('white-space-added', 'newline-added'),
    ],
  },
  {
    name: 'tries the body printed with indentation too',
    change: also((t, body) => correctSteps.mac(correctSteps.secret, t, reprinted(2)(body))),
    trips: refuses('white-space-removed'),
  },
  {
    name: 'trims the body',
    change: { body: (raw) => Buffer.from(raw.toString().trim()) },
    trips: [...accepts('trailing-newline'), ...refuses('newline-added')],
  },
  {
    name: 'reads the body as latin1',
    change: { body: (raw) => Buffer.from(raw.toString('latin1')) },
    trips: accepts('raw-utf-8', 'cut-letters'),
  },
  {
    name: 'reads the body as ascii',
    change: { body: (raw) => Buffer.from(raw.toString('ascii')) },
    trips: accepts('raw-utf-8', 'cut-letters'),
  },
  {
    name: 'leaves white space out of the body',
    change: {
      mac: (secret, t, body) => correctSteps.mac(secret, t, body),
      body: (raw) => raw,
      equal: correctSteps.equal,
      ...spaceless(),
    },
    trips: refuses('white-space-added', 'newline-added'),
  },
  {
    name: 'looks at the first v1 only',
    change: { candidates: (parts) => correctSteps.candidates(parts).slice(0, 1) },
    trips: accepts('bad-v1-then-good', 'previous-secret-first'),
  },
  {
    name: 'looks at the last v1 only',
    change: { candidates: (parts) => correctSteps.candidates(parts).slice(-1) },
    trips: accepts('good-v1-then-bad', 'both-secrets'),
  },
  {
    name: 'wants every v1 to match',
    change: {
      candidates: (parts) => {
        const all = correctSteps.candidates(parts);
        return all.length === 1 ? all : [];
      },
    },
    trips: accepts('bad-v1-then-good', 'good-v1-then-bad', 'both-secrets', 'previous-secret-first'),
  },
  {
    name: 'compares as far as the candidate goes',
    change: { equal: (candidate, mac) => mac.startsWith(candidate) },
    trips: refuses('empty-v1', 'truncated-v1'),
  },
  {
    name: 'compares as far as the digest goes',
    change: { equal: (candidate, mac) => candidate.startsWith(mac) },
    trips: refuses('extended-v1'),
  },
  {
    name: 'compares half of the digest',
    change: { equal: (candidate, mac) => candidate.slice(0, 32) === mac.slice(0, 32) },
    trips: refuses('truncated-v1', 'extended-v1', 'part-changed-v1', 'last-digit-changed-v1'),
  },
  {
    name: 'compares the first byte',
    change: { equal: (candidate, mac) => candidate.slice(0, 2) === mac.slice(0, 2) },
    trips: refuses(
      'truncated-v1',
      'extended-v1',
      'first-bytes-v1',
      'part-changed-v1',
      'last-digit-changed-v1',
    ),
  },
  {
    name: 'compares the last byte',
    change: { equal: (candidate, mac) => candidate.slice(62, 64) === mac.slice(62, 64) },
    trips: refuses('extended-v1', 'last-bytes-v1', 'part-changed-v1', 'first-digit-changed-v1'),
  },
  {
    name: 'takes an empty v1',
    change: { equal: (candidate, mac) => candidate === '' || correctSteps.equal(candidate, mac) },
    trips: refuses('empty-v1'),
  },
  {
    name: 'takes a header without v1',
    change: {
      candidates: (parts) => correctSteps.candidates(parts),
      answer: correctSteps.answer,
      ...withoutV1(),
    },
    trips: refuses('no-v1', 'unknown-version-only'),
  },
  {
    name: 'takes v0 too',
    change: {
      candidates: (parts) =>
        parts.filter(([key]) => /^v[012]$/.test(key)).map(([, value]) => value),
    },
    trips: refuses('unknown-version-only'),
  },
  {
    name: 'does not look at the time',
    change: { fresh: () => true },
    trips: refuses(...old, 'a-day-old', ...ahead, 't-zero'),
  },
  {
    name: 'allows an hour',
    change: { fresh: (t, now) => Math.abs(now - t) <= 3_700_000 },
    trips: refuses(...old, ...ahead),
  },
  {
    name: 'allows fifteen minutes',
    change: { fresh: (t, now) => Math.abs(now - t) <= 900_000 },
    trips: refuses('six-minutes-old', 'ten-minutes-old', 'six-minutes-ahead', 'ten-minutes-ahead'),
  },
  {
    name: 'allows thirty seconds',
    change: { fresh: (t, now) => Math.abs(now - t) <= 30_000 },
    trips: accepts('a-minute-old', 'four-minutes-old', 'a-minute-ahead'),
  },
  {
    name: 'allows three minutes',
    change: { fresh: (t, now) => Math.abs(now - t) <= 180_000 },
    trips: accepts('four-minutes-old'),
  },
  {
    name: 'takes the first t',
    change: { time: (parts) => number(first(parts, 't')), ...signingT(last) },
    trips: refuses('two-t-new-first'),
  },
  {
    name: 'takes the last t',
    change: { time: (parts) => number(last(parts, 't')), ...signingT(first) },
    trips: refuses('two-t-new-last', 'two-header-lines'),
  },
  {
    name: 'takes a t that is no number',
    change: {
      time: (parts) => number(first(parts, 't')),
      fresh: (t, now) => !(Math.abs(now - t) > fiveMinutesMs),
      ...ignoringT(),
    },
    trips: refuses('t-not-a-number', 'new-t', 'two-t-new-first'),
  },
  {
    name: 'does not sign t',
    change: {
      ...also((_t, body) => createHmac('sha256', correctSteps.secret).update(body).digest('hex')),
      ...ignoringT(),
    },
    trips: refuses('new-t'),
  },
  { name: 'takes the empty secret', change: also(keyed('')), trips: refuses('empty-secret') },
  {
    name: 'takes the secret undefined',
    change: also(keyed('undefined')),
    trips: refuses('secret-undefined'),
  },
  { name: 'takes the secret null', change: also(keyed('null')), trips: refuses('secret-null') },
  {
    name: 'takes a plain hash',
    change: also((t, body) => createHash('sha256').update(`${t}.`).update(body).digest('hex')),
    trips: refuses('unkeyed-hash'),
  },
  {
    name: 'takes a plain hash of the body',
    change: also((_t, body) => createHash('sha256').update(body).digest('hex')),
    trips: refuses('unkeyed-body-hash'),
  },
  {
    name: 'takes a test secret',
    change: also(keyed('whsec_another')),
    trips: refuses('wrong-secret'),
  },
  { name: 'skips an empty body', change: { ...skippingEmpty() }, trips: refuses('body-emptied') },
  {
    name: 'verifies the id only',
    change: { body: (raw) => raw, ...skippingMember() },
    trips: refuses(
      'byte-changed',
      'white-space-added',
      'white-space-removed',
      'newline-added',
      'members-reordered',
      'body-swapped',
    ),
  },
  {
    name: 'gives the expected signature away',
    change: {
      answer: (verified, _raw, mac) =>
        verified ? { status: 204 } : { status: 400, text: `expected ${mac}` },
    },
    trips: ['RCV-gives-nothing-away'],
  },
  {
    name: 'gives it away in a header',
    change: {
      answer: (verified, _raw, mac) =>
        verified ? { status: 204 } : { status: 400, headers: { 'x-expected': mac } },
    },
    trips: ['RCV-gives-nothing-away'],
  },
  {
    name: 'refuses unknown kinds',
    change: {
      answer: (verified, raw) => ({
        status: verified && !raw.includes('reconsidered') ? 204 : 400,
      }),
    },
    trips: accepts('unknown-kind'),
  },
  {
    name: 'refuses unknown members',
    change: {
      answer: (verified, raw) => ({ status: verified && !raw.includes('"priority"') ? 204 : 400 }),
    },
    trips: accepts('unknown-fields'),
  },
  {
    name: 'refuses large bodies',
    change: {
      answer: (verified, raw) => ({ status: verified && raw.length < 10_000 ? 204 : 413 }),
    },
    trips: accepts('large'),
  },
  {
    name: 'answers a repeat with 409',
    change: { ...refusingRepeats() },
    trips: accepts('redelivery'),
  },
];
