// The second mind over HTTP: its API, its events channel, and, unless left out, a control plane
// with worlds of their own.
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DefectId } from '../defects.ts';
import { SecondMind } from '../mind.ts';
import { TOKEN_PATH } from '../operations/tokens.ts';
import { headerOf } from '../request-context.ts';
import { hostOf, isLiteral } from '../values/addresses.ts';
import { isObject, type Json } from '../values/json.ts';
import type { Answer, Call } from '../values/records.ts';
import { other } from '../values/style-other.ts';
import { plain } from '../values/style-plain.ts';
import { attachChannel } from './channel.ts';
import { addServer, NONE, type Told } from './control.ts';
import { type ControlHost, control } from './control-rows.ts';
import { openApiOf } from './openapi.ts';
import { SCOPES } from './profile.ts';
import { WorldHost } from './world-host.ts';

const STYLES = { plain, other };

export interface ServeOptions {
  readonly port?: number;
  readonly style?: keyof typeof STYLES;
  readonly defects?: readonly DefectId[];
  readonly hasControl?: boolean;
}

export interface Served {
  readonly baseUrl: string;
  readonly mind: SecondMind;
  readonly close: () => Promise<void>;
}

const CONTROL = '/_sandbox';

export async function serve(options: ServeOptions = {}): Promise<Served> {
  const { port = 0, style = 'plain', defects = [], hasControl = true } = options;
  const make = (frozenAtMs?: number) => {
    const frozen = frozenAtMs === undefined ? {} : { frozenAtMs };
    const mind = new SecondMind({ style: STYLES[style], defects, ...frozen });
    // The credential that defects of authentication let strangers act as.
    addServer(mind, { name: 'house', scopes: SCOPES, plan: 'pro' });
    return new WorldHost(mind);
  };
  const hosts: ControlHost = { main: make(), worlds: [], make };
  const server = createServer((request, response) => {
    void answer(hosts, hasControl, request, response);
  });
  attachChannel(server, STYLES[style], (token) => hostOfToken(hosts, token));
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  const { port: bound } = server.address() as AddressInfo;
  const close = () => stop(server, hosts);
  return { baseUrl: `http://127.0.0.1:${bound}`, mind: hosts.main.mind, close };
}

async function stop(server: Server, hosts: ControlHost): Promise<void> {
  for (const each of [hosts.main, ...hosts.worlds.map(({ host }) => host)]) each.close();
  server.closeAllConnections();
  await new Promise<void>((done) => server.close(() => done()));
}

async function answer(
  hosts: ControlHost,
  hasControl: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bytesOf(request).catch(() => null);
  if (body === null) return;
  const target = request.url ?? '/';
  const path = target.split('?')[0]!;
  if (hasControl && path.startsWith(`${CONTROL}/`)) {
    const told = await orderedTo(hosts, request.method ?? 'GET', target, body);
    sendJson(response, told);
    return;
  }
  if (path === '/openapi.json' && hosts.main.mind.style.servesOpenApi) {
    sendJson(response, [200, openApiOf(hosts.main.mind.style)]);
    return;
  }
  const call: Call = { method: request.method ?? 'GET', target, headers: headersOf(request), body };
  await refusedEverywhere(hosts, call);
  const host = hostOfCall(hosts, call);
  await resolveTarget(host.mind, call);
  const given = await host.call(call);
  if (given === null) request.socket.destroy();
  else send(response, given);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  }
  return headers;
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  for (const [name, value] of headers) response.setHeader(name, value);
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(body));
  response.writeHead(status);
  response.end(body);
}

function sendJson(response: ServerResponse, [status, body]: Told): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function orderedTo(
  hosts: ControlHost,
  method: string,
  target: string,
  body: Buffer,
): Promise<Told> {
  const url = new URL(target, 'http://control');
  const parts = url.pathname.slice(CONTROL.length + 1).split('/');
  let read: Json = {};
  try {
    read = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Json);
  } catch {
    return [422, { code: 'validation_failed', detail: 'the body is not JSON' }];
  }
  if (!isObject(read)) return NONE;
  return control(hosts, { method, parts, query: url.searchParams, body: read });
}

/** A call without a token belongs to no world; a defect that acts on it acts in each. */
async function refusedEverywhere({ main, worlds }: ControlHost, call: Call): Promise<void> {
  if (!main.mind.has('auth-refused-acts') || headerOf(call, 'authorization')) return;
  if (call.target.split('?')[0] === TOKEN_PATH) return;
  for (const { host } of worlds) await host.call(call);
}

/** Which world a call is for: that of its token, or of the client that asks for one. */
function hostOfCall(hosts: ControlHost, call: Call): WorldHost {
  if (call.target.split('?')[0] === TOKEN_PATH) {
    const basic = headerOf(call, 'authorization')?.split(' ')[1] ?? '';
    const text = `${call.body.toString('utf8')} ${Buffer.from(basic, 'base64').toString('utf8')}`;
    const asks = ({ mind }: WorldHost) => mind.credentials.some((c) => text.includes(c.clientId));
    return hosts.worlds.find(({ host }) => asks(host))?.host ?? hosts.main;
  }
  const token = headerOf(call, 'authorization')?.replace(/^\S+\s+/, '');
  return hostOfToken(hosts, token?.trim()) ?? hosts.main;
}

function hostOfToken(hosts: ControlHost, token: string | undefined): WorldHost | undefined {
  const all = [hosts.main, ...hosts.worlds.map(({ host }) => host)];
  return all.find(({ mind }) => mind.tokens.some((each) => each.value === token));
}

/** The mind itself asks nobody; what a new subscription's name resolves to is looked up before. */
async function resolveTarget(mind: SecondMind, call: Call): Promise<void> {
  if (call.method !== 'POST' || !/\/webhooks$/.test(call.target)) return;
  const url = /"url"\s*:\s*"([^"]*)"/.exec(call.body.toString('utf8'))?.[1];
  const host = url === undefined ? null : hostOf(url);
  if (host === null || isLiteral(host)) return;
  if (mind.names.some((each) => each.host === host)) return;
  if (mind.forwards.some((each) => new URL(each.from).hostname === host)) return;
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address);
  mind.resolved = [...mind.resolved.filter((each) => each.host !== host), { host, addresses }];
}
