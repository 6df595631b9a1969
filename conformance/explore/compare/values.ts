// Compares JSON values: each shape defines how a member of the target's answer relates to the model's.
import { isDeepStrictEqual } from 'node:util';
import { idText, type Json, printJson } from '../../engine/send/json.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { REDACTED } from '../../reports/redact.ts';
import { isNumber } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import type { Match, Space } from './match.ts';

/** The two players of a comparison. */
export interface Sides {
  readonly target: Player;
  readonly model: Player;
}

export interface Comparing extends Sides {
  readonly match: Match;
  /** The target's time minus the model's time. */
  readonly offsetMs: number;
  readonly toleranceMs: number;
  /** The target's clock is frozen, so that everything in flight has arrived before a read. */
  readonly isSteady: boolean;
  /** NS-9: the member of an envelope that holds its number. */
  readonly seqName: string;
  /** NS-24: the target writes phones in a form that the model does not know. */
  readonly isPhoneFormOpen?: boolean;
  /** NS-11: the events that both sides send; undefined: all of them. */
  readonly comparedEvents?: RegExp | undefined;
  /** NS-25: if the model names accounts differently, whether a text may be a name from an email. */
  readonly mayBeAfterEmail?: ((text: string) => boolean) | undefined;
  /** NS-3: money settles as soon as it is approved. */
  readonly settlesAtOnce?: boolean;
  /** The numbers that each side has delivered, ascending, and whether nothing has failed. */
  readonly delivered?: () => Delivered;
  /** One of several concurrent calls, so events of the others may be in flight. */
  readonly isAtOnce?: boolean;
  /** Only one side had an effect, so the events of the two have different numbers. */
  readonly isParted?: () => boolean;
  /** Entries of a list in which an open difference was found. */
  readonly ignored?: ReadonlyMap<string, unknown>;
  /** Whether the state of a record, by its id on the target, may differ between the sides. */
  readonly isPartedRecord?: (id: string) => boolean;
}

interface Delivered {
  readonly target: readonly number[];
  readonly model: readonly number[];
  readonly isAll: boolean;
}

const NOTHING: Delivered = { target: [], model: [], isAll: true };

/** The place where two values differ, and the value on each side. */
export interface Mismatch {
  readonly at: string;
  readonly target: string;
  readonly model: string;
  /** The rule about the form of such a value, if the target's value does not have that form. */
  readonly form?: string;
}

type Value = Json | undefined;

export type Shape = (
  target: Value,
  model: Value,
  at: string,
  comparing: Comparing,
) => Mismatch | null;

export interface RecordShape {
  readonly members: Readonly<Record<string, Shape>>;
}

const unlike = (at: string, target: Value, model: Value): Mismatch => ({
  ...{ at, target: shown(target), model: shown(model) },
});

/** Null and undefined have to be equal; `isAlike` compares all other values. */
const leaf =
  (isAlike: (target: Json, model: Json, comparing: Comparing) => boolean): Shape =>
  (target, model, at, comparing) => {
    const isNone = target == null || model == null;
    const alike = isNone ? target === model : isAlike(target, model, comparing);
    return alike ? null : unlike(at, target, model);
  };

/** A shape whose values have the form that this rule requires, whatever the operation. */
const inForm =
  (form: string, hasForm: (target: Json, model: Json) => boolean, shape: Shape): Shape =>
  (target, model, at, comparing) => {
    const found = shape(target, model, at, comparing);
    const isOdd = target != null && model != null && !hasForm(target, model);
    return found !== null && isOdd ? { ...found, form } : found;
  };

const isText = (value: Value): value is string => typeof value === 'string' && value !== '';

export const open: Shape = () => null;
export const same = leaf(isDeepStrictEqual);
/** ACC-6: a reference, in any case in which it was first sent. */
export const reference = leaf((target, model) => lower(target) === lower(model));
const lower = (value: Json): string => String(value).toLowerCase();
/** A name or a currency, which need not be stored exactly as sent. */
export const folded = leaf((target, model) => plainForm(target) === plainForm(model));
const plainForm = (value: Json): Json =>
  typeof value === 'string' ? value.normalize('NFKC').trim().toLowerCase() : value;
/** ERR-1a: a text, which the service chooses; it may be empty. */
export const wording = leaf((target, model) => typeof target === typeof model);
/** Text or null like the model; the service chooses the wording. */
const words = leaf(
  (target, model) => typeof target === typeof model && (target === '') === (model === ''),
);
export const name = (space: Space): Shape => {
  const hasForm = (target: Json, model: Json) => {
    const id = isNumber(target) === isNumber(model) ? idText(target) : undefined;
    // CONV-1a: an id is a decimal string wherever the model's is one.
    return id !== undefined && (space === 'url' || /^\d+$/.test(id));
  };
  const isPaired = leaf(
    (target, model, { match }) =>
      hasForm(target, model) && match.pair(space, String(target), String(model)),
  );
  return inForm('CONV-1a', hasForm, isPaired);
};
/** The same members in any order. */
export const set = leaf((target, model) => {
  if (!Array.isArray(target) || !Array.isArray(model)) return false;
  return isDeepStrictEqual([...new Set(target)].sort(), [...new Set(model)].sort());
});
const isAtTime = leaf((target, model, { offsetMs, toleranceMs }) => {
  if (typeof target !== 'number' || typeof model !== 'number') return false;
  // CONV-4: the unit is milliseconds; the resolution of the clock is not specified.
  const tickMs = target % 1000 === 0 ? 1000 : 0;
  return Number.isInteger(target) && Math.abs(target - model - offsetMs) <= toleranceMs + tickMs;
});
/** A time in another unit is far from every time in milliseconds. */
const isInMs = (target: Json, model: Json) =>
  Number.isInteger(target) && Number(target) > Number(model) / 100;
export const time = inForm('CONV-4', isInMs, isAtTime);

/** Compared by value, up to two decimals and fifteen digits. */
const isSameAmount = leaf((target, model) => {
  if (typeof target !== 'string' || typeof model !== 'string') return target === model;
  if (!/^-?\d+(\.\d+)?$/.test(target)) return target === model;
  const [whole = '', part = ''] = model.replace('-', '').split('.');
  if (part.length > 2 || whole.length + part.length > 15) return true;
  return normalDecimal(target) === normalDecimal(model);
});
/** CONV-2a: a decimal string wherever the model's is one. */
export const amount = inForm('CONV-2a', (target) => typeof target === 'string', isSameAmount);

export function normalDecimal(text: string): string {
  const [, sign = '', whole = '', part = ''] =
    /^(-?)(?:0+(?=\d))?(0|[1-9]\d*)(?:\.((?:\d*[1-9])?)0*)?$/.exec(text) ?? [];
  const value = part === '' ? whole : `${whole}.${part}`;
  return value === '0' ? '0' : `${sign}${value}`;
}

/** Revision numbers are compared per record, elsewhere. */
export const revision: Shape = (target, model, at) => {
  const alike =
    model == null ? target === model : typeof target === 'bigint' || Number.isInteger(target);
  return alike ? null : unlike(at, target, model);
};

/**
 * EVT-10a: the number of the same event, if it was delivered on both sides. After a failure the last
 * delivered number and the number before the gap are both right (NS-28).
 */
export const sequenceNumber = leaf((target, model, comparing) => {
  const { isSteady, delivered, isAtOnce = false, comparedEvents } = comparing;
  if (!Number.isInteger(target)) return false;
  if (!isSteady || isAtOnce || comparedEvents !== undefined) return true;
  if (comparing.isParted?.() === true) return true;
  const { target: own, model: other, isAll } = delivered?.() ?? NOTHING;
  if (!isAll) return Number(target) >= 0 && Number(target) <= Math.max(0, ...own);
  if ((target === 0) !== (model === 0)) return false;
  const due = own[other.indexOf(Number(model))];
  return due === undefined || due === target;
});

/** HOOK-3: a report must not contain a secret, so it only says which of two is new. */
export const secret: Shape = (target, model, at, { match }) => {
  if (target === model && !isText(target)) return null;
  if (isText(target) && isText(model) && match.pair('secret', target, model)) return null;
  const of = (value: Value, isKnown: boolean) =>
    !isText(value) ? shown(value) : isKnown ? 'one given before' : 'a new one';
  return {
    at,
    target: of(target, match.modelOf('secret', String(target)) !== undefined),
    model: of(model, match.targetOf('secret', String(model)) !== undefined),
  };
};

/** EVT-11: required if the target of a subscription was at fault; after a request it is open. */
export const reason: Shape = (target, model, at, comparing) => {
  const isByRequest = typeof model === 'string' && /by request/i.test(model);
  return isByRequest && (target === null || isText(target))
    ? null
    : words(target, model, at, comparing);
};

/** NS-24: the same number; in the same form if the model knows the target's form. */
export const phone: Shape = (target, model, at, comparing) => {
  const isPlain = typeof model === 'string' && /^\+?[1-9]\d{7,14}$/.test(model);
  // The form of a number that cannot be parsed as one of a country is open.
  if (target === undefined || (comparing.isPhoneFormOpen !== true && isPlain)) {
    return same(target, model, at, comparing);
  }
  const [own, other] = [digitsOf(target), digitsOf(model)];
  const alike = own === other && (own !== '') === isText(target);
  return alike ? null : unlike(at, target, model);
};

/** Without the zeros that may precede the country code. */
const digitsOf = (value: Value): string =>
  String(value ?? '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');

/** NS-25: as sent, or derived from the email if the account was given no name. */
export const personName: Shape = (target, model, at, comparing) => {
  const { mayBeAfterEmail } = comparing;
  const isAfterEmail = (value: Value) =>
    isText(value) ? mayBeAfterEmail?.(value) === true : (value ?? '') === '';
  const areBoth = mayBeAfterEmail !== undefined && isAfterEmail(target) && isAfterEmail(model);
  return areBoth ? null : folded(target, model, at, comparing);
};

/** BULK-5: the code or the wording of a refused row; in a successful row it is open. */
export const rowRefusal =
  (isWords: boolean): Shape =>
  (target, model, at, comparing) =>
    model === null || (isWords && isText(target)) ? null : same(target, model, at, comparing);

/** Compared if the target has it: the specification does not require it. */
export const ifThere =
  (shape: Shape): Shape =>
  (target, model, at, comparing) =>
    target === undefined ? null : shape(target, model, at, comparing);

/** Members that are forbidden if the model has none of them, by their rules. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  ...{ email: 'ACC-18', secret: 'HOOK-3', reason: 'TXN-9', provider: 'TXN-9' },
  ...{ provider_reference: 'TXN-9', operator: 'TXN-9', reasoning: 'TXN-9' },
};

const isRecord = (value: Value): value is { [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const record =
  ({ members }: RecordShape): Shape =>
  (target, model, at, comparing) => {
    if (!isRecord(target) || !isRecord(model)) return same(target, model, at, comparing);
    for (const [member, shape] of Object.entries(members)) {
      const found = shape(target[member], model[member], `${at}.${member}`, comparing);
      if (found !== null) return found;
    }
    const leaked = Object.keys(FORBIDDEN).find(
      (each) => Object.hasOwn(target, each) && !Object.hasOwn(model, each),
    );
    if (leaked === undefined) return null;
    const isSecret = leaked === 'secret' && isText(target[leaked]);
    const value = isSecret ? REDACTED : shown(target[leaked]);
    const form = FORBIDDEN[leaked]!;
    return { at: `${at}.${leaked}`, target: value, model: 'no such member', form };
  };

export const list =
  (shape: Shape): Shape =>
  (target, model, at, comparing) => {
    if (!Array.isArray(target) || !Array.isArray(model)) return unlike(at, target, model);
    if (target.length !== model.length) {
      return { at, target: `${target.length} entries`, model: `${model.length} entries` };
    }
    for (const [index, each] of target.entries()) {
      if (comparing.ignored?.has(`${at}.${index}`)) continue;
      const found = shape(each, model[index], `${at}.${index}`, comparing);
      if (found !== null) return found;
    }
    return null;
  };

/** A page of records under any name; only records of the sequence are compared. */
export interface Page {
  readonly by: string;
  readonly space: Space;
  readonly of: RecordShape;
}

/** NS-2, NS-7: the value if it is a list, or the first list at any depth of an object. */
export function listIn(value: Value): Value {
  if (!isRecord(value)) return value;
  const inner = Object.values(value);
  return inner.find((each) => Array.isArray(each)) ?? inner.map(listIn).find(Array.isArray);
}

/** A page that is cut off is full: it has a round number of records, at least this many. */
const isFullPage = ({ length }: readonly Json[]): boolean => length >= 10 && length % 5 === 0;

/** A list also has records of other clients; paired records are compared in both directions. */
export const page =
  (listed: Page): Shape =>
  (whole, wholeModel, at, comparing) => {
    const [target, model] = [listIn(whole), listIn(wholeModel)];
    if (!Array.isArray(target) || !Array.isArray(model)) return unlike(at, target, model);
    return comparePage(listed, target, model, at, comparing);
  };

function comparePage(
  { by, space, of }: Page,
  target: readonly Json[],
  model: readonly Json[],
  at: string,
  comparing: Comparing,
): Mismatch | null {
  const { match, isSteady } = comparing;
  const idOf = (each: Json) => (isRecord(each) ? String(each[by]) : '');
  const ids = target.map(idOf);
  const isOthers = (id: string) => match.modelOf(space, id) === undefined;
  // NS-2: if the list has records of other clients too, a record may be on another page.
  const mayBeCut =
    space !== 'subscription' && (!isSteady || (isFullPage(target) && ids.some(isOthers)));
  const wrong = (own: string, due: string) => ({ at, target: own, model: due });
  const met = model.flatMap((each) => {
    const id = match.targetOf(space, idOf(each));
    return id === undefined ? [] : [{ each, id }];
  });
  const isCompared = ({ id }: { readonly id: string }) =>
    !match.isSetUp(space, id) && comparing.isPartedRecord?.(id) !== true;
  for (const { each, id } of met.filter(isCompared)) {
    const [first, ...more] = target.filter((row) => idOf(row) === id);
    if (more.length > 0) {
      return wrong(`${space} ${id} ${more.length + 1} times`, `${space} ${id}`);
    }
    if (first === undefined && mayBeCut) continue;
    if (first === undefined) return wrong(`no ${space} ${id}`, `${space} ${id}`);
    const found = record(of)(first, each, `${at}.*`, comparing);
    if (found !== null) return found;
  }
  const due = new Set(met.map(({ id }) => id));
  const more = ids.find((id) => !due.has(id) && !isOthers(id));
  if (more === undefined || comparing.isParted?.() === true) return null;
  return wrong(`${space} ${more}`, `no ${space} ${more}`);
}

/** For reports: JSON, shortened if it is long; a run of one letter is written as its length. */
export function shown(value: Value): string {
  if (value === undefined) return 'nothing';
  const text = squeezed(printJson(value));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
