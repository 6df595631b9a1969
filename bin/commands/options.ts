// How every command declares its options: one row for each, which commander parses and checks before
// anything else happens.
import { type Command, Option } from 'commander';
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
    if (usual === REQUIRED) option.makeOptionMandatory();
    else if (usual !== undefined) option.default(usual);
    if (typeof read === 'function') {
      option.argParser(read(flags.split(' ')[0]!) as (text: string, before: unknown) => unknown);
    } else if (read !== undefined) option.choices(read);
    command.addOption(option);
  }
  return command;
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

/** A repeatable option that also takes several values with a separator. */
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
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('whsec_')) {
      throw new UsageError(`${option} takes the name of an environment variable, not a secret`);
    }
    const value = env[name];
    if (value !== undefined && value !== '') return { env: name, value };
    const shown = /^[A-Z0-9_]+$/.test(name) ? name : 'that it names';
    throw new UsageError(`${option}: the environment variable ${shown} is not set or is empty`);
  };

export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

export const headerName = matching('the name of a header', HEADER_NAME);

/** NS-10: the default names of the two headers of a delivery. */
export const SIGNATURE = 'X-Webhook-Signature';
export const SUBSCRIPTION = 'X-Webhook-Subscription-Id';
