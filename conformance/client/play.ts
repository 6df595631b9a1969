// One run of the command: in a new world, behind a new gateway, with one fault.
import { EventLoopMonitor } from '../engine/pace/event-loop-monitor.ts';
import { runCommand } from './command.ts';
import type { Fault } from './faults.ts';
import { openGateway } from './gateway.ts';
import type { Recording } from './recording.ts';

/** The interface of a sandbox for the judge of clients; the command provides it. */
export interface SandboxWorld {
  /** Answers a call of the API or of the control plane; rejects if the connection is cut. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Serves the same world over a socket, for everything except calls. */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  /** The environment of the command, except for the two URLs. */
  readonly variables: Readonly<Record<string, string>>;
  /** Tokens and secrets that a client may have received, each with its owner. */
  readonly secrets: readonly { readonly value: string; readonly clientId: string }[];
  /** A token of another client that may change every account of the first firm. */
  readonly otherToken: string;
  readonly close: () => Promise<void>;
}

/** A new world for each run; the same seed gives the same world. */
export type OpenWorld = (seed: string) => Promise<SandboxWorld>;

export interface PlayOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly openWorld: OpenWorld;
  readonly seed: string;
  readonly fault: Fault;
  /** The sites where the fault happens. */
  readonly aimed?: readonly string[];
  readonly signal: AbortSignal;
}

export async function play(options: PlayOptions): Promise<Recording> {
  const { fault } = options;
  const world = await options.openWorld(options.seed);
  const enough = new AbortController();
  const gateway = await openGateway(world, fault, options.aimed, (calls) => {
    if (!fault.seenEnough?.(calls)) return;
    gateway.freeze();
    enough.abort();
  });
  const eventLoop = new EventLoopMonitor();
  eventLoop.start();
  try {
    const { variables } = world;
    const ended = await runCommand({
      ...options,
      env: {
        ...options.env,
        ...(fault.variables?.(variables) ?? variables),
        SANDBOX_BASE_URL: gateway.url,
        SANDBOX_CONTROL_URL: `${gateway.url}/_sandbox`,
      },
      mayGoOn: () => fault.needsMoreTime?.(gateway.calls) ?? false,
      onKill: gateway.freeze,
      signal: AbortSignal.any([options.signal, enough.signal]),
    });
    // A connection that the command reset while it ended is reported in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    const { worstMs: lagMs } = eventLoop.since(0);
    // On the clock of the calls, and not before the last of them was noticed.
    const ending = { ...ended, durationMs: gateway.nowMs() };
    return { calls: [...gateway.calls], ending, lagMs, ...gateway.seen() };
  } finally {
    eventLoop.stop();
    await gateway.close();
    await world.close();
  }
}
