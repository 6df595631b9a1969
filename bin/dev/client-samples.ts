// `npm run client-samples [-- --times N --libraries NAME…]`: judges every sample client, or with
// `--libraries` the clients built on libraries that many use, and says where the judge is wrong.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  commandOf,
  rightClients,
  wrongClients,
} from '../../conformance/client/testing/sample-clients.ts';
import { type JudgedClient, judgeClients } from './client-samples/judge-clients.ts';
import { installLibraries, libraryClients } from './client-samples/libraries.ts';
import { readArgs, wholeNumbers } from './read-args.ts';

const { values: asked, positionals: names } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: { times: { type: 'string', default: '1' }, libraries: { type: 'boolean' } },
});
const { times } = wholeNumbers(import.meta.url, { times: asked.times });
const cwd = mkdtempSync(join(tmpdir(), 'client-samples-'));
process.once('exit', () => rmSync(cwd, { recursive: true, force: true }));
// The clients that run end with this program, which a signal alone would not bring about.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}

const samples = (): JudgedClient[] =>
  [...rightClients, ...wrongClients].map((sample) => ({
    name: sample.name,
    command: commandOf(sample),
    cwd,
    fails: sample.fails,
  }));
const libraries = (): JudgedClient[] => {
  const able = installLibraries(cwd);
  return libraryClients
    .filter(({ program }) => able.has(program))
    .map(({ name, program, words, fails }) => ({ name, command: [program, ...words], cwd, fails }));
};

const clients = (asked.libraries ? libraries() : samples())
  .filter(({ name }) => names.length === 0 || names.includes(name))
  .flatMap((client) => Array.from({ length: times }, () => client));
const wrong = await judgeClients(clients);
console.log(`\n${clients.length - wrong.length} right, ${wrong.length} wrong`);
process.exitCode = wrong.length > 0 ? 1 : 0;
