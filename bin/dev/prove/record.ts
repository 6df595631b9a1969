// The record of the proof, fixtures/proof.json: which deviations trip which expectation, and which
// expectations none of them trips.
//
// One line is one expectation: how often the conforming service meets it (left out when once), then
// the deviations that trip it, each with the occurrences that it trips unless there is only one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../../../fixtures/rules.ts';
import { root } from '../root.ts';
import { ANY_SCENARIO } from './expectations.ts';
import type { JudgedDeviation } from './judge-deviation.ts';

export interface Entry {
  readonly rule: string;
  readonly scenario: string;
  readonly words: string;
  /** How often the conforming service meets it; 0 when it is evaluated for deviations only. */
  readonly met: number;
  /** Deviations that trip it, with the occurrences that they trip. */
  readonly by: ReadonlyMap<string, ReadonlySet<number>>;
}

export type ProofRecord = ReadonlyMap<string, Entry>;

const path = join(root, 'fixtures', 'proof.json');

export const keyOf = ({ rule, scenario, words }: Pick<Entry, 'rule' | 'scenario' | 'words'>) =>
  `${rule}\t${scenario}\t${words}`;

/** Occurrences of the expectation that at least one deviation trips. */
export function trippedIn(entry: Entry | undefined): number {
  return new Set([...(entry?.by.values() ?? [])].flatMap((each) => [...each])).size;
}

/** For each deviation, the rules that it trips, each with the scenarios in which it does. */
export function scenariosByDeviation(record: ProofRecord): Map<string, Record<string, string[]>> {
  const found = new Map<string, Record<string, string[]>>();
  for (const { rule, scenario, by } of record.values()) {
    for (const deviation of by.keys()) {
      const seen = found.get(deviation) ?? {};
      found.set(deviation, seen);
      seen[rule] ??= [];
      if (!seen[rule].includes(scenario)) seen[rule].push(scenario);
    }
  }
  return found;
}

export interface Replayed {
  readonly conforming: JudgedDeviation;
  readonly deviations: readonly JudgedDeviation[];
  /** Whether each deviation met every scenario. */
  readonly whole: boolean;
  readonly knownScenarios: ReadonlySet<string>;
  readonly knownDeviations: ReadonlySet<string>;
}

/** The record after a run: what the run did not replay stays as it is. */
export function updated(before: ProofRecord, run: Replayed): ProofRecord {
  const { conforming, whole } = run;
  const after = new Map<string, Entry & { by: Map<string, Set<number>>; met: number }>();
  const entryFor = (about: Pick<Entry, 'rule' | 'scenario' | 'words'>) => {
    const { rule, scenario, words } = about;
    const key = keyOf(about);
    const entry = after.get(key) ?? { rule, scenario, words, met: 0, by: new Map() };
    after.set(key, entry);
    return entry;
  };
  const metNow = new Set(conforming.evaluated.map(keyOf));
  const replayed = new Map(run.deviations.map(({ id, played }) => [id, new Set(played)]));
  for (const [key, entry] of before) {
    const isAny = entry.scenario === ANY_SCENARIO;
    const isReplayed = conforming.played.includes(entry.scenario);
    if (!isAny && !run.knownScenarios.has(entry.scenario)) continue;
    // The scenario no longer evaluates it, so it does not do so for any deviation either.
    if (isReplayed && entry.met > 0 && !metNow.has(key)) continue;
    const kept = [...entry.by].filter(([id]) => {
      if (!run.knownDeviations.has(id)) return false;
      const played = replayed.get(id);
      return played === undefined || (isAny ? !whole : !played.has(entry.scenario));
    });
    const met = isReplayed ? 0 : entry.met;
    if (kept.length === 0 && met === 0) continue;
    const same = entryFor(entry);
    same.met = met;
    for (const [id, occurrences] of kept) same.by.set(id, new Set(occurrences));
  }
  for (const each of conforming.evaluated) if (!each.tripped) entryFor(each).met += 1;
  for (const { id, evaluated } of run.deviations) {
    for (const each of evaluated.filter(({ tripped }) => tripped)) {
      const { by } = entryFor(each);
      by.set(id, (by.get(id) ?? new Set()).add(each.nth));
    }
  }
  return after;
}

export interface Changes {
  /** Expectations of which deviations trip fewer occurrences than before, or none. */
  readonly lost: readonly Entry[];
  /** Those that went under these words before, and are tripped by the same deviations. */
  readonly renamed: readonly { readonly from: Entry; readonly to: Entry }[];
  readonly fresh: readonly Entry[];
  /** Expectations that no deviation tripped, and that are not evaluated any more. */
  readonly gone: readonly Entry[];
}

export function compare(before: ProofRecord, after: ProofRecord): Changes {
  const lost = [...before.values()].filter((entry) => {
    const now = after.get(keyOf(entry));
    const isFewer = now === undefined || now.met < entry.met;
    return trippedIn(entry) > 0 && (isFewer || trippedIn(now) < trippedIn(entry));
  });
  const fresh = new Set(
    [...after.values()].filter((entry) => trippedIn(entry) > 0 && !before.has(keyOf(entry))),
  );
  const renamed: { from: Entry; to: Entry }[] = [];
  for (const from of lost.filter((entry) => !after.has(keyOf(entry)))) {
    const to = [...fresh].find((entry) => entry.rule === from.rule && isSameProof(from, entry));
    if (to === undefined) continue;
    fresh.delete(to);
    renamed.push({ from, to });
  }
  const isRenamed = new Set(renamed.map(({ from }) => from));
  return {
    lost: lost.filter((entry) => !isRenamed.has(entry)),
    renamed,
    fresh: [...fresh],
    gone: [...before.values()].filter((entry) => entry.by.size === 0 && !after.has(keyOf(entry))),
  };
}

function isSameProof(one: Entry, other: Entry): boolean {
  const sameDeviations =
    one.by.size === other.by.size && [...one.by.keys()].every((id) => other.by.has(id));
  return sameDeviations && trippedIn(other) >= trippedIn(one);
}

type Written = Record<string, Record<string, Record<string, (number | string)[]>>>;

export function readRecord(): ProofRecord {
  const written = JSON.parse(readFileSync(path, 'utf8')) as Written;
  const entries = Object.entries(written).flatMap(([rule, scenarios]) =>
    Object.entries(scenarios).flatMap(([scenario, expectations]) =>
      Object.entries(expectations).map(([words, line]): Entry => {
        const met = typeof line[0] === 'number' ? line[0] : 1;
        const by = line.filter((each) => typeof each === 'string').map(readDeviation);
        return { rule, scenario, words, met, by: new Map(by) };
      }),
    ),
  );
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}

function readDeviation(text: string): [string, Set<number>] {
  const [id, occurrences = '1'] = text.split(':');
  return [id!, new Set(occurrences.split(',').map(Number))];
}

/** In the order of the rules; within a rule by name, so that two runs write the same. */
export function writeRecord(record: ProofRecord): void {
  const all = [...record.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const ruleBlocks = rules.flatMap(({ id }) => {
    const own = all.filter(({ rule }) => rule === id);
    if (own.length === 0) return [];
    const scenarioBlocks = [...new Set(own.map(({ scenario }) => scenario))].map((name) => {
      const lines = own
        .filter(({ scenario }) => scenario === name)
        .map((entry) => `   ${JSON.stringify(entry.words)}: ${JSON.stringify(lineOf(entry))}`);
      return `  ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n  }`;
    });
    return [` ${JSON.stringify(id)}: {\n${scenarioBlocks.join(',\n')}\n }`];
  });
  writeFileSync(path, `{\n${ruleBlocks.join(',\n')}\n}\n`);
}

function lineOf({ met, by }: Entry): (number | string)[] {
  const deviations = [...by]
    .map(([id, occurrences]) => {
      const numbers = [...occurrences].sort((a, b) => a - b);
      return numbers.length === 1 && numbers[0] === 1 && met <= 1 ? id : `${id}:${numbers}`;
    })
    .sort();
  return met === 1 ? deviations : [met, ...deviations];
}
