// The state machine of a transaction as rows: from this state, this decision leads there, changes
// nothing, or is refused.
import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../engine/capabilities.ts';
import { oneOf } from '../engine/judge/matchers.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../engine/scenario/scenario-setup.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/client.ts';
import type { RuleId, Scenario } from '../engine/types.ts';
import type { Place } from '../providers/target.ts';
import {
  APPROVED,
  expectReads,
  expectUnchanged,
  statusNow,
} from '../scenarios/support/transaction-assertions.ts';
import { booksOf, quoteBooks } from '../scenarios/transitions/amounts.ts';
import { INVALID_STATE, type Refusal } from '../spec/errors.ts';

export type Verb = 'approve' | 'reject' | 'cancel';
type State = 'pending' | 'approved' | 'rejected' | 'cancelled';

/** Where the decision leads; `unchanged`: 200, and all as before. */
type Outcome = { readonly to: State } | 'unchanged' | Refusal;

interface Variant {
  /** A transaction other than a deposit. */
  readonly of?: RequestBody;
  readonly reason?: string;
  /** As another role, where the target has it. */
  readonly as?: Role;
}

type MoveRow = readonly [RuleId, State, Verb, Outcome, Variant?];

const credit = { transaction_type: 'Credit', amount: '25.00' };
const bonus = { ...credit, method: 'Bonus' };
const debit = { transaction_type: 'Debit', amount: '-1.00' };
const oneCharacter = { reason: 'x' };

interface MoveTable extends Omit<Scenario, 'rules' | 'run' | 'needs'> {
  readonly rows: readonly MoveRow[];
  readonly also?: Scenario['run'];
}

const MOVES: readonly MoveTable[] = [
  {
    id: 'txs-approve',
    title: 'Approving a pending transaction answers 200 with it, approved',
    rows: [
      ['TXS-1', 'pending', 'approve', { to: 'approved' }],
      ['TXS-18', 'pending', 'approve', { to: 'approved' }, { of: credit }],
      ['TXS-18', 'pending', 'approve', { to: 'approved' }, { of: bonus }],
      ['TXS-18', 'pending', 'approve', { to: 'approved' }, { of: debit }],
    ],
  },
  {
    id: 'txs-approve-decided',
    title: 'Approving a rejected or cancelled transaction is 409 and changes nothing',
    rows: [
      ['TXS-5', 'rejected', 'approve', INVALID_STATE],
      ['TXS-5', 'cancelled', 'approve', INVALID_STATE],
    ],
  },
  {
    id: 'txs-reject',
    title: 'To reject a pending transaction with a reason makes it rejected',
    rows: [
      ['TXS-6', 'pending', 'reject', { to: 'rejected' }],
      ['TXS-6', 'pending', 'reject', { to: 'rejected' }, oneCharacter],
    ],
  },
  {
    id: 'txs-reject-again',
    title: 'To reject what is rejected answers 200 and changes nothing',
    rows: [
      ['TXS-7', 'rejected', 'reject', 'unchanged'],
      ['TXS-7', 'rejected', 'reject', 'unchanged', { as: 'no_amend' }],
    ],
  },
  {
    id: 'txs-cancel',
    title: 'To cancel a pending transaction with a reason makes it cancelled',
    rows: [
      ['TXS-8', 'pending', 'cancel', { to: 'cancelled' }],
      // What is still pending needs no transactions:amend.
      ['TXS-8', 'pending', 'cancel', { to: 'cancelled' }, { ...oneCharacter, as: 'no_amend' }],
    ],
  },
  {
    id: 'txs-cancel-again',
    title: 'To cancel what is cancelled answers 200 and changes nothing',
    rows: [
      ['TXS-9', 'cancelled', 'cancel', 'unchanged'],
      ['TXS-9', 'cancelled', 'cancel', 'unchanged', { as: 'no_amend' }],
    ],
  },
  {
    id: 'txs-refused-moves',
    title: 'Rejecting what is cancelled and cancelling what is rejected is 409 and changes nothing',
    observes: ['NS-4'],
    rows: [
      ['TXS-12', 'rejected', 'cancel', INVALID_STATE],
      ['TXS-12', 'cancelled', 'reject', INVALID_STATE],
    ],
    also: observeOpenMoves,
  },
];

/** One decision of any credential. */
export function decide(
  t: ScenarioContext,
  verb: Verb,
  { id, account_id }: { readonly id: string; readonly account_id: string },
  { reason = 'conformance check', as = t.mainRole, key = t.fresh.key() } = {} as Variant & {
    readonly key?: string;
  },
): Promise<Answer> {
  const api = t.as(as);
  if (verb === 'approve') return api.approveTransaction(id, account_id, { key });
  return verb === 'reject'
    ? api.rejectTransaction(id, account_id, { reason }, { key })
    : api.cancelTransaction(id, account_id, { reason }, { key });
}

async function playMove(t: ScenarioContext, place: Place, row: MoveRow): Promise<void> {
  const [rule, state, verb, outcome, variant = {}] = row;
  const from = await givenIn(t, state, place, variant.of ?? {});
  if (from === undefined) return t.notTested(rule, `it does not stay ${state}`);
  const before = await seenByOperator(t, from);
  const reason = variant.reason ?? `because ${t.fresh.text()}`;
  const as = variant.as && t.has(variant.as) ? variant.as : t.mainRole;
  const answer = await decide(t, verb, from, { reason, as });
  if (outcome === 'unchanged') {
    t.expect(rule, answer).status(200);
    if (answer.status === 200) expectUnchanged(t, rule, from.answer, answer);
    await expectReads(t, rule, from, state);
  } else if ('to' in outcome) {
    t.expect(rule, answer).status(200).field('status', outcome.to);
    // TXS-2 says what becomes of is_ftd.
    expectUnchanged(t, rule, from.answer, answer, 'status', 'is_ftd');
    const reads = outcome.to === 'approved' ? APPROVED : [outcome.to];
    await expectReads(t, rule, from, ...reads);
    if (before !== undefined && outcome.to !== 'approved') {
      await expectStored(t, rule, { from, before, reason, answer });
    }
    return;
  } else {
    t.expect(rule, answer).refused(...outcome);
    await expectReads(t, rule, from, state);
  }
  const after = await seenByOperator(t, from);
  const same = isDeepStrictEqual(after, before);
  const seen = `${JSON.stringify(after)} after ${JSON.stringify(before)}`;
  t.claim(rule, 'nothing stored and no money moved', same, seen, answer);
}

/** A transaction that reads so; undefined where it settles before it can be decided on (NS-3). */
async function givenIn(
  t: ScenarioContext,
  state: State,
  place: Place,
  over: RequestBody,
): Promise<GivenTransaction | undefined> {
  const made =
    state === 'pending'
      ? await t.given.transaction(place, over)
      : state === 'approved'
        ? await t.given.approved(place, over)
        : await t.given[state](place);
  const status = await statusNow(t, made);
  if (status === state) return made;
  if (state === 'approved' && status === 'settled') return undefined;
  throw new Blocked(`control failed: what was made ${state} reads "${status}"`);
}

interface OperatorView {
  readonly stored: readonly { readonly [name: string]: unknown }[];
  readonly books: string;
}

/** What an operator sees of it, where the target shows it. */
async function seenByOperator(
  t: ScenarioContext,
  transaction: GivenTransaction,
): Promise<OperatorView | undefined> {
  if (!t.has('ledger')) return undefined;
  const stored = await t.operator.transactions(transaction.id);
  return { stored, books: quoteBooks(await booksOf(t, transaction)) };
}

interface Moved {
  readonly from: GivenTransaction;
  readonly before: OperatorView;
  readonly reason: string;
  readonly answer: Answer;
}

/** The reason is kept for operators, and of a rejection who decided; no money moves. */
async function expectStored(t: ScenarioContext, rule: RuleId, moved: Moved): Promise<void> {
  const { from, before, reason, answer } = moved;
  const after = (await seenByOperator(t, from))!;
  const same = after.books === before.books;
  t.claim(rule, `no money moved: ${before.books}`, same, after.books, answer);
  const [row] = after.stored;
  if (row === undefined) throw new Blocked('the control plane does not list the transaction');
  const values = Object.values(row);
  t.claim(rule, `the reason stored: ${reason}`, values.includes(reason), 'it is not', answer);
  if (rule !== 'TXS-6') return;
  const { clientId, name } = await t.credential(t.mainRole);
  const known = values.some((each) => each === clientId || each === name);
  t.claim(rule, `the operator stored: ${clientId}`, known, 'it is not', answer);
}

/**
 * NS-4: what becomes of these the specification does not say; only that a refusal changes nothing.
 */
const OPEN: readonly (readonly [State | 'settled', Verb, setting: string, moved: string])[] = [
  ['approved', 'reject', 'reject_from_approved', 'rejected'],
  ['approved', 'cancel', 'cancel_from_approved', 'cancelled'],
  ['settled', 'reject', 'reject_from_settled', 'rejected'],
  ['settled', 'approve', 'approve_from_settled', 'unchanged'],
];

async function observeOpenMoves(t: ScenarioContext): Promise<void> {
  const place = await t.given.place();
  for (const [state, verb, setting, moved] of OPEN) {
    if (state === 'settled' && !t.has('settle')) continue;
    const from = state === 'settled' ? await t.given.settled(place) : await t.given.approved(place);
    // What settles meanwhile is in another state, of which nothing is observed here.
    if ((await statusNow(t, from)) !== state) continue;
    const answer = await decide(t, verb, from);
    t.observe('NS-4', `${verb} from ${state}: ${answer.summary}`, {
      [setting]: answer.status < 300 ? moved : 'refused',
    });
    if (answer.status !== INVALID_STATE[0]) continue;
    const after = await t.given.rereadTransaction(from);
    t.expect('TXS-12', after).field('status', oneOf(state, 'settled'));
  }
}

function scenarioOf({ rows, also, ...about }: MoveTable): Scenario {
  return {
    ...about,
    rules: [...new Set(rows.map(([rule]) => rule))],
    needs: ['trading_account'],
    async run(t) {
      const place = await t.given.place();
      // That decisions are served at all: a refusal is judged only then.
      await t.given.approved(place);
      for (const row of rows) {
        const [rule, state, verb] = row;
        await t.branch(rule, `${verb} from ${state}`, () => playMove(t, place, row));
      }
      await also?.(t);
    },
  };
}

export const moveScenarios: readonly Scenario[] = MOVES.map(scenarioOf);
