// Refusals as rows. A row reads: this operation, valid except for one fault, is refused so; and after
// all rows of an operation nothing of them is left. That the operation is served without a fault is
// shown first.

import type { Role } from '../engine/capabilities.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { Answer, Json } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/client.ts';
import { writeJson } from '../engine/send/json.ts';
import type { RuleId, Scenario } from '../engine/types.ts';
import type { Credential, Place } from '../providers/target.ts';
import { disableSubscription } from '../scenarios/support/subscription-assertions.ts';
import { expectUnreadable, sendBrokenJson } from '../scenarios/support/unreadable-bodies.ts';
import { INVALID, type Refusal } from '../spec/errors.ts';
import { OPERATIONS, type OperationName } from '../spec/operations.ts';
import {
  batch,
  controlCall,
  isAvailable,
  readBack,
  rowsOf,
  sendCall,
  type ValidCall,
  validCall,
  type Who,
} from './calls.ts';

export interface Faulty {
  readonly call?: ValidCall;
  readonly who?: Who;
  /** Another Authorization header, or none. */
  readonly authorization?: string | null;
  /** No idempotency key. */
  readonly key?: null;
  /** Takes back what was done to the target, once the answer is there. */
  readonly undo?: () => Promise<unknown>;
}

/** Undefined if it cannot be tried on this target. */
export type Fault = (
  t: ScenarioContext,
  valid: ValidCall,
) => Faulty | undefined | Promise<Faulty | undefined>;

type Rules = RuleId | readonly RuleId[];

/** With which refusal: the one of the table, as unreadable, or a check; or that it is served. */
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

export interface RefusalTable extends Omit<Scenario, 'rules' | 'run'> {
  readonly rows: readonly RefusalRow[];
  /** Who sends the valid calls, and the faulty ones unless a fault says otherwise. */
  readonly role?: Role;
  /** The same where it is not a role. */
  readonly caller?: (t: ScenarioContext) => Promise<Caller>;
  /** Leaves out operations that are forbidden to the caller without any fault. */
  readonly isForbiddenLeftOut?: boolean;
  /** The rules are about the form of a refusal, and not about what it leaves. */
  readonly isOfFormAlone?: boolean;
  /** Rules of what `also` shows. */
  readonly besides?: readonly RuleId[];
  /** What no row can tell: boundaries that are accepted, open questions. */
  readonly also?: Scenario['run'];
}

/** Which refusal it is, is open; that it is one is not. */
export function anyRefusal(t: ScenarioContext, rules: Rules, answer: Answer): void {
  const refused = answer.status >= 400 && answer.status < 500;
  t.expect(rules, answer).is('refused with a 4xx', refused);
}

/** It is served, and its answer shows these members as they were sent. */
export function accepted(...names: readonly string[]): Expected {
  return (t, rules, answer, { body: sent = {} }) => {
    const expected = t.expect(rules, answer).status(201, 200);
    for (const name of names) expected.field(name, sent[name]!);
  };
}

/** ERR-2, NS-14: a missing or odd member may also make a body unreadable, under any status. */
export function invalidOrUnreadable(t: ScenarioContext, rules: Rules, answer: Answer): void {
  if (answer.headers.mediaType() === 'text/plain') anyRefusal(t, rules, answer);
  else t.expect(rules, answer).status(400, INVALID[0]);
}

type Over = RequestBody | ((t: ScenarioContext, valid: ValidCall) => RequestBody);

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

/** Bytes that are made of the text of the body. */
export function raw(change: (text: string) => string): Fault {
  return (_, valid) => ({ call: { ...valid, raw: change(writeJson(valid.body ?? {})) } });
}

export function path(id: string | ((own: string) => string)): Fault {
  return (_, valid) => {
    return { call: { ...valid, id: typeof id === 'string' ? id : id(valid.id ?? '') } };
  };
}

export function query(account: null | string | ((valid: ValidCall) => string)): Fault {
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

/** A member of the body as another JSON value, made of the one that it has. */
export function member(name: string, change: (value: Json) => Json): Fault {
  return body((_, valid) => ({ [name]: change(valid.body?.[name] ?? null) }));
}

/** As another role; left out where the target has none. */
export function as(role: Role): Fault {
  return (t) => (t.has(role) ? { who: role } : undefined);
}

const holders = new WeakMap<ScenarioContext, Map<string, Promise<Credential>>>();

/** As a credential with these scopes and no other; left out where none can be made. */
export function asHolderOf(...scopes: readonly string[]): Fault {
  return async (t) => {
    if (!t.has('mint')) return undefined;
    const known = holders.get(t) ?? new Map<string, Promise<Credential>>();
    holders.set(t, known);
    const name = scopes.join(' ');
    const holder = known.get(name) ?? t.operator.mint({ scopes });
    known.set(name, holder);
    return { who: await holder };
  };
}

export function refusals({ rows: all, also, besides = [], ...table }: RefusalTable): Scenario {
  const { role, caller, isForbiddenLeftOut: _, isOfFormAlone: __, ...about } = table;
  const operations = [...new Set(all.map(([, operation]) => operation))];
  return {
    ...about,
    rules: [...new Set([...all.flatMap(([rules]) => rules), ...besides])],
    async run(t) {
      const from = (await caller?.(t)) ?? { who: async () => role ?? t.mainRole };
      for (const operation of operations) {
        if (!(await isAvailable(t, operation))) continue;
        const own = all.filter((row) => row[1] === operation);
        const player = new RowPlayer(t, operation, from, role ?? t.mainRole);
        await t.branch(rulesOf(own), OPERATIONS[operation].words, () => player.play(own, table));
      }
      await also?.(t);
    },
  };
}

function rulesOf(own: readonly RefusalRow[]): RuleId[] {
  return [...new Set(own.flatMap(([rules]) => rules))];
}

/** The rows of one operation. */
class RowPlayer {
  readonly #t: ScenarioContext;
  readonly #operation: OperationName;
  readonly #caller: Caller;
  readonly #role: Role;
  #place: Place | undefined;

  constructor(t: ScenarioContext, operation: OperationName, caller: Caller, role: Role) {
    this.#t = t;
    this.#operation = operation;
    this.#caller = caller;
    this.#role = role;
    this.#place = caller.place;
  }

  async play(
    own: readonly RefusalRow[],
    { isForbiddenLeftOut = false, isOfFormAlone = false }: Partial<RefusalTable>,
  ): Promise<void> {
    const control = await this.#newCall();
    this.#place = control.place;
    const who = await this.#caller.who();
    if (isForbiddenLeftOut && (await sendCall(this.#t, control, { who })).status === 403) return;
    const served = await controlCall(this.#t, await this.#newCall(), who);
    await this.#disable(served);
    let valid = await this.#newCall();
    const refused: RefusalRow[] = [];
    for (const row of own) {
      const answer = await this.#try(row, valid);
      if (answer === undefined) continue;
      // What was served is seen; the next rows start from a record that it has not touched.
      if (answer.status < 300) valid = await this.#newCall();
      else refused.push(row);
    }
    if (refused.length === 0 || isOfFormAlone) return;
    await this.#expectNothingLeft(refused, valid, served);
  }

  #newCall(): Promise<ValidCall> {
    return validCall(this.#t, this.#operation, this.#place, this.#role);
  }

  /** Undefined where the row cannot be tried. */
  async #try(row: RefusalRow, valid: ValidCall): Promise<Answer | undefined> {
    const sent = await this.#send(row, valid);
    if (sent === undefined) return undefined;
    const t = this.#t;
    const [rules, , what, , expected] = row;
    const { answer, call } = sent;
    if (expected === 'unreadable') expectUnreadable(t, rules, answer, await sendBrokenJson(t));
    else if (expected === 'served') this.#expectServed(rules, what, answer);
    else if (typeof expected === 'function') await expected(t, rules, answer, call);
    else t.expect(rules, answer).refused(...expected);
    return answer;
  }

  async #send([, , , fault]: RefusalRow, valid: ValidCall) {
    const faulty = await fault(this.#t, valid);
    if (faulty === undefined) return undefined;
    const { call = valid, undo, ...sending } = faulty;
    const answer = await sendCall(this.#t, call, { who: await this.#caller.who(), ...sending });
    await undo?.();
    await this.#disable(answer);
    return { answer, call };
  }

  /** A target may allow few subscriptions at once. */
  async #disable(answer: Answer): Promise<void> {
    if (this.#operation === 'createWebhook') await disableSubscription(this.#t, answer);
  }

  /** Only a 403 is about who may; any other refusal is another rule's. */
  #expectServed(rules: Rules, what: string, answer: Answer): void {
    if (answer.status >= 300 && answer.status !== 403) {
      const { words } = OPERATIONS[this.#operation];
      throw new Blocked(`control failed: ${words} ${what}: ${answer.summary}`);
    }
    this.#t.expect(rules, answer).is(`served ${what}`, answer.status < 300);
  }

  async #expectNothingLeft(
    refused: readonly RefusalRow[],
    valid: ValidCall,
    served: Answer,
  ): Promise<void> {
    const { words } = OPERATIONS[this.#operation];
    const after = await this.#leftBehind(valid, served);
    if (after.left === undefined) {
      const rules = rulesOf(refused);
      this.#t.expect(rules, after.answer).is('nothing left of what was refused', true);
      return;
    }
    // Each for itself, to see which of them has left something.
    for (const row of refused) {
      const alone = await this.#newCall();
      if ((await this.#send(row, alone)) === undefined) continue;
      const { answer, left } = await this.#leftBehind(alone, served);
      const expected = `nothing left of ${words}, refused for ${row[2]}`;
      this.#t.expect(row[0], answer).is(expected, left === undefined, left);
    }
  }

  /**
   * Sends the call without any fault: it is served as one that was never sent. A decision is not
   * sent but looked at, so that its transaction is pending still.
   */
  async #leftBehind(
    valid: ValidCall,
    served: Answer,
  ): Promise<{ readonly answer: Answer; readonly left?: string }> {
    if (valid.transaction !== undefined) {
      const answer = (await readBack(this.#t, valid, this.#role))!;
      const status = answer.at('status');
      return status === 'pending' ? { answer } : { answer, left: `it reads ${status}` };
    }
    // A new name tells a new account as well as the status does (ACC-1).
    const name = this.#t.fresh.text();
    const isCreate = valid.operation === 'createAccount';
    const call = isCreate ? { ...valid, body: { ...valid.body, first_name: name } } : valid;
    const answer = await sendCall(this.#t, call, { who: await this.#caller.who() });
    await this.#disable(answer);
    const member = valid.operation === 'bulkCreateAccounts' ? 'rows.0.status' : undefined;
    const [seen, wanted] = member
      ? [answer.at(member), served.at(member)]
      : [answer.status, served.status];
    const isNew = isCreate && answer.status < 300 && answer.at('first_name') === name;
    // A control that was repeated may have found its own row: then its status shows nothing.
    const isUnclear = member !== undefined && wanted === 200;
    const isSame = seen === wanted || isNew || isUnclear;
    return isSame ? { answer } : { answer, left: answer.summary };
  }
}
