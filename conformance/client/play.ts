// One run of the command: in a world of its own, behind a gateway of its own, with one fault.
import type { Recording } from './call.ts';
import { runCommand } from './command.ts';
import type { Fault } from './faults/fault.ts';
import { Gateway } from './gateway/gateway.ts';
import type { OpenWorld } from './port.ts';

export interface PlayOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly openWorld: OpenWorld;
  readonly seed: string;
  readonly fault: Fault;
  readonly signal: AbortSignal;
}

export async function play(options: PlayOptions): Promise<Recording> {
  const world = await options.openWorld(options.seed);
  const gateway = new Gateway(world, options.fault);
  const lag = watchLag();
  try {
    const baseUrl = await gateway.listen();
    const { variables } = world;
    const { fault } = options;
    const enough = new AbortController();
    gateway.onCall = () => {
      if (!fault.seenEnough?.(gateway.calls)) return;
      gateway.freeze();
      enough.abort();
    };
    const ending = await runCommand({
      ...options,
      env: {
        ...options.env,
        ...(fault.variables === undefined ? variables : fault.variables(variables)),
        SANDBOX_BASE_URL: baseUrl,
        SANDBOX_CONTROL_URL: `${baseUrl}/_sandbox`,
      },
      mayGoOn: () => fault.needsMoreTime?.(gateway.calls) ?? false,
      onKill: () => gateway.freeze(),
      signal: AbortSignal.any([options.signal, enough.signal]),
    });
    // A connection that it has reset as it ended is heard of in the next turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    const { secrets } = gateway.credentials;
    // What still comes belongs to no run any more.
    const { followsEvents } = gateway;
    return { calls: [...gateway.calls], ending, secrets, lagMs: lag.end(), followsEvents };
  } finally {
    lag.end();
    await gateway.close();
    await world.close();
  }
}

const lookMs = 25;

/** How late timers of this program fire: so late may a call have been looked at. */
function watchLag(): { readonly end: () => number } {
  let worst = 0;
  let dueAtMs = performance.now() + lookMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    worst = Math.max(worst, nowMs - dueAtMs);
    dueAtMs = nowMs + lookMs;
  }, lookMs);
  return {
    end: () => {
      clearInterval(timer);
      return worst;
    },
  };
}
