// A faulty gateway in front of a target: the fault of each request is drawn at random.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERROR_PAGES, type NetworkFault, UNSEEN } from './network-faults.ts';

export interface ChaosProxyOptions {
  readonly target: string;
  readonly draw: () => NetworkFault | undefined;
  /** The delay of a slow response, in milliseconds. */
  readonly slowMs?: number;
  /** Shifts the `Date` of every response by this many milliseconds. */
  readonly skewMs?: number;
}

export interface ChaosProxy {
  readonly url: string;
  /** How often each fault was injected. */
  readonly injected: ReadonlyMap<NetworkFault, number>;
  close(): Promise<void>;
}

/** Requests to the control plane pass through unchanged. */
const CONTROL = '/_sandbox';

export async function startChaosProxy(options: ChaosProxyOptions): Promise<ChaosProxy> {
  const agent = new Agent({ keepAlive: true });
  const happened = new Map<NetworkFault, number>();
  const server = createServer((incoming, response) => {
    const fault = incoming.url?.startsWith(CONTROL) ? undefined : options.draw();
    if (fault !== undefined) happened.set(fault, (happened.get(fault) ?? 0) + 1);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (fault === 'reset-before') return void incoming.socket.resetAndDestroy();
      const page = fault && UNSEEN.has(fault) && ERROR_PAGES[fault];
      if (page) return void response.writeHead(page.status, page.headers).end(page.body);
      pass(options, agent, incoming, response, Buffer.concat(chunks), fault);
    });
  });
  server.on('upgrade', (incoming, socket, head) => tunnel(options.target, incoming, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    injected: happened,
    async close() {
      server.closeAllConnections();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The events channel is passed through. */
function tunnel(target: string, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { hostname, port } = new URL(target);
  const onward = connect(Number(port), hostname, () => {
    const { method, url, rawHeaders } = incoming;
    const lines = [`${method} ${url} HTTP/1.1`];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    }
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  for (const [one, other] of [
    [socket, onward],
    [onward, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

/** Passes a request to the target; the response may get lost, be replaced or be delayed. */
function pass(
  { target, slowMs = 0, skewMs = 0 }: ChaosProxyOptions,
  agent: Agent,
  incoming: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  fault: NetworkFault | undefined,
): void {
  const { method, rawHeaders, url = '/' } = incoming;
  const headers = rawHeaders as unknown as string[];
  const onward = request(target + url, { method, headers, agent }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      if (fault === 'reset-after') return void incoming.socket.resetAndDestroy();
      const page = fault && ERROR_PAGES[fault];
      if (page) return void response.writeHead(page.status, page.headers).end(page.body);
      const whole = Buffer.concat(chunks);
      const send = () => relay(response, answer, whole, fault === 'truncated', skewMs);
      const sending = setTimeout(send, fault === 'slow' ? slowMs : 0);
      // A client that gave up gets no response.
      response.on('close', () => clearTimeout(sending));
    });
    answer.on('error', () => response.destroy());
  });
  onward.on('error', () => response.destroy());
  // If the client gives up, cancel the request to the target too.
  response.on('close', () => {
    if (!response.writableFinished) onward.destroy();
  });
  onward.end(body);
}

function relay(
  response: ServerResponse,
  answer: IncomingMessage,
  body: Buffer,
  truncated: boolean,
  skewMs: number,
): void {
  const lines = [...answer.rawHeaders];
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]!.toLowerCase() !== 'date' || skewMs === 0) continue;
    lines[at + 1] = new Date(Date.parse(lines[at + 1]!) + skewMs).toUTCString();
  }
  response.sendDate = false;
  response.writeHead(answer.statusCode!, lines);
  if (!truncated) return void response.end(body);
  response.write(body.subarray(0, Math.floor(body.length / 2)));
  setTimeout(() => response.destroy(), 5);
}
