// `tsx bin/dev/weather.ts [GLOB…]`: judges the conforming simulator behind a gateway with bad
// days, at several rates, and says what came of it: never a deviation.
import { createSandbox } from '../../simulator/index.ts';
import { judge } from '../commands/judge-under-test.ts';
import { drawing } from './weather/ills.ts';
import { startProxy } from './weather/proxy.ts';

const only = process.argv.slice(2);
const sandbox = await createSandbox({ clock: 'frozen' });
const { base_url: target } = await sandbox.listen({ port: 0 });
let deviating = 0;
for (const [rate, seed] of [
  [0.01, 1],
  [0.05, 2],
  ...(process.argv[2] === undefined ? [[0.3, 3] as const] : []),
] as const) {
  const proxy = await startProxy({ target, draw: drawing(seed, rate), slowMs: 300 });
  const startedAt = performance.now();
  const given = { baseUrl: proxy.url, controlUrl: `${target}/_sandbox`, json: true, only };
  const { report, code } = await judge(given);
  await proxy.close();
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  const ills = [...proxy.happened.values()].reduce((sum, each) => sum + each, 0);
  const counts = Object.entries(report.summary).filter(([, many]) => many > 0);
  const said = counts.map(([verdict, many]) => `${many} ${verdict}`).join(', ');
  console.log(`${rate * 100} %: ${ills} of ${report.requests} disturbed, ${took} s, exit ${code}`);
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
