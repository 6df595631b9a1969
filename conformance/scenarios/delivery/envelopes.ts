// Deliveries as envelopes. The specification only names `id`; the sequence number is recognised by its
// value (NS-9).
import { idText, isObject, type Json, memberAt, parseJson } from '../../engine/send/json.ts';
import type { Operator } from '../../providers/control-plane.ts';

export type Envelope = { readonly [name: string]: Json };

/** Anything with a body: a raw delivery, or one with its number in the report. */
export interface Bodied {
  readonly body: Uint8Array;
}

const decoder = new TextDecoder();

export function textOf({ body }: Bodied): string {
  return decoder.decode(body);
}

/** The JSON object of a delivery; undefined if its body is not one. */
export function envelopeIn(delivered: Bodied): Envelope | undefined {
  return envelopeOf(textOf(delivered));
}

export function envelopeOf(text: string): Envelope | undefined {
  const json = parseJson(text);
  return isObject(json) ? json : undefined;
}

/** NS-12: a message may be an envelope, a list of them, or hold one. */
export function envelopesIn(text: string): Envelope[] {
  const json = parseJson(text);
  if (json === undefined) return [];
  const found: Envelope[] = [];
  const look = (value: Json, depth: number) => {
    if (value === null || typeof value !== 'object') return;
    if (!Array.isArray(value) && eventIdOf(value) !== undefined) found.push(value);
    else if (depth > 0) for (const inner of Object.values(value)) look(inner, depth - 1);
  };
  look(json, 2);
  return found;
}

/** NS-12: the control plane may name the path of the target. */
export async function eventsPathOf(operator: Operator): Promise<string> {
  const { events_path: path } = await operator.settings();
  return typeof path === 'string' && path.startsWith('/') ? path : '/api/v1/events';
}

/** The id by which consumers deduplicate side effects. */
export function eventIdOf(envelope: Envelope | undefined): string | undefined {
  return idText(envelope?.id);
}

/** Larger than any count of events, smaller than any time in milliseconds. */
const LARGEST_SEQUENCE = 9e11;

/**
 * The members that can be the sequence number: integers that increase from each of these envelopes to
 * the next, and that are neither ids nor times. The envelopes are in the order of their events.
 */
export function sequenceNames(envelopes: readonly Envelope[]): string[] {
  const [first, ...rest] = envelopes;
  if (first === undefined || rest.length === 0) return [];
  const grows = (name: string) => {
    const values = envelopes.map((each) => sequenceAt(each, name));
    return values.every((value, at) => {
      const before = at === 0 ? -1 : values[at - 1];
      return value !== undefined && before !== undefined && value > before;
    });
  };
  return numberNames(first).filter(grows);
}

/** The members that may be the sequence number, including `meta.seq` of a nested envelope. */
export function numberNames(envelope: Envelope): string[] {
  const names = Object.entries(envelope).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
  return names.filter((name) => !/id$/i.test(name) && sequenceAt(envelope, name) !== undefined);
}

/** A number, or a string of digits for a service that writes its numbers as strings. */
export function sequenceAt(envelope: Envelope, name: string): number | undefined {
  const value = memberAt(envelope, name);
  const digits = typeof value === 'string' && /^[0-9]{1,15}$/.test(value);
  const number = typeof value === 'number' ? value : digits ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number < LARGEST_SEQUENCE ? number : undefined;
}
