// Refusals as rows. A row reads: this operation, valid but for one fault, is refused so; and after
// all rows of an operation nothing of them is left. That the operation is served without a fault is
// shown first.

import type { Role } from '../engine/capabilities.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { Answer, Json } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/client.ts';
import type { RuleId, Scenario } from '../engine/types.ts';
import { expectUnreadable, sendBrokenJson } from '../scenarios/support/unreadable-bodies.ts';
import type { Refusal } from '../spec/errors.ts';
import { OPERATIONS, type WriteName } from '../spec/operations.ts';
import { batch, readBack, rowsOf, sendCall, validCall, type Who, type WriteCall } from './calls.ts';

export interface Faulty {
  readonly call?: WriteCall;
  readonly who?: Who;
}

/** Undefined if it cannot be tried on this target. */
export type Fault = (
  t: ScenarioContext,
  valid: WriteCall,
) => Faulty | undefined | Promise<Faulty | undefined>;

type Rules = RuleId | readonly RuleId[];

/** With which refusal: the one of the table, any of these statuses, as unreadable, or a check. */
export type Expected =
  | Refusal
  | { readonly statuses: readonly number[] }
  | 'unreadable'
  | ((t: ScenarioContext, rules: Rules, answer: Answer) => void);

export type RefusalRow = readonly [Rules, WriteName, what: string, Fault, Expected];

export interface RefusalTable extends Omit<Scenario, 'rules' | 'run'> {
  readonly rows: readonly RefusalRow[];
  /** Who sends the valid calls, and the faulty ones unless a fault says otherwise. */
  readonly role?: Role;
  /** Rules of what `also` shows. */
  readonly besides?: readonly RuleId[];
  /** What no row can tell: boundaries that are accepted, open questions. */
  readonly also?: Scenario['run'];
}

/** ERR-2: a missing member may make a body unreadable or invalid. */
export const BAD_REQUEST: Expected = { statuses: [400, 422] };

/** Which refusal it is, is open; that it is one is not. */
export function anyRefusal(t: ScenarioContext, rules: Rules, answer: Answer): void {
  const refused = answer.status >= 400 && answer.status < 500;
  t.expect(rules, answer).is('refused with a 4xx', refused);
}

type Over = RequestBody | ((t: ScenarioContext, valid: WriteCall) => RequestBody);

export function body(over: Over): Fault {
  return (t, valid) => {
    const changes = typeof over === 'function' ? over(t, valid) : over;
    return { call: { ...valid, body: { ...valid.body, ...changes } } };
  };
}

export function without(...names: string[]): Fault {
  return body(Object.fromEntries(names.map((name) => [name, undefined])));
}

export function only(whole: Over): Fault {
  return (t, valid) => ({
    call: { ...valid, body: typeof whole === 'function' ? whole(t, valid) : whole },
  });
}

export function rows(change: (all: RequestBody[], t: ScenarioContext) => RequestBody[]): Fault {
  return (t, valid) => ({ call: { ...valid, body: batch(change(rowsOf(valid), t)) } });
}

export function path(id: string): Fault {
  return (_, valid) => ({ call: { ...valid, id } });
}

export function query(account: null | string | ((valid: WriteCall) => string)): Fault {
  return (_, valid) => {
    const account_id = typeof account === 'function' ? account(valid) : account;
    return { call: { ...valid, query: { account_id } } };
  };
}

export function ifMatch(tag: string | ((bare: string) => string) | undefined): Fault {
  return (_, valid) => {
    const { ifMatch: strong = '""', ...rest } = valid;
    if (tag === undefined) return { call: rest };
    const sent = typeof tag === 'string' ? tag : tag(strong.slice(1, -1));
    return { call: { ...valid, ifMatch: sent } };
  };
}

/** As another role; left out where the target has none. */
export function as(role: Role): Fault {
  return (t) => (t.has(role) ? { who: role } : undefined);
}

/** As a credential with these scopes and no other; left out where none can be made. */
export function asHolderOf(scopes: readonly string[]): Fault {
  return async (t) => (t.has('mint') ? { who: await t.operator.mint({ scopes }) } : undefined);
}

/** A member of the body as another JSON value, made of the one that it has. */
export function member(name: string, change: (value: Json) => Json): Fault {
  return body((_, valid) => ({ [name]: change(valid.body?.[name] ?? null) }));
}

export function refusals({
  rows: all,
  role,
  also,
  besides = [],
  ...about
}: RefusalTable): Scenario {
  const operations = [...new Set(all.map(([, operation]) => operation))];
  return {
    ...about,
    rules: [...new Set([...all.flatMap(([rules]) => rules), ...besides])],
    async run(t) {
      for (const operation of operations) {
        const own = all.filter((row) => row[1] === operation);
        const ruled = [...new Set(own.flatMap(([rules]) => rules))];
        await t.branch(ruled, OPERATIONS[operation].words, () =>
          playRows(t, own, role ?? t.mainRole),
        );
      }
      await also?.(t);
    },
  };
}

async function playRows(t: ScenarioContext, own: readonly RefusalRow[], role: Role) {
  const [[, operation]] = own as [RefusalRow];
  const { words } = OPERATIONS[operation];
  const control = await validCall(t, operation, undefined, role);
  const served = await t.control(words, () => sendCall(t, control, { who: role }));
  let valid = await newCall(t, operation, control, role);
  const sent: RefusalRow[] = [];
  for (const row of own) {
    const answer = await refuse(t, row, valid, role);
    if (answer === undefined) continue;
    // What was served is seen; the next rows start from a record that it has not touched.
    if (answer.status < 300) valid = await newCall(t, operation, control, role);
    else sent.push(row);
  }
  if (sent.length === 0) return;
  const after = await leftBehind(t, valid, role, served);
  const ruled = [...new Set(sent.flatMap(([rules]) => rules))];
  if (after.left === undefined) {
    t.expect(ruled, after.answer).is('nothing left of what was refused', true);
    return;
  }
  // Each for itself, to see which of them has left something.
  for (const row of sent) {
    const alone = await newCall(t, operation, control, role);
    const changed = await row[3](t, alone);
    if (changed === undefined) continue;
    await sendCall(t, changed.call ?? alone, { who: changed.who ?? role });
    const { answer, left } = await leftBehind(t, alone, role, served);
    const expected = `nothing left of ${words}, refused for ${row[2]}`;
    t.expect(row[0], answer).is(expected, left === undefined, left);
  }
}

function newCall(t: ScenarioContext, operation: WriteName, { place }: WriteCall, role: Role) {
  return validCall(t, operation, place, role);
}

/** Undefined where the row cannot be tried. */
async function refuse(
  t: ScenarioContext,
  [rules, , , fault, expected]: RefusalRow,
  valid: WriteCall,
  role: Role,
): Promise<Answer | undefined> {
  const faulty = await fault(t, valid);
  if (faulty === undefined) return undefined;
  const answer = await sendCall(t, faulty.call ?? valid, { who: faulty.who ?? role });
  if (expected === 'unreadable') expectUnreadable(t, rules, answer, await sendBrokenJson(t));
  else if (typeof expected === 'function') expected(t, rules, answer);
  else if ('statuses' in expected) t.expect(rules, answer).status(...expected.statuses);
  else t.expect(rules, answer).refused(...expected);
  return answer;
}

/**
 * Sends the call without any fault: it is served as one that was never sent. A decision is not sent
 * but looked at, so that its transaction is pending still.
 */
async function leftBehind(
  t: ScenarioContext,
  valid: WriteCall,
  role: Role,
  served: Answer,
): Promise<{ readonly answer: Answer; readonly left?: string }> {
  if (valid.transaction !== undefined) {
    const answer = (await readBack(t, valid, role))!;
    const status = answer.at('status');
    return status === 'pending' ? { answer } : { answer, left: `it reads ${status}` };
  }
  // A new name tells a new account as well as the status does (ACC-1).
  const name = t.fresh.text();
  const isCreate = valid.operation === 'createAccount';
  const call = isCreate ? { ...valid, body: { ...valid.body, first_name: name } } : valid;
  const answer = await sendCall(t, call, { who: role });
  const path = valid.operation === 'bulkCreateAccounts' ? 'rows.0.status' : undefined;
  const [seen, wanted] = path ? [answer.at(path), served.at(path)] : [answer.status, served.status];
  const isNew = isCreate && answer.status < 300 && answer.at('first_name') === name;
  // A control that was repeated may have found its own row: then its status shows nothing.
  const isUnclear = path !== undefined && wanted === 200;
  const isSame = seen === wanted || isNew || isUnclear;
  return isSame ? { answer } : { answer, left: answer.summary };
}
