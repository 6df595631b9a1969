// IDEM-4, IDEM-5, IDEM-11, IDEM-13: a repeat of each write gets the first answer, byte for byte, and
// has no side effects; refusals are kept like successes.

import { isDeepStrictEqual } from 'node:util';
import { keyedCall, moveOn, readBack, validCall, type WriteCall } from '../../cases/calls.ts';
import { body, type Fault, ifMatch, path } from '../../cases/refusals.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { bytesWithRequestIdOf, isReplayOf } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, UnknownPayload } from '../../engine/scenario-errors.ts';
import { type Answer, memberAt } from '../../engine/send/answer.ts';
import { membersIn, printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario, Story } from '../../engine/types.ts';
import {
  FORBIDDEN,
  INVALID,
  INVALID_STATE,
  NOT_FOUND,
  NOT_IMPLEMENTED,
  type Refusal,
  STALE,
  TOO_WIDE,
} from '../../spec/errors.ts';
import { UNKNOWN_ID } from '../../spec/literals.ts';
import { OPERATIONS, WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { type Bodied, envelopeIn, eventIdOf } from '../delivery/deliveries.ts';
import { subscribe } from '../delivery/events.ts';
import { emailInUse, emailWithoutAt, noAmount, noReason, tooManyRows } from '../support/faults.ts';
import { inTurn } from '../support/in-turn.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const REPLAY_RULES = ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-5'] as const;

function replayOf(operation: WriteName): Scenario {
  const { words, path: route } = OPERATIONS[operation];
  const hasTag = operation === 'createAccount' || operation === 'updateAccount';
  return {
    id: `idem-replay-${operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title: `A repeat of ${words} gets the first answer, byte for byte, and does nothing`,
    rules: hasTag ? [...REPLAY_RULES, 'ACC-19'] : REPLAY_RULES,
    observes: hasTag ? ['NS-29'] : [],
    needs: route.startsWith('/api/v1/accounts') ? [] : ['trading_account'],
    async run(t) {
      const call = await keyedCall(t, operation);
      const send = () => t.call(call);
      const first = await t.control(call);
      // IDEM-4b: later changes to the record are not part of the first answer.
      await moveOn(t, call, first);
      const before = await readBack(t, call);
      const repeats = [await send(), await send()];
      for (const repeat of repeats) {
        t.expect('IDEM-4a', repeat).status(first.status);
        // A repeat with another status is not a replay: comparing its bytes adds nothing.
        if (repeat.status !== first.status) continue;
        const named = recordsIn(repeat);
        const isOne = named === '' || named === recordsIn(first);
        t.expect('IDEM-4c', repeat).is('nothing made a second time', isOne, `id ${named}`, first);
        t.expect('IDEM-4b', repeat).sameBytesAs(first);
      }
      expectOwnNumbers(t, first, repeats);
      if (before !== undefined) expectUnmoved(t, before, (await readBack(t, call))!);
      if (hasTag) expectTag(t, first, repeats[0]!);
      if (!repeats.every((each) => isReplayOf(each, first))) return;
      // A record that only allows a number of repeats expires early.
      const last = await send();
      const kept = isReplayOf(last, first);
      t.expect('IDEM-4a', last).is('the first answer still', kept, describeAnswer(last), first);
    },
  };
}

/** Ids of the records that an answer is about; empty if it names none. */
function recordsIn(answer: Answer): string {
  const entries = answer.at('rows');
  const records = Array.isArray(entries) ? entries : [answer.json];
  return records.flatMap((each) => memberAt(each, 'id') ?? []).join(', ');
}

/** IDEM-5: each answer has its own id in the header. ERR-4 judges that every call has one. */
function expectOwnNumbers(t: ScenarioContext, first: Answer, repeats: readonly Answer[]): void {
  const seen = new Set([first.headers.get('x-request-id')]);
  if (seen.has(undefined)) return;
  for (const repeat of repeats) {
    const words = 'one of this call, unlike those before';
    t.expect('IDEM-5', repeat).header('X-Request-Id', words, (value) => !seen.has(value));
    seen.add(repeat.headers.get('x-request-id') ?? '');
  }
}

/** Approval may be followed by settlement at any time (NS-3); repeats must not cause it. */
function expectUnmoved(t: ScenarioContext, before: Answer, after: Answer): void {
  const isSettled = before.at('status') === 'approved' && after.at('status') === 'settled';
  expectUnchanged(t, 'IDEM-4c', before, after, ...(isSettled ? ['status'] : []));
}

/** ACC-19, NS-29: every account has a tag. Whether the first answer has one is not judged. */
function expectTag(t: ScenarioContext, first: Answer, repeat: Answer): void {
  const [tag, seen] = [first, repeat].map(({ headers }) => headers.get('etag'));
  if (tag === undefined || repeat.status !== first.status) return;
  t.expect('ACC-19', repeat).is('an ETag, as on the first answer', seen !== undefined);
  if (seen === undefined) return;
  t.observe('NS-29', seen === tag ? 'the ETag of the first response' : `another ETag: ${seen}`);
}

const REFUSAL_RULES = ['IDEM-4a', 'IDEM-4b', 'IDEM-4d', 'IDEM-5'] as const;

/**
 * Whether the same request without its fault has the same subject and is sent as well. If a rule is
 * given, it states the result. NS-1: the refusal of an order is open, so the target's own refusal is
 * expected (`as now`).
 */
type RefusedRow = readonly [
  WriteName,
  Refusal | 'as now',
  what: string,
  Fault,
  'corrected' | 'never corrected' | 'IDEM-11' | 'IDEM-13',
  /** Judges whether it is refused. */
  rule?: RuleId,
];

const noChange = body((_, { account }) => ({
  ...{ first_name: undefined, country: account!.body.country },
}));
const unknownPlace = body({ trading_account_id: UNKNOWN_ID });
const otherTag = ifMatch('"987654321"');
const phoneInUse: Fault = async (t, valid) => {
  const phone = t.fresh.phone();
  await t.given.account({ phone });
  return body({ phone })(t, valid);
};
/** NS-41: whether another brand of the caller is another subject under this key is open. */
const ofOtherBrand: Fault = (t, valid) => {
  const brand_id = t.brandId('other_brand') ?? UNKNOWN_ID;
  const call = { ...valid, body: t.newAccount({ brand_id }, 'brand') };
  return t.has('brand') ? { call, as: 'brand' } : undefined;
};
const ofRejected: Fault = async (t, valid) => {
  const { id } = await t.given.rejected(valid.place!);
  return { call: { ...valid, id } };
};
const ofProvider: Fault = async (t) => {
  if (!t.has('provider_trading_account')) return undefined;
  const place = await t.given.place('provider_trading_account');
  const type = { transaction_type: 'Withdrawal', method: 'Withdrawal', amount: '-25.00' };
  const { id, account_id } = await t.given.transaction(place, type);
  return { call: { operation: 'approveTransaction', id, account_id } };
};
const unknownPosition: Fault = async (t, valid) => {
  const { body: closing } = await closePosition(t, await openPosition(t, valid.place!));
  return { call: { ...valid, body: closing(valid.position!, UNKNOWN_ID) } };
};

const OF_ACCOUNTS: readonly RefusedRow[] = [
  ['createAccount', INVALID, 'an email without @', emailWithoutAt, 'IDEM-11', 'ACC-4'],
  ['createAccount', FORBIDDEN, 'another brand', ofOtherBrand, 'never corrected', 'ACC-16'],
  ['createAccount', INVALID_STATE, 'an email in use', emailInUse, 'IDEM-13', 'ACC-8'],
  ['createAccount', INVALID_STATE, 'a phone in use', phoneInUse, 'IDEM-13', 'ACC-9'],
  ['updateAccount', INVALID, 'nothing to change', noChange, 'corrected', 'UPD-8'],
  // A 412 cannot be corrected under its key: the tag stays stale.
  ['updateAccount', STALE, 'another tag', otherTag, 'IDEM-11', 'UPD-7'],
  ['updateAccount', NOT_FOUND, 'an unknown account', path(UNKNOWN_ID), 'never corrected', 'UPD-5'],
  ['bulkCreateAccounts', TOO_WIDE, 'a row too many', tooManyRows, 'never corrected', 'BULK-7'],
];

const OF_MONEY: readonly RefusedRow[] = [
  ['createTransaction', INVALID, 'no amount', noAmount, 'corrected'],
  ['createTransaction', NOT_FOUND, 'an unknown place', unknownPlace, 'corrected', 'TXN-10'],
  ['rejectTransaction', INVALID, 'no reason', noReason, 'corrected', 'TXS-14'],
  [
    'cancelTransaction',
    NOT_FOUND,
    'an unknown transaction',
    path(UNKNOWN_ID),
    'corrected',
    'TXS-16',
  ],
  ['approveTransaction', INVALID_STATE, 'a rejected transaction', ofRejected, 'corrected', 'TXS-5'],
  [
    'approveTransaction',
    NOT_IMPLEMENTED,
    'a provider withdrawal',
    ofProvider,
    'never corrected',
    'TXS-3',
  ],
  ['closePosition', 'as now', 'an unknown position', unknownPosition, 'corrected'],
  ['openPosition', 'as now', 'an unknown place', unknownPlace, 'never corrected'],
];

const isRule = (corrected: RefusedRow[4]): corrected is 'IDEM-11' | 'IDEM-13' =>
  corrected.startsWith('IDEM');

function refusalsOf(
  all: readonly RefusedRow[],
  about: Omit<Story, 'rules' | 'run'>,
  also?: Story['run'],
): Story {
  const further = new Set(all.map(([, , , , corrected]) => corrected).filter(isRule));
  return {
    ...about,
    rules: [...REFUSAL_RULES, ...further],
    async run(t) {
      for (const row of all) {
        const [operation, , what, , corrected] = row;
        const words = `${OPERATIONS[operation].words} with ${what}, repeated`;
        const rules: RuleId[] = [...REFUSAL_RULES, ...[corrected].filter(isRule)];
        await t.branch(rules, words, () => expectKept(t, row));
      }
      await also?.(t);
    },
  };
}

/**
 * A refusal that is produced again has the request_id of its own call; a replay does not (IDEM-5).
 * If they are equal, the corrected request decides: it only gets a recorded refusal.
 */
async function expectKept(
  t: ScenarioContext,
  [operation, expected, what, fault, corrected, rule]: RefusedRow,
): Promise<void> {
  const valid = await validCall(t, operation);
  const faulty = await fault(t, valid);
  if (faulty === undefined) return;
  const { call = valid, as } = faulty;
  const now = expected === 'as now' ? await t.call(call, { as }) : undefined;
  if (now !== undefined && (now.status < 400 || now.status >= 500 || now.code === undefined)) {
    throw new UnknownPayload(`no refusal of an order is known: ${now.summary}`);
  }
  const [status, code] = expected === 'as now' ? [now!.status, now!.code] : expected;
  const key = t.fresh.key();
  const first = await t.call(call, { key, as });
  if (first.status !== status || (first.code ?? code) !== code) {
    const why = `${what}: expected ${status} ${code}, but ${first.summary}`;
    throw new Blocked(why, first.n, rule === undefined ? [] : [rule]);
  }
  const again = await t.call(call, { key, as });
  const corrects = corrected !== 'never corrected';
  const late = corrects ? await t.call(valid, { key, as }) : undefined;
  if (isRule(corrected)) await expectOld(t, corrected, valid, late!, [first, again]);
  const replay = sameNumber(again, first) === true ? again : (late ?? again);
  const isSure = replay === again ? sameNumber(again, first) !== false : isReplayOf(replay, first);
  const kept = isSure && isReplayOf(again, first);
  const refusal = `the first refusal again: ${describeAnswer(first)}`;
  t.expect('IDEM-4d', replay).is(refusal, kept, describeAnswer(replay), first);
  if (kept || sameNumber(again, first) === true) t.expect('IDEM-4a', again).status(status);
  if (!kept) return;
  const id = printJson(first.at('request_id'));
  const isOwn = sameNumber(replay, first) !== false;
  t.expect('IDEM-5', replay).is(`request_id of the first attempt: ${id}`, isOwn, undefined, first);
  // IDEM-5 if only the request_id differs, IDEM-4b if anything else does.
  const same = bytesWithRequestIdOf(replay, first) === first.text;
  const bytes = `the ${first.body.length} bytes of exchange ${first.n}: ${describeAnswer(first)}`;
  t.expect('IDEM-4b', replay).is(bytes, same, undefined, first);
  expectOwnNumbers(t, first, late === undefined ? [again] : [again, late]);
}

/** The corrected request gets the old refusal, and for IDEM-11 runs under a new key. */
async function expectOld(
  t: ScenarioContext,
  rule: 'IDEM-11' | 'IDEM-13',
  valid: WriteCall,
  late: Answer,
  [first, again]: readonly [Answer, Answer],
): Promise<void> {
  // IDEM-4a judges the status of the replay.
  const isOld = isReplayOf(late, first) || isReplayOf(late, again);
  t.expect(rule, late).is(`the old refusal: ${describeAnswer(first)}`, isOld, undefined, first);
  if (!isOld || rule === 'IDEM-13') return;
  const renewed = await t.call(valid);
  t.expect(rule, renewed).is('the corrected request run under a new key', renewed.isServed);
}

/** Whether the request_ids are equal; undefined if the bodies have none. */
function sameNumber(again: Answer, first: Answer): boolean | undefined {
  const [id, idBefore] = [again.at('request_id'), first.at('request_id')];
  return id === undefined ? undefined : id === idBefore;
}

/** NS-30: an unreadable body has no subject, but its key may still be remembered. */
async function observeUnreadable(t: ScenarioContext): Promise<void> {
  const key = t.fresh.key();
  const whole = t.newAccount();
  const unread = await t.call('createAccount', { body: { ...whole, email: undefined }, key });
  if (unread.status < 400) return;
  const kept = (await t.call('createAccount', { body: whole, key })).status >= 400;
  t.observe('NS-30', `an unreadable body is ${kept ? 'kept' : 'not kept'} under its key`);
}

/** Long enough for automatic settlement (NS-3), and for the effects of a second run. */
const SETTLES_MS = 60_000;

export const idemRepeatsLeaveNothing: Story = {
  title: 'A repeat of any write leaves no record, no event, no other state and no money behind',
  rules: ['IDEM-4c'],
  needs: ['ledger', 'emit', 'settle', 'clock', 'fresh_trading_account'],
  async run(t) {
    for (const operation of WRITE_NAMES) {
      await expectNothingLeft(t, OPERATIONS[operation].words, () => keyedCall(t, operation));
    }
    // The only cancellation that books money.
    await expectNothingLeft(t, 'cancelling what has settled', async () => {
      const call = await keyedCall(t, 'cancelTransaction');
      const { id, account_id } = call.transaction!;
      await t.control('approveTransaction', { id, account_id });
      await t.operator.settle(id);
      return call;
    });
  },
};

function expectNothingLeft(t: ScenarioContext, words: string, prepare: () => Promise<WriteCall>) {
  return t.branch('IDEM-4c', words, async () => {
    const expected = `${words} twice more under one key: nothing more than was there before`;
    let left = await leftBy(t, await prepare(), 0);
    // NS-11: an event may follow its request a little later.
    if (left.moved !== '') left = await leftBy(t, await prepare(), GRACE_MS);
    t.claim('IDEM-4c', expected, left.moved === '', left.moved, ...left.answers);
  });
}

async function leftBy(t: ScenarioContext, call: WriteCall, graceMs: number) {
  const first = await t.control(call);
  if (call.operation === 'approveTransaction') await t.operator.settle(call.transaction!.id);
  await t.operator.advance(SETTLES_MS);
  await t.sleep(graceMs);
  const before = await footprintOf(t, call);
  const repeats = [await t.call(call), await t.call(call)];
  await t.operator.advance(SETTLES_MS);
  const after = await footprintOf(t, call);
  const moved = (Object.keys(before) as (keyof typeof before)[])
    .filter((kind) => !isDeepStrictEqual(before[kind], after[kind]))
    .map((kind) => `${kind}: ${printJson(after[kind])} after ${printJson(before[kind])}`);
  return { moved: moved.join('; '), answers: [first, ...repeats] };
}

/** The effects of a call, as an operator sees them. Needs `ledger` and `emit`. */
async function footprintOf(t: ScenarioContext, call: WriteCall) {
  const { operator } = t;
  const { account, transaction, body, rows = [] } = call;
  const accounts: unknown[] = [];
  const transactions: unknown[] = [];
  for (const each of [account?.body, transaction?.body, body, ...rows]) {
    const { client_reference_id: reference, email } = each ?? {};
    if (email !== undefined) {
      accounts.push(await operator.accounts(String(email)));
      accounts.push(await operator.accounts(String(reference)));
    } else if (reference !== undefined) {
      transactions.push(await operator.transactions(String(reference)));
    }
  }
  const money = call.place && (await operator.ledger(call.place.trading_account_id));
  return { accounts, transactions, money, events: (await operator.events(0)).length };
}

/** NS-11: which event each triggers is open. No approvals: they may settle at any time. */
const SENT = [
  ...(['createAccount', 'updateAccount', 'bulkCreateAccounts'] as const),
  ...(['openPosition', 'createTransaction', 'rejectTransaction'] as const),
];

/** For deliveries still in flight when all expected events of the twins have arrived. */
const GRACE_MS = 300;
const LONGEST_MS = 8_000;
/** For further events of a twin after its first one. */
const MORE_MS = 2_000;

export const idemRepeatsEmitNothing: Story = {
  title: 'A repeat causes no further event',
  rules: ['IDEM-4c'],
  needs: ['receiver', 'trading_account'],
  async run(t) {
    const listener = await subscribe(t);
    const pairs = await inTurn(SENT, async (operation) => {
      const [call, twin] = [await keyedCall(t, operation), await keyedCall(t, operation)];
      const thrice = await t.control(call);
      for (const _ of [1, 2]) await t.call(call);
      return { operation, thrice, once: await t.control(twin) };
    });
    // The twin was sent last, so events of the repeats arrive before its events, or shortly after.
    // On a busy machine all may arrive late, so they are awaited before they are judged.
    const { deliveries } = listener.hook;
    const count = (answer: Answer) => eventsAbout(deliveries, answer).size;
    await t.until(() => pairs.every(({ once }) => count(once) > 0), LONGEST_MS);
    await t.sleep(GRACE_MS);
    await t.until(() => pairs.every(({ thrice, once }) => count(thrice) <= count(once)), MORE_MS);
    const arrived = await listener.arrived();
    const names = pairs.flatMap(({ operation, thrice, once }) =>
      [thrice, once].flatMap((answer) => namesIn(operation, answer)),
    );
    for (const { operation, thrice, once } of pairs) {
      // Records of two kinds may have the same id, which then does not tell what an event is about.
      const kinds = names.filter(([id]) => id === idOf(thrice)).map(([, name]) => name);
      if (new Set(kinds).size > 1) continue;
      const { words } = OPERATIONS[operation];
      const [many, twinEvents] = [eventsAbout(arrived, thrice), eventsAbout(arrived, once)];
      const expected = `${twinEvents.size} events about ${idOf(thrice)}, as after ${words} once`;
      const truth = many.size <= twinEvents.size;
      t.claim('IDEM-4c', expected, truth, `${many.size} events`, thrice, ...many.values());
    }
  },
};

function idOf(answer: Answer): string | undefined {
  return answer.idAt('id') ?? answer.idAt('rows.0.id');
}

/** The ids in an answer, each with the member and the kind of record that it names. */
function namesIn(operation: WriteName, { json }: Answer) {
  const kind = OPERATIONS[operation].path.split('/')[3];
  return membersIn(json).map(([path, value]) => [value, `${kind} ${path.at(-1)}`] as const);
}

/** By the id of the event, because one event may be delivered twice (EVT-4). */
function eventsAbout<One extends Bodied>(arrived: readonly One[], answer: Answer) {
  // NS-9: the name of the member with the record's id is open, so any member may have it.
  const id = idOf(answer);
  const about = arrived.filter((each) =>
    membersIn(envelopeIn(each)).some(([, value]) => value === id),
  );
  return new Map(about.map((each) => [eventIdOf(envelopeIn(each)), each]));
}

export const idemReplays = WRITE_NAMES.map(replayOf);

export const idemRefusalsOfAccounts = refusalsOf(
  OF_ACCOUNTS,
  {
    title: 'Refused writes of accounts get the same refusal again, even once they are corrected',
    observes: ['NS-30'],
  },
  observeUnreadable,
);

export const idemRefusalsOfMoney = refusalsOf(OF_MONEY, {
  title: 'Refused transactions and orders get the same refusal again',
  needs: ['trading_account'],
});
