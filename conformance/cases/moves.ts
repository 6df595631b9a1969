// The state machine of a transaction as rows: from this state, this decision leads to that state,
// changes nothing, or is refused.

import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../engine/capabilities.ts';
import { sum } from '../engine/judge/matchers.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../engine/scenario/scenario-setup.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { Call, RequestBody } from '../engine/send/call.ts';
import { printJson } from '../engine/send/json.ts';
import type { RuleId } from '../engine/types.ts';
import type { Place } from '../providers/target.ts';
import {
  APPROVED,
  type Books,
  booksOf,
  expectReads,
  quoteBooks,
  statusNow,
} from '../scenarios/support/transaction-assertions.ts';
import { expectUnchanged } from '../scenarios/support/unchanged.ts';
import { FORBIDDEN, INVALID, INVALID_STATE, type Refusal } from '../spec/errors.ts';
import { type Table, tableScenarios } from './table.ts';

export type Verb = 'approve' | 'reject' | 'cancel';
type State = 'pending' | 'approved' | 'settled' | 'rejected' | 'cancelled' | 'cancelled settled';

/** The status after the decision; `unchanged`: 200, and everything as before. */
type Outcome = 'approved' | 'rejected' | 'cancelled' | 'unchanged' | Refusal;

interface Variant {
  /** A transaction other than a deposit. */
  readonly of?: RequestBody;
  /** Created by a function if no single body works on every target. */
  readonly create?: (t: ScenarioContext, place: Place) => Promise<GivenTransaction>;
  readonly reason?: string;
  /** As another role, if the target has it. */
  readonly as?: Role;
}

type MoveRow = readonly [RuleId, State, Verb, Outcome, Variant?];

const credit = { transaction_type: 'Credit', amount: '25.00' };
const bonus = { ...credit, method: 'Bonus' };
const debit = { transaction_type: 'Debit', amount: '-10.00' };
const oneCharacter = { reason: 'x' };
const WITHDRAWAL = { transaction_type: 'Withdrawal', method: 'Withdrawal' };

/** A pending withdrawal. NS-27: whether its amount needs a minus sign is open. */
export async function withdrawal(t: ScenarioContext, place: Place): Promise<GivenTransaction> {
  const body = t.newTransaction(place, { ...WITHDRAWAL, amount: '-10.00' });
  const answer = await t.call('createTransaction', { body });
  if (answer.status !== 201 || answer.at('status') !== 'pending') {
    return t.given.transaction(place, { ...WITHDRAWAL, amount: '10.00' });
  }
  t.findings.controlled = true;
  const reference = String(body.client_reference_id);
  return { ...place, id: t.pick(answer, 'id'), reference, body, answer };
}

/** A deposit comes first: whether a withdrawal may exceed the balance is open. */
async function fundedWithdrawal(t: ScenarioContext, place: Place): Promise<GivenTransaction> {
  await t.given.settled(place);
  return withdrawal(t, place);
}

const MOVES: Readonly<Record<string, Table<MoveRow>>> = {
  'txs-moves': {
    title:
      'Each decision leads where the table of transitions says, or is refused and changes nothing',
    observes: ['NS-4'],
    needs: ['trading_account'],
    rows: [
      ['TXS-1', 'pending', 'approve', 'approved'],
      ['TXS-18', 'pending', 'approve', 'approved', { of: credit }],
      ['TXS-18', 'pending', 'approve', 'approved', { of: bonus }],
      ['TXS-18', 'pending', 'approve', 'approved', { of: debit }],
      ['TXS-5', 'rejected', 'approve', INVALID_STATE],
      ['TXS-5', 'cancelled', 'approve', INVALID_STATE],
      ['TXS-6', 'pending', 'reject', 'rejected'],
      ['TXS-6', 'pending', 'reject', 'rejected', oneCharacter],
      ['TXS-7', 'rejected', 'reject', 'unchanged'],
      ['TXS-7', 'rejected', 'reject', 'unchanged', { as: 'no_amend' }],
      ['TXS-8', 'pending', 'cancel', 'cancelled'],
      // Cancelling a pending transaction does not need transactions:amend.
      ['TXS-8', 'pending', 'cancel', 'cancelled', { ...oneCharacter, as: 'no_amend' }],
      ['TXS-9', 'cancelled', 'cancel', 'unchanged'],
      ['TXS-9', 'cancelled', 'cancel', 'unchanged', { as: 'no_amend' }],
      ['TXS-12', 'rejected', 'cancel', INVALID_STATE],
      ['TXS-12', 'cancelled', 'reject', INVALID_STATE],
    ],
    also: observeOpenMoves,
  },
  'txs-reversal': {
    title: 'Cancelling a settled transaction books one compensating entry, and never a second',
    needs: ['trading_account', 'ledger'],
    rows: [
      // Binary floating point cannot add up this amount exactly.
      ['TXS-10', 'settled', 'cancel', 'cancelled', { of: { amount: '10.20' } }],
      ['TXS-10', 'settled', 'cancel', 'cancelled', { create: fundedWithdrawal }],
      ['TXS-10', 'settled', 'cancel', 'cancelled', { of: { method: 'Bonus' } }],
      // TXS-9 holds for any cancelled transaction and needs no scope other than the funds scope.
      ['TXS-9', 'cancelled settled', 'cancel', 'unchanged'],
      ['TXS-9', 'cancelled settled', 'cancel', 'unchanged', { as: 'no_amend' }],
      ['TXS-12', 'cancelled settled', 'reject', INVALID_STATE],
      ['TXS-14', 'settled', 'cancel', INVALID, { reason: '' }],
      ['TXS-11', 'settled', 'cancel', FORBIDDEN, { as: 'no_amend' }],
      // `transactions:amend` alone, without the funds scope that it extends.
      ['TXS-17', 'settled', 'cancel', FORBIDDEN, { as: 'amend_only' }],
    ],
  },
};

/** One decision, sent by any credential. */
export function decide(
  t: ScenarioContext,
  verb: Verb,
  { id, account_id }: { readonly id: string; readonly account_id: string },
  { reason, as, key }: Variant & Pick<Call, 'key'> = {},
): Promise<Answer> {
  const body = reason === undefined || verb === 'approve' ? undefined : { reason };
  return t.call(`${verb}Transaction`, { as, id, account_id, body, key });
}

/** A decision that must succeed, as setup. */
export function decided(
  t: ScenarioContext,
  verb: Verb,
  { id, account_id }: { readonly id: string; readonly account_id: string },
  as?: Role,
): Promise<Answer> {
  return t.control(`${verb}Transaction`, { as, id, account_id });
}

/** The transaction as an operator sees it, if the target shows it. */
async function seenByOperator(t: ScenarioContext, transaction: GivenTransaction) {
  if (!t.has('ledger')) return undefined;
  const stored = await t.operator.transactions(transaction.id);
  return { stored, books: await booksOf(t, transaction) };
}

async function playMove(t: ScenarioContext, place: Place, row: MoveRow): Promise<void> {
  const [rule, state, verb, outcome, variant = {}] = row;
  const isRefusal = typeof outcome !== 'string';
  if (isRefusal && variant.as && !t.has(variant.as)) return;
  const from = await givenIn(t, state, place, variant);
  // NS-21: if every withdrawal goes through a provider, none settles here.
  if (from === undefined && variant.create) return;
  if (from === undefined) return t.notTested(rule, `it does not stay ${state}`);
  const before = await seenByOperator(t, from);
  const reason = variant.reason ?? `because ${t.fresh.text()}`;
  const as = variant.as && t.has(variant.as) ? variant.as : t.mainRole;
  const answer = await decide(t, verb, from, { reason, as });
  if (isRefusal) t.expect(rule, answer).refused(...outcome);
  else t.expect(rule, answer).status(200);
  if (!isRefusal && outcome !== 'unchanged') {
    // TXS-2 judges is_ftd, and TXS-13 the status of a settled transaction that was cancelled.
    expectUnchanged(t, rule, from.answer, answer, 'status', 'is_ftd');
    if (state !== 'settled') {
      t.expect(rule, answer).field('status', outcome);
      await expectReads(t, rule, from, ...(outcome === 'approved' ? APPROVED : [outcome]));
    } else if (before) await expectReversed(t, rule, from, before.books, answer);
    return;
  }
  if (!isRefusal && answer.status === 200) expectUnchanged(t, rule, from.answer, answer);
  await expectReads(t, rule, from, readingOf(state));
  const after = await seenByOperator(t, from);
  const same = isDeepStrictEqual(after, before);
  const seen = `${printJson(after)} after ${printJson(before)}`;
  t.claim(rule, 'nothing stored and no money moved', same, seen, answer);
}

/** TXS-13: a settled transaction that was cancelled has the status `cancelled`. */
function readingOf(state: State): string {
  return state === 'cancelled settled' ? 'cancelled' : state;
}

/** A transaction in this status; undefined if it settles before the decision (NS-3). */
async function givenIn(
  t: ScenarioContext,
  state: State,
  place: Place,
  { of = {}, create: make }: Variant,
): Promise<GivenTransaction | undefined> {
  const transaction = make ? await make(t, place) : await createIn(t, state, place, of);
  if (make && state === 'settled') {
    const { id, account_id } = transaction;
    const approval = await t.control('approveTransaction', { id, account_id }, 501);
    if (approval.status === 501) return undefined;
    await t.operator.settle(id);
  }
  const status = await statusNow(t, transaction);
  if (status === readingOf(state)) return transaction;
  if (state === 'approved' && status === 'settled') return undefined;
  throw new Blocked(`control failed: what was made ${state} reads "${status}"`);
}

async function createIn(
  t: ScenarioContext,
  state: State,
  place: Place,
  over: RequestBody,
): Promise<GivenTransaction> {
  if (state === 'pending') return t.given.transaction(place, over);
  if (state === 'approved' || state === 'settled') return t.given[state](place, over);
  if (state !== 'cancelled settled') return t.given[state](place);
  const settled = await t.given.settled(place, over);
  return { ...settled, answer: await decided(t, 'cancel', settled) };
}

/** Whether a bonus moves money at all is open. If it does, the money is returned. */
async function expectReversed(
  t: ScenarioContext,
  rule: RuleId,
  from: GivenTransaction,
  booked: Books,
  answer: Answer,
): Promise<void> {
  const count = booked.entries.length;
  if (count === 0 && from.body.method === 'Bonus') return;
  const after = await booksOf(t, from);
  const words = `the entries ${booked.entries.join(', ')}, and one more that makes them nothing`;
  t.claim(rule, words, isReversal(booked, after), quoteBooks(after), answer);
  const [entry = '0'] = booked.entries;
  const balance = sum(booked.balance, entry.startsWith('-') ? entry.slice(1) : `-${entry}`);
  const back = after.balance === balance;
  t.claim(rule, `the balance back at ${balance}`, back, `balance ${after.balance}`, answer);
}

function isReversal(booked: Books, after: Books): boolean {
  const kept = booked.entries.every((each, index) => after.entries[index] === each);
  const one = after.entries.length === booked.entries.length + 1;
  return kept && one && sum(...after.entries) === '0';
}

/** NS-4: the result of these decisions is open. */
const OPEN = [
  ['approved', 'reject', 'reject_from_approved', 'rejected'],
  ['approved', 'cancel', 'cancel_from_approved', 'cancelled'],
  ['settled', 'reject', 'reject_from_settled', 'rejected'],
  ['settled', 'approve', 'approve_from_settled', 'unchanged'],
] as const;

async function observeOpenMoves(t: ScenarioContext): Promise<void> {
  const place = await t.given.place();
  for (const [state, verb, setting, moved] of OPEN) {
    if (state === 'settled' && !t.has('settle')) continue;
    // Approved earlier: while this one is approved, the next one has not settled either (NS-3).
    const earlier = state === 'settled' ? undefined : await t.given.approved(place);
    const from = await t.given[state](place);
    if (earlier === undefined && (await statusNow(t, from)) !== state) continue;
    const answer = await decide(t, verb, from);
    if (earlier && (await statusNow(t, earlier)) !== state) continue;
    t.observe('NS-4', `${verb} from ${state}: ${answer.summary}`, {
      [setting]: answer.isServed ? moved : 'refused',
    });
  }
}

async function playMoves(t: ScenarioContext, rows: readonly MoveRow[]): Promise<void> {
  const place = await t.given.place();
  // A refusal is only judged on a target that serves decisions at all.
  await t.given.approved(place);
  for (const row of rows) {
    const [rule, state, verb] = row;
    await t.branch(rule, `${verb} from ${state}`, () => playMove(t, place, row));
  }
}

export const moveScenarios = tableScenarios(MOVES, playMoves);
