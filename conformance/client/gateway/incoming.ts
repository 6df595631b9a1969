// Requests as they arrive at the gateway: which of them are calls of the API, and their bodies.
import { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Only a WebSocket leaves HTTP. Node would take every request with an `Upgrade` header for another
 * protocol, and some clients always offer one: that of Java sends `h2c` with each first call.
 */
export class ClientMessage extends IncomingMessage {
  declare asksForUpgrade: boolean | null | undefined;

  get upgrade(): boolean {
    if (this.asksForUpgrade !== true) return false;
    return this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? '');
  }

  set upgrade(asked: boolean | null) {
    this.asksForUpgrade = asked;
  }
}

/** No `Request` can be made of these: the sandbox answers them over its socket. */
const otherMethods: readonly (string | undefined)[] = ['CONNECT', 'TRACE', 'TRACK'];

/** What is judged. What calls by a foreign name, as a rebound page does, the sandbox refuses. */
export function isApiCall({ url = '', method, headers }: IncomingMessage): boolean {
  return url.startsWith('/api/') && !otherMethods.includes(method) && isThisMachine(headers.host);
}

function isThisMachine(host: string | undefined): boolean {
  // HTTP/1.0 knows no such header.
  if (host === undefined) return true;
  const name = host.toLowerCase().replace(/:\d+$/, '');
  if (name === '[::1]' || (isIP(name) === 4 && name.startsWith('127.'))) return true;
  return /^(?:[\w-]+\.)*localhost\.?$/.test(name);
}

/** More than any operation reads, so that the sandbox refuses it as too long. */
const mostBodyBytes = 32 * 1024 * 1024;

/** The body once all of it has come; an upload that breaks off is no call. */
export function readBody(
  request: IncomingMessage,
  take: (body: Buffer<ArrayBuffer>) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    // Beyond the limit it is read, for a client that still sends hears no answer, and not kept.
    if (length <= mostBodyBytes) chunks.push(chunk);
    length += chunk.length;
  });
  request.on('end', () => take(Buffer.concat(chunks)));
}
