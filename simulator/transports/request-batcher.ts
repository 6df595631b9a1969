// Collects calls, decides those of one turn of the event loop together, and answers them.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, type Reply, replyHeaders } from '../core/call.ts';
import type { BodyFault } from '../core/pipeline/find-fault.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { Answer } from '../host/world/world-host.ts';

/** A call with the connection that it comes from. */
interface PendingCall {
  /** The number that {@link RequestBatcher.begin} gave its request. */
  readonly order: number;
  readonly call: Call;
  readonly socket: Socket;
  readonly response: ServerResponse;
}

/**
 * Deciding calls together keeps the simulator in the processor's caches, and sending their answers
 * together wakes each caller once: two fifths more calls per second than one by one. The order is
 * that in which the requests began.
 */
export class RequestBatcher {
  readonly #sandbox: Sandbox;
  readonly #headers: Readonly<Record<string, string>>;
  #begun = 0;
  #taken: PendingCall[] = [];
  /** Responses to end later; null: they are ended immediately. */
  #unsent: (() => void)[] | null = null;

  /** `headers` are added to every answer. */
  constructor(sandbox: Sandbox, headers: Readonly<Record<string, string>>) {
    this.#sandbox = sandbox;
    this.#headers = headers;
  }

  /** A request begins to arrive; returns its place in the order. */
  begin(): number {
    this.#begun += 1;
    return this.#begun;
  }

  /** A request has arrived completely. */
  take(pending: PendingCall): void {
    if (this.#taken.push(pending) === 1) setImmediate(() => this.flush());
  }

  /** Decides and answers the calls so far, before later work that must follow them. */
  flush(): void {
    if (this.#taken.length === 0) return;
    const taken = this.#taken.sort((one, other) => one.order - other.order);
    const unsent: (() => void)[] = [];
    this.#taken = [];
    this.#unsent = unsent;
    for (const pending of taken) this.#decide(pending);
    this.#unsent = null;
    for (const prepare of this.#sandbox.beforeAnswers) prepare();
    for (const end of unsent) end();
  }

  #decide({ call, socket, response }: PendingCall): void {
    let isAnswered = false;
    const gone = () => host.forget(answered);
    const isHead = call.method === 'HEAD';
    const answered = (answer: Answer): void => {
      isAnswered = true;
      socket.off('close', gone);
      if (answer.kind === 'reset') {
        breakOff(response, 'reset');
        return;
      }
      const { reply, requestId, bodyFault } = answer;
      this.#writeHead(response, reply, requestId);
      const end = () => {
        if (isHead) response.end();
        else if (bodyFault === undefined) response.end(reply.body);
        else void sendUnder(bodyFault, response, reply.body);
      };
      if (this.#unsent === null) end();
      else this.#unsent.push(end);
    };
    const host = this.#sandbox.call(call, answered);
    if (isAnswered) return;
    if (socket.destroyed) gone();
    // While it waits behind others on its connection, an answer gets no `close` event of its own.
    else socket.once('close', gone);
  }

  #writeHead(response: ServerResponse, reply: Reply, requestId: string): void {
    const headers = replyHeaders(reply, requestId);
    if (reply.isForeign !== true) Object.assign(headers, this.#headers);
    // A response with its own Connection header would keep a connection open that the caller wants
    // closed.
    if (headers.connection !== undefined && !response.shouldKeepAlive) {
      headers.connection += ', close';
    }
    if (reply.status !== 204) headers['content-length'] = String(Buffer.byteLength(reply.body));
    response.writeHead(reply.status, headers);
  }
}

async function sendUnder(fault: BodyFault, response: ServerResponse, body: string): Promise<void> {
  response.flushHeaders();
  for await (const piece of piecesUnder(fault, body)) {
    if (response.destroyed) return;
    response.write(piece);
  }
  if (arrivesWhole(fault, body)) response.end();
  else breakOff(response, 'end');
}

const maxPieces = 10;
const longestTimerMs = 2 ** 31 - 1;

export const arrivesWhole = (fault: BodyFault, body: string): boolean =>
  fault.kind === 'slow_body' || Buffer.byteLength(body) <= fault.bytes;

/** The parts of the body that are sent, each when it is due. */
export async function* piecesUnder(fault: BodyFault, body: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body);
  if (fault.kind === 'truncate') {
    if (fault.bytes > 0) yield bytes.subarray(0, fault.bytes);
    return;
  }
  const pieces = Math.min(maxPieces, bytes.byteLength);
  const upTo = (count: number) => Math.floor((bytes.byteLength * count) / pieces);
  for (let sent = 0; sent < pieces; sent += 1) {
    await sleep(Math.min(fault.ms / pieces, longestTimerMs));
    yield bytes.subarray(upTo(sent), upTo(sent + 1));
  }
}

/** Ends the connection after earlier responses: cleanly, or with a reset. */
function breakOff(response: ServerResponse, kind: 'end' | 'reset'): void {
  const cut = (socket: Socket) => {
    if (kind === 'end') socket.destroySoon();
    // If it is already ending, no client is left; Node 20 would wait for that end forever, even
    // when the client's program has ended.
    else if (socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  };
  if (response.socket === null) response.once('socket', cut);
  else cut(response.socket);
}
