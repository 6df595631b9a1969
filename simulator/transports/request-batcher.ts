// Takes calls as they come, decides those of one turn of the event loop together, and answers them.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Call, Reply } from '../core/call.ts';
import { replyHeaders } from '../core/call.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { Answer } from '../host/world/world-host.ts';

interface PendingCall {
  readonly order: number;
  readonly call: Call;
  readonly exchange: Exchange;
}

/** Where a call came from, and where its answer goes. */
export interface Exchange {
  readonly socket: Socket;
  readonly response: ServerResponse;
}

interface UnsentReply {
  readonly response: ServerResponse;
  readonly body: string;
}

/**
 * Decided one after another, calls find the simulator in the processor's caches; answers that go
 * out one after another wake their callers once: together two fifths more calls a second than each
 * by itself. The order is that in which the requests began.
 */
export class RequestBatcher {
  readonly #sandbox: Sandbox;
  readonly #headers: Readonly<Record<string, string>>;
  #begun = 0;
  #taken: PendingCall[] = [];
  /** null: answers are sent at once. */
  #unsent: UnsentReply[] | null = null;

  /** `headers` are put on every answer. */
  constructor(sandbox: Sandbox, headers: Readonly<Record<string, string>>) {
    this.#sandbox = sandbox;
    this.#headers = headers;
  }

  /** A request begins; its call is given to the answered function once all of it has come. */
  begin(exchange: Exchange): (call: Call) => void {
    this.#begun += 1;
    const order = this.#begun;
    return (call) => {
      if (this.#taken.push({ order, call, exchange }) === 1) setImmediate(() => this.flush());
    };
  }

  /**
   * Decides and answers what has come so far: before something else is done that must come after.
   */
  flush(): void {
    if (this.#taken.length === 0) return;
    const taken = this.#taken.sort((one, other) => one.order - other.order);
    const unsent: UnsentReply[] = [];
    this.#taken = [];
    this.#unsent = unsent;
    for (const { call, exchange } of taken) this.#decide(call, exchange);
    this.#unsent = null;
    for (const prepare of this.#sandbox.beforeAnswers) prepare();
    for (const { response, body } of unsent) response.end(body);
  }

  #decide(call: Call, { socket, response }: Exchange): void {
    let isAnswered = false;
    const gone = () => host.forget(answered);
    const isHead = call.method === 'HEAD';
    const answered = (answer: Answer): void => {
      if (answer.kind === 'piece') {
        if (!isHead) response.write(answer.bytes);
        return;
      }
      if (answer.kind === 'begin') {
        this.#writeHead(response, answer.reply, answer.requestId);
        response.flushHeaders();
        return;
      }
      isAnswered = true;
      socket.off('close', gone);
      if (answer.kind === 'reset') this.#cutOff(response, cutOff);
      else if (answer.kind === 'answer') this.#answer(response, answer, isHead);
      else if (answer.isWhole || isHead) response.end();
      else this.#cutOff(response, endEarly);
    };
    const host = this.#sandbox.call(call, answered);
    if (isAnswered) return;
    if (socket.destroyed) gone();
    // An answer that waits behind others on its connection never hears of the connection's end.
    else socket.once('close', gone);
  }

  /** The connection breaks where the answer would be: after those that come before it. */
  #cutOff(response: ServerResponse, how: (socket: Socket) => void): void {
    if (response.socket === null) response.once('socket', how);
    else how(response.socket);
  }

  #writeHead(response: ServerResponse, reply: Reply, requestId: string): void {
    const headers = replyHeaders(reply, requestId);
    if (reply.isForeign !== true) Object.assign(headers, this.#headers);
    // An answer that names the connection itself would keep open what the caller wants closed.
    if (headers.connection !== undefined && !response.shouldKeepAlive) {
      headers.connection += ', close';
    }
    if (reply.status !== 204) headers['content-length'] = String(Buffer.byteLength(reply.body));
    response.writeHead(reply.status, headers);
  }

  #answer(
    response: ServerResponse,
    { reply, requestId }: { readonly reply: Reply; readonly requestId: string },
    isHead: boolean,
  ): void {
    this.#writeHead(response, reply, requestId);
    const body = isHead ? '' : reply.body;
    if (this.#unsent === null) response.end(body);
    else this.#unsent.push({ response, body });
  }
}

/**
 * Ends a connection as one that breaks. If it is ending already there is no client to see
 * it; Node 20 would wait for that end for ever, even when its program is over.
 */
function cutOff(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Ends a connection in order, with what was written of an answer that is not whole. */
function endEarly(socket: Socket): void {
  socket.destroySoon();
}
