// Rows of worlds: isolated ones in the same process, made and dropped in milliseconds.

import { maxClockMs, object, oneOf, whole } from '../../../../fixtures/schemas/kit.ts';
import { validate } from '../../../../fixtures/schemas/validate.ts';
import { findStartingWorld } from '../../../host/world/find-starting-world.ts';
import { parseClock } from '../../../host/world/parse-clock.ts';
import {
  type ClockOptions,
  firstWorldName,
  type Sandbox,
  WorldExistsError,
} from '../../../host/world/sandbox.ts';
import { takeSnapshot, type WorldSnapshot } from '../../../host/world/snapshots.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { StartingWorldError } from '../../../host/world/world-reads.ts';
import { wholeListSchema } from '../../paging.ts';
import type { Plane } from '../../plane.ts';
import { answer, invalidFields, notFound, nothing, refuseField } from '../../reply.ts';
import { row } from '../../row.ts';
import { type WorldShown, worldSchema } from '../../schemas/records.ts';
import { viewClock, viewLastingCredentials } from '../../views/records.ts';

const clockOptions = object('How its clock begins.', {
  mode: oneOf('A frozen clock stands until it is advanced.', ['real', 'frozen']),
  'now_ms?': whole('The time it begins at; the wall’s when left out.', 0, maxClockMs),
});

/** What worlds and snapshots are called. */
export const worldNameSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  description: 'Up to 64 letters, digits, dots, hyphens and underscores.',
} as const;

function viewWorld(plane: Plane, base: string, name: string, host: WorldHost): WorldShown {
  return {
    name,
    control_url: plane.controlUrl(base, name),
    clock: viewClock(host),
    credentials: viewLastingCredentials(host),
  };
}

type ReadClock =
  | { readonly clock: ClockOptions }
  | { readonly wrong: ReturnType<typeof invalidFields> };

function readClock(given: string | Readonly<Record<string, unknown>>): ReadClock {
  if (typeof given === 'string') {
    const clock = parseClock(given);
    if (clock !== null) return { clock };
    const message = `must be real, frozen or an ISO time with its zone, not "${given}"`;
    return { wrong: refuseField('clock', message) };
  }
  const problems = validate(clockOptions, given, 'body', 'clock');
  if (problems.length > 0) return { wrong: invalidFields(problems) };
  const { mode, now_ms } = given as { mode: 'real' | 'frozen'; now_ms?: number };
  return { clock: { mode, nowMs: now_ms ?? null } };
}

interface CopyOptions {
  readonly from?: string;
  readonly world?: unknown;
  readonly seed?: unknown;
}

type FoundCopy =
  | { readonly from: WorldSnapshot | undefined }
  | { readonly wrong: ReturnType<typeof refuseField> };

/** The world to copy, as it is at this moment. */
function findCopied({ worlds }: Sandbox, { from, world, seed }: CopyOptions): FoundCopy {
  if (from === undefined) return { from: undefined };
  for (const [field, value] of Object.entries({ world, seed })) {
    if (value !== undefined) return { wrong: refuseField(field, 'does not go with from') };
  }
  const host = worlds.get(from);
  if (host !== undefined) return { from: takeSnapshot(host) };
  const names = [...worlds.keys()].join(', ');
  return { wrong: refuseField('from', `there is no world ${from}; there are ${names}`) };
}

export const worldRows = [
  row({
    name: 'listWorlds',
    method: 'GET',
    path: 'worlds',
    tag: 'Worlds',
    summary: 'The worlds of this process',
    outer: true,
    answer: { status: 200, words: 'All of them.', schema: wholeListSchema('worlds', worldSchema) },
    run: ({ plane, base }) => {
      const worlds = [...plane.sandbox.worlds];
      return answer({ worlds: worlds.map(([name, host]) => viewWorld(plane, base, name, host)) });
    },
  }),
  row({
    name: 'createWorld',
    method: 'POST',
    path: 'worlds',
    tag: 'Worlds',
    summary: 'Make an isolated world, or a copy of one',
    description:
      'Its tokens reach only it. Its control plane is under `worlds/{name}/`, with every row of this one but those of worlds.',
    outer: true,
    body: object('How it begins; all of it may be left out.', {
      'name?': worldNameSchema,
      'world?': {
        type: ['string', 'object'],
        maxLength: 1000,
        description: 'A world that comes with the sandbox, or one written out; that of the start.',
      },
      'seed?': {
        type: ['string', 'integer'],
        maxLength: 1000,
        description: 'With the name, decides every generated id, token and secret.',
      },
      'clock?': {
        type: ['string', 'object'],
        maxLength: 1000,
        description: 'real, frozen, an ISO time, or {mode, now_ms}; that of the start.',
      },
      'from?': {
        ...worldNameSchema,
        description:
          'A copy of this world as it stands, clock included, with secrets and tokens of its own.',
      },
    }),
    mostBytes: 32 * 1024 * 1024,
    answer: { status: 201, words: 'The world.', schema: worldSchema },
    refusals: { 409: 'There is a world of that name.' },
    run: async ({ plane, base, body }) => {
      const { sandbox } = plane;
      const copied = findCopied(sandbox, body);
      if ('wrong' in copied) return copied.wrong;
      const read = body.clock === undefined ? { clock: undefined } : readClock(body.clock);
      if ('wrong' in read) return read.wrong;
      try {
        const name = body.name ?? sandbox.freeName();
        const fixture = body.world === undefined ? undefined : findStartingWorld(body.world);
        const seed = body.seed === undefined ? undefined : String(body.seed);
        const { from } = copied;
        const host = await sandbox.addWorld({ name, fixture, seed, clock: read.clock, from });
        return answer(viewWorld(plane, base, name, host), 201);
      } catch (error) {
        if (error instanceof WorldExistsError) return refuseField('name', error.message, 409);
        if (!(error instanceof StartingWorldError)) throw error;
        const isOwn = error.field === 'clock' || error.field.startsWith('world');
        const field = isOwn ? error.field : `world.${error.field}`;
        return refuseField(field, error.message.slice(error.field.length + 2));
      }
    },
  }),
  row({
    name: 'getWorld',
    method: 'GET',
    path: 'worlds/{name}',
    tag: 'Worlds',
    summary: 'A world',
    outer: true,
    answer: { status: 200, words: 'The world.', schema: worldSchema },
    run: ({ plane, base, params }) => {
      const name = params.name ?? '';
      const host = plane.sandbox.worlds.get(name);
      return host === undefined
        ? notFound(`There is no world ${name}.`)
        : answer(viewWorld(plane, base, name, host));
    },
  }),
  row({
    name: 'dropWorld',
    method: 'DELETE',
    path: 'worlds/{name}',
    tag: 'Worlds',
    summary: 'Drop a world',
    description: 'Calls that it holds back are cut off.',
    outer: true,
    answer: { status: 204, words: 'It is gone.' },
    refusals: { 409: 'The first world stays.' },
    run: ({ plane, params }) => {
      const name = params.name ?? '';
      if (name === firstWorldName) {
        return refuseField(
          'name',
          'the first world stays to the end; POST reset begins it anew',
          409,
        );
      }
      return plane.sandbox.dropWorld(name) ? nothing : notFound(`There is no world ${name}.`);
    },
  }),
];
