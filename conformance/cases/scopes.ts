// The scope rule of each operation as rows: without any of its scopes the operation is refused, and
// changes nothing.
import type { ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { Scenario, Story } from '../engine/types.ts';
import { expectEnabled } from '../scenarios/support/subscription-assertions.ts';
import { FORBIDDEN } from '../spec/errors.ts';
import {
  DECISIONS,
  OPERATIONS,
  type OperationName,
  SCOPED_NAMES,
  SCOPES,
  type ScopedName,
} from '../spec/operations.ts';
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
function withoutScope(operation: ScopedName): readonly RefusalRow[] {
  const { scopeRule: rule } = OPERATIONS[operation];
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

interface ScopeTable extends Pick<Story, 'needs'> {
  readonly operations: readonly ScopedName[];
  readonly also?: Story['run'];
}

/** A known reference is refused as well: the existing account must not be shown. */
async function expectKnownRefused(t: ScenarioContext): Promise<void> {
  const { body } = await t.given.account();
  const answer = await t.call('createAccount', { as: 'no_scopes', body });
  t.expect('ACC-21', answer).refused(...FORBIDDEN);
}

async function expectNotDisabled(t: ScenarioContext): Promise<void> {
  const { id } = await t.given.webhook(undefined, ['order']);
  await t.call('disableWebhook', { as: 'no_scopes', id });
  await expectEnabled(t, 'HOOK-6', id, 'not disabled by what was refused');
}

const OF_WEBHOOKS = SCOPED_NAMES.filter((name) => OPERATIONS[name].scopeRule === 'HOOK-6');

const SCOPED: Readonly<Record<string, ScopeTable>> = {
  'acc-scope': { operations: ['createAccount'], also: expectKnownRefused },
  'upd-scope': { operations: ['updateAccount'] },
  'bulk-scope': { operations: ['bulkCreateAccounts'] },
  'pos-scope': { operations: ORDERS, needs: ['trading_account', 'orders'] },
  'txn-scope': { operations: ['createTransaction'], needs: ['trading_account'] },
  'txs-scope': { operations: DECISIONS, needs: ['trading_account', 'amend_only'] },
  'hook-scope': { operations: OF_WEBHOOKS, needs: ['public_url'], also: expectNotDisabled },
};

export const scopeScenarios = Object.entries(SCOPED).map(([id, table]): Scenario => {
  const { operations, needs = [], ...rest } = table;
  const scopes = OPERATIONS[operations[0]!].scopes.join(' or ');
  const rows = operations.flatMap(withoutScope);
  const story = refusals({
    ...rest,
    title: `Without ${scopes} an operation is 403 forbidden and does nothing`,
    needs: [...needs, 'no_scopes'],
    rows: operations === ORDERS ? [...rows, ...ORDERS.flatMap(withEither)] : rows,
  });
  return { id, ...story };
});
