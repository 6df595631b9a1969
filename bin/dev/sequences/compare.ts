// Two answers to one step, and whether they say the same: ids stand for one another, one to one;
// words and the ids of calls may differ; everything else may not.
import { isObject, type Json, type JsonObject } from '../../e2e/testing/second-mind/values/json.ts';
import type { Seen } from './sides.ts';
import type { Step } from './steps.ts';

export interface Difference {
  /** Which step it was, from 0. */
  readonly at: number;
  readonly step: Step;
  /** The simulator's side first. */
  readonly words: string;
}

/** Members that hold an id of a record. */
const IDS = ['id', 'account_id', 'trading_account_id', 'position_id', 'order_id'];
/** Members of free words, or of which the specification says nothing. */
const FREE = [
  'detail',
  'title',
  'type',
  'request_id',
  'errors',
  'price',
  'secret',
  'disabled_reason',
  'last_delivered_seq',
];

const HEADERS = [
  'etag',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

export class Comparison {
  readonly #there = new Map<string, string>();
  readonly #back = new Map<string, string>();

  /** In what two answers differ, in words; null where they do not. */
  difference(simulator: Seen, mind: Seen): string | null {
    if (simulator.status !== mind.status) {
      return `status ${simulator.status} ${codeOf(simulator)} | ${mind.status} ${codeOf(mind)}`;
    }
    const types = [typeOf(simulator), typeOf(mind)];
    if (types[0] !== types[1]) return `content type ${types[0]} | ${types[1]}`;
    for (const name of HEADERS) {
      const [one, two] = [simulator.header(name), mind.header(name)];
      if (one !== two) return `${name} ${one} | ${two}`;
    }
    const marks = [isFirst(simulator), isFirst(mind)];
    if (marks[0] !== marks[1]) return `request_id of the call itself: ${marks[0]} | ${marks[1]}`;
    if (!/json/.test(types[0] ?? '')) return null;
    return this.inBodies('', JSON.parse(simulator.text) as Json, JSON.parse(mind.text) as Json);
  }

  inBodies(path: string, one: Json, two: Json): string | null {
    const name = path.split('.').at(-1) ?? '';
    if (FREE.includes(name)) return typeof one === typeof two ? null : `${path}: another type`;
    const isId = IDS.includes(name) && typeof one === typeof two;
    if (isId && (typeof one === 'string' || typeof one === 'number')) {
      return this.#inIds(path, String(one), String(two));
    }
    if (Array.isArray(one) && Array.isArray(two)) return this.#inLists(path, one, two);
    if (isObject(one) && isObject(two)) return this.#inObjects(path, one, two);
    return one === two ? null : `${path}: ${JSON.stringify(one)} | ${JSON.stringify(two)}`;
  }

  #inLists(path: string, one: Json[], two: Json[]): string | null {
    if (one.length !== two.length) return `${path}: ${one.length} entries | ${two.length}`;
    for (const [at, each] of one.entries()) {
      const found = this.inBodies(`${path}[${at}]`, each, two[at]!);
      if (found !== null) return found;
    }
    return null;
  }

  #inObjects(path: string, one: JsonObject, two: JsonObject): string | null {
    for (const name of new Set([...Object.keys(one), ...Object.keys(two)])) {
      const [first, second] = [one[name], two[name]];
      if (first === undefined || second === undefined) {
        return `${path}.${name}: ${JSON.stringify(first)} | ${JSON.stringify(second)}`;
      }
      const found = this.inBodies(`${path}.${name}`, first, second);
      if (found !== null) return found;
    }
    return null;
  }

  #inIds(path: string, one: string, two: string): string | null {
    const known = this.#there.get(one);
    const other = this.#back.get(two);
    if (known === undefined && other === undefined) {
      this.#there.set(one, two);
      this.#back.set(two, one);
      return null;
    }
    return known === two ? null : `${path}: ${one}, which is ${known} | ${two}, which is ${other}`;
  }
}

function typeOf(seen: Seen): string {
  return (seen.header('content-type') ?? '').split(';')[0]!.trim();
}

function bodyOf({ text }: Seen): JsonObject {
  try {
    const read = JSON.parse(text) as Json;
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

function codeOf(seen: Seen): string {
  return String(bodyOf(seen).code ?? '');
}

/** Whether a problem names the call itself: one that is replayed names an earlier one (IDEM-5). */
function isFirst(seen: Seen): boolean | null {
  const { request_id: id } = bodyOf(seen);
  return id === undefined ? null : id === seen.header('x-request-id');
}
