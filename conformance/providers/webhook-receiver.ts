// A webhook receiver on this machine, shared by all scenarios of a run: one path for each hook, every
// delivery kept raw.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Headers, linesOfRaw } from '../engine/send/headers.ts';
import { readBody } from '../engine/send/read-body.ts';

/** One delivery as it arrived. */
export interface ReceivedDelivery {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** By this machine's clock. */
  readonly atMs: number;
  /** The status of the response; 0 if the connection was cut. */
  readonly answered: number;
}

/** The response of a hook: a status, optionally delayed, optionally with headers, or none at all. */
export interface EndpointAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** The response waits until this is fulfilled. */
  readonly until?: Promise<unknown>;
  readonly cut?: boolean;
}

type Arrival = Omit<ReceivedDelivery, 'answered'>;

export type AnswerPolicy = (arrival: Arrival, count: number) => EndpointAnswer;

/** EVT-8a: every retry comes later than this; EVT-4: an identical delivery before that is a copy. */
export const COPY_WITHIN_MS = 29_000;

/** One endpoint of one scenario. */
export class WebhookEndpoint {
  /** The https URL to subscribe with. */
  readonly url: string;
  /** The address on this machine at which it listens. */
  readonly localUrl: string;
  readonly deliveries: ReceivedDelivery[] = [];
  /**
   * Sends a request of our own to the receiver, and is fulfilled when it has arrived. By then everything
   * that reached this machine earlier has arrived too.
   */
  readonly roundTrip: () => Promise<void>;
  readonly #nowMs: () => number | undefined;
  /** The last time and the response of each delivery, by its bytes. */
  readonly #answered = new Map<string, { atMs: number; answer: EndpointAnswer }>();
  #policy: AnswerPolicy = () => ({ status: 200 });

  constructor(
    url: string,
    localUrl: string,
    roundTrip: () => Promise<void>,
    nowMs: () => number | undefined = Date.now,
  ) {
    this.url = url;
    this.localUrl = localUrl;
    this.roundTrip = roundTrip;
    this.#nowMs = nowMs;
  }

  /** Sets the policy for responses from now on; the default is an immediate 200. */
  answer(policy: AnswerPolicy): void {
    this.#policy = policy;
  }

  /** Keeps a delivery and returns the response to it; a copy is answered in the same way and not kept. */
  take(arrival: Arrival): EndpointAnswer {
    const { headers, body } = arrival;
    const lines = JSON.stringify(headers.lines);
    const name = createHash('sha1').update(lines).update(body).digest('base64');
    const atMs = this.#nowMs();
    const before = atMs === undefined ? undefined : this.#answered.get(name);
    if (before !== undefined && atMs! - before.atMs < COPY_WITHIN_MS) return before.answer;
    const answer = this.#policy(arrival, this.deliveries.length + 1);
    if (atMs !== undefined) this.#answered.set(name, { atMs, answer });
    this.deliveries.push({ ...arrival, answered: answer.cut === true ? 0 : answer.status });
    return answer;
  }
}

/** Longer than any machine takes to reach its own port. */
const ROUND_TRIP_TIMEOUT_MS = 15_000;

/** The largest delivery that is read. */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024;

/** The origin of a receiver without a server: nothing can connect to it. */
const UNREACHED = 'http://127.0.0.1:9';

export class WebhookReceiver {
  readonly #server: Server | undefined;
  readonly #hooks = new Map<string, WebhookEndpoint>();
  /** Unique to this run, so that a late delivery of an earlier run is not mistaken for one of this run. */
  readonly #mark = randomBytes(3).toString('hex');
  #count = 0;

  /** Without a server: only a sender in this process reaches it, through `take`. */
  constructor(server?: Server) {
    this.#server = server;
    server?.on('request', (request, response) => {
      this.#read(request, response).catch(() => response.destroy());
    });
  }

  static async listen(host = '127.0.0.1', port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    // Node drops header lines after the first 2000 by default.
    server.maxHeadersCount = 0;
    const receiver = new WebhookReceiver(server);
    server.listen(port, host);
    await once(server, 'listening');
    server.unref();
    return receiver;
  }

  /** The address at which it listens: `http://127.0.0.1:41234`. */
  get origin(): string {
    if (this.#server === undefined) return UNREACHED;
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  }

  /**
   * A new endpoint. `publicUrl` returns its public URL from its name, which must stay in the
   * path. `nowMs` is the clock of the target, from any origin; undefined
   * while it is advanced so far that a retry may come.
   */
  hook(publicUrl: (name: string) => string, nowMs?: () => number | undefined): WebhookEndpoint {
    this.#count += 1;
    const name = `hook-${this.#mark}-${this.#count}`;
    const localUrl = `${this.origin}/${name}`;
    const endpoint = new WebhookEndpoint(publicUrl(name), localUrl, () => this.#roundTrip(), nowMs);
    this.#hooks.set(name, endpoint);
    return endpoint;
  }

  /** Drops an endpoint that is no longer needed; late deliveries are answered 404. */
  forget(endpoint: WebhookEndpoint): void {
    this.#hooks.delete(endpoint.localUrl.slice(this.origin.length + 1));
  }

  async #roundTrip(): Promise<void> {
    const { address, port } = this.#server!.address() as AddressInfo;
    const host = address === '0.0.0.0' || address === '::' ? 'localhost' : address;
    const sent = get({ host, port, path: '/', agent: false, timeout: ROUND_TRIP_TIMEOUT_MS });
    sent.once('timeout', () => sent.destroy());
    try {
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'close');
    } catch {
      // The receiver cannot reach its own URL, and has waited long enough.
    }
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve());
  }

  async #read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, { limitBytes: BODY_LIMIT_BYTES });
    const { method = '', url = '/', rawHeaders } = request;
    // A target may check a URL before it delivers to it.
    if (method === 'HEAD' || method === 'OPTIONS') return void response.writeHead(200).end();
    const answer = this.take({ method, url, headers: new Headers(linesOfRaw(rawHeaders)), body });
    if (answer === undefined) return void response.writeHead(404).end();
    const { status, headers = {}, delayMs = 0, until, cut = false } = answer;
    const reply = () => {
      if (cut) response.destroy();
      else response.writeHead(status, headers).end();
    };
    if (until !== undefined) void until.then(reply, reply);
    else if (delayMs > 0) setTimeout(reply, delayMs).unref();
    else reply();
  }

  /**
   * The response to a delivery from the network or from a sender in this process; undefined if its URL
   * is no endpoint's.
   */
  take(arriving: Omit<Arrival, 'atMs'>): EndpointAnswer | undefined {
    const name = arriving.url.split(/[/?]/).find((part) => this.#hooks.has(part)) ?? '';
    return this.#hooks.get(name)?.take({ ...arriving, atMs: Date.now() });
  }
}
