// Defects of tokens, scopes and reach, of errors, and of limits.

import { refuse, withHeader } from '../replies.ts';
import { caller, granted, lasting, leaving, problems, type Rows, stored } from './wrap.ts';

export const accessDefects: Rows = {
  'read-only-orders': {
    kind: 'combination',
    breaks: ['AUTH-2'],
    sentence: 'A read-only token may close positions.',
    ...caller('closePosition', (each) => ({ ...each, read_only: false })),
  },
  'tokens-half': {
    kind: 'time',
    breaks: ['AUTH-3a', 'AUTH-1'],
    sentence: 'A token dies half-way through its time.',
    ...stored((store, { clock, style }) => ({
      token: (value) => {
        const token = store.token(value);
        const isHalf =
          (token?.expires_ms ?? Number.POSITIVE_INFINITY) - clock.now() < style.token.seconds * 500;
        return isHalf ? undefined : token;
      },
    })),
  },
  'tokens-unlimited': {
    breaks: ['AUTH-3b'],
    sentence: 'Any number of tokens is issued a minute.',
    ...lasting('token window', 0),
  },
  'accounts-open': {
    breaks: ['ACC-21', 'AUTH-4'],
    sentence: 'Every credential may create accounts.',
    ...granted('createAccount', 'accounts:write'),
  },
  'delegated-wide': {
    breaks: ['AUTH-5'],
    sentence: 'A delegated token reaches its whole firm.',
    ...stored((store) => ({
      reaches: (credential, account) => store.reaches({ ...credential, kind: 'server' }, account),
    })),
  },
  'brand-wide': {
    breaks: ['AUTH-6'],
    sentence: 'A brand-bound credential reaches the accounts of every brand.',
    ...stored((store) => ({
      reaches: (credential, account) => store.reaches({ ...credential, brand_id: null }, account),
    })),
  },
};

export const errorDefects: Rows = {
  'no-errors': {
    breaks: ['ERR-1a', 'LIM-6'],
    sentence: 'Problems have no list of errors.',
    ...problems(({ errors, ...problem }) => problem),
  },
  'type-relative': {
    breaks: ['ERR-1b'],
    sentence: 'The type of a problem is a path.',
    ...problems((problem) => ({ ...problem, type: `/errors/${problem.code}` })),
  },
  'invalid-400': {
    breaks: [
      ...(['ERR-3', 'ACC-2', 'ACC-4', 'ACC-15', 'UPD-8', 'UPD-9', 'UPD-10', 'BULK-6'] as const),
      ...(['BULK-3', 'TXN-3', 'TXN-4', 'TXN-5', 'TXN-6', 'TXN-7', 'TXS-14', 'TXS-15'] as const),
      ...(['CONV-1c', 'HOOK-7', 'HOOK-9'] as const),
    ],
    sentence: 'validation_failed comes with 400.',
    after: (context, reply) =>
      reply.status === 422 ? refuse(context, 400, 'validation_failed', 'this is not right') : reply,
  },
  'one-call-id': {
    breaks: ['ERR-4', 'IDEM-5'],
    sentence: 'Every reply has the same X-Request-Id.',
    ...leaving((reply) => withHeader(reply, 'X-Request-Id', 'req_1')),
  },
};

export const limitDefects: Rows = {
  unlimited: {
    breaks: ['LIM-1', 'LIM-2', 'LIM-3', 'LIM-4', 'LIM-5', 'LIM-6', 'LIM-7', 'LIM-10', 'LIM-11'],
    sentence: 'Nothing is limited.',
    ...stored(() => ({ rateOf: () => 1e9, firmRateOf: () => 1e9 })),
  },
  'sandbox-six': {
    breaks: ['LIM-1', 'LIM-2', 'LIM-6', 'LIM-10'],
    sentence: 'Sandbox is six requests a second.',
    ...stored((store) => ({
      rateOf: (credential) => (store.rateOf(credential) === 5 ? 6 : store.rateOf(credential)),
    })),
  },
  'firm-double': {
    breaks: ['LIM-3', 'LIM-2'],
    sentence: 'Firms have eight times the rate.',
    ...stored((store) => ({ firmRateOf: (id) => 2 * store.firmRateOf(id) })),
  },
};
