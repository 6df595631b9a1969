// The events channel: how it is opened, where a reader starts, its next events, and when it is
// closed.
import type { Behaviour } from '../behaviour.ts';
import { type Call, type Decision, noFacts } from '../call.ts';
import { invalid, RequestContext, refuseUnnamed } from '../pipeline/request-context.ts';
import { tokenText } from '../pipeline/stages.ts';
import type { Credential } from '../records.ts';
import { findEvent, indexSince, type World } from '../world.ts';

/** The end of a channel: a close code of WebSocket with a reason of at most 123 bytes. */
export interface ChannelEnd {
  readonly code: number;
  readonly reason: string;
}

export interface ChannelPage {
  readonly envelopes: readonly string[];
  /** There are more events to look at. */
  readonly more: boolean;
}

/** The most events checked for one page, sent or not. It bounds the time that other work waits. */
const lookedAtOnce = 1000;
const shownAtOnce = 200;

/** The codes 4000 to 4999 are for applications; the last three digits are those of HTTP. */
export const closeCodes = { unauthorized: 4401, beyondWindow: 4410, tooSlow: 4408 } as const;

/**
 * Reads the channel for a call that was answered with 101: returns the next page whenever it is
 * called, or why there are no more.
 */
export function channelReader(world: World, behaviour: Behaviour, call: Call) {
  const context = new RequestContext(world, behaviour, call, noFacts, 0);
  context.operation = 'streamEvents';
  const token = tokenText(context) ?? '';
  const afterSeq = context.query.get('after_seq');
  // Without `after_seq` the channel starts with the next new event.
  let nextSeq = (afterSeq === null ? world.events.lastSeq : Number(afterSeq)) + 1;
  return (nowMs: number): ChannelPage | ChannelEnd => {
    const credential = findReaderOf(world, token, nowMs);
    if (credential === null) {
      return { code: closeCodes.unauthorized, reason: 'The access token is no longer valid.' };
    }
    const { lastSeq } = world.events;
    const { historyEvent } = world.counters;
    // Sequence number of the first event that is not too old.
    const oldest =
      world.events.first + indexSince(world.events, nowMs - behaviour.delivery.replayWindowMs);
    // EVT-10b: a gap is always reported. History from before the world began was never sent to a
    // reader, so skipping it is not a gap.
    if (Math.max(nextSeq, historyEvent + 1) < oldest) {
      const reason = 'What came next is older than the replay window: use the bulk reads.';
      return { code: closeCodes.beyondWindow, reason };
    }
    const envelopes: string[] = [];
    let seq = Math.max(nextSeq, oldest);
    const until = Math.min(lastSeq, seq + lookedAtOnce - 1);
    for (; seq <= until && envelopes.length < shownAtOnce; seq += 1) {
      const event = findEvent(world, seq);
      if (event !== undefined && behaviour.reach.event(credential, event)) {
        envelopes.push(behaviour.serialize.envelope(event, world));
      }
    }
    nextSeq = seq;
    return { envelopes, more: seq <= lastSeq };
  };
}

/** AUTH-1: valid as long as its token is, by the sandbox's clock. */
function findReaderOf(world: World, text: string, nowMs: number): Credential | null {
  const token = world.tokens.get(text);
  if (token === undefined) return null;
  if (token.expires_at_ms !== null && token.expires_at_ms <= nowMs) return null;
  return world.credentials.get(token.client_id) ?? null;
}

export function streamEvents(context: RequestContext): Decision {
  if (context.call.upgrade !== true) {
    // NS-12: a request without an upgrade gets an explanation.
    const detail = 'The events channel is a WebSocket. Connect to it with a WebSocket client.';
    const problem = { status: 426, title: 'Upgrade required', code: 'upgrade_required', detail };
    const headers = { upgrade: 'websocket', connection: 'Upgrade' };
    return refuseUnnamed(context, problem, ['NS-12'], headers);
  }
  const text = context.query.get('after_seq');
  if (text !== null && !/^\d{1,15}$/.test(text)) {
    const detail = 'after_seq must be the sequence number of an event, or 0.';
    return invalid(context, 'after_seq', detail, 'EVT-10b', 'NS-12');
  }
  // NS-12: a later number belongs to another world, and later events here would look like earlier
  // ones.
  if (text !== null && Number(text) > context.world.events.lastSeq) {
    const detail = `after_seq is ${text}, and no event is as late. Is the number from another world?`;
    return invalid(context, 'after_seq', detail, 'EVT-10b', 'NS-12');
  }
  const reply = { status: 101, contentType: null, body: '' };
  return { reply, changes: [], cites: ['EVT-10b', 'NS-12'] };
}
