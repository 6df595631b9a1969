// Compares two JSON values by the shape they should have.
import { isDeepStrictEqual } from 'node:util';
import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import type { Json } from '../../engine/send/answer.ts';
import { REDACTED } from '../../reports/redact.ts';
import { isNumber, nameText } from '../play/outcome.ts';
import { isSameAmount } from './amounts.ts';
import type { Match } from './match.ts';
import { FORBIDDEN, type Shape } from './shapes.ts';

export interface Comparing {
  readonly match: Match;
  /** Times of the target less times of the model. */
  readonly offsetMs: number;
  readonly toleranceMs: number;
  /** The target's clock stands, so that what is on its way has arrived when it is looked at. */
  readonly isSteady: boolean;
  /** NS-9: the member of an envelope that holds its number. */
  readonly seqName: string;
  /** NS-24: the target writes phones in a form that the model has not got. */
  readonly isPhoneFormOpen?: boolean;
  /** NS-11: in which other events are brought than the model's, and no names make them alike. */
  readonly openCategories?: readonly EventCategory[];
  /** NS-25: where the model does not name as the target does, what may be a name after an email. */
  readonly mayBeAfterEmail?: ((text: string) => boolean) | undefined;
  /** NS-3: money has arrived as soon as it is approved. */
  readonly settlesAtOnce?: boolean;
  /** The highest number that was delivered, and whether nothing has failed so far. */
  readonly delivered?: () => { readonly highest: number; readonly isAll: boolean };
  /** It is one of calls at once, so that events of the others may be on their way. */
  readonly isAtOnce?: boolean;
  /** Only one side has done something, so that events of the two have other numbers. */
  readonly isParted?: () => boolean;
}

/** Where two values differ, and how each reads there. */
export interface Mismatch {
  readonly at: string;
  readonly target: string;
  readonly model: string;
}

type Of<K extends Shape['kind']> = Extract<Shape, { readonly kind: K }>;

export function compareValue(
  shape: Shape,
  target: Json | undefined,
  model: Json | undefined,
  at: string,
  comparing: Comparing,
): Mismatch | null {
  const wrong = { at, target: shown(target), model: shown(model) };
  switch (shape.kind) {
    case 'open':
      return null;
    case 'if there':
      return target === undefined ? null : compareValue(shape.of, target, model, at, comparing);
    case 'refusal':
      if (model === null || (shape.words && isText(target ?? null))) return null;
      return isDeepStrictEqual(target, model) ? null : wrong;
    case 'record':
      return compareRecord(shape, target, model, at, comparing);
    case 'page':
      return compareKnown(shape, listIn(target), listIn(model), at, comparing);
    case 'list':
      return compareList(shape, target, model, at, comparing);
    case 'revision':
      // Which numbers they are is compared by the record they belong to.
      if (model === undefined || model === null) return target === model ? null : wrong;
      return typeof target === typeof model && Number.isInteger(target) ? null : wrong;
    case 'secret':
      return isLeafAlike(shape, target, model, comparing)
        ? null
        : { at, ...secretWords(target, model, comparing) };
    default:
      return isLeafAlike(shape, target, model, comparing) ? null : wrong;
  }
}

/** HOOK-3: the one who reads the report is none of those who may know it. */
const shownSecret = (value: Json | undefined): string =>
  isText(value ?? null) ? REDACTED : shown(value);

/** Of two secrets it is said which of them is new. */
function secretWords(
  target: Json | undefined,
  model: Json | undefined,
  { match }: Comparing,
): Pick<Mismatch, 'target' | 'model'> {
  const words = (value: Json | undefined, isKnown: boolean) =>
    !isText(value ?? null) ? shown(value) : isKnown ? 'one given before' : 'a new one';
  return {
    target: words(target, match.modelOf('secret', String(target)) !== undefined),
    model: words(model, match.targetOf('secret', String(model)) !== undefined),
  };
}

function isLeafAlike(
  shape: Shape,
  target: Json | undefined,
  model: Json | undefined,
  comparing: Comparing,
): boolean {
  if (isOpen(shape, target, model, comparing)) return true;
  if (target === null || model === null || target === undefined || model === undefined) {
    return target === model;
  }
  switch (shape.kind) {
    case 'reference':
      return String(target).toLowerCase() === String(model).toLowerCase();
    case 'words':
    case 'reason':
      return typeof target === typeof model && (target === '') === (model === '');
    case 'name':
      return areNames(shape, target, model, comparing);
    case 'secret':
      return isText(target) && isText(model) && comparing.match.pair('secret', target, model);
    case 'time':
      return isSameTime(target, model, comparing);
    case 'amount':
      return isSameAmount(target, model);
    case 'sequence number':
      return Number.isInteger(target) && isSameNumber(target, model, comparing);
    case 'set':
      return isSameSet(target, model);
    default:
      return isDeepStrictEqual(target, model);
  }
}

/** Where neither text nor null says anything. */
function isOpen(
  { kind }: Shape,
  target: Json | undefined,
  model: Json | undefined,
  comparing: Comparing,
): boolean {
  if (kind === 'reason') return isByRequest(model) && (target === null || isText(target ?? null));
  // NS-24: in which form a number stands that could not be read as one of a country is open.
  const isPlain = typeof model === 'string' && /^\+?[1-9]\d{7,14}$/.test(model);
  if (
    kind === 'phone' &&
    target !== undefined &&
    (comparing.isPhoneFormOpen === true || !isPlain)
  ) {
    const [own, other] = [target, model].map((each) => digitsOf(String(each ?? '')));
    return own === other && (own !== '') === (target !== null && target !== '');
  }
  if (kind !== 'person name') return false;
  return isAfterEmail(target, comparing) && isAfterEmail(model, comparing);
}

/** Without the zeros that a form may put before the country's number. */
const digitsOf = (phone: string): string => phone.replace(/\D/g, '').replace(/^0+/, '');

/** No name at all, or one made of an email: which of the two names has which is open. */
function isAfterEmail(name: Json | undefined, { mayBeAfterEmail }: Comparing): boolean {
  if (mayBeAfterEmail === undefined) return false;
  if (name === undefined || name === null || name === '') return true;
  return typeof name === 'string' && mayBeAfterEmail(name);
}

/** In the words of the model. */
const isByRequest = (reason: Json | undefined): boolean =>
  typeof reason === 'string' && /by request/i.test(reason);

const isText = (value: Json): value is string => typeof value === 'string' && value !== '';

function areNames({ space }: Of<'name'>, target: Json, model: Json, { match }: Comparing): boolean {
  if (isNumber(target) !== isNumber(model)) return false;
  if (typeof target === 'object' || typeof target === 'boolean') return false;
  const [own, other] = [nameText(target), nameText(model)];
  // CONV-1a: an id is a decimal string wherever the model's is one.
  if (space !== 'url' && !/^\d+$/.test(own)) return false;
  return match.pair(space, own, other);
}

function isSameTime(target: Json, model: Json, { offsetMs, toleranceMs }: Comparing): boolean {
  if (typeof target !== 'number' || typeof model !== 'number') return false;
  if (!Number.isInteger(target)) return false;
  // CONV-4: the scale is of milliseconds, and how finely a clock ticks on it no one says.
  const tickMs = target % 1000 === 0 ? 1000 : 0;
  return Math.abs(target - model - offsetMs) <= toleranceMs + tickMs;
}

/**
 * EVT-10a: the number of the same event, if that was delivered on both sides. After a failure the
 * last delivered and the number before the gap are both right (NS-28).
 */
function isSameNumber(target: Json, model: Json, comparing: Comparing): boolean {
  const { match, isSteady, delivered, isAtOnce = false, openCategories = [] } = comparing;
  if (!isSteady || isAtOnce || openCategories.length > 0) return true;
  if (comparing.isParted?.() === true) return true;
  const { highest, isAll } = delivered?.() ?? { highest: 0, isAll: true };
  if (!isAll) return Number(target) >= 0 && Number(target) <= highest;
  if ((target === 0) !== (model === 0)) return false;
  const due = match.targetOf('event number', String(model));
  return due === undefined || due === String(target);
}

function isSameSet(target: Json, model: Json): boolean {
  if (!Array.isArray(target) || !Array.isArray(model)) return false;
  return isDeepStrictEqual([...new Set(target)].sort(), [...new Set(model)].sort());
}

const isRecord = (value: Json | undefined): value is { [name: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function compareRecord(
  { members }: Of<'record'>,
  target: Json | undefined,
  model: Json | undefined,
  at: string,
  comparing: Comparing,
): Mismatch | null {
  if (!isRecord(target) || !isRecord(model)) {
    const alike = isDeepStrictEqual(target, model);
    return alike ? null : { at, target: shown(target), model: shown(model) };
  }
  for (const [name, shape] of Object.entries(members)) {
    const found = compareValue(shape, target[name], model[name], `${at}.${name}`, comparing);
    if (found !== null) return found;
  }
  for (const name of FORBIDDEN) {
    if (!Object.hasOwn(target, name) || Object.hasOwn(model, name)) continue;
    const given = name === 'secret' ? shownSecret(target[name]) : shown(target[name]);
    return { at: `${at}.${name}`, target: given, model: 'no such member' };
  }
  return null;
}

function compareList(
  { of }: Of<'list'>,
  target: Json | undefined,
  model: Json | undefined,
  at: string,
  comparing: Comparing,
): Mismatch | null {
  const wrong = { at, target: shown(target), model: shown(model) };
  if (!Array.isArray(target) || !Array.isArray(model)) return wrong;
  if (target.length !== model.length) {
    return { at, target: `${target.length} entries`, model: `${model.length} entries` };
  }
  for (const [index, each] of target.entries()) {
    const found = compareValue(of, each, model[index], `${at}.${index}`, comparing);
    if (found !== null) return found;
  }
  return null;
}

/** NS-2, NS-7: a list by itself, or the first one that an object holds at any depth. */
export function listIn(page: Json | undefined): Json | undefined {
  if (!isRecord(page)) return page;
  const inner = Object.values(page);
  return inner.find((each) => Array.isArray(each)) ?? inner.map(listIn).find(Array.isArray);
}

/** A page that is cut off is full: of this many records or more, and of a round number of them. */
const isFullPage = ({ length }: readonly Json[]): boolean => length >= 10 && length % 5 === 0;

/** Others' records are in a list too; those that stand for one another are compared, each way. */
function compareKnown(
  { by, space, of }: Of<'page'>,
  target: Json | undefined,
  model: Json | undefined,
  at: string,
  comparing: Comparing,
): Mismatch | null {
  if (!Array.isArray(target) || !Array.isArray(model)) {
    return { at, target: shown(target), model: shown(model) };
  }
  const { match, isSteady } = comparing;
  const idOf = (each: Json | undefined) => (isRecord(each) ? nameText(each[by]) : '');
  const byId = new Map(target.map((each) => [idOf(each), each]));
  const isOthers = (id: string) => match.modelOf(space, id) === undefined;
  const mayBeCut = isFullPage(target) && [...byId.keys()].some(isOthers);
  const seen = new Set<string>();
  for (const each of model) {
    const id = match.targetOf(space, idOf(each));
    if (id === undefined) continue;
    seen.add(id);
    if (match.isSetUp(space, id)) continue;
    const other = byId.get(id);
    // NS-2: where others' records are in it too, it may stand on another page.
    if (other === undefined && space !== 'subscription' && (!isSteady || mayBeCut)) continue;
    if (other === undefined) return { at, target: `no ${space} ${id}`, model: `${space} ${id}` };
    const times = target.filter((row) => idOf(row) === id).length;
    if (times > 1) return { at, target: `${space} ${id} ${times} times`, model: `${space} ${id}` };
    const found = compareValue(of, other, each, `${at}.*`, comparing);
    if (found !== null) return found;
  }
  if (comparing.isParted?.() === true) return null;
  for (const id of byId.keys()) {
    if (seen.has(id) || isOthers(id)) continue;
    return { at, target: `${space} ${id}`, model: `no ${space} ${id}` };
  }
  return null;
}

/** For reports: JSON, cut where it goes on for long. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = nameText(JSON.stringify(value));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
