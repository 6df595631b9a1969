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
import { findEvent } from '../core/world.ts';
import type { Deliverer, DeliveryOutcome, DeliveryRequest } from '../host/delivery/deliverer.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { checkArgument, closedMessage, type Source, type Waits, waitsOf } from './waits.ts';

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

const sinkOrigin = 'https://collected.sandbox-sinks.com';
const publicAddress = '93.184.216.34';

const collectSchema = object('Options of collect.', {
  'categories?': listOf(oneOf('A category.', eventCategories), 'Categories.', { minItems: 1 }),
  'firm_id?': text('Id of a firm.'),
});

/** Keeps deliveries that are meant for a sink, and passes all others on. */
export class WebhookSinks implements Deliverer {
  readonly #others: Deliverer;
  readonly #sinks = new Map<string, Sink>();
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
    this.#made += 1;
    const url = `${sinkOrigin}/${this.#made}`;
    const sink = new Sink({ url, host, isClosed, options });
    this.#sinks.set(url, sink);
    // Frees the memory when the world is dropped.
    host.listen(({ kind }) => {
      if (kind === 'closed') this.#sinks.delete(url);
    });
    return sink;
  }

  /** A copy of a world has no sinks, so it delivers nothing to those of the original. */
  detach(copy: WorldHost): void {
    for (const { id, url, disabled } of [...copy.world.subscriptions.values()]) {
      if (url.startsWith(sinkOrigin) && !disabled) {
        const reason = 'It delivered to a test of the world that this one is a copy of.';
        copy.execute('disableSubscription', { id: String(id), reason });
      }
    }
  }
}

interface SinkParts {
  readonly url: string;
  readonly host: WorldHost;
  readonly isClosed: () => boolean;
  readonly options: CollectOptions;
}

class Sink implements WebhookSink {
  subscription: WebhookSink['subscription'];
  deliveries: CollectedDelivery[] = [];
  readonly #parts: SinkParts;
  readonly #listeners = new Set<() => void>();
  readonly waitFor: WebhookSink['waitFor'];
  readonly expectNone: WebhookSink['expectNone'];
  #how: Answering = () => ({ status: 200 });
  /** The error in a response of the test's own function; the next wait throws it. */
  #wrongAnswer: TypeError | null = null;

  constructor(parts: SinkParts) {
    this.#parts = parts;
    const waits = waitsOf<CollectedDelivery, DeliveryMatch>(parts.host, () => this.#source());
    this.waitFor = waits.waitFor;
    this.expectNone = waits.expectNone;
    this.subscription = this.#subscribe();
    // A sink survives a reset or restore of its world, and starts empty there.
    parts.host.listen(({ kind }) => {
      if (kind !== 'world') return;
      this.deliveries = [];
      this.subscription = this.#subscribe();
      this.#look();
    });
  }

  #subscribe(): WebhookSink['subscription'] {
    const { host, url, options } = this.#parts;
    for (const { id, secret, url: known, disabled } of host.world.subscriptions.values()) {
      if (known === url && !disabled) return { id, secret };
    }
    host.execute('setName', { hostname: new URL(url).hostname, addresses: [publicAddress] });
    const outcome = host.execute('makeSubscription', {
      firm_id: options.firm_id ?? host.world.firms.keys().next().value ?? '1',
      url,
      event_categories: options.categories ?? eventCategories,
    });
    if ('refused' in outcome) {
      throw new TypeError(`${outcome.refused.field} ${outcome.refused.message}`);
    }
    const { id, secret } = outcome.value.subscription;
    return { id, secret };
  }

  async take({ headers, body }: DeliveryRequest): Promise<DeliveryOutcome> {
    const envelope = JSON.parse(body) as Envelope;
    const earlier = this.deliveries.filter((each) => each.envelope.id === envelope.id);
    const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const attempt = earlier.length + 1;
    const delivery = { envelope, headers: Object.fromEntries(lines), body, attempt };
    this.deliveries.push(delivery);
    this.#look();
    try {
      const answer = (await this.#how(delivery)) as SinkAnswer | null | undefined;
      const status = answer?.status;
      if (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599) {
        return { status: status as number, error: null };
      }
      const form =
        'the function given to answer must return { status: a whole number from 100 to 599 }';
      this.#wrongAnswer = new TypeError(`${form}, not ${JSON.stringify(answer)}`);
      return { status: null, error: this.#wrongAnswer.message };
    } catch (error) {
      return { status: null, error: `the test's answer failed: ${(error as Error).message}` };
    }
  }

  readonly answer: WebhookSink['answer'] = (how) => {
    if (typeof how !== 'function') {
      const example = 'a function, such as () => ({ status: 500 })';
      throw new TypeError(`answer takes ${example}, not ${JSON.stringify(how)}`);
    }
    this.#how = how;
  };

  #look(): void {
    for (const look of [...this.#listeners]) look();
  }

  #source(): Source<CollectedDelivery> {
    const { host, isClosed } = this.#parts;
    if (isClosed()) throw new Error(closedMessage);
    if (this.#wrongAnswer !== null) throw this.#wrongAnswer;
    return {
      nouns: ['delivery', 'deliveries'],
      subscription: this.subscription.id,
      items: () => this.deliveries,
      schema: () => matchSchema(host),
      members: ({ envelope, attempt }) => ({ ...envelope, attempt }),
      describe: ({ envelope: { id, kind, account_id: account }, attempt }) =>
        `${kind} ${id} (account ${account ?? 'none'}, attempt ${attempt})`,
      listen: (look) => {
        this.#listeners.add(look);
        return () => this.#listeners.delete(look);
      },
    };
  }
}

/** Members of an envelope under this world's settings, and kinds that have been seen in it. */
function matchSchema({ world, behaviour }: WorldHost): Schema {
  const { envelope_seq_name: seqName, event_kinds: renamed } = behaviour.settings;
  const own = new Set<string>();
  for (const kind of eventKinds) own.add((renamed as Record<string, string | null>)[kind] ?? kind);
  const handMade = new Set<string>();
  for (let seq = world.events.lastSeq; seq > 0; seq -= 1) {
    const event = findEvent(world, seq);
    if (event === undefined) break;
    if (!own.has(event.kind)) handMade.add(event.kind);
  }
  return object('What a delivery must have.', {
    'id?': text('Id of the event.'),
    [`${seqName}?`]: whole('Sequence number.', 1, Number.MAX_SAFE_INTEGER),
    'category?': oneOf('Category.', eventCategories),
    'kind?': oneOf('Kind.', [...own, ...handMade]),
    'occurred_at?': whole('Time.', 0, Number.MAX_SAFE_INTEGER),
    'firm_id?': anyId,
    'brand_id?': anyId,
    'account_id?': anyId,
    'data?': handMade.size > 0 ? { type: 'object' } : dataSchema,
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
