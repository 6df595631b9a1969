// Rows of faults: what is to go wrong, for which calls or deliveries, how often.

import {
  centuryMs,
  flag,
  object,
  oneOf,
  orNull,
  text,
  type ValueOf,
  whole,
} from '../../../../fixtures/schemas/kit.ts';
import type { EffectPart, Fault, FaultMatch } from '../../../core/pipeline/find-fault.ts';
import {
  effectKinds,
  effectPart,
  faultRefusals,
  faultStatuses,
  isSpent,
} from '../../../host/world/world-reads.ts';
import { wholeListSchema } from '../../paging.ts';
import { answer, answerCommand, nothing, refuseField } from '../../reply.ts';
import { row } from '../../row.ts';
import { operationParameter } from '../../schemas/operation-permissions.ts';

const matchSchema = object('What it applies to: every part that is given must fit.', {
  'operation?': operationParameter,
  'method?': { ...text('An HTTP method.'), maxLength: 16 },
  'path?': {
    ...text('The path without query; a * at the end stands for any rest.'),
    pattern: '^/',
  },
  'client_id?': text('The caller.'),
  'webhook?': {
    type: ['boolean', 'string', 'integer'],
    maxLength: 100,
    description: 'true: any webhook delivery; an id: those of one subscription.',
  },
});

const effectSchema = object('What happens instead.', {
  kind: oneOf(
    'For calls: status, refuse, delay, hang, reset, truncate, slow_body; for webhooks: the others, and delay.',
    effectKinds,
  ),
  'status?': {
    type: 'integer',
    enum: faultStatuses,
    description:
      'With kind status: 429, 500 and 503 in the API’s own form, 502 and 504 as a gateway gives them, in HTML and without any of the API’s headers.',
  },
  'code?': oneOf(
    'With kind refuse: the refusal of this code in the API’s own form, kept for repeats like any other.',
    faultRefusals,
  ),
  'ms?': whole('With delay and slow_body: how long, on the sandbox’s clock.', 0, centuryMs),
  'bytes?': whole('With truncate: how much of the body arrives.', 0, 1e9),
});

const phase = oneOf('Before it runs, or after: then only the answer is lost, late or replaced.', [
  'before',
  'after',
]);
const times = orNull(whole('How often it applies to; until it is removed when left out.', 1, 1e9));

const nth = orNull(whole('It strikes from this matching call on.', 1, 1e9));
const probability = orNull({
  type: 'number',
  minimum: 0,
  maximum: 1,
  description: 'How likely it strikes a matching call; drawn from the seed of the world.',
});

const faultSchema = object('A fault.', {
  id: text('Its id.'),
  match: matchSchema,
  phase,
  effect: effectSchema,
  times,
  nth,
  probability,
  hits: whole('How often it has struck.', 0, 1e15),
  spent: flag('It has struck as often as it was to, and is no longer on.'),
});
export type FaultShown = ValueOf<typeof faultSchema>;

export function viewFault(fault: Fault): FaultShown {
  const { id, match, phase: when, effect, times: often, hits } = fault;
  return {
    id,
    match,
    phase: when,
    effect,
    times: often,
    nth: fault.nth ?? null,
    probability: fault.probability ?? null,
    hits,
    spent: isSpent(fault),
  };
}

type Effect = ValueOf<typeof effectSchema>;

interface Wrong {
  readonly field: string;
  readonly message: string;
}

const missingParts: Readonly<Record<EffectPart, string>> = {
  status: `is missing; it is one of ${faultStatuses.join(', ')}`,
  code: `is missing; it is one of ${faultRefusals.join(', ')}`,
  ms: 'is missing; how many milliseconds?',
  bytes: 'is missing; how many bytes of the body arrive?',
};

/** The parts of an effect go with its kind. */
function findWrongEffect(effect: Effect): Wrong | null {
  const wanted = effectPart(effect.kind);
  for (const part of Object.keys(missingParts) as EffectPart[]) {
    const field = `effect.${part}`;
    if (part === wanted && effect[part] === undefined) {
      return { field, message: missingParts[part] };
    }
    if (part !== wanted && effect[part] !== undefined) {
      return { field, message: `does not go with ${effect.kind}` };
    }
  }
  return null;
}

function findWrongMatch(match: ValueOf<typeof matchSchema>): Wrong | null {
  if (match.webhook === undefined || match.webhook === false) return null;
  const other = Object.keys(match).find((name) => name !== 'webhook');
  if (other !== undefined) {
    return { field: `match.${other}`, message: 'is about calls, and does not go with webhook' };
  }
  const { webhook } = match;
  return webhook === true || /^\d+$/.test(String(webhook))
    ? null
    : { field: 'match.webhook', message: 'must be true or the id of a subscription' };
}

/** As core reads it: an id as text, and nothing at all where webhooks are not meant. */
function matchOf({ webhook, ...match }: ValueOf<typeof matchSchema>): FaultMatch {
  if (webhook === undefined || webhook === false) return match;
  return { ...match, webhook: webhook === true ? true : String(webhook) };
}

export const faultRows = [
  row({
    name: 'listFaults',
    method: 'GET',
    path: 'faults',
    tag: 'Faults',
    summary: 'The faults with their hits',
    answer: { status: 200, words: 'All of them.', schema: wholeListSchema('faults', faultSchema) },
    run: ({ host }) => answer({ faults: [...host.world.faults.values()].map(viewFault) }),
  }),
  row({
    name: 'createFault',
    method: 'POST',
    path: 'faults',
    tag: 'Faults',
    summary: 'Order a fault',
    description:
      'Before: nothing has run. After: it has run; with reset, delay, hang, truncate or slow_body its key is recorded and only the answer suffers, with a status nothing is recorded (IDEM-6), so a repeat runs again and converges. Before with delay or hang keeps the attempt in flight (IDEM-14a). Repeats that get the first answer again are struck too, in either phase, and what is recorded stays: after with reset, two times, loses the answer and that of its repeat.',
    body: object('What, when, how often.', {
      match: matchSchema,
      'phase?': phase,
      effect: effectSchema,
      'times?': times,
      'nth?': nth,
      'probability?': probability,
    }),
    answer: { status: 201, words: 'The fault.', schema: faultSchema },
    run: ({ host, body }) => {
      const wrong = findWrongMatch(body.match) ?? findWrongEffect(body.effect);
      if (wrong !== null) return refuseField(wrong.field, wrong.message);
      const effect = body.effect as Fault['effect'];
      const args = { ...body, match: matchOf(body.match), effect };
      return answerCommand<{ fault: Fault }>(host.execute('makeFault', args), ({ fault }) =>
        answer(viewFault(fault), 201),
      );
    },
  }),
  row({
    name: 'clearFaults',
    method: 'DELETE',
    path: 'faults',
    tag: 'Faults',
    summary: 'Remove all faults',
    answer: { status: 204, words: 'There is none any more.' },
    run: ({ host }) => answerCommand(host.execute('clearFaults', undefined), () => nothing),
  }),
  row({
    name: 'removeFault',
    method: 'DELETE',
    path: 'faults/{id}',
    tag: 'Faults',
    summary: 'Remove a fault',
    answer: { status: 204, words: 'It is gone.' },
    run: ({ host, params }) =>
      answerCommand(host.execute('removeFault', { id: params.id ?? '' }), () => nothing),
  }),
];
