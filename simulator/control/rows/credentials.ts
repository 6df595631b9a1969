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
import { credentialMembers, plan } from '../../../fixtures/schemas/records.ts';
import {
  credentialSchema,
  firmSchema,
  operationPermissions,
  viewCredential,
  viewFirm,
} from '../records.ts';
import { execute, found } from '../reply.ts';
import { defaultLimit, listRow, listSchema, paging, row } from '../row.ts';

const rate = orNull(
  whole('Requests a second instead of the plan’s (LIM-4); null: the plan’s again.', 1, 1e9),
);
const scopes = listOf(oneOf('A scope.', scopeNames), 'What it may do (AUTH-4).', { maxItems: 50 });

export const credentialRows = {
  listCredentials: row('GET', 'credentials', {
    summary: 'List the credentials',
    description: 'In the order in which they were made; `after` counts them.',
    query: paging,
    answer: listSchema('credentials', credentialSchema),
    run: ({ host, query: { after = 0, limit = defaultLimit } }) => {
      const all = [...host.world.credentials.values()];
      const end = after + limit;
      const credentials = all.slice(after, end).map((each) => viewCredential(host, each));
      return { credentials, next_after: end < all.length ? end : null };
    },
  }),
  createCredential: row('POST', 'credentials', {
    summary: 'Make a credential',
    description: 'It comes with a token that does not expire.',
    body: object('What it is and may do.', {
      'name?': text('What people call it.'),
      'kind?': credentialMembers.kind,
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
    run: ({ host, body }) => viewCredential(host, execute(host, 'createCredential', body)),
  }),
  changeCredential: row('PATCH', 'credentials/{client_id}', {
    summary: 'Change a credential',
    body: object('What changes.', { 'scopes?': scopes, 'plan?': plan, 'rate_per_second?': rate }),
    answer: credentialSchema,
    run: ({ host, body, params }) =>
      viewCredential(host, execute(host, 'changeCredential', { ...body, ...params })),
  }),
};

export const firmRows = {
  listFirms: listRow('firms', 'List the firms', firmSchema, ({ host }) =>
    [...host.world.firms.values()].map((firm) => viewFirm(host, firm)),
  ),
  getFirm: row('GET', 'firms/{id}', {
    summary: 'Read a firm',
    answer: firmSchema,
    run: ({ host, params }) =>
      viewFirm(host, found(host.world.firms.get(params.id), `firm ${params.id}`)),
  }),
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
    run: ({ host, body, params }) =>
      viewFirm(host, execute(host, 'changeFirm', { ...body, ...params })),
  }),
};
