// How a call of the journal looks: what was asked and answered, every check in its order, and why.
import { findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import { eventId, findEntry, findEvent, replyHeaders } from '../../host/world/world-reads.ts';
import type { RequestShown, RequestStory } from '../schemas/journal.ts';
import { viewDelivery } from './records.ts';
import { viewSteps } from './steps.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Bodies in lists are cut at this length; a single request shows them whole. */
const listedLength = 16 * 1024;

export function viewRequest(host: WorldHost, entry: JournalEntry, whole = false): RequestShown {
  const { world, behaviour } = host;
  const { reply, firstAttempt, allowance, allowanceLeft, operation } = entry;
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
      method: entry.call.method,
      target: entry.call.target,
      headers: definedHeaders(entry.call.headers),
      ...viewBytes(entry.call.body, whole),
    },
    response:
      reply === null
        ? null
        : {
            status: reply.status,
            headers: replyHeaders(reply, entry.requestId),
            ...cut(reply.body, whole),
          },
    reset: entry.reset,
    idempotency: entry.idempotency,
    key: entry.key,
    subject: entry.subject,
    first_attempt:
      firstAttempt === null
        ? null
        : { id: String(firstAttempt), request_id: behaviour.requestId(world, firstAttempt) },
    cites: entry.cites,
    steps: viewSteps(host, entry),
    allowance:
      allowance === null ? null : { per_second: allowance, left: Math.max(0, allowanceLeft ?? 0) },
    event_ids: seqsOf(entry).map((seq) => eventId(world, seq)),
    event_seqs: seqsOf(entry),
    fault_id: entry.faults.at(-1)?.id ?? null,
  };
}

/** A request with what followed from it: rules in words, events, deliveries, the fault. */
export function viewRequestStory(host: WorldHost, entry: JournalEntry): RequestStory {
  const { world } = host;
  const { eventsAfter, eventsTo, faults } = entry;
  const deliveries = [...world.deliveries.values()].filter(
    ({ seq }) => seq > eventsAfter && seq <= eventsTo,
  );
  return {
    ...viewRequest(host, entry, true),
    reasons: entry.cites.map((cite) => ({ id: cite, words: wordsOf(cite) })),
    events: seqsOf(entry).map((seq) => {
      const event = findEvent(world, seq);
      return { id: eventId(world, seq), seq, kind: event?.kind ?? null };
    }),
    deliveries: deliveries.map((delivery) => viewDelivery(host, delivery)),
    fault: faults.at(-1) ?? null,
    repeats: [...repeatsOf(host, entry)],
  };
}

const mostRepeats = 20;

/** Later requests that got this one's answer again. */
function* repeatsOf({ world }: WorldHost, entry: JournalEntry): Generator<string> {
  if (entry.idempotency !== 'first') return;
  let found = 0;
  for (let n = entry.n + 1; n <= world.journal.newest && found < mostRepeats; n += 1) {
    const other = findEntry(world.journal, n);
    if (other?.firstAttempt !== entry.n) continue;
    found += 1;
    yield String(n);
  }
}

function wordsOf(cite: string): string {
  const rule = findRule(cite as Parameters<typeof findRule>[0]) as { words: string } | undefined;
  if (rule !== undefined) return rule.words;
  const question = findQuestion(cite as Parameters<typeof findQuestion>[0]) as
    | { question: string; choice: string }
    | undefined;
  return question === undefined ? '' : `${question}: ${question.choice}`;
}

function seqsOf({ eventsAfter, eventsTo }: JournalEntry): number[] {
  return Array.from({ length: eventsTo - eventsAfter }, (_, index) => eventsAfter + 1 + index);
}

function definedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) shown[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return shown;
}

interface BodyShown {
  readonly body: string;
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
}

function viewBytes(bytes: Uint8Array, whole: boolean): BodyShown {
  const some = whole ? bytes : bytes.subarray(0, listedLength);
  const truncated = some.byteLength < bytes.byteLength;
  try {
    // A cut may fall inside a character: then only what is before it is shown.
    return { body: utf8.decode(some, { stream: truncated }), encoding: 'text', truncated };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { body: Buffer.from(some).toString('base64'), encoding: 'base64', truncated };
  } finally {
    // Forgets the half of a character that a cut left in the decoder.
    resetDecoder();
  }
}

function resetDecoder(): void {
  try {
    utf8.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

function cut(body: string, whole: boolean): BodyShown {
  const truncated = !whole && body.length > listedLength;
  return { body: truncated ? body.slice(0, listedLength) : body, encoding: 'text', truncated };
}
