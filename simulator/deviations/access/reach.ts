// Wrong scopes, and records within reach that should not be (AUTH-4 to AUTH-8, POS-1).

import { callerOf, type RequestContext } from '../../core/pipeline/request-context.ts';
import type { Credential } from '../../core/records.ts';
import { decision, operation, policy, reply, stage, writeOperations } from '../bend.ts';
import { alsoBy, refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

const reach = (
  change: (
    conforming: boolean,
    credential: Credential,
    record: { firmId: string; brandId: string | null },
    accountId: string,
  ) => boolean,
): Deviation['bend'] =>
  policy('reach', (own) => ({
    account: (credential, account) =>
      change(own.account(credential, account), credential, account, account.id),
    transaction: (credential, transaction) =>
      change(
        own.transaction(credential, transaction),
        credential,
        transaction,
        transaction.accountId,
      ),
  }));

const hiddenAs = (status: number, code: string): Deviation['bend'] =>
  decision(
    [
      ...writeOperations.filter(
        (name) => name !== 'createAccount' && name !== 'bulkCreateAccounts',
      ),
    ],
    (given, context) => {
      if (given.reply.status !== 404) return given;
      return existsElsewhere(context)
        ? refuseAs(context, status, code, 'This record is not yours.')
        : given;
    },
  );

function existsElsewhere({ world, pathId, body, query }: RequestContext): boolean {
  const ids = [pathId, body.account_id, query.get('account_id')].map((id) => String(id ?? ''));
  const trading = String(body.trading_account_id ?? '');
  return (
    ids.some((id) => world.accounts.has(id) || world.transactions.has(id)) ||
    world.tradingAccounts.has(trading)
  );
}

export const reachDeviations: readonly Deviation[] = [
  {
    id: 'scope-trades-covers-accounts',
    breaks: ['AUTH-4'],
    story: 'Whoever trades may also keep accounts.',
    bend: alsoBy('createAccount', 'trades:write'),
    alsoSeenAs: { 'ACC-21': 'a token without accounts:write creates accounts' },
  },
  {
    id: 'scope-accounts-covers-transactions',
    breaks: ['AUTH-4'],
    story: 'accounts:write covers everything of an account.',
    bend: alsoBy('createTransaction', 'accounts:write'),
    alsoSeenAs: { 'TXN-12': 'a token without a funds scope records transactions' },
  },
  {
    id: 'scope-transactions-covers-webhooks',
    breaks: ['AUTH-4'],
    story: 'Listing webhooks is open to whoever writes.',
    bend: alsoBy('listWebhooks', 'transactions:write'),
    alsoSeenAs: { 'HOOK-6': 'a route does not need its scope' },
  },
  {
    id: 'scope-trader-trade-forgotten',
    breaks: ['AUTH-4'],
    story: 'trader:trade was forgotten.',
    bend: policy('table', (table) => ({
      openPosition: { ...table.openPosition, scopes: ['trades:write'] },
      closePosition: { ...table.closePosition, scopes: ['trades:write'] },
    })),
    alsoSeenAs: { 'POS-1': 'a scope that serves is refused' },
  },
  {
    id: 'positions-unscoped',
    breaks: ['POS-1'],
    story: 'Any valid token may trade.',
    bend: unscoped('openPosition', 'closePosition'),
  },
  {
    id: 'positions-close-unscoped',
    breaks: ['POS-1'],
    story: 'Closing is always allowed.',
    bend: unscoped('closePosition'),
  },
  {
    id: 'positions-by-funds-scope',
    breaks: ['POS-1'],
    story: 'trader:funds is taken for trading too.',
    bend: alsoBy('openPosition', 'trader:funds'),
    alsoSeenAs: { 'AUTH-4': 'a scope grants more than its row says' },
  },
  {
    id: 'delegated-reaches-whole-brand',
    breaks: ['AUTH-5'],
    story: 'A delegated token is limited to the brand of its account.',
    bend: reach(
      (own, credential, record) =>
        own || (credential.accountId !== null && record.brandId === credential.brandId),
    ),
  },
  {
    id: 'delegated-reaches-whole-firm',
    breaks: ['AUTH-5'],
    story: 'A delegated token is limited to its firm.',
    bend: reach(
      (own, credential, record) =>
        own || (credential.accountId !== null && record.firmId === credential.firmId),
    ),
  },
  {
    id: 'delegated-may-create-for-others',
    breaks: ['AUTH-5'],
    story: 'Only decisions are limited to the account; recording is not.',
    bend: operation('createTransaction', (run, context) => {
      const { credential } = context;
      if (credential?.accountId == null) return run(context);
      context.credential = { ...credential, accountId: null };
      return run(context);
    }),
  },
  {
    id: 'trader-scope-limits-server',
    breaks: ['AUTH-5'],
    story: 'Whoever holds a trader scope is taken for a delegated token.',
    bend: reach(
      (own, credential) =>
        own &&
        !(
          credential.kind === 'server' &&
          credential.scopes.length > 0 &&
          credential.scopes.every((scope) => scope.startsWith('trader:'))
        ),
    ),
  },
  {
    id: 'brand-reaches-whole-firm',
    breaks: ['AUTH-6'],
    story: 'The brand of a credential is only a default.',
    bend: reach(
      (own, credential, record) =>
        own || (credential.kind === 'server' && record.firmId === credential.firmId),
    ),
  },
  {
    id: 'brand-out-of-reach-is-403',
    breaks: ['AUTH-6'],
    story: 'What exists but is not yours is forbidden.',
    bend: hiddenAs(403, 'forbidden'),
    alsoSeenAs: {
      'AUTH-5': 'another account too',
      'AUTH-7': 'another firm’s too',
      'TXN-10': 'an account out of reach',
      'TXS-16': 'a transaction of another account',
    },
  },
  {
    id: 'brand-reads-whole-firm',
    breaks: ['AUTH-6'],
    story: 'The lists are not filtered by brand.',
    bend: operation(['listAccounts', 'listTransactions'], (run, context) => {
      context.credential = { ...callerOf(context), brandId: null };
      return run(context);
    }),
  },
  {
    id: 'firm-reaches-other-firms',
    breaks: ['AUTH-7'],
    story: 'The firm of a record is not looked at.',
    bend: reach(
      (own, credential, record) =>
        own ||
        (credential.kind === 'server' &&
          credential.brandId === null &&
          record.firmId !== credential.firmId),
    ),
  },
  {
    id: 'firm-out-of-reach-says-so',
    breaks: ['AUTH-7'],
    story: 'The refusal says that the record belongs to another firm.',
    bend: decision('updateAccount', (given, context) => {
      const account = context.world.accounts.get(context.pathId);
      return given.reply.status === 404 &&
        account !== undefined &&
        account.firmId !== callerOf(context).firmId
        ? refuseAs(context, 404, 'not_found', 'This account belongs to another firm.')
        : given;
    }),
  },
  {
    id: 'out-of-reach-told-by-a-header',
    breaks: ['AUTH-6', 'AUTH-7'],
    story: 'The gateway notes for its own logs why it refused, and sends it along.',
    bend: reply('updateAccount', (given, context) =>
      given.status === 404 && context.world.accounts.has(context.pathId)
        ? { ...given, headers: { ...given.headers, 'x-refused-by': 'reach' } }
        : given,
    ),
  },
  {
    id: 'other-firm-brand-told-from-unknown',
    breaks: ['AUTH-7'],
    story: 'A brand that nobody has is not found; one that another firm has is forbidden.',
    bend: refusedWith('createAccount', /cannot use brand/, (context, given) => {
      const { brand_id } = context.body as { brand_id: string };
      return context.world.brands.has(brand_id) || callerOf(context).brandId !== null
        ? given
        : refuseAs(context, 404, 'not_found', `There is no brand ${brand_id}.`);
    }),
  },
  {
    id: 'firm-permissions-ignored',
    breaks: ['AUTH-8'],
    story: 'Permissions of the firm are looked at once a night.',
    bend: stage('scope', (decide, context) => {
      const given = decide(context);
      return given !== null && /any more/.test(given.reply.body) ? null : given;
    }),
  },
  {
    id: 'firm-permissions-are-404',
    breaks: ['AUTH-8'],
    story: 'What the firm may not do is not there.',
    bend: stage('scope', (decide, context) => {
      const given = decide(context);
      return given !== null && /any more/.test(given.reply.body)
        ? refuseAs(context, 404, 'not_found', 'There is no such operation.')
        : given;
    }),
  },
  {
    id: 'delegated-updates-any-account',
    breaks: ['AUTH-5'],
    story: 'The limit to one account was made for money, where delegated tokens are used.',
    bend: operation('updateAccount', (run, context) => {
      const { credential } = context;
      if (credential?.accountId != null) context.credential = { ...credential, accountId: null };
      return run(context);
    }),
  },
  {
    id: 'read-only-may-write-accounts',
    breaks: ['AUTH-2'],
    story: 'Read-only was made for money, where delegated tokens are used.',
    bend: stage('scope', (decide, context) => {
      const { credential, operation: name } = context;
      const ofAccounts = name !== null && /Account/.test(name);
      if (ofAccounts && credential !== null) {
        context.credential = { ...credential, readOnly: false };
      }
      return decide(context);
    }),
  },
];
