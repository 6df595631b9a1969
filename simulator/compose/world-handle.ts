// One world of a sandbox as a program uses it: calls, clock, faults, waits, webhooks, the channel,
// copies, and the rows of its control plane as methods.
import type { Envelope } from '../../fixtures/envelope.ts';
import { object, text, whole } from '../../fixtures/schemas/kit.ts';
import type { RowTypes } from '../control/all-rows.ts';
import { type CredentialShown, viewCredential } from '../control/records.ts';
import type { Call } from '../core/call.ts';
import type { CallEffect, DeliveryEffect, FaultMatch } from '../core/pipeline/find-fault.ts';
import type { Credential } from '../core/records.ts';
import type { AdvanceOptions } from '../host/world/advance.ts';
import { openChannel } from '../host/world/channel-reader.ts';
import { firstWorldName, type Sandbox } from '../host/world/sandbox.ts';
import type { Answer, WorldHost } from '../host/world/world-host.ts';
import { fetchControl } from '../transports/control.ts';
import { fetchCall, standardRequest } from '../transports/fetch.ts';
import { type ControlledWorld, controlOf, type SandboxControl } from './control-methods.ts';
import {
  checkArgument,
  closedMessage,
  credentialName,
  type RequestWaits,
  requestWaits,
} from './waits.ts';
import type { CollectOptions, WebhookSink, WebhookSinks } from './webhook-sinks.ts';

export type { AdvanceOptions };
export type AdvanceResult = RowTypes['advanceClock']['answer'];

interface FaultTiming {
  /** How often it applies; by default until it is removed. */
  readonly times?: number;
  /** The first matching call that it applies to, from 1. */
  readonly nth?: number;
  /** How likely it applies to a matching call, 0 to 1; drawn from the world's seed. */
  readonly probability?: number;
}

/** A fault of API requests. */
export interface CallFault extends FaultTiming {
  /** Which requests; by default all. */
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

/** A credential as tests name it, with a token that does not expire. */
export type NamedCredential = CredentialShown & { readonly token: string };

/** One world of a sandbox: the platform as its credentials see it, and methods to control it. */
export interface SandboxWorld {
  /** A credential of this world by its name, with its token; TypeError if it does not exist. */
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
  /** Waits for calls; a timeout reports which calls arrived instead. */
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
  /** A separate copy of this world with its own tokens. Closing it drops it. */
  readonly fork: (name?: string) => Promise<SandboxWorld>;
  /** Ends this world; on the sandbox itself, ends everything: server, held calls, deliveries. */
  readonly close: () => Promise<void>;
}

export interface WorldHandleOptions extends Omit<ControlledWorld, 'name'> {
  readonly sandbox: Sandbox;
  readonly sinks: WebhookSinks;
}

/** The first world (null) finds the world of each call by its token; a copy serves only itself. */
export function worldOf(
  options: WorldHandleOptions,
  host: WorldHost,
  name: string | null,
): SandboxWorld {
  const { sandbox, plane, sinks, token } = options;
  let dropped = false;
  const isClosed = () => dropped || options.isClosed();
  const open = <T>(work: () => T): T => {
    if (isClosed()) throw new Error(closedMessage);
    return work();
  };
  const control = controlOf({ name, plane, token, isClosed });
  const credential = (named: string) => open(() => findCredential(host, named));
  const waits = requestWaits(host);
  const caller = name === null ? sandbox : callsOf(host);
  return {
    credential,
    clock: {
      nowMs: () => open(() => host.nowMs),
      advance: (input) => control.advanceClock(input),
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
    fetch: async (input, init) =>
      open(() => {
        const url = input instanceof Request ? input.url : input;
        const { pathname } = new URL(url, 'http://sandbox');
        return pathname.startsWith('/_sandbox')
          ? fetchControl(plane, standardRequest(input, init))
          : fetchCall(caller, input, init);
      }),
    webhooks: { collect: async (input) => open(() => sinks.collect(host, isClosed, input)) },
    requests: {
      waitFor: async (match, input) => open(() => waits.waitFor(match, input)),
      expectNone: async (match, input) => open(() => waits.expectNone(match, input)),
    },
    channel: (input) =>
      open(() => {
        checkArgument(channelSchema, input, 'options');
        const { credential: by, after_seq } = input;
        const channelToken = by.startsWith('tok_') ? by : credential(by).token;
        return readChannel(host, channelToken, after_seq, isClosed);
      }),
    fork: async (input) => {
      const from = open(() => {
        if (input !== undefined) checkArgument(nameSchema, input, 'name');
        return host.takeSnapshot();
      });
      const forkName = input ?? sandbox.freeName();
      return worldOf(options, await sandbox.addWorld({ name: forkName, from }), forkName);
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

const callsOf = (host: WorldHost): Pick<Sandbox, 'call'> => ({
  call: (call, answered) => {
    host.call(call, answered);
    return host;
  },
});

function findCredential(host: WorldHost, name: string): NamedCredential {
  checkArgument(credentialName(host), name, 'credential');
  const { credentials } = host.world;
  const credential = [...credentials.values()].find((each) => each.name === name) as Credential;
  const { token, ...shown } = viewCredential(host, credential);
  if (token !== null) return { ...shown, token };
  throw new Error(`credential "${name}" has no token that lasts; ask the token endpoint for one`);
}

/** The events channel without a socket. Starts like the handshake, and throws what refuses it. */
async function* readChannel(
  host: WorldHost,
  token: string,
  afterSeq: number | undefined,
  isClosed: () => boolean,
): AsyncGenerator<Envelope, void> {
  if (isClosed()) throw new Error(closedMessage);
  const { path } = host.behaviour.table.streamEvents;
  const query = afterSeq === undefined ? '' : `?after_seq=${afterSeq}`;
  const call: Call = {
    method: 'GET',
    target: `${path.startsWith('/') ? path : `/api/v1/${path}`}${query}`,
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(0),
    upgrade: true,
  };
  const answer = await new Promise<Answer>((resolve) => host.call(call, resolve));
  if (answer.kind === 'reset') throw new TypeError('fetch failed: the connection was reset');
  const { status, body } = answer.reply;
  if (status !== 101) throw new Error(`the channel was refused with ${status}: ${body}`);
  let wake = () => {};
  const reader = openChannel(host, call, () => wake());
  try {
    for (;;) {
      const news = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const page = reader.read();
      if (isClosed()) throw new Error(closedMessage);
      if ('code' in page) throw new Error(`the channel ended with ${page.code}: ${page.reason}`);
      for (const envelope of page.envelopes) yield JSON.parse(envelope) as Envelope;
      if (!page.more) await news;
    }
  } finally {
    reader.close();
  }
}
