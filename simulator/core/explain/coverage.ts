// Coverage: counts which rules, operations, refusals, transitions, kinds of events and hints calls
// and deliveries have covered. It survives a reset of its world and affects no answer.
import {
  answerLimit,
  answerLimitMs,
  hourMs,
  keyRetentionMs,
  tokensAMinute,
} from '../../../fixtures/constants.ts';
import { eventKinds } from '../../../fixtures/event-kinds.ts';
import { operationNames, refusalTable } from '../../../fixtures/operations.ts';
import { type RuleId, rules } from '../../../fixtures/rules.ts';
import { findEntry, type JournalEntry } from '../journal.ts';
import { transitionTable } from '../operations/transactions.ts';
import type { Delivery, EventRecord } from '../records.ts';
import type { Input, StepResult } from '../step.ts';
import { foldCase } from '../values/text.ts';
import { findEvent, type World } from '../world.ts';
import type { HintCode } from './hints.ts';

/** A call that was answered, the world after it, and the earlier calls that matter for it. */
interface SeenCall {
  readonly entry: JournalEntry;
  readonly world: World;
  /** The previous call with this key, by any caller and for any operation. */
  readonly before: JournalEntry | undefined;
  /** The call whose response is replayed. */
  readonly original: JournalEntry | undefined;
}

type Predicate = (seen: SeenCall) => boolean;

const bodyHas =
  (pattern: RegExp): Predicate =>
  ({ entry }) =>
    pattern.test(entry.reply?.body ?? '');
/** Reads the body once: a pattern with a back reference takes 250 ms for 1,000 rows. */
const namesAnIdTwice: Predicate = ({ entry }) => {
  const ids = entry.reply?.body.match(/"id":"\d+"/g) ?? [];
  return new Set(ids).size < ids.length;
};
const isProblem: Predicate = ({ entry }) => entry.reply?.contentType === 'application/problem+json';
const isUnlike: Predicate = ({ entry }) =>
  entry.hints.some(({ code }) => code === 'body_unlike_first');
const pathOf = ({ call }: JournalEntry) => call.target.split('?')[0];
const isAcross: Predicate = ({ entry, original }) =>
  original !== undefined && pathOf(entry) !== pathOf(original);
const isCorrected: Predicate = ({ original }) => (original?.reply?.status ?? 0) >= 400;
const isBulk: Predicate = ({ entry }) => entry.operation === 'bulkCreateAccounts';
const isPosition: Predicate = ({ entry }) => entry.operation?.endsWith('Position') === true;
const all =
  (...predicates: readonly Predicate[]): Predicate =>
  (seen) =>
    predicates.every((each) => each(seen));
const not =
  (predicate: Predicate): Predicate =>
  (seen) =>
    !predicate(seen);

/** How this use of a key differs from the last one; everything else is equal. */
function reused(change: 'caller' | 'operation' | 'subject' | 'age'): Predicate {
  return ({ before, entry }) => {
    if (before === undefined) return false;
    if ((before.clientId !== entry.clientId) !== (change === 'caller')) return false;
    if (change === 'age' && entry.atMs - before.atMs < keyRetentionMs) return false;
    if (change === 'operation') return before.operation !== entry.operation;
    if (before.operation !== entry.operation) return false;
    return (before.subject !== entry.subject) === (change === 'subject');
  };
}

/** The response to the same call, sent earlier under this key. */
const retriedAfter =
  (status: number): Predicate =>
  ({ before, entry }) =>
    before?.reply?.status === status &&
    before.clientId === entry.clientId &&
    before.operation === entry.operation;

/** A refusal in plain text that names a member in this way. */
const names =
  (pattern: RegExp, operation?: JournalEntry['operation']): Predicate =>
  ({ entry }) =>
    entry.reply?.contentType === 'text/plain' &&
    (operation === undefined || operation === entry.operation) &&
    pattern.test(entry.reply.body);

/** Milliseconds since the answer that is replayed; -1 if it has left the journal. */
const ageMs = ({ entry, original }: SeenCall) =>
  original === undefined ? -1 : entry.atMs - (original.answeredAtMs ?? original.atMs);

/** Rules that are cited by more responses than those that cover them: the additional condition. */
const besidesCite: Readonly<Partial<Record<RuleId, Predicate>>> = {
  'ACC-7': ({ entry }) => entry.reply?.etag !== undefined && entry.reply.etag !== '"1"',
  'TXS-19': ({ entry }) => entry.operation !== 'approveTransaction',
  'HOOK-7': bodyHas(/https/),
  'HOOK-8': bodyHas(/public address/),
  'BULK-4': bodyHas(/"status":200/),
  'BULK-5': not(bodyHas(/"failed":0/)),
  'BULK-8': bodyHas(/"created":[1-9]\d*,"failed":[1-9]/),
  'BULK-11': bodyHas(/"status":200/),
  'BULK-12': namesAnIdTwice,
  'IDEM-8': all(isUnlike, not(isAcross)),
  'IDEM-11': all(isUnlike, isCorrected),
  'IDEM-14a': ({ entry }) => entry.idempotency === 'in_flight',
  'EVT-10a': bodyHas(/"last_delivered_seq":[1-9]/),
  'EVT-10b': ({ entry }) => entry.reply?.status === 101 && entry.call.target.includes('after_seq='),
  // These responses only prepare the one that shows the rule.
  ...Object.fromEntries(
    'IDEM-6a IDEM-6b IDEM-6c IDEM-13 AUTH-3c HOOK-13 EVT-7 EVT-13'
      .split(' ')
      .map((id) => [id, () => false]),
  ),
};

type Rows = readonly (readonly [RuleId, Predicate])[];

/** Rules that no response cites, by the kind of call that covers them. */
const shownBy = {
  answer: [
    ['LIM-7', hasWaited],
    ['LIM-8', ({ entry }) => entry.reply?.status !== 429],
    ['ERR-4', ({ entry }) => entry.key !== null],
    ['AUTH-3c', isApartFromTokens],
  ],
  refusal: [
    ['ERR-1a', isProblem],
    ['ERR-1b', isProblem],
    ['ERR-3', isProblem],
    ['ACC-3', names(/^(client_reference_id|email) is missing/, 'createAccount')],
    ['CONV-1b', names(/^\S*id must be [a-z ]+, not a number/)],
  ],
  replay: [
    ['IDEM-5', isProblem],
    ['IDEM-2c', isUnlike],
    ['IDEM-10', all(isUnlike, isAcross)],
    ['IDEM-9a', all(isBulk, isUnlike)],
    ['POS-2', all(isPosition, isUnlike)],
    ['IDEM-13', ({ entry }) => entry.operation === 'createAccount' && entry.reply?.status === 409],
    ['IDEM-7a', (seen) => ageMs(seen) >= keyRetentionMs - hourMs],
    ['IDEM-15', (seen) => ageMs(seen) === 0],
  ],
  reuse: [
    ['IDEM-6a', retriedAfter(429)],
    ['IDEM-6b', retriedAfter(503)],
    ['IDEM-6c', retriedAfter(500)],
    ['IDEM-2a', reused('subject')],
    ['IDEM-2b', reused('caller')],
    ['IDEM-3', reused('operation')],
    ['IDEM-7b', reused('age')],
    ['IDEM-9b', all(isBulk, reused('subject'))],
    ['POS-3', all(isPosition, reused('operation'))],
    ['POS-4', all(isPosition, reused('subject'))],
  ],
  createAccount: [['ACC-10', isKnownElsewhere]],
  bulkCreateAccounts: [['LIM-9', all(bodyHas(/"rows":/), not(bodyHas(/"total":1,/)))]],
  approveTransaction: [
    ['TXS-2', all(({ entry }) => entry.cites.includes('TXS-1'), bodyHas(/"is_ftd":true/))],
  ],
} as const satisfies Readonly<Record<string, Rows>>;

/** ACC-10: the email or the phone of a new account is known at another brand of the firm. */
function isKnownElsewhere({ entry, world }: SeenCall): boolean {
  const account = world.accounts.get(String(world.counters.account));
  if (entry.reply?.status !== 201 || account === undefined) return false;
  const email = foldCase(account.email);
  for (const { id, firm_id: firmId } of world.brands.values()) {
    if (id === account.brand_id || firmId !== account.firm_id) continue;
    const people = world.people.get(id);
    if (people?.byEmail.has(email) || people?.byPhone.has(account.phone ?? '')) return true;
  }
  return false;
}

/** LIM-7: the caller was limited, has waited as long as `Retry-After` says, and is served. */
function hasWaited({ entry, world }: SeenCall): boolean {
  const limit = world.journal.limits.get(entry.clientId ?? '');
  if (limit === undefined || entry.reply?.status === 429) return false;
  return limit.n < entry.n && limit.untilMs <= entry.atMs;
}

/** AUTH-3c: a client has used its token requests of this minute, and its other requests are served. */
function isApartFromTokens({ entry, world }: SeenCall): boolean {
  const times = world.tokenRequests.get(entry.clientId ?? '') ?? [];
  const isSpent = times.length >= tokensAMinute && (times.at(-1) ?? 0) > entry.atMs - 60_000;
  return isSpent && entry.operation !== 'issueToken' && (entry.reply?.status ?? 500) < 400;
}

const settled = 'approved settle → settled';
const targetRefused = 'enabled target no longer public → disabled';

/** Every transition that the specification names, refused ones included. */
const transitionNames: readonly string[] = [
  'none create → pending',
  ...Object.entries(transitionTable).flatMap(([from, { settle: _, ...moves }]) =>
    Object.entries(moves).map(([trigger, move]) => {
      const to = move.kind === 'move' ? move.to : move.kind === 'unchanged' ? from : '409';
      return `${from} ${trigger} → ${to}`;
    }),
  ),
  'pending approve → 501',
  'settled cancel → 403',
  settled,
  'enabled disable → disabled',
  targetRefused,
];

const refusalNames = Object.entries(refusalTable).map(([code, { status }]) => `${status} ${code}`);
const otherRefusals = ['of the token endpoint', 'plain text', 'of a gateway', 'without a code'];

/** `409 invalid_state`, or the kind of a refusal whose code the specification does not name. */
function refusalOf({ reply, operation }: JournalEntry): string {
  const code = /"code":"(\w+)"/.exec(reply?.body ?? '')?.[1];
  const name = `${reply?.status} ${code}`;
  if (refusalNames.includes(name)) return name;
  if (operation === 'issueToken') return 'of the token endpoint';
  if (reply?.contentType === 'text/plain') return 'plain text';
  return reply?.contentType === 'text/html' ? 'of a gateway' : 'without a code';
}

/** How often a hint was given, and where last. */
export interface HintCount {
  readonly count: number;
  readonly words: string;
  readonly n: number;
}

/** A step that was taken: `eventsBefore` is the sequence number of the last event before it. */
interface TakenStep {
  readonly world: World;
  readonly input: Input;
  readonly eventsBefore: number;
  readonly result: StepResult;
}

type Counts = Map<string, number>;

const zeros = (names: Iterable<string>): Counts => new Map([...names].map((name) => [name, 0]));

function count(counts: Counts, name: string, times = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + times);
}

const keysKept = 2000;

export class Coverage {
  readonly #rules: Counts = zeros(rules.map(({ id }) => id));
  readonly operations: Counts = zeros(operationNames);
  readonly refusals: Counts = zeros([...refusalNames, ...otherRefusals]);
  readonly transitions: Counts = zeros(transitionNames);
  readonly events: Counts = zeros(eventKinds);
  readonly hints = new Map<HintCode, HintCount>();
  /** The number of the last call that used a key. */
  readonly #usedBy = new Map<string, number>();
  /** Subscriptions up to this id are part of the starting world, and not created by a test. */
  #givenTo: number;

  constructor(world?: World) {
    this.#givenTo = world?.counters.subscription ?? 0;
  }

  /** The covered rules in the order of the catalogue, each with its count. */
  get rules(): ReadonlyMap<RuleId, number> {
    return new Map([...this.#rules].filter(([, times]) => times > 0) as [RuleId, number][]);
  }

  /** Counts what one step of a world has covered. */
  step({ world, input, eventsBefore, result }: TakenStep): void {
    const { journal } = world;
    const entry = result.n === undefined ? undefined : findEntry(journal, result.n);
    if (entry !== undefined) this.#call(world, entry);
    if (input.kind === 'time') {
      if (result.fired?.kind === 'abandon') this.#meet('IDEM-14b');
      // A suspended call covers its rules when its answer is sent.
      for (const effect of result.effects) {
        if (effect.kind !== 'answer' && effect.kind !== 'reset') continue;
        const late = findEntry(journal, effect.n);
        if (late !== undefined) this.#answer(world, late);
      }
    } else if (input.kind === 'answered') {
      const delivery = world.deliveries.get(input.answer.deliveryId);
      if (delivery !== undefined) this.#attempt(delivery);
    } else if (input.kind === 'target-refused') {
      count(this.transitions, targetRefused);
      this.#meet('EVT-11');
    }
    for (let seq = eventsBefore + 1; seq <= world.events.lastSeq; seq += 1) {
      const event = findEvent(world, seq);
      if (event !== undefined) this.#event(world, event);
    }
  }

  #call(world: World, entry: JournalEntry): void {
    if (entry.operation !== null) count(this.operations, entry.operation);
    for (const { code, words } of entry.hints) {
      this.hints.set(code, { count: (this.hints.get(code)?.count ?? 0) + 1, words, n: entry.n });
    }
    if (entry.reply !== null || entry.reset) this.#answer(world, entry);
  }

  #answer(world: World, entry: JournalEntry): void {
    const { key, firstCall, reply } = entry;
    const used = key === null ? undefined : this.#usedBy.get(key);
    const seen: SeenCall = {
      entry,
      world,
      before: used === undefined ? undefined : findEntry(world.journal, used),
      original: firstCall === null ? undefined : findEntry(world.journal, firstCall),
    };
    for (const cite of entry.cites) {
      if (besidesCite[cite as RuleId]?.(seen) ?? true) this.#meet(cite as RuleId);
    }
    if (reply !== null) this.#meetRows(shownBy.answer, seen);
    if (reply !== null && reply.status >= 400) {
      count(this.refusals, refusalOf(entry));
      this.#meetRows(shownBy.refusal, seen);
    }
    if (entry.idempotency === 'replayed') this.#meetRows(shownBy.replay, seen);
    else {
      if (seen.before !== undefined) this.#meetRows(shownBy.reuse, seen);
      const own = (shownBy as Readonly<Record<string, Rows>>)[entry.operation ?? ''];
      if (own !== undefined) this.#meetRows(own, seen);
      const { transition } = entry;
      if (transition !== null && this.transitions.has(transition)) {
        count(this.transitions, transition);
      }
    }
    if (key === null) return;
    // Removed records are not counted.
    if (this.#usedBy.size >= keysKept) this.#usedBy.clear();
    this.#usedBy.set(key, entry.n);
  }

  #meetRows(rows: Rows, seen: SeenCall): void {
    for (const [id, holds] of rows) if (holds(seen)) this.#meet(id);
  }

  #meet(id: RuleId): void {
    // An open question is not a rule.
    if (this.#rules.has(id)) count(this.#rules, id);
  }

  #event(world: World, event: EventRecord): void {
    count(this.events, event.kind);
    if (event.kind === 'transaction.settled') count(this.transitions, settled);
    const met = new Set<RuleId>();
    for (const subscription of world.subscriptions.values()) {
      if (subscription.id <= this.#givenTo) continue;
      const { firm_id: firmId, brand_id: brandId, event_categories: categories } = subscription;
      const isOfFirm = firmId === event.firm_id;
      const isChosen = categories.includes(event.category);
      const isInReach = isOfFirm && (brandId === null || brandId === event.brand_id);
      if (subscription.disabled) {
        // EVT-13, HOOK-13: the event came after the subscription was disabled.
        if (isChosen && isInReach) met.add('EVT-13').add('HOOK-13');
      } else if (!isChosen && isOfFirm) met.add('EVT-1');
      else if (isChosen && !isInReach) met.add('EVT-12');
    }
    for (const id of met) this.#meet(id);
  }

  /** An attempt ended. */
  #attempt({ attempts, status, round_start: roundStart }: Delivery): void {
    const attempt = attempts.at(-1);
    if (attempt === undefined) return;
    const { error, signature } = attempt;
    // A delivery that a fault dropped was never signed.
    if (signature !== null) {
      for (const id of ['EVT-2a', 'EVT-3', 'EVT-5a', 'EVT-5b', 'EVT-6'] as const) this.#meet(id);
      if (signature.split('v1=').length > 2) this.#meet('EVT-7');
    }
    if (status === 'delivered') this.#meet('EVT-4');
    if (attempts.length > 1) this.#meet('EVT-2b');
    if (attempts.length - roundStart > 1) this.#meet('EVT-8a');
    if (status === 'exhausted') this.#meet('EVT-8b');
    if (attempt.status !== null && (attempt.status < 200 || attempt.status > 299)) {
      this.#meet('EVT-9a');
    }
    const isLate = error !== null && (attempt.duration_ms ?? 0) >= answerLimitMs;
    if (isLate || error?.includes(answerLimit) === true) this.#meet('EVT-9b');
  }

  /** Another world replaces this one; the counts stay. */
  forget(now: World): void {
    this.#givenTo = Math.min(this.#givenTo, now.counters.subscription);
    this.#usedBy.clear();
  }

  #counts(): readonly Counts[] {
    return [this.#rules, this.operations, this.refusals, this.transitions, this.events];
  }

  /** Starts counting from zero. */
  clear(): void {
    for (const counts of this.#counts()) for (const name of counts.keys()) counts.set(name, 0);
    this.hints.clear();
    this.#usedBy.clear();
  }

  /** Adds the counts of another world. */
  add(other: Coverage): void {
    const others = other.#counts();
    for (const [index, counts] of this.#counts().entries()) {
      for (const [name, times] of others[index] ?? []) count(counts, name, times);
    }
    for (const [code, hint] of other.hints) {
      const before = this.hints.get(code)?.count ?? 0;
      this.hints.set(code, { ...hint, count: before + hint.count });
    }
  }
}
