// `tsx bin/dev/chaos.ts [GLOB…]`: judges the conforming simulator behind a gateway with bad
// days, at several rates, and says what came of it: never a deviation.
import { createSandbox } from '../../simulator/index.ts';
import { runJudge } from '../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from '../e2e/testing/chaos-proxy.ts';
import { faultDrawer } from '../e2e/testing/network-faults.ts';

const only = process.argv.slice(2);
const sandbox = await createSandbox({ clock: 'frozen' });
const { base_url: target } = await sandbox.listen({ port: 0 });
let deviating = 0;
for (const [rate, seed] of [
  [0.01, 1],
  [0.05, 2],
  ...(process.argv[2] === undefined ? [[0.3, 3] as const] : []),
] as const) {
  const proxy = await startChaosProxy({ target, draw: faultDrawer(seed, rate), slowMs: 300 });
  const startedAt = performance.now();
  const given = { baseUrl: proxy.url, controlUrl: `${target}/_sandbox`, json: true, only };
  const { report, code } = await runJudge(given);
  await proxy.close();
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  const faults = [...proxy.injected.values()].reduce((sum, each) => sum + each, 0);
  const counts = Object.entries(report.summary).filter(([, many]) => many > 0);
  const said = counts.map(([verdict, many]) => `${many} ${verdict}`).join(', ');
  console.log(
    `${rate * 100} %: ${faults} of ${report.requests} disturbed, ${took} s, exit ${code}`,
  );
  console.log(`  ${said}`);
  for (const rule of report.rules.filter(({ verdict }) => verdict === 'not_tested')) {
    console.log(`  ${rule.id}: ${rule.findings.map(({ actual }) => actual).join('; ')}`);
  }
  for (const rule of report.rules.filter(({ verdict }) => verdict === 'deviates')) {
    deviating += 1;
    for (const { scenario, expected, actual } of rule.findings) {
      console.log(`  ${rule.id} ${scenario}: expected ${expected}; actual ${actual}`);
    }
  }
}
await sandbox.close();
process.exitCode = deviating > 0 ? 1 : 0;
