// Starts the witness: its API, its events channel, and by default a control plane with
// isolated worlds.
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attachChannel } from './channel.ts';
import { bodyOf } from './context.ts';
import { type Answer, NONE, operate } from './control.ts';
import { answer } from './pipeline.ts';
import { addProfile } from './profile.ts';
import type { Call, Headers } from './records.ts';
import { type Style, type StyleName, styles } from './styles.ts';
import { TOKEN_PATH } from './tokens.ts';
import { hostOf, isLiteral, print } from './values.ts';
import { type Seams, World } from './world.ts';

/** A difference from the conforming witness of the same style: a trait or a defect. */
export interface Difference {
  readonly id: string;
  readonly sentence: string;
  readonly style?: Partial<Style>;
  readonly seams?: Seams;
}

export interface WitnessOptions {
  readonly style?: StyleName;
  readonly traits?: readonly Difference[];
  readonly defects?: readonly Difference[];
  readonly port?: number;
  /** Serves a control plane; the default. */
  readonly control?: boolean;
}

export type Witness = Awaited<ReturnType<typeof startWitness>>;

const CONTROL = '/_sandbox';

export async function startWitness(options: WitnessOptions = {}) {
  const { traits = [], defects = [], control = true } = options;
  const differences = [...traits, ...defects];
  const style: Style = Object.assign(
    { ...styles[options.style ?? 'plain'] },
    ...differences.map((each) => each.style),
  );
  const seams = differences.flatMap((each) => each.seams ?? []);
  const worlds = new Worlds((frozenAtMs) => new World(style, seams, frozenAtMs));
  const server = createServer((request, response) => {
    void serve(worlds, control, request, response);
  });
  // Prevents a slow client from losing a connection that it is about to reuse.
  server.keepAliveTimeout = 120_000;
  attachChannel(server, style.channelPath, (token) => worlds.ofToken(token));
  await new Promise<void>((ready) => server.listen(options.port ?? 0, '127.0.0.1', ready));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base_url,
    control_url: base_url + CONTROL,
    world: worlds.main,
    /** Creates the records of a profile, and returns the profile for a judge without a control plane. */
    profile: (receiverPort: number) => addProfile(worlds.main, base_url, receiverPort),
    close: async (): Promise<void> => {
      for (const world of worlds.all()) world.close();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** The main world, and the worlds that the control plane has created. */
class Worlds {
  readonly main: World;
  readonly named = new Map<string, World>();
  readonly make: (frozenAtMs: number | null) => World;

  constructor(make: (frozenAtMs: number | null) => World) {
    this.make = make;
    this.main = make(null);
  }

  all(): World[] {
    return [this.main, ...this.named.values()];
  }

  ofToken(token: string): World | undefined {
    return this.all().find(({ store }) => store.token(token) !== undefined);
  }

  /** The world of a call's token, or of the client that requests a token. */
  of({ headers, target, body }: Call): World {
    const [, line = ''] = headers.find(([name]) => /^authorization$/i.test(name)) ?? [];
    const value = line.replace(/^\S+\s+/, '').trim();
    if (target.split('?')[0] !== TOKEN_PATH) return this.ofToken(value) ?? this.main;
    const text = `${body} ${Buffer.from(value, 'base64')}`;
    const hasClient = ({ store }: World) =>
      [...store.credentials()].some((each) => text.includes(each.client_id));
    return this.all().find(hasClient) ?? this.main;
  }
}

async function serve(
  worlds: Worlds,
  hasControl: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    return;
  }
  const { method = 'GET', url: target = '/', rawHeaders: raw } = request;
  const headers = raw.flatMap((name, at): Headers => (at % 2 ? [] : [[name, raw[at + 1]!]]));
  const call = { method, target, headers, body: Buffer.concat(parts) };
  const path = target.split('?')[0]!;
  if (hasControl && path.startsWith(`${CONTROL}/`)) {
    sendJson(response, await control(worlds, call));
  } else {
    const world = worlds.of(call);
    await resolveTarget(world, call);
    const reply = await answer(world, call);
    world.pump();
    if (reply === null) return void request.socket.destroy();
    for (const [name, value] of reply.headers) response.setHeader(name, value);
    if (reply.status !== 204) response.setHeader('Content-Length', Buffer.byteLength(reply.body));
    response.writeHead(reply.status).end(reply.body);
  }
}

function sendJson(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(print(body));
}

async function control(worlds: Worlds, { method, target, ...call }: Call): Promise<Answer> {
  const url = new URL(target, 'http://control');
  const parts = url.pathname.slice(CONTROL.length + 1).split('/');
  const given = { query: url.searchParams, body: bodyOf(call) };
  const [first, name = '', ...rest] = parts;
  if (first !== 'worlds') return operate(worlds.main, method, parts, given);
  if (method === 'POST' && name === '') {
    const worldName = `world-${worlds.main.count('worlds')}`;
    worlds.named.set(worldName, worlds.make(given.body.clock === 'real' ? null : Date.now()));
    return [201, { name: worldName }];
  }
  const world = worlds.named.get(name);
  if (world === undefined) return NONE;
  if (method !== 'DELETE' || rest.length > 0) return operate(world, method, rest, given);
  worlds.named.delete(name);
  world.close();
  return [200, {}];
}

/** A world does not resolve names: the host of a new subscription is looked up here. */
async function resolveTarget(world: World, call: Call): Promise<void> {
  if (call.method !== 'POST' || !/\/webhooks$/.test(call.target)) return;
  const url = String(bodyOf(call).url);
  const host = hostOf(url)?.toLowerCase();
  if (!host || isLiteral(host) || world.names.has(host)) return;
  if (world.forwards.has(new URL(url).origin)) return;
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  world.resolved.set(host, addresses);
}
