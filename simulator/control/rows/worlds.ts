// Rows of whole worlds: state, reset, snapshots, and isolated worlds.
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { maxClockMs, object, whole } from '../../../fixtures/schemas/kit.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import { findWorld, parseWorld, type WorldFixture, worldNames } from '../../../fixtures/worlds.ts';
import { StartingWorldError } from '../../core/seed/start-world.ts';
import { StateError } from '../../core/state/snapshot.ts';
import { restoreState, serializeState } from '../../host/storage/world-document.ts';
import { type ClockOptions, parseClock } from '../../host/world/clock.ts';
import { firstWorldName, WorldExistsError } from '../../host/world/sandbox.ts';
import type { WorldHost, WorldSnapshot } from '../../host/world/world-host.ts';
import type { Plane } from '../plane.ts';
import {
  clockMode,
  clockSchema,
  type SnapshotShown,
  snapshotSchema,
  viewClock,
  viewLastingCredentials,
  type WorldShown,
  worldNameParameter,
  worldSchema,
} from '../records.ts';
import { found, JsonText, Refusal, refuseField, refuseInvalid } from '../reply.ts';
import { listRow, row } from '../row.ts';

const documentSchema = {
  type: 'object',
  description:
    'A world with its timers, keys, buckets and suspended calls; only GET state makes one.',
} as const;
const clockAnswer = object('The clock as it is now.', { clock: clockSchema });

/** Other requests get a turn between the pieces. */
async function* withPauses(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** The message of a StateError begins with the field. */
function fieldOf(message: string): string {
  const named = /^(world\.\S+|format|version|clock[\w.]*|world|\S+(?= is not known))(?= )/;
  return named.exec(message)?.[0] ?? 'body';
}

function viewSnapshot(name: string, { world, clock }: WorldSnapshot): SnapshotShown {
  return {
    name,
    now_ms: clock.nowMs,
    accounts: world.accounts.size,
    transactions: world.transactions.size,
    last_seq: world.events.lastSeq,
  };
}

const snapshotOf = ({ snapshots }: WorldHost, name: string): WorldSnapshot =>
  found(snapshots.get(name), `snapshot ${name}; POST snapshots takes one`);

export const stateRows = {
  getState: row('GET', 'state', {
    summary: 'Read the whole world as one document',
    answer: documentSchema,
    run: ({ host }) =>
      new JsonText(Readable.from(withPauses(serializeState(host)), { objectMode: false })),
  }),
  putState: row('PUT', 'state', {
    summary: 'Replace this world',
    description:
      'By the document, exactly as it was: timers, keys, buckets and held calls included. Calls that are held back are cut off; an advance under way ends where it is.',
    body: documentSchema,
    maxBytes: 500 * 1024 * 1024,
    answer: clockAnswer,
    run: ({ host, body }) => {
      try {
        restoreState(host, body);
      } catch (error) {
        if (!(error instanceof StateError)) throw error;
        const { message } = error;
        const errors = [{ field: fieldOf(message), message }];
        throw new Refusal(422, `The state cannot be loaded: ${message}.`, errors);
      }
      return { clock: viewClock(host) };
    },
  }),
  resetWorld: row('POST', 'reset', {
    summary: 'Reset to the starting world',
    description: 'Calls that are held back are cut off; an advance under way ends where it is.',
    answer: clockAnswer,
    run: async ({ plane, host, worldName }) => {
      await plane.sandbox.reset(worldName);
      return { clock: viewClock(host) };
    },
  }),
  listSnapshots: listRow(
    'snapshots',
    'List the snapshots of this world, the oldest first',
    snapshotSchema,
    ({ host }) => [...host.snapshots].map(([name, snapshot]) => viewSnapshot(name, snapshot)),
  ),
  createSnapshot: row('POST', 'snapshots', {
    summary: 'Take a snapshot of the world',
    description:
      'In memory, its journal included; one of the same name is replaced. Resets leave it.',
    body: object('What to call it.', { name: worldNameParameter }),
    status: 201,
    answer: snapshotSchema,
    run: ({ host, body: { name } }) => {
      const snapshot = host.takeSnapshot();
      host.snapshots.delete(name);
      host.snapshots.set(name, snapshot);
      host.notify({ kind: 'snapshots' });
      return viewSnapshot(name, snapshot);
    },
  }),
  restoreSnapshot: row('POST', 'snapshots/{name}/restore', {
    summary: 'Restore a snapshot',
    description:
      'The world as it stood, its clock included, in milliseconds; the snapshot stays. Calls that are held back are cut off; an advance under way ends where it is. New events and requests get other ids than those of before.',
    answer: clockAnswer,
    run: ({ host, params: { name } }) => {
      host.restoreSnapshot(snapshotOf(host, name));
      return { clock: viewClock(host) };
    },
  }),
  dropSnapshot: row('DELETE', 'snapshots/{name}', {
    summary: 'Drop a snapshot',
    run: ({ host, params: { name } }) => {
      snapshotOf(host, name);
      host.snapshots.delete(name);
      host.notify({ kind: 'snapshots' });
    },
  }),
};

const clockOptions = object('How its clock begins.', {
  mode: clockMode,
  'now_ms?': whole('The time it begins at; by default the wall’s.', 0, maxClockMs),
});

function readClock(value: unknown): ClockOptions {
  if (typeof value === 'string') {
    const message = `must be real, frozen or an ISO time with its zone, not "${value}"`;
    return parseClock(value) ?? refuseField('clock', message);
  }
  refuseInvalid(validate(clockOptions, value, 'body', 'clock'));
  const { mode, now_ms = null } = value as { mode: ClockOptions['mode']; now_ms?: number };
  return { mode, nowMs: now_ms };
}

function readWorld(given: unknown): WorldFixture {
  if (typeof given === 'string') {
    const names = worldNames.join(', ');
    const message = `there is no world "${given}"; there are ${names}`;
    return findWorld(given) ?? refuseField('world', message);
  }
  const { world, problems = [] } = parseWorld(given);
  refuseInvalid(problems.map(({ field, message }) => ({ field: `world.${field}`, message })));
  return world as WorldFixture;
}

function viewWorld(plane: Plane, base: string, name: string, host: WorldHost): WorldShown {
  return {
    name,
    control_url: plane.controlUrl(base, name),
    clock: viewClock(host),
    credentials: viewLastingCredentials(host),
  };
}

export const worldRows = {
  listWorlds: listRow(
    'worlds',
    'List the worlds of this process',
    worldSchema,
    ({ plane, base }) =>
      [...plane.sandbox.worlds].map(([name, host]) => viewWorld(plane, base, name, host)),
    { outer: true },
  ),
  createWorld: row('POST', 'worlds', {
    summary: 'Make an isolated world, or a copy of one',
    description:
      'Its tokens reach only it. Its control plane is under `worlds/{name}/`, with every row of this one but those of worlds.',
    outer: true,
    body: object('How it begins; every member is optional.', {
      'name?': worldNameParameter,
      'world?': {
        type: ['string', 'object'],
        maxLength: 1000,
        examples: worldNames,
        description: 'Default: that of the start. Requests may give one as JSON.',
      },
      'seed?': {
        type: ['string', 'integer'],
        maxLength: 1000,
        description: 'With the name, decides every generated id, token and secret.',
      },
      'clock?': {
        type: ['string', 'object'],
        maxLength: 1000,
        examples: clockMode.enum,
        description: 'Default: that of the start. Requests may give an ISO time or {mode, now_ms}.',
      },
      'from?': {
        ...worldNameParameter,
        description:
          'The world to copy as it is now, its clock included. The copy has its own secrets and tokens.',
      },
    }),
    maxBytes: 32 * 1024 * 1024,
    status: 201,
    answer: worldSchema,
    refusals: { 409: 'There is a world of that name.' },
    run: async ({ plane, base, body }) => {
      const { sandbox } = plane;
      const { name = sandbox.freeName(), world, seed, clock, from } = body;
      const copied = from === undefined ? undefined : sandbox.worlds.get(from);
      if (from !== undefined) {
        if (world !== undefined) refuseField('world', 'does not go with from');
        if (seed !== undefined) refuseField('seed', 'does not go with from');
        const names = [...sandbox.worlds.keys()].join(', ');
        const message = `there is no world ${from}; there are ${names}`;
        if (copied === undefined) refuseField('from', message);
      }
      const options = {
        name,
        clock: clock === undefined ? undefined : readClock(clock),
        fixture: world === undefined ? undefined : readWorld(world),
        seed: seed === undefined ? undefined : String(seed),
        from: copied?.takeSnapshot(),
      };
      try {
        return viewWorld(plane, base, name, await sandbox.addWorld(options));
      } catch (error) {
        if (error instanceof WorldExistsError) refuseField('name', error.message, 409);
        if (!(error instanceof StartingWorldError)) throw error;
        const isOwn = error.field === 'clock' || error.field.startsWith('world');
        const field = isOwn ? error.field : `world.${error.field}`;
        return refuseField(field, error.message.slice(error.field.length + 2));
      }
    },
  }),
  getWorld: row('GET', 'worlds/{name}', {
    summary: 'Read a world',
    outer: true,
    answer: worldSchema,
    run: ({ plane, base, params: { name } }) =>
      viewWorld(plane, base, name, found(plane.sandbox.worlds.get(name), `world ${name}`)),
  }),
  dropWorld: row('DELETE', 'worlds/{name}', {
    summary: 'Drop a world',
    description: 'Calls that it holds back are cut off.',
    outer: true,
    refusals: { 409: 'The first world stays.' },
    run: ({ plane, params: { name } }) => {
      if (name === firstWorldName) {
        const message = 'the first world stays to the end; POST reset begins it again';
        refuseField('name', message, 409);
      }
      found(plane.sandbox.dropWorld(name) || undefined, `world ${name}`);
    },
  }),
};
