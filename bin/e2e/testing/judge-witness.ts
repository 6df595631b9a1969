// Judges a witness in process, with its control plane or only with a profile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runJudge, withFolder } from '../../commands/conformance/testing/run-judge.ts';
import { freePort } from './program.ts';
import { startWitness, type Witness, type WitnessOptions } from './witness/start.ts';

export interface JudgeWitness extends WitnessOptions {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Without a control plane: a profile, a running clock, and high rates. */
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

/** Rates so high that a test does not wait for them; traders are limited to five a second anyway. */
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
