// One world of a sandbox as a program holds it: calls, waits, webhooks, the channel, copies.

import type { Envelope } from '../../fixtures/envelope.ts';
import { object, text, whole } from '../../fixtures/schemas/kit.ts';
import type { Row } from '../control/row.ts';
import { firstWorldName, type Sandbox } from '../host/world/sandbox.ts';
import { takeSnapshot } from '../host/world/snapshots.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { operatorOf, type SandboxOperator } from '../operator.ts';
import type { ControlPlane } from '../transports/control.ts';
import { fetchCall, standardRequest } from '../transports/fetch.ts';
import { readChannel } from './read-channel.ts';
import { type RequestWaits, requestWaits } from './request-waits.ts';
import { checkArgument, closedMessage } from './waits.ts';
import type { CollectOptions, WebhookSink, WebhookSinks } from './webhook-sinks.ts';

/** One world of a sandbox: the platform as its credentials see it, and what can be done to it. */
export interface SandboxWorld extends SandboxOperator {
  /**
   * Answers a request of the API or of the control plane without a socket. Takes what the global
   * `fetch` takes, so that a client can be given it instead; the host in the URL does not matter.
   * Rejects with a TypeError when a fault cuts the connection.
   *
   * @example
   * import { createSandbox } from 'trading-platform-sandbox';
   *
   * const sandbox = await createSandbox({ clock: 'frozen' });
   * const { token } = sandbox.credential('brand-a');
   * const response = await sandbox.fetch('http://sandbox/api/v1/accounts', {
   *   method: 'POST',
   *   headers: {
   *     authorization: `Bearer ${token}`,
   *     'idempotency-key': 'one',
   *     'content-type': 'application/json',
   *   },
   *   body: JSON.stringify({ client_reference_id: 'ada', email: 'ada@example.com' }),
   * });
   * console.log(response.status); // 201
   * await sandbox.close();
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly webhooks: {
    /**
     * A subscription that delivers into an array; no socket.
     *
     * @example
     * import { createSandbox } from 'trading-platform-sandbox';
     *
     * const sandbox = await createSandbox({ clock: 'frozen' });
     * const sink = await sandbox.webhooks.collect({ categories: ['account'] });
     * await sandbox.control('POST', 'events', { category: 'account', kind: 'account.created' });
     * const [delivery] = await sink.waitFor({ kind: 'account.created' });
     * console.log(delivery.envelope.kind, delivery.attempt); // account.created 1
     * await sandbox.close();
     */
    readonly collect: (options?: CollectOptions) => Promise<WebhookSink>;
  };
  /** Waits for calls; the messages of what did not come say what did. */
  readonly requests: RequestWaits;
  /**
   * The events channel as an async iterable of envelopes; ends when the loop is left, and throws
   * when the channel is refused or ends. `after_seq` left out begins with what happens from now on.
   */
  readonly channel: (options: {
    /** Name of a credential, or a token. */
    readonly credential: string;
    readonly after_seq?: number;
  }) => AsyncGenerator<Envelope, void>;
  /** A world of its own, as this one stands, with tokens of its own. Closing it drops it. */
  readonly fork: (name?: string) => Promise<SandboxWorld>;
  /** Ends this world; of the sandbox itself everything: server, held calls, deliveries. */
  readonly close: () => Promise<void>;
}

export interface WorldHandleOptions {
  readonly sandbox: Sandbox;
  readonly plane: ControlPlane;
  readonly rows: readonly Row[];
  readonly sinks: WebhookSinks;
  readonly token: string | undefined;
  readonly isClosed: () => boolean;
}

/** The first world (null) finds the world of each call by its token; a copy answers for itself. */
export function worldOf(
  options: WorldHandleOptions,
  host: WorldHost,
  name: string | null,
): SandboxWorld {
  const { sandbox, plane, rows, sinks, token } = options;
  let dropped = false;
  const isClosed = () => dropped || options.isClosed();
  const open = <T>(work: () => T): T => {
    if (isClosed()) throw new Error(closedMessage);
    return work();
  };
  const operator = operatorOf({ host, name, plane, rows, token, isClosed });
  const waits = requestWaits(host);
  const caller: Pick<Sandbox, 'call'> = name === null ? sandbox : callsOf(host);
  const tokenOf = (credential: string) =>
    credential.startsWith('tok_') ? credential : operator.credential(credential).token;
  return {
    ...operator,
    fetch: async (input, init) =>
      open(() => {
        const { pathname } = new URL(
          input instanceof Request ? input.url : input,
          'http://sandbox',
        );
        return pathname.startsWith('/_sandbox')
          ? plane.fetch(standardRequest(input, init))
          : fetchCall(caller, input, init);
      }),
    webhooks: { collect: async (asked) => open(() => sinks.collect(host, isClosed, asked)) },
    requests: {
      waitFor: async (match, asked) => open(() => waits.waitFor(match, asked)),
      expectNone: async (match, asked) => open(() => waits.expectNone(match, asked)),
    },
    channel: (asked) =>
      open(() => {
        checkArgument(channelSchema, asked, 'options');
        return readChannel(host, tokenOf(asked.credential), asked.after_seq, isClosed);
      }),
    fork: async (asked) => {
      const from = open(() => {
        if (asked !== undefined) checkArgument(nameSchema, asked, 'name');
        return takeSnapshot(host);
      });
      const forkName = asked ?? sandbox.freeName();
      const copy = await sandbox.addWorld({ name: forkName, from });
      return worldOf(options, copy, forkName);
    },
    close: async () => {
      dropped = true;
      sandbox.dropWorld(name ?? firstWorldName);
    },
  };
}

const channelSchema = object('Options of channel.', {
  credential: text('Name of a credential, or a token.'),
  'after_seq?': whole('The sequence number to begin after.', 0, Number.MAX_SAFE_INTEGER),
});

const nameSchema = text('Name of the new world.');

function callsOf(host: WorldHost): Pick<Sandbox, 'call'> {
  return {
    call: (call, answered) => {
      host.call(call, answered);
      return host;
    },
  };
}
