// `tsx bin/dev/chaos.ts [options] [GLOB…]`: judges what conforms behind a gateway with bad days, at
// several rates, and says what came of it: never a deviation.
//   --of WHAT      simulator (the default), settings (a simulator under settings drawn by chance),
//                  plain or other (the second mind in that style)
//   --seeds A,B    a run for each (1,2)
//   --rates A,B    of each seed, the part of the requests that is disturbed (0.01,0.05); 0 is none
import type { Settings } from '../../fixtures/settings.ts';
import { createSandbox } from '../../simulator/index.ts';
import { runJudge } from '../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from '../e2e/testing/chaos-proxy.ts';
import { faultDrawer } from '../e2e/testing/network-faults.ts';
import { serve } from '../e2e/testing/second-mind/server/serve.ts';
import { drawSettings } from './prove-explorer/subjects.ts';
import { readArgs, refuse } from './read-args.ts';

const { values, positionals: only } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: {
    of: { type: 'string', default: 'simulator' },
    seeds: { type: 'string', default: '1,2' },
    rates: { type: 'string', default: '0.01,0.05' },
  },
});

interface Opened {
  readonly url: string;
  close(): Promise<void>;
}

async function open(what: string, seed: number): Promise<Opened> {
  if (what === 'plain' || what === 'other') {
    const { baseUrl: url, close } = await serve({ style: what });
    return { url, close };
  }
  if (what !== 'simulator' && what !== 'settings') refuse(import.meta.url, `--of ${what}`);
  const drawn: { settings?: Settings } =
    what === 'settings' ? { settings: drawSettings(seed) } : {};
  const sandbox = await createSandbox({ clock: 'frozen', ...drawn });
  const { base_url: url } = await sandbox.listen({ port: 0 });
  return { url, close: () => sandbox.close() };
}

/** The number of rules that deviate. */
async function judge(seed: number, rate: number): Promise<number> {
  const target = await open(values.of, seed);
  const draw = faultDrawer(seed, rate);
  const proxy = await startChaosProxy({ target: target.url, draw, slowMs: 300 });
  const startedAt = performance.now();
  const given = { baseUrl: proxy.url, controlUrl: `${target.url}/_sandbox`, json: true, only };
  const { report, code } = await runJudge({ ...given, seed: String(seed) });
  await proxy.close();
  await target.close();
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  const faults = [...proxy.injected.values()].reduce((sum, each) => sum + each, 0);
  const counts = Object.entries(report.summary).filter(([, many]) => many > 0);
  const said = counts.map(([verdict, many]) => `${many} ${verdict}`).join(', ');
  const which = `${values.of}, seed ${seed}, ${rate * 100} %`;
  console.log(`${which}: ${faults} of ${report.requests} disturbed, ${took} s, exit ${code}`);
  console.log(`  ${said}`);
  for (const rule of report.rules.filter(({ verdict }) => verdict === 'not_tested')) {
    console.log(`  ${rule.id}: ${rule.findings.map(({ actual }) => actual).join('; ')}`);
  }
  const wrong = ['deviates', 'harness_error'];
  const deviating = report.rules.filter(({ verdict }) => wrong.includes(verdict));
  for (const { id, verdict, findings } of deviating) {
    for (const { scenario, expected, actual } of findings) {
      console.log(`  ${id} ${verdict} ${scenario}: expected ${expected}; actual ${actual}`);
    }
  }
  return deviating.length;
}

let deviating = 0;
for (const seed of values.seeds.split(',').map(Number)) {
  for (const rate of values.rates.split(',').map(Number)) deviating += await judge(seed, rate);
}
process.exitCode = deviating > 0 ? 1 : 0;
