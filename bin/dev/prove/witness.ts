// The proof of the judge on the witness: no style or trait is accused of anything, and each defect
// is caught by at least one of its rules, as recorded in bin/e2e/testing/witness/proof.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeWitness } from '../../e2e/testing/judge-witness.ts';
import { blamedIn, complaintsOf, unpassedOf } from '../../e2e/testing/sandboxed.ts';
import { type Defect, defects } from '../../e2e/testing/witness/defects.ts';
import { type StyleName, styles } from '../../e2e/testing/witness/styles.ts';
import { compatibleGroups } from '../../e2e/testing/witness/traits.ts';
import { root } from '../root.ts';

const file = join(root, 'bin/e2e/testing/witness/proof.json');
/** Runs mostly wait, so several concurrent ones take little longer than one. */
const atOnce = 4;

/** The rules that catch each defect; empty for a defect that only the explorer can find. */
export type WitnessProof = Readonly<Record<string, readonly string[]>>;

export const readWitnessProof = (): WitnessProof => JSON.parse(readFileSync(file, 'utf8'));

interface Options {
  /** Only some defects are selected: styles and traits are left out. */
  readonly isPart: boolean;
  readonly accept: boolean;
  readonly full: boolean;
}

/** Resolves to the exit code. */
export async function proveWitness(chosen: readonly Defect[], options: Options): Promise<number> {
  let complaints = 0;
  const complain = (line: string) => {
    complaints += 1;
    console.log(line);
  };
  if (!options.isPart) {
    await eachOf(Object.keys(styles) as StyleName[], async (style) => {
      for (const line of unpassedOf(await judgeWitness({ style }))) complain(`${style}: ${line}`);
      const skip = ['LIM-*', 'EVT-*'];
      const live = complaintsOf(await judgeWitness({ style, live: true, skip }));
      for (const line of live) complain(`${style}, by a profile: ${line}`);
    });
    const groups = compatibleGroups(24);
    await eachOf(groups, async (traits) => {
      const names = traits.map(({ id }) => id).join(' ');
      const accusations = complaintsOf(await judgeWitness({ traits }));
      for (const line of accusations) complain(`accused: ${line}; one of ${names}`);
    });
    const count = groups.flat().length;
    console.log(`${count} traits of the witness were judged in ${groups.length} groups`);
  }
  const before = readWitnessProof();
  const after: Record<string, readonly string[]> = {};
  await eachOf(chosen, async (defect) => {
    const { id, breaks } = defect;
    const only = options.full ? [] : breaks;
    const report = await judgeWitness({ defects: [defect], only }).catch((error: unknown) => {
      complain(`${id}: ${error}`);
    });
    const blamed = report === undefined ? [] : blamedIn(report);
    const caughtBy = blamed.filter((rule) => breaks.some((own) => own === rule));
    const accused = blamed.filter((rule) => !caughtBy.includes(rule));
    const lost = (before[id] ?? []).filter((rule) => !caughtBy.includes(rule));
    after[id] = caughtBy;
    if (caughtBy.length === 0 && before[id] === undefined) complain(`${id}: not noticed`);
    if (accused.length > 0) complain(`${id}: blamed ${accused.join(' ')}`);
    if (lost.length > 0) complain(`${id}: no longer caught by ${lost.join(' ')}`);
  });
  const caught = Object.values(after).filter((rules) => rules.length > 0).length;
  console.log(`${caught} of ${chosen.length} defects of the witness are caught by their rules`);
  if (options.accept) {
    const rulesOf = (id: string) => JSON.stringify(after[id] ?? before[id] ?? []);
    const lines = defects.map(({ id }) => `  "${id}": ${rulesOf(id).replaceAll('","', '", "')}`);
    writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
  }
  return complaints > 0 && !options.accept ? 1 : 0;
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const next = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}
