// Rows of events: the log as the events channel numbers it, and events made by hand.

import { eventCategories } from '../../../../fixtures/event-kinds.ts';
import {
  id,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  whole,
} from '../../../../fixtures/schemas/kit.ts';
import type { EventRecord } from '../../../core/records.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { findEvent } from '../../../host/world/world-reads.ts';
import { defaultLimit, limitParameter, mostLooked } from '../../paging.ts';
import { answerCommand, answerText } from '../../reply.ts';
import { row } from '../../row.ts';
import { envelopeSchema } from '../../schemas/records.ts';
import { readWhenThere, waitParameter } from '../../wait-for-page.ts';

interface Asked {
  readonly after_seq?: number;
  readonly kind?: string;
  readonly account_id?: string;
  readonly limit?: number;
}

function isMatch({ kind, account_id: accountId }: EventRecord, asked: Asked): boolean {
  if (asked.kind !== undefined && asked.kind !== kind) return false;
  return asked.account_id === undefined || asked.account_id === accountId;
}

interface EventPage {
  readonly envelopes: readonly string[];
  readonly next: number | null;
  readonly lastSeq: number;
}

function readPage({ world, behaviour }: WorldHost, asked: Asked): EventPage {
  const { after_seq = 0, limit = defaultLimit } = asked;
  const { first, lastSeq } = world.events;
  const envelopes: string[] = [];
  let seq = Math.max(first, after_seq + 1);
  const end = Math.min(lastSeq, seq + mostLooked);
  for (; seq <= end && envelopes.length < limit; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined && isMatch(event, asked)) {
      envelopes.push(behaviour.serialize.envelope(event, world));
    }
  }
  return { envelopes, next: seq <= lastSeq ? seq - 1 : null, lastSeq };
}

export const eventRows = [
  row({
    name: 'listEvents',
    method: 'GET',
    path: 'events',
    tag: 'Events',
    summary: 'The events',
    description: 'Envelopes by ascending sequence number; seven days are kept (EVT-10b).',
    query: {
      after_seq: whole('Those with a greater sequence number.', 0, 1e15),
      kind: text('Of one kind, such as transaction.approved.'),
      account_id: id('About one account.'),
      limit: limitParameter,
      wait_ms: waitParameter,
    },
    answer: {
      status: 200,
      words: 'Envelopes.',
      schema: object('A page of them.', {
        events: listOf(envelopeSchema, 'In sequence.'),
        next_after_seq: orNull(whole('For the next page; null on the last one.', 0, 1e15)),
        last_seq: whole('The newest sequence number there is.', 0, 1e15),
      }),
    },
    run: async (context) => {
      const { envelopes, next, lastSeq } = await readWhenThere(context, {
        read: () => readPage(context.host, context.query),
        isEmpty: (page) => page.envelopes.length === 0 && page.next === null,
        after: ['event'],
      });
      return answerText(
        `{"events":[${envelopes.join(',')}],"next_after_seq":${next},"last_seq":${lastSeq}}`,
      );
    },
  }),
  row({
    name: 'createEvent',
    method: 'POST',
    path: 'events',
    tag: 'Events',
    summary: 'Make an event',
    description: 'It gets the next sequence number and is delivered like any other (EVT-2a).',
    body: object('What happened.', {
      category: oneOf('Its category.', [...eventCategories]),
      'kind?': text('Such as transaction.approved; CATEGORY.custom when left out.'),
      'account_id?': id('Whom it is about.'),
      'brand_id?': id('The brand; that of the account when left out.'),
      'data?': { type: 'object', description: 'The record in the envelope; empty when left out.' },
    }),
    answer: { status: 201, words: 'The envelope.', schema: envelopeSchema },
    run: ({ host, body }) =>
      answerCommand<{ event: EventRecord }>(host.execute('makeEvent', body), ({ event }) =>
        answerText(host.behaviour.serialize.envelope(event, host.world), 201),
      ),
  }),
];
