// Starts the witness: its API, its events channel, and, unless it is left out, a control plane with
// isolated worlds.
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attachChannel } from './channel.ts';
import { inWorld, NONE, type Told } from './control.ts';
import type { Difference } from './difference.ts';
import { openApiOf } from './openapi.ts';
import { TOKEN_PATH } from './operations/tokens.ts';
import { answer } from './pipeline.ts';
import { addProfile } from './profile.ts';
import type { Call, Reply } from './records.ts';
import { headerOf } from './replies.ts';
import { type Style, type StyleName, styles } from './styles.ts';
import { hostOf, isLiteral, isObject, type JsonObject, parse, print } from './values.ts';
import { WitnessWorld } from './world.ts';

export interface WitnessOptions {
  readonly style?: StyleName;
  readonly traits?: readonly Difference[];
  readonly defects?: readonly Difference[];
  readonly port?: number;
  /** Serves a control plane; the default. */
  readonly control?: boolean;
}

export interface Witness {
  readonly base_url: string;
  readonly control_url: string;
  readonly world: WitnessWorld;
  /** Makes what a profile can name, and gives the profile for a judge without a control plane. */
  profile(receiverPort: number): JsonObject;
  close(): Promise<void>;
}

const CONTROL = '/_sandbox';

export async function startWitness(options: WitnessOptions = {}): Promise<Witness> {
  const { traits = [], defects = [] } = options;
  const differences = [...traits, ...defects];
  const style: Style = Object.assign(
    { ...styles[options.style ?? 'plain'] },
    ...differences.map((each) => each.style),
  );
  const seams = differences.flatMap((each) => each.seams ?? []);
  const host = new Host((frozenAtMs) => new WitnessWorld({ style, seams, frozenAtMs }));
  const server = createServer((request, response) => {
    void serve(host, options.control ?? true, request, response);
  });
  // A busy client must not lose a connection that it is about to use again.
  server.keepAliveTimeout = 120_000;
  attachChannel(server, style.channelPath, (token) => host.ofToken(token));
  await new Promise<void>((ready) => server.listen(options.port ?? 0, '127.0.0.1', ready));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base_url,
    control_url: base_url + CONTROL,
    world: host.main,
    profile: (receiverPort) => addProfile(host.main, base_url, receiverPort),
    close: async () => {
      for (const world of host.all()) world.close();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** The main world, and those that the control plane made beside it. */
class Host {
  main: WitnessWorld;
  readonly worlds = new Map<string, WitnessWorld>();
  readonly make: (frozenAtMs?: number) => WitnessWorld;

  constructor(make: (frozenAtMs?: number) => WitnessWorld) {
    this.make = make;
    this.main = make();
  }

  all(): WitnessWorld[] {
    return [this.main, ...this.worlds.values()];
  }

  ofToken(token: string | undefined): WitnessWorld | undefined {
    return this.all().find(({ store }) => store.token(token) !== undefined);
  }

  /** The world of a call's token, or of the client that asks for one. */
  of(call: Call): WitnessWorld {
    const authorization = headerOf(call, 'authorization') ?? '';
    const credentials = authorization.replace(/^\S+\s+/, '').trim();
    if (call.target.split('?')[0] !== TOKEN_PATH) return this.ofToken(credentials) ?? this.main;
    const text = `${call.body} ${Buffer.from(credentials, 'base64')}`;
    const isClient = ({ store }: WitnessWorld) =>
      store.credentials().some((each) => text.includes(each.client_id));
    return this.all().find(isClient) ?? this.main;
  }
}

async function serve(
  host: Host,
  hasControl: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bytesOf(request).catch(() => null);
  if (body === null) return;
  const { method = 'GET', url: target = '/', rawHeaders } = request;
  const path = target.split('?')[0]!;
  if (hasControl && path.startsWith(`${CONTROL}/`)) {
    sendJson(response, await control(host, method, target, body));
    return;
  }
  if (path === '/openapi.json' && host.main.style.servesOpenApi) {
    sendJson(response, [200, openApiOf(host.main.style)]);
    return;
  }
  const headers = rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1]!]] : [],
  );
  const call = { method, target, headers, body };
  const world = host.of(call);
  await resolveTarget(world, call);
  const reply = await answer(world, call);
  world.pump();
  if (reply === null) request.socket.destroy();
  else send(response, reply);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(body));
  response.writeHead(status);
  response.end(body);
}

function sendJson(response: ServerResponse, [status, body]: Told): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(print(body));
}

async function control(host: Host, method: string, target: string, body: Buffer): Promise<Told> {
  const url = new URL(target, 'http://control');
  const parts = url.pathname.slice(CONTROL.length + 1).split('/');
  const read = body.length === 0 ? {} : parse(body);
  if (!isObject(read)) return [422, { code: 'validation_failed', detail: 'the body is not JSON' }];
  const call = { query: url.searchParams, body: read };
  const [first, name = ''] = parts;
  if (first === 'reset' && method === 'POST') {
    host.main.close();
    host.main = host.make();
    return [200, {}];
  }
  if (first !== 'worlds') return inWorld(host.main, method, parts, call);
  if (method === 'POST' && parts.length === 1) {
    const made = `world-${host.main.count('worlds')}`;
    host.worlds.set(made, host.make(read.clock === 'real' ? undefined : Date.now()));
    return [201, { name: made, control_url: `${CONTROL}/worlds/${made}`, credentials: [] }];
  }
  const world = host.worlds.get(name);
  if (world === undefined) return NONE;
  if (method === 'DELETE' && parts.length === 2) {
    host.worlds.delete(name);
    world.close();
    return [200, {}];
  }
  return inWorld(world, method, parts.slice(2), call);
}

/** A world resolves nothing itself: the name of a new subscription is looked up before. */
async function resolveTarget(world: WitnessWorld, call: Call): Promise<void> {
  if (call.method !== 'POST' || !/\/webhooks$/.test(call.target)) return;
  const url = /"url"\s*:\s*"([^"]*)"/.exec(call.body.toString('utf8'))?.[1];
  const host = url === undefined ? null : hostOf(url)?.toLowerCase();
  if (!host || isLiteral(host) || world.names.has(host)) return;
  if (world.forwards.has(new URL(url!).origin)) return;
  const found = await lookup(host, { all: true }).catch(() => []);
  world.resolved.set(
    host,
    found.map(({ address }) => address),
  );
}
