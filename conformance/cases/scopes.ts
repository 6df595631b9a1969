// The scope rule of each operation as rows: without any of its scopes the operation is refused, and
// changes nothing.
import type { RuleId, Scenario } from '../engine/types.ts';
import { expectEnabled } from '../scenarios/support/subscription-assertions.ts';
import { FORBIDDEN } from '../spec/errors.ts';
import { DECISIONS, OPERATIONS, type OperationName, SCOPES } from '../spec/operations.ts';
import { as, asHolderOf, type Fault, type RefusalRow, refusals } from './refusals.ts';

/** AUTH-4: only extends the funds scopes; TXN-12 and TXS-17 test it. */
export const AMEND = 'transactions:amend';

export function isOfFunds(operation: OperationName): boolean {
  return (OPERATIONS[operation].scopes as readonly string[]).includes('trader:funds');
}

const allOtherScopes: Fault = (t, valid) => {
  const own: readonly string[] = OPERATIONS[valid.operation].scopes;
  return asHolderOf(...SCOPES.filter((scope) => !own.includes(scope)))(t, valid);
};

/** Without any of its scopes an operation is 403 `forbidden`, under the rule of that operation. */
function withoutScope(rule: RuleId, operation: OperationName): readonly RefusalRow[] {
  return [
    [rule, operation, 'no scope', as('no_scopes'), FORBIDDEN],
    ...(isOfFunds(operation)
      ? [[rule, operation, `${AMEND} alone`, as('amend_only'), FORBIDDEN] as const]
      : []),
    [rule, operation, 'all other scopes', allOtherScopes, FORBIDDEN],
  ];
}

/** Either of the two order scopes is enough. */
function withEither(operation: OperationName): readonly RefusalRow[] {
  return OPERATIONS[operation].scopes.map((scope): RefusalRow => {
    return ['POS-1', operation, `with ${scope} alone`, asHolderOf(scope), 'served'];
  });
}

const ORDERS = ['openPosition', 'closePosition'] as const;

type ScopeRow = readonly [
  about: Pick<Scenario, 'id' | 'needs'> & { readonly rule: RuleId },
  operations: readonly OperationName[],
  also?: Scenario['run'],
];

const SCOPED: readonly ScopeRow[] = [
  [
    { id: 'acc-scope', rule: 'ACC-21' },
    ['createAccount'],
    async (t) => {
      // A known reference is refused as well: the existing account must not be shown.
      const { body } = await t.given.account();
      const answer = await t.call('createAccount', { as: 'no_scopes', body });
      t.expect('ACC-21', answer).refused(...FORBIDDEN);
    },
  ],
  [{ id: 'upd-scope', rule: 'UPD-13' }, ['updateAccount']],
  [{ id: 'bulk-scope', rule: 'BULK-13' }, ['bulkCreateAccounts']],
  [{ id: 'pos-scope', rule: 'POS-1', needs: ['trading_account', 'orders'] }, ORDERS],
  [{ id: 'txn-scope', rule: 'TXN-12', needs: ['trading_account'] }, ['createTransaction']],
  [{ id: 'txs-scope', rule: 'TXS-17', needs: ['trading_account', 'amend_only'] }, DECISIONS],
  [
    { id: 'hook-scope', rule: 'HOOK-6', needs: ['public_url'] },
    ['createWebhook', 'listWebhooks', 'getWebhook', 'rotateWebhookSecret', 'disableWebhook'],
    async (t) => {
      const { id } = await t.given.webhook(undefined, ['order']);
      await t.call('disableWebhook', { as: 'no_scopes', id });
      await expectEnabled(t, 'HOOK-6', id, 'not disabled by what was refused');
    },
  ],
];

export const scopeScenarios: readonly Scenario[] = SCOPED.map(([about, operations, also]) => {
  const { rule, needs = [], ...rest } = about;
  const scopes = OPERATIONS[operations[0]!].scopes.join(' or ');
  const rows = operations.flatMap((each) => withoutScope(rule, each));
  return refusals({
    ...rest,
    title: `Without ${scopes} an operation is 403 forbidden and does nothing`,
    needs: [...needs, 'no_scopes'],
    rows: rule === 'POS-1' ? [...rows, ...ORDERS.flatMap(withEither)] : rows,
    ...(also && { also }),
  });
});
