// Rows of credentials and firms: who may call, how fast, and what a firm may do.

import { scopeNames } from '../../../fixtures/operations.ts';
import {
  flag,
  id,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import type { Credential, Firm } from '../../core/records.ts';
import {
  afterParameter,
  defaultLimit,
  limitParameter,
  listSchema,
  wholeListSchema,
} from '../paging.ts';
import { showFound, showOutcome } from '../reply.ts';
import { row } from '../row.ts';
import { credentialSchema, firmSchema, operationPermissions } from '../schemas/records.ts';
import { viewCredential, viewFirm } from '../views/records.ts';

const plan = oneOf('Rate plan (LIM-1).', ['sandbox', 'standard', 'pro']);
const rate = orNull(
  whole('Requests a second instead of the plan’s (LIM-4); null: the plan’s again.', 1, 1e9),
);
const scopes = listOf(oneOf('A scope.', scopeNames), 'What it may do (AUTH-4).', { maxItems: 50 });

export const credentialRows = {
  /** The credentials */
  listCredentials: row('GET', 'credentials', {
    summary: 'The credentials',
    description: 'In the order in which they were made; `after` counts them.',
    query: { after: afterParameter, limit: limitParameter },
    answer: listSchema('credentials', credentialSchema),
    run: ({ host, query: { after = 0, limit = defaultLimit } }) => {
      const all = [...host.world.credentials.values()];
      const shown = all.slice(after, after + limit);
      const next = after + shown.length;
      return {
        credentials: shown.map((each) => viewCredential(host, each)),
        next_after: next < all.length ? next : null,
      };
    },
  }),
  /** Make a credential */
  createCredential: row('POST', 'credentials', {
    summary: 'Make a credential',
    description: 'It comes with a token that does not expire.',
    body: object('What it is and may do.', {
      'name?': text('What people call it.'),
      'kind?': oneOf('Delegated ones are limited to one account.', ['server', 'delegated']),
      'firm_id?': id('The firm; by default that of the brand or account, or the first one.'),
      'brand_id?': orNull(id('The brand it is bound to; firm-wide by default.')),
      scopes,
      'read_only?': flag('Only for delegated ones (AUTH-2).'),
      'account_id?': orNull(id('The account of a delegated one (AUTH-5).')),
      'minted_by?': orNull(text('The client_id that a delegated one is metered against (LIM-10).')),
      'plan?': plan,
      'rate_per_second?': rate,
    }),
    status: 201,
    answer: credentialSchema,
    run: ({ host, body }) =>
      showOutcome(
        host.execute('createCredential', body),
        ({ credential }: { credential: Credential }) => viewCredential(host, credential),
      ),
  }),
  /** Change a credential */
  changeCredential: row('PATCH', 'credentials/{client_id}', {
    summary: 'Change a credential',
    body: object('What changes.', { 'scopes?': scopes, 'plan?': plan, 'rate_per_second?': rate }),
    answer: credentialSchema,
    run: ({ host, body, params: { client_id = '' } }) =>
      showOutcome(
        host.execute('changeCredential', { ...body, client_id }),
        ({ credential }: { credential: Credential }) => viewCredential(host, credential),
      ),
  }),
};

export const firmRows = {
  /** The firms */
  listFirms: row('GET', 'firms', {
    summary: 'The firms',
    answer: wholeListSchema('firms', firmSchema),
    run: ({ host }) => ({
      firms: [...host.world.firms.values()].map((firm) => viewFirm(host, firm)),
    }),
  }),
  /** A firm */
  getFirm: row('GET', 'firms/{id}', {
    summary: 'A firm',
    answer: firmSchema,
    run: ({ host, params: { id: firmId = '' } }) =>
      showFound(host.world.firms.get(firmId), `firm ${firmId}`, (firm) => viewFirm(host, firm)),
  }),
  /** Change what a firm may do, and how fast */
  changeFirm: row('PATCH', 'firms/{id}', {
    summary: 'Change what a firm may do, and how fast',
    body: object('What changes.', {
      'permissions?': operationPermissions,
      'rate_per_second?': orNull(
        whole('Requests a second of the whole firm; null: four times its plan (LIM-3).', 1, 1e9),
      ),
      'plan?': plan,
    }),
    answer: firmSchema,
    run: ({ host, body, params: { id: firmId = '' } }) =>
      showOutcome(host.execute('changeFirm', { ...body, id: firmId }), ({ firm }: { firm: Firm }) =>
        viewFirm(host, firm),
      ),
  }),
};
