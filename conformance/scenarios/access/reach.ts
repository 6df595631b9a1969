// AUTH-5 to AUTH-7: the records that a credential reaches, and that others seem not to exist. A row
// names a record in one way; for a record out of reach the answer is the same as for an unknown one.
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { OperationCall, Who } from '../../engine/send/call.ts';
import { idText, membersIn } from '../../engine/send/json.ts';
import type { Story } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { UNKNOWN_ID } from '../../spec/literals.ts';
import { DECISIONS, OPERATIONS } from '../../spec/operations.ts';
import { expectReferenceFree } from '../support/account-assertions.ts';
import { expectOutOfReach } from '../support/hidden.ts';
import { inTurn } from '../support/in-turn.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { pageFrom } from '../support/reads.ts';
import { delegatedPlace, delegatedTokens, mintDelegated } from './delegated-tokens.ts';

type ReachRule = 'AUTH-5' | 'AUTH-6' | 'AUTH-7';

/** The two sides of a scenario: `outsider` must not see what `insider` owns. */
interface View {
  readonly rule: ReachRule;
  /** The caller of the next call from outside. */
  readonly outsider: () => Promise<Who>;
  readonly insider: Role;
}

/** A record as a call names it: out of reach, unknown, or the caller's own. */
interface Named {
  readonly account: string;
  readonly tag?: string;
  readonly place?: Place;
  readonly transaction?: string;
  /** The answer to the request that opened a position. */
  readonly position?: Answer;
}

/** A call that names a record; `home` is a place of the caller. */
type NamingRow = readonly [
  what: string,
  call: (t: ScenarioContext, named: Named, home: Place) => OperationCall,
];

const NOWHERE: Named = {
  ...{ account: UNKNOWN_ID, transaction: UNKNOWN_ID },
  place: { account_id: UNKNOWN_ID, trading_account_id: UNKNOWN_ID, currency: 'USD' },
};

const UPDATE: NamingRow = [
  'an account',
  (t, { account: id, tag = '"1"' }) => ({
    ...{ operation: 'updateAccount', id, ifMatch: tag, body: { last_name: t.fresh.text() } },
  }),
];

const STATUS: NamingRow = [
  'the status of an account',
  (_, { account: id }) => ({ operation: 'getAccountStatus', id }),
];

const MONEY: readonly NamingRow[] = [
  [
    'a trading account',
    (t, { place }) => ({ operation: 'createTransaction', body: t.newTransaction(place!) }),
  ],
  ...DECISIONS.flatMap((operation): NamingRow[] => {
    const at = (id: string | undefined, account_id: string) => ({ operation, id, account_id });
    return [
      ['a transaction', (_, { transaction, account }) => at(transaction, account)],
      [
        'a transaction, under an account of its own',
        (_, { transaction }, home) => at(transaction, home.account_id),
      ],
    ];
  }),
];

interface Records {
  readonly hidden: Named;
  readonly own: () => Promise<Named>;
  readonly home?: Place;
}

function expectHiddenBy(
  t: ScenarioContext,
  { rule, outsider }: View,
  [what, call]: NamingRow,
  { hidden, own, home = NOWHERE.place! }: Records,
): Promise<void> {
  const unknown = { ...NOWHERE, ...(hidden.tag && { tag: hidden.tag }) };
  const { operation } = call(t, hidden, home);
  return t.branch(rule, `${OPERATIONS[operation].words}: ${what} out of reach`, async () => {
    const send = async (named: Named, who?: Who) =>
      t.call(call(t, named, home), { as: who ?? (await outsider()) });
    await expectOutOfReach(t, rule, {
      hidden: () => send(hidden),
      unknown: (who) => send(unknown, who),
      own: async () => send(await own()),
    });
  });
}

export const authBrandReach: Story = {
  title: 'A brand-bound credential sees its brand alone; the rest is the 404 of unknown ids',
  rules: ['AUTH-6'],
  needs: ['brand', 'other_brand'],
  run: (t) => lookFrom(t, 'AUTH-6', 'brand', 'other_brand'),
};

export const authFirmReach: Story = {
  title: 'The records of another firm are the 404 of unknown ids',
  rules: ['AUTH-7'],
  observes: ['NS-63'],
  needs: ['other_firm'],
  async run(t) {
    await lookFrom(t, 'AUTH-7', 'other_firm', t.mainRole);
    // ACC-16 judges credentials that are bound to a brand, BULK-10 the rows of a batch.
    if (t.mainRole !== 'firm') return;
    await t.branch('AUTH-7', 'a brand of another firm', () => expectBrandClosed(t));
  },
};

async function lookFrom(t: ScenarioContext, rule: ReachRule, outsider: Role, insider: Role) {
  const view: View = { rule, insider, outsider: async () => outsider };
  const own = await t.given.account({}, outsider);
  const update = { id: own.id, body: { first_name: t.fresh.text() }, ifMatch: own.etag };
  await t.control('updateAccount', { as: outsider, ...update });
  const foreign = await t.given.account({}, insider);
  const records = {
    hidden: { account: foreign.id, tag: foreign.etag },
    own: async () => ({ account: own.id, tag: own.etag }),
  };
  await expectHiddenBy(t, view, UPDATE, records);
  const read = await t.given.reread(foreign, insider);
  const same = read.at('last_name') === foreign.answer.at('last_name');
  t.expect(rule, read).is('the account as it was', same);
  // NS-54: only if the target has such a read.
  const status = await t.call(STATUS[1](t, await records.own(), NOWHERE.place!), { as: outsider });
  if (status.status === 200) await expectHiddenBy(t, view, STATUS, records);
  await expectNotListed(t, view, 'listAccounts', foreign.id);
  const body = t.newAccount({ client_reference_id: foreign.reference }, outsider);
  const answer = await t.call('createAccount', { as: outsider, body });
  expectApart(t, rule, 'account', answer, foreign, own.answer.status);
  // An account at another brand or firm with a trading account cannot come from a profile.
  if (!t.has('fresh_trading_account')) return;
  const home = await t.operator.openTradingAccount(own.id);
  const abroad = await t.operator.openTradingAccount(foreign.id);
  await t.branch(rule, 'transactions out of reach', async () => {
    const { status: created } = (await t.given.transaction(home, {}, outsider)).answer;
    const pending = await t.given.transaction(abroad, {}, insider);
    await expectMoneyHidden(t, view, home, pending, created);
  });
  await expectPositionsHidden(t, view, home, abroad);
}

async function expectMoneyHidden(
  t: ScenarioContext,
  view: View,
  home: Place,
  pending: GivenTransaction,
  created: number,
): Promise<void> {
  const { rule, outsider, insider } = view;
  const hidden = { account: pending.account_id, transaction: pending.id, place: pending };
  const own = async () => {
    const transaction = (await t.given.transaction(home)).id;
    return { account: home.account_id, transaction, place: home };
  };
  for (const row of MONEY) await expectHiddenBy(t, view, row, { hidden, own, home });
  t.expect(rule, await t.given.rereadTransaction(pending, insider)).field('status', 'pending');
  const { client_reference_id } = pending.body;
  const body = t.newTransaction(home, { client_reference_id });
  const answer = await t.call('createTransaction', { as: await outsider(), body });
  expectApart(t, rule, 'transaction', answer, pending, created);
  await expectNotListed(t, view, 'listTransactions', pending.id);
}

/** NS-20: the scope within which a reference is unique is open; a record out of reach must stay hidden. */
function expectApart(
  t: ScenarioContext,
  rule: ReachRule,
  record: 'account' | 'transaction',
  answer: Answer,
  hidden: { readonly id: string },
  created: number,
): void {
  const article = record === 'account' ? 'an' : 'a';
  t.expect(rule, answer)
    .is(`not the ${record} that it cannot reach`, !answer.isOf(hidden.id))
    .is(`${article} ${record} of its own, as under any new reference`, answer.status === created);
}

/** If the target has such a list, it contains nothing out of reach. */
async function expectNotListed(
  t: ScenarioContext,
  { rule, outsider }: View,
  operation: 'listAccounts' | 'listTransactions',
  id: string,
): Promise<void> {
  const list = await t.call(operation, { query: pageFrom(id), as: await outsider() });
  if (list.status !== 200) return;
  const isListed = membersIn(list.json).some(
    ([path, value]) => /^(record_)?id$/.test(path.at(-1)!) && idText(value) === id,
  );
  t.expect(rule, list).is(`no record ${id} in the list`, !isListed);
}

function expectPositionsHidden(t: ScenarioContext, view: View, home: Place, abroad: Place) {
  return t.branch(view.rule, 'positions out of reach', async () => {
    const first = await openPosition(t, await t.given.place());
    const { body: closing } = await closePosition(t, first);
    const order = ({ trading_account_id }: Place) => ({ ...first.body, trading_account_id });
    const open = (who: Who, place: Place) =>
      t.call('openPosition', { as: who, body: order(place) });
    const close = (place: Place, position: Answer | undefined): OperationCall => {
      const opened = { body: order(place), answer: position ?? first.answer };
      const id = position === undefined ? UNKNOWN_ID : undefined;
      return { operation: 'closePosition', body: closing(opened, id) };
    };
    const position = await open(view.insider, abroad);
    const hidden = { account: abroad.account_id, place: abroad, position };
    const own = async () => ({
      account: home.account_id,
      place: home,
      position: await open(t.mainRole, home),
    });
    const rows: NamingRow[] = [
      ['a trading account', (_, { place }) => ({ operation: 'openPosition', body: order(place!) })],
    ];
    if (position.isServed) {
      rows.push(['a position', (_, named) => close(named.place!, named.position)]);
      rows.push(['a position, at a place of its own', (_, named, at) => close(at, named.position)]);
    }
    for (const row of rows) await expectHiddenBy(t, view, row, { hidden, own, home });
  });
}

/** NS-63: the refusal is open. Nothing is created there, and no record of it is shown. */
async function expectBrandClosed(t: ScenarioContext): Promise<void> {
  await t.given.account({}, 'other_firm');
  const body = t.newAccount({}, 'other_firm');
  const answer = await t.call('createAccount', { body });
  const { status, summary, isRefused } = answer;
  const seen = `${summary}, brand_id ${answer.at('brand_id')}`;
  const closed = `refused: brand ${body.brand_id} is another firm's`;
  if (!t.expect('AUTH-7', answer).is(closed, isRefused, seen).ok) return;
  t.observe('NS-63', `a brand of another firm: ${summary}`, { foreign_brand_status: status });
  const unknown = await t.create({ brand_id: UNKNOWN_ID });
  const same = answer.status === unknown.status && answer.code === unknown.code;
  const words = `refused as a brand that no one has: ${unknown.summary}`;
  t.expect('AUTH-7', answer).is(words, same, answer.summary, unknown);
  await expectReferenceFree(t, 'AUTH-7', body, 'other_firm');
}

export const authDelegatedReach: Story = {
  title: 'A delegated token reaches its own account alone, as if there were no other',
  rules: ['AUTH-5'],
  observes: ['NS-64'],
  needs: ['delegated', 'second_trading_account'],
  async run(t) {
    const home = await delegatedPlace(t, 'delegated');
    const abroad = await t.given.place('second_trading_account');
    const outsider = delegatedTokens(t, home.account_id);
    const view: View = { rule: 'AUTH-5', insider: t.mainRole, outsider };
    const body = t.newTransaction(home);
    await t.control('createTransaction', { as: await outsider(), body });
    await expectMoneyHidden(t, view, home, await t.given.transaction(abroad), 201);
    await expectPositionsHidden(t, view, home, abroad);
    if (t.has('mint')) await observeCreating(t);
  },
};

/** NS-64: whether a new account is out of reach of the token that created it. */
async function observeCreating(t: ScenarioContext): Promise<void> {
  const [own, foreign] = [await t.given.account(), await t.given.account()];
  const holder = await mintDelegated(t, { accountId: own.id, scopes: ['accounts:write'] });
  const created = await t.create({}, { as: holder });
  const again = await t.create({ client_reference_id: foreign.reference }, { as: holder });
  const words = `another account by a delegated token: ${created.summary}`;
  t.observe('NS-64', `${words}; under a reference out of its reach: ${again.summary}`, {
    delegated_account_create: created.isServed ? 'served' : 'refused',
  });
}

export const authServerWithTraderScopes: Story = {
  title: 'A server credential with trader scopes is not limited to one account',
  rules: ['AUTH-5'],
  // Extra depth: only a control plane knows which credential has exactly these scopes.
  needs: ['mint'],
  async run(t) {
    const server = await t.operator.mint({ scopes: ['trader:trade', 'trader:funds'] });
    const places = [await t.given.place(), await t.given.place('second_trading_account')];
    await expectBoth(t, 'recording', places, (place) => t.record(place, {}, { as: server }));
    await expectBoth(t, 'opening', places, async (place) =>
      t.call('openPosition', { as: server, body: (await openPosition(t, place)).body }),
    );
  },
};

function expectBoth(
  t: ScenarioContext,
  words: string,
  places: readonly Place[],
  send: (place: Place) => Promise<Answer>,
): Promise<void> {
  return t.branch('AUTH-5', words, async () => {
    const answers = await inTurn(places, send);
    // Only a 404 is about reach.
    if (answers.every((each) => !each.isServed && each.status !== 404)) {
      throw new Blocked(`trader scopes do not serve ${words}: ${answers[0]?.summary} (AUTH-4)`);
    }
    for (const each of answers) t.expect('AUTH-5', each).served(`${words}, whichever the account`);
  });
}
