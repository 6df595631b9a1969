// For tests of delivery: a world with a frozen clock, and a receiver with scripted responses.
import { type EventCategory, eventCategories } from '../../../../fixtures/event-kinds.ts';
import { defaultSettings, type Settings } from '../../../../fixtures/settings.ts';
import { emptyWorld } from '../../../../fixtures/worlds/built-in.ts';
import type { Call, Reply } from '../../../core/call.ts';
import type { CommandArguments, CommandName } from '../../../core/commands/commands.ts';
import type { Delivery, Subscription } from '../../../core/records.ts';
import { tokenOf } from '../../testing/sandbox.ts';
import { Sandbox } from '../../world/sandbox.ts';
import type { WorldHost } from '../../world/world-host.ts';
import type { Deliverer, DeliveryOutcome, DeliveryRequest } from '../deliverer.ts';

/** One delivery as the receiver saw it. */
export interface Arrival {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly seq: number;
  /** The sandbox's time. */
  readonly atMs: number;
  readonly request: DeliveryRequest;
}

export type Script = (
  arrival: Arrival,
  nth: number,
) => DeliveryOutcome | number | Promise<DeliveryOutcome | number>;

export const startMs = Date.UTC(2026, 0, 1, 12);
const publicAddress = '93.184.216.34';

export interface DeliveryTestOptions {
  readonly settings?: Partial<Settings>;
  readonly clock?: 'real' | 'frozen';
}

export class DeliveryTestHarness {
  readonly sandbox: Sandbox;
  readonly host: WorldHost;
  readonly arrivals: Arrival[] = [];
  /** How the receiver responds: a status, or a whole outcome. */
  script: Script = () => 200;
  /** The addresses of names; other names resolve to one public address. */
  readonly names = new Map<string, readonly string[]>();
  lookups = 0;

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    this.host = sandbox.first;
  }

  static async begin(options: DeliveryTestOptions = {}): Promise<DeliveryTestHarness> {
    // Nothing is delivered before the harness begins.
    let harness = {} as DeliveryTestHarness;
    const scripted: Deliverer = {
      deliver: (request) => harness.#deliver(request),
      resolve: async (hostname) => {
        harness.lookups += 1;
        return harness.names.get(hostname) ?? [publicAddress];
      },
      close: async () => undefined,
    };
    const { clock = 'frozen', settings } = options;
    const sandbox = await Sandbox.create({
      worldName: 'empty',
      fixture: emptyWorld,
      seed: '1',
      clock: { mode: clock, nowMs: clock === 'frozen' ? startMs : null },
      plan: 'pro',
      settings: { ...defaultSettings, ...settings },
      deliverer: scripted,
    });
    harness = new DeliveryTestHarness(sandbox);
    return harness;
  }

  async #deliver(request: DeliveryRequest): Promise<DeliveryOutcome> {
    const { url, headers, body } = request;
    const { seq } = JSON.parse(body) as { seq: number };
    const atMs = this.host.clock.nowMs();
    const arrival: Arrival = { url, headers, body, seq, atMs, request };
    this.arrivals.push(arrival);
    const answer = await this.script(arrival, this.arrivals.length);
    return typeof answer === 'number' ? { status: answer, error: null } : answer;
  }

  /** A call of the API with a credential of the empty world. */
  call(method: string, target: string, body?: unknown, as = 'firm'): Promise<Reply> {
    const call: Call = {
      method,
      target,
      headers: {
        authorization: `Bearer ${tokenOf(this.sandbox, as)}`,
        'content-type': 'application/json',
      },
      body: new Uint8Array(Buffer.from(body === undefined ? '' : JSON.stringify(body))),
    };
    return new Promise((resolve, reject) => {
      this.host.call(call, (answer) => {
        if (answer.kind === 'answer') resolve(answer.reply);
        else reject(new Error('the connection was cut'));
      });
    });
  }

  /** Creates a subscription and returns its id. */
  async subscribe(url = 'https://hooks.example.com/in'): Promise<number> {
    const body = { url, event_categories: eventCategories };
    const reply = await this.call('POST', '/api/v1/webhooks', body);
    if (reply.status !== 201) throw new Error(`not subscribed: ${reply.status} ${reply.body}`);
    return (JSON.parse(reply.body) as { id: number }).id;
  }

  execute<N extends CommandName>(name: N, args: CommandArguments<N>): unknown {
    const outcome = this.host.execute(name, args);
    if ('refused' in outcome) throw new Error(`${name}: ${outcome.refused.message}`);
    return outcome.value;
  }

  /** Emits that many events at firm 1. */
  emit(count = 1, category: EventCategory = 'account', brandId?: string): void {
    for (let n = 0; n < count; n += 1) {
      const place = brandId === undefined ? { firm_id: '1' } : { brand_id: brandId };
      this.execute('makeEvent', { category, ...place, data: { n } });
    }
  }

  advance(byMs: number) {
    return this.host.advance({ by_ms: byMs });
  }

  /** Waits until that many deliveries have reached the receiver, answered or not. */
  async arrived(count: number): Promise<void> {
    const untilMs = performance.now() + 5000;
    while (this.arrivals.length < count) {
      if (performance.now() > untilMs) {
        throw new Error(`only ${this.arrivals.length} of ${count} arrived`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Emits that many events at firm 1, and lets the attempts end. */
  async deliver(count = 1): Promise<void> {
    this.emit(count);
    await this.waitUntilIdle();
  }

  /** Lets running attempts end, without moving the clock. */
  async waitUntilIdle(): Promise<void> {
    await this.host.inFlight.waitUntilIdle(1000);
  }

  subscription(id: number): Subscription {
    const found = this.host.world.subscriptions.get(id);
    if (found === undefined) throw new Error(`no subscription ${id}`);
    return found;
  }

  deliveries(subscriptionId: number): Delivery[] {
    return [...this.host.world.deliveries.values()].filter(
      (delivery) => delivery.subscription_id === subscriptionId,
    );
  }

  /** The only delivery of a subscription. */
  sole(subscriptionId: number): Delivery {
    const [delivery, ...others] = this.deliveries(subscriptionId);
    if (delivery !== undefined && others.length === 0) return delivery;
    throw new Error(`there are ${this.deliveries(subscriptionId).length} deliveries, not one`);
  }

  /** Sequence numbers in order of arrival. */
  get seqs(): number[] {
    return this.arrivals.map(({ seq }) => seq);
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }
}
