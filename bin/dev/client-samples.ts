// `npm run client-samples [-- --times N] [NAME…]`: judges every sample client whole, and says where
// the judge is wrong: a mistake that it does not see, or a failure that is none.
import { availableParallelism } from 'node:os';
import { checks } from '../../conformance/client/checks/all.ts';
import { judgeClient } from '../../conformance/client/judge.ts';
import {
  commandOf,
  rightClients,
  type SampleClient,
  wrongClients,
} from '../../conformance/client/testing/sample-clients.ts';
import { worlds } from '../../fixtures/worlds.ts';
import { openWorlds } from '../commands/conformance/client-sandbox.ts';

const words = process.argv.slice(2);
const at = words.indexOf('--times');
const times = at < 0 ? 1 : Number(words[at + 1]);
const names = at < 0 ? words : words.toSpliced(at, 2);
const clients = [...rightClients, ...wrongClients].filter(
  ({ name }) => names.length === 0 || names.includes(name),
);

async function tryOnce(client: SampleClient): Promise<string | null> {
  const run = await judgeClient({
    command: commandOf(client),
    cwd: process.cwd(),
    env: process.env,
    checks,
    timeoutMs: 30_000,
    jobs: 4,
    seed: 1,
    openWorld: openWorlds({ fixture: worlds.default, plan: 'pro' }),
    signal: new AbortController().signal,
  });
  const failed = run.results.filter(({ verdict }) => verdict === 'fails');
  const unclear = run.results.filter(({ verdict }) => verdict === 'inconclusive');
  const advised = run.results.filter(({ verdict }) => verdict === 'advisory');
  const is = listed(failed.map(({ check }) => check.id));
  const should = listed(client.fails);
  const also = [...unclear, ...advised].map(({ check, verdict, settled, why }) => {
    const [first] = settled.filter(({ outcome }) => outcome.verdict === verdict);
    return why?.startsWith('the first run')
      ? ''
      : `\n    ${verdict} ${check.id}: ${first?.outcome.actual ?? why}`;
  });
  const told = failed.map(({ check, settled }) => {
    const [first] = settled.filter(({ outcome }) => outcome.verdict === 'fails');
    return `\n    ${check.id}: ${first?.aim.words}: ${first?.outcome.actual}`;
  });
  const took = `${(run.durationMs / 1000).toFixed(0)} s, ${run.runs} runs`;
  const isRight = is === should;
  const mark = isRight ? 'ok  ' : 'WRONG';
  const shown = isRight ? also.join('') : [...told, ...also].join('');
  console.log(`${mark} ${client.name} (${should}): ${is}; ${took}${shown}`);
  return isRight ? null : client.name;
}

function listed(ids: readonly string[]): string {
  return [...ids].sort().join(', ') || 'none';
}

const queue = clients.flatMap((client) => Array.from({ length: times }, () => client));
const wrong: string[] = [];
async function work(): Promise<void> {
  for (let client = queue.shift(); client; client = queue.shift()) {
    const name = await tryOnce(client);
    if (name !== null) wrong.push(name);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`\n${clients.length * times - wrong.length} right, ${wrong.length} wrong`);
process.exitCode = wrong.length > 0 ? 1 : 0;
