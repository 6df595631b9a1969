// Deviations of tokens, scopes and reach (AUTH, POS-1).
import { putAt } from '../core/change.ts';
import { callerOf, type RequestContext } from '../core/pipeline/request-context.ts';
import type { Credential, Transaction } from '../core/records.ts';
import { findReferenced } from '../core/references.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  createsWhenRefusedBy,
  decision,
  drawn,
  type Override,
  policy,
  refusal,
  refuseAs,
  refuseIf,
  refuses,
  reply,
  scoped,
  stage,
  unscoped,
} from './overrides.ts';

/** Lets a caller act as a credential that may do everything. */
function letIn(context: RequestContext): null {
  for (const credential of context.world.credentials.values()) {
    if (credential.scopes.length < 6 || credential.brand_id !== null) continue;
    context.credential = credential;
    return null;
  }
  return null;
}

/** Accepts callers whose token is refused. */
const lettingIn = (test: (context: RequestContext) => boolean): Override =>
  stage('token', (given, context) => (given !== null && test(context) ? letIn(context) : given));

const reach = (
  change: (
    conforming: boolean,
    credential: Credential,
    record: { readonly firm_id: string; readonly brand_id: string | null },
  ) => boolean,
): Override =>
  policy('reach', (own) => ({
    account: (credential, account) => change(own.account(credential, account), credential, account),
    transaction: (credential, transaction) =>
      change(own.transaction(credential, transaction), credential, transaction),
  }));

/** Whether transactions of this reference exist, but all of them are out of reach. */
function isHiddenReference(context: RequestContext): boolean {
  const { world, behaviour, body } = context;
  const credential = callerOf(context);
  const key = behaviour.transactions.referenceKey(
    credential.firm_id,
    String(body.account_id),
    String(body.client_reference_id),
  );
  const exists = (test: (record: Transaction) => boolean) =>
    findReferenced(world.transactionByReference, key, world.transactions, test) !== null;
  return exists(() => true) && !exists((each) => behaviour.reach.transaction(credential, each));
}

export const accessDeviations: DeviationFamily = {
  'token-unknown-accepted': {
    breaks: ['AUTH-1'],
    story: 'Tokens are read but not verified.',
    override: lettingIn(({ call }) => call.headers.authorization !== undefined),
  },
  'token-missing-accepted': {
    breaks: ['AUTH-1'],
    story: 'A request without a token counts as internal.',
    override: lettingIn(({ call }) => call.headers.authorization === undefined),
  },
  'token-not-asked-by-reads': {
    breaks: ['AUTH-1'],
    story: 'The bulk reads were built for the internal network.',
    override: lettingIn(
      ({ operation }) => operation === 'listAccounts' || operation === 'listTransactions',
    ),
  },
  'amend-widens-writers-alone': {
    breaks: ['AUTH-4'],
    story: 'Amending belongs to the back office, so it also needs transactions:write.',
    override: refuseIf(
      'cancelTransaction',
      ({ credential, world, pathId }) =>
        world.transactions.get(pathId)?.status === 'settled' &&
        credential?.scopes.includes('transactions:write') !== true,
      'forbidden',
    ),
  },
  'token-refused-but-served': {
    breaks: ['AUTH-1'],
    story: 'The refusal is sent, but the handler still runs.',
    override: createsWhenRefusedBy('token', letIn),
  },
  'read-only-may-write': {
    breaks: ['AUTH-2'],
    story: 'read_only is only used by the dashboard.',
    override: stage('scope', (given) =>
      given !== null && refuses(given, 'read_only_credential') ? null : given,
    ),
  },
  'token-issued-does-not-work': {
    breaks: ['AUTH-3a'],
    story: 'The other servers know a new token only a minute later.',
    override: decision('issueToken', (given) => ({
      ...given,
      changes: given.changes.filter((each) => each.type !== 'put' || each.table !== 'tokens'),
    })),
  },
  'token-endpoint-unlimited': {
    breaks: ['AUTH-3b'],
    story: 'The limit of the token endpoint is documented but not enforced.',
    override: policy('limits', () => ({ tokenRequests: 100_000 })),
  },
  'token-window-long': {
    breaks: ['AUTH-3b'],
    story: 'The window is an hour.',
    override: policy('limits', () => ({ tokenWindowMs: 3_600_000 })),
  },
  'token-window-short': {
    breaks: ['AUTH-3b'],
    story: 'The window is a second.',
    override: policy('limits', () => ({ tokenWindowMs: 1000 })),
  },
  'token-budget-shared-by-clients': {
    breaks: ['AUTH-3c'],
    story: 'The budget is counted per IP address.',
    override: policy('limits', () => ({ tokenBudget: () => 'all clients' })),
  },
  'token-requests-draw-on-data': {
    breaks: ['AUTH-3c'],
    story: 'A token request counts against the rate of its credential.',
    override: decision('issueToken', (given, context) => {
      const credential = context.world.credentials.get(String(context.body.client_id ?? ''));
      if (credential === undefined) return given;
      const bucket = {
        bucket: `credential:${credential.client_id}`,
        rate: context.behaviour.limits.rate(credential),
      };
      return { ...given, changes: [...given.changes, drawn(context, bucket)] };
    }),
  },
  'data-draws-on-token-budget': {
    breaks: ['AUTH-3c'],
    story: 'Every request counts against the budget of the token endpoint.',
    override: stage('rate', (given, { credential, world, atMs, changes }) => {
      if (given !== null || credential?.kind !== 'server') return given;
      const times = [...(world.tokenRequests.get(credential.client_id) ?? []), atMs].slice(-10);
      changes.push(putAt('tokenRequests', credential.client_id, times));
      return null;
    }),
  },
  'scope-trader-trade-forgotten': {
    breaks: ['AUTH-4'],
    story: 'trader:trade is missing from the list of scopes.',
    override: scoped(['openPosition', 'closePosition'], ['trades:write']),
    alsoSeenAs: { 'POS-1': 'a scope that is enough is refused' },
  },
  'positions-unscoped': {
    breaks: ['POS-1'],
    story: 'Any valid token may trade.',
    override: unscoped('openPosition', 'closePosition'),
  },
  'delegated-reaches-whole-brand': {
    breaks: ['AUTH-5'],
    story: 'A delegated token is limited to the brand of its account.',
    override: reach(
      (own, credential, record) =>
        own || (credential.account_id !== null && record.brand_id === credential.brand_id),
    ),
  },
  'trader-scope-limits-server': {
    breaks: ['AUTH-5'],
    story: 'A credential with trader scopes is treated as a delegated token.',
    override: reach(
      (own, { kind, scopes }) =>
        own &&
        !(
          kind === 'server' &&
          scopes.length > 0 &&
          scopes.every((scope) => scope.startsWith('trader:'))
        ),
    ),
  },
  'brand-reaches-whole-firm': {
    breaks: ['AUTH-6'],
    story: 'The brand of a credential is only a default.',
    override: reach(
      (own, credential, record) =>
        own || (credential.kind === 'server' && record.firm_id === credential.firm_id),
    ),
  },
  'firm-reaches-other-firms': {
    breaks: ['AUTH-7'],
    story: 'The firm of a record is not compared.',
    override: reach(
      (own, { kind, brand_id, firm_id }, record) =>
        own || (kind === 'server' && brand_id === null && record.firm_id !== firm_id),
    ),
  },
  'firm-out-of-reach-says-so': {
    breaks: ['AUTH-7'],
    story: 'The refusal says that the record belongs to another firm.',
    override: refusal('updateAccount', 'not_found', (context, given) => {
      const account = context.world.accounts.get(context.pathId);
      return account !== undefined && account.firm_id !== callerOf(context).firm_id
        ? refuseAs(context, 'not_found', 'This account belongs to another firm.')
        : given;
    }),
  },
  'out-of-reach-told-by-a-header': {
    breaks: ['AUTH-6', 'AUTH-7'],
    story: 'The gateway adds its reason for a refusal as a header.',
    override: reply('updateAccount', (given, context) =>
      given.status === 404 && context.world.accounts.has(context.pathId)
        ? { ...given, headers: { ...given.headers, 'x-refused-by': 'reach' } }
        : given,
    ),
  },
  'other-firm-brand-told-from-unknown': {
    breaks: ['AUTH-7'],
    story: 'An unknown brand is 404, a brand of another firm 403.',
    override: refusal('createAccount', 'forbidden', (context, given) =>
      context.world.brands.has(String(context.body.brand_id)) || callerOf(context).brand_id !== null
        ? given
        : refuseAs(context, 'not_found'),
    ),
  },
  'firm-permissions-ignored': {
    breaks: ['AUTH-8'],
    story: 'The permissions of a firm are read once a night.',
    override: stage('scope', (given) =>
      given !== null && refuses(given, 'AUTH-8') ? null : given,
    ),
  },
  'position-of-others-is-409': {
    breaks: ['AUTH-5', 'AUTH-6', 'AUTH-7'],
    story: 'A position of another account is reported as a wrong state.',
    override: refusal('closePosition', 'not_found', (context, given) => {
      const { world, behaviour, body } = context;
      const trading = world.tradingAccounts.get(String(body.trading_account_id));
      const owner = world.accounts.get(trading?.account_id ?? '');
      const isReachable = owner !== undefined && behaviour.reach.account(callerOf(context), owner);
      return isReachable && world.positions.has(String(body.position_id))
        ? refuseAs(context, 'invalid_state')
        : given;
    }),
  },
  'reference-out-of-reach-is-404': {
    breaks: ['AUTH-5', 'AUTH-6'],
    story: 'References are looked up per firm, and a match out of reach is reported.',
    override: refuseIf('createTransaction', isHiddenReference, 'not_found'),
  },
  'account-reference-out-of-reach-is-409': {
    breaks: ['AUTH-6'],
    story: 'Account references are unique per firm, and a taken one is refused.',
    override: refuseIf(
      'createAccount',
      (context) => {
        const { world, behaviour, body } = context;
        const { firm_id, brand_id } = callerOf(context);
        const key = behaviour.values.referenceKey(String(body.client_reference_id));
        return (
          brand_id !== null &&
          [...world.brands.values()].some(
            (brand) =>
              brand.firm_id === firm_id &&
              brand.id !== brand_id &&
              world.people
                .get(behaviour.accounts.referenceIndex(firm_id, brand.id))
                ?.byReference.has(key),
          )
        );
      },
      'invalid_state',
    ),
  },
};
