// Has a witness judged in process, by its control plane or by a profile alone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../../conformance/reports/report.ts';
import { runJudge, withFolder } from '../../commands/conformance/testing/run-judge.ts';
import { freePort } from './program.ts';
import { startWitness, type Witness, type WitnessOptions } from './witness/start.ts';

export interface JudgeWitness extends WitnessOptions {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Without a control plane: a profile, a clock that runs, and ample rates. */
  readonly live?: boolean;
}

export async function judgeWitness(given: JudgeWitness) {
  const { only = [], skip = [], live = false, ...options } = given;
  const witness = await startWitness({ ...options, control: !live });
  try {
    const run = { baseUrl: witness.base_url, json: true, seed: '1', only, skip };
    if (!live) return (await runJudge(run)).report;
    return await withFolder(async (cwd) => {
      writeFileSync(join(cwd, 'profile.json'), JSON.stringify(await ampleProfile(witness)));
      const judged = { ...run, controlUrl: 'none', profile: 'profile.json' };
      return (await runJudge(judged, { cwd })).report;
    });
  } finally {
    await witness.close();
  }
}

/** Rates so high that a test does not wait for them; traders are held to five a second anyway. */
async function ampleProfile({ world, profile }: Witness): Promise<object> {
  const given = profile(await freePort());
  const plan = { per_second: 2_000, firm_per_second: 8_000 };
  for (const each of world.store.credentials()) {
    world.store.saveCredential({ ...each, rate_per_second: plan.per_second });
  }
  world.changeFirm('1', { rate_per_second: plan.firm_per_second });
  world.changeFirm('2', { rate_per_second: plan.firm_per_second });
  return { ...given, plan };
}

export const blamedIn = ({ rules }: Report): string[] =>
  rules.filter(({ verdict }) => verdict === 'deviates').map(({ id }) => id);

/** The rules that are not as an honest target leaves them, in words. */
export function complaintsOf({ rules, scenarios }: Report): string[] {
  const failed = scenarios.filter(({ verdict }) => verdict === 'harness_error');
  const accused = rules.filter(({ verdict }) => verdict === 'deviates');
  return [
    ...failed.map(({ id }) => `${id}: the judge failed`),
    ...accused.map(({ id, findings: [first] }) => {
      return `${id} (${first?.scenario}): expected ${first?.expected}; actual ${first?.actual}`;
    }),
  ];
}

export function unpassedOf({ rules }: Report): string[] {
  const isOpen = (verdict: string) => verdict !== 'passed' && verdict !== 'not_selected';
  return rules
    .filter(({ verdict }) => isOpen(verdict))
    .map(({ id, verdict, findings }) => `${id} ${verdict}: ${findings[0]?.actual}`);
}
