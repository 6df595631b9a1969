// Plainer forms of one step, the boldest first.
import { PROFILE_MEMBERS } from '../../engine/account-members.ts';
import type { CallStep, Step, Value } from '../sequence.ts';

export function* simpler(step: Step): Generator<Step> {
  if (step.do === 'advance' && step.byMs > 1) {
    for (const byMs of [1, Math.round(step.byMs / 10), Math.round(step.byMs / 2)]) {
      if (byMs < step.byMs) yield { ...step, byMs };
    }
  }
  if (step.do === 'many') {
    const { count } = step;
    const fewer = [2, Math.floor(count / 4), Math.floor(count / 2), Math.floor(count * 0.8)];
    for (const each of [...fewer, count - 1]) if (each < count) yield { ...step, count: each };
  }
  if (step.do === 'burst') {
    for (const { n } of step.calls.slice(1)) {
      yield { ...step, calls: step.calls.filter((each) => each.n !== n) };
    }
  }
  if (step.do === 'call') yield* simplerCalls(step);
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

function* simplerCalls(step: CallStep): Generator<CallStep> {
  const { body } = step;
  if (step.headers !== undefined) {
    const { headers, ...rest } = step;
    yield rest;
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return;
  const all = body as { readonly [name: string]: Value };
  const spare = OPTIONAL.filter((name) => name in all);
  if (spare.length > 1) yield { ...step, body: leaveOut(all, spare) };
  for (const name of spare) yield { ...step, body: leaveOut(all, [name]) };
  for (const [name, plain] of Object.entries(PLAIN)) {
    if (name in all && all[name] !== plain) yield { ...step, body: { ...all, [name]: plain } };
  }
  if (Array.isArray(all.accounts)) yield* fewerRows(step, all.accounts as readonly Value[]);
}

/** The region goes with the phone that it is a hint for (ACC-12). */
function leaveOut(all: { readonly [name: string]: Value }, names: readonly string[]) {
  const gone = names.includes('phone') ? [...names, 'phone_region'] : names;
  return Object.fromEntries(Object.entries(all).filter(([name]) => !gone.includes(name)));
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
