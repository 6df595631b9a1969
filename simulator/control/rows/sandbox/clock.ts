// Rows of the clock: what it shows, how it is set, and how time is let pass.

import {
  centuryMs,
  listOf,
  maxClockMs,
  object,
  oneOf,
  text,
  whole,
} from '../../../../fixtures/schemas/kit.ts';
import { ClockError } from '../../../host/world/advance.ts';
import { answer, type ControlReply, refuseField } from '../../reply.ts';
import { row } from '../../row.ts';
import { clockSchema } from '../../schemas/records.ts';
import { viewClock } from '../../views/records.ts';

const happened = object('One thing that happened on the way.', {
  at_ms: whole('When.', 0, maxClockMs),
  kind: text('settle, deliver, wake, answer, abandon, or delivery for an attempt that ended.'),
  ref: text('What it concerns, by id.'),
  outcome: text('What came of it.'),
});

const advance = {
  ...object('How far; exactly one of these.', {
    'by_ms?': whole('So many milliseconds.', 0, centuryMs),
    'to_ms?': whole('To this time; never backwards.', 0, maxClockMs),
    'to_next?': { type: 'boolean', enum: [true], description: 'To the next thing that is due.' },
  }),
  minProperties: 1,
  maxProperties: 1,
} as const;

/** Refuses a time that the clock cannot go to, under the field that names it. */
async function unlessPast(field: string, work: () => Promise<ControlReply>): Promise<ControlReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClockError) return refuseField(field, error.message);
    throw error;
  }
}

export const clockRows = [
  row({
    name: 'getClock',
    method: 'GET',
    path: 'clock',
    tag: 'Clock',
    summary: 'The clock',
    answer: { status: 200, words: 'The clock.', schema: clockSchema },
    run: ({ host }) => answer(viewClock(host)),
  }),
  row({
    name: 'setClock',
    method: 'PUT',
    path: 'clock',
    tag: 'Clock',
    summary: 'Set the clock',
    description:
      'Lets it run or stand. With a time, everything due until then happens first. With a speed it runs so many times as fast as the wall’s: what is due comes sooner, and a delivery’s 15 s are over sooner too.',
    body: object('How it goes on.', {
      mode: oneOf('A frozen clock stands until it is advanced.', ['real', 'frozen']),
      'now_ms?': whole('The time it goes on from; never backwards.', 0, maxClockMs),
      'speed?': {
        type: 'number',
        minimum: 0.001,
        maximum: 1_000_000,
        description: 'How many times as fast as the wall’s a real clock runs; 1 when left out.',
      },
    }),
    answer: { status: 200, words: 'The clock as it is now.', schema: clockSchema },
    run: ({ host, body: { mode, now_ms, speed } }) => {
      if (mode === 'frozen' && speed !== undefined) {
        return refuseField('speed', 'goes with mode real: a frozen clock stands');
      }
      return unlessPast('now_ms', async () => {
        await host.setClock(mode, now_ms ?? null, speed);
        return answer(viewClock(host));
      });
    },
  }),
  row({
    name: 'advanceClock',
    method: 'POST',
    path: 'clock/advance',
    tag: 'Clock',
    summary: 'Let time pass',
    description:
      'Everything due on the way has happened when it answers, deliveries included, in the order of their times. Two at once go one after the other.',
    body: advance,
    answer: {
      status: 200,
      words: 'What happened on the way.',
      schema: object('What happened on the way.', {
        from_ms: whole('The time it left.', 0, maxClockMs),
        to_ms: whole('The time it is.', 0, maxClockMs),
        fired: listOf(happened, 'In order.'),
      }),
    },
    run: ({ host, body }) => {
      const { by_ms, to_ms } = body;
      const field = by_ms === undefined ? 'to_ms' : 'by_ms';
      const options =
        by_ms !== undefined
          ? { by_ms }
          : to_ms !== undefined
            ? { to_ms }
            : { to_next: true as const };
      return unlessPast(field, async () => {
        const { fromMs, toMs, fired } = await host.advance(options);
        return answer({
          from_ms: fromMs,
          to_ms: toMs,
          fired: fired.map(({ atMs, kind, ref, outcome }) => ({ at_ms: atMs, kind, ref, outcome })),
        });
      });
    },
  }),
];
