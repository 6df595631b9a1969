// The calls of the journal as the control plane shows them: request and response, every check in
// order, and the reasons.

import { choiceWords, findQuestion } from '../../fixtures/questions.ts';
import { findRule } from '../../fixtures/rules.ts';
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
} from '../../fixtures/schemas/kit.ts';
import { type Reply, replyHeaders } from '../core/call.ts';
import { describeHints, hintCodes } from '../core/explain/hints.ts';
import {
  findEntry,
  type InjectedFault,
  idempotencyOutcomes,
  type JournalEntry,
} from '../core/journal.ts';
import { eventId } from '../core/serialize.ts';
import { findEvent } from '../core/world.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { hideInBody, hideInHeader, hideInTarget } from './hide-secrets.ts';
import { deliverySchema, viewDelivery } from './records.ts';

const body = {
  body: anyText('What was sent.'),
  encoding: oneOf('base64 where the bytes are no UTF-8.', ['text', 'base64']),
  truncated: flag('Only the beginning is shown, as in lists.'),
} as const;

const headers = mapOf('By lower-case name.', { type: 'string' });

const step = object('A check, or the operation after them.', {
  name: anyText('In the order of NS-17.'),
  outcome: oneOf(
    'A fault may hold a call back or cut its response short; the last that decided or ran gave it.',
    ['passed', 'held', 'cut', 'decided', 'ran'],
  ),
  note: anyText('What it found.'),
});

type Step = ValueOf<typeof step>;

const hint = object('What a careful reader would have told the caller.', {
  code: oneOf('What it is about.', hintCodes),
  words: anyText('What is so here, and what to do instead.'),
});

const members = {
  id: anyText('Number of the call in its world, as a decimal string.'),
  request_id: anyText('As in X-Request-Id (ERR-4).'),
  at_ms: anyWhole('When it came.'),
  answered_at_ms: orNull(anyWhole('When it was sent; null while it is held, or when lost.')),
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
    object('The response; null while it is held, or when lost.', {
      status: anyWhole('Status.'),
      headers,
      ...body,
    }),
  ),
  reset: flag('The connection was cut instead of a response.'),
  idempotency: orNull(oneOf('What became of its key.', idempotencyOutcomes)),
  key: maybeText('The idempotency key after trimming.'),
  subject: maybeText('What the key stands together with (IDEM-2c).'),
  first_attempt: orNull(
    object('The request whose response this one got.', {
      id: anyText('Its number.'),
      request_id: anyText('Its X-Request-Id, which the body keeps (IDEM-5).'),
    }),
  ),
  cites: listOf(anyText('Id of a rule or an open question.'), 'Why it got this response.'),
  hints: listOf(hint, `Likely mistakes in the request:\n${describeHints()}`),
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
  repeats: listOf(anyText('Number of a request.'), 'Later requests that got its response again.'),
});
export type RequestStory = ValueOf<typeof requestStorySchema>;

/** Bodies in lists are cut at this length; a single request shows them whole. */
const listedLength = 16 * 1024;

/** How much of a call is shown. */
interface ViewOptions {
  /** Bodies without a cut. */
  readonly whole?: boolean;
  /** Tokens, cookies and secrets too. */
  readonly secrets?: boolean;
}

export function viewRequest(
  host: WorldHost,
  entry: JournalEntry,
  { whole = false, secrets = false }: ViewOptions = {},
): RequestShown {
  const { world, behaviour } = host;
  const { reply, firstCall, allowance, allowanceLeft, operation } = entry;
  const { method, target, headers, body } = entry.call;
  const hide = secrets ? (text: string) => text : hideInBody;
  const credential = entry.clientId === null ? undefined : world.credentials.get(entry.clientId);
  return {
    id: String(entry.n),
    request_id: entry.requestId,
    at_ms: entry.atMs,
    answered_at_ms: entry.answeredAtMs,
    operation,
    client_id: entry.clientId,
    client_name: credential?.name ?? null,
    request: {
      method,
      target: secrets ? target : hideInTarget(target),
      headers: viewHeaders(headers, secrets),
      ...viewBody(body, whole, hide),
    },
    response:
      reply === null
        ? null
        : {
            status: reply.status,
            headers: replyHeaders(reply, entry.requestId),
            ...viewBody(Buffer.from(reply.body), whole, hide),
          },
    reset: entry.reset,
    idempotency: entry.idempotency,
    key: entry.key,
    subject: entry.subject,
    first_attempt:
      firstCall === null
        ? null
        : { id: String(firstCall), request_id: behaviour.requestId(world, firstCall) },
    cites: entry.cites,
    hints: entry.hints,
    steps: viewSteps(host, entry),
    allowance:
      allowance === null ? null : { per_second: allowance, left: Math.max(0, allowanceLeft ?? 0) },
    event_ids: seqsOf(entry).map((seq) => eventId(world, seq)),
    event_seqs: seqsOf(entry),
    fault_id: entry.faults.at(-1)?.id ?? null,
  };
}

/** A request with its consequences: rules in words, events, deliveries, the fault. */
export function viewRequestStory(
  host: WorldHost,
  entry: JournalEntry,
  secrets: boolean,
): RequestStory {
  const { world } = host;
  const { eventsAfter, eventsTo, faults } = entry;
  const deliveries = [...world.deliveries.values()].filter(
    ({ seq }) => seq > eventsAfter && seq <= eventsTo,
  );
  return {
    ...viewRequest(host, entry, { whole: true, secrets }),
    reasons: entry.cites.map((cite) => ({ id: cite, words: wordsOf(host, cite) })),
    events: seqsOf(entry).map((seq) => {
      const event = findEvent(world, seq);
      return { id: eventId(world, seq), seq, kind: event?.kind ?? null };
    }),
    deliveries: deliveries.map((delivery) => viewDelivery(host, delivery)),
    fault: faults.at(-1) ?? null,
    repeats: repeatsOf(host, entry),
  };
}

/** The entries with a greater number, oldest first. */
export function* entriesAfter(
  { world: { journal } }: WorldHost,
  after: number,
): Generator<JournalEntry> {
  for (let n = Math.max(journal.oldest, after + 1); n <= journal.newest; n += 1) {
    const entry = findEntry(journal, n);
    if (entry !== undefined) yield entry;
  }
}

const maxRepeats = 20;

/** Later requests that got the same response replayed. */
function repeatsOf(host: WorldHost, entry: JournalEntry): string[] {
  const repeats: string[] = [];
  if (entry.idempotency !== 'first') return repeats;
  for (const { n, firstCall } of entriesAfter(host, entry.n)) {
    if (firstCall === entry.n) repeats.push(String(n));
    if (repeats.length === maxRepeats) break;
  }
  return repeats;
}

function wordsOf({ behaviour: { settings } }: WorldHost, cite: string): string {
  const rule = findRule(cite);
  if (rule !== undefined) return rule.words;
  const open = findQuestion(cite);
  if (open === undefined) return '';
  return `${open.question} ${choiceWords(open, settings)}`;
}

function seqsOf({ eventsAfter, eventsTo }: JournalEntry): number[] {
  return Array.from({ length: eventsTo - eventsAfter }, (_, index) => eventsAfter + 1 + index);
}

function viewHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secrets: boolean,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    shown[name] = secrets ? text : hideInHeader(name, text);
  }
  return shown;
}

function viewBody(bytes: Uint8Array, whole: boolean, hide: (text: string) => string) {
  const some = whole ? bytes : bytes.subarray(0, listedLength);
  const truncated = some.byteLength < bytes.byteLength;
  try {
    // A cut may fall inside a character: then the incomplete character is dropped.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(some, { stream: truncated });
    return { body: hide(text), encoding: 'text', truncated } as const;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // One character per byte, so that hiding text changes no other byte.
    const text = hide(Buffer.from(some).toString('latin1'));
    const base64 = Buffer.from(text, 'latin1').toString('base64');
    return { body: base64, encoding: 'base64', truncated } as const;
  }
}

/** In the order of NS-17, with faults in the places where they applied. */
function viewSteps(host: WorldHost, entry: JournalEntry): readonly Step[] {
  const { faults, decidedBy } = entry;
  const all = [...host.behaviour.stages.map(({ name }) => name), 'operation'];
  const names = all.slice(0, decidedBy === null ? -1 : all.indexOf(decidedBy) + 1);
  const hasRun = decidedBy === 'operation';
  const isDecidedByFault = faults.some((fault) => decides(entry, fault));
  // A call that a fault stops before it runs has passed every stage, unless it is a repeat.
  const isReplay = names.at(-1) === 'replay' && entry.idempotency === 'replayed';
  const isDecidedByStage = !hasRun && !isDecidedByFault && (faults.length === 0 || isReplay);
  const steps = names.map((name, index): Step => {
    if (name === 'operation') {
      const note = isDecidedByFault ? entry.operation : `${entry.operation}: ${outcomeOf(entry)}`;
      return { name, outcome: 'ran', note: note ?? '' };
    }
    return isDecidedByStage && index === names.length - 1
      ? { name, outcome: 'decided', note: outcomeOf(entry) }
      : { name, outcome: 'passed', note: noteOf(host, entry, name) };
  });
  const before = faults.filter(({ phase }) => hasRun && phase === 'before');
  const after = faults.filter((fault) => !before.includes(fault));
  const at = hasRun ? names.length - 1 : names.length;
  return [
    ...steps.slice(0, at),
    ...before.map((fault) => faultStep(entry, fault)),
    ...steps.slice(at),
    ...after.map((fault) => faultStep(entry, fault)),
  ];
}

/** A delay or a reset does not decide a call, unless the call was abandoned. */
function decides(entry: JournalEntry, { phase, effect: { kind } }: InjectedFault): boolean {
  if (kind === 'slow_body' || kind === 'truncate') return false;
  if (kind !== 'delay') return true;
  const isGivenUp = phase === 'before' && entry.reply !== null && entry.decidedBy !== 'operation';
  return isGivenUp && entry.idempotency !== 'replayed';
}

function faultStep(entry: JournalEntry, fault: InjectedFault): Step {
  const { kind } = fault.effect;
  const isDecisive = decides(entry, fault);
  const end = isDecisive && kind === 'delay' ? `, then ${answerOf(entry)}` : '';
  return {
    name: 'fault',
    outcome: isDecisive ? 'decided' : kind === 'truncate' ? 'cut' : 'held',
    note: `${faultWords(fault)}${end}`,
  };
}

/** `fault 7: responded 503 before it ran`. */
export function faultWords({ id, phase, effect }: InjectedFault): string {
  const { status, code, ms, bytes } = effect as Readonly<Record<string, unknown>>;
  const words: Readonly<Record<string, string>> = {
    status: `responded ${status} ${phase} it ran`,
    refuse: `refused with ${code}`,
    delay: `held for ${ms} ms ${phase} it ran`,
    hang: `held ${phase} it ran`,
    reset: `connection cut ${phase} it ran`,
    truncate: `body cut after ${bytes} bytes`,
    slow_body: `body sent over ${ms} ms`,
  };
  return `fault ${id}: ${words[effect.kind]}`;
}

function outcomeOf(entry: JournalEntry): string {
  const { reply, firstCall, idempotency } = entry;
  if (reply === null || idempotency !== 'replayed') return answerOf(entry);
  return `${reply.status}, the response to request ${firstCall}`;
}

function answerOf({ reply, reset }: JournalEntry): string {
  if (reply === null) return reset ? 'the connection was cut' : 'no response yet';
  const detail = detailOf(reply);
  return detail === '' ? String(reply.status) : `${reply.status}: ${detail}`;
}

function detailOf({ contentType, body }: Reply): string {
  if (contentType === 'text/plain') return body.trim();
  if (contentType !== 'application/problem+json') return '';
  const { detail } = JSON.parse(body) as { detail?: unknown };
  return typeof detail === 'string' ? detail : '';
}

function noteOf({ world }: WorldHost, entry: JournalEntry, step: string): string {
  switch (step) {
    case 'route':
      return entry.operation ?? '';
    case 'key':
      return entry.key === null ? 'none is needed' : entry.key;
    case 'token':
      return entry.clientId === null
        ? 'none is needed'
        : (world.credentials.get(entry.clientId)?.name ?? entry.clientId);
    case 'rate':
      return entry.allowance === null
        ? 'not metered here'
        : `${entry.allowanceLeft} of ${entry.allowance} left`;
    case 'readable':
      return `${entry.call.body.byteLength} bytes`;
    case 'replay':
      return entry.subject === null ? 'nothing to repeat' : `subject ${entry.subject}`;
    default:
      return '';
  }
}
