// All checks of receivers. One row for each delivery: name, description, difference from a valid
// one. A correct receiver accepts the first group and refuses the second; the third is advice.
import { createHash } from 'node:crypto';
import { EVERYTHING, isSelected, type Selection } from '../engine/run/select.ts';
import { effectChecks, mannerChecks } from './behaviour.ts';
import { CAUSES, type Cause, type Check, type Group, LOST } from './check.ts';
import {
  bytesOf,
  type Difference,
  eventOf,
  type HeaderOf,
  probesOf,
  shiftDigits,
} from './delivery.ts';

/** How a delivery differs from a valid one, or its signature headers, each sent separately. */
type Sent = Difference | HeaderOf | readonly HeaderOf[];
type Row = readonly [title: string, sent: Sent, fix?: string];
type Rows = Readonly<Partial<Record<Cause, Readonly<Record<string, Row>>>>>;

/** The reason for a check and its fix follow from its cause, unless it has its own advice. */
function rowChecks(group: Group, verb: string, gains: string, rows: Rows): Check[] {
  return (Object.keys(rows) as Cause[]).flatMap((cause) =>
    Object.entries(rows[cause]!).map(([name, [title, sent, fix = CAUSES[cause][2]]]): Check => {
      const id = `RCV-${verb}-${name}`;
      const why = CAUSES[cause][1];
      const isHeader = typeof sent !== 'object' || Array.isArray(sent);
      const difference = (isHeader ? { headers: [sent].flat() } : sent) as Difference;
      return {
        ...{ id, group, title, cause, why, gains, fix, difference },
        probes: (signing) => probesOf(signing, name, difference),
      };
    }),
  );
}

const part = (...headers: readonly HeaderOf[]): Difference => ({ headers, isPartly: true });
const sent = (change: (signed: string) => string): Difference => ({
  sent: (signed) => bytesOf(change(Buffer.from(signed).toString())),
});
const aged = (...agesMs: readonly number[]): Difference => ({ agesMs });
const print = (printed: (event: object) => string): Difference => ({ print: printed });

// What is at stake.
const INVENTED = 'Anyone who knows the URL can make the receiver act on an invented event.';
const REPEATED = 'Anyone who has seen one delivery can repeat it, today and next year.';
const REPEATED_FOREVER =
  'A signature under a t that is not a time never expires: it can be repeated for ever.';
const REDATED =
  'If another part of your system reads the other t, an old delivery with a fresh t added passes.';
const OUTDATED = 'An attacker could choose a scheme that is broken later.';
const EXACT = 'Such a delivery needs the secret; it shows how exactly you check.';
const FRAGILE = 'Nothing for an attacker; a harmless change of the platform breaks you.';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

// Deliveries that must be accepted.

/** Offsets at which chunks end inside a character of several bytes. */
function insideLetters(body: Uint8Array): number[] {
  const isFollowing = (byte = 0) => byte >= 0x80 && byte < 0xc0;
  const isLeading = (byte = 0) => byte >= 0xc0;
  const inside = [...body.keys()].filter((at) => isFollowing(body[at]) && isLeading(body[at - 1]));
  return inside.slice(0, 4);
}

const pretty = print((event) => JSON.stringify(event, null, 2));
const letters = { event: { note: '東京のウェブフック 👩‍🚀' } };

const accepted = rowChecks('accept', 'accepts', LOST, {
  impatient: {
    'a-minute-old': ['a delivery signed a minute ago', aged(minuteMs)],
    'four-minutes-old': ['a delivery signed four minutes ago', aged(4 * minuteMs)],
    'a-minute-ahead': ['t a minute ahead of the clock', aged(-minuteMs)],
  },
  bytes: {
    now: ['a delivery signed now', {}],
    'pretty-body': ['the event printed with line breaks and indentation', pretty],
    'escaped-body': [
      'the event with its letters as \\u escapes',
      print((event) =>
        JSON.stringify({ ...event, note: '#' }).replace('"#"', '"Z\\u00fcrich \\u0026 \\/"'),
      ),
    ],
    'raw-utf-8': ['the event with letters beyond ASCII, not escaped', letters],
    'trailing-newline': [
      'the event with a line break at its end',
      print((event) => `${JSON.stringify(event)}\n`),
    ],
    'numbers-as-written': [
      'the event with numbers that change when JSON is printed again',
      print((event) => JSON.stringify({ ...event, note: 0 }).replace('"note":0', '"note":1.50e3')),
    ],
  },
  transport: {
    'without-charset': [
      'Content-Type: application/json, without a charset',
      { form: () => ({ contentType: 'application/json' }) },
    ],
    large: ['an event of 64 KB', { event: { note: 'x'.repeat(64 * 1024) } }],
  },
  chunks: {
    chunked: ['the body in chunks, without Content-Length', { form: () => ({ chunked: true }) }],
    'cut-letters': [
      'chunks that end inside a letter of several bytes',
      { ...letters, form: (body) => ({ cutsAt: insideLetters(body) }) },
      'Verify the bytes as they arrive, before parsing, and parse them afterwards.',
    ],
  },
  oneV1: {
    'bad-v1-then-good': ['two v1, the first of them wrong', 't={t},v1={wrong},v1={mac}'],
    'good-v1-then-bad': ['two v1, the second of them wrong', 't={t},v1={mac},v1={wrong}'],
    'both-secrets': [
      'a rotation: one v1 under the new secret, one under the previous',
      't={t},v1={mac},v1={previous}',
    ],
    'previous-secret-first': [
      'a rotation with the v1 under the previous secret first',
      't={t},v1={previous},v1={mac}',
    ],
  },
  growth: {
    'unknown-kind': [
      'an event of a kind that does not exist yet',
      { event: { kind: 'transaction.reconsidered' } },
    ],
    'unknown-fields': [
      'an event with members that do not exist yet',
      { event: { priority: 3, trace: { id: 'x' } } },
    ],
    redelivery: ['the same event twice, the second time with a fresh t', aged(1000, 0)],
  },
});

// Deliveries that must be refused.

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const each of parts) hash.update(each);
  return hash.digest('hex');
};
/** A v1 made with another key. */
const keyed =
  (secret: string): HeaderOf =>
  ({ t, macFor }) =>
    `t=${t},v1=${macFor(t, secret)}`;
/** The correct digits with some of them changed. */
const changed =
  (from: number, count: number): HeaderOf =>
  ({ t, mac }) => {
    const to = from + count;
    return `t=${t},v1=${mac.slice(0, from)}${shiftDigits(mac.slice(from, to))}${mac.slice(to)}`;
  };
const cutTo =
  (digits: number): HeaderOf =>
  ({ t, mac }) =>
    `t=${t},v1=${mac.slice(0, digits)}`;
const anHourOld = (headerOf: HeaderOf): Difference => ({ agesMs: [hourMs], headers: [headerOf] });
const eighths = [0, 8, 16, 24, 32, 40, 48, 56].map((from) => changed(from, 8));

const forged = rowChecks('refuse', 'refuses', INVENTED, {
  unsigned: {
    'no-header': ['no signature header', () => []],
    'empty-header': ['an empty signature header', ''],
    'garbage-header': ['a signature header without any key=value', 'signed'],
    'no-v1': ['a signature without v1', 't={t}'],
  },
  digest: {
    'empty-v1': ['an empty v1', 't={t},v1='],
    'non-hex-v1': ['a v1 that is not hex', `t={t},v1=${'z'.repeat(64)}`],
    // Hex decoders fail on an odd number of digits.
    'truncated-v1': [
      'a v1 without its second half, or without its last digit',
      part(cutTo(32), cutTo(63)),
    ],
    'first-bytes-v1': [
      'a v1 of which only the first two characters are right',
      part(changed(2, 62)),
    ],
    'last-bytes-v1': ['a v1 of which only the last two characters are right', part(changed(0, 62))],
    'part-changed-v1': [
      'the right v1 with eight of its digits changed, each eight in turn',
      part(...eighths),
    ],
    'first-digit-changed-v1': ['the right v1 with its first digit changed', part(changed(0, 1))],
    'last-digit-changed-v1': ['the right v1 with its last digit changed', part(changed(63, 1))],
    'extended-v1': ['the right v1 with two more characters', part('{right}00')],
  },
  secret: {
    'wrong-secret': ['a signature under another secret', keyed('whsec_another')],
    'empty-secret': ['a signature under the empty secret', keyed('')],
    'secret-undefined': ['a signature under the secret "undefined"', keyed('undefined')],
    'secret-null': ['a signature under the secret "null"', keyed('null')],
    'unkeyed-hash': [
      'a plain SHA-256 instead of the HMAC',
      ({ t, body }) => `t=${t},v1=${sha256(`${t}.`, body)}`,
    ],
    'unkeyed-body-hash': [
      'a plain SHA-256 of the body instead of the HMAC',
      ({ t, body }) => `t=${t},v1=${sha256(body)}`,
    ],
  },
  bytes: {
    'byte-changed': [
      'one byte of the body changed',
      sent((body) => body.replace(/\d(?=\D*$)/, (digit) => (digit === '1' ? '2' : '1'))),
    ],
    'white-space-added': ['a space added in the body', sent((body) => body.replace('":', '": '))],
    'white-space-removed': [
      'the white space of the body removed',
      { ...pretty, ...sent((body) => JSON.stringify(JSON.parse(body))) },
    ],
    'newline-added': ['a line break added to the body', sent((body) => `${body}\n`)],
    'members-reordered': [
      'the members of the body in another order',
      sent((body) =>
        JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).reverse())),
      ),
    ],
    'body-swapped': [
      'the signature of one event on another',
      {
        sent: (_, signing) => {
          const event = eventOf(signing, 'swapped');
          return bytesOf(JSON.stringify({ ...event, data: { amount: '1000000.00' } }));
        },
      },
    ],
    'body-emptied': ['an empty body under the signature of another', sent(() => '')],
  },
});

const replayed = rowChecks('refuse', 'refuses', REPEATED, {
  time: {
    'new-t': [
      'the v1 of an hour ago with a new t',
      anHourOld('t={now},v1={mac}'),
      'Compute the HMAC over t, a dot and the body.',
    ],
    'two-t-new-first': [
      'an old delivery with two t, the new one first',
      anHourOld('t={now},{right}'),
    ],
    'two-t-new-last': [
      'an old delivery with two t, the new one last',
      anHourOld('{right},t={now}'),
    ],
    'two-header-lines': [
      'an old delivery with a second header line that has a new t',
      anHourOld(({ right }) => [right, `t=${Date.now()}`]),
      'Several lines of a header are one value with commas: refuse a second t there too.',
    ],
  },
  // Allows a minute of clock skew, and five seconds of transit time.
  age: {
    'six-minutes-old': ['a delivery signed six minutes ago', aged(6 * minuteMs + 5000)],
    'ten-minutes-old': ['a delivery signed ten minutes ago', aged(10 * minuteMs)],
    'an-hour-old': ['a delivery signed an hour ago', aged(hourMs)],
    'a-day-old': ['a delivery signed a day ago', aged(24 * hourMs)],
    'six-minutes-ahead': ['a t six minutes ahead of the clock', aged(-6 * minuteMs - 5000)],
    'ten-minutes-ahead': ['a t ten minutes ahead of the clock', aged(-10 * minuteMs)],
    'an-hour-ahead': ['a t an hour ahead of the clock', aged(-hourMs)],
  },
});

const notTimes = rowChecks('refuse', 'refuses', REPEATED_FOREVER, {
  time: {
    'no-t': [
      'a signature without t',
      // How languages print a missing t.
      ['mac', 'mac:undefined', 'mac:null', 'mac:None', 'mac:NaN', 'mac:', 'mac:0'].map(
        (mac) => `v1={${mac}}`,
      ),
    ],
    'empty-t': ['an empty t', ['t=,v1={mac}', 't=,v1={mac:}', 't=,v1={mac:0}', 't=,v1={mac:NaN}']],
    't-not-a-number': [
      'a t that is not a number',
      ['t=now,v1={mac}', 't=now,v1={mac:now}', 't=now,v1={mac:NaN}', 't=NaN,v1={mac:NaN}'],
      'Check that t is a number before comparing times: NaN is neither too old nor too new.',
    ],
  },
  age: {
    't-zero': [
      'a t of 0',
      ['t=0,v1={mac:0}', 't=0000000000000,v1={mac:0000000000000}'],
      'Check whether t is present, not whether it is truthy: 0 is a time, and an old one.',
    ],
  },
});

/** Both are fresh. */
const twoTimes = rowChecks('refuse', 'refuses', REDATED, {
  time: {
    'two-t': [
      'two t, of which the second or the first is signed',
      [
        ({ t, mac }) => `t=${Number(t) - 1},t=${t},v1=${mac}`,
        ({ t, mac }) => `t=${t},t=${Number(t) + 1},v1=${mac}`,
      ],
    ],
  },
});

const otherVersions = rowChecks('refuse', 'refuses', OUTDATED, {
  unsigned: {
    'unknown-version-only': [
      'the right digest under v0 and v2, without v1',
      't={t},v0={mac},v2={mac}',
    ],
  },
});

// Deliveries that should be refused, or should be accepted.

const better = rowChecks('advice', 'advises', EXACT, {
  form: {
    't-in-seconds': [
      't in seconds, and signed so',
      ({ t, macFor }) => `t=${t.slice(0, -3)},v1=${macFor(t.slice(0, -3))}`,
    ],
    't-with-letters': [
      'a t with letters after its digits, and signed so',
      ({ t, macFor }) => `t=${t}ms,v1=${macFor(`${t}ms`)}`,
    ],
    'no-dot': [
      'a v1 over t and the body without the dot between them',
      ({ t, body, hmac }) => `t=${t},v1=${hmac('sha256', t, body)}`,
    ],
    'body-only-mac': [
      'a v1 over the body alone',
      ({ t, body, hmac }) => `t=${t},v1=${hmac('sha256', body)}`,
    ],
    sha1: [
      'a v1 made with SHA-1',
      ({ t, body, hmac }) => `t=${t},v1=${hmac('sha1', `${t}.`, body)}`,
    ],
    sha512: [
      'a v1 made with SHA-512',
      ({ t, body, hmac }) => `t=${t},v1=${hmac('sha512', `${t}.`, body)}`,
    ],
    'upper-case-hex': [
      'a v1 in upper-case hex',
      {
        ...part(({ t, mac }) => `t=${t},v1=${mac.toUpperCase()}`),
        // A digit has no case, so both ends have to be letters, or part of it may be correct.
        suits: (mac) => /^[a-f].*[a-f]$/.test(mac),
      },
    ],
    'byte-order-mark': [
      'a body with a byte order mark that is not signed',
      { sent: (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]) },
    ],
  },
});

const lax = rowChecks('advice', 'tolerates', FRAGILE, {
  tolerance: {
    'white-space-in-header': ['white space after the comma of the header', 't={t}, v1={mac}'],
    'v1-before-t': ['v1 before t', 'v1={mac},t={t}'],
    'unknown-key': ['a key that does not exist yet, between t and v1', 't={t},kid=7,v1={mac}'],
    'unknown-version-too': ['a v2 beside the right v1', 't={t},v2={wrong},v1={mac}'],
    'header-name-case': [
      'the names of the headers in capitals',
      { named: (name) => name.toUpperCase() },
    ],
  },
});

export const receiverChecks: readonly Check[] = [
  ...[accepted, forged, replayed, notTimes, twoTimes, otherVersions, better, lax].flat(),
];

/** The checks that can be sent with any body, by their names without `RCV-refuses-` and so on. */
export const tamperings: ReadonlyMap<string, Check> = new Map(
  receiverChecks.flatMap((check) => {
    const { event, print, form, ...rest } = check.difference ?? {};
    const isOfAnyBody = [event, print, form].every((each) => each === undefined);
    if (!isOfAnyBody || Object.keys(rest).length === 0) return [];
    return [[check.id.replace(/^RCV-[a-z]+-/, ''), check] as const];
  }),
);

/** The groups that are played; a valid delivery follows each. */
export const groupsInOrder: readonly Group[] = ['accept', 'refuse', 'advice'];

/** Including checks over many deliveries, and those that need a probe of side effects. */
export const allChecks: readonly Check[] = [...receiverChecks, ...mannerChecks, ...effectChecks];

/** The checks of a run; side effects are judged only if a probe counts them. */
export function checksOf(effects: boolean, selection: Selection = EVERYTHING): readonly Check[] {
  const checks = effects ? allChecks : [...receiverChecks, ...mannerChecks];
  return checks.filter(({ id }) => isSelected(id, selection));
}

/** The most deliveries that a run sends to a receiver that responds to all of them. */
export function maxDeliveries(effects: boolean, selection: Selection = EVERYTHING): number {
  const names = { signature: 'signature', subscription: 'subscription' };
  const signing = { secret: 'none', previousSecret: null, names, mark: 'none' };
  const manners = new Set(mannerChecks.map(({ id }) => id));
  const own = checksOf(effects, selection).filter(({ id }) => !manners.has(id));
  const probes = own.reduce((sum, check) => sum + check.probes(signing).length, 0);
  const groups = groupsInOrder.filter((group) => own.some((check) => check.group === group));
  return probes + 1 + groups.length;
}
