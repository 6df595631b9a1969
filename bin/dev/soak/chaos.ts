// Judges a conforming sandbox behind a faulty network: no rule may deviate.
import { createSandbox } from '../../../simulator/index.ts';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from '../../e2e/testing/chaos-proxy.ts';
import { faultDrawer } from '../../e2e/testing/network-faults.ts';

/** The share of requests that are disturbed, one run after the other. */
const rates = [0.01, 0.05];

export async function chaos({ seed, count }: { seed: number; count: number }): Promise<string[]> {
  const broken: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const rate = rates[n % rates.length] as number;
    const sandbox = await createSandbox({ clock: 'frozen' });
    const { base_url: target } = await sandbox.listen({ port: 0 });
    const draw = faultDrawer(seed + n, rate);
    const proxy = await startChaosProxy({ target, draw, slowMs: 300 });
    const given = { baseUrl: proxy.url, controlUrl: `${target}/_sandbox`, seed: seed + n };
    const { report } = await runJudge({ ...given, json: true });
    await proxy.close();
    await sandbox.close();
    const counts = Object.entries(report.summary).map(([verdict, many]) => `${many} ${verdict}`);
    console.log(`seed ${seed + n}, ${rate * 100} % disturbed: ${counts.join(', ')}`);
    for (const { id, verdict, findings } of report.rules) {
      if (verdict !== 'deviates' && verdict !== 'harness_error') continue;
      broken.push(...findings.map((each) => `${id} ${each.scenario}: ${each.actual}`));
    }
  }
  return broken;
}
