// Idempotency as a matrix. A row has a write, a second request under the same key that differs in
// one way, and the expectation: the first answer is replayed, or the request runs on its own.

import { describeAnswer } from '../engine/judge/expect.ts';
import { isReplayOf, sameMembers } from '../engine/judge/replay.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/call.ts';
import type { RuleId } from '../engine/types.ts';
import { noAmount, noReason } from '../scenarios/support/faults.ts';
import { differing } from '../scenarios/support/orders.ts';
import { OPERATIONS, type WriteName } from '../spec/operations.ts';
import { type ValidCall, validCall } from './calls.ts';
import { observeCase } from './questions.ts';
import { as, body, type Fault, ifMatch, only, rows, without } from './refusals.ts';
import { playByOperation, type Table, tableScenarios } from './table.ts';

/** The expected result; `apart`: any answer except the first one. */
type Outcome = 'replays' | 'runs' | 'apart';

/** The fault is the one difference of the second request, which need not be refused for it. */
type Row = readonly [RuleId | readonly RuleId[], WriteName, what: string, Fault, Outcome];

function secondRow(over: (t: ScenarioContext, row: RequestBody) => RequestBody): Fault {
  return rows(([one, two, ...rest], t) => [one!, { ...two, ...over(t, two!) }, ...rest]);
}

/** A new call of the same operation, on another record of the same trading account. */
const ofAnother: Fault = async (t, { operation, place }) => ({
  call: await validCall(t, operation, place),
});

/** The same at another account, or at a trading account that belongs to another account. */
const elsewhere: Fault = async (t, { operation, place }) => ({
  call: await validCall(t, operation, place && (await t.given.place('second_trading_account'))),
});

/** The trading account is the subject, and not its owner. */
const atNeighbour: Fault = async (t, valid) => {
  if (!t.has('fresh_trading_account')) return undefined;
  const { trading_account_id } = await t.operator.openTradingAccount(valid.place!.account_id);
  return body({ trading_account_id })(t, valid);
};

const otherReference = body((t) => ({ client_reference_id: t.fresh.reference() }));
const otherEmail = body((t) => ({ email: t.fresh.email() }));
const upperCase = body((_, { body: sent }) => ({
  client_reference_id: String(sent?.client_reference_id).toUpperCase(),
}));
const otherBrand = body((t) => ({ brand_id: t.brandId('other_brand') }));
const otherOrder = only((t, { body: sent = {} }) => differing(t, sent));
const otherReason = body({ reason: 'another reason' });
const otherAccount: Fault = async (t, valid) => {
  const { account_id, trading_account_id } = await t.given.place('second_trading_account');
  return body({ account_id, trading_account_id })(t, valid);
};
const ofAnotherByAnother: Fault = async (t, valid) => ({
  ...(await ofAnother(t, valid)),
  as: 'no_amend',
});
const otherFirm: Fault = (t, valid) => {
  if (!t.has('other_firm')) return undefined;
  const { client_reference_id = null } = valid.body ?? {};
  const theirs = t.newAccount({ client_reference_id }, 'other_firm');
  return { call: { ...valid, body: theirs }, as: 'other_firm' };
};
function spelt(before: string, after: string): Fault {
  return (_, { key }) => ({ key: before + key + after });
}

/** Another operation at the same place; a create, with the same reference. */
function does(operation: WriteName): Fault {
  return async (t, { place, body: sent }) => {
    const other = await validCall(t, operation, place);
    const { client_reference_id: reference } = sent ?? {};
    return reference === undefined
      ? { call: other }
      : body({ client_reference_id: reference })(t, other);
  };
}

const inBatch: Fault = (_, { body: sent }) => ({
  call: { operation: 'bulkCreateAccounts', rows: [sent!] },
});

/** A decision on a transaction of the account that was updated. */
const decidesThere: Fault = async (t, { account }) => {
  if (!t.has('fresh_trading_account')) return undefined;
  const place = await t.operator.openTradingAccount(account!.id);
  return { call: await validCall(t, 'rejectTransaction', place) };
};

const nameAndCountry = body({ first_name: 'Grace', country: 'FR' });
const aPhone = body((t) => ({ phone: t.fresh.phone() }));
const otherMembers = body({ first_name: undefined, country: 'FR' });
const noMembers = without('first_name');
const otherAmount = body({ amount: '99.00' });

const firstName = secondRow(() => ({ first_name: 'Grace' }));
const allButSubject = secondRow((t) => ({
  ...{ last_name: 'Hopper', country: 'FR', language: 'fr' },
  phone: t.fresh.phone(),
}));
const rowAdded = rows((all, t) => [...all, t.newAccount()]);
const lastTwice = rows((all) => [...all, all.at(-1)!]);
const lastRemoved = rows((all) => all.slice(0, -1));
const firstRemoved = rows((all) => all.slice(1));
const firstTwoSwapped = rows(([one, two, ...rest]) => [two!, one!, ...rest]);
const middleSwapped = rows(([one, two, three, four]) => [one!, three!, two!, four!]);
const middleReplaced = rows(([one, , ...rest], t) => [one!, t.newAccount(), ...rest]);
const middleRemoved = rows(([one, , ...rest]) => [one!, ...rest]);
const rowReference = secondRow((t) => ({ client_reference_id: t.fresh.reference() }));
const rowEmail = secondRow((t) => ({ email: t.fresh.email() }));
const rowBrand = secondRow((t) => ({ brand_id: t.brandId('other_brand') }));
/** A letter moves to the next member, which a hash of the joined texts does not notice. */
const letterMoved = secondRow((_, { client_reference_id, email }) => ({
  client_reference_id: String(client_reference_id).slice(0, -1),
  email: String(client_reference_id).slice(-1) + String(email),
}));

const BATCH = 'bulkCreateAccounts';
const ROW_SUBJECT: readonly RuleId[] = ['IDEM-2c', 'IDEM-9a'];
/** For positions, the general rules about keys are repeated as POS rules. */
const OF_PLACE: readonly RuleId[] = ['IDEM-2c', 'POS-4'];
const ORDER: readonly RuleId[] = ['IDEM-8', 'POS-2'];
const APART: readonly RuleId[] = ['IDEM-3', 'POS-3'];

const MATRICES: Readonly<Record<string, Table<Row>>> = {
  'idem-subjects-of-accounts': {
    title:
      'The subject of a create is its reference, of an update the account, of a batch who its rows are',
    rows: [
      ['IDEM-2a', 'createAccount', 'the reference, and all else', ofAnother, 'runs'],
      ['IDEM-2c', 'createAccount', 'the case of the reference', upperCase, 'replays'],
      ['IDEM-2c', 'createAccount', 'the reference, and not the email', otherReference, 'apart'],
      ['IDEM-2c', 'createAccount', 'the email', otherEmail, 'replays'],
      ['IDEM-8', 'createAccount', 'name and country', nameAndCountry, 'replays'],
      ['IDEM-8', 'createAccount', 'the phone', aPhone, 'replays'],
      ['IDEM-2c', 'updateAccount', 'the account', elsewhere, 'runs'],
      ['IDEM-2c', 'updateAccount', 'the tag', ifMatch('"another-revision"'), 'replays'],
      ['IDEM-8', 'updateAccount', 'the members that it changes', otherMembers, 'replays'],
      ['IDEM-8', 'updateAccount', 'that it changes nothing', noMembers, 'replays'],
      ['IDEM-9a', BATCH, 'a first name', firstName, 'replays'],
      ['IDEM-9a', BATCH, 'name, country, language and phone', allButSubject, 'replays'],
      ['IDEM-9b', BATCH, 'a row added', rowAdded, 'runs'],
      ['IDEM-9b', BATCH, 'the last row twice', lastTwice, 'runs'],
      ['IDEM-9b', BATCH, 'the last row removed', lastRemoved, 'runs'],
      ['IDEM-9b', BATCH, 'the first row removed', firstRemoved, 'runs'],
      ['IDEM-9b', BATCH, 'the first two rows in another order', firstTwoSwapped, 'runs'],
      ['IDEM-9b', BATCH, 'two rows in the middle in another order', middleSwapped, 'runs'],
      ['IDEM-9b', BATCH, 'another row in the middle', middleReplaced, 'runs'],
      ['IDEM-9b', BATCH, 'a row in the middle removed', middleRemoved, 'runs'],
      // The table of subjects names all three (IDEM-2c), and so does the rule about batches.
      [ROW_SUBJECT, BATCH, 'a reference', rowReference, 'runs'],
      [ROW_SUBJECT, BATCH, 'an email', rowEmail, 'runs'],
      [ROW_SUBJECT, BATCH, 'a letter moved from reference to email', letterMoved, 'runs'],
    ],
  },
  'idem-key-across-brands': {
    title: 'The brand is no part of the subject of a create, and part of that of a batch',
    needs: ['firm', 'other_brand'],
    rows: [
      ['IDEM-2c', 'createAccount', 'the brand', otherBrand, 'replays'],
      [ROW_SUBJECT, BATCH, 'a brand', rowBrand, 'runs'],
    ],
  },
  'idem-subjects-of-money': {
    title:
      'The subject of a transaction is its reference and of a decision the account, whatever else',
    needs: ['trading_account'],
    observes: ['NS-35'],
    rows: [
      ['IDEM-2c', 'createTransaction', 'the reference alone', otherReference, 'runs'],
      ['IDEM-8', 'createTransaction', 'the amount', otherAmount, 'replays'],
      ['IDEM-8', 'createTransaction', 'that it has no valid amount', noAmount, 'replays'],
      ['IDEM-10', 'approveTransaction', 'the transaction', ofAnother, 'replays'],
      ['IDEM-10', 'rejectTransaction', 'the transaction', ofAnother, 'replays'],
      ['IDEM-8', 'rejectTransaction', 'the reason', otherReason, 'replays'],
      ['IDEM-8', 'rejectTransaction', 'that its reason is empty', noReason, 'replays'],
      ['IDEM-10', 'cancelTransaction', 'the transaction', ofAnother, 'replays'],
      ['IDEM-8', 'cancelTransaction', 'the reason', otherReason, 'replays'],
      ['IDEM-8', 'cancelTransaction', 'that its reason is empty', noReason, 'replays'],
      [ORDER, 'openPosition', 'instrument, side and size', otherOrder, 'replays'],
      [ORDER, 'closePosition', 'the position', ofAnother, 'replays'],
    ],
    also: async (t) => observeCase(t, await t.given.place()),
  },
  'idem-subjects-of-places': {
    title:
      'The account is the subject of a decision and no part of that of a create; an order has its place',
    needs: ['trading_account', 'second_trading_account'],
    rows: [
      ['IDEM-2c', 'createTransaction', 'the account', otherAccount, 'replays'],
      ['IDEM-2c', 'approveTransaction', 'the account', elsewhere, 'runs'],
      ['IDEM-2c', 'rejectTransaction', 'the account', elsewhere, 'runs'],
      ['IDEM-2c', 'cancelTransaction', 'the account', elsewhere, 'runs'],
      [OF_PLACE, 'openPosition', 'the trading account', elsewhere, 'runs'],
      [OF_PLACE, 'openPosition', 'another one of the account', atNeighbour, 'runs'],
      [OF_PLACE, 'closePosition', 'the trading account', elsewhere, 'runs'],
    ],
  },
  'idem-other-credential': {
    title: 'The same request under the same key from another credential of the firm runs',
    needs: ['firm', 'no_amend'],
    rows: [
      ['IDEM-2b', 'createAccount', 'the credential', as('no_amend'), 'apart'],
      ['IDEM-2b', 'createAccount', 'the firm', otherFirm, 'runs'],
      ['IDEM-2b', 'updateAccount', 'the credential', as('no_amend'), 'apart'],
      ['IDEM-2b', BATCH, 'the credential', as('no_amend'), 'apart'],
      ['IDEM-2b', 'createTransaction', 'the credential', as('no_amend'), 'apart'],
      ['IDEM-2b', 'approveTransaction', 'credential and transaction', ofAnotherByAnother, 'runs'],
      ['IDEM-2b', 'rejectTransaction', 'credential and transaction', ofAnotherByAnother, 'runs'],
      ['IDEM-2b', 'cancelTransaction', 'credential and transaction', ofAnotherByAnother, 'runs'],
      ['IDEM-2b', 'openPosition', 'the credential', as('no_amend'), 'apart'],
      ['IDEM-2b', 'closePosition', 'the credential', as('no_amend'), 'apart'],
    ],
  },
  'idem-operations-apart': {
    title: 'One key serves different operations on one subject without the two meeting',
    needs: ['trading_account'],
    rows: [
      ['IDEM-3', 'createAccount', 'it creates a transaction', does('createTransaction'), 'runs'],
      ['IDEM-3', 'createAccount', 'it is a row of a batch', inBatch, 'runs'],
      ['IDEM-3', 'createTransaction', 'it creates an account', does('createAccount'), 'runs'],
      [APART, 'openPosition', 'it closes a position', does('closePosition'), 'runs'],
      [APART, 'closePosition', 'it opens a position', does('openPosition'), 'runs'],
      ['IDEM-3', 'approveTransaction', 'it rejects another', does('rejectTransaction'), 'runs'],
      ['IDEM-3', 'rejectTransaction', 'it cancels another', does('cancelTransaction'), 'runs'],
      ['IDEM-3', 'cancelTransaction', 'it approves another', does('approveTransaction'), 'runs'],
      ['IDEM-3', 'updateAccount', 'it rejects a transaction', decidesThere, 'runs'],
    ],
  },
  'idem-key-spaces': {
    title: 'Spaces around a key are not part of it, and do not count towards its length',
    rows: [
      ['IDEM-1c', 'createAccount', 'two spaces before the key', spelt('  ', ''), 'replays'],
      ['IDEM-1c', 'createAccount', 'two spaces after the key', spelt('', '  '), 'replays'],
      ['IDEM-1c', 'createAccount', 'a space on either side', spelt(' ', ' '), 'replays'],
    ],
  },
};

/** The rows of one operation share one first call, and are sent under its key. */
function playRows(t: ScenarioContext, all: readonly Row[]): Promise<void> {
  return playByOperation(t, all, async (operation, own) => {
    const call = { ...(await firstCall(t, operation)), key: t.fresh.key() };
    const first = await t.control(call);
    for (const row of own) {
      const { words } = OPERATIONS[operation];
      const what = `${words}, the key used again, different: ${row[2]}`;
      await t.branch(row[0], what, () => playRow(t, row, what, call, first));
    }
  });
}

/** A batch of four, so that there are middle rows. */
async function firstCall(t: ScenarioContext, operation: WriteName): Promise<ValidCall> {
  if (operation !== 'bulkCreateAccounts') return validCall(t, operation);
  return { operation, rows: Array.from({ length: 4 }, () => t.newAccount()) };
}

async function playRow(
  t: ScenarioContext,
  [rules, , , difference, outcome]: Row,
  words: string,
  sent: ValidCall,
  first: Answer,
): Promise<void> {
  const different = await difference(t, sent);
  if (different === undefined) return;
  const { call = sent, key = sent.key, as: caller } = different;
  const answer = await t.call(call, { key, as: caller });
  const isReplay = outcome === 'replays';
  const own = outcome === 'apart' || (answer.isServed && isOfAnother(answer, first, call));
  const expected = isReplay
    ? `the first answer, ${describeAnswer(first)}`
    : `an operation of its own, not exchange ${first.n} again`;
  for (const rule of [rules].flat()) {
    // POS-2 is about the order; IDEM-8 and IDEM-4a judge the status.
    const replayed = rule === 'POS-2' ? sameMembers(answer, first) : isReplayOf(answer, first);
    const truth = isReplay ? replayed : !replayed && own;
    t.expect(rule, answer).is(`${words}: ${expected}`, truth, describeAnswer(answer), first);
  }
}

/** Whether the answer is about another record: for a decision, the transaction in its path. */
function isOfAnother(answer: Answer, first: Answer, { transaction }: ValidCall): boolean {
  if (transaction !== undefined) return answer.isOf(transaction.id);
  const id = first.at('id');
  return id === undefined || answer.at('id') !== id || answer.at('amount') !== first.at('amount');
}

export const replayMatrices = tableScenarios(MATRICES, playRows);
