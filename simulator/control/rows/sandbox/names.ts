// Rows of names and forwards: what hostnames resolve to, and where deliveries for an origin go
// instead.

import { listOf, object, text } from '../../../../fixtures/schemas/kit.ts';
import { wholeListSchema } from '../../paging.ts';
import { answer, answerCommand, nothing } from '../../reply.ts';
import { row } from '../../row.ts';
import { forwardSchema, nameSchema } from '../../schemas/records.ts';

export const nameRows = [
  row({
    name: 'listNames',
    method: 'GET',
    path: 'dns',
    tag: 'Names',
    summary: 'The names that do not ask the resolver',
    answer: { status: 200, words: 'All of them.', schema: wholeListSchema('dns', nameSchema) },
    run: ({ host }) => {
      const dns = [...host.world.names].map(([hostname, addresses]) => ({ hostname, addresses }));
      return answer({ dns });
    },
  }),
  row({
    name: 'setName',
    method: 'PUT',
    path: 'dns/{hostname}',
    tag: 'Names',
    summary: 'Say what a name resolves to',
    description: 'Over the system’s resolver, for webhook targets (HOOK-8, EVT-11).',
    body: object('The addresses.', {
      addresses: {
        ...listOf(text('An IP address.'), 'IP addresses; an empty list: it does not resolve.'),
        maxItems: 100,
      },
    }),
    answer: { status: 200, words: 'The name.', schema: nameSchema },
    run: ({ host, params, body }) =>
      answerCommand(
        host.execute('setName', { hostname: params.hostname ?? '', addresses: body.addresses }),
        answer,
      ),
  }),
  row({
    name: 'forgetName',
    method: 'DELETE',
    path: 'dns/{hostname}',
    tag: 'Names',
    summary: 'Ask the resolver again',
    answer: { status: 204, words: 'The name is the resolver’s again.' },
    run: ({ host, params }) =>
      answerCommand(
        host.execute('setName', { hostname: params.hostname ?? '', addresses: null }),
        () => nothing,
      ),
  }),
];

export const forwardRows = [
  row({
    name: 'listForwards',
    method: 'GET',
    path: 'forwards',
    tag: 'Names',
    summary: 'The forwards',
    answer: { status: 200, words: 'All.', schema: wholeListSchema('forwards', forwardSchema) },
    run: ({ host }) => {
      const forwards = [...host.world.forwards].map(([from, to]) => ({ from, to }));
      return answer({ forwards });
    },
  }),
  row({
    name: 'setForward',
    method: 'PUT',
    path: 'forwards',
    tag: 'Names',
    summary: 'Forward an origin',
    description:
      'Deliveries to that https origin go to the URL instead. A forwarded name counts as public unless dns says otherwise.',
    body: forwardSchema,
    answer: { status: 200, words: 'The forward.', schema: forwardSchema },
    run: ({ host, body }) => answerCommand(host.execute('setForward', body), answer),
  }),
  row({
    name: 'removeForward',
    method: 'DELETE',
    path: 'forwards',
    tag: 'Names',
    summary: 'Remove a forward',
    query: { from: text('The https origin.') },
    requiredQuery: ['from'],
    answer: { status: 204, words: 'Deliveries go to the origin itself again.' },
    run: ({ host, query }) =>
      answerCommand(
        host.execute('setForward', { from: query.from ?? '', to: null }),
        () => nothing,
      ),
  }),
];
