// IDEM-4, IDEM-5, IDEM-11, IDEM-13: a repeat of each write gets the first answer, byte for byte, and
// does nothing; refusals are kept as successes are.
import { moveOn, readBack, sendCall, type ValidCall, validCall } from '../../cases/calls.ts';
import { body, type Fault, ifMatch, path, rows } from '../../cases/refusals.ts';
import type { Role } from '../../engine/capabilities.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { bytesWithRequestIdOf, isReplayOf, sameMembers } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, MissingCapability, UnknownPayload } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
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
      const call = await validCall(t, operation);
      const { first, repeats, send } = await expectReplays(t, call);
      if (hasTag) expectTag(t, first, repeats[0]!);
      if (!repeats.every((each) => isReplayOf(each, first))) return;
      // A record that its repeats use up is not kept for 24 hours.
      const last = await send();
      const kept = isReplayOf(last, first);
      t.expect('IDEM-4a', last).is('the first answer still', kept, describeAnswer(last), first);
    },
  };
}

/** A create by a known reference: found again, the record would read as it does now. */
function replayOfFound(record: 'account' | 'transaction'): Scenario {
  return {
    id: `idem-replay-of-found-${record}`,
    title: `The 200 for a ${record} that is known is kept under its key as a 201 is`,
    rules: REPLAY_RULES,
    needs: record === 'account' ? [] : ['trading_account'],
    async run(t) {
      const call = await validCall(t, record === 'account' ? 'createAccount' : 'createTransaction');
      await expectReplays(t, call, await t.control('a create', () => sendCall(t, call)));
    },
  };
}

/** Sends a call, lets its record move on, and repeats it twice under its key. */
async function expectReplays(t: ScenarioContext, call: ValidCall<WriteName>, made?: Answer) {
  const key = t.fresh.key();
  const send = () => sendCall(t, call, { key });
  const first = await t.control(OPERATIONS[call.operation].words, send);
  // IDEM-4b: what the record has become since is no part of the first answer.
  await moveOn(t, call, made ?? first);
  const before = await readBack(t, call);
  const repeats = [await send(), await send()];
  for (const repeat of repeats) {
    t.expect('IDEM-4a', repeat).status(first.status);
    // An answer of another status is another answer: its bytes say nothing more.
    if (repeat.status !== first.status) continue;
    const named = recordsIn(repeat);
    const isOne = named === '' || named === recordsIn(first);
    t.expect('IDEM-4c', repeat).is('nothing made a second time', isOne, `id ${named}`, first);
    t.expect('IDEM-4b', repeat).sameBytesAs(first);
  }
  expectOwnNumbers(t, first, repeats);
  const after = before && (await readBack(t, call));
  if (after !== undefined) expectUnmoved(t, before!, after);
  return { first, repeats, send };
}

/** Ids of the records that an answer is about; empty if it names none. */
function recordsIn(answer: Answer): string {
  const entries = answer.at('rows');
  const ids = Array.isArray(entries)
    ? entries.map((each) => memberAt(each, 'id'))
    : [answer.at('id')];
  return ids.filter((id) => id !== undefined).join(', ');
}

/** IDEM-5: each answer has an id of its own in the header. That every call has one is ERR-4's. */
function expectOwnNumbers(t: ScenarioContext, first: Answer, repeats: readonly Answer[]): void {
  const seen = new Set([first.headers.get('x-request-id')]);
  if (seen.has(undefined)) return;
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
  const [tag, seen] = [first, repeat].map(({ headers }) => headers.get('etag'));
  if (tag === undefined || repeat.status !== first.status) return;
  t.expect('ACC-19', repeat).is('an ETag, as on the first answer', seen !== undefined);
  if (seen === undefined) return;
  t.observe('NS-29', seen === tag ? 'the ETag of the first answer' : `another ETag: ${seen}`);
}

const REFUSAL_RULES = ['IDEM-4a', 'IDEM-4b', 'IDEM-4d', 'IDEM-5'] as const;

/** Whether the same request without its fault has the same subject. */
type Corrected = 'corrected' | 'never corrected';

/** NS-1: with what an order is refused is open, so that the target says so itself (`as now`). */
type RefusedRow = readonly [WriteName, Refusal | 'as now', what: string, Fault, Corrected];

const noEmail = body((t) => ({ email: t.fresh.text() }));
const noChange = body((_, { account }) => ({
  ...{ first_name: undefined, country: account!.body.country },
}));
const noAmount = body((t) => ({ amount: t.fresh.text() }));
const noReason = body({ reason: '' });
const unknownPlace = body({ trading_account_id: UNKNOWN_ID });
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
const WITHDRAWAL = { transaction_type: 'Withdrawal', method: 'Withdrawal', amount: '-25.00' };
const providerWithdrawal: Fault = async (t, valid) => {
  const { id, account_id } = await t.given.transaction(valid.place!, WITHDRAWAL);
  const probe = await t.api.approveTransaction(id, account_id);
  if (probe.status < 300) {
    const words = "no withdrawal is a payment provider's here";
    throw new MissingCapability('provider_trading_account', words);
  }
  return { call: { ...valid, id } };
};
/** Of what has settled; the scope is granted before the request is sent again. */
const withoutAmend: Fault = async (t, valid) => {
  const { id, account_id } = valid.transaction!;
  await t.control('an approval', () => t.api.approveTransaction(id, account_id));
  await t.operator.settle(valid.id!);
  const scopes = ['transactions:write'];
  const who = await t.operator.mint({ scopes });
  const granted = [...scopes, 'transactions:amend'];
  return { who, undo: () => t.operator.rescope(who.clientId ?? '', granted) };
};

interface Refusals extends Omit<Scenario, 'rules' | 'run'> {
  readonly role?: Role;
  /** Where its calls are made, if not at any place. */
  readonly place?: (t: ScenarioContext) => Promise<Place>;
  readonly rows: readonly RefusedRow[];
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
    rows: [['bulkCreateAccounts', TOO_WIDE, 'a row too many', tooManyRows, 'never corrected']],
  },
  {
    id: 'idem-refusals-of-transactions',
    title: 'Refused writes of transactions are answered the same refusal again: 422, 404, 409',
    needs: ['trading_account'],
    rows: [
      ['createTransaction', INVALID, 'no amount', noAmount, 'corrected'],
      ['createTransaction', NOT_FOUND, 'an unknown place', unknownPlace, 'corrected'],
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
      ['openPosition', 'as now', 'an unknown place', unknownPlace, 'never corrected'],
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
    place: (t) => t.given.providerPlace(),
    rows: [
      [
        'approveTransaction',
        NOT_IMPLEMENTED,
        'a provider withdrawal',
        providerWithdrawal,
        'corrected',
      ],
    ],
  },
  {
    id: 'idem-refusal-of-cancel',
    title:
      'The 403 for cancelling a settled transaction is kept, though the scope is granted since',
    needs: ['mint', 'settle', 'fresh_trading_account'],
    rows: [['cancelTransaction', FORBIDDEN, 'no transactions:amend', withoutAmend, 'corrected']],
  },
];

function refusalsOf({ rows: all, role, place, also, ...about }: Refusals): Scenario {
  return {
    ...about,
    rules: REFUSAL_RULES,
    async run(t) {
      for (const row of all) {
        const words = `${OPERATIONS[row[0]].words} with ${row[2]}, repeated`;
        await t.branch(REFUSAL_RULES, words, async () => {
          await expectKept(t, row, await place?.(t), role ?? t.mainRole);
        });
      }
      await also?.(t);
    },
  };
}

/**
 * A refusal that is made again has the request_id of its own call, which a replay does not (IDEM-5).
 * The corrected request shows it for certain: only a refusal that was kept answers it.
 */
async function expectKept(
  t: ScenarioContext,
  [operation, expected, , fault, corrected]: RefusedRow,
  place: Place | undefined,
  role: Role,
): Promise<void> {
  const valid = await validCall(t, operation, place, role);
  const { call = valid, who = role, undo } = (await fault(t, valid))!;
  const now = expected === 'as now' ? await sendCall(t, call, { who }) : undefined;
  if (now !== undefined && (now.status < 400 || now.status >= 500 || now.code === undefined)) {
    throw new UnknownPayload(`no refusal of an order is known: ${now.summary}`);
  }
  const [status, code] = expected === 'as now' ? [now!.status, now!.code] : expected;
  const key = t.fresh.key();
  const first = await sendCall(t, call, { key, who });
  if (first.status !== status || (first.code ?? code) !== code) {
    throw new Blocked(`expected ${status} ${code}, but ${first.summary}`);
  }
  const again = await sendCall(t, call, { key, who });
  await undo?.();
  const late = corrected === 'corrected' ? await sendCall(t, valid, { key, who }) : undefined;
  const replay = late ?? again;
  const isSure = late === undefined ? sameNumber(again, first) !== false : isReplayOf(late, first);
  const kept = isSure && isReplayOf(again, first);
  const refusal = `the first refusal again: ${describeAnswer(first)}`;
  t.expect('IDEM-4d', replay).is(refusal, kept, describeAnswer(replay), first);
  if (kept || sameNumber(again, first) === true) t.expect('IDEM-4a', again).status(status);
  if (!kept) return;
  const id = printJson(first.at('request_id'));
  const isOwn = sameNumber(replay, first) !== false;
  t.expect('IDEM-5', replay).is(`request_id of the first attempt: ${id}`, isOwn, undefined, first);
  // IDEM-5 where only the request_id differs, IDEM-4b where anything else does.
  const same = bytesWithRequestIdOf(replay, first) === first.text;
  const bytes = `the ${first.body.length} bytes of exchange ${first.n}: ${describeAnswer(first)}`;
  t.expect('IDEM-4b', replay).is(bytes, same, undefined, first);
  expectOwnNumbers(t, first, late === undefined ? [again] : [again, late]);
}

/** Undefined where the bodies have no request_id. */
function sameNumber(again: Answer, first: Answer): boolean | undefined {
  const [id, idBefore] = [again.at('request_id'), first.at('request_id')];
  return id === undefined ? undefined : id === idBefore;
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

const emailInUse: Fault = async (t, valid) =>
  body({ email: (await t.given.account()).email })(t, valid);

const phoneInUse: Fault = async (t, valid) => {
  const phone = t.fresh.phone();
  await t.given.account({ phone });
  return body({ phone })(t, valid);
};

/** The corrected request under the old key, and for IDEM-11 then under a new one. */
type CorrectedRow = readonly [WriteName, what: string, Fault];

function correctedRequests(
  rule: 'IDEM-11' | 'IDEM-13',
  about: Pick<Scenario, 'id' | 'title'>,
  all: readonly CorrectedRow[],
): Scenario {
  return {
    ...about,
    rules: [rule],
    async run(t) {
      for (const [operation, what, fault] of all) {
        await t.branch(rule, `${OPERATIONS[operation].words} with ${what}`, async () => {
          const corrected = await validCall(t, operation);
          const { call = corrected } = (await fault(t, corrected))!;
          const key = t.fresh.key();
          const first = await sendCall(t, call, { key });
          if (first.status < 400) throw new Blocked(`${what} is answered ${first.summary}`);
          const again = await sendCall(t, call, { key });
          const old = await sendCall(t, corrected, { key });
          // IDEM-4a judges with which status it comes again.
          const kept = isReplayOf(old, first) || isReplayOf(old, again);
          const words = `the old refusal: ${describeAnswer(first)}`;
          t.expect(rule, old).is(words, kept, undefined, first);
          if (!kept || rule === 'IDEM-13') return;
          const renewed = await sendCall(t, corrected);
          const ran = renewed.status < 300;
          t.expect(rule, renewed).is('the corrected request run under a new key', ran);
        });
      }
    },
  };
}

export const repeatScenarios: readonly Scenario[] = [
  ...WRITE_NAMES.map(replayOf),
  ...(['account', 'transaction'] as const).map(replayOfFound),
  ...REFUSALS.map(refusalsOf),
  correctedRequests(
    'IDEM-11',
    {
      id: 'idem-corrected-request',
      title: 'After a 4xx the corrected request gets the old refusal, and runs under a new key',
    },
    [
      ['createAccount', 'an email without @', noEmail],
      // A 412 cannot succeed by replay: its tag stays stale under that key.
      ['updateAccount', 'a stale tag', otherTag],
    ],
  ),
  correctedRequests(
    'IDEM-13',
    {
      id: 'idem-conflict-of-people',
      title: 'The 409 for an email or a phone in use is kept, and replays though it is put right',
    },
    [
      ['createAccount', 'an email in use', emailInUse],
      ['createAccount', 'a phone in use', phoneInUse],
    ],
  ),
];
