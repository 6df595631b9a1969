// The journal of calls as the control plane shows it: schemas, and the types that follow.

import {
  anyText,
  anyWhole,
  flag,
  listOf,
  mapOf,
  maybeText,
  object,
  oneOf,
  orNull,
  type ValueOf,
} from '../../../fixtures/schemas/kit.ts';
import { describeHints, hintCodes } from '../../core/explain/hints.ts';
import { deliverySchema } from './records.ts';

const body = {
  body: anyText('What was sent.'),
  encoding: oneOf('base64 where the bytes are no UTF-8.', ['text', 'base64']),
  truncated: flag('Only the beginning is shown, as in lists.'),
} as const;

const headers = mapOf('By lower-case name.', { type: 'string' });

const step = object('A check, or the operation after them.', {
  name: anyText('In the order of NS-17.'),
  outcome: oneOf(
    'A fault may hold a call back or cut its answer short; the last that decided or ran gave it.',
    ['passed', 'held', 'cut', 'decided', 'ran'],
  ),
  note: anyText('What it found.'),
});

const hint = object('What a careful reader would have told the caller.', {
  code: oneOf('What it is about.', hintCodes),
  words: anyText('What is so here, and what to do instead.'),
});

const members = {
  id: anyText('Number of the call in its world, as a decimal string.'),
  request_id: anyText('As in X-Request-Id (ERR-4).'),
  at_ms: anyWhole('When it came.'),
  answered_at_ms: orNull(anyWhole('When it was answered; null while it is held, or when lost.')),
  operation: maybeText('null when nothing is there under that path and method.'),
  client_id: maybeText('The caller; null when none was recognised.'),
  client_name: maybeText('What people call that credential.'),
  request: object('The call.', {
    method: anyText('Method.'),
    target: anyText('Path and query as sent.'),
    headers,
    ...body,
  }),
  response: orNull(
    object('The answer; null while it is held, or when lost.', {
      status: anyWhole('Status.'),
      headers,
      ...body,
    }),
  ),
  reset: flag('The connection was cut instead of an answer.'),
  idempotency: orNull(
    oneOf('What became of its key.', ['first', 'replayed', 'converged', 'in_flight']),
  ),
  key: maybeText('The idempotency key after trimming.'),
  subject: maybeText('What the key stands together with (IDEM-2c).'),
  first_attempt: orNull(
    object('The request whose answer this one got.', {
      id: anyText('Its number.'),
      request_id: anyText('Its X-Request-Id, which the body keeps (IDEM-5).'),
    }),
  ),
  cites: listOf(anyText('Id of a rule or an open question.'), 'Why it was answered so.'),
  hints: listOf(
    hint,
    `Answered without complaint, and perhaps not what was meant:\n${describeHints()}`,
  ),
  steps: listOf(step, 'Every check and its outcome.'),
  allowance: orNull(
    object('The allowance of the credential after this call.', {
      per_second: anyWhole('Requests a second.'),
      left: anyWhole('Requests left.'),
    }),
  ),
  event_ids: listOf(anyText('Id of an event.'), 'The events it made.'),
  event_seqs: listOf(anyWhole('Sequence number.'), 'Their sequence numbers.'),
  fault_id: maybeText('The fault that was injected into it.'),
} as const;

export const requestSchema = object('A call of the API.', members);
export type RequestShown = ValueOf<typeof requestSchema>;

export const requestStorySchema = object('A call of the API with all that followed from it.', {
  ...members,
  reasons: listOf(
    object('A rule or open question in words.', { id: anyText('Id.'), words: anyText('Words.') }),
    'The cites in words.',
  ),
  events: listOf(
    object('An event it made.', {
      id: anyText('Event id.'),
      seq: anyWhole('Sequence number.'),
      kind: maybeText('What happened; null when it is no longer kept.'),
    }),
    'The events it made.',
  ),
  deliveries: listOf(deliverySchema, 'The deliveries of those events.'),
  fault: orNull(
    object('The fault that was injected into it.', {
      id: anyText('Its id.'),
      phase: oneOf('Whether it struck before or after it ran.', ['before', 'after']),
      effect: { type: 'object', description: 'What it did.' },
    }),
  ),
  repeats: listOf(anyText('Number of a request.'), 'Later requests that got its answer again.'),
});
export type RequestStory = ValueOf<typeof requestStorySchema>;
