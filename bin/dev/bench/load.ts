// A small HTTP load generator: keep-alive connections that each wait for a response before the next
// request. It writes and reads the bytes itself, so that it uses less CPU than any server under load.
import { connect, type Socket } from 'node:net';

interface Load {
  readonly port: number;
  readonly durationMs: number;
  /** The whole next request, head and body, in one-byte characters. */
  readonly next: () => string;
  readonly connections?: number;
}

/** Drives a server for a while; rejects if a connection ends or a response cannot be parsed. */
export async function drive({ port, durationMs, next, connections = 50 }: Load) {
  const statuses = new Map<number, number>();
  const sockets: Socket[] = [];
  const startedAtMs = performance.now();
  let answered = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      let running = connections;
      const open = () => {
        const read = answerReader();
        const onread = {
          // One buffer per connection, reused for every response.
          buffer: Buffer.allocUnsafe(64 * 1024),
          callback: (length: number, buffer: Uint8Array) => {
            const status = read(buffer as Buffer, length);
            if (status === 0) return true;
            answered += 1;
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            if (performance.now() - startedAtMs < durationMs) socket.write(next(), 'latin1');
            else if (--running === 0) resolve();
            return true;
          },
        };
        const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
        socket.on('connect', () => socket.write(next(), 'latin1'));
        socket.on('error', reject);
        socket.on('close', () => reject(new Error(`port ${port} closed a connection`)));
        sockets.push(socket);
      };
      for (let n = 0; n < connections; n += 1) open();
    });
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
  return { answered, statuses, seconds: (performance.now() - startedAtMs) / 1000 };
}

/** Assembles the bytes of one response: returns its status when it is complete, otherwise 0. */
function answerReader(): (buffer: Buffer, length: number) => number {
  let held: Buffer | undefined;
  return (buffer, length) => {
    const fresh = buffer.subarray(0, length);
    const bytes = held ? Buffer.concat([held, fresh]) : fresh;
    const end = bytes.indexOf('\r\n\r\n');
    if (end >= 0) {
      const head = bytes.toString('latin1', 0, end);
      const size = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (size === undefined) throw new Error(`an answer without content-length:\n${head}`);
      if (bytes.length >= end + 4 + Number(size)) {
        held = undefined;
        return Number(head.slice(9, 12));
      }
    }
    // The buffer is overwritten by the next read, so an incomplete response must be copied.
    held = Buffer.from(bytes);
    return 0;
  };
}

const bodyBytes = 250;
let count = 0;

interface RequestOptions {
  readonly port: number;
  readonly token: string;
  /** All requests but the first are replays. */
  readonly sameKey?: boolean;
}

/** Makes `POST /api/v1/accounts` requests of one length, each with a new key. */
export function createAccountRequests({ port, token, sameKey = false }: RequestOptions) {
  const head =
    `POST /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${bodyBytes}\r\nIdempotency-Key: `;
  const make = () => {
    count += 1;
    const serial = String(count).padStart(12, '0');
    const start =
      `{"client_reference_id":"client-${serial}","email":"person-${serial}@example.com",` +
      `"first_name":"Margaret","last_name":"Hamilton","country":"US","language":"en",` +
      `"brand_id":"10","comment":"`;
    return `${head}key-${serial}\r\n\r\n${start}${'x'.repeat(bodyBytes - start.length - 2)}"}`;
  };
  const repeated = make();
  return sameKey ? () => repeated : make;
}
