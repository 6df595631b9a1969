// HTTP on this machine for the time of a test.
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function withServer<T>(
  listener: RequestListener,
  play: (origin: string) => Promise<T>,
): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await play(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Posts a body with these header lines; the status of the answer, or 0 if there is none. */
export function post(url: string, body: Uint8Array, headers: string[] = []): Promise<number> {
  return new Promise((resolve) => {
    const lines = ['Host', 'x', ...headers] as never;
    const sent = request(url, { method: 'POST', headers: lines }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}
