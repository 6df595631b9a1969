// What a program may do to its sandbox besides calling the API: the control plane's rows as
// methods.

import { closedMessage } from './compose/wait-for.ts';
import type { CredentialShown } from './control/schemas/records.ts';
import { viewCredential } from './control/views/records.ts';
import type { FaultMatch } from './core/pipeline/find-fault.ts';
import type { WorldHost } from './host/world/world-host.ts';
import type { ControlPlane } from './transports/control/control-plane.ts';

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

/** A fault to order, as `POST faults` takes it. */
export interface FaultOptions {
  readonly match?: FaultMatch;
  readonly phase?: 'before' | 'after';
  readonly effect: Readonly<Record<string, unknown>> & { readonly kind: string };
  /** How often it strikes; until it is removed when left out. */
  readonly times?: number;
  /** From this matching call on. */
  readonly nth?: number;
  /** How likely it strikes a matching call, 0 to 1; drawn from the seed. */
  readonly probability?: number;
}

/** An error of the control plane: what was wrong with the arguments, by field. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

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
   * Any other row of the control plane, such as `control('POST', 'credentials', {scopes: []})`.
   * Resolves to its JSON; rejects with a {@link ControlError} when it refuses.
   */
  readonly control: (method: string, path: string, body?: unknown) => Promise<unknown>;
}

/** A world of a sandbox, and the way to its control plane. */
export interface OperatedWorld {
  readonly host: WorldHost;
  /** null: the first one. */
  readonly name: string | null;
  readonly plane: ControlPlane;
  readonly token: string | undefined;
  readonly isClosed: () => boolean;
}

export function operatorOf(world: OperatedWorld): SandboxOperator {
  const { host, name, plane, token, isClosed } = world;
  const prefix = name === null ? '' : `worlds/${encodeURIComponent(name)}/`;
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    if (isClosed()) throw new Error(closedMessage);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const request = new Request(`http://localhost/_sandbox/${prefix}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await plane.fetch(request);
    const text = await response.text();
    const json = text === '' ? null : (JSON.parse(text) as unknown);
    if (response.ok) return json;
    const detail = (json as { detail?: string } | null)?.detail ?? `status ${response.status}`;
    throw new ControlError(response.status, detail);
  };
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
      advance: async (options) =>
        (await control('POST', 'clock/advance', options)) as AdvanceResult,
    },
    faults: {
      add: async (fault) =>
        (await control('POST', 'faults', { match: {}, ...fault })) as { id: string; hits: number },
      clear: async () => {
        await control('DELETE', 'faults');
      },
    },
    reset: async () => {
      await control('POST', 'reset', {});
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
