// Finds out how the texts of a delivery were made, so that a script can make them anew: times by
// their distance from now, digests by their key and message.
import { createHash, createHmac } from 'node:crypto';
import type { Probe } from './check.ts';
import { shiftDigits } from './checks/draw-probe.ts';
import type { SigningOptions } from './delivery.ts';

/** What a script has at hand for one delivery. */
export interface DerivationContext {
  /** Shell variable by the text of a time. */
  readonly times: ReadonlyMap<string, string>;
  /** File by what it holds. */
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** Keys that are no secret: what a receiver without a proper one might use. */
const plainKeys = ['', 'undefined', 'null', 'whsec_another', 'whsec_before'];

/** The times of a delivery: in its header lines, and that under which it was signed. */
export function timesOf(lines: readonly string[], { signed }: Probe): readonly string[] {
  const found = lines.flatMap((line) =>
    [...line.matchAll(/\bt=([1-9]\d{8,})/g)].map(([, t = '']) => t),
  );
  return [...new Set([...(signed === undefined ? [] : [signed.t]), ...found])];
}

/** A time as shell arithmetic on `now`, in milliseconds. */
export function timeExpression(t: string, nowMs: number): string {
  if (t.length < 12) return 'now / 1000';
  // Drawing and writing take some milliseconds that are not meant.
  const ageMs = Math.round((nowMs - Number(t)) / 1000) * 1000;
  if (ageMs === 0) return 'now';
  return ageMs > 0 ? `now - ${ageMs}` : `now + ${-ageMs}`;
}

interface Derivation {
  readonly hex: string;
  /** A shell command that prints it. */
  readonly command: string;
}

/** A signature header line as a word for the shell, between double quotes. */
export function lineExpression(
  line: string,
  ground: DerivationContext,
  signing: SigningOptions,
): string {
  return line
    .split(/([0-9a-fA-F]{32,})/)
    .map((part, at) =>
      at % 2 === 1
        ? digestExpression(part, ground, signing)
        : part.replace(/\bt=([1-9]\d{8,})/g, (_, t: string) => `t=\${${ground.times.get(t) ?? t}}`),
    )
    .join('');
}

/** Throws when nothing makes it: then a check sends what a script cannot. */
export function digestExpression(
  hex: string,
  ground: DerivationContext,
  signing: SigningOptions,
): string {
  for (const recipe of derivations(ground, signing)) {
    const found = formOf(hex, recipe);
    if (found !== null) return found;
  }
  throw new Error(`no recipe makes the digest ${hex}`);
}

/** Texts that stand in the place of t, the empty one last: it is what an absent t comes to. */
const plainTimes = ['0', '0000000000000', 'now', 'NaN', 'undefined', 'null', 'None', ''];

/** The starts of messages by how a shell prints a message with them. */
function startsOf(times: DerivationContext['times']): readonly { start: string; print: string }[] {
  const known = [...times];
  return [
    ...known.map(([t, variable]) => ({ start: `${t}.`, print: `message "$${variable}"` })),
    ...plainTimes.map((t) => ({ start: `${t}.`, print: `message '${t}'` })),
    ...known.map(([t, variable]) => ({ start: `${t}ms.`, print: `message "\${${variable}}ms"` })),
    ...known.map(([t, variable]) => ({ start: t, print: `undotted "$${variable}"` })),
  ];
}

function* derivations(
  { times, files }: DerivationContext,
  signing: SigningOptions,
): Generator<Derivation> {
  const keys = [
    { key: signing.secret, word: '"$SECRET"' },
    ...plainKeys.map((key) => ({ key, word: `'${key}'` })),
  ];
  for (const { name, bytes } of files) {
    const file = `"$work/${name}"`;
    const messages = [
      ...startsOf(times).map(({ start, print }) => ({
        bytes: Buffer.concat([Buffer.from(start), bytes]),
        print: `${print} ${file}`,
      })),
      { bytes, print: `cat ${file}` },
    ];
    for (const message of messages) {
      for (const algorithm of ['sha256', 'sha1', 'sha512']) {
        for (const { key, word } of keys) {
          const hex = createHmac(algorithm, key).update(message.bytes).digest('hex');
          yield { hex, command: `${message.print} | hmac ${algorithm} ${word}` };
        }
      }
      const hex = createHash('sha256').update(message.bytes).digest('hex');
      yield { hex, command: `${message.print} | digest` };
    }
  }
}

/** The whole digest, or the part or the change of it that a check sends. */
function formOf(wanted: string, { hex, command }: Derivation): string | null {
  const printed = `$(${command})`;
  const through = (change: string) => `$(${command} | ${change})`;
  if (wanted === hex) return printed;
  if (wanted.length < 64 && hex.startsWith(wanted)) return through(`cut -c 1-${wanted.length}`);
  if (wanted === `${hex}00`) return `${printed}00`;
  if (wanted === hex.toUpperCase()) return through('tr a-f A-F');
  if (wanted === shiftDigits(hex)) return through('unlike');
  return changedForm(wanted, hex, through);
}

/** One run of its digits is changed. */
function changedForm(
  wanted: string,
  hex: string,
  through: (change: string) => string,
): string | null {
  if (wanted.length !== hex.length) return null;
  const differs = [...hex].flatMap((digit, at) => (digit === wanted[at] ? [] : [at]));
  const [from = 0, to = from] = [differs.at(0), differs.at(-1)];
  const count = to + 1 - from;
  if (wanted.slice(from, to + 1) !== shiftDigits(hex.slice(from, to + 1))) return null;
  return through(`altered ${from} ${count}`);
}
