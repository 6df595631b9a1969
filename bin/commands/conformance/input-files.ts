// The files that a run reads and writes: found, read and checked before anything is sent.
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseProfile, type ReadProfile } from '../../../conformance/providers/profile.ts';
import type { UsedSeeds } from '../../../conformance/providers/profile-provider.ts';
import { type Baseline, parseBaseline } from '../../../conformance/reports/baseline.ts';

import { parseReport, type Report } from '../../../conformance/reports/report.ts';
import { isDevice } from '../../../simulator/compose/json-file.ts';
import { isTooDeep } from '../../../simulator/host/bodies/json-depth.ts';
import {
  describeSyntaxError,
  findSyntaxError,
} from '../../../simulator/host/bodies/json-syntax.ts';
import { type JudgeIo, UsageError } from './io.ts';

export function readProfileFile(file: string, { cwd, env }: JudgeIo): ReadProfile {
  const given = readJson('--profile', file, cwd, 'conformance init writes one to fill in');
  const read = parseProfile(given, env);
  if (read.problems === undefined) return read;
  const lines = read.problems.map(({ field, message }) => `  ${field} ${message}`);
  throw new UsageError(`${file} cannot be used:\n${lines.join('\n')}`);
}

/** A draft, which is about to be written, may be absent and may lack reasons. */
export function readBaselineFile(file: string, cwd: string, isDraft: boolean): Baseline {
  if (isDraft && !existsSync(resolve(cwd, file))) return { known: [] };
  const given = readJson('--baseline', file, cwd, '--update-baseline makes it');
  const { baseline, problems = [] } = parseBaseline(given, { isDraft });
  if (baseline !== undefined) return baseline;
  throw new UsageError(
    `${file} cannot be used:\n${problems.map((each) => `  ${each}`).join('\n')}`,
  );
}

/** The JSON in a file. */
export function readJson(option: string, file: string, cwd: string, advice: string): unknown {
  let text: string;
  try {
    const path = resolve(cwd, file);
    if (isDevice(path)) throw new UsageError(`${option}: ${file} is a device, not a file`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'ENOENT' ? `there is no file ${file}` : `cannot read ${file} (${code})`;
    throw new UsageError(`${option}: ${why}; ${advice}`);
  }
  const whole = text.replace(/^\uFEFF/, '');
  if (isTooDeep(whole)) throw new UsageError(`${option}: ${file} is nested too deeply`);
  try {
    return JSON.parse(whole);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's message quotes the file, which may hold a secret.
    const found = findSyntaxError(whole);
    const where = found === null ? '' : `: ${describeSyntaxError(found)}`;
    throw new UsageError(`${option}: ${file} is not JSON${where}`);
  }
}

/** The report of a run or a receiver in a document that was read from `file`. */
export function reportIn(given: unknown, option: string, file: string): Report {
  const found = parseReport(given);
  if ('report' in found) return found.report;
  const [problem] = found.problems;
  const other = otherJudge(given);
  if (other !== undefined) {
    const takes = 'this command takes the reports of run and receiver';
    throw new UsageError(`${option}: ${file} is a report of conformance ${other}; ${takes}`);
  }
  throw new UsageError(
    `${option}: ${file} is not a JSON report: ${problem?.replace(/\.$/, '')}; ${REPORT_ADVICE}`,
  );
}

/** `explore` or `client`, whose reports have schemas of their own. */
function otherJudge(given: unknown): string | undefined {
  const name: unknown =
    typeof given === 'object' && given !== null ? Reflect.get(given, 'schema') : undefined;
  return typeof name === 'string' ? /^(explore|client)\//.exec(name)?.[1] : undefined;
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

export const REPORT_ADVICE = 'conformance run --report json=FILE writes one';

/** Throws UsageError if a file cannot be written, before a long run produces its content. */
export function checkWritable(option: string, file: string, cwd: string): void {
  const path = resolve(cwd, file);
  const folder = dirname(path);
  try {
    if (existsSync(path)) {
      if (statSync(path).isDirectory()) throw new UsageError(`${option}: ${file} is a folder`);
      accessSync(path, constants.W_OK);
    } else {
      accessSync(folder, constants.W_OK);
    }
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

/** Which settled transactions were used up, kept beside the profile from run to run. */
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
