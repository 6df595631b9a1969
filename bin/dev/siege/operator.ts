// The operator during a siege: orders faults, moves the clock, makes, copies and drops worlds,
// takes snapshots and goes back to them, settles, and looks at every list.
import type { Draw } from '../../../simulator/core/testing/random-inputs.ts';
import { makeFault, pick } from '../../../simulator/core/testing/random-inputs.ts';
import { type Besieged, Refused } from './besieged.ts';
import type { Tally } from './callers.ts';
import { restUntil } from './followers.ts';

/** Lawful answers to an order that came too late or twice. */
const lawful = [404, 409, 422];
const lists = ['accounts', 'transactions', 'requests', 'deliveries', 'events', 'credentials'];
const mostWorlds = 4;

export class Operator {
  readonly #besieged: Besieged;
  readonly #tally: () => Tally;
  readonly #receiverUrl: string;
  #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #made = 0;
  #worlds: string[] = [];
  orders = 0;

  constructor(besieged: Besieged, receiverUrl: string, tally: () => Tally) {
    this.#besieged = besieged;
    this.#receiverUrl = receiverUrl;
    this.#tally = tally;
  }

  /** Of the worlds that were made and not dropped yet. */
  get worlds(): readonly string[] {
    return this.#worlds;
  }

  start(draw: Draw): void {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const work = async () => {
      while (!signal.aborted) {
        await this.#order(draw);
        await restUntil(signal, 20 + draw(60));
      }
    };
    this.#running = work();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** A world fit for many calls: deliveries go to the receiver, and limits stop few. */
  async prepare(world: string): Promise<void> {
    const at = (path: string) => (world === '' ? path : `worlds/${world}/${path}`);
    const from = 'https://hooks.example.com';
    await this.#besieged.control('PUT', at('forwards'), { from, to: this.#receiverUrl });
    const unlimited = { rate_per_second: 1_000_000 };
    for (const firm of ['1', '2'])
      await this.#besieged.control('PATCH', at(`firms/${firm}`), unlimited);
    const { credentials } = (await this.#besieged.control('GET', at('credentials'))) as {
      readonly credentials: readonly { readonly client_id: string; readonly name: string }[];
    };
    for (const { client_id: id, name } of credentials) {
      // One stays under its limit's rule, so that there are 429s.
      if (name === 'other-firm') continue;
      await this.#besieged.control('PATCH', at(`credentials/${id}`), unlimited);
    }
    const mine = { url: `${from}/${world}`, event_categories: ['account', 'transaction'] };
    await this.#subscribe(world, mine);
  }

  async #subscribe(world: string, subscription: unknown): Promise<void> {
    const path = world === '' ? 'credentials' : `worlds/${world}/credentials`;
    const { credentials } = (await this.#besieged.control('GET', path)) as {
      readonly credentials: readonly { readonly name: string; readonly token: string }[];
    };
    const token = credentials.find(({ name }) => name === 'firm')?.token;
    await fetch(`${this.#besieged.ready.base_url}/api/v1/webhooks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `siege-${world}-${this.orders}`,
      },
      body: JSON.stringify(subscription),
    }).then((response) => response.arrayBuffer());
  }

  async #order(draw: Draw): Promise<void> {
    this.orders += 1;
    try {
      await this.#drawn(draw);
    } catch (error) {
      if (error instanceof Refused && lawful.includes(error.status)) return;
      this.#tally().breaks(`an order was answered ${(error as Error).message.slice(0, 300)}`);
    }
  }

  async #drawn(draw: Draw): Promise<void> {
    const { control } = this.#besieged;
    const order = (method: string, path: string, body?: unknown) =>
      control.call(this.#besieged, method, path, body);
    const kind = draw(16);
    if (kind < 4) await order('POST', 'faults', makeFault(draw));
    else if (kind < 6) await order('DELETE', 'faults');
    else if (kind < 8)
      await order('POST', 'clock/advance', { by_ms: pick(draw, [50, 2000, 40_000]) });
    else if (kind === 8) await order('POST', 'clock/advance', { to_next: true });
    else if (kind === 9) await this.#makeWorld(draw);
    else if (kind === 10) await this.#dropWorld(draw);
    else if (kind === 11) await order('POST', 'snapshots', { name: `shot-${draw(3)}` });
    else if (kind === 12) await order('DELETE', `snapshots/shot-${draw(3)}`);
    else if (kind === 13) await order('PUT', 'state', await order('GET', 'state'));
    else if (kind === 14)
      await order('POST', 'events', { category: 'account', account_id: '1001' });
    else await order('GET', `${pick(draw, lists)}?limit=${1 + draw(50)}`);
  }

  async #makeWorld(draw: Draw): Promise<void> {
    if (this.#worlds.length >= mostWorlds) return;
    this.#made += 1;
    const name = `w${this.#made}`;
    const how = draw(3) === 0 ? { from: 'default' } : { world: 'default', seed: this.#made };
    await this.#besieged.control('POST', 'worlds', { name, ...how });
    // A copy has the faults too, which would strike what prepares it.
    await this.#besieged.control('DELETE', `worlds/${name}/faults`);
    this.#worlds = [...this.#worlds, name];
    await this.prepare(name);
  }

  async #dropWorld(draw: Draw): Promise<void> {
    const name = this.#worlds[draw(Math.max(1, this.#worlds.length))];
    if (name === undefined) return;
    this.#worlds = this.#worlds.filter((each) => each !== name);
    await this.#besieged.control('DELETE', `worlds/${name}`);
  }

  /** Takes back everything that was made, so that what is left is what the program keeps. */
  async clear(): Promise<void> {
    const { besieged } = { besieged: this.#besieged };
    await besieged.control('DELETE', 'faults');
    for (const name of this.#worlds) await besieged.control('DELETE', `worlds/${name}`);
    this.#worlds = [];
    const { snapshots } = (await besieged.control('GET', 'snapshots')) as {
      readonly snapshots: readonly { readonly name: string }[];
    };
    for (const { name } of snapshots) await besieged.control('DELETE', `snapshots/${name}`);
    await besieged.control('POST', 'reset');
  }
}
