// The proxy between a client and the sandbox for one run: it records every call, and the fault of
// the run decides what becomes of it.
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { type HeaderLine, linesOfRaw } from '../../engine/send/headers.ts';
import type { ApiCall, ApiResponse, Fate } from '../call.ts';
import type { Backstage, Fault, Met, Treatment } from '../faults/fault.ts';
import { Intents } from '../intents.ts';
import { parseJson } from '../json.ts';
import { findOperation } from '../operations.ts';
import type { SandboxWorld } from '../port.ts';
import { Credentials } from './credentials.ts';
import { ClientMessage, isApiCall, readBody } from './incoming.ts';

/** Filled in as the call goes on; what is read of it is the same in the end. */
type Growing = { -readonly [Name in keyof ApiCall]: ApiCall[Name] };

export class Gateway {
  readonly calls: ApiCall[] = [];
  readonly credentials: Credentials;
  followsEvents = false;
  /** Called after each call, when the judge may have seen enough. */
  onCall: () => void = () => undefined;
  readonly #world: SandboxWorld;
  readonly #fault: Fault;
  readonly #server: Server;
  readonly #intents = new Intents();
  readonly #backstage: Backstage;
  readonly #piped = new Set<Socket>();
  readonly #lastOn = new WeakMap<Socket, Growing>();
  /** Bodies as they came: what is no UTF-8 is for the platform to refuse. */
  readonly #bytes = new WeakMap<ApiCall, Buffer<ArrayBuffer>>();
  #startedAtMs = performance.now();
  #firstToken: ApiResponse | null = null;
  #isFrozen = false;
  #isClosed = false;

  constructor(world: SandboxWorld, fault: Fault) {
    this.#world = world;
    this.#fault = fault;
    this.credentials = new Credentials(world.secrets);
    this.#backstage = {
      send: ({ method, target, headers, body }) =>
        this.#ask(method, target, Object.entries(headers), body),
      otherToken: world.otherToken,
      nowMs: () => this.#nowMs(),
    };
    // The server's own timeouts would be a fault that no check has ordered.
    const IncomingMessage = ClientMessage;
    const limits = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
    this.#server = createServer({ ...limits, IncomingMessage });
    // Node leaves out what comes after the first 2000, and the judge sees everything.
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

  /** The command is about to be ended; connections that close from now on show nothing. */
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
    const met: Met = { ...call, isFirst, clientId, isIssued };
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
    const operation = findOperation(method, path);
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
      fate: 'answered' satisfies Fate,
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
   * AUTH-3b: a fault makes a client ask more often than it would. Where something else goes wrong
   * the limit must not come in between: a token that was given out before is given out again.
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
      // As bytes, so that no content type is made up for it.
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
    // A client that left while this program was busy is noticed at the next look at its connections,
    // between timers and immediates.
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

  #cut(call: Growing, response: ServerResponse, fate: Fate): void {
    call.fate = fate;
    call.answeredAtMs = this.#nowMs();
    const { socket } = response;
    // Node 20 waits for ever for the end of a connection that is reset while it ends.
    if (socket?.writableEnded) socket.destroy();
    else socket?.resetAndDestroy();
  }

  /** The control plane, documents and the dashboard are not what is judged. */
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

  /** The events channel: another protocol, of which nothing is judged. */
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
