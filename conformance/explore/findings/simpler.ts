// Plainer forms of one step, the boldest first.
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS } from '../../engine/account-members.ts';
import type { OperationName } from '../../engine/operations.ts';
import { sameValue } from '../draw/scene.ts';
import { type BurstStep, type CallStep, callsOf, type Step, type Value } from '../sequence.ts';
import { hasSymbol, isPlainEmail } from './signs/evidence.ts';

/** What it is tried in place of depends on what comes before. */
export function* simpler(step: Step, before: readonly Step[]): Generator<Step> {
  if (step.do === 'advance' && step.byMs > 1) {
    for (const byMs of [1, Math.round(step.byMs / 10), Math.round(step.byMs / 2)]) {
      if (byMs < step.byMs) yield { ...step, byMs };
    }
  }
  if (step.do === 'many') {
    const { count } = step;
    // Each try sends them all: the last few of them may stay.
    for (const part of [0, 0.25, 0.5, 0.8, 0.95]) {
      const fewer = Math.max(2, Math.floor(count * part));
      if (fewer < count) yield { ...step, count: fewer };
    }
  }
  if (step.do === 'burst') yield* plainerBursts(step);
  if (step.do === 'open') yield* plainerPlace(step);
  // What needs none of the scopes is about having none.
  if (step.do === 'mint' && (step.wish.scopes ?? []).length > 0) {
    yield { ...step, wish: { ...step.wish, scopes: [] } };
  }
  // The smallest allowance is used up by the fewest calls.
  if (step.do === 'mint' && Number(step.wish.perSecond) > 1) {
    yield { ...step, wish: { ...step.wish, perSecond: 1 } };
  }
  if (step.do === 'hook') yield* plainerAnswers(step);
  if (step.do === 'call') yield* simplerCalls(step, callsOf(before));
}

function* plainerBursts(step: BurstStep): Generator<Step> {
  const { trails, ...together } = step;
  if (trails === true) yield together;
  for (const { n } of step.calls.slice(1)) {
    yield { ...step, calls: step.calls.filter((each) => each.n !== n) };
  }
  yield* barerCalls(step);
}

function* barerCalls(step: BurstStep): Generator<Step> {
  for (const calls of barer(step.calls, step.calls.map(withoutSpare))) yield { ...step, calls };
}

/** All of them bare, and else one at a time. */
function* barer<T>(all: readonly T[], bare: readonly T[]): Generator<readonly T[]> {
  const dressed = [...all.keys()].filter((at) => !isDeepStrictEqual(all[at], bare[at]));
  if (dressed.length > 0) yield bare;
  if (dressed.length > 1) for (const at of dressed) yield all.with(at, bare[at] as T);
}

function withoutSpare(call: CallStep): CallStep {
  const { body } = call;
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return call;
  if (call.operation === 'updateAccount') return call;
  const all = body as { readonly [name: string]: Value };
  return { ...call, body: leaveOut(all, OPTIONAL) };
}

function* plainerPlace({ currency, provider, ...plain }: OpenStep): Generator<Step> {
  if (provider !== undefined) yield { ...plain, ...(currency === undefined ? {} : { currency }) };
  if (currency !== undefined) yield { ...plain, ...(provider === undefined ? {} : { provider }) };
}

type OpenStep = Extract<Step, { readonly do: 'open' }>;
type HookStep = Extract<Step, { readonly do: 'hook' }>;

/** An endpoint that takes everything, or fails in the plainest way. */
function* plainerAnswers(step: HookStep): Generator<Step> {
  const { answers, slow, ...rest } = step;
  if (slow === true) yield { ...rest, answers };
  if (answers.length > 1 || answers[0] !== 200) yield { ...step, answers: [200] };
  const plain = answers.map((each) => (each >= 200 && each < 300 ? 200 : 500));
  if (!isDeepStrictEqual(plain, answers)) yield { ...step, answers: plain };
  for (const each of new Set(plain)) if (plain.length > 1) yield { ...step, answers: [each] };
}

/**
 * An exact repeat is the plainest: new names would make it another call again. Next to it is one
 * with other words, which nobody could take for its subject (IDEM-8).
 */
function repeatsOf(step: CallStep, before: readonly CallStep[]): readonly CallStep[] {
  const { n, operation, key } = step;
  if (key === undefined) return [];
  const first = before.find((each) => each.operation === operation && sameValue(each.key, key));
  if (first === undefined) return [];
  // What keeps the first one waiting is a fault of its own.
  const { pending: _, ...rest } = first;
  const repeat = { ...rest, n, ...(step.pending === undefined ? {} : { pending: step.pending }) };
  return [repeat, withOtherWords(repeat) ?? repeat];
}

/** Whose call it is, and what it has in common with earlier ones, given up in turn. */
function* withoutLikeness(step: CallStep, before: readonly CallStep[]): Generator<CallStep> {
  const { n, operation, as, key, body } = step;
  if (as !== 'firm' && step.headers?.authorization === undefined) yield { ...step, as: 'firm' };
  const own = { $fresh: `key${n}` };
  if (key !== undefined && !isOwn(key, before)) yield { ...step, key: own };
  const plain = withoutCase(body);
  if (plain !== undefined && !isDeepStrictEqual(plain, body)) yield { ...step, body: plain };
  if (!/^create(Account|Transaction)$/.test(operation)) return;
  const members = body as { readonly [name: string]: Value } | undefined;
  const reference = members?.client_reference_id;
  if (reference !== undefined && !isOwn(reference, before)) {
    yield { ...step, body: { ...members, client_reference_id: { $fresh: `ref${n}` } } };
  }
  const email = members?.email;
  if (email === undefined || (isOwn(email, before) && isPlainEmail(email))) return;
  const other = { $join: [{ $fresh: `mail${n}` }, '@explore.example.com'] };
  yield { ...step, body: { ...members, email: other } };
}

function withOtherWords(call: CallStep): CallStep | undefined {
  const { operation, body } = call;
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return undefined;
  const all = body as { readonly [name: string]: Value };
  const word = WORDS[operation];
  if (word !== undefined) return { ...call, body: { ...all, ...word } };
  if (operation !== 'bulkCreateAccounts' || !Array.isArray(all.accounts)) return undefined;
  const [first, ...rest] = all.accounts as readonly Value[];
  if (first === null || typeof first !== 'object') return undefined;
  return { ...call, body: { accounts: [{ ...first, first_name: 'Other' } as Value, ...rest] } };
}

const WORDS: Readonly<Partial<Record<OperationName, { readonly [name: string]: Value }>>> = {
  createAccount: { first_name: 'Other' },
  createTransaction: { amount: '123.45' },
  rejectTransaction: { reason: 'another' },
  cancelTransaction: { reason: 'another' },
};

/** A new text that no earlier call has. */
function isOwn(value: Value, before: readonly CallStep[]): boolean {
  const stems = stemsIn(value);
  if (stems.length !== 1) return false;
  return !before.some((each) => stemsIn(each).includes(stems[0]!));
}

function stemsIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const { $fresh } = value as { readonly $fresh?: unknown };
  const inner = Object.values(value).flatMap(stemsIn);
  return typeof $fresh === 'string' ? [$fresh, ...inner] : inner;
}

function withoutCase(value: Value | undefined): Value | undefined {
  if (value === null || typeof value !== 'object') return value;
  if ('$case' in value) return withoutCase(value.of as Value);
  if (Array.isArray(value)) return value.map((each) => withoutCase(each) as Value);
  const members = Object.entries(value).map(([name, each]) => [name, withoutCase(each as Value)]);
  return Object.fromEntries(members) as Value;
}

/** Members that an answer can do without, each left out in turn. */
const OPTIONAL = [
  ...PROFILE_MEMBERS,
  'phone',
  'method',
  'status',
  'is_ftd',
  'owner_id',
  'assigned_to',
];

/** What a member reads when nothing is special about it. */
const PLAIN: Readonly<Record<string, Value>> = {
  amount: '25.00',
  transaction_type: 'Deposit',
  reason: 'late',
  first_name: 'Ada',
  last_name: 'Ada',
  country: 'GB',
  language: 'en',
  status: 'Active',
};

function* simplerCalls(step: CallStep, before: readonly CallStep[]): Generator<CallStep> {
  const { body } = step;
  for (const repeat of repeatsOf(step, before)) {
    if (isDeepStrictEqual(repeat, step)) {
      // What a call shows that only runs again since its key is old it shows under another.
      if (step.pending === undefined) yield { ...step, key: { $fresh: `key${step.n}` } };
      return;
    }
    yield repeat;
  }
  yield* withoutLikeness(step, before);
  if (step.headers !== undefined) {
    const { headers, ...rest } = step;
    yield rest;
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return;
  const all = body as { readonly [name: string]: Value };
  // UPD-11: what an update does not take may be left out of it.
  const optional = step.operation === 'updateAccount' ? [...OPTIONAL, 'email'] : OPTIONAL;
  const spare = optional.filter((name) => name in all);
  if (spare.length > 1) yield { ...step, body: leaveOut(all, spare) };
  if ('phone_region' in all) yield { ...step, body: withoutRegion(all) };
  for (const name of spare) yield { ...step, body: leaveOut(all, [name]) };
  for (const [name, plain] of Object.entries(PLAIN)) {
    if (name in all && all[name] !== plain) yield { ...step, body: { ...all, [name]: plain } };
  }
  if (!Array.isArray(all.accounts)) return;
  yield* fewerRows(step, all.accounts as readonly Value[]);
  yield* barerRows(step, all.accounts as readonly Value[]);
}

/** NS-24: what a number is that says nothing of its country is open, so it is told by its own. */
function withoutRegion(all: { readonly [name: string]: Value }) {
  const { phone } = all;
  const isBare = hasSymbol(phone, '$phone') && /zeros|national/.test(JSON.stringify(phone));
  const spaced = isBare ? { phone: { ...(phone as object), form: 'spaced' } as Value } : {};
  return { ...leaveOut(all, ['phone_region']), ...spaced };
}

/** The region goes with the phone that it is a hint for (ACC-12). */
function leaveOut(all: { readonly [name: string]: Value }, names: readonly string[]) {
  const gone = names.includes('phone') ? [...names, 'phone_region'] : names;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !gone.includes(name)));
}

function* barerRows(step: CallStep, rows: readonly Value[]): Generator<CallStep> {
  const bare = rows.map((row) => {
    const isPlain = row !== null && typeof row === 'object' && !('$rows' in row);
    return isPlain ? leaveOut(row as { readonly [name: string]: Value }, OPTIONAL) : row;
  });
  for (const accounts of barer(rows, bare)) yield { ...step, body: { accounts } };
}

function* fewerRows(step: CallStep, rows: readonly Value[]): Generator<CallStep> {
  const withRows = (accounts: readonly Value[]) => ({ ...step, body: { accounts } });
  for (const [at, row] of rows.entries()) {
    if (rows.length > 1) yield withRows(rows.filter((_, each) => each !== at));
    if (row === null || typeof row !== 'object' || !('$rows' in row)) continue;
    const count = (row as { $rows: number }).$rows;
    for (const fewer of [1, Math.floor(count / 10), Math.floor(count / 2), count - 1]) {
      if (fewer >= 1 && fewer < count) {
        yield withRows(rows.with(at, { ...(row as object), $rows: fewer } as Value));
      }
    }
  }
}
