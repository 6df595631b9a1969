// A sequence while it is drawn: every step is played immediately on a world of the model, whose
// answers supply the records, states and tags that the next steps can use.
import type { Random } from '../../../fixtures/random.ts';
import type { Capability } from '../../engine/capabilities.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';
import { isDecision } from '../../spec/operations.ts';
import { isSetupFailure, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import {
  type CallStep,
  callsOf,
  countCalls,
  labels,
  type MintWish,
  mapMembers,
  type Step,
  sameValue,
  type Value,
} from '../sequence.ts';
import type { Boundary } from './boundaries.ts';
import { type Field, type Kind, OPS, type Op, type Resource } from './operations.ts';

export type Members = { readonly [name: string]: Value };

/** A record that the sequence has created, with the answer that shows it. */
export interface Drawn {
  readonly resource: Resource;
  readonly id: Value;
  readonly as: string;
  readonly body: Members;
  /** The account of a trading account, the trading account of a transaction or a position. */
  readonly parent: Drawn | undefined;
  /** Its status in the model; for a subscription whether it delivers. */
  state: string;
  /** The last step whose answer carries its tag. */
  tag?: number | undefined;
  readonly isProvider?: boolean;
}

type WithoutNumber<S> = S extends Step ? Omit<S, 'n'> : never;
export type Call = Omit<CallStep, 'do' | 'n'>;

export interface DraftOptions {
  readonly player: Player;
  readonly random: Random;
  readonly offers: ReadonlySet<Capability>;
  readonly main: string;
  /** NS-1: whether orders can be sent: their form is known. */
  readonly hasOrders: boolean;
  /** A live target keeps its records, and existing records may belong to other clients. */
  readonly isLive: boolean;
  readonly crowd: number;
  readonly most: number;
  readonly boundaries: (op: Op, count: number) => readonly (readonly [Field, Boundary])[];
}

export class Draft {
  readonly steps: Step[] = [];
  readonly records: Drawn[] = [];
  readonly hooks: number[] = [];
  readonly tokens: number[] = [];
  readonly options: DraftOptions;
  pausedMs = 0;
  #last = 0;

  constructor(options: DraftOptions) {
    this.options = options;
  }

  get random(): Random {
    return this.options.random;
  }

  get main(): string {
    return this.options.main;
  }

  get cost(): number {
    return countCalls(this.steps);
  }

  can(...needs: readonly Capability[]): boolean {
    return needs.every((need) => this.options.offers.has(need));
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Appends the step and plays it on the model; a step that the model cannot play is left out. */
  async push(step: Step): Promise<void> {
    this.#last = Math.max(this.#last, ...labels(step));
    try {
      const outcomes = await this.options.player.play(step);
      this.steps.push(step);
      this.#learn(step, outcomes);
    } catch (error) {
      if (!isSetupFailure(error)) throw error;
    }
  }

  add(step: WithoutNumber<Step>): Promise<void> {
    return this.push({ ...step, n: this.next() } as Step);
  }

  call(call: Call): Promise<void> {
    return this.add({ do: 'call', ...call });
  }

  numbered(call: Call): CallStep {
    return { do: 'call', n: this.next(), ...call };
  }

  async burst(calls: readonly Call[]): Promise<void> {
    const numbered = calls.slice(0, this.options.crowd).map((each) => this.numbered(each));
    if (numbered.length > 1) await this.add({ do: 'burst', calls: numbered });
    else for (const each of calls) await this.call(each);
  }

  async mint(wish: MintWish): Promise<string | undefined> {
    const name = `m${this.next()}`;
    const before = this.steps.length;
    await this.add({ do: 'mint', name, wish });
    return this.steps.length > before ? name : undefined;
  }

  of(resource: Resource): readonly Drawn[] {
    return this.records.filter((each) => each.resource === resource);
  }

  #named(resource: Resource, id: Value | undefined): Drawn | undefined {
    return this.of(resource).find((each) => sameValue(each.id, id));
  }

  #learn(step: Step, outcomes: readonly Outcome[]): void {
    if (step.do === 'hook') this.hooks.push(step.n);
    if (step.do === 'advance') this.pausedMs += step.byMs;
    if (step.do === 'open' || step.do === 'place') this.#learnPlace(step);
    const [done] = outcomes;
    if (step.do === 'settle' && done?.kind === 'done' && done.isRefused !== true) {
      const record = this.#named('transaction', step.id);
      if (record !== undefined) record.state = 'settled';
    }
    for (const call of callsOf([step])) {
      const outcome = outcomes.find(({ n }) => n === call.n);
      if (outcome?.kind === 'answer' && outcome.status < 300) this.#learnCall(call, outcome.json);
    }
  }

  #learnPlace(step: Extract<Step, { do: 'open' | 'place' }>): void {
    const account = step.do === 'open' ? this.#named('account', step.account) : undefined;
    const isProvider = step.do === 'open' ? step.provider === true : /^provider/.test(step.kind);
    const at = (name: string): Value => ({ $of: step.n, at: name });
    const body = { account_id: at('account_id'), currency: at('currency') };
    this.records.push({
      ...{ resource: 'place', id: at('trading_account_id'), as: account?.as ?? this.main, body },
      ...{ parent: account, state: 'open', isProvider },
    });
  }

  #learnCall(call: CallStep, json: Json | undefined): void {
    const { operation, n, as } = call;
    const { makes, subject, isRead } = OPS[operation];
    if (operation === 'issueToken') this.tokens.push(n);
    if (operation === 'bulkCreateAccounts') this.#learnRows(call, json);
    const at = makes === 'position' ? 'position_id' : 'id';
    if (makes !== undefined) this.#learnMade(makes, { $of: n, at }, as, bodyOf(call), json, n);
    const closed = this.#named('position', bodyOf(call).position_id);
    if (operation === 'closePosition' && closed !== undefined) closed.state = 'closed';
    const record = subject && this.#named(subject, call.id);
    if (record === undefined || isRead) return;
    if (operation === 'updateAccount') record.tag = n;
    record.state = stateIn(json) ?? record.state;
  }

  #learnRows({ n, as, body }: CallStep, json: Json | undefined): void {
    const { accounts: rows = [] } = Object(body) as { readonly accounts?: readonly Members[] };
    for (const [at, row] of rows.entries()) {
      const answered = memberAt(json, `rows.${at}`);
      if ('$rows' in Object(row) || memberAt(answered, 'status') !== 201) continue;
      this.#learnMade('account', { $of: n, at: `rows.${at}.id` }, as, row, answered);
    }
  }

  /** Only a create shows a tag: `tag` is the number of its step. */
  #learnMade(
    resource: Resource,
    id: Value,
    as: string,
    body: Members,
    json: Json | undefined,
    tag?: number,
  ): void {
    const state = stateIn(json);
    const { client_reference_id: reference } = body;
    const known = this.of(resource).find(
      (each) => each.as === as && sameValue(each.body.client_reference_id, reference),
    );
    if (known !== undefined) {
      known.state = state ?? known.state;
      known.tag = tag ?? known.tag;
      return;
    }
    const parent = this.#named('place', body.trading_account_id);
    this.records.push({ resource, id, as, body, parent, state: state ?? 'open', tag });
  }
}

function stateIn(json: Json | undefined): string | undefined {
  const [status, disabled] = ['status', 'disabled'].map((name) => memberAt(json, name));
  if (disabled !== undefined) return disabled === true ? 'disabled' : 'enabled';
  return typeof status === 'string' ? status : undefined;
}

export const bodyOf = ({ body }: Pick<Call, 'body'>): Members =>
  body !== null && typeof body === 'object' && !Array.isArray(body) ? (body as Members) : {};

/** The ordinary value of a member. */
export function plainMember({ name, kind, words }: Field, as: string, n: number): Value {
  const values: Readonly<Record<Kind, Value>> = {
    reference: { $fresh: `ref${n}` },
    email: emailOf(`mail${n}`),
    phone: { $phone: `phone${n}`, form: 'e164' },
    region: 'GB',
    decimal: name === 'volume' ? '0.10' : '25.00',
    currency: 'USD',
    word: words[0] ?? '',
    list: ['account', 'transaction'],
    id: { $role: as, has: 'brand' },
    url: 'https://93.184.216.34/hook',
    flag: false,
    text: PLAIN_TEXTS[name]?.at(n % PLAIN_TEXTS[name].length) ?? { $fresh: `text${n}` },
  };
  return values[kind];
}

/** Texts that suggest their meaning; more than one for a member that any text fits. */
const PLAIN_TEXTS: Readonly<Record<string, readonly string[]>> = {
  ...{ instrument: ['EURUSD'], reason: ['late'] },
  ...{ country: ['GB', 'Portugal'], language: ['en', 'pt-BR'] },
};

export const emailOf = (stem: string): Value => ({
  $join: [{ $fresh: stem }, '@explore.example.com'],
});

interface Plain {
  readonly as?: string;
  /** The record that the call is about, or under which it creates another. */
  readonly subject?: Drawn | undefined;
  /** Every optional member too, not only the required ones and some of the others. */
  readonly isFull?: boolean;
  readonly over?: Members;
}

/** A call that succeeds if its caller is allowed to make it, with its own key. */
export function plainCall(d: Draft, op: Op, plain: Plain = {}): Call {
  const { as = d.main, subject, over = {} } = plain;
  const n = d.next();
  const call: Call = { operation: op.name, as, ...(op.keyed && { key: { $fresh: `key${n}` } }) };
  if (op.name === 'issueToken') {
    // A profile names a secret for its client alone.
    const isKnown = as === 'anonymous' || d.can('mint');
    return { ...call, body: tokenBody(isKnown ? as : 'client'), as: 'anonymous' };
  }
  const about: Call =
    op.subject === undefined || subject === undefined
      ? call
      : {
          ...{ ...call, id: subject.id },
          ...(isDecision(op.name) && { query: { account_id: accountOf(subject) } }),
          ...(op.name === 'updateAccount' && { ifMatch: tagOf(subject) }),
        };
  if (op.fields.length === 0) return about;
  return inBatch(about, { ...plainBody(d, op, plain, n), ...over });
}

/** The call with this body, or with it as the only row if the call is a batch. */
export const inBatch = (call: Call, body: Members): Call => ({
  ...call,
  body: call.operation === 'bulkCreateAccounts' ? { accounts: [body] } : body,
});

/** The body of a call, or its first row. */
export function rowOf(call: Call): Members {
  const body = bodyOf(call);
  const rows = call.operation === 'bulkCreateAccounts' ? body.accounts : undefined;
  return Array.isArray(rows) ? ((rows as readonly Members[])[0] ?? {}) : body;
}

/** The members of a token request, in the model's form (NS-8). */
export const tokenBody = (role: string): Members => ({
  grant_type: 'client_credentials',
  client_id: role === 'anonymous' ? { $fresh: 'unknown-client' } : { $role: role, has: 'client' },
  client_secret: role === 'anonymous' ? 'unknown' : { $role: role, has: 'secret' },
});

function plainBody(d: Draft, op: Op, { as = d.main, subject, isFull }: Plain, n: number): Members {
  // UPD-8: at least one member has to change.
  const spare = op.name === 'updateAccount' ? d.random.pick(op.fields).name : undefined;
  const members = op.fields
    // ACC-15: a brand is named if the caller has one.
    .filter(({ name, required }) => required || isFull || name === 'brand_id' || name === spare)
    .map((field) => [field.name, linkOf(d, field.name, subject) ?? plainMember(field, as, n)]);
  const body = Object.fromEntries(members) as Members;
  if (op.name !== 'createTransaction' || !d.can('fresh_trading_account')) return body;
  return { ...body, ...d.random.pick(MOVES), amount: d.random.pick(AMOUNTS) };
}

/** TXN-6, TXN-7: the types and methods by which money can move. */
export const MOVES: readonly Members[] = [
  ...[{}, { method: 'Deposit' }, { method: 'Bonus' }],
  { transaction_type: 'Withdrawal', method: 'Withdrawal' },
  ...[{ transaction_type: 'Credit' }, { transaction_type: 'Debit', method: 'Withdrawal' }],
];
const AMOUNTS: readonly string[] = ['25.00', '10.29', '1000.07', '0.01', '70.10', '123456.78'];

/** Members that name the record which the call is about. */
function linkOf(d: Draft, name: string, subject: Drawn | undefined): Value | undefined {
  if (name === 'position_id') return subject?.resource === 'position' ? subject.id : undefined;
  if (name === 'url' && d.hooks.length > 0) return { $of: d.hooks.at(-1)!, at: 'url' };
  const place = subject?.resource === 'position' ? subject.parent : subject;
  if (place?.resource !== 'place') return undefined;
  if (name === 'trading_account_id') return place.id;
  return name === 'account_id' || name === 'currency' ? place.body[name] : undefined;
}

export function accountOf(record: Drawn): Value {
  const place = record.resource === 'transaction' ? record.parent : record;
  return place?.body.account_id ?? record.body.account_id ?? record.id;
}

/** The tag of the last answer that showed the account; a batch row shows it in a create. */
const tagOf = ({ tag }: Drawn): Value =>
  tag === undefined ? '"1"' : { $header: tag, name: 'etag' };

/** The call with this value in a member; its fresh texts differ from all others. */
export function withMember(d: Draft, call: Call, name: string, boundary: Boundary): Call {
  const { [name]: _, ...rest } = rowOf(call);
  if (boundary === 'absent') return inBatch(call, rest);
  return inBatch(call, { ...rest, [name]: renamed(boundary.value, String(d.next())) });
}

/** Fresh texts under stems that no other part of the sequence has. */
export const renamed = (value: Value, suffix: string): Value =>
  mapMembers(value, (name, each) =>
    name === '$fresh' || name === '$phone' ? `${each as string}${suffix}` : each,
  ) as Value;
