// Takes calls as they come, decides those of one turn of the event loop together, and answers them.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Call, Reply } from '../core/call.ts';
import { replyHeaders } from '../host/reading.ts';
import type { Sandbox } from '../host/sandbox.ts';
import type { Answer } from '../host/world-host.ts';

interface Taken {
  readonly call: Call;
  readonly response: ServerResponse;
}

interface Unsent {
  readonly response: ServerResponse;
  readonly body: string;
}

/**
 * Calls are decided in the order in which they came. Decided one after another they find the
 * simulator in the processor's caches; answers that go out one after another wake their callers
 * once: together half as many calls again as each by itself.
 */
export class Turns {
  readonly #sandbox: Sandbox;
  readonly #headers: Readonly<Record<string, string>>;
  #taken: Taken[] = [];
  /** null: whoever has an answer sends it at once. */
  #unsent: Unsent[] | null = null;

  /** `headers` are put on every answer. */
  constructor(sandbox: Sandbox, headers: Readonly<Record<string, string>>) {
    this.#sandbox = sandbox;
    this.#headers = headers;
  }

  take(call: Call, response: ServerResponse): void {
    if (this.#taken.push({ call, response }) === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    const taken = this.#taken;
    const unsent: Unsent[] = [];
    this.#taken = [];
    this.#unsent = unsent;
    for (const { call, response } of taken) this.#decide(call, response);
    this.#unsent = null;
    for (const { response, body } of unsent) response.end(body);
  }

  #decide(call: Call, response: ServerResponse): void {
    let isAnswered = false;
    const answered = (answer: Answer): void => {
      isAnswered = true;
      if (answer.kind === 'reset') cutOff(response.socket);
      else this.#answer(response, answer.reply, answer.requestId, call.method === 'HEAD');
    };
    const host = this.#sandbox.call(call, answered);
    if (isAnswered) return;
    if (response.closed) host.forget(answered);
    else response.once('close', () => host.forget(answered));
  }

  #answer(response: ServerResponse, reply: Reply, requestId: string, isHead: boolean): void {
    const headers = replyHeaders(reply, requestId);
    Object.assign(headers, this.#headers);
    // An answer that names the connection itself would keep open what the caller wants closed.
    if (headers.connection !== undefined && !response.shouldKeepAlive) {
      headers.connection += ', close';
    }
    if (reply.status !== 204) headers['content-length'] = String(Buffer.byteLength(reply.body));
    response.writeHead(reply.status, headers);
    const body = isHead ? '' : reply.body;
    if (this.#unsent === null) response.end(body);
    else this.#unsent.push({ response, body });
  }
}

/**
 * Ends a connection as one that breaks. Where its end is under way already nobody is there to see
 * it; Node 20 would wait for that end for ever, even when its program is over.
 */
function cutOff(socket: Socket | null): void {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
}
