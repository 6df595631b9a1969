// Scenarios as tables: what a row means is up to the function that plays the rows.
import type { Rules, ScenarioContext } from '../engine/scenario/scenario-context.ts';
import type { RuleId, Scenario, Story } from '../engine/types.ts';
import { OPERATIONS, type OperationName } from '../spec/operations.ts';
import { isAvailable } from './calls.ts';

type Row = readonly [Rules, ...unknown[]];

export interface Table<Of extends Row> extends Omit<Story, 'rules' | 'run'> {
  readonly rows: readonly Of[];
  /** Rules that `also` tests. */
  readonly besides?: readonly RuleId[];
  /** What a row cannot express: accepted boundaries, open questions. */
  readonly also?: Story['run'];
}

/** The scenario that plays the rows of a table. */
export function tableScenario<Of extends Row>(
  { rows, besides = [], also, ...about }: Table<Of>,
  play: (t: ScenarioContext, rows: readonly Of[]) => Promise<void>,
): Story {
  return {
    ...about,
    rules: [...new Set([...rulesOf(rows), ...besides])],
    async run(t) {
      await play(t, rows);
      await also?.(t);
    },
  };
}

/** The scenarios of several tables, by their ids. */
export function tableScenarios<Of extends Row>(
  tables: Readonly<Record<string, Table<Of>>>,
  play: (t: ScenarioContext, rows: readonly Of[]) => Promise<void>,
): Scenario[] {
  return Object.entries(tables).map(([id, table]) => ({ id, ...tableScenario(table, play) }));
}

export function rulesOf(rows: readonly Row[]): RuleId[] {
  return [...new Set(rows.flatMap(([rules]) => rules))];
}

/** Plays the rows of each operation that the target has in a branch of its own. */
export async function playByOperation<Of extends readonly [Rules, OperationName, ...unknown[]]>(
  t: ScenarioContext,
  rows: readonly Of[],
  play: (operation: Of[1], own: readonly Of[]) => Promise<void>,
): Promise<void> {
  for (const operation of new Set(rows.map((row) => row[1]))) {
    if (!(await isAvailable(t, operation))) continue;
    const own = rows.filter((row) => row[1] === operation);
    await t.branch(rulesOf(own), OPERATIONS[operation].words, () => play(operation, own));
  }
}
