// Finds the row of the control plane that is meant, in the world that is meant.

import type { SecondMind } from '../mind.ts';
import { isObject, type JsonObject } from '../values/json.ts';
import { NONE, ROWS, type Told } from './control.ts';
import type { WorldHost } from './world-host.ts';

export interface ControlHost {
  main: WorldHost;
  readonly worlds: { name: string; host: WorldHost }[];
  readonly make: (frozenAtMs?: number) => WorldHost;
}

export interface ControlCall {
  readonly method: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

export async function control(hosts: ControlHost, call: ControlCall): Promise<Told> {
  const { method, parts, body } = call;
  if (parts[0] !== 'worlds') return inWorld(hosts.main, hosts, call);
  if (method === 'POST' && parts.length === 1) {
    const name = `world-${hosts.main.mind.count('worlds')}`;
    hosts.worlds.push({ name, host: hosts.make(body.clock === 'real' ? undefined : Date.now()) });
    return [201, { name, control_url: `/_sandbox/worlds/${name}`, credentials: [] }];
  }
  const at = hosts.worlds.findIndex((each) => each.name === parts[1]);
  const world = hosts.worlds[at];
  if (world === undefined) return NONE;
  if (method === 'DELETE' && parts.length === 2) {
    hosts.worlds.splice(at, 1);
    world.host.close();
    return [200, {}];
  }
  return inWorld(world.host, hosts, { ...call, parts: parts.slice(2) });
}

async function inWorld(host: WorldHost, hosts: ControlHost, call: ControlCall): Promise<Told> {
  const { method, parts, query, body } = call;
  const [first = '', ...rest] = parts;
  const row = `${method} ${first}`;
  if (row === 'GET health') return [200, { status: 'ready' }];
  if (row === 'GET info') return [200, infoOf(host.mind)];
  if (first === 'clock') return clock(host, method, rest, body);
  if (row === 'POST reset') {
    if (host === hosts.main) hosts.main = hosts.make();
    host.close();
    return [200, {}];
  }
  const run = ROWS[row];
  if (run === undefined) return NONE;
  const told = run({ mind: host.mind, rest, query, body });
  host.pump();
  return told;
}

function infoOf(mind: SecondMind): JsonObject {
  return {
    version: 'second-mind',
    clock: clockOf(mind),
    settings: { events_path: mind.style.channelPath, style: mind.style.name },
    deviations: [...mind.defects],
  };
}

function clockOf(mind: SecondMind): JsonObject {
  return { mode: mind.isFrozen() ? 'frozen' : 'real', now_ms: mind.now(), next_due_ms: null };
}

async function clock(
  host: WorldHost,
  method: string,
  rest: readonly string[],
  body: JsonObject,
): Promise<Told> {
  const { mind } = host;
  if (method === 'GET') return [200, clockOf(mind)];
  if (method === 'PUT') {
    const nowMs = typeof body.now_ms === 'number' ? body.now_ms : mind.now();
    mind.freeze(body.mode === 'frozen' ? nowMs : null);
    return [200, clockOf(mind)];
  }
  if (rest[0] !== 'advance') return NONE;
  const fromMs = mind.now();
  const toMs = targetOf(host, body);
  const fired = await host.advance(toMs);
  const told = fired.filter(isObject).map((each) => ({ ...each }));
  return [200, { from_ms: fromMs, to_ms: mind.now(), fired: told }];
}

function targetOf(host: WorldHost, body: JsonObject): number {
  const nowMs = host.mind.now();
  if (typeof body.to_ms === 'number') return body.to_ms;
  if (typeof body.by_ms === 'number') return nowMs + body.by_ms;
  return host.nextDueMs() ?? nowMs;
}
