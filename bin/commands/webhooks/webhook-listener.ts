// A receiver that verifies and reports what arrives.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody } from '../../../simulator/host/bodies/read-body.ts';
import { type Diagnosis, diagnoseWebhook } from '../../../simulator/webhooks.ts';

export interface ListenerOptions {
  readonly port: number;
  readonly host: string;
  /** Without one nothing is verified. */
  readonly secret: string | undefined;
  readonly previousSecret?: string | undefined;
  /** Names of the two headers, in any case. */
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
  /** The status of every response; null: 204 to what verifies and 400 to what does not. */
  readonly status: number | null;
  readonly onArrival: (arrival: Arrival) => void;
}

/** One request as it came. */
export interface Arrival {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly subscription: string | null;
  readonly signature: string | null;
  readonly bodyBytes: number;
  /** The event's id, kind and sequence number, as far as the body has them; verified or not. */
  readonly event: {
    readonly id: string;
    readonly kind: string;
    readonly seq: number | null;
  } | null;
  /** An event with this id verified before: at least once means it may come again (EVT-4). */
  readonly seenBefore: boolean;
  /** null without a secret. */
  readonly diagnosis: Diagnosis | null;
  readonly body: string;
  readonly answered: number;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

const maxBodyBytes = 10 * 1024 * 1024;

/** Listens until closed. Rejects with the system's error when the port cannot be had. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const seen = new SeenDeliveries();
  const server = createServer((request, response) => {
    receive(request, response, options, seen).catch((error: Error) => {
      // The sender closed the connection in the middle: no response is possible.
      if (!request.destroyed && !response.destroyed) throw error;
    });
  });
  // Node leaves out what comes after the first 2000, such as a second signature.
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
  seen: SeenDeliveries,
): Promise<void> {
  // Null when it is larger than any delivery could be.
  const body = await new Promise<Uint8Array | null>((resolve) =>
    readBody(request, maxBodyBytes, resolve),
  );
  if (body === null) {
    response.writeHead(413).end();
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end('deliveries are POSTed\n');
    return;
  }
  const signature = headerText(request, options.signatureHeader);
  const { secret, previousSecret } = options;
  const diagnosis =
    secret === undefined
      ? null
      : diagnoseWebhook({ header: signature, body, secret, previousSecret });
  const isAccepted = diagnosis === null || diagnosis.verified;
  const event = findEvent(body);
  const answered = options.status ?? (isAccepted ? 204 : 400);
  // Reported before it is answered: a sender with the answer can rely on the report.
  options.onArrival({
    atMs: Date.now(),
    method: request.method,
    path: request.url ?? '/',
    subscription: headerText(request, options.subscriptionHeader),
    signature,
    bodyBytes: body.length,
    event,
    seenBefore: isAccepted && event !== null && seen.again(event.id),
    diagnosis,
    body: Buffer.from(body).toString('utf8'),
    answered,
  });
  response.writeHead(answered).end();
}

function headerText(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name.toLowerCase()];
  return (Array.isArray(value) ? value.join(',') : value) ?? null;
}

function findEvent(body: Uint8Array): Arrival['event'] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (value === null || typeof value !== 'object') return null;
  const { id, kind, seq } = value as Record<string, unknown>;
  if (typeof id !== 'string') return null;
  return {
    id,
    kind: typeof kind === 'string' ? kind : '',
    seq: typeof seq === 'number' ? seq : null,
  };
}

/** Remembers the last thousands of ids in two generations, so that memory is bounded. */
class SeenDeliveries {
  #young = new Set<string>();
  #old = new Set<string>();

  again(id: string): boolean {
    if (this.#young.has(id) || this.#old.has(id)) return true;
    this.#young.add(id);
    if (this.#young.size >= 10_000) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    return false;
  }
}
