// The proof of the judge on the witness: neither style and no trait is accused of anything, and each defect
// is caught by at least one of its rules. Which ones is recorded in bin/e2e/testing/witness/proof.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeWitness } from '../../e2e/testing/judge-witness.ts';
import { blamedIn, complaintsOf, unpassedOf } from '../../e2e/testing/sandboxed.ts';
import { type Defect, defects } from '../../e2e/testing/witness/defects.ts';
import { type StyleName, styles } from '../../e2e/testing/witness/styles.ts';
import { compatibleGroups } from '../../e2e/testing/witness/traits.ts';
import { root } from '../root.ts';
import { matcherOf } from './families.ts';

const FILE = join(root, 'bin/e2e/testing/witness/proof.json');
/** Runs mostly wait, so several at once take little longer than one. */
const AT_ONCE = 4;

/** The rules by which each defect is caught; of a defect that only the explorer can find, none. */
export type WitnessProof = Readonly<Record<string, readonly string[]>>;

export const readWitnessProof = (): WitnessProof => JSON.parse(readFileSync(FILE, 'utf8'));

interface Options {
  readonly accept: boolean;
  readonly full: boolean;
}

/** With names, only the defects with these ids or of these rules, and no styles and traits. */
export async function proveWitness(names: readonly string[], options: Options): Promise<number> {
  const matchers = names.map(matcherOf);
  const chosen = defects.filter(
    ({ id, breaks }) =>
      names.length === 0 || matchers.some((matches) => [id, ...breaks].some(matches)),
  );
  const complaints: string[] = [];
  const complain = (line: string) => {
    complaints.push(line);
    console.log(line);
  };
  if (names.length === 0) {
    await proveStyles(complain);
    await proveTraits(complain);
  }
  const before = readWitnessProof();
  const after: Record<string, readonly string[]> = {};
  await each(chosen, async (defect) => {
    const { own, innocent } = await judge(defect, options.full, complain);
    const lost = (before[defect.id] ?? []).filter((rule) => !own.includes(rule));
    after[defect.id] = own;
    if (own.length === 0 && before[defect.id] === undefined) complain(`${defect.id}: not noticed`);
    if (innocent.length > 0) complain(`${defect.id}: blamed ${innocent.join(' ')}`);
    if (lost.length > 0) complain(`${defect.id}: no longer caught by ${lost.join(' ')}`);
  });
  const caught = Object.values(after).filter((rules) => rules.length > 0).length;
  console.log(`${caught} of ${chosen.length} defects of the witness are caught by their rules`);
  if (options.accept) {
    const rulesOf = (id: string) => JSON.stringify(after[id] ?? before[id] ?? []);
    const lines = defects.map(({ id }) => `  "${id}": ${rulesOf(id).replaceAll('","', '", "')}`);
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
  }
  return complaints.length > 0 && !options.accept ? 1 : 0;
}

/** By the control plane every rule is passed; by a profile alone none is accused. */
async function proveStyles(complain: (line: string) => void): Promise<void> {
  for (const style of Object.keys(styles) as StyleName[]) {
    for (const line of unpassedOf(await judgeWitness({ style }))) complain(`${style}: ${line}`);
    const live = complaintsOf(await judgeWitness({ style, live: true, skip: ['LIM-*', 'EVT-*'] }));
    for (const line of live) complain(`${style}, by a profile: ${line}`);
  }
}

async function proveTraits(complain: (line: string) => void): Promise<void> {
  const groups = compatibleGroups(24);
  await each(groups, async (traits) => {
    const complaints = complaintsOf(await judgeWitness({ traits }));
    const names = traits.map(({ id }) => id).join(' ');
    for (const line of complaints) complain(`accused: ${line}; one of ${names}`);
  });
  console.log(
    `${groups.flat().length} traits of the witness were judged in ${groups.length} groups`,
  );
}

/** The rules that are blamed, of the defect's own and of others; with `isFull` every rule is judged. */
async function judge(defect: Defect, isFull: boolean, complain: (line: string) => void) {
  const only = isFull ? [] : defect.breaks;
  const blamed = await judgeWitness({ defects: [defect], only }).then(
    blamedIn,
    (error: unknown) => {
      complain(`${defect.id}: ${String(error)}`);
      return [] as string[];
    },
  );
  const isOwn = (rule: string) => defect.breaks.some((id) => id === rule);
  return { own: blamed.filter(isOwn), innocent: blamed.filter((rule) => !isOwn(rule)) };
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const next = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
