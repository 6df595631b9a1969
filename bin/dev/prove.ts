// `npm run prove [-- --accept] [--full] [--witness] [NAME…]`: checks that the judge catches each deviation by
// exactly its rules, and that no expectation of the judge has lost the deviations that trip it.
// NAME is a rule or a deviation, with `*` for any characters: `'ACC-*'`. --accept writes the new record
// to fixtures/proof.json; --full plays every scenario against each deviation; --witness proves the
// defects of the witness instead.

import { globTest } from '../../conformance/engine/run/select.ts';
import { rules } from '../../fixtures/rules.ts';
import type { Deviation } from '../../simulator/deviations/deviation.ts';
import { deviations, findDeviation, unbreakable } from '../../simulator/deviations/register.ts';
import { defects } from '../e2e/testing/witness/defects.ts';
import { ANY_SCENARIO } from './prove/expectations.ts';
import { complaintsAbout, type Judged, playedScenarios } from './prove/judge.ts';
import { compare, keyOf, readRecord, trippedIn, updated, writeRecord } from './prove/record.ts';
import { proveWitness } from './prove/witness.ts';
import type { Order } from './prove/worker.ts';
import { judgeAll } from './prove/workers.ts';
import { readArgs, refuse } from './read-args.ts';

/** Scenarios that no deviation of this simulator can trip, each with the reason. */
const untrippable: Readonly<Record<string, string>> = {
  'idem-key-spaces': 'HTTP removes the spaces around a header value before a service sees it',
  'idem-reference-in-a-crowd':
    'the core is synchronous, so this simulator cannot lose a race for a reference',
};

const { values, positionals: names } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: {
    accept: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    witness: { type: 'boolean', default: false },
  },
});
const last = values.witness ? 'defect' : 'deviation';
const isPart = names.length > 0;
if (values.witness) {
  const chosenDefects = namedIn(defects);
  process.exit(await proveWitness(chosenDefects, { ...values, isPart }));
}

const startedMs = performance.now();
const committed = readRecord();
const judged = new Map<string, Judged>();
const chosen = namedIn(deviations).map(orderFor);
const needed = isPart ? chosen.flatMap((order) => order.scenarios) : everyScenario();
const orders = [{ id: 'conforming', scenarios: needed }, ...chosen];

await judge(orders);
// A busy machine can change the result of one run, so a failure counts only if it occurs twice.
await judge(orders.filter(({ id }) => complaintsOf(id).length > 0));
let { after, lost, renamed, fresh, gone } = compareWithCommitted();
if (lost.length > 0) {
  await judge(deviations.filter(({ id }) => lost.some(({ by }) => by.has(id))).map(orderFor));
  ({ after, lost, renamed, fresh, gone } = compareWithCommitted());
}

const caught = chosen.filter(({ id }) => complaintsOf(id).length === 0).length;
const seconds = Math.round((performance.now() - startedMs) / 1000);
const title = `${caught} of ${chosen.length} deviations caught by exactly their rules`;
console.log(`\n${title}, in ${seconds} s`);
const complaints = [
  ...orders.flatMap(({ id }) => complaintsOf(id)),
  ...(isPart ? [] : findUncovered()),
];
for (const line of complaints) console.log(`  ${line}`);
const tripped = [...after.values()].filter(({ by }) => by.size > 0);
console.log(
  `${tripped.length} of ${after.size} expectations are tripped by a deviation` +
    ` (the others are [] in fixtures/proof.json): ${lost.length} lost, ${renamed.length} renamed,` +
    ` ${fresh.size} new, ${gone.length} that no deviation tripped removed`,
);
for (const entry of lost) {
  const now = after.get(keyOf(entry));
  const count = `${trippedIn(entry)} of ${entry.met} tripped, now ${trippedIn(now)} of ${now?.met ?? 0}`;
  const by = [...entry.by.keys()].slice(0, 6).join(' ');
  console.log(`  LOST ${entry.rule} ${entry.scenario}: ${entry.words} (${count}) by ${by}`);
}
if (values.accept && complaints.length === 0) {
  writeRecord(after);
  console.log('fixtures/proof.json is written: check its diff before you commit it');
}
process.exitCode = complaints.length > 0 || (lost.length > 0 && !values.accept) ? 1 : 0;

function everyScenario(): string[] {
  return playedScenarios.map(({ id }) => id);
}

/** The scenarios of its rules and those in which it is recorded; all if any scenario may notice it. */
function orderFor({ id, breaks, alsoSeenAs = {} }: Deviation): Order {
  const recorded = [...committed.values()].filter(({ by }) => by.has(id));
  const scenarios = new Set(recorded.map(({ scenario }) => scenario));
  if (values.full || scenarios.has(ANY_SCENARIO)) return { id, scenarios: everyScenario() };
  const own: readonly string[] = [...breaks, ...Object.keys(alsoSeenAs)];
  for (const each of playedScenarios) {
    if (each.rules.some((rule) => own.includes(rule))) scenarios.add(each.id);
  }
  return { id, scenarios: [...scenarios] };
}

async function judge(batch: readonly Order[]): Promise<void> {
  await judgeAll(batch, (again) => {
    const first = judged.get(again.id);
    const isSurprise = first === undefined || complaintsOf(again.id).length > 0;
    // An expectation that was tripped in either run counts.
    const both = {
      ...again,
      ...first,
      evaluated: [...(first?.evaluated ?? []), ...again.evaluated],
    };
    judged.set(again.id, isSurprise ? again : both);
    if (process.stdout.isTTY) process.stdout.write(`\r${judged.size} of ${orders.length} judged`);
  });
}

function complaintsOf(id: string): string[] {
  const lines = complaintsAbout(findDeviation(id) ?? null, judged.get(id)!, values.full);
  return lines.map((line) => `${id}: ${line}`);
}

function compareWithCommitted() {
  const record = updated(committed, [...judged.values()]);
  return { after: record, ...compare(committed, record) };
}

/** Rules that no deviation breaks, and scenarios that none trips. */
function findUncovered(): string[] {
  const broken = new Set<string>(deviations.flatMap(({ breaks }) => breaks));
  const bare = rules.filter(({ id }) => !broken.has(id) && !(id in unbreakable));
  const seen = new Set(
    [...after.values()].flatMap(({ by, scenario }) => (by.size > 0 ? scenario : [])),
  );
  const blind = playedScenarios.filter(({ id }) => !seen.has(id) && !(id in untrippable));
  return [
    ...bare.map(({ id }) => `no deviation breaks ${id}`),
    ...blind.map(({ id }) => `no deviation trips anything in ${id}`),
  ];
}

/** The items that match any name, or all without names. */
function namedIn<T extends { readonly id: string; readonly breaks: readonly string[] }>(
  all: readonly T[],
): readonly T[] {
  if (!isPart) return all;
  const found = names.flatMap((name) => {
    const isMeant = globTest(name);
    const own = all.filter(({ id, breaks }) => [id, ...breaks].some(isMeant));
    if (own.length === 0) refuse(import.meta.url, `${name} is not a rule or a ${last}`);
    return own;
  });
  return all.filter((each) => found.includes(each));
}
