// What the model answers, told in the target's own ids, revisions and times as far as they are
// known, so that whoever reads both answers sees nothing differ but what does.
import { type Json, memberAt } from '../../engine/send/answer.ts';
import { type CallOutcome, jsonOf as jsonOfBody } from '../play/outcome.ts';
import type { Found } from './investigate.ts';
import { answerOf } from './signs/evidence.ts';

/** Members whose values are each side's own. */
const OWN_NAME = /(^|_)id$|^(revision|url)$/;
const OWN_TIME = /_at$/;

type Leaf = string | number;
type Visit = (name: string, model: Leaf, target: Leaf, path: string) => void;

/** Undefined where the model gives no JSON. */
export function expectedBody({ duel, difference }: Found): Json | undefined {
  const due = answerOf(duel.model.outcomes.get(difference.n));
  if (due?.json === undefined) return undefined;
  const came = answerOf(duel.target.outcomes.get(difference.n));
  const known = knownBefore({ duel, difference });
  // Of what this call makes both sides say in the same place what it is called.
  const isServed = due.status < 400 && came !== undefined && came.status < 400;
  const made = new Map<string, Leaf>();
  if (isServed) {
    visitPairs(due.json, came.json, (_, model, target, path) => {
      if (`body.${path}` !== difference.at && typeof model === typeof target) {
        made.set(path, target);
      }
    });
  }
  const told = changed(due.json, (name, model, path) => {
    // HOOK-2: whatever a url is answered as, it is due as it was sent.
    if (name === 'url' && model === memberAt(sentIn(due), name)) return leafAt(sentIn(came), name);
    if (OWN_NAME.test(name)) return known.names.get(nameOf(name, model)) ?? made.get(path);
    if (!OWN_TIME.test(name) || typeof model !== 'number') return undefined;
    return known.times.get(model) ?? made.get(path) ?? shifted(model, known.offsetMs);
  });
  return inOrderOf(came?.json, told);
}

function sentIn(outcome: CallOutcome | undefined): Json | undefined {
  return outcome?.sent?.body === undefined ? undefined : jsonOfBody(outcome.sent.body);
}

function leafAt(json: Json | undefined, name: string): Leaf | undefined {
  const value = memberAt(json, name);
  return isLeaf(value) ? value : undefined;
}

/** Members stand where they stand in the other one, so that both can be read side by side. */
function inOrderOf(other: Json | undefined, value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (other === null || typeof other !== 'object') return value;
  if (Array.isArray(value)) {
    return value.map((each, at) => inOrderOf(Reflect.get(other, at) as Json | undefined, each));
  }
  const names = Object.keys(other).filter((name) => Object.hasOwn(value, name));
  const ordered = [...new Set([...names, ...Object.keys(value)])];
  const inner = (name: string) =>
    inOrderOf(Reflect.get(other, name) as Json | undefined, value[name]!);
  return Object.fromEntries(ordered.map((name) => [name, inner(name)]));
}

const shifted = (ms: number, offsetMs: number | undefined): number | undefined =>
  offsetMs === undefined ? undefined : ms + offsetMs;

/** What stands there in the model's answer, in the target's names; undefined where nothing does. */
export function expectedAt(found: Found): Json | undefined {
  const path = /^body\.(.+)$/.exec(found.difference.at)?.[1];
  const body = path === undefined ? undefined : expectedBody(found);
  return body === undefined || path === undefined ? undefined : (memberAt(body, path) as Json);
}

interface Known {
  readonly names: ReadonlyMap<string, Leaf>;
  readonly times: ReadonlyMap<number, number>;
  /** What the target's clock reads more than the model's. */
  readonly offsetMs: number | undefined;
}

/** An id is that of a record wherever it stands, and no revision. */
const nameOf = (name: string, value: Leaf): string =>
  `${name === 'revision' ? name : 'id'} ${JSON.stringify(value)}`;

/** By the answers before the one that differs. */
function knownBefore({ duel, difference }: Pick<Found, 'duel' | 'difference'>): Known {
  const names = new Map<string, Leaf>();
  const times = new Map<number, number>();
  let offsetMs: number | undefined;
  for (const [n, outcome] of duel.model.outcomes) {
    if (n === difference.n) continue;
    visitPairs(jsonOf(outcome), jsonOf(duel.target.outcomes.get(n)), (name, model, target) => {
      const own = nameOf(name, model);
      if (OWN_NAME.test(name) && !names.has(own)) names.set(own, target);
      if (!OWN_TIME.test(name) || typeof model !== 'number' || typeof target !== 'number') return;
      if (!times.has(model)) times.set(model, target);
      offsetMs ??= target - model;
    });
  }
  return { names, times, offsetMs };
}

function jsonOf(outcome: unknown): Json | undefined {
  const { kind, json } = (outcome ?? {}) as Partial<CallOutcome> & { readonly kind?: string };
  return kind === 'answer' || kind === 'done' ? json : undefined;
}

const isLeaf = (value: unknown): value is Leaf =>
  typeof value === 'string' || typeof value === 'number';

/** Each place where both have a text or a number. */
function visitPairs(model: unknown, target: unknown, visit: Visit, path = '', name = ''): void {
  if (isLeaf(model) && isLeaf(target)) visit(name, model, target, path);
  if (model === null || typeof model !== 'object') return;
  if (target === null || typeof target !== 'object') return;
  for (const [key, each] of Object.entries(model)) {
    const inner = path === '' ? key : `${path}.${key}`;
    visitPairs(each, Reflect.get(target, key), visit, inner, Array.isArray(model) ? name : key);
  }
}

/** With other texts and numbers where there are any to be told in place of them. */
function changed(
  value: Json,
  other: (name: string, value: Leaf, path: string) => Leaf | undefined,
  path = '',
  name = '',
): Json {
  if (isLeaf(value)) return other(name, value, path) ?? value;
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((each, key) => changed(each, other, at(key), name));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, changed(each, other, at(key), key)]),
  );
}
