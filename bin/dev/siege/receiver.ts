// A receiver of webhooks with bad days: it fails, redirects, hangs up, is slow, or says too much.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Draw } from '../../../simulator/core/testing/random-inputs.ts';

const slowMs = 150;
const large = Buffer.alloc(256 * 1024, 'x');

export class Receiver {
  readonly #server: Server;
  arrived = 0;

  static async start(draw: Draw): Promise<Receiver> {
    const receiver = new Receiver(draw);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  private constructor(draw: Draw) {
    this.#server = createServer((request, response) => {
      request.resume();
      request.once('end', () => {
        this.arrived += 1;
        const day = draw(20);
        if (day === 0) response.destroy();
        else if (day === 1) response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
        else if (day === 2) setTimeout(() => response.writeHead(204).end(), slowMs);
        else if (day === 3) response.writeHead(200).end(large);
        else response.writeHead(day < 8 ? 500 : 204).end();
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Ends the connections that wait for a next delivery. */
  hangUp(): void {
    this.#server.closeIdleConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
