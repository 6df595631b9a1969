// Defects of tokens, scopes and reach, of errors, and of limits.

import { addCredential } from '../control.ts';
import { newToken, TOKEN_PATH } from '../operations/tokens.ts';
import { allowancesOf } from '../pipeline/limits.ts';
import { headerOf, invalid, refuse, withHeader, withoutHeader } from '../replies.ts';
import type { Context } from '../types.ts';
import {
  caller,
  decided,
  everyCaller,
  granted,
  lasting,
  leaving,
  problems,
  type Row,
  sentBody,
  setRequestHeader,
  stored,
} from './wrap.ts';

const HOOKS = 'createWebhook listWebhooks getWebhook rotateWebhookSecret disableWebhook';
const SCOPES = ['accounts:write', 'trades:write', 'transactions:write', 'webhooks:manage'];

/** Gives a request to each allowance of its credential, or takes it. */
function charge(context: Context, requests: number): void {
  const { world, credential } = context;
  for (const { name, rate } of allowancesOf(world, credential)) {
    const bucket = world.store.bucket(name, rate);
    world.store.saveBucket(name, { ...bucket, tokens: bucket.tokens - requests });
  }
}

export const accessDefects: readonly Row[] = [
  [
    'open-without-token',
    'single',
    ['AUTH-1'],
    'A request without a token is served.',
    {
      before: (context) => {
        const isOpen = headerOf(context.call, 'authorization') === undefined;
        if (!isOpen || context.path === TOKEN_PATH) return undefined;
        const house = addCredential(context.world, { name: 'house', scopes: SCOPES, plan: 'pro' });
        const token = newToken(context.world, house.client_id, null);
        setRequestHeader(context, 'authorization', `Bearer ${token}`);
        return undefined;
      },
    },
  ],
  [
    'read-only-writes',
    'single',
    ['AUTH-2'],
    'A read-only token may write.',
    everyCaller((each) => ({ ...each, read_only: false })),
  ],
  [
    'read-only-orders',
    'combination',
    ['AUTH-2'],
    'A read-only token may close positions.',
    caller('closePosition', (each) => ({ ...each, read_only: false })),
  ],
  [
    'tokens-dead',
    'single',
    ['AUTH-3a', 'AUTH-3b', 'AUTH-3c'],
    'Tokens that are issued do not work.',
    stored((store) => ({
      saveToken: (token) => {
        if (token.expires_ms === null) store.saveToken(token);
      },
    })),
  ],
  [
    'tokens-half',
    'time',
    ['AUTH-3a', 'AUTH-1'],
    'A token dies half-way through its time.',
    stored((store, { clock, style }) => ({
      token: (value) => {
        const token = store.token(value);
        const isHalf =
          (token?.expires_ms ?? Number.POSITIVE_INFINITY) - clock.now() < style.token.seconds * 500;
        return isHalf ? undefined : token;
      },
    })),
  ],
  [
    'tokens-unlimited',
    'single',
    ['AUTH-3b'],
    'Any number of tokens is issued a minute.',
    lasting('token window', 0),
  ],
  [
    'tokens-one-budget',
    'single',
    ['AUTH-3c', 'AUTH-3b'],
    'All clients share ten token requests a minute.',
    {
      before: ({ world, path, call }) => {
        if (path !== TOKEN_PATH) return undefined;
        const text = `${call.body} ${Buffer.from(headerOf({ ...call }, 'authorization')?.split(' ')[1] ?? '', 'base64')}`;
        const asking = world.store.credentials().find((each) => text.includes(each.client_id));
        const clientId = asking?.client_id ?? '';
        world.tokenRequests = world.tokenRequests.map((each) => ({ ...each, clientId }));
        return undefined;
      },
    },
  ],
  [
    'hooks-by-accounts',
    'single',
    ['AUTH-4', 'HOOK-6'],
    'accounts:write manages webhooks.',
    caller(HOOKS, (each) =>
      each.scopes.includes('accounts:write')
        ? { ...each, scopes: [...each.scopes, 'webhooks:manage'] }
        : each,
    ),
  ],
  [
    'funds-no-decision',
    'single',
    ['TXS-17', 'AUTH-4', 'AUTH-5'],
    'trader:funds records transactions, and decides none.',
    caller('approveTransaction rejectTransaction cancelTransaction', (each) => ({
      ...each,
      scopes: each.scopes.filter((scope) => scope !== 'trader:funds'),
    })),
  ],
  [
    'accounts-open',
    'single',
    ['ACC-21', 'AUTH-4'],
    'Every credential may create accounts.',
    granted('createAccount', 'accounts:write'),
  ],
  [
    'delegated-wide',
    'single',
    ['AUTH-5'],
    'A delegated token reaches its whole firm.',
    stored((store) => ({
      reaches: (credential, account) => store.reaches({ ...credential, kind: 'server' }, account),
    })),
  ],
  [
    'brand-wide',
    'single',
    ['AUTH-6'],
    'A brand-bound credential reaches the accounts of every brand.',
    stored((store) => ({
      reaches: (credential, account) => store.reaches({ ...credential, brand_id: null }, account),
    })),
  ],
  [
    'brand-403',
    'single',
    ['AUTH-6', 'UPD-5', 'UPD-6', 'AUTH-7'],
    "Another brand's account is answered 403 to an update.",
    decided('updateAccount', (reply, context) => {
      const isThere = context.world.store.account(context.pathId) !== undefined;
      const words = 'the account belongs to another brand';
      return reply.status === 404 && isThere ? refuse(context, 403, 'forbidden', words) : undefined;
    }),
  ],
  [
    'firm-wide',
    'single',
    ['AUTH-7', 'AUTH-6', 'TXN-10', 'TXS-16'],
    "Another firm's accounts are in reach.",
    stored((store) => ({
      reaches: (credential, account) =>
        account.firm_id !== credential.firm_id || store.reaches(credential, account),
    })),
  ],
  [
    'permissions-ignored',
    'single',
    ['AUTH-8', 'BULK-3'],
    'The permissions of a firm do not count.',
    {
      before: ({ world }) => {
        for (const id of ['1', '2']) world.changeFirm(id, { permissions: {} });
        return undefined;
      },
    },
  ],
];

export const errorDefects: readonly Row[] = [
  [
    'problem-as-json',
    'single',
    ['ERR-1a'],
    'Problems come as application/json.',
    leaving((reply) =>
      reply.headers.some(([, value]) => value === 'application/problem+json')
        ? withHeader(reply, 'Content-Type', 'application/json')
        : undefined,
    ),
  ],
  [
    'no-request-id',
    'single',
    ['ERR-1a', 'IDEM-5'],
    'Problems have no request_id.',
    problems(({ request_id, ...problem }) => problem),
  ],
  [
    'no-errors',
    'single',
    ['ERR-1a', 'LIM-6'],
    'Problems have no list of errors.',
    problems(({ errors, ...problem }) => problem),
  ],
  [
    'type-relative',
    'single',
    ['ERR-1b'],
    'The type of a problem is a path.',
    problems((problem) => ({ ...problem, type: `/errors/${problem.code}` })),
  ],
  [
    'status-400',
    'single',
    ['ERR-1b'],
    'Every problem says 400 in its body.',
    problems((problem) => ({ ...problem, status: 400 })),
  ],
  [
    'unreadable-problem',
    'single',
    ['ERR-2', 'ACC-3', 'CONV-1b', 'TXN-7', 'TXS-14'],
    'What cannot be read is refused as an ordinary problem.',
    leaving((reply, context) => {
      const isText = reply.headers.some(([, value]) => value.startsWith('text/plain'));
      return isText && context.operation.takesKey ? invalid(context, reply.body) : undefined;
    }),
  ],
  [
    'invalid-400',
    'single',
    [
      ...(['ERR-3', 'ACC-2', 'ACC-4', 'ACC-15', 'UPD-8', 'UPD-9', 'UPD-10', 'BULK-6'] as const),
      ...(['BULK-3', 'TXN-3', 'TXN-4', 'TXN-5', 'TXN-6', 'TXN-7', 'TXS-14', 'TXS-15'] as const),
      ...(['CONV-1c', 'HOOK-7', 'HOOK-9'] as const),
    ],
    'validation_failed comes with 400.',
    {
      after: (context, reply) =>
        reply.status === 422
          ? refuse(context, 400, 'validation_failed', 'this is not right')
          : reply,
    },
  ],
  [
    'one-call-id',
    'single',
    ['ERR-4', 'IDEM-5'],
    'Every reply has the same X-Request-Id.',
    leaving((reply) => withHeader(reply, 'X-Request-Id', 'req_1')),
  ],
];

export const limitDefects: readonly Row[] = [
  [
    'unlimited',
    'single',
    ['LIM-1', 'LIM-2', 'LIM-3', 'LIM-4', 'LIM-5', 'LIM-6', 'LIM-7', 'LIM-10', 'LIM-11'],
    'Nothing is limited.',
    stored(() => ({ rateOf: () => 1e9, firmRateOf: () => 1e9 })),
  ],
  [
    'sandbox-six',
    'single',
    ['LIM-1', 'LIM-2', 'LIM-6', 'LIM-10'],
    'Sandbox is six requests a second.',
    stored((store) => ({
      rateOf: (credential) => (store.rateOf(credential) === 5 ? 6 : store.rateOf(credential)),
    })),
  ],
  [
    'burst-double',
    'single',
    ['LIM-2'],
    'Two seconds of allowance are saved up.',
    stored((store) => ({
      burstOf: (name, rate) => store.burstOf(name, rate) * (name.startsWith('firm') ? 1 : 2),
    })),
  ],
  [
    'firm-double',
    'single',
    ['LIM-3', 'LIM-2'],
    'Firms have eight times the rate.',
    stored((store) => ({ firmRateOf: (id) => 2 * store.firmRateOf(id) })),
  ],
  [
    'override-ignored',
    'single',
    ['LIM-4', 'LIM-6'],
    'A limit of its own above Sandbox counts for nothing up to 40 a second.',
    stored((store) => ({
      rateOf: (credential) => {
        const rate = store.rateOf(credential);
        return credential.rate_per_second !== null && rate <= 40 ? 5 : rate;
      },
    })),
  ],
  [
    'limited-runs',
    'single',
    ['LIM-5'],
    'A limited create is refused, and done.',
    leaving((reply, context) => {
      const isCreate = context.operation.name === 'createAccount' && reply.status === 429;
      if (isCreate) context.operation.run({ ...context, body: sentBody(context) });
      return undefined;
    }),
  ],
  [
    'no-retry-after',
    'single',
    ['LIM-6', 'LIM-7'],
    'A 429 comes without Retry-After.',
    leaving((reply) => (reply.status === 429 ? withoutHeader(reply, 'Retry-After') : undefined)),
  ],
  [
    'remaining-below-zero',
    'single',
    ['LIM-6'],
    'A 429 says that less than nothing is left.',
    leaving((reply) =>
      reply.status === 429 ? withHeader(reply, 'X-RateLimit-Remaining', '-1') : undefined,
    ),
  ],
  [
    'headers-always',
    'single',
    ['LIM-8', 'LIM-6'],
    'Every reply to a write tells the allowance.',
    leaving((reply, { operation, world, credential }) =>
      operation.takesKey
        ? withHeader(reply, 'X-RateLimit-Limit', String(world.store.rateOf(credential)))
        : undefined,
    ),
  ],
  [
    'batch-by-rows',
    'single',
    ['LIM-9'],
    'A batch counts by its rows.',
    leaving((reply, context) => {
      const { accounts } = sentBody(context);
      const isBatch = context.operation.name === 'bulkCreateAccounts' && reply.status === 200;
      if (isBatch && Array.isArray(accounts)) charge(context, accounts.length - 1);
      return undefined;
    }),
  ],
  [
    'delegated-own',
    'single',
    ['LIM-10'],
    'Each delegated token has an allowance of its own.',
    everyCaller((each) => ({
      ...each,
      minted_by: each.minted_by === null ? null : each.client_id,
    })),
  ],
  [
    'reads-free',
    'single',
    ['LIM-11'],
    'Reads are not metered.',
    leaving((reply, context) => {
      if (context.call.method === 'GET' && reply.status < 400) charge(context, -1);
      return undefined;
    }),
  ],
  [
    'updates-double',
    'combination',
    ['LIM-11', 'LIM-1', 'LIM-2'],
    'Creating an account counts twice.',
    leaving((reply, context) => {
      const isCreate = context.operation.name === 'createAccount';
      if (isCreate && reply.status !== 429 && reply.status !== 401) charge(context, 1);
      return undefined;
    }),
  ],
];
