// `npm run prove [-- --accept] [--full] [--witness] [NAME…]`: checks that the judge catches each deviation by
// exactly its rules, and that no expectation of the judge has lost the deviations that trip it.
// NAME is a family (`accounts`), a rule or a deviation, with `*` for any characters. --accept writes
// the new record to fixtures/proof.json; --full plays every scenario against each deviation; --witness
// proves the defects of the witness instead.
import { scenarios } from '../../conformance/scenarios/all.ts';
import { rules } from '../../fixtures/rules.ts';
import type { Deviation } from '../../simulator/deviations/deviation.ts';
import { deviations, unbreakable } from '../../simulator/deviations/register.ts';
import { playedScenarios, unplayed, untrippable } from './prove/chosen-scenarios.ts';
import { familyOf, matcherOf } from './prove/families.ts';
import { judgeAll, orderOf } from './prove/gate.ts';
import type { JudgedDeviation } from './prove/judge-deviation.ts';
import {
  compare,
  keyOf,
  type ProofRecord,
  readRecord,
  scenariosByDeviation,
  trippedIn,
  updated,
  writeRecord,
} from './prove/record.ts';
import { prove, proveConforming } from './prove/verdict.ts';
import { proveWitness } from './prove/witness.ts';
import type { Order } from './prove/worker.ts';
import { readArgs, refuse } from './read-args.ts';

const { values, positionals: names } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: {
    accept: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    witness: { type: 'boolean', default: false },
  },
});
if (values.witness) process.exit(await proveWitness(names, values));
const startedMs = performance.now();
const chosen = chooseDeviations();
const committed = readRecord();
const recordedScenarios = scenariosByDeviation(committed);
const judged = new Map<string, JudgedDeviation>();

await judgeChosen();
const conforming = judged.get('conforming')!;
let changes = compareWithCommitted();
// A busy machine can change what one run shows: what looks lost is judged again, with deviations
// that were not chosen but tripped it.
if (changes.lost.length > 0) {
  await judgeAgainForLost();
  changes = compareWithCommitted();
}

const complaints = [
  ...proveConforming(conforming).map((line) => `conforming: ${line}`),
  ...chosen.flatMap(complaintsAbout),
  ...findUncovered(),
];
const caught = chosen.filter((deviation) => proofOf(deviation).outcome === 'caught').length;
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(
  `\n${caught} of ${chosen.length} deviations caught by exactly their rules, in ${seconds} s`,
);
for (const line of complaints) console.log(`  ${line}`);
printChanges();
if (values.accept && complaints.length === 0) {
  writeRecord(changes.after);
  console.log('fixtures/proof.json is written: check its diff before you commit it');
}
const isLost = changes.lost.length > 0 && !values.accept;
process.exitCode = complaints.length > 0 || isLost ? 1 : 0;

function chooseDeviations(): readonly Deviation[] {
  const matchers = names.map((name) => {
    const matches = matcherOf(name);
    const isMeant = ({ id, breaks }: Deviation) => [id, ...breaks].some(matches);
    if (!deviations.some(isMeant)) {
      refuse(import.meta.url, `${name} is no family, rule or deviation`);
    }
    return isMeant;
  });
  return deviations.filter(
    (each) => names.length === 0 || matchers.some((isMeant) => isMeant(each)),
  );
}

function orderFor(deviation: Deviation, further: readonly string[] = []): Order {
  const recorded = Object.values(recordedScenarios.get(deviation.id) ?? {}).flat();
  return orderOf(deviation, values.full, [...recorded, ...further]);
}

async function judgeChosen(): Promise<void> {
  const orders = chosen.map((deviation) => orderFor(deviation));
  const everyScenario = playedScenarios.map(({ id }) => id);
  const needed = names.length === 0 ? everyScenario : orders.flatMap((order) => order.scenarios);
  const all = [{ id: 'conforming', scenarios: needed }, ...orders];
  await judgeAll(all, (each) => {
    judged.set(each.id, each);
    if (process.stdout.isTTY) process.stdout.write(`\r${judged.size} of ${all.length} judged`);
  });
  // A surprise has to come twice before it counts.
  const surprises = chosen.filter((deviation) => proofOf(deviation).outcome !== 'caught');
  for (const deviation of surprises) await judgeAgain(orderFor(deviation));
  if (proveConforming(judged.get('conforming')!).length > 0) {
    await judgeAgain({ id: 'conforming', scenarios: needed });
  }
}

async function judgeAgain(order: Order): Promise<void> {
  await judgeAll([order], (each) => judged.set(each.id, each));
}

async function judgeAgainForLost(): Promise<void> {
  const { lost } = changes;
  const orders = deviations
    .filter(({ id }) => lost.some(({ by }) => by.has(id)))
    .map((deviation) => {
      const own = lost.filter(({ by }) => by.has(deviation.id)).map(({ rule }) => rule);
      const ofTheirRules = playedScenarios.filter((each) =>
        each.rules.some((id) => own.includes(id)),
      );
      return orderFor(
        deviation,
        ofTheirRules.map(({ id }) => id).filter((id) => conforming.played.includes(id)),
      );
    });
  // What a deviation tripped in either run counts.
  await judgeAll(orders, (again) => {
    const first = judged.get(again.id);
    const evaluated = [...(first?.evaluated ?? []), ...again.evaluated];
    judged.set(again.id, { ...again, evaluated, deviates: first?.deviates ?? again.deviates });
  });
}

function compareWithCommitted() {
  const after = updated(committed, {
    conforming: judged.get('conforming')!,
    deviations: [...judged.values()].filter(({ id }) => id !== 'conforming'),
    whole: values.full,
    knownScenarios: new Set(scenarios.map(({ id }) => id)),
    knownDeviations: new Set(deviations.map(({ id }) => id)),
  });
  return { after, ...compare(committed, after) };
}

function proofOf(deviation: Deviation) {
  return prove(deviation, judged.get(deviation.id)!, values.full);
}

function complaintsAbout(deviation: Deviation): string[] {
  const { id, outcome, unnoticed, blamed, failed, idle } = proofOf(deviation);
  const unneeded = idle.map((rule) => `${id}: explains ${rule}, which did not deviate`);
  if (outcome === 'caught') return unneeded;
  const { deviates } = judged.get(id)!;
  const parts = [
    unnoticed.length > 0 ? `not noticed: ${unnoticed.join(' ')}` : '',
    ...blamed.map((rule) => `blamed: ${rule} (${deviates[rule]?.join(', ')})`),
    ...failed.map((why) => `the judge failed in ${why}`),
  ];
  return [`${id}: ${outcome}. ${parts.filter((part) => part !== '').join('. ')}`, ...unneeded];
}

/** Rules without a deviation, and scenarios that no deviation trips. */
function findUncovered(): string[] {
  if (names.length > 0) return [];
  const broken = new Set<string>(deviations.flatMap(({ breaks }) => breaks));
  const bare = rules.filter(({ id }) => !broken.has(id) && !(id in unbreakable));
  const trippedScenarios = new Set(
    [...changes.after.values()].filter(({ by }) => by.size > 0).map(({ scenario }) => scenario),
  );
  const blind = scenarios.filter(
    ({ id }) => !trippedScenarios.has(id) && !(id in unplayed) && !(id in untrippable),
  );
  return [
    ...bare.map(({ id }) => `no deviation breaks ${id}`),
    ...blind.map(({ id }) => `no deviation trips anything in ${id}`),
  ];
}

function printChanges(): void {
  const { after, lost, renamed, fresh, gone } = changes;
  const all = [...after.values()];
  const tripped = all.filter(({ by }) => by.size > 0).length;
  console.log(
    `${tripped} of ${all.length} expectations are tripped by a deviation` +
      ` (the others are [] in fixtures/proof.json)`,
  );
  const families = new Set(
    [...lost, ...renamed.map(({ from }) => from), ...fresh, ...gone].map(familyOf),
  );
  for (const family of families) {
    const inFamily = (entry: { rule: string }) => familyOf(entry) === family;
    const own = {
      lost: lost.filter(inFamily),
      renamed: renamed.filter(({ from }) => inFamily(from)),
      fresh: fresh.filter(inFamily),
      gone: gone.filter(inFamily),
    };
    console.log(
      `${family}: ${own.lost.length} lost, ${own.renamed.length} renamed, ` +
        `${own.fresh.length} new, ${own.gone.length} that no deviation tripped removed`,
    );
    for (const entry of own.lost) {
      const now = after.get(keyOf(entry));
      const count = `${trippedIn(entry)} of ${entry.met} tripped, now ${trippedIn(now)} of ${now?.met ?? 0}`;
      const by = [...entry.by.keys()].slice(0, 6).join(' ');
      console.log(`  LOST ${entry.rule} ${entry.scenario}: ${entry.words} (${count}) by ${by}`);
    }
    for (const rule of new Set([...own.lost, ...own.fresh].map((entry) => entry.rule))) {
      console.log(
        `  ${rule}: ${countOf(committed, rule)} → ${countOf(after, rule)} expectations tripped`,
      );
    }
  }
}

function countOf(record: ProofRecord, rule: string): number {
  return [...record.values()].filter((entry) => entry.rule === rule && entry.by.size > 0).length;
}
