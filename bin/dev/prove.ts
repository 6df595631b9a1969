// `npm run prove [-- --full] [GLOB…]`: every deviation is caught by its rules, and nothing else is
// blamed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { rules } from '../../fixtures/rules.ts';
import type { Deviation } from '../../simulator/deviations/deviation.ts';
import { deviations } from '../../simulator/deviations/register.ts';
import { unbendable } from '../../simulator/deviations/unbendable.ts';
import { judgeAll } from './prove/gate.ts';
import type { JudgedDeviation } from './prove/judge-deviation.ts';
import { plantedDeviations } from './prove/planted.ts';
import { type Proof, prove, proveConforming } from './prove/verdict.ts';
import { readArgs, refuse } from './read-args.ts';
import { root } from './root.ts';

const { values, positionals: globs } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
});
const whole = values.full;

/** Scenarios that no deviation of this simulator can make notice, each with the reason. */
const withoutWitness: Readonly<Record<string, string>> = {
  'idem-reference-in-a-crowd':
    'nothing waits inside a step, so that this simulator cannot lose a race for a reference',
  'lim-firm-in-real-time': 'it is played only where no clock can be moved, and the gate always can',
  'evt-real-time': 'it is played only where no clock can be moved, and the gate always can',
};

function matches(glob: string, id: string): boolean {
  const pattern = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`).test(id);
}

const isMeant = ({ id, breaks }: Deviation, glob: string): boolean =>
  [id, ...breaks].some((name) => matches(glob, name));
const unknown = globs.find((glob) => !deviations.some((deviation) => isMeant(deviation, glob)));
if (unknown !== undefined) refuse(import.meta.url, `no deviation and no rule is ${unknown}`);
const chosen = deviations.filter(
  (deviation) => globs.length === 0 || globs.some((glob) => isMeant(deviation, glob)),
);
const planted = globs.length === 0 ? plantedDeviations : [];
const tried = new Map<string, JudgedDeviation>();
const startedMs = performance.now();
// The conforming one and the planted ones see everything: that is what they are for.
const rest = planted.map(({ id }) => id);
if (globs.length === 0) await judgeAll([null], true, (each) => tried.set(each.id, each));
await judgeAll(planted, true, (each) => tried.set(each.id, each));
await judgeAll(chosen, whole, (each) => {
  tried.set(each.id, each);
  if (process.stdout.isTTY)
    process.stdout.write(`\r${tried.size} of ${chosen.length + rest.length + 1} tried`);
});

// What a busy machine did is not what a deviation did: a surprise has to come twice, the second
// time with no other beside it.
const unlike = (deviation: Deviation) =>
  prove(deviation, tried.get(deviation.id)!, whole).outcome !== 'caught';
for (const surprise of chosen.filter(unlike)) {
  await judgeAll([surprise], whole, (each) => tried.set(each.id, each));
}

const wrong: string[] = [];
const conforming = tried.get('conforming');
if (conforming !== undefined) {
  wrong.push(...proveConforming(conforming).map((line) => `conforming: ${line}`));
}
const proofs: Proof[] = chosen.map((deviation) =>
  prove(deviation, tried.get(deviation.id)!, whole),
);
for (const { id, outcome, unnoticed, blamed, failed, idle } of proofs) {
  if (outcome !== 'caught') {
    const parts = [
      unnoticed.length > 0 ? `not noticed: ${unnoticed.join(' ')}` : '',
      blamed.length > 0
        ? `blamed: ${blamed.map((rule) => `${rule} (${seenBy(id, rule)})`).join('; ')}`
        : '',
      failed.length > 0 ? `the judge failed in ${failed.join('; ')}` : '',
    ];
    wrong.push(`${id}: ${outcome}. ${parts.filter((part) => part !== '').join('. ')}`);
  }
  if (idle.length > 0) wrong.push(`${id}: explains ${idle.join(' ')}, which nobody noticed`);
}
wrong.push(...judgePlanted(), ...findUncovered());

function seenBy(id: string, rule: string): string {
  return tried.get(id)?.deviates[rule]?.join(', ') ?? '';
}

/** The gate itself is tried: what proves nothing must be called so. */
function judgePlanted(): string[] {
  const [nothing, others, failing] = planted.map((each) => prove(each, tried.get(each.id)!, true));
  const complaints: string[] = [];
  if (nothing !== undefined && nothing.outcome !== 'survived') {
    complaints.push('the planted deviation that changes nothing was not reported as survived');
  }
  if (others !== undefined && others.outcome !== 'blames others') {
    complaints.push('the planted deviation that breaks more than it says was not reported');
  }
  if (failing !== undefined && failing.outcome !== 'fails the judge') {
    complaints.push('the planted deviation over which the judge fails was not reported');
  }
  return complaints;
}

/** Rules without a deviation, and under --full scenarios that never noticed anything. */
function findUncovered(): string[] {
  if (globs.length > 0) return [];
  const broken = new Set(deviations.flatMap(({ breaks }) => breaks));
  const bare = rules.filter(({ id }) => !broken.has(id) && !(id in unbendable)).map(({ id }) => id);
  const complaints = bare.length > 0 ? [`no deviation breaks ${bare.join(' ')}`] : [];
  if (!whole) return complaints;
  const noticed = new Set(
    [...tried.values()].flatMap(({ deviates }) => Object.values(deviates).flat()),
  );
  const blind = scenarios
    .filter(({ id }) => !noticed.has(id) && !(id in withoutWitness))
    .map(({ id }) => id);
  if (blind.length > 0) complaints.push(`scenarios that noticed nothing: ${blind.join(' ')}`);
  return complaints;
}

/** The matrix as it is after this run: rows that were not tried stand as they were. */
function writeProof(): void {
  const path = join(root, 'fixtures', 'proof.json');
  const before = globs.length === 0 ? {} : readMatrix(path);
  const matrix = Object.fromEntries(
    deviations.flatMap(({ id }) => {
      const seen = tried.get(id)?.deviates ?? before[id];
      return seen === undefined ? [] : [[id, seen] as const];
    }),
  );
  const figures = {
    deviations: deviations.length,
    caught: deviations.filter((each) => {
      const deviates = matrix[each.id];
      return deviates !== undefined && prove(each, { deviates }, true).outcome === 'caught';
    }).length,
    rules: rules.length,
    scenarios: scenarios.length,
  };
  writeFileSync(path, printProof(figures, matrix));
}

function readMatrix(path: string): Readonly<Record<string, JudgedDeviation['deviates']>> {
  return JSON.parse(readFileSync(path, 'utf8')).matrix;
}

/** One line a deviation: rule by rule the scenarios that noticed it. */
function printProof(figures: object, matrix: Readonly<Record<string, object>>): string {
  const lines = Object.entries(matrix).map(
    ([id, seen]) => `  ${JSON.stringify(id)}: ${JSON.stringify(seen)}`,
  );
  const head = JSON.stringify(figures).slice(0, -1);
  return `${head},\n "matrix": {\n${lines.join(',\n')}\n }}\n`;
}

const caught = proofs.filter(({ outcome }) => outcome === 'caught').length;
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(
  `\n${caught} of ${chosen.length} deviations caught by exactly their rules, in ${seconds} s`,
);
for (const line of wrong) console.log(`  ${line}`);
if (whole) writeProof();
process.exitCode = wrong.length > 0 ? 1 : 0;
