// Provides targets by a control plane: a world of its own for the run, and one for each scenario
// that needs it.
import { type Capability, EVERY_CAPABILITY } from '../engine/capabilities.ts';
import { Blocked } from '../engine/scenario-errors.ts';
import type { Sender } from '../engine/send/sender.ts';
import { ControlPlaneClient } from './control-plane-client.ts';
import { ControlTarget } from './control-target.ts';
import type { Provider, Target } from './target.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

export interface ControlProviderOptions {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly sender: Sender;
  readonly controlToken?: string | undefined;
  readonly secret?: (value: string) => void;
}

export async function controlProvider(options: ControlProviderOptions): Promise<Provider> {
  const plane = new ControlPlaneClient(options.controlUrl, options.sender, options.controlToken);
  const absent = await plane.absence();
  if (absent !== null)
    throw new Blocked(`no control plane answers at ${options.controlUrl}: ${absent}`);
  const provider = new ControlProvider(options, plane);
  await provider.open();
  return provider;
}

class ControlProvider implements Provider {
  /** A control plane can make whatever a scenario may need. */
  readonly offers: ReadonlySet<Capability> = new Set(EVERY_CAPABILITY);
  readonly notes: readonly string[] = [];
  worlds = false;
  readonly #options: ControlProviderOptions;
  readonly #plane: ControlPlaneClient;
  readonly #secrets = new Set<string>();
  /** How each world that is still there is given up. */
  readonly #leaves = new Set<() => Promise<void>>();
  #shared: Promise<Target> | undefined;
  #receiver: Promise<WebhookReceiver> | undefined;

  constructor(options: ControlProviderOptions, plane: ControlPlaneClient) {
    this.#options = options;
    this.#plane = plane;
  }

  /** Finds out whether worlds are offered, by making the one that the run plays in. */
  async open(): Promise<void> {
    const world = await this.#world().catch((error: unknown) => {
      if (error instanceof Blocked) return undefined;
      throw error;
    });
    this.worlds = world !== undefined;
    this.#shared = Promise.resolve(world ?? this.#whole());
  }

  shared(): Promise<Target> {
    return this.#shared!;
  }

  own(): Promise<Target> {
    return this.worlds ? this.#world() : Promise.resolve(this.#whole());
  }

  secrets(): Iterable<string> {
    return this.#secrets;
  }

  async close(): Promise<void> {
    for (const leave of this.#leaves) await leave().catch(() => {});
    if (this.#receiver !== undefined) await (await this.#receiver).close();
  }

  /** A world whose clock stands still: nothing happens in it that a scenario does not do. */
  async #world(): Promise<Target> {
    const row = await this.#plane.ask('POST', 'worlds', { clock: 'frozen' });
    const name = String(row.name);
    const url = `${this.#plane.url}/worlds/${name}`;
    const leave = async () => {
      if (this.#leaves.delete(leave)) await this.#plane.ask('DELETE', `worlds/${name}`);
    };
    this.#leaves.add(leave);
    return this.#target(this.#plane.at(url), true, leave);
  }

  #whole(): Target {
    return this.#target(this.#plane, false, async () => {});
  }

  #target(plane: ControlPlaneClient, disposable: boolean, leave: () => Promise<void>): Target {
    return new ControlTarget({
      baseUrl: this.#options.baseUrl,
      plane,
      sender: this.#options.sender,
      offers: this.offers,
      disposable,
      leave,
      receiver: () => {
        this.#receiver ??= WebhookReceiver.listen();
        return this.#receiver;
      },
      secret: (value) => {
        this.#secrets.add(value);
        this.#options.secret?.(value);
      },
    });
  }
}
