// The worlds of one process: the first one, and isolated worlds beside it; each call is routed to
// its world by its token.

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanName } from '../../../fixtures/constants.ts';
import { decodePercent, parseJson } from '../../../fixtures/lenient.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import type { WorldFixture } from '../../../fixtures/worlds/world-fixture.ts';
import { type Behaviour, behaviourWith, conformingBehaviour } from '../../core/behaviour.ts';
import type { Call } from '../../core/call.ts';
import { forkWorld } from '../../core/commands/commands.ts';
import { Coverage } from '../../core/explain/coverage.ts';
import { StartingWorldError, seedInSlices } from '../../core/seed/start-world.ts';
import { beginIdEra } from '../../core/serialize.ts';
import { phoneTables } from '../../core/values/phone.ts';
import type { World, WorldOptions, WorldOrigin } from '../../core/world.ts';
import type { Deviation } from '../../deviations/deviation.ts';
import type { Deliverer } from '../delivery/deliverer.ts';
import { Clock, type ClockOptions } from './clock.ts';
import { type Answer, WorldHost, type WorldSnapshot } from './world-host.ts';

/** Header that names the world of a call whose token does not identify one. */
const WORLD_HEADER = 'x-sandbox-world';

export interface SandboxHostOptions {
  /** Name of the starting world, for users. */
  readonly worldName: string;
  readonly fixture: WorldFixture;
  /** Replaces it for the first world only. */
  readonly firstFixture?: WorldFixture;
  readonly seed: string;
  readonly clock: ClockOptions;
  readonly plan: PlanName;
  readonly settings?: Settings;
  readonly deviations?: readonly Deviation[];
  readonly allowLocalWebhooks?: boolean;
  /** The origin of the first world, as reported in its documents. */
  readonly begunAs?: WorldOrigin;
  readonly forwards?: readonly { readonly from: string; readonly to: string }[];
  readonly deliverer: Deliverer;
  readonly wallMs?: () => number;
}

/** How one world begins. */
export interface NewWorldOptions {
  readonly name: string;
  readonly fixture?: WorldFixture | undefined;
  readonly seed?: string | undefined;
  readonly clock?: ClockOptions | undefined;
  /** A copy of this snapshot instead of a fixture. */
  readonly from?: WorldSnapshot | undefined;
}

export const firstWorldName = 'default';

/** A world with that name already exists. */
export class WorldExistsError extends Error {
  override readonly name = 'WorldExistsError';
}

export class Sandbox {
  readonly options: SandboxHostOptions;
  readonly settings: Settings;
  readonly behaviour: Behaviour;
  readonly #wallMs: () => number;
  /** Starting worlds are always created by the conforming behaviour. */
  readonly #conforming: Behaviour;
  readonly worlds = new Map<string, WorldHost>();
  /** Called when calls over a socket have been decided, and before their answers are sent. */
  readonly beforeAnswers = new Set<() => void>();
  /** How each world began, for resets. */
  readonly #origins = new Map<string, NewWorldOptions>();
  readonly #byToken = new Map<string, WorldHost>();
  readonly #watchers = new Set<(name: string, host: WorldHost | null) => void>();
  /** Coverage of worlds that have been dropped. */
  readonly #droppedCoverage = new Coverage();
  #count = 0;

  private constructor(options: SandboxHostOptions) {
    this.options = options;
    this.#wallMs = options.wallMs ?? Date.now;
    this.settings = options.settings ?? defaultSettings;
    this.#conforming = conformingBehaviour(this.settings);
    this.behaviour = behaviourWith(this.settings, options.deviations ?? []);
  }

  static async create(options: SandboxHostOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(options);
    await sandbox.addWorld({ name: firstWorldName, fixture: options.firstFixture });
    return sandbox;
  }

  /** The first world, which always exists. */
  get first(): WorldHost {
    const host = this.worlds.get(firstWorldName);
    if (host === undefined) throw new Error('the sandbox has no first world');
    return host;
  }

  /** A name for a world created without one. */
  freeName(): string {
    do this.#count += 1;
    while (this.worlds.has(`world-${this.#count}`));
    return `world-${this.#count}`;
  }

  /**
   * Creates an isolated world; throws a StartingWorldError if its fixture is inconsistent, or a
   * WorldExistsError.
   */
  async addWorld(origin: NewWorldOptions): Promise<WorldHost> {
    const clock = this.#clockOf(origin);
    const world = await this.#begin(origin, clock.nowMs ?? this.#wallMs());
    // Checked last: another world with that name may have been created in the meantime.
    if (this.worlds.has(origin.name)) {
      throw new WorldExistsError(`there is a world ${origin.name} already`);
    }
    const host = new WorldHost({
      world,
      behaviour: this.behaviour,
      clock: new Clock(clock, this.#wallMs),
      deliverer: this.options.deliverer,
      wallMs: this.#wallMs,
      idNonce: () => this.#idNonceOf(origin),
    });
    this.worlds.set(origin.name, host);
    this.#origins.set(origin.name, origin);
    for (const watch of this.#watchers) watch(origin.name, host);
    // Attempts in flight in the copied world run here too (EVT-4).
    if (origin.from !== undefined) host.inFlight.restart(world);
    return host;
  }

  /** The initial clock of a world: as requested, like the copied world, or the default. */
  #clockOf({ clock, from }: NewWorldOptions): ClockOptions {
    if (from === undefined) return clock ?? this.options.clock;
    const { nowMs } = from.clock;
    if (clock === undefined) return from.clock;
    if (clock.nowMs !== null && clock.nowMs < nowMs) {
      const earliest = new Date(nowMs).toISOString();
      throw new StartingWorldError('clock', `must be ${earliest} or later, as there`);
    }
    return { mode: clock.mode, nowMs: clock.nowMs ?? nowMs };
  }

  /**
   * A receiver that remembers ids must never mistake a new event for a known one, even after a
   * reset. A clock frozen at a given time makes every run the same, ids included.
   */
  #idNonceOf({ clock }: NewWorldOptions): string {
    const { mode, nowMs } = clock ?? this.options.clock;
    return mode === 'frozen' && nowMs !== null ? '' : randomUUID();
  }

  async #begin(origin: NewWorldOptions, startMs: number): Promise<World> {
    if (origin.from !== undefined) {
      const fork = forkWorld(origin.from.world, origin.name);
      beginIdEra(fork, this.#idNonceOf(origin));
      return fork;
    }
    const fixture = origin.fixture ?? this.options.fixture;
    const seed = origin.seed ?? this.options.seed;
    const phones = (fixture.accounts ?? []).flatMap(({ phone }) => phone ?? []);
    if (phones.some(phoneTables.needed)) await phoneTables.load();
    const slices = seedInSlices(fixture, this.#conforming, {
      name: origin.name,
      seed,
      startMs,
      plan: this.options.plan,
      options: this.#optionsOf(origin),
      idNonce: this.#idNonceOf(origin),
      ...(await generatedPeopleOf(fixture, seed)),
    });
    const world = await runInSlices(slices);
    for (const { from, to } of this.options.forwards ?? []) world.forwards.set(from, to);
    return world;
  }

  #optionsOf({ name }: NewWorldOptions): WorldOptions {
    const { allowLocalWebhooks = false, begunAs } = this.options;
    if (begunAs === undefined || name !== firstWorldName) return { allowLocalWebhooks };
    return { allowLocalWebhooks, begun_as: begunAs };
  }

  /** Restores the beginning of this world, including its clock. */
  async reset(name: string): Promise<void> {
    const host = this.worlds.get(name);
    const origin = this.#origins.get(name);
    if (host === undefined || origin === undefined) throw new Error(`no world ${name} to reset`);
    const { nowMs, ...clock } = this.#clockOf(origin);
    const startMs = nowMs ?? this.#wallMs();
    const world = await this.#begin(origin, startMs);
    this.#forgetTokens(host);
    host.replace(world, { ...clock, nowMs: startMs });
  }

  dropWorld(name: string): boolean {
    const host = this.worlds.get(name);
    if (host === undefined || name === firstWorldName) return false;
    host.close();
    this.#droppedCoverage.add(host.coverage);
    this.worlds.delete(name);
    this.#origins.delete(name);
    this.#forgetTokens(host);
    for (const watch of this.#watchers) watch(name, null);
    return true;
  }

  /** The coverage of all worlds together, dropped worlds included. */
  coverageOfAll(): Coverage {
    const all = new Coverage();
    all.add(this.#droppedCoverage);
    for (const { coverage } of this.worlds.values()) all.add(coverage);
    return all;
  }

  clearCoverageOfAll(): void {
    this.#droppedCoverage.clear();
    for (const { coverage } of this.worlds.values()) coverage.clear();
  }

  /** Called for every created world (with its host) and dropped world (null). */
  watchWorlds(watch: (name: string, host: WorldHost | null) => void): () => void {
    this.#watchers.add(watch);
    return () => this.#watchers.delete(watch);
  }

  #forgetTokens(host: WorldHost): void {
    for (const [token, owner] of this.#byToken) if (owner === host) this.#byToken.delete(token);
  }

  /**
   * The world of a call: by its token, at the token endpoint by its client, otherwise by the header
   * X-Sandbox-World, and the first world if there is none.
   */
  hostOf(call: Call): WorldHost {
    if (this.worlds.size === 1) return this.first;
    const token = tokenOf(call);
    if (token !== null) return this.#hostOfToken(token) ?? this.#namedBy(call);
    if (!call.target.startsWith('/api/v1/oauth/token')) return this.#namedBy(call);
    const client = clientOf(call);
    const secretIn = ({ world }: WorldHost) => world.credentials.get(client.id)?.client_secret;
    const known = [...this.worlds.values()].filter((host) => secretIn(host) !== undefined);
    // Similar worlds have the same client ids: the secret distinguishes them.
    const right = known.find((host) => secretIn(host) === client.secret);
    // AUTH-3b: a wrong secret counts against the client's budget if only one world has that client.
    const only = known.length === 1 ? known[0] : undefined;
    return right ?? only ?? this.#namedBy(call);
  }

  #namedBy({ headers }: Call): WorldHost {
    const name = headers[WORLD_HEADER];
    return (typeof name === 'string' ? this.worlds.get(name) : undefined) ?? this.first;
  }

  #hostOfToken(token: string): WorldHost | undefined {
    const known = this.#byToken.get(token);
    if (known?.world.tokens.has(token)) return known;
    for (const host of this.worlds.values()) {
      if (!host.world.tokens.has(token)) continue;
      this.#byToken.set(token, host);
      return host;
    }
    return undefined;
  }

  call(call: Call, answered: (answer: Answer) => void): WorldHost {
    const host = this.hostOf(call);
    host.call(call, answered);
    return host;
  }

  async close(): Promise<void> {
    for (const host of this.worlds.values()) host.close();
    await this.options.deliverer.close();
  }
}

/** The generator is loaded only if generated people are requested. */
async function generatedPeopleOf(fixture: WorldFixture, seed: string) {
  if (fixture.generate === undefined) return {};
  const { generatePeople } = await import('./generate-people.ts');
  return { madeUp: await generatePeople(fixture.generate, fixture, seed) };
}

/** Other worlds are still served while a large world starts. */
async function runInSlices<T>(slices: Generator<void, T>): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await nextTurn();
  }
}

/** The token of a call, only as far as needed to find its world. */
function tokenOf({ headers, target }: Call): string | null {
  const header = headers.authorization;
  const found = typeof header === 'string' ? /^bearer +(\S+)/i.exec(header)?.[1] : undefined;
  if (found !== undefined) return found;
  const mark = target.indexOf('access_token=');
  return mark < 0 ? null : decodeLoosely(target.slice(mark + 13).split('&')[0] ?? '');
}

const decodeLoosely = (text: string) => decodePercent(text) ?? text;

/** The client of a token request, only as far as needed to find its world. */
function clientOf({ headers, body }: Call): { readonly id: string; readonly secret: string } {
  const basic = /^basic +(\S+)/i.exec(String(headers.authorization ?? ''))?.[1];
  if (basic !== undefined) {
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':');
    return { id: decodeLoosely(id), secret: decodeLoosely(secret) };
  }
  const text = Buffer.from(body).toString();
  if (!text.trimStart().startsWith('{')) {
    const form = new URLSearchParams(text);
    return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
  }
  const json = parseJson(text) as { client_id?: unknown; client_secret?: unknown } | undefined;
  return { id: String(json?.client_id), secret: String(json?.client_secret) };
}
