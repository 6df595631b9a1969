// AUTH-4: each scope grants what its row of the table says, and nothing else.
import { as, asHolderOf, type Expected, type RefusalRow, refusals } from '../../cases/refusals.ts';
import { AMEND, isOfFunds } from '../../cases/scopes.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Scenario } from '../../engine/types.ts';
import type { CredentialOptions } from '../../providers/target.ts';
import { FORBIDDEN } from '../../spec/errors.ts';
import { OPERATIONS, SCOPED_NAMES, SCOPES, type ScopedName } from '../../spec/operations.ts';
import { asTrader, mintDelegated } from './delegated-tokens.ts';

/** An operation that asks for no scope at all is a matter of its own rule (ACC-21, TXN-12, …). */
function forbidden(operation: ScopedName): Expected {
  const { scopeRule } = OPERATIONS[operation];
  return (t, rules, answer) => {
    const judged = answer.status < 300 ? answer.presuming(scopeRule) : answer;
    t.expect(rules, judged).refused(...FORBIDDEN);
  };
}

function matrixRows(operation: ScopedName): RefusalRow[] {
  const own: readonly string[] = OPERATIONS[operation].scopes;
  const others = SCOPES.filter(
    (scope) => !own.includes(scope) && !(scope === AMEND && isOfFunds(operation)),
  );
  return [
    ...own.map((scope): RefusalRow => {
      return ['AUTH-4', operation, `with ${scope} alone`, asHolderOf(scope), 'served'];
    }),
    ...others.map((scope): RefusalRow => {
      return ['AUTH-4', operation, `${scope} alone`, asHolderOf(scope), forbidden(operation)];
    }),
  ];
}

const authScopeMatrix = refusals({
  id: 'auth-scope-matrix',
  title: 'Each scope alone serves its operations; every other scope is refused with 403',
  needs: ['mint', 'trading_account'],
  rows: SCOPED_NAMES.flatMap(matrixRows),
});

const OF_ACCOUNTS_AND_WEBHOOKS = SCOPED_NAMES.filter((name) =>
  /^(accounts|webhooks):/.test(OPERATIONS[name].scopes[0]!),
);

const authScopesOfRoles = refusals({
  id: 'auth-scopes-of-roles',
  title: 'transactions:amend alone, and trader scopes, grant nothing on accounts and webhooks',
  needs: ['amend_only', 'delegated'],
  rows: [
    ...OF_ACCOUNTS_AND_WEBHOOKS.map((name): RefusalRow => {
      return ['AUTH-4', name, `${AMEND} alone`, as('amend_only'), forbidden(name)];
    }),
    ['AUTH-4', 'createAccount', 'a trader token', asTrader, forbidden('createAccount')],
    ['AUTH-4', 'listWebhooks', 'a trader token', asTrader, forbidden('listWebhooks')],
  ],
});

const TRADERS = ['trader:funds', AMEND];

const authAmend: Scenario = {
  id: 'auth-amend',
  title: 'transactions:amend widens transactions:write and trader:funds alike',
  rules: ['AUTH-4'],
  needs: ['mint', 'settle', 'fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const { account_id: accountId } = place;
    const known = await t.given.settled(place);
    const key = t.fresh.key();
    const cancel = () => t.api.cancelTransaction(known.id, accountId, undefined, { key });
    await t.control('cancelling what has settled, with every scope', cancel, 200);
    const server = (scopes: CredentialOptions['scopes']) => t.operator.mint({ scopes });
    const delegated = { accountId, readOnly: false, scopes: TRADERS };
    const holders = [
      ['transactions:write', () => server(['transactions:write', AMEND])],
      ['trader:funds', () => server(TRADERS)],
      ['trader:funds, delegated', () => mintDelegated(t, delegated)],
    ] as const;
    for (const [words, mint] of holders) {
      await t.branch('AUTH-4', words, async () => {
        const holder = t.as(await mint());
        const pending = await t.given.transaction(place);
        const own = await holder.cancelTransaction(pending.id, accountId);
        // Whether the scope serves at all is seen in auth-scope-matrix.
        if (own.status >= 300) throw new Blocked(`cancelling what is pending: ${own.summary}`);
        const settled = await t.given.settled(place);
        const cancelled = await holder.cancelTransaction(settled.id, accountId);
        const expected = `what has settled is cancelled with ${words} and ${AMEND}`;
        t.expect('AUTH-4', cancelled).is(expected, cancelled.status === 200);
      });
    }
  },
};

export const scopeScenarios: readonly Scenario[] = [authScopeMatrix, authScopesOfRoles, authAmend];
