// The worlds of one process: the first one, and the isolated ones made beside it; each call finds
// its own by its token.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defaultSettings, type Settings } from '../../fixtures/settings.ts';
import type { GenerateFixture, WorldFixture } from '../../fixtures/worlds/fixture.ts';
import type { Behaviour } from '../core/behaviour.ts';
import type { Call } from '../core/call.ts';
import { conforming } from '../core/conforming.ts';
import type { PlanName } from '../core/records.ts';
import { type MadeUp, startInSlices } from '../core/starting-world.ts';
import { phoneTables } from '../core/values/phone.ts';
import type { BegunAs, World, WorldOptions } from '../core/world.ts';
import type { Deviation } from '../deviations/deviation.ts';
import { Clock, type ClockMode } from './clock.ts';
import type { Deliverer } from './deliverer.ts';
import { type Answer, WorldHost } from './world-host.ts';

export interface ClockTerms {
  readonly mode: ClockMode;
  /** null: the wall's time. */
  readonly nowMs: number | null;
}

export interface SandboxTerms {
  /** Name of the starting world, for people. */
  readonly worldName: string;
  readonly fixture: WorldFixture;
  /** What the first world begins with in place of it; the worlds beside it do not. */
  readonly firstFixture?: WorldFixture;
  readonly seed: string;
  readonly clock: ClockTerms;
  readonly plan: PlanName;
  readonly settings?: Settings;
  readonly deviations?: readonly Deviation[];
  readonly allowLocalWebhooks?: boolean;
  /** What documents of the first world say of how it began. */
  readonly begunAs?: BegunAs;
  readonly forwards?: readonly { readonly from: string; readonly to: string }[];
  readonly deliverer: Deliverer;
  readonly wallMs?: () => number;
}

/** How one world begins. */
export interface WorldTerms {
  readonly name: string;
  readonly fixture?: WorldFixture | undefined;
  readonly seed?: string | undefined;
  readonly clock?: ClockTerms | undefined;
}

export const firstWorldName = 'default';

/** There is a world of that name already. */
export class WorldExistsError extends Error {
  override readonly name = 'WorldExistsError';
}

export class Sandbox {
  readonly terms: SandboxTerms;
  readonly settings: Settings;
  readonly behaviour: Behaviour;
  /** Starting worlds come about as the rules have it, whatever deviates afterwards. */
  readonly #conforming: Behaviour;
  readonly worlds = new Map<string, WorldHost>();
  /** How each world began, for resets. */
  readonly #origins = new Map<string, Required<Pick<WorldTerms, 'name'>> & WorldTerms>();
  readonly #byToken = new Map<string, WorldHost>();
  readonly #watchers = new Set<(name: string, host: WorldHost | null) => void>();
  #count = 0;

  private constructor(terms: SandboxTerms) {
    this.terms = terms;
    this.settings = terms.settings ?? defaultSettings;
    this.#conforming = conforming(this.settings);
    this.behaviour = (terms.deviations ?? []).reduce(
      (behaviour, { bend }) => bend(behaviour),
      this.#conforming,
    );
  }

  static async create(terms: SandboxTerms): Promise<Sandbox> {
    const sandbox = new Sandbox(terms);
    await sandbox.addWorld({ name: firstWorldName, fixture: terms.firstFixture });
    return sandbox;
  }

  /** The world that exists from the start to the end. */
  get first(): WorldHost {
    const host = this.worlds.get(firstWorldName);
    if (host === undefined) throw new Error('the sandbox has no first world');
    return host;
  }

  /** A name for a world that was given none. */
  freeName(): string {
    do this.#count += 1;
    while (this.worlds.has(`world-${this.#count}`));
    return `world-${this.#count}`;
  }

  /**
   * Makes an isolated world; throws a StartingWorldError when its fixture cannot be, or a
   * WorldExistsError.
   */
  async addWorld(origin: WorldTerms): Promise<WorldHost> {
    const clockTerms = origin.clock ?? this.terms.clock;
    const wallMs = this.terms.wallMs ?? Date.now;
    const world = await this.#begin(origin, clockTerms.nowMs ?? wallMs());
    // Looked at last of all: another of that name may have been begun in the meantime.
    if (this.worlds.has(origin.name)) {
      throw new WorldExistsError(`there is a world ${origin.name} already`);
    }
    const host = new WorldHost({
      world,
      behaviour: this.behaviour,
      clock: new Clock(clockTerms.mode, clockTerms.nowMs, wallMs),
      deliverer: this.terms.deliverer,
      wallMs,
    });
    this.worlds.set(origin.name, host);
    this.#origins.set(origin.name, origin);
    for (const watch of this.#watchers) watch(origin.name, host);
    return host;
  }

  async #begin(origin: WorldTerms, startMs: number): Promise<World> {
    const fixture = origin.fixture ?? this.terms.fixture;
    const seed = origin.seed ?? this.terms.seed;
    const phones = (fixture.accounts ?? []).flatMap(({ phone }) => phone ?? []);
    if (phones.some(phoneTables.needed)) await phoneTables.load();
    const slices = startInSlices(fixture, this.#conforming, {
      name: origin.name,
      seed,
      startMs,
      plan: this.terms.plan,
      options: this.#optionsOf(origin),
      ...(fixture.generate === undefined ? {} : { madeUp: await madeUpOf(fixture, seed) }),
    });
    const world = await inTurns(slices);
    for (const { from, to } of this.terms.forwards ?? []) world.forwards.set(from, to);
    return world;
  }

  #optionsOf({ name }: WorldTerms): WorldOptions {
    const { allowLocalWebhooks = false, begunAs } = this.terms;
    if (begunAs === undefined || name !== firstWorldName) return { allowLocalWebhooks };
    return { allowLocalWebhooks, begun_as: begunAs };
  }

  /** Back to how this world began, its clock included. */
  async reset(name: string): Promise<void> {
    const host = this.worlds.get(name);
    const origin = this.#origins.get(name);
    if (host === undefined || origin === undefined) throw new Error(`no world ${name} to reset`);
    const { mode, nowMs } = origin.clock ?? this.terms.clock;
    const startMs = nowMs ?? (this.terms.wallMs ?? Date.now)();
    const world = await this.#begin(origin, startMs);
    this.#forgetTokens(host);
    host.replace(world, { mode, nowMs: startMs });
  }

  dropWorld(name: string): boolean {
    const host = this.worlds.get(name);
    if (host === undefined || name === firstWorldName) return false;
    host.close();
    this.worlds.delete(name);
    this.#origins.delete(name);
    this.#forgetTokens(host);
    for (const watch of this.#watchers) watch(name, null);
    return true;
  }

  /** Told of every world made (with its host) and dropped (null). */
  watchWorlds(watch: (name: string, host: WorldHost | null) => void): () => void {
    this.#watchers.add(watch);
    return () => this.#watchers.delete(watch);
  }

  #forgetTokens(host: WorldHost): void {
    for (const [token, owner] of this.#byToken) if (owner === host) this.#byToken.delete(token);
  }

  /**
   * Whose call it is: by its token, or at the token endpoint by its client; the first world's
   * otherwise.
   */
  hostOf(call: Call): WorldHost {
    if (this.worlds.size === 1) return this.first;
    const token = tokenOf(call);
    if (token !== null) return this.hostOfToken(token);
    if (!call.target.startsWith('/api/v1/oauth/token')) return this.first;
    const clientId = clientOf(call);
    if (clientId === null) return this.first;
    for (const host of this.worlds.values()) {
      // The same client id exists in worlds made alike: its secret tells them apart.
      const credential = host.world.credentials.get(clientId.id);
      if (credential !== undefined && credential.clientSecret === clientId.secret) return host;
    }
    return this.first;
  }

  hostOfToken(token: string): WorldHost {
    const known = this.#byToken.get(token);
    if (known?.world.tokens.has(token)) return known;
    for (const host of this.worlds.values()) {
      if (!host.world.tokens.has(token)) continue;
      this.#byToken.set(token, host);
      return host;
    }
    return this.first;
  }

  call(call: Call, answered: (answer: Answer) => void): WorldHost {
    const host = this.hostOf(call);
    host.call(call, answered);
    return host;
  }

  async close(): Promise<void> {
    for (const host of this.worlds.values()) host.close();
    await this.terms.deliverer.close();
  }
}

/** What makes up people is loaded only where some are asked for. */
async function madeUpOf(fixture: WorldFixture, seed: string): Promise<MadeUp> {
  const { generatePeople } = await import('./generate.ts');
  return generatePeople(fixture.generate as GenerateFixture, fixture, seed);
}

/** Other worlds go on being served while a large one is begun. */
async function inTurns<T>(slices: Generator<void, T>): Promise<T> {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await nextTurn();
  }
}

function tokenOf({ headers, target }: Call): string | null {
  const header = headers.authorization;
  const found = typeof header === 'string' ? /^bearer +(\S+)/i.exec(header)?.[1] : undefined;
  if (found !== undefined) return found;
  const mark = target.indexOf('access_token=');
  return mark < 0 ? null : decodeLoosely(target.slice(mark + 13).split('&')[0] ?? '');
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** The client of a token request, only as far as it takes to find its world. */
function clientOf({ headers, body }: Call): { id: string; secret: string } | null {
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
  try {
    const json = JSON.parse(text) as { client_id?: unknown; client_secret?: unknown };
    return { id: String(json.client_id), secret: String(json.client_secret) };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
