// An HTTP server on this machine for the time of a test.
import { createServer, type RequestListener } from 'node:http';
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
