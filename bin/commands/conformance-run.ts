// `conformance run`: judges one target and says what it found.

import { judgeRule, judgeRun } from '../../conformance/engine/judge.ts';
import { runScenarios } from '../../conformance/engine/run.ts';
import { socketSender } from '../../conformance/engine/send.ts';
import { controlProvider } from '../../conformance/providers/control-provider.ts';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { findRule, rules } from '../../fixtures/rules.ts';

export interface RunOptions {
  readonly baseUrl: string;
  readonly controlUrl?: string;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly seed: number;
  readonly timeoutS: number;
}

export async function run(options: RunOptions): Promise<number> {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const controlUrl = options.controlUrl ?? `${baseUrl}/_sandbox`;
  const sender = await socketSender();
  const provider = await controlProvider({ baseUrl, controlUrl, sender });
  const selection = { only: options.only, skip: options.skip };
  const timeoutMs = options.timeoutS * 1000;
  const result = await runScenarios({
    ...{ scenarios, provider, sender, selection, timeoutMs },
    seed: options.seed,
  });
  await provider.close();
  await sender.close();
  const judged = rules.map((rule) => judgeRule(rule, result.scenarios));
  for (const each of result.scenarios) {
    if (each.verdict === 'not_selected') continue;
    console.log(`${each.verdict.padEnd(13)} ${each.id} (${each.exchanges.length} exchanges)`);
    if (each.why !== null) console.log(`    ${each.why}`);
    for (const { rules: tags, verdict, expected, actual, exchanges } of each.findings) {
      if (verdict === 'passed') continue;
      console.log(`    ${verdict} ${tags.join(' ')}: ${findRule(tags[0]!).words}`);
      console.log(
        `      expected ${expected}\n      actual   ${actual}\n      in exchanges ${exchanges}`,
      );
    }
  }
  const counts = new Map<string, number>();
  for (const { verdict } of judged) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  console.log([...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', '));
  const verdict = judgeRun(judged);
  console.log(`${verdict}, ${result.requests} requests in ${Math.round(result.durationMs)} ms`);
  return { conformant: 0, deviates: 1, incomplete: 4, invalid: 3 }[verdict];
}
