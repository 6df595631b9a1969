// A minimal webhook receiver: it reads each request completely and answers.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

export class Receiver {
  /** `hold` keeps requests waiting until `release`. */
  answering: 'ok' | 'fail' | 'hold' = 'ok';
  arrived = 0;
  readonly #server = createServer((socket) => this.#serve(socket));
  #held: Socket[] = [];
  #waiting: { readonly count: number; readonly resolve: () => void } | null = null;

  /** Listens until the process ends. */
  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when this many requests have arrived in total. */
  until(count: number): Promise<void> {
    if (this.arrived >= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting = { count, resolve };
    });
  }

  /** Answers the held requests, and all later ones. */
  release(): void {
    this.answering = 'ok';
    for (const socket of this.#held.splice(0)) this.#answer(socket);
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
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
    if (this.#waiting !== null && this.arrived >= this.#waiting.count) this.#waiting.resolve();
  }

  #answer(socket: Socket): void {
    const status = this.answering === 'fail' ? '500 Error' : '200 OK';
    socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`, 'latin1');
  }
}
