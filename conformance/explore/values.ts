// Makes the values of a sequence concrete for one play of it.
import { createHash } from 'node:crypto';
import { type Json, memberAt, writeJson } from '../engine/send/json.ts';
import type { PhoneForm, RoleHas, Symbolic, Value } from './sequence.ts';

/** State that is known while a sequence is played. */
export interface Known {
  readonly nonce: string;
  /** The index of a call that is repeated many times. */
  readonly row?: number | undefined;
  answer(step: number): Json | undefined;
  header(step: number, name: string): string | undefined;
  has(role: string, what: RoleHas): string | undefined;
}

/** Replaces a value that an earlier step should have returned and did not. */
export const MISSING = '999999999999';
/** A tag of no account: quoted, because which of two faults is reported first is open (NS-17). */
export const MISSING_TAG = `"${MISSING}"`;

const isSymbolic = (value: object): value is Symbolic =>
  !Array.isArray(value) && Object.keys(value).some((name) => name.startsWith('$'));

export function resolve(value: Value, known: Known, row = known.row): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.flatMap((each) => spread(each as Value, known, row));
  if (isSymbolic(value)) return resolveSymbol(value, known, row);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, resolve(each as Value, known, row)]),
  );
}

export function resolveText(value: Value, known: Known, row = known.row): string {
  const json = resolve(value, known, row);
  return typeof json === 'string' ? json : writeJson(json);
}

/** Replaces a row placeholder with its entries, in the list that contains it. */
function spread(value: Value, known: Known, row: number | undefined): Json[] {
  if (!('$rows' in Object(value))) return [resolve(value, known, row)];
  const { $rows, of } = value as Extract<Symbolic, { $rows: number }>;
  return Array.from({ length: $rows }, (_, at) => resolve(of, known, at));
}

function resolveSymbol(value: Symbolic, known: Known, row: number | undefined): Json {
  if ('$fresh' in value) return freshText(value, known.nonce, row);
  if ('$of' in value) return memberAt(known.answer(value.$of), value.at) ?? MISSING;
  if ('$header' in value) return known.header(value.$header, value.name) ?? MISSING_TAG;
  if ('$role' in value) return known.has(value.$role, value.has) ?? MISSING;
  if ('$phone' in value) return phoneText(known.nonce, value.$phone, value.form);
  if ('$join' in value) return value.$join.map((each) => resolveText(each, known, row)).join('');
  if ('$rows' in value) return spread(value, known, row);
  const text = resolveText(value.of, known, row);
  return value.$case === 'upper' ? text.toUpperCase() : text.toLowerCase();
}

/** Has exactly `length` characters if given, counted in code points. */
function freshText(
  { $fresh, length, fill = 'x' }: Extract<Symbolic, { $fresh: string }>,
  nonce: string,
  row = 0,
): string {
  const text = `${$fresh.replace('$i', String(row))}-${nonce}`;
  if (length === undefined) return text;
  const letters = [...text, ...fill.repeat(Math.max(0, length - text.length))];
  return letters.slice(0, length).join('');
}

/** ACC-11: a British mobile number, because there are plenty, in the requested notation. */
function phoneText(nonce: string, stem: string, form: PhoneForm): string {
  const digest = createHash('sha256').update(`${stem} ${nonce}`).digest();
  const digits = String(digest.readUIntBE(0, 6) % 100_000_000).padStart(8, '0');
  const mobile = `7${4 + (digest[7]! % 2)}${digits}`;
  const parted = `${mobile.slice(0, 4)} ${mobile.slice(4, 7)} ${mobile.slice(7)}`;
  const forms: Readonly<Record<PhoneForm, string>> = {
    e164: `+44${mobile}`,
    spaced: `+44 ${parted}`,
    dashes: `(+44) ${parted.replaceAll(' ', '-')}`,
    national: `0${parted}`,
    sibling: `+447${9 - Number(mobile[1])}${digits}`,
  };
  return forms[form];
}
