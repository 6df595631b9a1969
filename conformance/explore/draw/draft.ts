// A sequence while it is drawn: every step is played on a world of the model at once, whose answers
// supply the records, states and tags that the next steps can use.
import type { Random } from '../../../fixtures/random.ts';
import type { Capability } from '../../engine/capabilities.ts';
import type { OperationName } from '../../engine/operations.ts';
import { type Json, memberAt } from '../../engine/send/answer.ts';
import { isSetupFailure, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { type CallStep, countCalls, type MintWish, type Step, type Value } from '../sequence.ts';
import { type Boundary, boundariesOf } from './boundaries.ts';
import { type Field, isDecision, OPS, type Op, type Resource } from './operations.ts';

export type Members = { readonly [name: string]: Value };

/** A record that the sequence has made, by the answer that shows it. */
export interface Drawn {
  readonly resource: Resource;
  readonly id: Value;
  /** Who made it. */
  readonly as: string;
  /** What it was made of. */
  readonly body: Members;
  /** The account of a trading account, the trading account of a transaction or a position. */
  readonly parent: Drawn | undefined;
  /** Its status as the model shows it; for a subscription whether it delivers. */
  state: string;
  /** How many calls have changed it. */
  changes: number;
  /** The last step whose answer carries its tag. */
  tag: number | undefined;
  readonly isProvider?: boolean;
}

type WithoutNumber<S> = S extends Step ? Omit<S, 'n'> : never;
/** A step before it has its number. */
export type Unnumbered = WithoutNumber<Exclude<Step, { readonly do: 'burst' | 'many' }>>;
export type Call = Omit<CallStep, 'do' | 'n'>;

export interface DraftOptions {
  readonly player: Player;
  readonly random: Random;
  readonly offers: ReadonlySet<Capability>;
  readonly main: string;
  /** NS-1: whether orders can be sent: their form is known. */
  readonly hasOrders: boolean;
  /** A live target keeps what is made, and its records may be anyone's. */
  readonly isLive: boolean;
  /** The most calls at once. */
  readonly crowd: number;
}

export class Draft {
  readonly steps: Step[] = [];
  readonly records: Drawn[] = [];
  readonly hooks: number[] = [];
  /** Steps that answered a token. */
  readonly tokens: number[] = [];
  readonly options: DraftOptions;
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

  /** Appends the step, played on the model; steps that the model cannot play are left out. */
  async add(step: Unnumbered): Promise<number> {
    const n = this.next();
    await this.push({ ...step, n } as Step);
    return n;
  }

  async push(step: Step): Promise<readonly Outcome[]> {
    this.#last = Math.max(this.#last, step.n);
    try {
      const outcomes = await this.options.player.play(step);
      this.steps.push(step);
      this.#learn(step, outcomes);
      return outcomes;
    } catch (error) {
      if (!isSetupFailure(error)) throw error;
      return [];
    }
  }

  call(call: Call): Promise<number> {
    return this.add({ do: 'call', ...call } as Unnumbered);
  }

  async burst(calls: readonly Call[], trails = false): Promise<void> {
    const most = Math.max(1, this.options.crowd);
    const numbered = calls.slice(0, most).map((each): CallStep => {
      return { do: 'call', n: this.next(), ...each };
    });
    if (numbered.length < 2) {
      for (const each of numbered) await this.push(each);
      return;
    }
    const n = this.next();
    await this.push({ do: 'burst', n, calls: numbered, ...(trails ? { trails } : {}) });
  }

  async many(count: number, call: Call): Promise<void> {
    await this.push({
      ...{ do: 'many', n: this.next(), count },
      call: { do: 'call', n: this.next(), ...call },
    });
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

  answer(n: number): Json | undefined {
    return this.options.player.answer(n);
  }

  #learn(step: Step, outcomes: readonly Outcome[]): void {
    if (step.do === 'hook') this.hooks.push(step.n);
    if (step.do === 'open' || step.do === 'place') this.#learnPlace(step, outcomes[0]);
    if (step.do === 'settle') this.#settle(step.id, outcomes[0]);
    const calls = step.do === 'call' ? [step] : step.do === 'burst' ? step.calls : [];
    for (const call of calls) {
      const outcome = outcomes.find(({ n }) => n === call.n);
      if (outcome?.kind === 'answer' && outcome.status < 300) this.#learnCall(call, outcome.json);
    }
  }

  #learnPlace(step: Extract<Step, { do: 'open' | 'place' }>, outcome: Outcome | undefined): void {
    if (outcome?.kind !== 'done') return;
    const account = step.do === 'open' ? this.#named('account', step.account) : undefined;
    const isProvider = step.do === 'open' ? step.provider === true : /^provider/.test(step.kind);
    const at = (name: string): Value => ({ $of: step.n, at: name });
    const body = { account_id: at('account_id'), currency: at('currency') };
    this.records.push({
      ...{ resource: 'place', id: at('trading_account_id'), as: account?.as ?? this.main, body },
      ...{ parent: account, state: 'open', changes: 0, tag: undefined, isProvider },
    });
  }

  #settle(id: Value, outcome: Outcome | undefined): void {
    const record = this.#named('transaction', id);
    if (record === undefined || outcome?.kind !== 'done' || outcome.isRefused) return;
    record.state = 'settled';
  }

  #named(resource: Resource, id: Value | undefined): Drawn | undefined {
    return this.of(resource).find((each) => sameValue(each.id, id));
  }

  #learnCall(call: CallStep, json: Json | undefined): void {
    const { operation, n, as } = call;
    if (operation === 'issueToken') this.tokens.push(n);
    if (operation === 'bulkCreateAccounts') this.#learnRows(call, json);
    const { makes, subject } = OPS[operation];
    if (makes !== undefined) this.#learnMade(makes, { n, at: 'id', as, body: bodyOf(call) }, json);
    const closed = operation === 'closePosition' ? bodyOf(call).position_id : undefined;
    const record =
      closed === undefined
        ? subject && this.#named(subject, call.id)
        : this.#named('position', closed);
    if (record === undefined || OPS[operation].isRead) return;
    record.changes += 1;
    if (operation === 'updateAccount') record.tag = n;
    record.state = closed === undefined ? (stateIn(json) ?? record.state) : 'closed';
  }

  #learnRows({ n, as, body }: CallStep, json: Json | undefined): void {
    const rows = (body as Members | undefined)?.accounts;
    if (!Array.isArray(rows)) return;
    for (const [at, row] of (rows as readonly Value[]).entries()) {
      if (row === null || typeof row !== 'object' || '$rows' in row) continue;
      const answered = memberAt(json, `rows.${at}`);
      if (memberAt(answered, 'status') !== 201) continue;
      const made = { n, at: `rows.${at}.id`, as, body: row as Members };
      this.#learnMade('account', made, answered, false);
    }
  }

  #learnMade(
    resource: Resource,
    { n, at, as, body }: { n: number; at: string; as: string; body: Members },
    json: Json | undefined,
    hasTag = true,
  ): void {
    const path = resource === 'position' ? 'position_id' : at;
    const id: Value = { $of: n, at: path };
    const known = this.of(resource).find(({ body: other, as: maker }) => {
      if (resource !== 'account' && resource !== 'transaction') return false;
      return maker === as && sameValue(other.client_reference_id, body.client_reference_id);
    });
    if (known !== undefined) {
      known.state = stateIn(json) ?? known.state;
      if (resource === 'account' && hasTag) known.tag = n;
      return;
    }
    const place =
      resource === 'account' ? undefined : this.#named('place', body.trading_account_id);
    this.records.push({
      ...{ resource, id, as, body, parent: place, state: stateIn(json) ?? 'open', changes: 0 },
      tag: resource === 'account' && hasTag ? n : undefined,
    });
  }
}

function stateIn(json: Json | undefined): string | undefined {
  const [status, disabled] = ['status', 'disabled'].map((name) => memberAt(json, name));
  if (disabled !== undefined) return disabled === true ? 'disabled' : 'enabled';
  return typeof status === 'string' ? status : undefined;
}

export const sameValue = (one: unknown, other: unknown): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);

export const bodyOf = ({ body }: Pick<Call, 'body'>): Members =>
  body !== null && typeof body === 'object' && !Array.isArray(body) ? (body as Members) : {};

export const freshKey = (d: Draft): Value => ({ $fresh: `key${d.next()}` });

/** A member as it is when nothing is special about it. */
function plainMember(field: Field, as: string, n: number): Value {
  switch (field.kind) {
    case 'reference':
      return { $fresh: `ref${n}` };
    case 'email':
      return emailOf(n);
    case 'phone':
      return { $phone: `phone${n}`, form: 'e164' };
    case 'region':
      return 'GB';
    case 'decimal':
      return field.name === 'volume' ? '0.10' : '25.00';
    case 'currency':
      return 'USD';
    case 'word':
      return field.words[0]!;
    case 'list':
      return ['account', 'transaction'];
    case 'id':
      return { $role: as, has: 'brand' };
    case 'url':
      return 'https://93.184.216.34/hook';
    case 'flag':
      return false;
    default:
      return PLAIN_TEXTS[field.name] ?? `Plain ${n}`;
  }
}

/** Texts that read like what they stand for. */
const PLAIN_TEXTS: Readonly<Record<string, string>> = {
  instrument: 'EURUSD',
  reason: 'late',
  country: 'GB',
  language: 'en',
};

export const emailOf = (n: number): Value => ({
  $join: [{ $fresh: `mail${n}` }, '@explore.example.com'],
});

export interface Plain {
  readonly as?: string;
  /** The record it is about, or at which it is made. */
  readonly subject?: Drawn | undefined;
  /** Every member that may be sent, not only what must be. */
  readonly isFull?: boolean;
  readonly over?: Members;
}

/** A call that succeeds where its caller may make it, with a key of its own. */
export function plainCall(d: Draft, op: Op, given: Plain = {}): Call {
  const { as = d.main, subject, isFull = false, over = {} } = given;
  const n = d.next();
  const key = op.keyed ? { key: { $fresh: `key${n}` } } : {};
  const call: Call = { operation: op.name, as, ...key };
  if (op.name === 'issueToken') return { ...call, body: tokenBody(as), as: 'anonymous' };
  if (op.subject !== undefined && subject !== undefined) {
    const query = isDecision(op.name) ? { query: { account_id: accountOf(subject) } } : {};
    const tag = op.name === 'updateAccount' ? { ifMatch: tagOf(subject) } : {};
    Object.assign(call, { id: subject.id, ...query, ...tag });
  }
  if (op.fields.length === 0) return call;
  const body = { ...plainBody(d, op, { as, subject, isFull }, n), ...over };
  return { ...call, body: op.name === 'bulkCreateAccounts' ? { accounts: [body] } : body };
}

/** What a token is asked for with: NS-8 says in which form. */
export const tokenBody = (role: string): Members => ({
  grant_type: 'client_credentials',
  client_id: role === 'anonymous' ? { $fresh: 'unknown-client' } : { $role: role, has: 'client' },
  client_secret: role === 'anonymous' ? 'unknown' : { $role: role, has: 'secret' },
});

function plainBody(d: Draft, op: Op, { as = d.main, subject, isFull }: Plain, n: number): Members {
  const body: Record<string, Value> = {};
  for (const field of op.fields) {
    const value = linkOf(d, field.name, subject) ?? plainMember(field, as, n);
    // ACC-15: a brand is named wherever the caller has one.
    if (field.required || isFull || field.name === 'brand_id') body[field.name] = value;
  }
  // UPD-8: something has to change.
  if (op.name === 'updateAccount' && !isFull) return { first_name: `Plain ${n}` };
  return body;
}

/** Members that name the record which the call is about. */
function linkOf(d: Draft, name: string, subject: Drawn | undefined): Value | undefined {
  const place = subject?.resource === 'position' ? subject.parent : subject;
  if (name === 'position_id') return subject?.resource === 'position' ? subject.id : undefined;
  if (name === 'url' && d.hooks.length > 0) return { $of: d.hooks.at(-1)!, at: 'url' };
  if (place?.resource !== 'place') return undefined;
  if (name === 'trading_account_id') return place.id;
  return name === 'account_id' || name === 'currency' ? place.body[name] : undefined;
}

export function accountOf(record: Drawn): Value {
  const place = record.resource === 'transaction' ? record.parent : record;
  return place?.body.account_id ?? record.body.account_id ?? record.id;
}

/** The tag of the last answer that showed the account; one made in a batch shows it in a create. */
const tagOf = ({ tag }: Drawn): Value =>
  tag === undefined ? '"1"' : { $header: tag, name: 'etag' };

/** The call with this value in a member, whose fresh texts are its own. */
export function withBoundary(d: Draft, call: Call, field: Field, boundary: Boundary): Call {
  const body = bodyOf(call);
  const isBatch = call.operation === 'bulkCreateAccounts';
  const row = isBatch ? ((body.accounts as readonly Members[])[0] ?? {}) : body;
  const { [field.name]: _, ...rest } = row;
  const changed =
    boundary === 'absent' ? rest : { ...rest, [field.name]: ownStems(boundary.value, d.next()) };
  return { ...call, body: isBatch ? { accounts: [changed] } : changed };
}

/** Fresh texts of the libraries under stems that nothing else in the sequence has. */
export function ownStems(value: Value, n: number): Value {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each: Value) => ownStems(each, n));
  const members = Object.entries(value).map(([name, each]) => [
    name,
    name === '$fresh' || name === '$phone' ? `${each as string}${n}` : ownStems(each as Value, n),
  ]);
  return Object.fromEntries(members) as Value;
}

export const everyBoundary = (name: OperationName): readonly (readonly [Field, Boundary])[] =>
  OPS[name].fields.flatMap((field) => boundariesOf(field).map((each) => [field, each] as const));
