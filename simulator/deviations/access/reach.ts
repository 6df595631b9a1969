// Wrong scopes, and records within reach that should not be (AUTH-4 to AUTH-8, POS-1).

import { callerOf } from '../../core/pipeline/request-context.ts';
import type { Credential } from '../../core/records.ts';
import { decision, policy, reply, stage } from '../bend.ts';
import { refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

const reach = (
  change: (
    conforming: boolean,
    credential: Credential,
    record: { firm_id: string; brand_id: string | null },
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
        transaction.account_id,
      ),
  }));

export const reachDeviations: readonly Deviation[] = [
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
    id: 'delegated-reaches-whole-brand',
    breaks: ['AUTH-5'],
    story: 'A delegated token is limited to the brand of its account.',
    bend: reach(
      (own, credential, record) =>
        own || (credential.account_id !== null && record.brand_id === credential.brand_id),
    ),
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
        own || (credential.kind === 'server' && record.firm_id === credential.firm_id),
    ),
  },
  {
    id: 'firm-reaches-other-firms',
    breaks: ['AUTH-7'],
    story: 'The firm of a record is not looked at.',
    bend: reach(
      (own, credential, record) =>
        own ||
        (credential.kind === 'server' &&
          credential.brand_id === null &&
          record.firm_id !== credential.firm_id),
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
        account.firm_id !== callerOf(context).firm_id
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
      return context.world.brands.has(brand_id) || callerOf(context).brand_id !== null
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
];
