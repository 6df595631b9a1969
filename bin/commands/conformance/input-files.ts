// The files that a run reads and writes: found, read and checked before anything is sent.
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isExploreReport } from '../../../conformance/explore/report/again.ts';
import { parseProfile, type ReadProfile } from '../../../conformance/providers/profile.ts';
import type { UsedSeeds } from '../../../conformance/providers/profile-provider.ts';
import { type Baseline, parseBaseline } from '../../../conformance/reports/baseline.ts';
import { parseReport, type Report } from '../../../conformance/reports/report.ts';
import { readJsonFile } from '../../../simulator/compose/json-file.ts';
import { type CommandIo, UsageError } from '../io.ts';

/** The JSON in a file; `advice` names the command that writes such a file. */
export function readJson(option: string, file: string, cwd: string, advice: string): unknown {
  const read = readJsonFile(resolve(cwd, file), `${option}: ${file}`);
  if (read.problem === undefined) return read.value;
  throw new UsageError(`${read.problem}; ${advice}`);
}

function refuse(file: string, problems: readonly string[]): never {
  throw new UsageError(
    `${file} cannot be used:\n${problems.map((each) => `  ${each}`).join('\n')}`,
  );
}

export function readProfileFile(file: string, { cwd, env }: CommandIo): ReadProfile {
  const given = readJson('--profile', file, cwd, 'conformance init writes one to fill in');
  const read = parseProfile(given, env);
  if (read.problems === undefined) return read;
  return refuse(
    file,
    read.problems.map(({ field, message }) => `${field} ${message}`),
  );
}

/** A draft, which is about to be written, may be absent and may lack reasons. */
export function readBaselineFile(file: string, cwd: string, isDraft: boolean): Baseline {
  if (isDraft && !existsSync(resolve(cwd, file))) return { known: [] };
  const given = readJson('--baseline', file, cwd, '--update-baseline makes it');
  const { baseline, problems = [] } = parseBaseline(given, { isDraft });
  return baseline ?? refuse(file, problems);
}

export const REPORT_ADVICE = 'conformance run --report json=FILE writes one';

/** The report of a run, a receiver or a client in a document that was read from `file`. */
export function reportIn(given: unknown, option: string, file: string): Report {
  const found = parseReport(given);
  if ('report' in found) return found.report;
  if (isExploreReport(given)) {
    const takes = 'this command takes those of run, receiver and client';
    throw new UsageError(`${option}: ${file} is a report of conformance explore; ${takes}`);
  }
  const problem = found.problems[0]?.replace(/\.$/, '');
  throw new UsageError(`${option}: ${file} is not a JSON report: ${problem}; ${REPORT_ADVICE}`);
}

/** A problem in an explorer's report is thrown as a TypeError that names the field. */
export function readingReport<T>(option: string, file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${option}: ${file}: ${error.message}`);
    throw error;
  }
}

/** Throws UsageError if a file cannot be written, before a long run produces its content. */
export function checkWritable(option: string, file: string, cwd: string): void {
  const path = resolve(cwd, file);
  try {
    if (!existsSync(path)) accessSync(dirname(path), constants.W_OK);
    else if (statSync(path).isDirectory()) throw new UsageError(`${option}: ${file} is a folder`);
    else accessSync(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'ENOENT' ? `there is no folder ${dirname(file)}` : `no access (${code})`;
    throw new UsageError(`${option}: cannot write ${file}: ${why}`);
  }
}

export function writeText(file: string, cwd: string, text: string): void {
  writeFileSync(resolve(cwd, file), text);
}

/** The settled transactions that were used up, kept next to the profile between runs. */
export function usedBeside(
  profileFile: string,
  cwd: string,
  warn: (note: string) => void,
): UsedSeeds {
  const file = `${profileFile}.used`;
  const path = resolve(cwd, file);
  const known = new Set(existsSync(path) ? readFileSync(path, 'utf8').split(/\s+/) : []);
  return {
    has: (id) => known.has(id),
    add: (id) => {
      known.add(id);
      try {
        writeFileSync(path, `${[...known].filter(Boolean).join('\n')}\n`);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === undefined) throw error;
        warn(`${file} cannot be written (${code}): settled transaction ${id} is used up now.`);
      }
    },
  };
}
