// Idempotency as a matrix. A row has a write, a second request under the same key that differs in
// one way, and the expectation: the first answer is replayed, or the request runs on its own.

import type { Role } from '../engine/capabilities.ts';
import { describeAnswer } from '../engine/judge/expect.ts';
import { isReplayOf, sameMembers } from '../engine/judge/replay.ts';
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { Answer } from '../engine/send/answer.ts';
import type { RequestBody } from '../engine/send/call.ts';
import type { RuleId, Scenario } from '../engine/types.ts';
import { differing } from '../scenarios/support/orders.ts';
import { OPERATIONS, type WriteName } from '../spec/operations.ts';
import { isAvailable, validCall, type WriteCall } from './calls.ts';
import { observeCase } from './questions.ts';

/** A request that was sent under a key, and its caller. */
interface Sent {
  readonly call: WriteCall;
  readonly key: string;
  readonly as: Role;
}

/** Undefined if it cannot be tried on this target. */
type Change = (t: ScenarioContext, sent: Sent) => Changed | Promise<Changed>;
type Changed = Partial<Sent> | undefined;

/** The expected result; `apart`: any answer except the first one. */
type Outcome = 'replays' | 'runs' | 'apart';

type Row = readonly [RuleId | readonly RuleId[], WriteName, what: string, Change, Outcome];

function body(over: RequestBody | ((t: ScenarioContext, before: RequestBody) => RequestBody)) {
  return ((t, { call }) => {
    const before = call.body ?? {};
    const changes = typeof over === 'function' ? over(t, before) : over;
    return { call: { ...call, body: { ...before, ...changes } } };
  }) satisfies Change;
}

function rows(change: (all: RequestBody[], t: ScenarioContext) => RequestBody[]): Change {
  return (t, { call }) => ({ call: { ...call, rows: change([...(call.rows ?? [])], t) } });
}

function secondRow(over: (t: ScenarioContext, row: RequestBody) => RequestBody): Change {
  return rows(([one, two, ...rest], t) => [one!, { ...two, ...over(t, two!) }, ...rest]);
}

/** A new call of the same operation, on another record of the same trading account. */
const ofAnother: Change = async (t, { call }) => ({
  call: await validCall(t, call.operation, call.place),
});

/** The same at another account, or at a trading account that belongs to another account. */
const elsewhere: Change = async (t, { call }) => ({
  call: await validCall(
    t,
    call.operation,
    call.place && (await t.given.place('second_trading_account')),
  ),
});

/** The trading account is the subject, and not its owner. */
const atNeighbour: Change = async (t, { call }) => {
  if (!t.has('fresh_trading_account')) return undefined;
  const { trading_account_id } = await t.operator.openTradingAccount(call.place!.account_id);
  return { call: { ...call, body: { ...call.body, trading_account_id } } };
};

const otherReference = body((t) => ({ client_reference_id: t.fresh.reference() }));
const otherEmail = body((t) => ({ email: t.fresh.email() }));
const upperCase = body((_, { client_reference_id: reference }) => ({
  client_reference_id: String(reference).toUpperCase(),
}));
const otherTag: Change = (_, { call }) => ({ call: { ...call, ifMatch: '"another-revision"' } });
const otherBrand = body((t) => ({ brand_id: t.brandId('other_brand') }));
const otherOrder: Change = (t, { call }) => ({
  call: { ...call, body: differing(t, call.body ?? {}) },
});
const otherReason = body({ reason: 'another reason' });
const noReason = body({ reason: '' });
const otherAccount: Change = async (t, { call }) => {
  const { account_id, trading_account_id } = await t.given.place('second_trading_account');
  return { call: { ...call, body: { ...call.body, account_id, trading_account_id } } };
};
const otherCredential: Change = () => ({ as: 'no_amend' });
const ofAnotherByAnother: Change = async (t, sent) => ({
  ...(await ofAnother(t, sent)),
  as: 'no_amend',
});
const otherFirm: Change = (t, { call }) => {
  if (!t.has('other_firm')) return undefined;
  const { client_reference_id = null } = call.body ?? {};
  const theirs = t.newAccount({ client_reference_id }, 'other_firm');
  return { call: { ...call, body: theirs }, as: 'other_firm' };
};
function spelt(before: string, after: string): Change {
  return (_, { key }) => ({ key: before + key + after });
}

/** Another operation at the same place; a create, with the same reference. */
function does(operation: WriteName): Change {
  return async (t, { call }) => {
    const other = await validCall(t, operation, call.place);
    const { client_reference_id: reference } = call.body ?? {};
    if (reference === undefined) return { call: other };
    return { call: { ...other, body: { ...other.body, client_reference_id: reference } } };
  };
}

const inBatch: Change = (_, { call }) => ({
  call: { operation: 'bulkCreateAccounts', rows: [call.body!] },
});

/** A decision on a transaction of the account that was updated. */
const decidesThere: Change = async (t, { call }) => {
  if (!t.has('fresh_trading_account')) return undefined;
  const place = await t.operator.openTradingAccount(call.account!.id);
  return { call: await validCall(t, 'rejectTransaction', place) };
};

const nameAndCountry = body({ first_name: 'Grace', country: 'FR' });
const aPhone = body((t) => ({ phone: t.fresh.phone() }));
const otherMembers = body({ first_name: undefined, country: 'FR' });
const noMembers = body({ first_name: undefined });
const otherAmount = body({ amount: '99.00' });
const noAmount = body((t) => ({ amount: t.fresh.text() }));

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

interface Matrix extends Omit<Scenario, 'rules' | 'run'> {
  readonly rows: readonly Row[];
  readonly also?: Scenario['run'];
}

const MATRICES: readonly Matrix[] = [
  {
    id: 'idem-subjects-of-accounts',
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
      ['IDEM-2c', 'updateAccount', 'the tag', otherTag, 'replays'],
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
  {
    id: 'idem-key-across-brands',
    title: 'The brand is no part of the subject of a create, and part of that of a batch',
    needs: ['firm', 'other_brand'],
    rows: [
      ['IDEM-2c', 'createAccount', 'the brand', otherBrand, 'replays'],
      [ROW_SUBJECT, BATCH, 'a brand', rowBrand, 'runs'],
    ],
  },
  {
    id: 'idem-subjects-of-money',
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
  {
    id: 'idem-subjects-of-places',
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
  {
    id: 'idem-other-credential',
    title: 'The same request under the same key from another credential of the firm runs',
    needs: ['firm', 'no_amend'],
    rows: [
      ['IDEM-2b', 'createAccount', 'the credential', otherCredential, 'apart'],
      ['IDEM-2b', 'createAccount', 'the firm', otherFirm, 'runs'],
      ['IDEM-2b', 'updateAccount', 'the credential', otherCredential, 'apart'],
      ['IDEM-2b', BATCH, 'the credential', otherCredential, 'apart'],
      ['IDEM-2b', 'createTransaction', 'the credential', otherCredential, 'apart'],
      ['IDEM-2b', 'approveTransaction', 'credential and transaction', ofAnotherByAnother, 'runs'],
      ['IDEM-2b', 'rejectTransaction', 'credential and transaction', ofAnotherByAnother, 'runs'],
      ['IDEM-2b', 'cancelTransaction', 'credential and transaction', ofAnotherByAnother, 'runs'],
      ['IDEM-2b', 'openPosition', 'the credential', otherCredential, 'apart'],
      ['IDEM-2b', 'closePosition', 'the credential', otherCredential, 'apart'],
    ],
  },
  {
    id: 'idem-operations-apart',
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
  {
    id: 'idem-key-spaces',
    title: 'Spaces around a key are not part of it, and do not count towards its length',
    rows: [
      ['IDEM-1c', 'createAccount', 'two spaces before the key', spelt('  ', ''), 'replays'],
      ['IDEM-1c', 'createAccount', 'two spaces after the key', spelt('', '  '), 'replays'],
      ['IDEM-1c', 'createAccount', 'a space on either side', spelt(' ', ' '), 'replays'],
    ],
  },
];

/** The rows of one operation share one first call, and are sent under its key. */
async function playRows(t: ScenarioContext, all: readonly Row[]): Promise<void> {
  const operation = all[0]![1];
  const { words } = OPERATIONS[operation];
  const ruled = [...new Set(all.flatMap(([rules]) => rules))];
  if (!(await isAvailable(t, operation))) return;
  await t.branch(ruled, words, async () => {
    const call = await firstCall(t, operation);
    const sent: Sent = { call, key: t.fresh.key(), as: t.mainRole };
    const first = await t.control(call, { ...sent });
    for (const row of all) {
      const what = `${words}, the key used again, different: ${row[2]}`;
      await t.branch(row[0], what, () => playRow(t, row, what, sent, first));
    }
  });
}

/** A batch of four, so that there are middle rows. */
async function firstCall(t: ScenarioContext, operation: WriteName): Promise<WriteCall> {
  if (operation !== 'bulkCreateAccounts') return validCall(t, operation);
  return { operation, rows: Array.from({ length: 4 }, () => t.newAccount()) };
}

async function playRow(
  t: ScenarioContext,
  [rules, , , change, outcome]: Row,
  words: string,
  sent: Sent,
  first: Answer,
): Promise<void> {
  const changed = await change(t, sent);
  if (changed === undefined) return;
  const next = { ...sent, ...changed };
  const answer = await t.call(next.call, { ...next });
  const own = outcome === 'apart' || (answer.isServed && isOfAnother(answer, first, next.call));
  const expected =
    outcome === 'replays'
      ? `the first answer, ${describeAnswer(first)}`
      : `an operation of its own, not exchange ${first.n} again`;
  for (const rule of [rules].flat()) {
    // POS-2 is about the order; IDEM-8 and IDEM-4a judge the status.
    const replayed = rule === 'POS-2' ? sameMembers(answer, first) : isReplayOf(answer, first);
    const truth = outcome === 'replays' ? replayed : !replayed && own;
    t.expect(rule, answer).is(`${words}: ${expected}`, truth, describeAnswer(answer), first);
  }
}

/** Whether the answer is about another record: for a decision, the transaction in its path. */
function isOfAnother(answer: Answer, first: Answer, { transaction }: WriteCall): boolean {
  if (transaction !== undefined) return answer.isOf(transaction.id);
  const id = first.at('id');
  return id === undefined || answer.at('id') !== id || answer.at('amount') !== first.at('amount');
}

export const replayMatrices: readonly Scenario[] = MATRICES.map(
  ({ rows: all, also, ...about }): Scenario => ({
    ...about,
    rules: [...new Set(all.flatMap(([rules]) => rules))],
    async run(t) {
      for (const operation of new Set(all.map((row) => row[1]))) {
        await playRows(
          t,
          all.filter((row) => row[1] === operation),
        );
      }
      await also?.(t);
    },
  }),
);
