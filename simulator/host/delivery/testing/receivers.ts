// For tests of delivery: receivers on loopback, a certificate, and delivery requests to them.
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eachWith } from '../../testing/each-with.ts';
import { CancelToken, type Deliverer, type DeliveryRequest } from '../deliverer.ts';
import { undiciDeliverer } from '../undici-deliverer.ts';

const servers = new Set<Server | HttpServer>();
const sockets = new Set<Socket>();

/** Gives each test of a suite its own deliverer, and closes it and all receivers afterwards. */
export function withDeliverer(tests: Parameters<typeof eachWith<'deliverer', Deliverer>>[0]): void {
  eachWith(tests, 'deliverer', async () => undiciDeliverer());
  tests.after.each(async () => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    servers.clear();
  });
}

/** Listens on a free port of 127.0.0.1 until the end of the test, and returns the port. */
export async function listen(server: Server | HttpServer): Promise<number> {
  servers.add(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A receiver that writes raw bytes, and gets the first bytes of every connection. */
export async function rawReceiver(onRequest: (socket: Socket, head: string) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => onRequest(socket, chunk.toString()));
  });
  const port = await listen(server);
  return { port, connections: () => connections, close: () => server.close() };
}

/** A delivery to that URL, by default as to a forward. */
export function requestTo(url: string, options: Partial<DeliveryRequest> = {}): DeliveryRequest {
  return {
    url,
    headers: { 'content-type': 'application/json', 'x-webhook-signature': 't=1,v1=00' },
    body: '{"seq":1}',
    addresses: null,
    refuseAddress: () => null,
    answerLimitMs: 2000,
    followsRedirects: false,
    cancelToken: new CancelToken(),
    ...options,
  };
}

/**
 * A self-signed test certificate for hooks.example.com, valid from 2020 to 2120. It protects
 * nothing.
 */
export const certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzzVghO8YLOSWMKIx
tOWJ3ROcOBhVpdIrkqL//nf2uKehRANCAAQ5bNefLCKkzENfuKh7f5humDPHbh7r
GsKIzpqOXhTUxHAkdXRbSgBs4sP4q5300MHiuomn8tn4F8cwZ8ZCijj9
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBeDCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAQ5bNefLCKkzENfuKh7f5humDPHbh7rGsKIzpqOXhTUxHAkdXRbSgBs4sP4
q5300MHiuomn8tn4F8cwZ8ZCijj9o1AwTjAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSAUQJsUZYHPfUMu8T4
nYBrtWL36jAKBggqhkjOPQQDAgNHADBEAiBlACnboHtazafEIo/T6tNoQDiYpT6J
ygZvRBrCgNHNjwIgZzHuL0PAXLfdJwBV4VFFz9/7edDqcSk4cXLW/xeV3a4=
-----END CERTIFICATE-----
`,
};
