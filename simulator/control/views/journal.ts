// How a call of the journal looks: what was asked and answered, every check in its order, and why.
import { choiceWords, findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { replyHeaders } from '../../core/call.ts';
import { findEntry, type JournalEntry } from '../../core/journal.ts';
import { eventId } from '../../core/serialize.ts';
import { findEvent } from '../../core/world.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import type { RequestShown, RequestStory } from '../schemas/journal.ts';
import { hideInBody, hideInHeader, hideInTarget } from './hide-secrets.ts';
import { viewDelivery } from './records.ts';
import { viewSteps } from './steps.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Bodies in lists are cut at this length; a single request shows them whole. */
const listedLength = 16 * 1024;

/** How much of a call is shown. */
interface Shown {
  /** Bodies without a cut. */
  readonly whole?: boolean;
  /** Tokens, cookies and secrets too. */
  readonly secrets?: boolean;
}

export function viewRequest(
  host: WorldHost,
  entry: JournalEntry,
  { whole = false, secrets = false }: Shown = {},
): RequestShown {
  const { world, behaviour } = host;
  const { reply, firstCall, allowance, allowanceLeft, operation } = entry;
  const { method, target, headers, body } = entry.call;
  const hide = secrets ? same : hideInBody;
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
      ...viewBytes(body, whole, hide),
    },
    response:
      reply === null
        ? null
        : {
            status: reply.status,
            headers: replyHeaders(reply, entry.requestId),
            ...viewText(reply.body, whole, hide),
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

/** A request with what followed from it: rules in words, events, deliveries, the fault. */
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
    if (other?.firstCall !== entry.n) continue;
    found += 1;
    yield String(n);
  }
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

interface BodyShown {
  readonly body: string;
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
}

type Hide = (text: string) => string;
const same: Hide = (text) => text;

function viewBytes(bytes: Uint8Array, whole: boolean, hide: Hide): BodyShown {
  const some = whole ? bytes : bytes.subarray(0, listedLength);
  const truncated = some.byteLength < bytes.byteLength;
  try {
    // A cut may fall inside a character: then only what is before it is shown.
    const text = utf8.decode(some, { stream: truncated });
    return { body: hide(text), encoding: 'text', truncated };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // A character a byte, so that what is hidden in it changes no other byte.
    const text = hide(Buffer.from(some).toString('latin1'));
    return { body: Buffer.from(text, 'latin1').toString('base64'), encoding: 'base64', truncated };
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

function viewText(body: string, whole: boolean, hide: Hide): BodyShown {
  const truncated = !whole && body.length > listedLength;
  return {
    body: hide(truncated ? body.slice(0, listedLength) : body),
    encoding: 'text',
    truncated,
  };
}
