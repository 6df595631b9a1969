// Rows of events: the log as the events channel numbers it, and events made by hand.

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
import { findEvent } from '../../../host/world/world-reads.ts';
import { defaultLimit, limitParameter } from '../../paging.ts';
import { answerCommand, answerText } from '../../reply.ts';
import { row } from '../../row.ts';
import { envelopeSchema } from '../../schemas/records.ts';

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
      limit: limitParameter,
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
    run: ({ host, query }) => {
      const { world, behaviour } = host;
      const { after_seq = 0, limit = defaultLimit } = query;
      const { first, lastSeq } = world.events;
      const from = Math.max(first, after_seq + 1);
      const to = Math.min(lastSeq, from + limit - 1);
      const envelopes: string[] = [];
      for (let seq = from; seq <= to; seq += 1) {
        const event = findEvent(world, seq);
        if (event !== undefined) envelopes.push(behaviour.serialize.envelope(event, world));
      }
      const next = to < lastSeq ? to : null;
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
      category: oneOf('Its category.', ['account', 'order', 'position', 'transaction']),
      'kind?': text('Such as transaction.approved; CATEGORY.custom when left out.'),
      'account_id?': id('Whom it is about.'),
      'brand_id?': id('The brand; that of the account when left out.'),
      'data?': { type: 'object', description: 'The record in the envelope; empty when left out.' },
    }),
    answer: { status: 201, words: 'The envelope.', schema: envelopeSchema },
    run: ({ host, body }) =>
      answerCommand<{ event: EventRecord }>(host.act('makeEvent', body), ({ event }) =>
        answerText(host.behaviour.serialize.envelope(event, host.world), 201),
      ),
  }),
];
