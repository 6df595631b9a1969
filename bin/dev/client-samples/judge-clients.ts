// Judges clients whole, and says where the judge is wrong: a mistake that it does not see, or a
// failure that is none.
import { availableParallelism } from 'node:os';
import { checks } from '../../../conformance/client/checks/all.ts';
import { judgeClient } from '../../../conformance/client/judge.ts';
import { worlds } from '../../../fixtures/worlds.ts';
import { openWorlds } from '../../commands/conformance/client-sandbox.ts';

export interface JudgedClient {
  readonly name: string;
  readonly command: readonly string[];
  /** Where it is run. */
  readonly cwd: string;
  /** The checks that it has to fail, and no other. */
  readonly fails: readonly string[];
}

/** A client under judgement waits most of its time. */
const clientsPerCore = 3;

/** The names of those about which the judge was wrong. */
export async function judgeClients(clients: readonly JudgedClient[]): Promise<string[]> {
  const queue = [...clients];
  const wrong: string[] = [];
  async function work(): Promise<void> {
    for (let client = queue.shift(); client; client = queue.shift()) {
      if (!(await isJudgedRight(client))) wrong.push(client.name);
    }
  }
  await Promise.all(Array.from({ length: clientsPerCore * availableParallelism() }, work));
  return wrong;
}

async function isJudgedRight({ name, command, cwd, fails }: JudgedClient): Promise<boolean> {
  const run = await judgeClient({
    command: [...command],
    cwd,
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
  const should = listed(fails);
  const also = [...unclear, ...advised].map(({ check, verdict, concluded, why }) => {
    const [first] = concluded.filter(({ outcome }) => outcome.verdict === verdict);
    return why?.startsWith('the first run')
      ? ''
      : `\n    ${verdict} ${check.id}: ${first?.outcome.actual ?? why}`;
  });
  const told = failed.map(({ check, concluded }) => {
    const [first] = concluded.filter(({ outcome }) => outcome.verdict === 'fails');
    return `\n    ${check.id}: ${first?.aim.words}: ${first?.outcome.actual}`;
  });
  const took = `${(run.durationMs / 1000).toFixed(0)} s, ${run.runs} runs`;
  const isRight = is === should;
  const mark = isRight ? 'ok  ' : 'WRONG';
  const shown = isRight ? also.join('') : [...told, ...also].join('');
  console.log(`${mark} ${name} (${should}): ${is}; ${took}${shown}`);
  return isRight;
}

function listed(ids: readonly string[]): string {
  return [...ids].sort().join(', ') || 'none';
}
