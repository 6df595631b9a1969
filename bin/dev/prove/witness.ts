// The proof of the judge on the witness: each defect is caught by one of its rules at least. What
// catches it is recorded in bin/e2e/testing/witness/proof.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blamedIn, judgeWitness } from '../../e2e/testing/judge-witness.ts';
import { type Defect, defects } from '../../e2e/testing/witness/defects.ts';
import { root } from '../root.ts';
import { matcherOf } from './families.ts';

const FILE = join(root, 'bin/e2e/testing/witness/proof.json');
/** Much of a run is waiting, so that several at once take little longer than one. */
const AT_ONCE = 4;

type WitnessProof = Readonly<Record<string, readonly string[]>>;

const readWitnessProof = (): WitnessProof => JSON.parse(readFileSync(FILE, 'utf8'));

/** The rules that a defect breaks, as the judge names them; with --full every rule is judged. */
async function blamedFor(defect: Defect, isFull = false): Promise<string[]> {
  const only = isFull ? [] : defect.breaks;
  return blamedIn(await judgeWitness({ defects: [defect], only }));
}

export async function proveWitness(
  names: readonly string[],
  { accept, full }: { readonly accept: boolean; readonly full: boolean },
): Promise<number> {
  const matchers = names.map(matcherOf);
  const chosen = defects.filter(
    ({ id, breaks }) =>
      names.length === 0 || matchers.some((matches) => [id, ...breaks].some(matches)),
  );
  const before = readWitnessProof();
  const after: Record<string, readonly string[]> = {};
  let complaints = 0;
  const complain = (line: string) => {
    complaints += 1;
    console.log(line);
  };
  const left = chosen.values();
  const work = async () => {
    for (const defect of left) {
      const blamed = await blamedFor(defect, full).catch((error: unknown) => {
        complain(`${defect.id}: ${String(error)}`);
        return [] as string[];
      });
      const own = blamed.filter((rule) => defect.breaks.some((id) => id === rule));
      const innocent = blamed.filter((rule) => !own.includes(rule));
      const lost = (before[defect.id] ?? []).filter((rule) => !blamed.includes(rule));
      after[defect.id] = own;
      // A defect that only the explorer can find is recorded with no rule.
      const isNew = before[defect.id] === undefined;
      if (own.length === 0 && isNew) complain(`${defect.id}: not noticed`);
      if (innocent.length > 0) complain(`${defect.id}: blamed ${innocent.join(' ')}`);
      if (lost.length > 0) complain(`${defect.id}: no longer caught by ${lost.join(' ')}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const caught = Object.values(after).filter((rules) => rules.length > 0).length;
  console.log(`${caught} of ${chosen.length} defects of the witness are caught by their rules`);
  if (accept) {
    const known = defects.map(({ id }) => [id, after[id] ?? before[id] ?? []] as const);
    const lines = known.map(([id, rules]) => `  ${JSON.stringify(id)}: ${JSON.stringify(rules)}`);
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
  }
  return complaints > 0 && !accept ? 1 : 0;
}
