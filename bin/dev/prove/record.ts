// The record of the proof, fixtures/proof.json: which deviations trip which expectation, and which
// expectations none of them trips.
//
// Each line is one expectation: how often the conforming simulator meets it (omitted if once), then
// the deviations that trip it, each with the tripped occurrences unless there is only one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../../fixtures/rules.ts';
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { root } from '../root.ts';
import { ANY_SCENARIO } from './expectations.ts';
import { type Judged, playedScenarios } from './judge.ts';

export interface Entry {
  readonly rule: string;
  readonly scenario: string;
  readonly words: string;
  /** How often the conforming simulator meets it; 0 if it is only evaluated for deviations. */
  met: number;
  /** Deviations that trip it, with the occurrences that they trip. */
  readonly by: Map<string, ReadonlySet<number>>;
}

export type ProofRecord = ReadonlyMap<string, Entry>;
type Name = Pick<Entry, 'rule' | 'scenario' | 'words'>;

const path = join(root, 'fixtures', 'proof.json');

export const keyOf = ({ rule, scenario, words }: Name) => `${rule}\t${scenario}\t${words}`;

/** Occurrences of the expectation that at least one deviation trips. */
export function trippedIn(entry: Entry | undefined): number {
  return new Set([...(entry?.by.values() ?? [])].flatMap((each) => [...each])).size;
}

/** The record after a run: entries that the run did not play are unchanged. */
export function updated(before: ProofRecord, run: readonly Judged[]): ProofRecord {
  const playedBy = new Map(run.map(({ id, played }) => [id, new Set(played)]));
  const metNow = new Set(
    run.filter(({ id }) => id === 'conforming').flatMap(({ evaluated }) => evaluated.map(keyOf)),
  );
  const scenarios = new Set([ANY_SCENARIO, ...playedScenarios.map(({ id }) => id)]);
  const after = new Map<string, Entry>();
  for (const [key, entry] of before) {
    const isPlayed = playedBy.get('conforming')?.has(entry.scenario) === true;
    // If a scenario no longer evaluates an expectation, no deviation trips it either.
    const isGone = isPlayed && entry.met > 0 && !metNow.has(key);
    if (isGone || !scenarios.has(entry.scenario)) continue;
    const kept = [...entry.by].filter(
      ([id]) => findDeviation(id) !== undefined && playedBy.get(id)?.has(entry.scenario) !== true,
    );
    after.set(key, { ...entry, met: isPlayed ? 0 : entry.met, by: new Map(kept) });
  }
  for (const { id, evaluated } of run) {
    for (const { rule, scenario, words, nth, tripped } of evaluated) {
      const key = keyOf({ rule, scenario, words });
      const entry = after.get(key) ?? { rule, scenario, words, met: 0, by: new Map() };
      after.set(key, entry);
      if (!tripped) entry.met += 1;
      else entry.by.set(id, new Set([...(entry.by.get(id) ?? []), nth]));
    }
  }
  return new Map([...after].filter(([, { met, by }]) => met > 0 || by.size > 0));
}

/** Changes of the expectations: each list has entries of the old record, `fresh` of the new one. */
export function compare(before: ProofRecord, after: ProofRecord) {
  // Fewer occurrences of them are tripped than before.
  const fewer = [...before.values()].filter((entry) => {
    const now = after.get(keyOf(entry));
    const isLess = now === undefined || now.met < entry.met || trippedIn(now) < trippedIn(entry);
    return entry.by.size > 0 && isLess;
  });
  const fresh = new Set(
    [...after.values()].filter((entry) => entry.by.size > 0 && !before.has(keyOf(entry))),
  );
  // The same deviations trip an expectation of the same rule with other words.
  const renamed = fewer.filter((entry) => {
    if (after.has(keyOf(entry))) return false;
    const to = [...fresh].find((each) => each.rule === entry.rule && isSameProof(entry, each));
    return to !== undefined && fresh.delete(to);
  });
  const lost = fewer.filter((entry) => !renamed.includes(entry));
  const untripped = [...before.values()].filter(({ by }) => by.size === 0);
  return { lost, renamed, fresh, gone: untripped.filter((entry) => !after.has(keyOf(entry))) };
}

function isSameProof(before: Entry, after: Entry): boolean {
  const ids = [...before.by.keys()];
  const isBySame = ids.length === after.by.size && ids.every((id) => after.by.has(id));
  return isBySame && trippedIn(after) >= trippedIn(before);
}

type Written = Record<string, Record<string, Record<string, (number | string)[]>>>;

export function readRecord(): ProofRecord {
  const record = new Map<string, Entry>();
  const written: Written = JSON.parse(readFileSync(path, 'utf8'));
  for (const [rule, scenarios] of Object.entries(written)) {
    for (const [scenario, expectations] of Object.entries(scenarios)) {
      for (const [words, line] of Object.entries(expectations)) {
        const met = typeof line[0] === 'number' ? line[0] : 1;
        const trips = line.filter((each) => typeof each === 'string').map(readTrip);
        const entry = { rule, scenario, words, met, by: new Map(trips) };
        record.set(keyOf(entry), entry);
      }
    }
  }
  return record;
}

function readTrip(text: string): [string, Set<number>] {
  const [id = '', occurrences = '1'] = text.split(':');
  return [id, new Set(occurrences.split(',').map(Number))];
}

/** In the order of the rules, and by name within a rule, so that the output is deterministic. */
export function writeRecord(record: ProofRecord): void {
  const written: Written = Object.fromEntries(rules.map(({ id }) => [id, {}]));
  const byName = [...record].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [, entry] of byName) {
    const own = written[entry.rule];
    if (own === undefined) continue;
    own[entry.scenario] = { ...own[entry.scenario], [entry.words]: lineOf(entry) };
  }
  const recorded = Object.entries(written).filter(([, own]) => Object.keys(own).length > 0);
  const text = JSON.stringify(Object.fromEntries(recorded), null, 1);
  const oneLineEach = text.replace(/\[\n[^\]]*\]/g, (list) => list.replace(/\s+/g, ''));
  writeFileSync(path, `${oneLineEach}\n`);
}

function lineOf({ met, by }: Entry): (number | string)[] {
  const trips = [...by].map(([id, occurrences]) => {
    const numbers = [...occurrences].sort((a, b) => a - b).join(',');
    return numbers === '1' && met <= 1 ? id : `${id}:${numbers}`;
  });
  return [...(met === 1 ? [] : [met]), ...trips.sort()];
}
