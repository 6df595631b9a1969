// IDEM-4, IDEM-5: a repeat of each write gets the first answer, byte for byte, and does nothing;
// refusals are kept as successes are.

import { moveOn, readBack, sendCall, type ValidCall, validCall } from '../../cases/calls.ts';
import { body, type Fault, ifMatch, path, rows } from '../../cases/refusals.ts';
import type { Role } from '../../engine/capabilities.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { bytesWithRequestIdOf, isReplayOf, sameMembers } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, MissingCapability, UnknownPayload } from '../../engine/scenario-errors.ts';
import { type Answer, memberAt } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
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
import { MOST_ROWS } from '../../spec/literals.ts';
import { OPERATIONS, WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const REPEAT_RULES = ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-5'] as const;

function repeatOf(operation: WriteName): Scenario {
  const { words } = OPERATIONS[operation];
  const hasTag = operation === 'createAccount' || operation === 'updateAccount';
  const isOfAccounts = hasTag || operation === 'bulkCreateAccounts';
  const tagRule: RuleId[] = hasTag ? ['ACC-19'] : [];
  return {
    id: `idem-replay-${operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title: `A repeat of ${words} gets the first answer, byte for byte, and does nothing`,
    rules: [...REPEAT_RULES, ...tagRule],
    observes: hasTag ? ['NS-29'] : [],
    needs: isOfAccounts ? [] : ['trading_account'],
    async run(t) {
      const call = await validCall(t, operation);
      const key = t.fresh.key();
      const first = await t.control(words, () => sendCall(t, call, { key }));
      // IDEM-4b: what the record has become since is no part of the first answer.
      await moveOn(t, call, first);
      const before = await readBack(t, call);
      const repeats = [await sendCall(t, call, { key }), await sendCall(t, call, { key })];
      for (const repeat of repeats) await expectRepeat(t, first, repeat);
      await expectOwnRequestIds(t, first, repeats);
      if (before !== undefined) expectUnmoved(t, before, (await readBack(t, call))!);
      if (hasTag) expectTag(t, first, repeats[0]!);
      if (!repeats.every((each) => isReplayOf(each, first))) return;
      // A record that its repeats use up is not kept for 24 hours.
      const last = await sendCall(t, call, { key });
      const kept = isReplayOf(last, first);
      t.expect('IDEM-4a', last).is('the first answer still', kept, describeAnswer(last), first);
    },
  };
}

/** A create by a known reference: found again, the record would read as it does now. */
function repeatOfFound(operation: 'createAccount' | 'createTransaction'): Scenario {
  const record = operation === 'createAccount' ? 'account' : 'transaction';
  return {
    id: `idem-replay-of-found-${record}`,
    title: `The 200 for a ${record} that is known is kept under its key as a 201 is`,
    rules: REPEAT_RULES,
    needs: record === 'account' ? [] : ['trading_account'],
    async run(t) {
      const call = await validCall(t, operation);
      const made = await t.control(OPERATIONS[operation].words, () => sendCall(t, call));
      const key = t.fresh.key();
      const find = () => sendCall(t, call, { key });
      const first = await t.control('a create by a known reference', find);
      await moveOn(t, call, made);
      const repeat = await find();
      await expectRepeat(t, first, repeat);
      await expectOwnRequestIds(t, first, [repeat]);
    },
  };
}

/** The status, the record that the answer names, and then the bytes. */
async function expectRepeat(t: ScenarioContext, first: Answer, repeat: Answer): Promise<void> {
  const same = repeat.status === first.status;
  const words = `${first.status}, as in exchange ${first.n}`;
  t.expect('IDEM-4a', repeat).is(words, same, repeat.summary, first);
  // An answer of another status is another answer: its bytes say nothing more.
  if (!same) return blocked(t, ['IDEM-4b', 'IDEM-4c'], `${repeat.status}, not ${first.status}`);
  const [named, before] = [recordsIn(repeat), recordsIn(first)];
  const isOne = named === '' || named === before;
  const once = `nothing made a second time: id ${before}`;
  t.expect('IDEM-4c', repeat).is(once, isOne, `id ${named}`, first);
  t.expect('IDEM-4b', repeat).sameBytesAs(first);
}

/** Ids of the records that an answer is about; empty if it names none. */
function recordsIn(answer: Answer): string {
  const rows = answer.at('rows');
  const ids = Array.isArray(rows) ? rows.map((each) => memberAt(each, 'id')) : [answer.at('id')];
  return ids.filter((id) => id !== undefined).join(', ');
}

/** IDEM-5: each answer has an id of its own in the header. That every call has one is ERR-4's. */
async function expectOwnRequestIds(
  t: ScenarioContext,
  first: Answer,
  repeats: readonly Answer[],
): Promise<void> {
  const id = first.headers.get('x-request-id');
  if (id === undefined) return blocked(t, 'IDEM-5', 'the first answer has no X-Request-Id');
  const seen = new Set([id]);
  for (const repeat of repeats) {
    const words = 'one of this call, unlike those before';
    t.expect('IDEM-5', repeat).header('X-Request-Id', words, (value) => !seen.has(value));
    seen.add(repeat.headers.get('x-request-id') ?? '');
  }
}

/** Approval may be followed by settlement at any time (NS-3), which no repeat causes. */
function expectUnmoved(t: ScenarioContext, before: Answer, after: Answer): void {
  const settled = before.at('status') === 'approved' && after.at('status') === 'settled';
  const same = settled || sameMembers(after, before);
  const seen = `${describeAnswer(after)} after ${describeAnswer(before)}`;
  t.expect('IDEM-4c', after).is('the record as it was before the repeats', same, seen, before);
}

/** ACC-19, NS-29: a tag comes with every account. Whether the first answer has one is not judged. */
function expectTag(t: ScenarioContext, first: Answer, repeat: Answer): void {
  const tag = first.headers.get('etag');
  if (tag === undefined || repeat.status !== first.status) return;
  const seen = repeat.headers.get('etag');
  const words = 'an ETag, as on the first answer';
  t.expect('ACC-19', repeat).is(words, seen !== undefined, 'no ETag', first);
  if (seen === undefined) return;
  t.observe('NS-29', seen === tag ? 'the ETag of the first answer' : `another ETag: ${seen}`);
}

const REFUSAL_RULES = ['IDEM-4a', 'IDEM-4b', 'IDEM-4d', 'IDEM-5'] as const;

/** The same request without its fault has the same subject, or none has. */
type Corrected = 'corrected' | 'never corrected';

type RefusedRow = readonly [WriteName, Refusal | 'as now', what: string, Fault, Corrected];

const noEmail = body((t) => ({ email: t.fresh.text() }));
const noChange = body((_, { account }) => ({
  ...{ first_name: undefined, country: account!.body.country },
}));
const noAmount = body((t) => ({ amount: t.fresh.text() }));
const noReason = body({ reason: '' });
const unknownTradingAccount = body({ trading_account_id: UNKNOWN_ID });
const ofOtherBrand = body((t) => ({ brand_id: t.brandId('other_brand') ?? UNKNOWN_ID }));
const tooManyRows = rows((all) => Array.from({ length: MOST_ROWS + 1 }, () => all[0]!));
const otherTag = ifMatch('"no-such-revision"');
const ofRejected: Fault = async (t, valid) => {
  const { id } = await t.given.rejected(valid.place!);
  return { call: { ...valid, id } };
};
const unknownPosition: Fault = async (t, valid) => {
  const { body: closing } = await closePosition(t, await openPosition(t, valid.place!));
  return { call: { ...valid, body: closing(valid.position!, UNKNOWN_ID) } };
};

interface Refusals extends Omit<Scenario, 'rules' | 'run'> {
  readonly role?: Role;
  readonly rows: readonly RefusedRow[];
  readonly first?: (t: ScenarioContext, seen: Seen) => Promise<void>;
  readonly also?: Scenario['run'];
}

const REFUSALS: readonly Refusals[] = [
  {
    id: 'idem-refusals-of-accounts',
    title: 'Refused writes of accounts are answered the same refusal again: 422, 412, 404',
    observes: ['NS-30'],
    rows: [
      ['createAccount', INVALID, 'an email without @', noEmail, 'corrected'],
      ['updateAccount', INVALID, 'nothing to change', noChange, 'corrected'],
      ['updateAccount', STALE, 'another tag', otherTag, 'corrected'],
      ['updateAccount', NOT_FOUND, 'an unknown account', path(UNKNOWN_ID), 'never corrected'],
    ],
    also: observeUnreadable,
  },
  {
    id: 'idem-refusals-of-batches',
    title: 'Refused batches are answered the same refusal again',
    first: expectBatchKept,
    rows: [['bulkCreateAccounts', TOO_WIDE, 'a row too many', tooManyRows, 'never corrected']],
  },
  {
    id: 'idem-refusals-of-transactions',
    title: 'Refused writes of transactions are answered the same refusal again: 422, 404, 409',
    needs: ['trading_account'],
    rows: [
      ['createTransaction', INVALID, 'no amount', noAmount, 'corrected'],
      ['createTransaction', NOT_FOUND, 'an unknown place', unknownTradingAccount, 'corrected'],
      ['rejectTransaction', INVALID, 'no reason', noReason, 'corrected'],
      ['cancelTransaction', NOT_FOUND, 'an unknown transaction', path(UNKNOWN_ID), 'corrected'],
      ['approveTransaction', INVALID_STATE, 'a rejected transaction', ofRejected, 'corrected'],
    ],
  },
  {
    id: 'idem-refusals-of-positions',
    title: 'Refused orders are answered the same refusal again',
    needs: ['trading_account', 'orders'],
    rows: [
      ['closePosition', 'as now', 'an unknown position', unknownPosition, 'corrected'],
      ['openPosition', 'as now', 'an unknown place', unknownTradingAccount, 'never corrected'],
    ],
  },
  {
    id: 'idem-refusal-by-brand',
    title: 'The 403 for another brand is kept under its key',
    needs: ['brand'],
    role: 'brand',
    rows: [
      ['createAccount', INVALID, 'an email without @', noEmail, 'corrected'],
      // NS-41: whether its own brand under this key is the same subject is open.
      ['createAccount', FORBIDDEN, 'another brand', ofOtherBrand, 'never corrected'],
    ],
  },
  {
    id: 'idem-refusal-of-provider-withdrawal',
    title: 'The 501 for a payment-provider withdrawal is kept under its key',
    needs: ['provider_trading_account'],
    rows: [],
    also: expectProviderRefusalKept,
  },
  {
    id: 'idem-refusal-of-cancel',
    title:
      'The 403 for cancelling a settled transaction is kept, though the scope is granted since',
    needs: ['mint', 'settle', 'fresh_trading_account'],
    rows: [],
    also: expectCancelRefusalKept,
  },
];

function refusalsOf({ rows: all, role, first, also, ...about }: Refusals): Scenario {
  return {
    ...about,
    rules: REFUSAL_RULES,
    async run(t) {
      const seen: Seen = { renumbered: false };
      await first?.(t, seen);
      for (const [operation, expected, what, fault, corrected] of all) {
        const who = role ?? t.mainRole;
        const words = `${OPERATIONS[operation].words} with ${what}, repeated`;
        await t.branch(REFUSAL_RULES, words, async () => {
          const valid = await validCall(t, operation, undefined, who);
          const { call: refused = valid } = (await fault(t, valid))!;
          const correct = (key: string) => sendCall(t, valid, { key, who });
          await expectKept(t, {
            expected: expected === 'as now' ? await refusalNow(t, refused) : expected,
            send: (key) => sendCall(t, refused, { key, who }),
            ...(corrected === 'corrected' && { corrected: correct }),
            seen,
          });
        });
      }
      await also?.(t);
    },
  };
}

/** NS-1: with what an order is refused is open, so that the target says so itself. */
async function refusalNow(t: ScenarioContext, call: ValidCall): Promise<Refusal> {
  const { status, code, summary } = await sendCall(t, call);
  if (status < 400 || status >= 500 || code === undefined) {
    throw new UnknownPayload(`no refusal of an order is known: ${summary}`);
  }
  return [status, code];
}

/** NS-30: what cannot be read has no subject, but its key may be remembered all the same. */
async function observeUnreadable(t: ScenarioContext): Promise<void> {
  const key = t.fresh.key();
  const whole = t.newAccount();
  const unread = await t.api.createAccount({ ...whole, email: undefined }, { key });
  if (unread.status < 400) return;
  const kept = (await t.api.createAccount(whole, { key })).status >= 400;
  t.observe('NS-30', `an unreadable body is ${kept ? 'kept' : 'not kept'} under its key`);
}

interface Kept {
  readonly expected: Refusal;
  readonly send: (key: string) => Promise<Answer>;
  readonly corrected?: (key: string) => Promise<Answer>;
  readonly seen?: Seen;
}

/** What the refusals of one scenario have shown so far. */
interface Seen {
  /** True once a refusal that was certainly kept came with another request_id (IDEM-5). */
  renumbered: boolean;
}

async function expectKept(
  t: ScenarioContext,
  { expected: [status, code], send, corrected: correct, seen = { renumbered: false } }: Kept,
): Promise<void> {
  const key = t.fresh.key();
  const first = await send(key);
  if (first.status !== status || (first.code ?? code) !== code) {
    throw new Blocked(`expected ${status} ${code}, but ${first.summary}`);
  }
  const again = await send(key);
  const corrected = await correct?.(key);
  if (corrected === undefined && seen.renumbered) return;
  const numbered = sameNumber(again, first);
  const kept = isKept(first, again, corrected);
  const replayed = kept || numbered === true;
  const sameStatus = again.status === first.status;
  const sameDetail = again.at('detail') === first.at('detail');
  const [shown, repeated] = [corrected ?? again, describeAnswer(again)];
  t.expect('IDEM-4d', shown)
    .is(`the first refusal again: ${describeAnswer(first)}`, replayed, describeAnswer(shown), first)
    .is(`with its status: ${status}`, sameStatus, repeated, first)
    .is(`with its code: ${code}`, again.code === first.code, repeated, first)
    .is('with its detail', sameDetail, repeated, first);
  const words = `${status}, as in exchange ${first.n}`;
  if (replayed) t.expect('IDEM-4a', again).is(words, sameStatus, again.summary, first);
  else if (!sameStatus) await blocked(t, 'IDEM-4a', 'the refusal is not kept');
  if (!kept) return blocked(t, ['IDEM-4b', 'IDEM-5'], 'the refusal is not kept');
  // If the corrected request shows that replays keep their number, this refusal came before the key
  // was looked up at all: a replay does not do that (IDEM-8).
  const stored = corrected && [first, again].some((each) => sameNumber(corrected, each));
  if (numbered === false && stored === true) return;
  if (numbered === false) seen.renumbered = true;
  await expectSameBytes(t, first, again);
}

/**
 * A refusal that is made again bears the number of its own call, which a replay does not (IDEM-5).
 * If a body has none, or replays are given new ones, the corrected request tells.
 */
function isKept(first: Answer, again: Answer, corrected: Answer | undefined): boolean {
  if (!isReplayOf(again, first)) return false;
  const numbered = sameNumber(again, first);
  if (numbered === true) return true;
  return corrected === undefined ? numbered === undefined : isReplayOf(corrected, first);
}

/** Undefined where the bodies have no request_id. */
function sameNumber(again: Answer, first: Answer): boolean | undefined {
  const [id, idBefore] = [again.at('request_id'), first.at('request_id')];
  return id === undefined ? undefined : id === idBefore;
}

/** IDEM-5 where only the request_id differs, IDEM-4b where anything else does. */
async function expectSameBytes(t: ScenarioContext, first: Answer, again: Answer): Promise<void> {
  const [id, idBefore] = [again.at('request_id'), first.at('request_id')];
  const words = `request_id of the first attempt: ${printJson(idBefore)}`;
  t.expect('IDEM-5', again).is(words, id === idBefore, printJson(id), first);
  const same = bytesWithRequestIdOf(again, first) === first.text;
  const bytes = `the ${first.body.length} bytes of exchange ${first.n}: ${describeAnswer(first)}`;
  t.expect('IDEM-4b', again).is(bytes, same, again.text.slice(0, 300), first);
  await expectOwnRequestIds(t, first, [again]);
}

/**
 * No corrected batch has the subject of the one that was refused (IDEM-9b), so that a replay with a
 * number of its own (IDEM-5) looks like a refusal that was made again (IDEM-4d). One that goes on
 * after its reason is gone is certainly a replay; whether it does is open (NS-17).
 */
async function expectBatchKept(t: ScenarioContext, seen: Seen): Promise<void> {
  if (!t.has('mint')) return;
  const words = 'a batch refused for want of the scope, which is granted since';
  await t.branch(['IDEM-4b', 'IDEM-5'], words, async () => {
    const modest = await t.operator.mint({ scopes: [] });
    const create = (rows: RequestBody[], key: string) =>
      t.as(modest).bulkCreateAccounts(rows, { key });
    const [rows, key] = [[t.newAccount()], t.fresh.key()];
    const first = await create(rows, key);
    if (first.status !== 403) throw new Blocked(`without accounts:write: ${first.summary}`);
    await t.operator.rescope(modest.clientId ?? '', ['accounts:write']);
    const granted = () => create([t.newAccount()], t.fresh.key());
    await t.control('a batch once the scope is granted', granted);
    const again = await create(rows, key);
    if (!isReplayOf(again, first)) return;
    if (sameNumber(again, first) === false) seen.renumbered = true;
    await expectSameBytes(t, first, again);
  });
}

async function expectProviderRefusalKept(t: ScenarioContext): Promise<void> {
  const where = await t.given.providerPlace();
  const withdrawal = await t.given.transaction(where, WITHDRAWAL);
  const deposit = await t.given.transaction(where);
  const approve = (made: typeof deposit) => (key: string) =>
    t.api.approveTransaction(made.id, made.account_id, { key });
  const probe = await approve(withdrawal)(t.fresh.key());
  if (probe.status < 300) {
    const words = "no withdrawal is a payment provider's here";
    throw new MissingCapability('provider_trading_account', words);
  }
  const kind = { expected: NOT_IMPLEMENTED, send: approve(withdrawal) };
  await t.branch(REFUSAL_RULES, 'a payment-provider withdrawal', () =>
    expectKept(t, { ...kind, corrected: approve(deposit) }),
  );
}

const WITHDRAWAL = { transaction_type: 'Withdrawal', method: 'Withdrawal', amount: '-25.00' };

async function expectCancelRefusalKept(t: ScenarioContext): Promise<void> {
  const settled = await t.given.settled(await t.given.freshPlace());
  const scopes = ['transactions:write'];
  const modest = await t.operator.mint({ scopes });
  const send = (key: string) =>
    t.as(modest).cancelTransaction(settled.id, settled.account_id, undefined, { key });
  const corrected = async (key: string) => {
    await t.operator.rescope(modest.clientId ?? '', [...scopes, 'transactions:amend']);
    return send(key);
  };
  await t.branch(REFUSAL_RULES, 'a cancellation without the scope', () =>
    expectKept(t, { expected: FORBIDDEN, send, corrected }),
  );
}

/** The corrected request under the old key, and then under a new one. */
type CorrectedRow = readonly ['IDEM-11' | 'IDEM-13', WriteName, Refusal, what: string, Fault];

const emailInUse: Fault = async (t, valid) =>
  body({ email: (await t.given.account()).email })(t, valid);

const phoneInUse: Fault = async (t, valid) => {
  const phone = t.fresh.phone();
  await t.given.account({ phone });
  return body({ phone })(t, valid);
};

const CORRECTED: readonly CorrectedRow[] = [
  ['IDEM-11', 'createAccount', INVALID, 'an email without @', noEmail],
  // A 412 cannot succeed by replay: its tag stays stale under that key.
  ['IDEM-11', 'updateAccount', STALE, 'a stale tag', otherTag],
  ['IDEM-13', 'createAccount', INVALID_STATE, 'an email in use', emailInUse],
  ['IDEM-13', 'createAccount', INVALID_STATE, 'a phone in use', phoneInUse],
];

const idemCorrectedRequest: Scenario = {
  id: 'idem-corrected-request',
  title: 'After a 4xx the corrected request gets the old refusal, and runs under a new key',
  rules: ['IDEM-11'],
  run: (t) => playCorrected(t, 'IDEM-11'),
};

const idemConflictOfPeople: Scenario = {
  id: 'idem-conflict-of-people',
  title: 'The 409 for an email or a phone in use is kept, and replays though it is put right',
  rules: ['IDEM-13'],
  run: (t) => playCorrected(t, 'IDEM-13'),
};

async function playCorrected(t: ScenarioContext, rule: CorrectedRow[0]): Promise<void> {
  for (const [, operation, [status], what, fault] of CORRECTED.filter(([own]) => own === rule)) {
    await t.branch(rule, `${OPERATIONS[operation].words} with ${what}`, async () => {
      const corrected = await validCall(t, operation);
      const { call: refused = corrected } = (await fault(t, corrected))!;
      const key = t.fresh.key();
      const first = await sendCall(t, refused, { key });
      const isRefusal = rule === 'IDEM-11' ? first.status >= 400 : first.status === status;
      if (!isRefusal) throw new Blocked(`${what} is answered ${describeAnswer(first)}`);
      const again = await sendCall(t, refused, { key });
      const old = await sendCall(t, corrected, { key });
      const kept = saysTheSame(old, first) || saysTheSame(old, again);
      const words = `the old refusal: ${describeAnswer(first)}`;
      t.expect(rule, old).is(words, kept, undefined, first);
      // Where it ran under the old key already, the new one comes too late.
      if (!kept || rule === 'IDEM-13') return;
      const renewed = await sendCall(t, corrected);
      const ran = renewed.status < 300;
      t.expect(rule, renewed).is('the corrected request run under a new key', ran);
    });
  }
}

/** The same refusal by what it says, whatever status it is replayed with (IDEM-4a). */
function saysTheSame(answer: Answer, refused: Answer): boolean {
  if (refused.json === undefined) return answer.text === refused.text;
  return ['code', 'detail'].every((name) => answer.at(name) === refused.at(name));
}

function blocked(t: ScenarioContext, rules: RuleId | readonly RuleId[], why: string) {
  return t.branch(rules, 'a repeat like the first answer', async () => {
    throw new Blocked(why);
  });
}

export const repeatScenarios: readonly Scenario[] = [
  ...WRITE_NAMES.map(repeatOf),
  repeatOfFound('createAccount'),
  repeatOfFound('createTransaction'),
  ...REFUSALS.map(refusalsOf),
  idemCorrectedRequest,
  idemConflictOfPeople,
];
