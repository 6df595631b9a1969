// Rows of network overrides: faults, name resolution, and forwards.
import { listOf, object, text } from '../../../fixtures/schemas/kit.ts';
import type { Fault } from '../../core/pipeline/find-fault.ts';
import { faultSchema, forwardSchema, nameSchema, newFaultSchema, viewFault } from '../records.ts';
import { execute } from '../reply.ts';
import { listRow, row } from '../row.ts';

export const faultRows = {
  listFaults: listRow('faults', 'List the faults with their hits', faultSchema, ({ host }) =>
    [...host.world.faults.values()].map(viewFault),
  ),
  createFault: row('POST', 'faults', {
    summary: 'Inject a fault',
    description:
      'Before: nothing has run. After: it has run; with reset, delay, hang, truncate or slow_body its key is recorded and only the response suffers, with a status nothing is recorded (IDEM-6), so a repeat runs again and converges. Before with delay or hang keeps the attempt in flight (IDEM-14a). Repeats that get the first answer again are struck too, in either phase, and what is recorded stays: after with reset, two times, loses the answer and that of its repeat. A call that is refused before it runs (its key, token, rate, body or scope) is not struck.',
    body: newFaultSchema,
    status: 201,
    answer: faultSchema,
    run: ({ host, body }) => {
      const effect = body.effect as Fault['effect'];
      return viewFault(execute(host, 'makeFault', { ...body, effect }));
    },
  }),
  clearFaults: row('DELETE', 'faults', {
    summary: 'Remove all faults',
    run: ({ host }) => void execute(host, 'clearFaults', undefined),
  }),
  removeFault: row('DELETE', 'faults/{id}', {
    summary: 'Remove a fault',
    run: ({ host, params }) => void execute(host, 'removeFault', params),
  }),
};

export const nameRows = {
  listNames: listRow('dns', 'List the names that do not ask the resolver', nameSchema, ({ host }) =>
    [...host.world.names].map(([hostname, addresses]) => ({ hostname, addresses })),
  ),
  setName: row('PUT', 'dns/{hostname}', {
    summary: 'Set what a name resolves to',
    description: 'Over the system’s resolver, for webhook targets (HOOK-8, EVT-11).',
    body: object('The addresses.', {
      addresses: listOf(text('An IP address.'), 'IP addresses; none: it does not resolve.', {
        maxItems: 100,
      }),
    }),
    answer: nameSchema,
    run: ({ host, params, body }) => execute(host, 'setName', { ...params, ...body }),
  }),
  forgetName: row('DELETE', 'dns/{hostname}', {
    summary: 'Let the resolver answer for a name again',
    run: ({ host, params }) => void execute(host, 'setName', { ...params, addresses: null }),
  }),
  listForwards: listRow('forwards', 'List the forwards', forwardSchema, ({ host }) =>
    [...host.world.forwards].map(([from, to]) => ({ from, to })),
  ),
  setForward: row('PUT', 'forwards', {
    summary: 'Forward an origin',
    description:
      'Deliveries to that https origin go to the URL instead. A forwarded name counts as public unless dns says otherwise.',
    body: forwardSchema,
    answer: forwardSchema,
    run: ({ host, body }) => execute(host, 'setForward', body),
  }),
  removeForward: row('DELETE', 'forwards', {
    summary: 'Remove a forward',
    query: { from: text('The https origin.') },
    run: ({ host, query }) => void execute(host, 'setForward', { ...query, to: null }),
  }),
};
