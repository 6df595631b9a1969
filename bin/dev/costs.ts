// `tsx bin/dev/costs.ts`: plays every scenario on a sandbox, with a profile and with the control
// plane, and writes what each sends and makes, which `--dry-run` and the progress line rest on.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inventory } from '../../conformance/engine/inventory/inventory.ts';
import { runScenarios } from '../../conformance/engine/run/run.ts';
import { type Sender, socketSender } from '../../conformance/engine/send/sender.ts';
import type { ScenarioResult } from '../../conformance/engine/types.ts';
import { controlProvider } from '../../conformance/providers/control-provider.ts';
import type { Profile } from '../../conformance/providers/profile.ts';
import { profileProvider } from '../../conformance/providers/profile-provider.ts';
import type { Provider } from '../../conformance/providers/target.ts';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { createSandbox, type SandboxHandle } from '../../simulator/index.ts';
import { writeProfile } from '../e2e/testing/live-profile.ts';
import { root } from './root.ts';

type Row = Record<string, number>;
type Results = readonly ScenarioResult[];
type Open = (baseUrl: string, sender: Sender, sandbox: SandboxHandle) => Promise<Provider>;

/** At this rate no request waits for its turn, so the rest of the time is the scenario's own. */
const AMPLE = 2_000;
/** Exhausting a rate takes more calls the higher it is. */
const RATES = [5, 15] as const;
const MAIN = 'firm';

/** A crowd is as large as the plan lets it be. */
const byRate = scenarios
  .filter(({ id, lane }) => lane === 'limits' || /crowd/.test(id))
  .map(({ id }) => id);

async function play(open: Open, only: readonly string[], skip: readonly string[]) {
  const sandbox = await createSandbox({ plan: 'pro' });
  const sender = await socketSender();
  try {
    const { base_url: baseUrl } = await sandbox.listen({ port: 0 });
    const provider = await open(baseUrl, sender, sandbox);
    const run = await runScenarios({ scenarios, provider, sender, selection: { only, skip } });
    await provider.close();
    return run.scenarios;
  } finally {
    await sender.close();
    await sandbox.close();
  }
}

async function withProfile(perSecond: number, only: readonly string[], skip: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'costs-'));
  const rates = { per_second: perSecond, firm_per_second: perSecond * 4 };
  const open: Open = async (baseUrl, _sender, sandbox) => {
    const file = join(folder, await writeProfile(sandbox, folder, rates));
    const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
    return profileProvider({ baseUrl, profile, secrets: [], mark: 'costs' });
  };
  try {
    return await play(open, only, skip);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const withControl: Open = (baseUrl, sender) =>
  controlProvider({ baseUrl, controlUrl: `${baseUrl}/_sandbox`, sender });

function rowOf(results: Results, id: string, hasWaits: boolean): Row | undefined {
  const result = results.find((each) => each.id === id);
  if (result === undefined || result.attempts === 0) return undefined;
  const calls = result.exchanges.filter(({ kind }) => kind === 'call');
  const own = calls.filter(({ as }) => as === MAIN).length;
  const row: Row = { calls: own, other_calls: calls.length - own };
  const inventory = new Inventory('');
  for (const { request, response } of calls) if (response) inventory.note(request, response);
  Object.assign(row, inventory.made);
  const busyMs = calls.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (hasWaits) row.wait_ms = Math.round(Math.max(0, result.durationMs - busyMs) / 500) * 500;
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value > 0));
}

/** How many more calls each further request a second takes, from two rates. */
function withRate(slow: Row | undefined, fast: Row | undefined): Row | undefined {
  if (slow === undefined || fast === undefined) return slow;
  const rise = ((fast.calls ?? 0) - (slow.calls ?? 0)) / (RATES[1] - RATES[0]);
  const calls = Math.max(0, Math.round((slow.calls ?? 0) - rise * RATES[0]));
  return { ...slow, calls, per_rate: Math.round(rise * 10) / 10 };
}

console.error('A profile, the rates of it, and the control plane: four runs of every scenario');
const live = await withProfile(AMPLE, [], byRate);
const slow = await withProfile(RATES[0], byRate, []);
const fast = await withProfile(RATES[1], byRate, []);
const whole = await play(withControl, [], []);
const lines = scenarios.map(({ id }) => {
  const profile = byRate.includes(id)
    ? withRate(rowOf(slow, id, true), rowOf(fast, id, true))
    : rowOf(live, id, true);
  const row = { profile, control: rowOf(whole, id, false) };
  return `  ${JSON.stringify(id)}: ${JSON.stringify(row)}`;
});
const file = join(root, 'conformance/engine/inventory/costs.json');
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
