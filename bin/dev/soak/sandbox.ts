// The built sandbox, and a gauge of the resources of its process.
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { conformingBehaviour } from '../../../simulator/core/behaviour.ts';
import { loadWorld } from '../../../simulator/core/state/snapshot.ts';
import type { World } from '../../../simulator/core/world.ts';
import { Program } from '../program.ts';

export const mebibyte = 1024 * 1024;

/** The resources of a process after a garbage collection. */
export interface Gauge {
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Timers, servers, sockets, requests and open files. */
  readonly handles: number;
}

/** Preloaded into the process: replies to each message, and does not keep the process alive. */
const gauge = `data:text/javascript,${encodeURIComponent(`
process.on('message', () => {
  gc(); gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  process.send({ heapBytes: heapUsed + external, residentBytes: rss, handles });
});
process.channel.unref();`)}`;

export function startSandbox(...options: readonly string[]): Promise<Program> {
  const node = [process.execPath, '--expose-gc', '--import', gauge];
  const start = ['bin/sandbox.js', 'start', '--port', '0', '--json', '--quiet', '--plan', 'pro'];
  return Program.start([...node, ...start, ...options], 'ipc');
}

export async function gaugeOf({ child, isAlive, stderr }: Program): Promise<Gauge> {
  if (!isAlive) throw new Error(`the sandbox has ended: ${stderr}`);
  child.send('gauge');
  const [measured] = (await once(child, 'message')) as [Gauge];
  const files = `/proc/${child.pid}/fd`;
  const open = existsSync(files) ? readdirSync(files).length : 0;
  return { ...measured, handles: measured.handles + open };
}

export async function worldOf(sandbox: Program, path = 'state'): Promise<World> {
  return loadWorld(await sandbox.control('GET', path), conformingBehaviour(defaultSettings));
}
