// Rows of credentials and firms: who may call, for whom, how fast, and what their firm may do.

import {
  flag,
  id,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  whole,
} from '../../../../fixtures/schemas/kit.ts';
import type { Credential, Firm } from '../../../core/records.ts';
import { scopeNames } from '../../../host/world/world-reads.ts';
import {
  afterParameter,
  defaultLimit,
  limitParameter,
  listSchema,
  wholeListSchema,
} from '../../paging.ts';
import { answer, answerCommand, notFound } from '../../reply.ts';
import { row } from '../../row.ts';
import { operationPermissions } from '../../schemas/operation-permissions.ts';
import { credentialSchema, firmSchema } from '../../schemas/records.ts';
import { viewCredential, viewFirm } from '../../views/records.ts';

const plan = oneOf('Rate plan (LIM-1).', ['sandbox', 'standard', 'pro']);
const rate = orNull(
  whole('Requests a second in place of what the plan gives (LIM-4); null: the plan again.', 1, 1e9),
);
const scopes = listOf(oneOf('A scope.', scopeNames), 'What it may do (AUTH-4).', {
  maxItems: 50,
});

export const credentialRows = [
  row({
    name: 'listCredentials',
    method: 'GET',
    path: 'credentials',
    tag: 'Credentials',
    summary: 'The credentials',
    query: { after: afterParameter, limit: limitParameter },
    answer: {
      status: 200,
      words: 'In the order in which they were made; `after` counts them.',
      schema: listSchema('credentials', credentialSchema),
    },
    run: ({ host, query }) => {
      const { after = 0, limit = defaultLimit } = query;
      const all = [...host.world.credentials.values()];
      const shown = all.slice(after, after + limit);
      const next = after + shown.length;
      return answer({
        credentials: shown.map((each) => viewCredential(host, each)),
        next_after: next < all.length ? next : null,
      });
    },
  }),
  row({
    name: 'createCredential',
    method: 'POST',
    path: 'credentials',
    tag: 'Credentials',
    summary: 'Make a credential',
    description: 'It comes with a token that does not expire.',
    body: object('What it is and may do.', {
      'name?': text('What people call it.'),
      'kind?': oneOf('Delegated ones are limited to one account.', ['server', 'delegated']),
      'firm_id?': id('The firm; left out, that of the brand or account, or the first one.'),
      'brand_id?': orNull(id('The brand it is bound to; firm-wide when left out.')),
      scopes,
      'read_only?': flag('Only for delegated ones (AUTH-2).'),
      'account_id?': orNull(id('The account of a delegated one (AUTH-5).')),
      'minted_by?': orNull(text('The client_id that a delegated one is metered against (LIM-10).')),
      'plan?': plan,
      'rate_per_second?': rate,
    }),
    answer: { status: 201, words: 'The credential with its token.', schema: credentialSchema },
    run: ({ host, body }) =>
      answerCommand<{ credential: Credential }>(
        host.execute('createCredential', body),
        ({ credential }) => answer(viewCredential(host, credential), 201),
      ),
  }),
  row({
    name: 'changeCredential',
    method: 'PATCH',
    path: 'credentials/{client_id}',
    tag: 'Credentials',
    summary: 'Change a credential',
    body: object('What changes.', { 'scopes?': scopes, 'plan?': plan, 'rate_per_second?': rate }),
    answer: { status: 200, words: 'The credential as it is now.', schema: credentialSchema },
    run: ({ host, body, params }) =>
      answerCommand<{ credential: Credential }>(
        host.execute('changeCredential', { ...body, client_id: params.client_id ?? '' }),
        ({ credential }) => answer(viewCredential(host, credential)),
      ),
  }),
];

export const firmRows = [
  row({
    name: 'listFirms',
    method: 'GET',
    path: 'firms',
    tag: 'Firms',
    summary: 'The firms',
    answer: { status: 200, words: 'All of them.', schema: wholeListSchema('firms', firmSchema) },
    run: ({ host }) =>
      answer({ firms: [...host.world.firms.values()].map((firm) => viewFirm(host, firm)) }),
  }),
  row({
    name: 'getFirm',
    method: 'GET',
    path: 'firms/{id}',
    tag: 'Firms',
    summary: 'A firm',
    answer: { status: 200, words: 'The firm.', schema: firmSchema },
    run: ({ host, params }) => {
      const firm = host.world.firms.get(params.id ?? '');
      return firm === undefined
        ? notFound(`There is no firm ${params.id}.`)
        : answer(viewFirm(host, firm));
    },
  }),
  row({
    name: 'changeFirm',
    method: 'PATCH',
    path: 'firms/{id}',
    tag: 'Firms',
    summary: 'Change what a firm may do, and how fast',
    body: object('What changes.', {
      'permissions?': operationPermissions,
      'rate_per_second?': orNull(
        whole('Requests a second of the whole firm; null: four times its plan (LIM-3).', 1, 1e9),
      ),
      'plan?': plan,
    }),
    answer: { status: 200, words: 'The firm as it is now.', schema: firmSchema },
    run: ({ host, body, params }) =>
      answerCommand<{ firm: Firm }>(
        host.execute('changeFirm', { ...body, id: params.id ?? '' }),
        ({ firm }) => answer(viewFirm(host, firm)),
      ),
  }),
];
