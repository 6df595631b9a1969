// The values that are worth trying, by the kind of a member; one list of sizes and one list of
// times.
import { eventWindowMs, keyRetentionMs, retryGapsMs } from '../../../fixtures/constants.ts';
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import type { Value } from '../sequence.ts';
import type { Field, Kind } from './operations.ts';

/** Sizes at which behavior changes: around limits, after powers of two and of ten. */
export const SIZES: readonly number[] = [
  ...[2, 3, 5, 9, 11, 17, 21, 33, 51, 65, 101, 129, 201, 254, 255, 256, 257, 501, 513],
  ...[999, 1000, 1001, 1025, 4097, 10_001],
];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Timers of the platform; each is tried a second before and after it is due. */
const TIMERS: readonly number[] = [
  ...retryGapsMs,
  keyRetentionMs,
  eventWindowMs,
  defaultSettings.token_lifetime_s * SECOND,
];
// CONV-4: the resolution of a clock is not specified, so one second is the closest distance.
export const EDGE = SECOND;
/** Timers that outlive a sequence of calls. */
export const LONG_TIMERS: readonly number[] = TIMERS.filter((timer) => timer >= 2 * HOUR);

export const TIMES: readonly number[] = [
  ...TIMERS.flatMap((timer) => [timer - EDGE, timer + EDGE]),
  ...[1, SECOND, 3 * SECOND, MINUTE + 1, 5 * MINUTE, 3 * HOUR, 18 * HOUR, 26 * HOUR, 2 * DAY],
  ...[8 * DAY, 31 * DAY, 91 * DAY, 400 * DAY],
];

export const LONG_TIMES: readonly number[] = TIMES.filter((time) => time >= DAY);

const long = (length: number, fill?: string): Value => ({
  ...{ $fresh: 'long', length },
  ...(fill === undefined ? {} : { fill }),
});

const FRESH: Value = { $fresh: 'text' };

/** Texts that programs misread: markup, numbers, empty values, other scripts. */
const TRICKY_TEXTS: readonly Value[] = [
  "O'Brien; DROP TABLE accounts;--",
  '<script>alert(1)</script>&amp;"\'',
  'back\\slash "quote" \n\t tab',
  '{{7*7}} %s %00 %41',
  'null',
  'true',
  '0012.50',
  '1e3',
  '-',
  'Zoë Ångström Ñandú',
  'Ελένη Παπαδοπούλου',
  'محمد بن سلمان',
  '山田太郎',
  '👩‍👩‍👧‍👦🇵🇹',
];

/** Texts that every member without a form of its own accepts. */
export const TEXTS: readonly Value[] = [
  ...TRICKY_TEXTS,
  ' padded ',
  long(33),
  long(65),
  long(129),
  long(4097),
];

const WRONG_TYPES: readonly Value[] = [5, true, [], {}];

const EMAILS: readonly Value[] = [
  'no-at-sign',
  '',
  { $join: [FRESH, '+tag@explore.example.com'] },
  { $join: [FRESH, '.first.last@explore.example.com'] },
  { $join: [long(60), '@explore.example.com'] },
  { $join: [FRESH, "o'brien@explore.example.com"] },
  { $join: [FRESH, '@a.b.c.explore.example.museum'] },
  { $join: [{ $case: 'upper', of: FRESH }, '@Explore.Example.COM'] },
];

const REFERENCES: readonly Value[] = [
  '',
  ' ',
  '   ',
  ...[2, 64, 128, 200, 254, 255, 256, 257, 1025].map((length) => long(length)),
  long(255, 'é'),
  ...['a/b', 'a:b', 'a|b', 'a b', 'a%20b', 'é', '<b>', '"', '#', '?x=1', '..'].map(
    (part): Value => ({ $join: [FRESH, part] }),
  ),
];

const PHONES: readonly Value[] = [
  ...(['e164', 'spaced', 'dashes'] as const).map((form): Value => ({ $phone: 'text', form })),
  { $join: ['call me: ', FRESH] },
];

const DECIMALS: readonly Value[] = [
  ...['0', '0.00', '-0', '-25.00', '25', '0.01', '0.29', '1.15', '1000.00', '1234567.89'],
  ...['9999999999999.99', '123456789012345', '0.10', '70.07', '4.35', '-0.01', '2147483648.00'],
  ...['25.000', '25.001', '1e3', '+5', '.5', '5.', '1,000.00', '0x10', '007.50', ' 25.00 '],
  ...['abc', '', 'NaN', 'Infinity', '12..5', '--5', '1 000', '٣٫٥', '12345678901234567890.12'],
];

const IDS: readonly Value[] = [
  ...['abc', '', '-1', '1.5', ' 7', '0x1f', '9007199254740993', '9223372036854775807', '0'],
];

const PUBLIC_URL = 'https://93.184.216.34';
/** HOOK-7, HOOK-8: targets that must be refused in every notation. */
const REFUSED_URLS: readonly string[] = [
  ...['http://93.184.216.34/a', 'ftp://93.184.216.34/a', '93.184.216.34/a', 'https:', ''],
  ...['localhost', '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0'],
  ...['10.0.0.1', '172.16.5.4', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
  ...['192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[fc00::1]', '[fe80::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[2002:7f00:1::]', '[ff02::1]', 'localhost.', '127.0.0.1.', '[::ffff:10.0.0.1]'],
].map((each) => (/:|^$|\//.test(each) && !each.startsWith('[') ? each : `https://${each}/a`));
const TAKEN_URLS: readonly string[] = [
  ...['/', '/a?b=c&d=e', '/%7Ea/%2F', `/${'long/'.repeat(30)}`, ':8443/a'].map(
    (path) => PUBLIC_URL + path,
  ),
  'https://172.32.0.1/a',
  'https://[2606:4700:4700::1111]/a',
];

const LISTS: readonly Value[] = [
  [],
  eventCategories,
  ['transaction'],
  ['account', 'account'],
  ['deal'],
  ['account', 'deal'],
  ['Account'],
  [''],
  'account',
];

const BY_KIND: Readonly<Record<Kind, readonly Value[]>> = {
  reference: REFERENCES,
  email: EMAILS,
  phone: PHONES,
  region: ['GB', 'PT', 'ZZ', 'gb', ''],
  text: [...TEXTS, ''],
  id: IDS,
  decimal: DECIMALS,
  currency: ['', 'USD', 'EUR', 'JPY', 'usd', ' '],
  word: ['', 'Other', 'deposit', 'DEPOSIT'],
  url: [...REFUSED_URLS, ...TAKEN_URLS],
  list: LISTS,
  flag: [true, false],
};

/** CONV-1c: texts that start with, end with or resemble this id. */
export const nearIds = (id: Value): readonly Value[] => [
  ...['x', ' ', '.0', 'e0', '-', ',1', '\t'].map((end) => ({ $join: [id, end] })),
  ...['x', ' ', '+', '0'].map((start) => ({ $join: [start, id] })),
];

/** A value to send, or `absent` for a member that is left out. */
export type Boundary = { readonly value: Value } | 'absent';

/** Every value to try in a member, including a wrong type and no value at all. */
export function boundariesOf({ kind, words }: Field): readonly Boundary[] {
  const number: readonly Value[] = kind === 'decimal' || kind === 'id' ? [25] : [];
  const values = [...words, ...BY_KIND[kind], ...number, null, ...WRONG_TYPES];
  return ['absent', ...values.map((value) => ({ value }))];
}

/** On a live target no id that may belong to another client's record is sent, and no foreign URL. */
export function isHarmless({ kind }: Field, boundary: Boundary): boolean {
  if (boundary === 'absent') return true;
  const { value } = boundary;
  if (typeof value === 'number') return kind !== 'id';
  if (typeof value !== 'string') return true;
  if (kind === 'id') return !/\d/.test(value);
  return kind !== 'url' || !/93\.184|172\.32|2606/.test(value);
}

/** Bodies that cannot be parsed, and some that only look malformed. */
export const RAW_BODIES: readonly string[] = [
  ...['', '{', 'null', '[]', '"text"', '{"a":1', '{}', 'not json', '[{}]', '7'],
];

/** Tags of an update that are no revision, or are not written as a strong tag (UPD-9). */
export const ODD_TAGS: readonly string[] = ['1', 'W/"1"', '"', '', '"abc"', '*', '"1", "2"', '""'];

/** Keys at the edges of the accepted form (IDEM-1). */
export const EDGE_KEYS: readonly Value[] = [
  '',
  ' ',
  ...[1, 2, 128, 254, 255, 256, 257, 513].map((length) => long(length)),
  { $join: ['  ', FRESH, '  '] },
  { $join: [FRESH, ' inner space'] },
  { $join: [FRESH, '%41/:|"\\'] },
];
