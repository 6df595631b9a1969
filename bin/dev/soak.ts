// `npm run soak -- MODE [--seed N]`: puts the built sandbox under load, and ends with 1 if it breaks.
//   siege   calls, faults, worlds, streams and deliveries at once: memory, handles, invariants (--seconds 600)
//   abuse   malformed requests on the socket (--count 1000000)
//   kills   SIGKILL while it writes its state (--count 300, --state-sync)
//   chaos   the judge and a conforming target behind a faulty network (--count 4)
import { build } from './build/build.ts';
import { readArgs, refuse } from './read-args.ts';
import { abuse } from './soak/abuse.ts';
import { chaos } from './soak/chaos.ts';
import { kill } from './soak/kills.ts';
import { siege } from './soak/siege.ts';

const { values, positionals } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '600' },
    count: { type: 'string' },
    'state-sync': { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const count = (usual: number) => Number(values.count ?? usual);

/** Each mode resolves to its failures. */
const modes: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  siege: () => siege({ seed, seconds: Number(values.seconds) }),
  abuse: () => abuse({ seed, count: count(1_000_000) }),
  kills: () => kill({ seed, count: count(300), sync: values['state-sync'] }),
  chaos: () => chaos({ seed, count: count(4) }),
};
const mode = modes[positionals[0] ?? ''];
if (mode === undefined || positionals.length > 1) {
  refuse(import.meta.url, `name one of ${Object.keys(modes).join(', ')}`);
}
if (!(await build({ onlyIfStale: true }))) process.exit(2);
const broken = await mode();
console.log(`seed ${seed}: ${broken.length === 0 ? 'nothing broke' : 'broken:'}`);
for (const each of broken.slice(0, 20)) console.log(`  ${each}`);
process.exitCode = broken.length === 0 ? 0 : 1;
