// The proxy between a client and the sandbox for one run: it records every call, and the fault of
// the run decides how the call is handled.

import {
  createServer,
  request as httpRequest,
  IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { parseJson } from '../../fixtures/lenient.ts';
import { type HeaderLine, Headers, linesOfRaw } from '../engine/send/headers.ts';
import { operationOf } from '../spec/operations.ts';
import type { ArrivedCall, Backstage, Fault, Treatment } from './faults.ts';
import type { SandboxWorld } from './play.ts';
import type { ApiCall, ApiResponse } from './recording.ts';
import { Intents, membersOf } from './requests.ts';

/** A call whose outcome is not complete yet. */
type Growing = { -readonly [Name in keyof ApiCall]: ApiCall[Name] };

export type Gateway = Awaited<ReturnType<typeof openGateway>>;

/** Listens in front of the sandbox. `aimed` are the sites where the fault happens. */
export async function openGateway(
  world: SandboxWorld,
  fault: Fault,
  aimed: readonly string[] = [],
  /** Called after each call, because the judge may have seen enough to end the run. */
  onCall: (calls: readonly ApiCall[]) => void = () => undefined,
) {
  const calls: ApiCall[] = [];
  const intents = new Intents();
  /** The client of each token: the tokens of the world, and those issued since. */
  const clients = new Map(world.secrets.map(({ value, clientId }) => [value, clientId]));
  const issued = new Set<string>();
  const piped = new Set<Socket>();
  const lastOn = new WeakMap<Socket, Growing>();
  /** Bodies as they arrived: the platform refuses those that are not UTF-8. */
  const bytesOf = new WeakMap<ApiCall, Buffer<ArrayBuffer>>();
  let firstToken: ApiResponse | null = null;
  let followsEvents = false;
  let isFrozen = false;
  let isClosed = false;

  const ask = async (
    { method, target }: Pick<ApiCall, 'method' | 'target'>,
    headers: readonly HeaderLine[],
    body: string | Buffer<ArrayBuffer>,
  ): Promise<ApiResponse> => {
    const kept = headers.filter(([name]) => !hopByHop.has(name.toLowerCase()));
    const bodiless = body.length === 0 || method === 'GET' || method === 'HEAD';
    const request = new Request(new URL(target, 'http://sandbox'), {
      method,
      headers: kept.map(([name, value]): [string, string] => [name, value]),
      // As bytes, so that `Request` adds no content type.
      ...(bodiless ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body }),
    });
    const response = await world.fetch(request);
    const { status } = response;
    return { status, headers: [...response.headers], body: await response.text() };
  };

  // The server's own timeouts would be faults of no check.
  const limits = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
  const server = createServer({ ...limits, IncomingMessage: ClientMessage });
  // By default Node drops headers after the first 2000.
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const startedAtMs = performance.now();
  const nowMs = () => performance.now() - startedAtMs;
  const backstage: Backstage = {
    send: ({ headers, body, ...request }) => ask(request, Object.entries(headers), body),
    otherToken: world.otherToken,
    nowMs,
  };

  const record = (request: IncomingMessage, body: string): { call: Growing; isFirst: boolean } => {
    const { method = 'GET', url: target = '/' } = request;
    const { pathname: path, searchParams: query } = new URL(target, 'http://sandbox');
    const operation = operationOf(method, path) ?? null;
    const key = request.headers['idempotency-key']?.toString().trim() ?? null;
    const sent = { operation, method, path, query, body, json: parseJson(body), key };
    const place = intents.place(sent);
    const call: Growing = {
      ...sent,
      n: calls.length + 1,
      atMs: nowMs(),
      target,
      headers: linesOfRaw(request.rawHeaders),
      token: /^bearer +(\S+)/i.exec(request.headers.authorization ?? '')?.[1] ?? null,
      site: place?.site ?? null,
      fate: 'answered',
      fault: null,
      response: null,
      answeredAtMs: null,
      abandonedAtMs: null,
    };
    calls.push(call);
    return { call, isFirst: place?.isFirst ?? false };
  };

  /** Remembers the token in a response of the token endpoint. */
  const learnToken = (call: ApiCall, { status, body }: ApiResponse) => {
    const { access_token: token } = membersOf(parseJson(body));
    if (status !== 200 || typeof token !== 'string') return;
    issued.add(token);
    clients.set(token, clientIdIn(call) ?? 'unknown');
  };

  /** The platform's own answer in the form for the client. */
  const platform = async (call: ApiCall): Promise<ApiResponse> => {
    const { translate = (wire) => wire, reshape = (answer) => answer } = fault;
    const { target, body } = translate({ target: call.target, body: call.body });
    const bytes = body === call.body ? bytesOf.get(call) : undefined;
    const own = await ask({ method: call.method, target }, call.headers, bytes ?? body);
    if (call.operation !== 'issueToken') return reshape(own, call.path);
    learnToken(call, own);
    if (own.status === 200) firstToken ??= own;
    // AUTH-3b: a fault makes a client request more tokens than usual. Instead of a 429 the first
    // token is issued again, so that the limit does not hide the effect of the fault.
    const isPlain = Object.keys(fault).length === 0;
    const isHidden = own.status === 429 && !isPlain;
    return reshape(isHidden ? (firstToken ?? own) : own, call.path);
  };

  const answer = async (call: Growing, response: ServerResponse, given: ApiResponse) => {
    // Gives Node a turn to notice a client that disconnected during a stall.
    await pause(1);
    await immediate();
    const { status, headers, body } = given;
    call.answeredAtMs = call.abandonedAtMs === null ? nowMs() : null;
    response.writeHead(status, [
      ...headers.flat(),
      ...(status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))]),
    ]);
    response.end(call.method === 'HEAD' ? '' : body);
  };

  const cut = (call: Growing, { socket }: ServerResponse) => {
    call.answeredAtMs = nowMs();
    // Node 20 never reports the end of a connection that is reset while it ends.
    if (socket?.writableEnded) socket.destroy();
    else socket?.resetAndDestroy();
  };

  const treat = async (call: Growing, response: ServerResponse, treatment: Treatment | null) => {
    const { fate, response: own, holdMs = 0 } = treatment ?? { fate: 'answered' };
    call.fate = fate;
    if (fate === 'request_lost') return cut(call, response);
    call.response = own ?? (await platform(call));
    if (fate === 'silent') return;
    if (fate === 'answer_lost') return cut(call, response);
    if (holdMs > 0) await pause(holdMs);
    return answer(call, response, call.response);
  };

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    bytes: Buffer<ArrayBuffer>,
  ): Promise<void> => {
    const { call, isFirst } = record(request, bytes.toString());
    bytesOf.set(call, bytes);
    lastOn.set(request.socket, call);
    response.once('close', () => {
      if (call.answeredAtMs === null && !isFrozen) call.abandonedAtMs = nowMs();
    });
    const { token, site } = call;
    const isAimed = site !== null && aimed.includes(site);
    const arrived: ArrivedCall = {
      ...call,
      aimed: isAimed ? (isFirst ? 'first' : 'repeat') : null,
      clientId: clients.get(token ?? '') ?? null,
      isIssued: issued.has(token ?? ''),
    };
    const treatment = (await fault.handle?.(arrived, backstage)) ?? null;
    call.fault = treatment?.fault ?? null;
    await treat(call, response, treatment);
    bytesOf.delete(call);
    onCall(calls);
  };

  /** The control plane, documents and the dashboard are not judged. */
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { host, port } = await world.listen();
    const { method, url: path, headers } = request;
    const onward = httpRequest({ host, port, method, path, headers }, (own) => {
      response.writeHead(own.statusCode ?? 502, own.rawHeaders);
      own.pipe(response);
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  };

  /** The events channel, which is not judged. */
  const pipe = async ({ method, url, rawHeaders }: IncomingMessage, socket: Socket) => {
    followsEvents = true;
    const onward = connect(await world.listen());
    for (const end of [socket, onward]) {
      piped.add(end);
      end.once('close', () => piped.delete(end));
      end.once('error', () => end.destroy());
    }
    const lines = linesOfRaw(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    onward.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.pipe(onward).pipe(socket);
  };

  server.on('connection', (socket: Socket) => {
    const leave = () => {
      const call = lastOn.get(socket);
      if (call !== undefined && !isFrozen) call.abandonedAtMs ??= nowMs();
    };
    // A connection that is closed with unread data is reset by the system.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET') leave();
    });
    socket.once('end', () => {
      if (lastOn.get(socket)?.answeredAtMs === null) leave();
    });
  });
  server.on('request', (request, response) => {
    if (!isApiCall(request)) {
      void passOn(request, response);
      return;
    }
    readBody(request, (body) => {
      serve(request, response, body).catch((error: unknown) => {
        // The sandbox cut the call because of a fault that the command itself injected, the run is
        // over, or the request was invalid.
        if (!(error instanceof TypeError) && !isClosed) throw error;
        response.socket?.destroy();
      });
    });
  });
  server.on('upgrade', (request, socket: Socket) => void pipe(request, socket));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    /** Since it listens, like the times of calls. */
    nowMs,
    /** Facts about the run beyond its calls: tokens and secrets, and whether it followed events. */
    seen: () => ({ secrets: [...clients.keys()], followsEvents }),
    /** The command is about to be ended: connections that close from now on are not recorded. */
    freeze: () => {
      isFrozen = true;
    },
    close: async (): Promise<void> => {
      isClosed = true;
      for (const socket of piped) socket.destroy();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'http2-settings',
]);

/** The client of a token request, from its header or its body. */
function clientIdIn({ headers, body }: Pick<ApiCall, 'headers' | 'body'>): string | null {
  const encoded = /^basic +(\S+)/i.exec(new Headers(headers).get('authorization') ?? '')?.[1];
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString().split(':')[0] ?? null;
  const { client_id: id } = membersOf(parseJson(body));
  return typeof id === 'string' ? id : new URLSearchParams(body).get('client_id');
}

/**
 * Only a WebSocket upgrades. Otherwise Node would hand over every request with an `Upgrade` header,
 * and Java's client offers `h2c` with each first call.
 */
class ClientMessage extends IncomingMessage {
  declare asksForUpgrade: boolean | null | undefined;

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false;
    return this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? '');
  }

  set upgrade(value: boolean | null) {
    this.asksForUpgrade = value;
  }
}

/** `Request` cannot have these methods: the sandbox answers them over its socket. */
const otherMethods: readonly (string | undefined)[] = ['CONNECT', 'TRACE', 'TRACK'];

/** Calls that are judged. The sandbox refuses a foreign `Host`, as in DNS rebinding. */
function isApiCall({ url = '', method, headers }: IncomingMessage): boolean {
  return url.startsWith('/api/') && !otherMethods.includes(method) && isThisMachine(headers.host);
}

function isThisMachine(host: string | undefined): boolean {
  // HTTP/1.0 has no such header.
  if (host === undefined) return true;
  const name = host.toLowerCase().replace(/:\d+$/, '');
  if (name === '[::1]' || (isIP(name) === 4 && name.startsWith('127.'))) return true;
  return /^(?:[\w-]+\.)*localhost\.?$/.test(name);
}

/** More than any operation reads, so that the sandbox refuses it as too long. */
const maxBodyBytes = 32 * 1024 * 1024;

/** The body once all of it has arrived; an incomplete upload is not a call. */
function readBody(request: IncomingMessage, take: (body: Buffer<ArrayBuffer>) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    // The rest is read but not kept: a client that still sends does not read the answer.
    if (length <= maxBodyBytes) chunks.push(chunk);
    length += chunk.length;
  });
  request.on('end', () => take(Buffer.concat(chunks)));
}
