// Refusals as rows. A row has an operation, one fault in an otherwise valid call, and the expected
// refusal. First the operation is shown to be served without a fault; at the end no record may show
// any effect of the refused calls.

import type { Role } from '../engine/capabilities.ts';
import type { Rules, ScenarioContext } from '../engine/scenario/scenario-context.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { Answer, Json } from '../engine/send/answer.ts';
import type { RequestBody, Who } from '../engine/send/call.ts';
import { writeJson } from '../engine/send/json.ts';
import type { Story } from '../engine/types.ts';
import type { Credential, Place } from '../providers/target.ts';
import { disableSubscription } from '../scenarios/support/subscription-assertions.ts';
import { INVALID, type Refusal } from '../spec/errors.ts';
import { OPERATIONS, type OperationName } from '../spec/operations.ts';
import { readBack, type ValidCall, validCall } from './calls.ts';
import { playByOperation, rulesOf, type Table, tableScenario } from './table.ts';

interface Faulty {
  readonly call?: ValidCall;
  readonly as?: Who;
  /** Replaces the Authorization header, or removes it. */
  readonly authorization?: string | null;
  /** Replaces the fresh idempotency key, or removes it. */
  readonly key?: string | null;
  /** Undoes a change to the target after the answer. */
  readonly undo?: () => Promise<unknown>;
}

/** Undefined if it cannot be tried on this target. */
export type Fault = (
  t: ScenarioContext,
  valid: ValidCall,
) => Faulty | undefined | Promise<Faulty | undefined>;

/** The expected answer: a refusal of the table, an unreadable request, a check, or a success. */
export type Expected =
  | Refusal
  | 'unreadable'
  | 'served'
  | ((t: ScenarioContext, rules: Rules, answer: Answer, call: ValidCall) => unknown);

export type RefusalRow = readonly [Rules, OperationName, what: string, Fault, Expected];

/** Who sends the valid calls, each from the account and place that it can reach. */
export interface Caller {
  readonly who: () => Promise<Who>;
  readonly place?: Place;
}

interface RefusalTable extends Table<RefusalRow> {
  /** Who sends the valid calls, and the faulty ones unless a fault says otherwise. */
  readonly role?: Role;
  /** The same for a credential that has no role. */
  readonly caller?: (t: ScenarioContext) => Promise<Caller>;
  /** Leaves out operations that the caller may not use even without a fault. */
  readonly isForbiddenLeftOut?: boolean;
  /** The rules judge only the form of a refusal, and not its effects. */
  readonly isOfFormAlone?: boolean;
}

/** Any refusal is accepted: the specification does not say which one. */
export function anyRefusal(t: ScenarioContext, rules: Rules, answer: Answer): void {
  t.expect(rules, answer).is('refused with a 4xx', answer.isRefused);
}

/** Served, and the answer shows these members as sent. */
export function accepted(...names: readonly string[]): Expected {
  return (t, rules, answer, { body: sent = {} }) => {
    const expected = t.expect(rules, answer).status(201, 200);
    for (const name of names) expected.field(name, sent[name]!);
  };
}

/** ERR-2, NS-14: a missing or invalid member may also make a body unreadable, with any status. */
export function invalidOrUnreadable(t: ScenarioContext, rules: Rules, answer: Answer): void {
  if (answer.headers.mediaType() === 'text/plain') anyRefusal(t, rules, answer);
  else t.expect(rules, answer).status(400, INVALID[0]);
}

type Over = RequestBody | ((t: ScenarioContext, valid: ValidCall) => RequestBody);

function changed(change: (valid: ValidCall, t: ScenarioContext) => Partial<ValidCall>): Fault {
  return (t, valid) => ({ call: { ...valid, ...change(valid, t) } });
}

function membersOf(over: Over, t: ScenarioContext, valid: ValidCall): RequestBody {
  return typeof over === 'function' ? over(t, valid) : over;
}

export function body(over: Over): Fault {
  return changed((valid, t) => ({ body: { ...valid.body, ...membersOf(over, t, valid) } }));
}

export function without(...names: string[]): Fault {
  return body(Object.fromEntries(names.map((name) => [name, undefined])));
}

/** Another whole body. */
export function only(whole: Over): Fault {
  return changed((valid, t) => ({ rows: undefined, body: membersOf(whole, t, valid) }));
}

export function rows(change: (all: RequestBody[], t: ScenarioContext) => RequestBody[]): Fault {
  return changed((valid, t) => ({ rows: change([...(valid.rows ?? [])], t) }));
}

/** Sends bytes that are derived from the text of the body. */
export function raw(change: (text: string) => string): Fault {
  return changed((valid) => ({ raw: change(writeJson(valid.body ?? {})) }));
}

export function path(id: string | ((own: string) => string)): Fault {
  return changed((valid) => ({ id: typeof id === 'string' ? id : id(`${valid.id}`) }));
}

export function query(account: null | string | ((valid: ValidCall) => string)): Fault {
  return changed((valid) => ({
    account_id: typeof account === 'function' ? account(valid) : account,
  }));
}

export function ifMatch(tag: string | ((bare: string) => string) | undefined): Fault {
  return changed((valid) => {
    const bare = (valid.ifMatch ?? '""').slice(1, -1);
    return { ifMatch: typeof tag === 'function' ? tag(bare) : tag };
  });
}

/** A member of the body with another JSON value, derived from its current one. */
export function member(name: string, change: (value: Json) => Json): Fault {
  return body((_, valid) => ({ [name]: change(valid.body?.[name] ?? null) }));
}

/** As another role; skipped if the target does not have it. */
export function as(role: Role): Fault {
  return (t) => (t.has(role) ? { as: role } : undefined);
}

const holders = new WeakMap<ScenarioContext, Map<string, Promise<Credential>>>();

/** As a credential with only these scopes; skipped if none can be created. */
export function asHolderOf(...scopes: readonly string[]): Fault {
  return async (t) => {
    if (!t.has('mint')) return undefined;
    const known = holders.get(t) ?? new Map<string, Promise<Credential>>();
    holders.set(t, known);
    const name = scopes.join(' ');
    const holder = known.get(name) ?? t.operator.mint({ scopes });
    known.set(name, holder);
    return { as: await holder };
  };
}

export function refusals(table: RefusalTable): Story {
  return tableScenario(table, async (t, all) => {
    const { role = t.mainRole } = table;
    const caller = (await table.caller?.(t)) ?? { who: async () => role };
    await playByOperation(t, all, (_, own) => playRows(t, own, { ...table, role }, caller));
  });
}

/** Plays the rows of one operation. */
async function playRows(
  t: ScenarioContext,
  own: readonly RefusalRow[],
  { role, isForbiddenLeftOut, isOfFormAlone }: RefusalTable,
  caller: Caller,
): Promise<void> {
  const operation = own[0]![1];
  const { words } = OPERATIONS[operation];
  let { place } = caller;
  const newCall = () => validCall(t, operation, place, role);

  /** A target may allow few subscriptions at once. */
  const disable = async (answer: Answer) => {
    if (operation === 'createWebhook') await disableSubscription(t, answer);
    return answer;
  };

  /** The call that each row changes in one place. */
  let valid = await newCall();
  place = valid.place;
  const who = await caller.who();
  if (isForbiddenLeftOut) {
    if ((await disable(await t.call(valid, { as: who }))).status === 403) return;
    valid = await newCall();
  }
  const served = await disable(await t.control(valid, { as: who }));
  valid = await newCall();

  /** Undefined if the row cannot be tried. */
  const send = async ([, , , fault]: RefusalRow, from: ValidCall) => {
    const faulty = await fault(t, from);
    if (faulty === undefined) return undefined;
    const { call = from, undo, ...sending } = faulty;
    const answer = await t.call(call, { as: await caller.who(), ...sending });
    await undo?.();
    return { answer: await disable(answer), call };
  };

  const refused: RefusalRow[] = [];
  for (const row of own) {
    const sent = await send(row, valid);
    if (sent === undefined) continue;
    await judge(t, row, sent.answer, sent.call);
    // The faulty call was served: the next rows start from a record that it has not changed.
    if (sent.answer.isServed) valid = await newCall();
    else refused.push(row);
  }
  if (refused.length === 0 || isOfFormAlone) return;

  /**
   * Sends the call without a fault: it must be served as if no faulty call had been sent. A
   * decision is not sent; instead its transaction must still be pending.
   */
  const leftBehind = async (call: ValidCall) => {
    if (call.transaction !== undefined) {
      const answer = (await readBack(t, call, role))!;
      const status = answer.at('status');
      return { answer, left: status === 'pending' ? undefined : `it reads ${status}` };
    }
    // ACC-1: a new name shows that the account is new as reliably as the status does.
    const first_name = t.fresh.text();
    const isCreate = operation === 'createAccount';
    const sent = isCreate ? { ...call, body: { ...call.body, first_name } } : call;
    const answer = await disable(await t.call(sent, { as: await caller.who() }));
    const statusOf = (each: Answer) =>
      operation === 'bulkCreateAccounts' ? each.at('rows.0.status') : each.status;
    const isNew = isCreate && answer.isServed && answer.at('first_name') === first_name;
    // A repeated control call may have found its own row; then its status proves nothing.
    const isUnclear = operation === 'bulkCreateAccounts' && statusOf(served) === 200;
    const isSame = statusOf(answer) === statusOf(served) || isNew || isUnclear;
    return { answer, left: isSame ? undefined : answer.summary };
  };

  const after = await leftBehind(valid);
  if (after.left === undefined) {
    t.expect(rulesOf(refused), after.answer).is('nothing left of what was refused', true);
    return;
  }
  // Checks each row alone, to find out which of them had an effect.
  for (const row of refused) {
    const alone = await newCall();
    if ((await send(row, alone)) === undefined) continue;
    const { answer, left } = await leftBehind(alone);
    const expected = `nothing left of ${words}, refused for ${row[2]}`;
    t.expect(row[0], answer).is(expected, left === undefined, left);
  }
}

async function judge(
  t: ScenarioContext,
  [rules, operation, what, , expected]: RefusalRow,
  answer: Answer,
  call: ValidCall,
): Promise<void> {
  if (typeof expected === 'function') await expected(t, rules, answer, call);
  else if (expected === 'unreadable') await expectUnreadable(t, rules, answer);
  else if (expected !== 'served') t.expect(rules, answer).refused(...expected);
  else if (!answer.isServed && answer.status !== 403) {
    // Only a 403 is about permissions; other rules judge any other refusal.
    const { words } = OPERATIONS[operation];
    throw new Blocked(`control failed: ${words} ${what}: ${answer.summary}`);
  } else t.expect(rules, answer).served(`served ${what}`);
}

/** JSON that ends in the middle of a member. */
export const BROKEN_JSON = '{"client_reference_id": "a';

/**
 * Refused in the same way as malformed JSON: a 4xx with the same content type. ERR-2 judges that way;
 * other rules only require that something is refused in the same way.
 */
async function expectUnreadable(t: ScenarioContext, rules: Rules, refused: Answer): Promise<void> {
  const broken = await t.call('createAccount', { raw: BROKEN_JSON });
  const like = broken.isRefused ? broken.headers.mediaType() : '';
  const types = like === '' || like === 'text/plain' ? ['text/plain'] : ['text/plain', like];
  const seen = refused.headers.mediaType() || 'no content type';
  const words = `${types.join(' or ')}, as broken JSON is refused`;
  t.expect(rules, refused)
    .is('refused with a 4xx', refused.isRefused)
    .is(words, types.includes(seen), `${refused.summary}, ${seen}`, broken);
}
