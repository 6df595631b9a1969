// Rows of the whole world: given as one document, taken back, and begun anew.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { object } from '../../../../fixtures/schemas/kit.ts';
import { restoreState, serializeState } from '../../../host/storage/world-document.ts';
import { StateError } from '../../../host/world/world-reads.ts';
import { answer, type ControlReply, problem, type TextStream } from '../../reply.ts';
import { row } from '../../row.ts';
import { clockSchema } from '../../schemas/records.ts';
import { viewClock } from '../../views/records.ts';

const documentSchema = {
  type: 'object',
  description:
    'A world with its timers, keys, buckets and suspended calls; only GET state makes one.',
} as const;

/** Others get a turn between the pieces. */
async function* withPauses(pieces: Iterable<string>): AsyncGenerator<string, undefined> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
  return undefined;
}

function pieces(body: TextStream): ControlReply {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  };
  return { status: 200, headers, body };
}

export const stateRows = [
  row({
    name: 'getState',
    method: 'GET',
    path: 'state',
    tag: 'State',
    summary: 'The whole world as one document',
    answer: { status: 200, words: 'The world as it is now.', schema: documentSchema },
    run: ({ host }) => pieces(withPauses(serializeState(host))),
  }),
  row({
    name: 'putState',
    method: 'PUT',
    path: 'state',
    tag: 'State',
    summary: 'Put a world in the place of this one',
    description:
      'Exactly as it was: timers, keys, buckets and what is held included. Calls that are held back are cut off; an advance under way ends where it is.',
    body: documentSchema,
    mostBytes: 500 * 1024 * 1024,
    answer: {
      status: 200,
      words: 'It is in place.',
      schema: object('The clock as it is now.', { clock: clockSchema }),
    },
    run: ({ host, body }) => {
      try {
        restoreState(host, body);
      } catch (error) {
        if (!(error instanceof StateError)) throw error;
        return problem(422, `The state cannot be loaded: ${error.message}.`, [
          { field: fieldOf(error.message), message: error.message },
        ]);
      }
      return answer({ clock: viewClock(host) });
    },
  }),
  row({
    name: 'resetWorld',
    method: 'POST',
    path: 'reset',
    tag: 'State',
    summary: 'Back to the starting world',
    description: 'Calls that are held back are cut off; an advance under way ends where it is.',
    answer: {
      status: 200,
      words: 'It has begun anew.',
      schema: object('The clock as it is now.', { clock: clockSchema }),
    },
    run: async ({ plane, host, worldName }) => {
      await plane.sandbox.reset(worldName);
      return answer({ clock: viewClock(host) });
    },
  }),
];

/** The messages of a state that cannot be loaded begin with the field. */
function fieldOf(message: string): string {
  return /^(world\.\S+|format|version|clock[\w.]*|world)(?= )/.exec(message)?.[0] ?? 'body';
}
