// What a program may do to its sandbox besides calling the API: the control plane's rows as
// methods.

import { type ControlledWorld, controlOf, type SandboxControl } from './compose/control-methods.ts';
import { closedMessage } from './compose/waits.ts';
import type { CredentialShown } from './control/schemas/records.ts';
import { viewCredential } from './control/views/records.ts';
import type { CallEffect, DeliveryEffect, FaultMatch } from './core/pipeline/find-fault.ts';
import type { WorldHost } from './host/world/world-host.ts';

export type AdvanceOptions =
  | { readonly by_ms: number }
  | { readonly to_ms: number }
  | { readonly to_next: true };

export interface AdvanceResult {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly fired: readonly {
    readonly at_ms: number;
    readonly kind: string;
    readonly ref: string;
    readonly outcome: string;
  }[];
}

interface FaultTiming {
  /** How often it applies; without it, until it is removed. */
  readonly times?: number;
  /** The first matching call that it applies to, from 1. */
  readonly nth?: number;
  /** How likely it applies to a matching call, 0 to 1; drawn from the world's seed. */
  readonly probability?: number;
}

/** A fault of API requests. */
export interface CallFault extends FaultTiming {
  /** Which requests; without it, all of them. */
  readonly match?: Omit<FaultMatch, 'webhook'>;
  /** `before`: the request has not run. `after`: it has run, and its response is lost or changed. */
  readonly phase?: 'before' | 'after';
  readonly effect: CallEffect;
}

/** A fault of webhook deliveries. */
export interface WebhookFault extends FaultTiming {
  /** `true` for all deliveries, or the id of a subscription. */
  readonly match: { readonly webhook: true | string | number };
  readonly effect: DeliveryEffect;
}

/** A fault to inject, as `POST faults` takes it. */
export type FaultOptions = CallFault | WebhookFault;

export interface SandboxOperator {
  /** A credential of this world by its name, with its token; throws when there is none. */
  readonly credential: (name: string) => NamedCredential;
  readonly clock: {
    /** The sandbox's time in milliseconds of the epoch. */
    readonly nowMs: () => number;
    /** Lets time pass; everything due on the way has happened when it resolves. */
    readonly advance: (options: AdvanceOptions) => Promise<AdvanceResult>;
  };
  readonly faults: {
    readonly add: (fault: FaultOptions) => Promise<{ readonly id: string; readonly hits: number }>;
    readonly clear: () => Promise<void>;
  };
  /** Back to the starting world. */
  readonly reset: () => Promise<void>;
  /**
   * The control plane: `control.listAccounts()` and so on, by the names of its own description, and
   * `control('GET', '/accounts')` for any path of it. Rejects with a {@link ControlError} when it
   * refuses.
   *
   * @example
   * import { createSandbox } from 'trading-platform-sandbox';
   *
   * const sandbox = await createSandbox({ clock: 'frozen' });
   * const { accounts } = await sandbox.control.listAccounts({ brand_id: '10', limit: 1 });
   * console.log(accounts[0]?.email); // eleanor.hughes@example.com
   * await sandbox.control.createSnapshot({ name: 'before' });
   * await sandbox.clock.advance({ by_ms: 1000 });
   * await sandbox.control.restoreSnapshot({ name: 'before' });
   * await sandbox.close();
   */
  readonly control: SandboxControl;
}

/** A world of a sandbox, and the way to its control plane. */
export interface OperatedWorld extends ControlledWorld {
  readonly host: WorldHost;
}

export function operatorOf(world: OperatedWorld): SandboxOperator {
  const { host, isClosed } = world;
  const control = controlOf(world);
  return {
    credential: (named) => {
      if (isClosed()) throw new Error(closedMessage);
      return findCredential(host, named);
    },
    clock: {
      nowMs: () => {
        if (isClosed()) throw new Error(closedMessage);
        return Math.max(host.clock.nowMs(), host.world.nowMs);
      },
      advance: (options) => control.advanceClock(options),
    },
    faults: {
      add: async (fault) =>
        (await control('POST', 'faults', { match: {}, ...fault })) as { id: string; hits: number },
      clear: async () => {
        await control.clearFaults();
      },
    },
    reset: async () => {
      await control.resetWorld();
    },
    control,
  };
}

/** A credential as tests name it: one with a token that does not expire. */
export type NamedCredential = CredentialShown & { readonly token: string };

function findCredential(host: WorldHost, name: string): NamedCredential {
  const names: string[] = [];
  for (const credential of host.world.credentials.values()) {
    names.push(credential.name);
    if (credential.name !== name) continue;
    const shown = viewCredential(host, credential);
    if (shown.token !== null) return { ...shown, token: shown.token };
    throw new Error(`credential "${name}" has no token that lasts; ask the token endpoint for one`);
  }
  throw new Error(`there is no credential "${name}"; there are ${names.join(', ')}`);
}
