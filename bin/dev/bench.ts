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
import { readArgs, refuse } from './read-args.ts';
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

async function main(): Promise<number> {
  const { values, positionals: names } = readArgs(import.meta.url, {
    allowPositionals: true,
    options: { write: { type: 'boolean', default: false } },
  });
  const tool = import.meta.url;
  if (values.write && names.length > 0) refuse(tool, '--write is for the whole table');
  const unknown = names.filter((name) => !(name in benches)).join(', ');
  if (unknown !== '') refuse(tool, `no ${unknown}: there are ${Object.keys(benches).join(', ')}`);
  const log = (line: string) => console.log(line);
  if (!(await build({ onlyIfStale: true }))) return 1;
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
  if (values.write) writeFileSync(readme, placeTable(readFileSync(readme, 'utf8'), table));
  console.log(missed === 0 ? 'every aim is met' : `${missed} aims are missed`);
  return missed === 0 ? 0 : 1;
}

process.exitCode = await main();
