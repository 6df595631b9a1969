// Defects of tokens and scopes, of errors, and of rate limits.
import { withHeader } from '../context.ts';
import { caller, granted, lasting, leaving, problems, type Rows, stored } from '../wrap.ts';

export const accessDefects: Rows = {
  'read-only-orders (AUTH-2): a read-only token may close positions': caller(
    'closePosition',
    () => ({ read_only: false }),
  ),
  'tokens-half (AUTH-3a AUTH-1): a token dies half-way through its time': stored(
    ({ saveToken }, { style }) => ({
      saveToken: ({ expires_ms: atMs, ...token }) =>
        saveToken({ ...token, expires_ms: atMs && atMs - style.token.seconds * 500 }),
    }),
  ),
  'tokens-unlimited (AUTH-3b): any number of tokens is issued a minute': lasting('token window', 0),
  'accounts-open (ACC-21 AUTH-4): every credential may create accounts': granted(
    'createAccount',
    'accounts:write',
  ),
  'delegated-wide (AUTH-5): a delegated token reaches its whole firm': stored(({ reaches }) => ({
    reaches: (credential, account) => reaches({ ...credential, kind: 'server' }, account),
  })),
  'brand-wide (AUTH-6): a brand-bound credential reaches the accounts of every brand': stored(
    ({ reaches }) => ({
      reaches: (credential, account) => reaches({ ...credential, brand_id: null }, account),
    }),
  ),
};

const V422 = [
  ...['ERR-3 ACC-2 ACC-4 ACC-15 UPD-8 UPD-9 UPD-10 BULK-6 BULK-3 TXN-3 TXN-4 TXN-5 TXN-6 TXN-7'],
  ...['TXS-14 TXS-15 CONV-1c HOOK-7 HOOK-9'],
].join(' ');

export const errorDefects: Rows = {
  'no-errors (ERR-1a LIM-6): problems have no list of errors': problems(() => ({
    errors: undefined,
  })),
  'type-relative (ERR-1b): the type of a problem is a path': problems(({ code }) => ({
    type: `/errors/${code}`,
  })),
  [`invalid-400 (${V422}): validation_failed comes with 400`]: {
    after: (context, reply) =>
      reply.status === 422 ? context.refusal(400, 'validation_failed', 'not right') : reply,
  },
  'one-call-id (ERR-4 IDEM-5): every reply has the same X-Request-Id': leaving((reply) =>
    withHeader(reply, 'X-Request-Id', 'req_1'),
  ),
  'unlimited (LIM-1 LIM-2 LIM-3 LIM-4 LIM-5 LIM-6 LIM-7 LIM-10 LIM-11): nothing is limited': stored(
    () => ({ rateOf: () => 1e9, firmRateOf: () => 1e9 }),
  ),
  'sandbox-six (LIM-1 LIM-2 LIM-6 LIM-10): Sandbox is six requests a second': stored(
    ({ rateOf }) => ({
      rateOf: (credential) => (rateOf(credential) === 5 ? 6 : rateOf(credential)),
    }),
  ),
  'firm-double (LIM-3 LIM-2): firms have eight times the rate': stored(({ firmRateOf }) => ({
    firmRateOf: (id) => 2 * firmRateOf(id),
  })),
};
