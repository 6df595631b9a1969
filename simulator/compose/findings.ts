// What is wrong with the options of a sandbox: all of it at once, by the names of the options.
import { isRecord, shown, unknownField } from '../../fixtures/settings/parse.ts';
import type { FieldProblem } from '../../fixtures/settings.ts';

export type Given = Readonly<Record<string, unknown>>;

/** Names every option that is wrong; a command shows the same under the names of its own. */
export class OptionsError extends TypeError {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.problems = problems;
  }
}

/** Everything that was found wrong while options were read. */
export class Findings {
  readonly #problems: FieldProblem[] = [];

  add(field: string, message: string): void {
    this.#problems.push({ field, message });
  }

  addAll(problems: readonly FieldProblem[]): void {
    this.#problems.push(...problems);
  }

  /** Throws an OptionsError when there is anything. */
  settle(): void {
    if (this.#problems.length > 0) throw new OptionsError(this.#problems);
  }
}

/** The options by name, the unknown ones told; what is undefined counts as left out. */
export function readNames(found: Findings, options: unknown, known: readonly string[]): Given {
  if (options === undefined) return {};
  if (!isRecord(options)) {
    found.add('options', `must be an object such as {${known[0]}: …}, not ${say(options)}`);
    return {};
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) found.addAll([unknownField(name, name, known)]);
  }
  return options;
}

export function readText(found: Findings, name: string, value: unknown, form: string) {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '') return value;
  found.add(name, `must be ${form}, not ${say(value)}`);
  return undefined;
}

export function readFlag(found: Findings, name: string, value: unknown = false): boolean {
  if (typeof value !== 'boolean') found.add(name, `must be true or false, not ${say(value)}`);
  return value === true;
}

/** Each entry of a list by itself; `read` tells what is wrong with one and answers null. */
export function readList<T>(
  found: Findings,
  name: string,
  value: unknown,
  read: (entry: unknown, field: string) => T | null,
): readonly T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    found.add(name, `must be a list, not ${say(value)}`);
    return [];
  }
  return value.flatMap((entry: unknown, at) => read(entry, `${name}[${at}]`) ?? []);
}

/** The value as it may be shown; what JSON cannot say is named by its kind. */
export function say(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  try {
    return shown(value);
  } catch {
    return `a ${typeof value}`;
  }
}
