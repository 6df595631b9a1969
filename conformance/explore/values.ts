// Makes the values of a sequence concrete for one play of it.
import { createHash } from 'node:crypto';
import { type Json, memberAt } from '../engine/send/answer.ts';
import { nameText } from './play/outcome.ts';
import type { PhoneForm, RoleHas, Symbolic, Value } from './sequence.ts';

/** What is known while a sequence is played. */
export interface Known {
  /** In every fresh text of this play. */
  readonly nonce: string;
  /** The count of a call that is made many times. */
  readonly row?: number | undefined;
  /** The JSON that a step was answered with; undefined when there is none. */
  answer(step: number): Json | undefined;
  header(step: number, name: string): string | undefined;
  has(role: string, what: RoleHas): string | undefined;
}

/** Instead of what an earlier step should have brought and did not. */
export const MISSING = '999999999999';

/** A tag of no account: in quotes, since which of two faults is said first is open (NS-17). */
export const MISSING_TAG = `"${MISSING}"`;

const symbols = [
  '$fresh',
  '$of',
  '$header',
  '$role',
  '$phone',
  '$join',
  '$case',
  '$number',
  '$rows',
] as const;

function isSymbolic(value: unknown): value is Symbolic {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return symbols.some((name) => Object.hasOwn(value, name));
}

/** The value as JSON. */
export function resolve(value: Value, known: Known, row: number | undefined = known.row): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.flatMap((each) => spread(each as Value, known, row));
  if (isSymbolic(value)) return resolveSymbol(value, known, row);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, resolve(each as Value, known, row)]),
  );
}

/** The value as a text: an id in a path, a key, a header. */
export function resolveText(value: Value, known: Known): string {
  const json = resolve(value, known);
  return typeof json === 'string' ? nameText(json) : JSON.stringify(json);
}

/** Rows stand for as many entries of the list that they are in. */
function spread(value: Value, known: Known, row: number | undefined): Json[] {
  if (!isSymbolic(value) || !('$rows' in value)) return [resolve(value, known, row)];
  return Array.from({ length: value.$rows }, (_, at) => resolve(value.of, known, at));
}

function resolveSymbol(value: Symbolic, known: Known, row: number | undefined): Json {
  if ('$fresh' in value) return freshText(value, known.nonce, row);
  if ('$of' in value) return memberAt(known.answer(value.$of), value.at) ?? MISSING;
  if ('$header' in value) return known.header(value.$header, value.name) ?? MISSING_TAG;
  if ('$role' in value) return known.has(value.$role, value.has) ?? MISSING;
  if ('$phone' in value) return phoneText(known.nonce, value.$phone, value.form);
  if ('$join' in value) return value.$join.map((each) => textOf(each, known, row)).join('');
  if ('$rows' in value) return spread(value, known, row);
  if ('$number' in value) return Number(textOf(value.$number, known, row));
  const text = textOf(value.of, known, row);
  return value.$case === 'upper' ? text.toUpperCase() : text.toLowerCase();
}

function textOf(value: Value, known: Known, row: number | undefined): string {
  const json = resolve(value, known, row);
  return typeof json === 'string' ? json : JSON.stringify(json);
}

/** Of exactly `length` characters when given, counted in code points. */
function freshText(
  { $fresh, length, fill = 'x' }: Extract<Symbolic, { $fresh: string }>,
  nonce: string,
  row: number | undefined,
): string {
  const text = `${$fresh.replace('$i', String(row ?? 0))}-${nonce}`;
  if (length === undefined) return text;
  const missing = length - [...text].length;
  if (missing <= 0) return [...text].slice(0, length).join('');
  const filling = [...fill];
  const whole = Math.floor(missing / filling.length);
  return text + fill.repeat(whole) + filling.slice(0, missing % filling.length).join('');
}

/** ACC-11: a British mobile number, of which there are plenty, in the spelling asked for. */
function phoneText(nonce: string, stem: string, form: PhoneForm): string {
  const digest = createHash('sha256').update(`${stem} ${nonce}`).digest();
  const digits = String(digest.readUIntBE(0, 6) % 100_000_000).padStart(8, '0');
  const mobile = `7${4 + (digest[7]! % 2)}${digits}`;
  const parted = `${mobile.slice(0, 4)} ${mobile.slice(4, 7)} ${mobile.slice(7)}`;
  switch (form) {
    case 'sibling':
      return `+447${9 - Number(mobile[1])}${digits}`;
    case 'e164':
      return `+44${mobile}`;
    case 'spaced':
      return `+44 ${parted}`;
    case 'dashes':
      return `(+44) ${parted.replaceAll(' ', '-')}`;
    case 'zeros':
      return `0044${mobile}`;
    case 'national':
      return `0${parted}`;
    case 'spread':
      return `+44 - ${[...mobile].join('  ')}`;
  }
}
