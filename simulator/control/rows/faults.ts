// Rows of network overrides: faults, name resolution, and forwards.
import { operationNames, operationTable } from '../../../fixtures/operations.ts';
import { listOf, object, text } from '../../../fixtures/schemas/kit.ts';
import {
  type EffectPart,
  effectPart,
  type Fault,
  type FaultMatch,
  faultRefusals,
  faultStatuses,
} from '../../core/pipeline/find-fault.ts';
import { listRow } from '../paging.ts';
import {
  faultSchema,
  forwardSchema,
  type NewFault,
  nameSchema,
  newFaultSchema,
  viewFault,
} from '../records.ts';
import { execute, refuseField } from '../reply.ts';
import { row } from '../row.ts';

const missingParts: Readonly<Record<EffectPart, string>> = {
  status: `is missing; it is one of ${faultStatuses.join(', ')}`,
  code: `is missing; it is one of ${faultRefusals.join(', ')}`,
  ms: 'is missing; how many milliseconds?',
  bytes: 'is missing; how many bytes of the body arrive?',
};

/** The members of an effect depend on its kind. */
function checkEffect(effect: NewFault['effect']): void {
  const wanted = effectPart(effect.kind);
  for (const part of Object.keys(missingParts) as EffectPart[]) {
    const field = `effect.${part}`;
    const isThere = effect[part] !== undefined;
    if (part === wanted && !isThere) refuseField(field, missingParts[part]);
    if (part !== wanted && isThere) refuseField(field, `does not go with ${effect.kind}`);
  }
}

const methods: readonly string[] = [
  ...new Set(operationNames.map((name) => operationTable[name].method)),
];

function checkMatch(match: NewFault['match']): void {
  const { webhook = false, method } = match;
  if (webhook === false) {
    if (method === undefined || methods.includes(method.toUpperCase())) return;
    refuseField('match.method', `must be one of ${methods.join(', ')}: no operation has another`);
  }
  const other = Object.keys(match).find((name) => name !== 'webhook');
  if (other !== undefined) {
    refuseField(`match.${other}`, 'is about calls, and does not go with webhook');
  }
  if (webhook === true || /^\d+$/.test(String(webhook))) return;
  refuseField('match.webhook', 'must be true or the id of a subscription');
}

/** As core reads it: ids are text, and `webhook` is absent if the fault is not for webhooks. */
function matchOf({ webhook = false, ...match }: NewFault['match']): FaultMatch {
  if (webhook === false) return match;
  return { ...match, webhook: webhook === true ? true : String(webhook) };
}

export const faultRows = {
  listFaults: listRow('faults', 'List the faults with their hits', faultSchema, ({ host }) =>
    [...host.world.faults.values()].map(viewFault),
  ),
  createFault: row('POST', 'faults', {
    summary: 'Inject a fault',
    description:
      'Before: nothing has run. After: it has run; with reset, delay, hang, truncate or slow_body its key is recorded and only the answer suffers, with a status nothing is recorded (IDEM-6), so a repeat runs again and converges. Before with delay or hang keeps the attempt in flight (IDEM-14a). Repeats that get the first answer again are struck too, in either phase, and what is recorded stays: after with reset, two times, loses the answer and that of its repeat.',
    body: newFaultSchema,
    status: 201,
    answer: faultSchema,
    run: ({ host, body }) => {
      checkMatch(body.match);
      const { client_id: clientId } = body.match;
      if (clientId !== undefined && !host.world.credentials.has(clientId)) {
        refuseField('match.client_id', 'must be of a credential of this world');
      }
      checkEffect(body.effect);
      const effect = body.effect as Fault['effect'];
      const match = matchOf(body.match);
      return viewFault(execute(host, 'makeFault', { ...body, match, effect }).fault);
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
