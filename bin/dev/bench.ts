// `npm run bench [-- NAME…]`: measures in one run against yardsticks, and prints ratios with aims;
// at the end all of it once more as one table. `-- --write` puts that table into the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { deliveries } from './bench/deliveries.ts';
import { equipment } from './bench/equipment.ts';
import { type Figure, markdownTable, meetsAim, placeTable, printFigures } from './bench/figures.ts';
import { judges } from './bench/judges.ts';
import { mockServers } from './bench/mock-servers.ts';
import { mswHandlers } from './bench/msw-handlers.ts';
import { size } from './bench/size.ts';
import { start } from './bench/start.ts';
import { isPinned, pinSelf } from './bench/subject.ts';
import { throughput } from './bench/throughput.ts';
import { build } from './build/build.ts';
import { root } from './root.ts';

const readme = join(root, 'README.md');

type Bench = (log: (line: string) => void) => Promise<Figure[]>;

const benches: Readonly<Record<string, Bench>> = {
  start,
  throughput,
  size,
  deliveries,
  equipment,
  msw: mswHandlers,
  judges,
  'mock-servers': mockServers,
};

async function main(args: readonly string[]): Promise<number> {
  const isWritten = args.includes('--write');
  const names = args.filter((arg) => arg !== '--write');
  if (isWritten && names.length > 0) {
    console.error('bench: --write is for the whole table: leave the names out');
    return 2;
  }
  const unknown = names.filter((name) => !(name in benches));
  if (unknown.length > 0) {
    console.error(`bench: no ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
    return 2;
  }
  const log = (line: string) => console.log(line);
  if (!(await build({ onlyIfStale: true, log }))) return 1;
  const count = availableParallelism();
  pinSelf();
  const cores = isPinned() ? 'servers on one core, load on another' : 'cores not pinned';
  console.log(`bench: Node ${process.version}, ${count} cores, ${cores}`);
  let missed = 0;
  const all: Record<string, Figure[]> = {};
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const figures = (await benches[name]?.(log)) ?? [];
    all[name] = figures;
    console.log(`\n${name}\n${printFigures(figures)}\n`);
    missed += figures.filter((figure) => meetsAim(figure) === false).length;
  }
  const machine = `${cpus()[0]?.model.trim() || process.arch}, ${count} cores`;
  const day = new Date().toISOString().slice(0, 10);
  const table = markdownTable(`${machine}, Node ${process.version}, ${day}.`, all);
  console.log(table);
  if (isWritten) writeFileSync(readme, placeTable(readFileSync(readme, 'utf8'), table));
  console.log(missed === 0 ? 'every aim is met' : `${missed} aims are missed`);
  return missed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
