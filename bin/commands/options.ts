// How every command declares its options: one row for each, which commander parses and checks before
// anything else happens.
import { type Command, Option } from 'commander';
import { shellLine } from '../../fixtures/shell-word.ts';
import { type CommandIo, UsageError } from './io.ts';

type Env = CommandIo['env'];

/** Parses the text of an option; its error messages name the option. */
export type Reader = (option: string) => (text: string, before?: never) => unknown;

/** The default of a required option. */
export const REQUIRED = Symbol('required');

/** An option: flags, description, accepted values or their reader, and its default. */
export type Row = readonly [
  flags: string,
  words: string,
  read?: Reader | readonly string[] | undefined,
  usual?: unknown,
];

export function addOptions(command: Command, rows: readonly Row[]): Command {
  for (const [flags, words, read, usual] of rows) {
    const option = new Option(flags, words);
    if (usual === REQUIRED) requireOption(command, option);
    else if (usual !== undefined) option.default(usual);
    if (typeof read === 'function') {
      option.argParser(read(flags.split(' ')[0]!) as (text: string, before: unknown) => unknown);
    } else if (read !== undefined) option.choices(read);
    command.addOption(option);
  }
  return command;
}

/** Checked last, so that a misspelt option is reported as unknown and not as missing. */
function requireOption(command: Command, option: Option): void {
  command.hook('preAction', () => {
    if (command.getOptionValue(option.attributeName()) !== undefined) return;
    command.error(`error: required option '${option.flags}' not specified`);
  });
}

/** Replaces an error of commander, if `reword` knows a better one for these arguments. */
export function rewordErrors(
  command: Command,
  reword: (text: string, words: readonly string[]) => string | undefined,
): Command {
  const outputError = (text: string, write: (text: string) => void) => {
    const better = reword(text, command.args);
    write(better === undefined ? text : `error: ${better}\n`);
  };
  return command.configureOutput({ outputError });
}

/** The argument of a command that runs another one; `name` is that of the whole command. */
export function addCommandArgument(command: Command, name: string): Command {
  command
    .usage('[options] -- COMMAND [ARGUMENT...]')
    .argument('[command...]', 'the command and its arguments, after --')
    .hook('preAction', () => {
      if (command.args.length > 0 || command.getOptionValue('list')) return;
      throw new UsageError(`name the command after --, such as ${name} -- node my-example.js`);
    });
  // The words from the unknown option on are among the arguments.
  return rewordErrors(command, (text, words) => {
    const isOfCommand = text.includes('unknown option') && words[0]?.startsWith('-') === false;
    return isOfCommand
      ? `put -- before the command: ${shellLine([...name.split(' '), '--', ...words])}`
      : undefined;
  });
}

/** If a text cannot be parsed, the error message says which values the option takes. */
export const reads =
  <T>(takes: string, read: (text: string) => T | undefined) =>
  (option: string) =>
  (text: string): T => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new UsageError(`${option}: "${text}" is not ${takes}`);
  };

export const matching = (takes: string, pattern: RegExp) =>
  reads(takes, (text) => (pattern.test(text) ? text : undefined));

export function numberFrom(least: number, most: number, isWhole = false) {
  const kind = isWhole ? 'a whole number' : 'a number';
  return reads(`${kind} from ${least} to ${most}`, (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    const isIn = value >= least && value <= most && (!isWhole || Number.isInteger(value));
    return isIn ? value : undefined;
  });
}

const UNITS_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A point of time: ISO 8601, Unix epoch milliseconds, or a distance from now such as `-10m` or
 * `+30s`.
 */
export const timeFrom = (nowMs: () => number) =>
  reads(
    'a time: give ISO with its zone, epoch milliseconds, or a distance such as -10m',
    (text) => {
      const [, sign, count, unit] = /^([+-])(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
      if (unit !== undefined) {
        return Math.max(0, nowMs() + Number(`${sign}${count}`) * UNITS_MS[unit]!);
      }
      if (/^\d{1,15}$/.test(text)) return Number(text);
      const ms = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : -1;
      return ms >= 0 ? ms : undefined;
    },
  );

/** A repeatable option that also accepts several values with a separator. */
export const listed =
  <T>(separator: string | RegExp, read: (text: string) => T) =>
  () =>
  (text: string, before: readonly T[] = []): readonly T[] => [
    ...before,
    ...text.split(separator).flatMap((each) => (each.trim() === '' ? [] : [read(each.trim())])),
  ];

/** A secret with its variable: printed commands name the variable instead. */
export interface Secret {
  readonly env: string;
  readonly value: string;
}

/** The name of an environment variable that holds a secret. */
export const secretFrom =
  (env: Env) =>
  (option: string) =>
  (name: string): Secret => {
    const isSecret = /^(whsec|tok)_/.test(name) && env[name] === undefined;
    if (isSecret || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const what = option.includes('token') ? 'token' : 'secret';
      throw new UsageError(`${option} takes the name of an environment variable, not a ${what}`);
    }
    return { env: name, value: secretIn(name, option, env) };
  };

/** The value of a variable that holds a secret. */
export function secretIn(name: string, option: string, env: Env): string {
  const value = env[name];
  // A name in lower case may be a secret itself.
  const shown = /^[A-Z0-9_]+$/.test(name) ? name : 'that it names';
  if (value === undefined || value === '') {
    throw new UsageError(`${option}: the environment variable ${shown} is not set or is empty`);
  }
  if (!/[\r\n]$/.test(value)) return value;
  throw new UsageError(`${option}: the environment variable ${shown} ends with a line break`);
}

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

export const headerName = matching('the name of a header', HEADER_NAME);

/** NS-10: the default names of the two headers of a delivery. */
export const SIGNATURE = 'X-Webhook-Signature';
export const SUBSCRIPTION = 'X-Webhook-Subscription-Id';
