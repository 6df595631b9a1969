// Subscriptions whose deliveries go into an array in this process, without a socket.
import type { Deliverer, DeliveryOutcome, DeliveryRequest } from '../host/delivery/deliverer.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { closedMessage, expectNone, type WaitOptions, waitFor } from './wait-for.ts';

export type WebhookCategory = 'account' | 'order' | 'position' | 'transaction';

/** A delivery as a receiver sees it. */
export interface CollectedDelivery {
  readonly envelope: Readonly<Record<string, unknown>> & { readonly id: string };
  /** By name in lower case, as Node shows those of a request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that was signed. */
  readonly body: string;
  /** How often this event has come here, from 1. */
  readonly attempt: number;
}

export interface SinkAnswer {
  readonly status: number;
}

export interface WebhookSink {
  readonly subscription: { readonly id: number; readonly secret: string };
  /** Everything that has come, oldest first. */
  readonly deliveries: readonly CollectedDelivery[];
  /** Deliveries whose envelope has these members, those that have come already among them. */
  readonly waitFor: (
    match?: Readonly<Record<string, unknown>>,
    options?: WaitOptions,
  ) => Promise<CollectedDelivery[]>;
  readonly expectNone: (
    match?: Readonly<Record<string, unknown>>,
    options?: { readonly withinMs?: number },
  ) => Promise<void>;
  /** How the next deliveries are answered; 200 until then. */
  readonly answer: (how: (delivery: CollectedDelivery) => SinkAnswer | Promise<SinkAnswer>) => void;
}

export interface CollectOptions {
  /** All of them when left out. */
  readonly categories?: readonly WebhookCategory[];
  /** The first firm when left out. */
  readonly firm_id?: string;
}

const sinkHostname = 'collected.sandbox-sinks.com';
const publicAddress = '93.184.216.34';
const everyCategory: readonly WebhookCategory[] = ['account', 'order', 'position', 'transaction'];

/** Keeps what is meant for a sink, and hands everything else on. */
export class WebhookSinks implements Deliverer {
  readonly #others: Deliverer;
  readonly #sinks = new Map<string, Sink>();

  constructor(others: Deliverer) {
    this.#others = others;
  }

  deliver(request: DeliveryRequest): Promise<DeliveryOutcome> {
    const sink = this.#sinks.get(request.url);
    return sink === undefined ? this.#others.deliver(request) : sink.take(request);
  }

  resolve(hostname: string): Promise<readonly string[]> {
    return this.#others.resolve(hostname);
  }

  close(): Promise<void> {
    return this.#others.close();
  }

  /** Subscribes a new sink to what happens in a world from now on. */
  collect(host: WorldHost, isClosed: () => boolean, options: CollectOptions = {}): WebhookSink {
    const url = `https://${sinkHostname}/${this.#sinks.size + 1}`;
    const firmId = options.firm_id ?? host.world.firms.keys().next().value ?? '1';
    host.execute('setName', { hostname: sinkHostname, addresses: [publicAddress] });
    const outcome = host.execute('makeSubscription', {
      firm_id: firmId,
      url,
      event_categories: categoriesOf(options),
    });
    if ('refused' in outcome) {
      throw new TypeError(`${outcome.refused.field}: ${outcome.refused.message}`);
    }
    const { subscription } = outcome.value as { subscription: WebhookSink['subscription'] };
    const { id, secret } = subscription;
    const sink = new Sink({ id, secret }, host, isClosed);
    this.#sinks.set(url, sink);
    return sink;
  }
}

class Sink implements WebhookSink {
  readonly subscription: WebhookSink['subscription'];
  readonly deliveries: CollectedDelivery[] = [];
  readonly #host: WorldHost;
  readonly #isClosed: () => boolean;
  readonly #listeners = new Set<() => void>();
  #how: (delivery: CollectedDelivery) => SinkAnswer | Promise<SinkAnswer> = () => ({ status: 200 });

  constructor(subscription: WebhookSink['subscription'], host: WorldHost, isClosed: () => boolean) {
    this.subscription = subscription;
    this.#host = host;
    this.#isClosed = isClosed;
  }

  async take({ headers, body }: DeliveryRequest): Promise<DeliveryOutcome> {
    const envelope = JSON.parse(body) as CollectedDelivery['envelope'];
    const earlier = this.deliveries.filter((each) => each.envelope.id === envelope.id);
    const delivery = {
      envelope,
      headers: lowerCased(headers),
      body,
      attempt: earlier.length + 1,
    };
    this.deliveries.push(delivery);
    for (const look of [...this.#listeners]) look();
    try {
      return { status: (await this.#how(delivery)).status, error: null };
    } catch (error) {
      return { status: null, error: `the sink failed: ${(error as Error).message}` };
    }
  }

  readonly answer: WebhookSink['answer'] = (how) => {
    this.#how = how;
  };

  readonly waitFor: WebhookSink['waitFor'] = async (match = {}, options) => [
    ...(await waitFor(this.#waited(match), options)),
  ];

  readonly expectNone: WebhookSink['expectNone'] = async (match = {}, options) =>
    expectNone(this.#waited(match), options);

  #waited(match: Readonly<Record<string, unknown>>) {
    if (this.#isClosed()) throw new Error(closedMessage);
    return {
      found: () => this.deliveries.filter(({ envelope }) => hasMembers(envelope, match)),
      listen: (look: () => void, closed: () => void) => {
        this.#listeners.add(look);
        const stop = this.#host.listen(({ kind }) => {
          if (kind === 'closed') closed();
        });
        return () => {
          stop();
          this.#listeners.delete(look);
        };
      },
      words: () => `delivery ${JSON.stringify(match)}; ${this.#told()}`,
    };
  }

  #told(): string {
    if (this.deliveries.length === 0) return 'nothing was delivered';
    const lines = this.deliveries.slice(-10).map(({ envelope, attempt }) => {
      const { id, kind, account_id } = envelope;
      return `  ${String(kind)} ${id} (account ${String(account_id)}, attempt ${attempt})`;
    });
    return `what was delivered (${this.deliveries.length}), the last:\n${lines.join('\n')}`;
  }
}

function hasMembers(
  envelope: Readonly<Record<string, unknown>>,
  match: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(match).every(
    ([name, value]) => JSON.stringify(envelope[name]) === JSON.stringify(value),
  );
}

/** In JavaScript nobody else notices a name that there is not: nothing would ever come. */
function categoriesOf({ categories = everyCategory }: CollectOptions): readonly WebhookCategory[] {
  const isList = Array.isArray(categories) && categories.length > 0;
  if (isList && categories.every((each) => everyCategory.includes(each))) return categories;
  const given = JSON.stringify(categories);
  throw new TypeError(`categories must be a list of ${everyCategory.join(', ')}, not ${given}`);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(lines);
}
