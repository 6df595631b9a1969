// The proxy between a client and the sandbox for one run: it records every call, and the fault of
// the run decides what becomes of it.
import {
  createServer,
  request as httpRequest,
  IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { type HeaderLine, linesOfRaw } from '../engine/send/headers.ts';
import { operationOf } from '../spec/operations.ts';
import type { Backstage, Fault, Met, Treatment } from './faults.ts';
import type { SandboxWorld } from './play.ts';
import type { ApiCall, ApiResponse } from './recording.ts';
import { Intents, membersOf, parseJson } from './requests.ts';

/** A call whose outcome is still being filled in. */
type Growing = { -readonly [Name in keyof ApiCall]: ApiCall[Name] };

export class Gateway {
  readonly calls: ApiCall[] = [];
  readonly credentials: Credentials;
  followsEvents = false;
  /** Called after each call, when the judge may have seen enough. */
  onCall: () => void = () => undefined;
  readonly #world: SandboxWorld;
  readonly #fault: Fault;
  readonly #aimed: readonly string[];
  readonly #server: Server;
  readonly #intents = new Intents();
  readonly #backstage: Backstage;
  readonly #piped = new Set<Socket>();
  readonly #lastOn = new WeakMap<Socket, Growing>();
  /** Bodies as they arrived: the platform refuses those that are not UTF-8. */
  readonly #bytes = new WeakMap<ApiCall, Buffer<ArrayBuffer>>();
  #startedAtMs = performance.now();
  #firstToken: ApiResponse | null = null;
  #isFrozen = false;
  #isClosed = false;

  /** `aimed` are the sites where the fault happens. */
  constructor(world: SandboxWorld, fault: Fault, aimed: readonly string[] = []) {
    this.#world = world;
    this.#fault = fault;
    this.#aimed = aimed;
    this.credentials = new Credentials(world.secrets);
    this.#backstage = {
      send: ({ method, target, headers, body }) =>
        this.#ask(method, target, Object.entries(headers), body),
      otherToken: world.otherToken,
      nowMs: () => this.#nowMs(),
    };
    // The server's own timeouts would be faults of no check.
    const limits = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
    this.#server = createServer({ ...limits, IncomingMessage: ClientMessage });
    // By default Node drops headers after the first 2000.
    this.#server.maxHeadersCount = 0;
    this.#server.on('connection', (socket) => this.#watch(socket));
    this.#server.on('request', (request, response) => this.#take(request, response));
    this.#server.on('upgrade', (request, socket: Socket) => void this.#pipe(request, socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    this.#startedAtMs = performance.now();
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The command is about to be ended: connections that close from now on are not recorded. */
  freeze(): void {
    this.#isFrozen = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#piped) socket.destroy();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #nowMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  /** A connection that is closed with unread data is reset by the system. */
  #watch(socket: Socket): void {
    const leave = () => {
      const call = this.#lastOn.get(socket);
      if (call !== undefined && !this.#isFrozen) call.abandonedAtMs ??= this.#nowMs();
    };
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET') leave();
    });
    socket.once('end', () => {
      if (this.#lastOn.get(socket)?.answeredAtMs === null) leave();
    });
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    if (!isApiCall(request)) {
      void this.#passOn(request, response);
      return;
    }
    readBody(request, (body) => {
      this.#serve(request, response, body).catch((error: unknown) => {
        // The sandbox cut the call off by a fault that the command itself injected, the run is over, or
        // it was no valid request.
        if (!(error instanceof TypeError) && !this.#isClosed) throw error;
        response.socket?.destroy();
      });
    });
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    bytes: Buffer<ArrayBuffer>,
  ): Promise<void> {
    const { call, isFirst } = this.#record(request, bytes.toString());
    this.#bytes.set(call, bytes);
    this.#lastOn.set(request.socket, call);
    response.once('close', () => {
      if (call.answeredAtMs === null && !this.#isFrozen) call.abandonedAtMs = this.#nowMs();
    });
    const { token } = call;
    const clientId = token === null ? null : this.credentials.clientOf(token);
    const isIssued = token !== null && this.credentials.isIssued(token);
    const isAimed = call.site !== null && this.#aimed.includes(call.site);
    const aimed = isAimed ? (isFirst ? 'first' : 'repeat') : null;
    const met: Met = { ...call, aimed, clientId, isIssued };
    const treatment = (await this.#fault.meet?.(met, this.#backstage)) ?? null;
    call.struck = treatment?.struck ?? null;
    await this.#treat(call, response, treatment);
    this.#bytes.delete(call);
    this.onCall();
  }

  async #treat(call: Growing, response: ServerResponse, treatment: Treatment | null) {
    switch (treatment?.kind) {
      case 'lose_request':
        return this.#cut(call, response, 'request_lost');
      case 'lose_answer':
        call.response = await this.#platform(call);
        return this.#cut(call, response, 'answer_lost');
      case 'stay_silent':
        call.fate = 'silent';
        call.response = await this.#platform(call);
        return;
      case 'answer':
        call.fate = 'refused';
        call.response = treatment.response;
        if (treatment.holdMs !== undefined) await pause(treatment.holdMs);
        return this.#answer(call, response, treatment.response);
      default: {
        const answer = await this.#platform(call);
        call.response = answer;
        return this.#answer(call, response, answer);
      }
    }
  }

  #record(request: IncomingMessage, body: string): { call: Growing; isFirst: boolean } {
    const { method = 'GET', url: target = '/' } = request;
    const headers = linesOfRaw(request.rawHeaders);
    const { pathname: path, searchParams: query } = new URL(target, 'http://sandbox');
    const operation = operationOf(method, path) ?? null;
    const key = request.headers['idempotency-key']?.toString().trim() ?? null;
    const token = /^bearer +(\S+)/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
    const sent = { operation, method, path, query, body, json: parseJson(body), key };
    const place = this.#intents.place(sent);
    const call: Growing = {
      ...sent,
      n: this.calls.length + 1,
      atMs: this.#nowMs(),
      target,
      headers,
      token,
      site: place?.site ?? null,
      fate: 'answered',
      struck: null,
      response: null,
      answeredAtMs: null,
      abandonedAtMs: null,
    };
    this.calls.push(call);
    return { call, isFirst: place?.isFirst ?? false };
  }

  /** The platform's own answer, as the client is to see it. */
  async #platform(call: ApiCall): Promise<ApiResponse> {
    const { translate, reshape } = this.#fault;
    const sent = { target: call.target, body: call.body };
    const { target, body } = translate === undefined ? sent : translate(sent);
    const bytes = body === call.body ? this.#bytes.get(call) : undefined;
    const own = await this.#ask(call.method, target, call.headers, bytes ?? body);
    const answer = call.operation === 'issueToken' ? this.#tokenOr(call, own) : own;
    return reshape === undefined ? answer : reshape(answer, call.path);
  }

  /**
   * AUTH-3b: a fault makes a client ask for more tokens than it would. So that the limit does not hide
   * what the fault shows, the first token is issued again instead of a 429.
   */
  #tokenOr(call: ApiCall, answer: ApiResponse): ApiResponse {
    this.credentials.learn(call, answer);
    if (answer.status === 200) this.#firstToken ??= answer;
    const isJudged = Object.keys(this.#fault).length === 0;
    return answer.status === 429 && !isJudged ? (this.#firstToken ?? answer) : answer;
  }

  async #ask(
    method: string,
    target: string,
    headers: readonly HeaderLine[],
    body: string | Buffer<ArrayBuffer>,
  ): Promise<ApiResponse> {
    const kept = headers.filter(([name]) => !hopByHop.has(name.toLowerCase()));
    const bodiless = body.length === 0 || method === 'GET' || method === 'HEAD';
    const request = new Request(new URL(target, 'http://sandbox'), {
      method,
      headers: kept.map(([name, value]): [string, string] => [name, value]),
      // As bytes, so that `Request` adds no content type.
      ...(bodiless ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body }),
    });
    const response = await this.#world.fetch(request);
    return {
      status: response.status,
      headers: [...response.headers],
      body: await response.text(),
    };
  }

  async #answer(call: Growing, response: ServerResponse, answer: ApiResponse): Promise<void> {
    // Lets Node notice, between timers and immediates, a client that left while this program was busy.
    await pause(1);
    await immediate();
    const { status, headers, body } = answer;
    call.answeredAtMs = call.abandonedAtMs === null ? this.#nowMs() : null;
    response.writeHead(status, [
      ...headers.flat(),
      ...(status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))]),
    ]);
    response.end(call.method === 'HEAD' ? '' : body);
  }

  #cut(call: Growing, response: ServerResponse, fate: ApiCall['fate']): void {
    call.fate = fate;
    call.answeredAtMs = this.#nowMs();
    const { socket } = response;
    // Node 20 never reports the end of a connection that is reset while it ends.
    if (socket?.writableEnded) socket.destroy();
    else socket?.resetAndDestroy();
  }

  /** The control plane, documents and the dashboard are not judged. */
  async #passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, port } = await this.#world.listen();
    const { method, url: path, headers } = request;
    const onward = httpRequest({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }

  /** The events channel, which is not judged. */
  async #pipe({ method, url, rawHeaders }: IncomingMessage, socket: Socket): Promise<void> {
    this.followsEvents = true;
    const onward = connect(await this.#world.listen());
    for (const end of [socket, onward]) {
      this.#piped.add(end);
      end.once('close', () => this.#piped.delete(end));
      end.once('error', () => end.destroy());
    }
    const lines = linesOfRaw(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    onward.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.pipe(onward).pipe(socket);
  }
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'http2-settings',
]);

/** Which client each token belongs to: those of the world, and those that were issued since. */
class Credentials {
  readonly #clients = new Map<string, string>();
  readonly #issued = new Set<string>();

  constructor(secrets: SandboxWorld['secrets']) {
    for (const { value, clientId } of secrets) this.#clients.set(value, clientId);
  }

  clientOf(token: string): string | null {
    return this.#clients.get(token) ?? null;
  }

  /** The token endpoint issued it in this run. */
  isIssued(token: string): boolean {
    return this.#issued.has(token);
  }

  /** Tokens and secrets of this run. */
  get secrets(): string[] {
    return [...this.#clients.keys()];
  }

  /** Takes the token of an answer of the token endpoint. */
  learn(call: Pick<ApiCall, 'headers' | 'body'>, { status, body }: ApiResponse): void {
    const { access_token: token } = membersOf(parseJson(body));
    if (status !== 200 || typeof token !== 'string') return;
    this.#issued.add(token);
    this.#clients.set(token, clientIdIn(call) ?? 'unknown');
  }
}

/** The client of a token request, from its header or its body. */
function clientIdIn({ headers, body }: Pick<ApiCall, 'headers' | 'body'>): string | null {
  const basic = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const encoded = /^basic +(\S+)/i.exec(basic ?? '')?.[1];
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString().split(':')[0] ?? null;
  const { client_id: id } = membersOf(parseJson(body));
  return typeof id === 'string' ? id : new URLSearchParams(body).get('client_id');
}

/**
 * Only a WebSocket leaves HTTP. Node would treat every request with an `Upgrade` header as another
 * protocol, and the client of Java offers `h2c` with each first call.
 */
class ClientMessage extends IncomingMessage {
  declare asksForUpgrade: boolean | null | undefined;

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false;
    return this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? '');
  }

  set upgrade(asked: boolean | null) {
    this.asksForUpgrade = asked;
  }
}

/** `Request` cannot have these methods: the sandbox answers them over its socket. */
const otherMethods: readonly (string | undefined)[] = ['CONNECT', 'TRACE', 'TRACK'];

/** Calls that are judged. The sandbox refuses those with a foreign `Host`, as of a rebound page. */
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
const mostBodyBytes = 32 * 1024 * 1024;

/** The body once all of it has arrived; an upload that breaks off is not a call. */
function readBody(request: IncomingMessage, take: (body: Buffer<ArrayBuffer>) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    // The rest is read but not kept, because a client that still sends does not read the answer.
    if (length <= mostBodyBytes) chunks.push(chunk);
    length += chunk.length;
  });
  request.on('end', () => take(Buffer.concat(chunks)));
}
