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

/** The worlds by their names: the main one, and those that the control plane has created. */
type Worlds = Map<string, World>;
const MAIN = 'main';

export async function startWitness(options: WitnessOptions = {}) {
  const { traits = [], defects = [], control = true } = options;
  const differences = [...traits, ...defects];
  const style: Style = Object.assign(
    { ...styles[options.style ?? 'plain'] },
    ...differences.map((each) => each.style),
  );
  const seams = differences.flatMap((each) => each.seams ?? []);
  const main = new World(style, seams, null);
  const worlds: Worlds = new Map([[MAIN, main]]);
  const server = createServer((request, response) => {
    void serve(worlds, control, request, response);
  });
  // Prevents a slow client from losing a connection that it is about to reuse.
  server.keepAliveTimeout = 120_000;
  attachChannel(server, style.channelPath, (token) => worldOfToken(worlds, token));
  await new Promise<void>((ready) => server.listen(options.port ?? 0, '127.0.0.1', ready));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base_url,
    control_url: base_url + CONTROL,
    world: main,
    /** Creates the records of a profile, and returns the profile for a judge without a control plane. */
    profile: (receiverPort: number) => addProfile(main, base_url, receiverPort),
    close: async (): Promise<void> => {
      for (const world of worlds.values()) world.close();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function worldOfToken(worlds: Worlds, token: string): World | undefined {
  return [...worlds.values()].find(({ store }) => store.token(token) !== undefined);
}

/** The world of a call's token, or of the client that requests a token. */
function worldOf(worlds: Worlds, { headers, target, body }: Call): World {
  const main = worlds.get(MAIN)!;
  const [, line = ''] = headers.find(([name]) => /^authorization$/i.test(name)) ?? [];
  const value = line.replace(/^\S+\s+/, '').trim();
  if (target.split('?')[0] !== TOKEN_PATH) return worldOfToken(worlds, value) ?? main;
  const text = `${body} ${Buffer.from(value, 'base64')}`;
  const hasClient = ({ store }: World) =>
    [...store.credentials()].some((each) => text.includes(each.client_id));
  return [...worlds.values()].find(hasClient) ?? main;
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
    const [status, body] = await control(worlds, call);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(print(body));
  } else {
    const world = worldOf(worlds, call);
    await resolveTarget(world, call);
    const reply = await answer(world, call);
    world.pump();
    if (reply === null) return void request.socket.destroy();
    for (const [name, value] of reply.headers) response.setHeader(name, value);
    if (reply.status !== 204) response.setHeader('Content-Length', Buffer.byteLength(reply.body));
    response.writeHead(reply.status).end(reply.body);
  }
}

async function control(worlds: Worlds, { method, target, ...call }: Call): Promise<Answer> {
  const url = new URL(target, 'http://control');
  const parts = url.pathname.slice(CONTROL.length + 1).split('/');
  const given = { query: url.searchParams, body: bodyOf(call) };
  const [first, name = '', ...rest] = parts;
  const main = worlds.get(MAIN)!;
  if (first !== 'worlds') return operate(main, method, parts, given);
  if (method === 'POST' && name === '') {
    const worldName = `world-${main.count('worlds')}`;
    const frozenAtMs = given.body.clock === 'real' ? null : Date.now();
    worlds.set(worldName, new World(main.style, main.seams, frozenAtMs));
    return [201, { name: worldName }];
  }
  const world = worlds.get(name);
  if (world === undefined) return NONE;
  if (method !== 'DELETE' || rest.length > 0) return operate(world, method, rest, given);
  worlds.delete(name);
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
