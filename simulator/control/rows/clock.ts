// Rows of the clock: read it, set it, let time pass.
import {
  centuryMs,
  listOf,
  maxClockMs,
  object,
  ofType,
  text,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import { type AdvanceOptions, ClockError } from '../../host/world/advance.ts';
import { clockMode, clockSchema, viewClock } from '../records.ts';
import { refuseField } from '../reply.ts';
import { row } from '../row.ts';

/** Refuses a time that the clock cannot be set to; the error names the field. */
async function orRefuse<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClockError) refuseField(field, error.message);
    throw error;
  }
}

export const clockRows = {
  getClock: row('GET', 'clock', {
    summary: 'Read the clock',
    answer: clockSchema,
    run: ({ host }) => viewClock(host),
  }),
  setClock: row('PUT', 'clock', {
    summary: 'Set the clock',
    description:
      'Lets it run or stand. With a time, everything due until then happens first. With a speed it runs so many times as fast as the wall’s: what is due comes sooner, and a delivery’s 15 s are over sooner too.',
    body: object('How it goes on.', {
      mode: clockMode,
      'now_ms?': whole('The time it goes on from; never backwards.', 0, maxClockMs),
      'speed?': {
        type: 'number',
        minimum: 0.001,
        maximum: 1_000_000,
        description: 'How many times as fast as the wall’s a real clock runs; 1 by default.',
      },
    }),
    answer: clockSchema,
    run: ({ host, body: { mode, now_ms = null, speed } }) => {
      if (mode === 'frozen' && speed !== undefined) {
        refuseField('speed', 'goes with mode real: a frozen clock stands');
      }
      return orRefuse('now_ms', async () => {
        await host.setClock(mode, now_ms, speed);
        return viewClock(host);
      });
    },
  }),
  advanceClock: row('POST', 'clock/advance', {
    summary: 'Let time pass',
    description:
      'Everything due on the way has happened when it responds, deliveries included, in the order of their times. Two advances run one after the other.',
    body: ofType<AdvanceOptions>({
      ...object('How far; exactly one of these.', {
        'by_ms?': whole('So many milliseconds.', 0, centuryMs),
        'to_ms?': whole('To this time; never backwards.', 0, maxClockMs),
        'to_next?': { type: 'boolean', enum: [true], description: 'To the next due thing.' },
      }),
      minProperties: 1,
      maxProperties: 1,
    }),
    answer: object('What happened on the way.', {
      from_ms: whole('The time it left.', 0, maxClockMs),
      to_ms: whole('The time it is.', 0, maxClockMs),
      fired: listOf(
        object('One thing that happened.', {
          at_ms: whole('When.', 0, maxClockMs),
          kind: text('settle, deliver, wake, answer, abandon, or delivery for an ended attempt.'),
          ref: text('What it concerns, by id.'),
          outcome: text('What came of it.'),
        }),
        'In order.',
      ),
    }),
    run: ({ host, body }) =>
      orRefuse('by_ms' in body ? 'by_ms' : 'to_ms', async () => {
        const report = await host.advance(body);
        const fired = report.fired.map(({ atMs, ...rest }) => ({ at_ms: atMs, ...rest }));
        return { from_ms: report.fromMs, to_ms: report.toMs, fired };
      }),
  }),
};
