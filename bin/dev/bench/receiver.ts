// A webhook receiver that costs next to nothing: it reads to the end of each request and answers.

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

type Answering = 'ok' | 'fail' | 'hold';

export class Receiver {
  /** `hold` keeps requests waiting until `release`. */
  answering: Answering = 'ok';
  arrived = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #held: Socket[] = [];
  #waiting: { readonly count: number; readonly tell: () => void } | null = null;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when so many requests have arrived in all. */
  until(count: number): Promise<void> {
    if (this.arrived >= count) return Promise.resolve();
    return new Promise((tell) => {
      this.#waiting = { count, tell };
    });
  }

  /** Answers what is held, and all that comes. */
  release(): void {
    this.answering = 'ok';
    const held = this.#held;
    this.#held = [];
    for (const socket of held) this.#answer(socket);
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    let read = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      read = read.length === 0 ? chunk : Buffer.concat([read, chunk]);
      const end = read.indexOf(headEnd);
      if (end < 0) return;
      const length = /content-length: *(\d+)/i.exec(read.toString('latin1', 0, end))?.[1] ?? '0';
      const whole = end + headEnd.length + Number(length);
      if (read.length < whole) return;
      read = read.subarray(whole);
      this.#arrive(socket);
    });
  }

  #arrive(socket: Socket): void {
    this.arrived += 1;
    if (this.answering === 'hold') this.#held.push(socket);
    else this.#answer(socket);
    if (this.#waiting === null || this.arrived < this.#waiting.count) return;
    const { tell } = this.#waiting;
    this.#waiting = null;
    tell();
  }

  #answer(socket: Socket): void {
    const status = this.answering === 'fail' ? '500 Error' : '200 OK';
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`, 'latin1');
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
