// Turns a row of the covering array into steps: what has to be there before, the focal call in its
// circumstances, and what is asked afterwards.
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import type { OperationName } from '../../engine/operations.ts';
import { EVERY_SCOPE } from '../../providers/control-provider.ts';
import type { Value } from '../sequence.ts';
import { type Boundary, EDGE_KEYS, ODD_TAGS, RAW_BODIES, SIZES, TIMES } from './boundaries.ts';
import type { Row } from './covering.ts';
import { subjectOf } from './dimensions.ts';
import {
  accountOf,
  bodyOf,
  type Call,
  type Draft,
  type Drawn,
  emailOf,
  freshKey,
  type Members,
  ownStems,
  plainCall,
  tokenBody,
  withBoundary,
} from './draft.ts';
import { type Field, isDecision, OPS, type Op } from './operations.ts';
import { otherThan, recordIn, UNKNOWN_ID } from './records.ts';

export interface PlanOptions {
  readonly d: Draft;
  readonly row: Row;
  /** The next of the values to be tried in the members of an operation. */
  readonly boundaries: (
    op: OperationName,
    count: number,
  ) => readonly (readonly [Field, Boundary])[];
  /** The most calls that a sequence may cost. */
  readonly most: number;
}

/** So many values are tried one after the other in one sequence. */
const BOUNDARIES_AT_ONCE = 5;

export async function playRow(options: PlanOptions): Promise<void> {
  const plan = new Plan(options);
  await plan.play();
}

class Plan {
  readonly #d: Draft;
  readonly #row: Row;
  readonly #op: Op;
  readonly #options: PlanOptions;

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#d = options.d;
    this.#row = options.row;
    this.#op = OPS[options.row.operation as OperationName];
  }

  #is(dimension: string, level: string): boolean {
    return this.#row[dimension] === level;
  }

  async play(): Promise<void> {
    const d = this.#d;
    await this.#observe();
    // A live target gets no URL that its profile does not give.
    const isHook = this.#op.name === 'createWebhook' && d.options.isLive;
    if (isHook && d.hooks.length === 0) await d.add({ do: 'hook', answers: [200] });
    const resource = subjectOf(this.#op);
    const subject =
      resource === undefined ? undefined : await recordIn(d, resource, Number(this.#row.state));
    if (resource !== undefined && subject === undefined) return;
    await this.#gather(subject);
    const as = await this.#caller(subject);
    if (as === undefined) return;
    const plain = { as, subject, isFull: this.#is('body', 'full') };
    const calls = await this.#bodies(plainCall(d, this.#op, plain), subject);
    const [first, ...others] = calls;
    if (first === undefined) return;
    // Of values that are tried one after the other only the first meets all of the row.
    for (const call of others) await d.call(this.#authorized(call));
    const focal = await this.#keyed(this.#authorized(first), subject);
    await this.#pause(this.#row.gap);
    await this.#send(focal, subject);
    await this.#follow(focal, subject);
    if (this.#is('caller', 'a firm without permission')) {
      await d.add({ do: 'permit', operation: this.#op.name, allowed: true });
      for (const call of calls) await d.call(call);
    }
  }

  /** Who is told of what happens. */
  async #observe(): Promise<void> {
    const d = this.#d;
    const observer = this.#row.observer ?? 'none';
    if (observer === 'none' || d.hooks.length > 1) return;
    const answers = observer === 'failing hook' ? d.random.pick(FAILURES) : [200];
    await d.add({ do: 'hook', answers });
    const as = observer === "a brand's hook" ? 'brand' : d.main;
    const event_categories = d.random.pick(CATEGORIES);
    const over = { event_categories };
    await d.call(plainCall(d, OPS.createWebhook, { as, over }));
    const made = d.of('subscription').at(-1);
    if (observer === 'two hooks') await d.call(plainCall(d, OPS.createWebhook, { over: ALL }));
    if (made === undefined) return;
    const verb = observer === 'rotated hook' ? 'rotateWebhookSecret' : 'disableWebhook';
    if (/rotated|disabled/.test(observer)) {
      await d.call(plainCall(d, OPS.createAccount, { isFull: true }));
      await d.call(plainCall(d, OPS[verb], { as, subject: made }));
    }
  }

  /** Others of the kind, so that the focal call meets one among many. */
  async #gather(subject: Drawn | undefined): Promise<void> {
    const d = this.#d;
    const count = sizeOf(d, this.#row.crowd ?? 'none');
    if (count === 0) return;
    if (/Account/.test(this.#op.name)) {
      const row = { ...bodyOf(plainCall(d, OPS.createAccount)), ...rowNames(d) };
      const accounts: Value = [{ $rows: count, of: row }];
      await d.call({ ...plainCall(d, OPS.bulkCreateAccounts), body: { accounts } });
      return;
    }
    // Many calls are as many as some other sequences take.
    const isDear = !d.random.chance(count > 40 ? 0.15 : 0.4);
    const affordable = Math.min(isDear ? 3 : count, this.#options.most - d.cost - 12);
    if (affordable < 2) return;
    const op = this.#op.subject === 'transaction' ? OPS.createTransaction : this.#op;
    const place = subject?.resource === 'transaction' ? subject.parent : subject;
    if (op.isRead || op.subject !== undefined || op.name === 'closePosition') return;
    const call = plainCall(d, op, { subject: place });
    await d.many(affordable, ofEach(call));
  }

  async #caller(subject: Drawn | undefined): Promise<string | undefined> {
    const d = this.#d;
    const caller = this.#row.caller ?? 'main';
    const scopes = this.#op.scopes;
    switch (caller) {
      case 'main':
      case 'issued token':
        return d.main;
      case 'a firm without permission':
        await d.add({ do: 'permit', operation: this.#op.name, allowed: false });
        return d.main;
      case 'twin':
        return d.mint({ scopes: EVERY_SCOPE });
      case 'its scope alone':
        return d.mint({ scopes: [d.random.pick(scopes)] });
      case 'all but its scope':
        return d.mint({ scopes: EVERY_SCOPE.filter((each) => !scopes.includes(each)) });
      case 'rescoped': {
        const name = await d.mint({ scopes: EVERY_SCOPE });
        if (name === undefined) return undefined;
        await d.call(plainCall(d, OPS.createAccount, { as: name }));
        await d.add({ do: 'rescope', name, scopes: d.random.pick([[], [...scopes]]) });
        return name;
      }
      case 'trader':
      case 'another trader': {
        const own = caller === 'trader' ? subject : undefined;
        const owner = own ?? (await recordIn(d, 'account', 0));
        if (owner === undefined) return undefined;
        const minter = await d.mint({ scopes: EVERY_SCOPE });
        if (minter === undefined) return undefined;
        const traders = ['trader:trade', 'trader:funds'];
        const wish = { kind: 'delegated', scopes: traders, account: accountOf(owner) } as const;
        return d.mint({ ...wish, mintedBy: minter });
      }
      default:
        return caller;
    }
  }

  /** A token from the endpoint instead of the one that the credential has. */
  #authorized(call: Call): Call {
    const from = this.#d.tokens.at(-1);
    if (!this.#is('caller', 'issued token') || from === undefined) return call;
    const bearer: Value = { $join: ['Bearer ', { $of: from, at: 'access_token' }] };
    return { ...call, headers: { ...call.headers, authorization: bearer } };
  }

  async #bodies(call: Call, subject: Drawn | undefined): Promise<readonly Call[]> {
    const d = this.#d;
    if (this.#is('caller', 'issued token')) {
      await d.call({ ...plainCall(d, OPS.issueToken), body: tokenBody('client') });
    }
    const body = bodyOf(call);
    switch (this.#row.body ?? 'plain') {
      case 'boundaries':
        return this.#options
          .boundaries(call.operation, BOUNDARIES_AT_ONCE)
          .filter(([field, boundary]) => isHarmless(d, field, boundary))
          .map(([field, each]) => withBoundary(d, this.#another(call, subject), field, each));
      case 'unreadable':
        return [{ ...call, raw: d.random.pick(RAW_BODIES) }];
      case 'unknown member':
        return [{ ...call, body: { ...body, is_ftd: true, owner_id: '7', note: 'unknown' } }];
      case 'media type': {
        const type = d.random.pick(['text/plain', 'application/json; charset=utf-8', '']);
        return [{ ...call, headers: { 'content-type': type } }];
      }
      case 'known reference':
        return [await this.#knownReference(call, subject)];
      case 'known person':
        return [await this.#knownPerson(call)];
      case 'mixed rows':
        return [{ ...call, body: { accounts: await this.#mixedRows(call) } }];
      case 'many rows':
        return [this.#manyRows(call)];
      case 'no change':
        return [{ ...call, body: d.random.pick([{}, { email: emailOf(1) }]) }];
      case 'odd tag':
        return [{ ...call, ifMatch: d.random.pick(ODD_TAGS) }, without(call, 'ifMatch')];
      case 'stale tag':
        await d.call(plainCall(d, OPS.updateAccount, { subject }));
        return [call];
      case 'unknown':
        return [{ ...call, id: UNKNOWN_ID }];
      case 'of another':
        return [await this.#ofAnother(call, subject)];
      default:
        return [call];
    }
  }

  /** The same call once more, for records and with texts of its own. */
  #another(call: Call, subject: Drawn | undefined): Call {
    return plainCall(this.#d, this.#op, { as: call.as, subject });
  }

  async #knownReference(call: Call, subject: Drawn | undefined): Promise<Call> {
    const d = this.#d;
    const op = this.#op.name === 'createTransaction' ? OPS.createTransaction : OPS.createAccount;
    const first = plainCall(d, op, { subject });
    await d.call(first);
    const { client_reference_id: own } = bodyOf(first);
    const reference: Value = d.random.chance(0.4) ? { $case: 'upper', of: own! } : own!;
    const isBatch = call.operation === 'bulkCreateAccounts';
    const plain = isBatch ? (bodyOf(call).accounts as readonly Members[])[0]! : bodyOf(call);
    const body = { ...plain, client_reference_id: reference };
    return {
      ...call,
      body: isBatch ? { accounts: [body, { ...body, first_name: 'Twin' }] } : body,
    };
  }

  /** ACC-8, ACC-9: of an email or a phone that someone at the brand has already. */
  async #knownPerson(call: Call): Promise<Call> {
    const d = this.#d;
    const first = plainCall(d, OPS.createAccount, { isFull: true });
    await d.call(first);
    const { email, phone } = bodyOf(first);
    const form = d.random.pick(['e164', 'spaced', 'dashes'] as const);
    const stem = (phone as { $phone?: string } | undefined)?.$phone ?? 'phone';
    const over: Members = d.random.pick<Members>([
      { email: email! },
      { email: { $case: 'upper', of: email! } },
      { phone: { $phone: stem, form } },
      { phone: { $phone: stem, form: 'sibling' } },
      { phone: { $phone: stem, form: 'national' }, phone_region: 'GB' },
    ]);
    const isBatch = call.operation === 'bulkCreateAccounts';
    const plain = isBatch ? (bodyOf(call).accounts as readonly Members[])[0]! : bodyOf(call);
    const body = { ...plain, ...over };
    return { ...call, body: isBatch ? { accounts: [body] } : body };
  }

  /** BULK-3, BULK-8: rows that succeed and rows that fail, each alone, in an order of chance. */
  async #mixedRows(call: Call): Promise<Value> {
    const d = this.#d;
    const known = await recordIn(d, 'account', 0);
    const row = (over: Members = {}) => ({
      ...bodyOf(plainCall(d, OPS.createAccount, { as: call.as })),
      ...over,
    });
    const twice = row();
    const rows: Members[] = [row(), row({ country: 'PT' }), twice, { ...twice, last_name: 'Twin' }];
    const faults: Members[] = [
      row({ email: 'no-at-sign' }),
      row({ client_reference_id: { $fresh: 'long', length: 256 } }),
      ...(known === undefined ? [] : [{ ...known.body }, row({ email: known.body.email! })]),
    ];
    const whole: readonly Members[] = [
      without(row(), 'client_reference_id'),
      row({ brand_id: UNKNOWN_ID }),
    ];
    const chosen = [...rows, ...d.random.shuffled(faults).slice(0, 3)];
    if (d.random.chance(0.2)) chosen.push(d.random.pick(whole));
    return d.random.shuffled(chosen);
  }

  #manyRows(call: Call): Call {
    const d = this.#d;
    const [row] = bodyOf(call).accounts as readonly Members[];
    const count = d.random.pick([0, ...SIZES.filter((each) => each <= 1001)]);
    const fill: Value = { $rows: count, of: { ...row!, ...rowNames(d) } };
    // The first row comes again at the end: what is far apart is met again all the same.
    const rows: Value = count === 0 ? [] : d.random.chance(0.3) ? [row!, fill, row!] : [fill];
    return { ...call, body: { accounts: rows } };
  }

  async #ofAnother(call: Call, subject: Drawn | undefined): Promise<Call> {
    const other = subject === undefined ? undefined : await otherThan(this.#d, subject);
    if (other === undefined) return call;
    if (isDecision(call.operation)) return { ...call, query: { account_id: accountOf(other) } };
    return { ...call, body: { ...bodyOf(call), trading_account_id: other.id } };
  }

  /** Sends what the key was used for before, if it was, and gives the focal call its key. */
  async #keyed(call: Call, subject: Drawn | undefined): Promise<Call> {
    const d = this.#d;
    const level = this.#row.key ?? 'own';
    if (level === 'own') return call;
    if (level === 'missing') return without(call, 'key');
    if (level === 'at an edge') {
      const key = ownStems(d.random.pick(EDGE_KEYS), d.next());
      await d.call({ ...call, key });
      return { ...call, key };
    }
    if (level === 'in another operation') {
      const other = this.#otherOperation(call, subject);
      await d.call({ ...other, key: call.key! });
      return call;
    }
    await d.call(call);
    if (level === 'by another caller') {
      const twin = await d.mint({ scopes: EVERY_SCOPE });
      return twin === undefined ? call : { ...call, as: twin };
    }
    if (level === 'with another body') return this.#withOtherWords(call);
    if (level === 'for another subject') {
      const other = subject === undefined ? undefined : await otherThan(d, subject);
      const again = plainCall(d, this.#op, { as: call.as, subject: other ?? subject });
      return { ...again, key: call.key! };
    }
    return call;
  }

  #otherOperation(call: Call, subject: Drawn | undefined): Call {
    const d = this.#d;
    const { as } = call;
    if (isDecision(call.operation)) {
      const others = (
        ['approveTransaction', 'cancelTransaction', 'rejectTransaction'] as const
      ).filter((each) => each !== call.operation);
      return plainCall(d, OPS[d.random.pick(others)], { as, subject });
    }
    if (call.operation === 'createAccount') {
      return { operation: 'bulkCreateAccounts', as, body: { accounts: [call.body ?? {}] } };
    }
    if (/Position$/.test(call.operation) && subject !== undefined) {
      const place = subject.resource === 'place' ? subject : subject.parent;
      return plainCall(d, OPS.openPosition, { as, subject: place });
    }
    return plainCall(d, OPS.createAccount, { as });
  }

  /** IDEM-8: another body for the same subject. */
  #withOtherWords(call: Call): Call {
    const body = bodyOf(call);
    if (call.operation !== 'bulkCreateAccounts') {
      return { ...call, body: { ...body, ...OTHER_WORDS[call.operation] } };
    }
    const [first, ...rest] = body.accounts as readonly Members[];
    const changed = this.#d.random.pick<readonly Members[]>([
      [{ ...first!, first_name: 'Other' }, ...rest],
      [{ ...first!, email: emailOf(this.#d.next()) }, ...rest],
      [...rest, first!, ...rest.slice(0, 1)],
    ]);
    return { ...call, body: { accounts: changed } };
  }

  async #pause(gap: string | undefined): Promise<void> {
    const times = GAPS[gap ?? 'none'];
    if (times === undefined) return;
    await this.#d.add({ do: 'advance', byMs: this.#d.random.pick(times) });
  }

  async #send(focal: Call, subject: Drawn | undefined): Promise<void> {
    const d = this.#d;
    const fault = this.#row.fault ?? 'none';
    if (fault === 'held') return this.#held(focal, subject);
    if (fault === 'over the rate') return this.#overTheRate(focal);
    const effect = FAULTS[fault];
    if (effect !== undefined) {
      await d.add({ do: 'fault', match: { operation: focal.operation }, times: 1, ...effect });
    }
    switch (this.#row.atOnce) {
      case 'twins':
        return d.burst([focal, focal, ...(d.random.chance(0.5) ? [focal] : [])]);
      case 'rivals':
        return d.burst([focal, this.#rivalOf(focal, subject)]);
      case 'crowd': {
        const others = Array.from({ length: 5 }, () => this.#another(focal, subject));
        return d.burst([focal, ...others]);
      }
      case 'trailing':
        return d.burst([focal, this.#rivalOf(focal, subject), focal], true);
      default:
        await d.call(focal);
    }
  }

  /** IDEM-14: an attempt that a fault holds, met by its repeat and by a call beside it. */
  async #held(focal: Call, subject: Drawn | undefined): Promise<void> {
    const d = this.#d;
    const ms = d.random.pick([3_000, 20_000]);
    const effect = { kind: 'delay', ms };
    await d.add({ do: 'fault', match: { operation: focal.operation }, times: 1, effect });
    const n = d.next();
    await d.push({ do: 'call', n, ...focal, pending: true });
    if (this.#options.d.options.crowd > 1 && d.random.chance(0.5)) {
      await d.burst([focal, this.#rivalOf(focal, subject)]);
    } else await d.call(focal);
    await d.add({ do: 'advance', byMs: ms + 1_000 });
    await d.add({ do: 'await', call: n });
    await d.call(focal);
  }

  /** LIM-1, LIM-2: well beyond the allowance, and again once it is back. */
  async #overTheRate(focal: Call): Promise<void> {
    const d = this.#d;
    const perSecond = d.random.pick([1, 2, 5]);
    const wish = d.random.chance(0.5) ? { plan: 'sandbox' as const } : { perSecond };
    const as = await d.mint({ scopes: EVERY_SCOPE, ...wish });
    if (as === undefined) return;
    const limited = { ...focal, as };
    await d.many(('plan' in wish ? 5 : perSecond) * 3, limited);
    await d.call(limited);
    await d.add({ do: 'advance', byMs: d.random.pick([1_000, 3_000, 60_000]) });
    await d.call(limited);
  }

  /** Another change of the same record at the same time. */
  #rivalOf(focal: Call, subject: Drawn | undefined): Call {
    const d = this.#d;
    const { operation, as } = focal;
    if (isDecision(operation)) return { ...this.#otherOperation(focal, subject), ...freshly(d) };
    if (operation === 'updateAccount') {
      return { ...focal, ...freshly(d), body: { last_name: `Rival ${d.next()}` } };
    }
    if (/Webhook/.test(operation) && subject !== undefined) {
      return plainCall(d, OPS[d.random.pick(['rotateWebhookSecret', 'disableWebhook'] as const)], {
        ...{ as, subject },
      });
    }
    if (/^create(A|T)/.test(operation)) {
      const body = bodyOf(focal);
      const other = { client_reference_id: { $fresh: `ref${d.next()}` } };
      const isBatch = operation === 'createAccount' && d.random.chance(0.3);
      if (isBatch) return { ...this.#otherOperation(focal, subject), ...freshly(d) };
      return { ...focal, ...freshly(d), body: d.random.chance(0.5) ? body : { ...body, ...other } };
    }
    return OPS[operation].keyed ? { ...focal, ...freshly(d) } : focal;
  }

  async #follow(focal: Call, subject: Drawn | undefined): Promise<void> {
    const d = this.#d;
    switch (this.#row.after) {
      case 'repeat later':
        await this.#pause(d.random.pick(['hours', 'day', 'days']));
        await d.call(focal);
        return;
      case 'repeat':
        await d.call(focal);
        return;
      case 'same under a new key':
        await d.call({ ...focal, ...freshly(d) });
        return;
      case 'next change':
        await d.call({ ...this.#rivalOf(focal, subject), ...(this.#op.keyed ? freshly(d) : {}) });
        return;
      case 'new token': {
        await d.call({ ...plainCall(d, OPS.issueToken), body: tokenBody('client') });
        const from = d.tokens.at(-1);
        if (from === undefined) return;
        const bearer: Value = { $join: ['Bearer ', { $of: from, at: 'access_token' }] };
        await d.call({ ...focal, headers: { ...focal.headers, authorization: bearer } });
      }
    }
  }
}

const freshly = (d: Draft) => ({ key: freshKey(d) });

const FAILURES: readonly (readonly number[])[] = [
  ...[[500, 200], [404, 200], [301, 200], [500, 500, 500, 200], [503], [410, 302, 200]],
];
const CATEGORIES: readonly (readonly string[])[] = [
  eventCategories,
  ...[['account'], ['transaction'], ['account', 'transaction'], ['order', 'position']],
];
const ALL: Members = { event_categories: eventCategories };

const FAULTS: Readonly<
  Record<string, { phase: 'before' | 'after'; effect: Readonly<Record<string, string | number>> }>
> = {
  'fails before': { phase: 'before', effect: { kind: 'status', status: 500 } },
  'contended before': { phase: 'before', effect: { kind: 'status', status: 503 } },
  'fails after': { phase: 'after', effect: { kind: 'status', status: 500 } },
  'lost after': { phase: 'after', effect: { kind: 'reset' } },
};

const between = (from: number, to: number) => TIMES.filter((each) => each >= from && each < to);
const GAPS: Readonly<Record<string, readonly number[]>> = {
  seconds: between(0, 31_001),
  minutes: between(31_001, 3_500_000),
  hours: between(3_500_000, 80_000_000),
  day: between(80_000_000, 100_000_000),
  days: between(100_000_000, Number.POSITIVE_INFINITY),
};

const OTHER_WORDS: Readonly<Partial<Record<OperationName, Members>>> = {
  createAccount: { first_name: 'Other', country: 'FR' },
  updateAccount: { first_name: 'Other' },
  createTransaction: { amount: '123.45' },
  rejectTransaction: { reason: 'another' },
  cancelTransaction: { reason: 'another' },
  openPosition: { instrument: 'GBPUSD', side: 'sell', volume: '0.20' },
  closePosition: { volume: '0.05' },
};

function sizeOf(d: Draft, level: string): number {
  const [from, to] = { few: [2, 4], tens: [9, 22], hundred: [50, 140], thousand: [400, 999] }[
    level
  ] ?? [0, 0];
  const sizes = SIZES.filter((each) => each >= from! && each < to!);
  return sizes.length === 0 ? 0 : d.random.pick(sizes);
}

/** Names of a row that is made many times: `$i` is its number. */
function rowNames(d: Draft): Members {
  const stem = `row${d.next()}-$i`;
  return {
    client_reference_id: { $fresh: stem },
    email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
  };
}

/** A call that is made many times, with names of its own each time. */
function ofEach(call: Call): Call {
  const own = (value: Value): Value => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((each: Value) => own(each));
    const members = Object.entries(value).map(([name, each]) => {
      const isStem = name === '$fresh' || name === '$phone';
      return [name, isStem ? `${each as string}-$i` : own(each as Value)];
    });
    return Object.fromEntries(members) as Value;
  };
  const { key, body, ...rest } = call;
  return {
    ...rest,
    ...(key === undefined ? {} : { key: own(key) }),
    ...(body === undefined ? {} : { body: own(body) }),
  };
}

/** On a live target no id is sent that may be a record of someone else, and no foreign url. */
function isHarmless(d: Draft, field: Field, boundary: Boundary): boolean {
  if (!d.options.isLive || boundary === 'absent') return true;
  const { value } = boundary;
  if (typeof value === 'number') return field.kind !== 'id';
  if (typeof value !== 'string') return true;
  if (field.kind === 'id') return !/\d/.test(value);
  return field.kind !== 'url' || !/93\.184|172\.32|2606/.test(value);
}

function without<T extends object>(call: T, name: string): T {
  return Object.fromEntries(Object.entries(call).filter(([each]) => each !== name)) as T;
}

/** What every sequence ends with: each record that was met is shown once more in another way. */
export async function lastLooks(d: Draft): Promise<void> {
  const accounts = d.random.shuffled(d.of('account')).slice(0, 4);
  if (accounts.length > 0) {
    const call = plainCall(d, OPS.bulkCreateAccounts);
    await d.call({ ...call, body: { accounts: accounts.map(({ body }) => body) } });
    const [first] = accounts;
    const { body, as } = first!;
    await d.call({ ...plainCall(d, OPS.createAccount, { as }), body });
  }
  for (const { body, as } of d.random.shuffled(d.of('transaction')).slice(0, 2)) {
    await d.call({ ...plainCall(d, OPS.createTransaction, { as }), body });
  }
  const subscriptions = d.of('subscription');
  if (subscriptions.length > 0) await d.call(plainCall(d, OPS.listWebhooks));
  for (const subject of subscriptions.slice(-1)) {
    await d.call(plainCall(d, OPS.getWebhook, { subject }));
  }
  if (!d.can('ledger')) return;
  for (const { id } of d.random.shuffled(d.of('place')).slice(0, 2)) {
    await d.add({ do: 'ledger', tradingAccount: id });
  }
}
