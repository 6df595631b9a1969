// `tsx bin/dev/costs.ts`: plays every scenario on a sandbox, with a profile and with the control
// plane, and records its requests and records, for `--dry-run` and the progress line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inventory } from '../../conformance/engine/inventory/inventory.ts';
import { MEASURED_RATES } from '../../conformance/engine/inventory/plan.ts';
import { runScenarios } from '../../conformance/engine/run/run.ts';
import type { Selection } from '../../conformance/engine/run/select.ts';
import { socketSender } from '../../conformance/engine/send/sender.ts';
import type { ScenarioResult } from '../../conformance/engine/types.ts';
import { controlProvider } from '../../conformance/providers/control-provider.ts';
import { profileProvider } from '../../conformance/providers/profile-provider.ts';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { createSandbox } from '../../simulator/index.ts';
import { profileOfSandbox } from '../e2e/testing/live-profile.ts';
import { root } from './root.ts';

type Row = Readonly<Record<string, number | readonly number[]>>;

const order = { instrument: 'EURUSD', side: 'buy', volume: '0.10' };
const positions = { open: { body: order }, close: { body: {} } };

/** At this rate no request has to wait, so the measured time is the scenario's own. */
const unlimitedRate = 2_000;

/** Exhausting a rate takes more calls the higher it is, and concurrent clients depend on the plan. */
const byRate = scenarios
  .filter(({ id, lane }) => lane === 'limits' || /crowd/.test(id))
  .map(({ id }) => id);

/** With a profile of this rate, or with the control plane (null). */
async function play(perSecond: number | null, { only = [], skip = [] }: Partial<Selection> = {}) {
  const sandbox = await createSandbox({ plan: 'pro' });
  const sender = await socketSender();
  const open = async (baseUrl: string) => {
    const controlUrl = `${baseUrl}/_sandbox`;
    if (perSecond === null) return controlProvider({ baseUrl, controlUrl, sender });
    const rates = { per_second: perSecond, firm_per_second: perSecond * 4 };
    const profile = { ...(await profileOfSandbox(sandbox, rates)), positions };
    return profileProvider({ baseUrl, profile, mark: 'costs' });
  };
  try {
    const provider = await open((await sandbox.listen({ port: 0 })).base_url);
    const run = await runScenarios({ scenarios, provider, sender, selection: { only, skip } });
    await provider.close();
    return run.scenarios;
  } finally {
    await sender.close();
    await sandbox.close();
  }
}

function rowOf(results: readonly ScenarioResult[], id: string, hasWaits = true): Row | undefined {
  const result = results.find((each) => each.id === id);
  if (result === undefined || result.attempts === 0) return undefined;
  const calls = result.exchanges.filter(({ kind }) => kind === 'call');
  const own = calls.filter(({ as }) => as === 'firm').length;
  const row: Record<string, number> = { calls: own, other_calls: calls.length - own };
  const inventory = new Inventory('');
  for (const { request, response } of calls) if (response) inventory.note(request, response);
  Object.assign(row, inventory.made);
  const busyMs = calls.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (hasWaits) row.wait_ms = Math.round(Math.max(0, result.durationMs - busyMs) / 500) * 500;
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value > 0));
}

/** All calls at each measured rate, beside what is made at the first. */
function withRates(rows: readonly (Row | undefined)[]): Row | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const { calls: _, other_calls: __, ...rest } = first;
  const sent = (row: Row = {}) => Number(row.calls ?? 0) + Number(row.other_calls ?? 0);
  return { at_rate: rows.map(sent), ...rest };
}

console.error('A profile, the rates of it, and the control plane: six runs of every scenario');
const live = await play(unlimitedRate, { skip: byRate });
const limited: (readonly ScenarioResult[])[] = [];
for (const rate of MEASURED_RATES) limited.push(await play(rate, { only: byRate }));
const whole = await play(null);
const lines = scenarios.map(({ id }) => {
  const profile = byRate.includes(id)
    ? withRates(limited.map((results) => rowOf(results, id)))
    : rowOf(live, id);
  return `  ${JSON.stringify(id)}: ${JSON.stringify({ profile, control: rowOf(whole, id, false) })}`;
});
const file = join(root, 'conformance/engine/inventory/costs.json');
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
