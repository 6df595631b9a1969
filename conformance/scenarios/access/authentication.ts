// AUTH-1, AUTH-2, AUTH-4, AUTH-8: authentication, what each scope grants, and that a refused caller
// changes nothing.
import {
  anyRefusal,
  as,
  asHolderOf,
  type Expected,
  type Fault,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import { AMEND, isOfFunds } from '../../cases/scopes.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Who } from '../../engine/send/call.ts';
import type { Story } from '../../engine/types.ts';
import type { CredentialOptions } from '../../providers/target.ts';
import { FORBIDDEN, READ_ONLY } from '../../spec/errors.ts';
import {
  OPERATIONS,
  type OperationName,
  SCOPED_NAMES,
  SCOPES,
  type ScopedName,
  WRITE_NAMES,
} from '../../spec/operations.ts';
import { inTurn } from '../support/in-turn.ts';
import { findReads } from '../support/reads.ts';
import {
  asReader,
  asTrader,
  delegatedPlace,
  delegatedTokens,
  mintDelegated,
  trader,
} from './delegated-tokens.ts';

function matrixRows(operation: ScopedName): RefusalRow[] {
  const own: readonly string[] = OPERATIONS[operation].scopes;
  const others = SCOPES.filter(
    (scope) => !own.includes(scope) && !(scope === AMEND && isOfFunds(operation)),
  );
  const row = (words: string, scope: string, expected: Expected) =>
    ['AUTH-4', operation, words, asHolderOf(scope), expected] as const;
  return [
    ...own.map((scope) => row(`with ${scope} alone`, scope, 'served')),
    ...others.map((scope) => row(`${scope} alone`, scope, FORBIDDEN)),
  ];
}

export const authScopeMatrix = refusals({
  title: 'Each scope alone serves its operations; every other scope is refused with 403',
  needs: ['mint', 'trading_account'],
  rows: SCOPED_NAMES.flatMap(matrixRows),
});

const OF_ACCOUNTS_AND_WEBHOOKS = SCOPED_NAMES.filter((name) =>
  /^(accounts|webhooks):/.test(OPERATIONS[name].scopes[0]!),
);

export const authScopesOfRoles = refusals({
  title: 'transactions:amend alone, and trader scopes, grant nothing on accounts and webhooks',
  needs: ['amend_only', 'delegated'],
  rows: [
    ...OF_ACCOUNTS_AND_WEBHOOKS.map((name): RefusalRow => {
      return ['AUTH-4', name, `${AMEND} alone`, as('amend_only'), FORBIDDEN];
    }),
    ['AUTH-4', 'createAccount', 'a trader token', asTrader, FORBIDDEN],
    ['AUTH-4', 'listWebhooks', 'a trader token', asTrader, FORBIDDEN],
  ],
});

const TRADERS = ['trader:funds', AMEND];

export const authAmend: Story = {
  title: 'transactions:amend widens transactions:write and trader:funds alike',
  rules: ['AUTH-4'],
  needs: ['mint', 'settle', 'fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const { account_id: accountId } = place;
    const known = await t.given.settled(place);
    const cancel = ({ id }: GivenTransaction, as?: Who) => ({ as, id, account_id: accountId });
    await t.control('cancelTransaction', cancel(known));
    const server = (scopes: CredentialOptions['scopes']) => t.operator.mint({ scopes });
    const holders = [
      ['transactions:write', () => server(['transactions:write', AMEND])],
      ['trader:funds', () => server(TRADERS)],
      ['trader:funds, delegated', () => mintDelegated(t, { accountId, scopes: TRADERS })],
    ] as const;
    for (const [words, mint] of holders) {
      await t.branch('AUTH-4', words, async () => {
        const holder = await mint();
        const pending = await t.given.transaction(place);
        await t.control('cancelTransaction', cancel(pending, holder));
        const settled = await t.given.settled(place);
        const cancelled = await t.call('cancelTransaction', cancel(settled, holder));
        const expected = `what has settled is cancelled with ${words} and ${AMEND}`;
        t.expect('AUTH-4', cancelled).is(expected, cancelled.status === 200);
      });
    }
  },
};

/** NS-16: status and code are open. Sends another header, derived from the valid token. */
function header(change: (token: string) => string | null): Fault {
  return async (t) => {
    const { token } = await t.credential(t.mainRole);
    const authorization = change(token);
    return authorization === `Bearer ${token}` ? undefined : { authorization };
  };
}

const NO_TOKEN = header(() => null);
const REVERSED = header((token) => `Bearer ${[...token].reverse().join('')}`);
const SHORTENED = header((token) => `Bearer ${token.slice(0, -1)}`);
const OTHER_CASE = header((token) => `Bearer ${[...token].map(inOtherCase).join('')}`);

function inOtherCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

const CREATE = 'createAccount';

export const authToken = refusals({
  title: 'Without a valid bearer token nothing is done',
  observes: ['NS-16'],
  rows: [
    ['AUTH-1', CREATE, 'no token', NO_TOKEN, observedRefusal],
    ['AUTH-1', CREATE, 'an empty token', header(() => 'Bearer'), anyRefusal],
    ['AUTH-1', CREATE, 'the token reversed', REVERSED, anyRefusal],
    ['AUTH-1', CREATE, 'a character more', header((token) => `Bearer ${token}x`), anyRefusal],
    ['AUTH-1', CREATE, 'a character less', SHORTENED, anyRefusal],
    ['AUTH-1', CREATE, 'the token in the other case', OTHER_CASE, anyRefusal],
    ['AUTH-1', CREATE, 'another scheme', header((token) => `Basic ${token}`), anyRefusal],
    ['AUTH-1', CREATE, 'no scheme', header((token) => token), anyRefusal],
  ],
});

function observedRefusal(t: ScenarioContext, rules: RefusalRow[0], answer: Answer): void {
  anyRefusal(t, rules, answer);
  const { status: unauthorized_status, code: unauthorized_code } = answer;
  t.observe('NS-16', answer.summary, { unauthorized_status, unauthorized_code });
}

export const authTokenEverywhere = refusals({
  title: 'No operation is served without a token, nor any read that is found',
  observes: ['NS-2'],
  isForbiddenLeftOut: true,
  rows: SCOPED_NAMES.map((name) => ['AUTH-1', name, 'no token', NO_TOKEN, anyRefusal] as const),
  /** NS-2: the paths of reads are open; that they require a token is not. */
  async also(t) {
    const reads = await findReads(t);
    const paths = reads.map(({ shape }) => shape);
    t.observe('NS-2', `reads served: ${paths.join(', ') || 'none of those that were tried'}`);
    const { token } = await t.credential(t.mainRole);
    for (const { send } of reads) {
      anyRefusal(t, 'AUTH-1', await send({ authorization: null }));
      anyRefusal(t, 'AUTH-1', await send({ authorization: `Bearer ${token}x` }));
    }
  },
});

const OF_MONEY = WRITE_NAMES.filter((name) => !/Account/.test(name));

export const authReadOnly = refusals({
  title: 'A token minted read-only gets 403 read_only_credential on writes, which do nothing',
  observes: ['NS-57'],
  needs: ['read_only', 'delegated'],
  caller: trader,
  rows: OF_MONEY.map((name) => ['AUTH-2', name, 'a read-only token', asReader, READ_ONLY] as const),
  async also(t) {
    // NS-57: it has no scope for accounts either, so that either refusal is correct.
    const { account_id } = await delegatedPlace(t, 'read_only');
    const reader = await delegatedTokens(t, account_id, true)();
    const account = await t.call('createAccount', { as: reader, body: t.newAccount() });
    t.observe('NS-57', `read-only and without the scope: ${account.summary}`, {
      read_only_before_scope: account.code === READ_ONLY[1],
    });
    const isRefused = [undefined, ...READ_ONLY, ...FORBIDDEN].includes(account.code);
    const words = '403 read_only_credential or forbidden';
    t.expect('AUTH-2', account).is(words, account.status === 403 && isRefused);
  },
});

async function permit(t: ScenarioContext, operation: OperationName, isPermitted: boolean) {
  const { firmId = '1' } = await t.credential(t.mainRole);
  await t.operator.permit(firmId, operation, isPermitted);
}

const notPermitted: Fault = async (t, { operation }) => {
  await permit(t, operation, false);
  return { undo: () => permit(t, operation, true) };
};

export const authPermissions = refusals({
  title: 'An operation that the firm may no longer do is 403 forbidden, in a row of a batch too',
  needs: ['permissions', 'trading_account'],
  rows: SCOPED_NAMES.map(
    (name) => ['AUTH-8', name, 'the permissions of the firm', notPermitted, FORBIDDEN] as const,
  ),
  besides: ['BULK-3'],
  async also(t) {
    const { body: known } = await t.given.account();
    await permit(t, CREATE, false);
    const bodies = [t.newAccount(), known, t.newAccount({ email: 'no at sign' })];
    const singles = await inTurn(bodies, (body) => t.call('createAccount', { body }));
    const batch = await t.call('bulkCreateAccounts', { rows: bodies });
    t.expect('AUTH-8', batch).is('another operation still allowed', batch.status !== 403);
    for (const [index, single] of singles.entries()) {
      const status = batch.at(`rows.${index}.status`);
      const words = `row ${index}: ${single.status}, as creating it alone`;
      t.expect('BULK-3', batch).is(words, status === single.status, `status ${status}`, single);
    }
  },
});
