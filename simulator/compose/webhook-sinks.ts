// Subscriptions whose deliveries go into an array in this process, without a socket.

import type { Envelope, EventCategory, EventKind } from '../../fixtures/envelope.ts';
import { eventCategories, eventKinds } from '../../fixtures/event-kinds.ts';
import {
  listOf,
  object,
  oneOf,
  orNull,
  type Schema,
  text,
  whole,
} from '../../fixtures/schemas/kit.ts';
import {
  accountSchema,
  orderSchema,
  positionSchema,
  transactionSchema,
} from '../../fixtures/schemas/responses.ts';
import type { Deliverer, DeliveryOutcome, DeliveryRequest } from '../host/delivery/deliverer.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { subscriptionTo } from './forward-receiver.ts';
import { checkArgument, closedMessage, type Waits, waitsOf } from './waits.ts';

/** A delivery as a receiver gets it. */
export interface CollectedDelivery {
  readonly envelope: Envelope;
  /** By lower-case name, as in Node's requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that was signed. */
  readonly body: string;
  /** How many times this event has been delivered here, from 1. */
  readonly attempt: number;
}

/** Members of the envelope that must be equal (`data` at any depth), and the attempt. */
export interface DeliveryMatch {
  readonly id?: string;
  readonly seq?: number;
  readonly category?: EventCategory;
  readonly kind?: EventKind | (string & {});
  readonly occurred_at?: number;
  readonly firm_id?: string;
  readonly brand_id?: string | null;
  readonly account_id?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly attempt?: number;
}

export interface SinkAnswer {
  readonly status: number;
}

type Answering = (delivery: CollectedDelivery) => SinkAnswer | Promise<SinkAnswer>;

export interface WebhookSink extends Waits<CollectedDelivery, DeliveryMatch> {
  /** The current subscription: a reset replaces it. */
  readonly subscription: { readonly id: number; readonly secret: string };
  /** All deliveries since the sink was created or its world replaced, oldest first. */
  readonly deliveries: readonly CollectedDelivery[];
  /** Decides how the next deliveries are answered; 200 until then. */
  readonly answer: (how: Answering) => void;
}

export interface CollectOptions {
  /** Default: all of them. */
  readonly categories?: readonly EventCategory[];
  /** Default: the first firm. */
  readonly firm_id?: string;
}

type Take = Deliverer['deliver'];

const sinkOrigin = 'https://collected.sandbox-sinks.com';
const publicAddress = '93.184.216.34';

const collectSchema = object('Options of collect.', {
  'categories?': listOf(oneOf('A category.', eventCategories), 'Categories.', { minItems: 1 }),
  'firm_id?': text('Id of a firm.'),
});

/** Keeps deliveries that are meant for a sink, and passes all others on. */
export class WebhookSinks implements Deliverer {
  readonly #others: Deliverer;
  /** By URL, the world of a sink and what takes its deliveries. */
  readonly #sinks = new Map<string, { readonly host: WorldHost; readonly take: Take }>();
  #made = 0;

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

  /** Subscribes a new sink to all later events of a world. */
  collect(host: WorldHost, isClosed: () => boolean, options: CollectOptions = {}): WebhookSink {
    checkArgument(collectSchema, options, 'options');
    // A loaded state may hold sinks of an earlier process, with other categories.
    this.detach(host);
    this.#made += 1;
    const url = `${sinkOrigin}/${this.#made}`;
    const { sink, take } = openSink(host, url, isClosed, options);
    this.#sinks.set(url, { host, take });
    // Frees the memory when the world is dropped.
    host.listen(({ kind }) => {
      if (kind === 'closed') this.#sinks.delete(url);
    });
    return sink;
  }

  /** A copy of a world, or a loaded state, delivers nothing to the sinks of another one. */
  detach(host: WorldHost): void {
    for (const { id, url, disabled } of [...host.world.subscriptions.values()]) {
      const isForeign = url.startsWith(sinkOrigin) && this.#sinks.get(url)?.host !== host;
      if (!isForeign || disabled) continue;
      const reason = 'It delivered to a test that is over, or that uses another world.';
      host.execute('disableSubscription', { id: String(id), reason });
    }
  }

  /** Detaches a world from the sinks of others again whenever it is replaced. */
  follow(host: WorldHost): void {
    host.listen(({ kind }) => {
      if (kind === 'world') this.detach(host);
    });
  }
}

/** A new sink, and the function that takes its deliveries. */
function openSink(
  host: WorldHost,
  url: string,
  isClosed: () => boolean,
  options: CollectOptions,
): { readonly sink: WebhookSink; readonly take: Take } {
  const subscribe = () => {
    const { hostname } = new URL(url);
    const { names } = host.world;
    if (!names.has(hostname)) host.execute('setName', { hostname, addresses: [publicAddress] });
    const { id, secret } = subscriptionTo(host, url, options.categories, options.firm_id);
    return { id, secret };
  };
  let subscription = subscribe();
  let deliveries: CollectedDelivery[] = [];
  let answering: Answering = () => ({ status: 200 });
  /** The error in a response of the test's own function; the next wait throws it. */
  let wrongAnswer: TypeError | null = null;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const look of [...listeners]) look();
  };
  // A sink survives a reset or restore of its world, and starts empty there.
  host.listen(({ kind }) => {
    if (kind !== 'world') return;
    deliveries = [];
    subscription = subscribe();
    notify();
  });
  const take = async ({ headers, body }: DeliveryRequest): Promise<DeliveryOutcome> => {
    const envelope = JSON.parse(body) as Envelope;
    const earlier = deliveries.filter((each) => each.envelope.id === envelope.id);
    const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const attempt = earlier.length + 1;
    const delivery = { envelope, headers: Object.fromEntries(lines), body, attempt };
    deliveries.push(delivery);
    notify();
    try {
      const answer = (await answering(delivery)) as SinkAnswer | null | undefined;
      const status = answer?.status;
      if (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599) {
        return { status: status as number, error: null };
      }
      const form =
        'the function given to answer must return { status: a whole number from 100 to 599 }';
      wrongAnswer = new TypeError(`${form}, not ${JSON.stringify(answer)}`);
      return { status: null, error: wrongAnswer.message };
    } catch (error) {
      return { status: null, error: `the test's answer failed: ${(error as Error).message}` };
    }
  };
  const waits = waitsOf<CollectedDelivery, DeliveryMatch>(host, () => {
    if (isClosed()) throw new Error(closedMessage);
    if (wrongAnswer !== null) throw wrongAnswer;
    return {
      nouns: ['delivery', 'deliveries'],
      subscription: subscription.id,
      items: () => deliveries,
      schema: () => matchSchema(host),
      members: ({ envelope, attempt }) => ({ ...envelope, attempt }),
      describe: ({ envelope: { id, kind, account_id: account }, attempt }) =>
        `${kind} ${id} (account ${account ?? 'none'}, attempt ${attempt})`,
      listen: (look) => {
        listeners.add(look);
        return () => listeners.delete(look);
      },
    };
  });
  const sink: WebhookSink = {
    ...waits,
    get subscription() {
      return subscription;
    },
    get deliveries() {
      return deliveries;
    },
    answer: (how) => {
      if (typeof how !== 'function') {
        const example = 'a function, such as () => ({ status: 500 })';
        throw new TypeError(`answer takes ${example}, not ${JSON.stringify(how)}`);
      }
      answering = how;
    },
  };
  return { sink, take };
}

/** Members of an envelope under this world's settings, and kinds that have been seen in it. */
function matchSchema({ world, behaviour }: WorldHost): Schema {
  const { envelope_seq_name: seqName, event_kinds: renamed } = behaviour.settings;
  const names = renamed as Readonly<Record<string, string | null>>;
  const own = new Set<string>(eventKinds.map((kind) => names[kind] ?? kind));
  const seen = new Set(world.events.records.map(({ kind }) => kind));
  const handMade = [...seen].filter((kind) => !own.has(kind));
  return object('What a delivery must have.', {
    'id?': text('Id of the event.'),
    [`${seqName}?`]: whole('Sequence number.', 1, Number.MAX_SAFE_INTEGER),
    'category?': oneOf('Category.', eventCategories),
    'kind?': oneOf('Kind.', [...own, ...handMade]),
    'occurred_at?': whole('Time.', 0, Number.MAX_SAFE_INTEGER),
    'firm_id?': anyId,
    'brand_id?': anyId,
    'account_id?': anyId,
    'data?': handMade.length > 0 ? { type: 'object' } : dataSchema,
    'attempt?': whole('Attempt, from 1.', 1, 1e6),
  });
}

const anyId = orNull(text('An id.'));
const typesOf = new Map<string, Set<string>>();
for (const { properties } of [accountSchema, orderSchema, positionSchema, transactionSchema]) {
  for (const [name, { type }] of Object.entries<Schema>(properties)) {
    const known = typesOf.get(name) ?? new Set();
    typesOf.set(name, new Set([...known, ...[type ?? []].flat(), 'null']));
  }
}

/** The members of all records that events carry, each with its types. */
const dataSchema: Schema = {
  type: 'object',
  description: 'Members of the record.',
  properties: Object.fromEntries([...typesOf].map(([name, types]) => [name, { type: [...types] }])),
  additionalProperties: false,
};
