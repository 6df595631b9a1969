// What the webhooks commands need of the world around them, and how they read what they are given.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { defaultSettings } from '../../fixtures/settings.ts';
import { unreadableWords } from '../../simulator/compose/json-file.ts';
import { endSignals } from './end-signals.ts';
import { terminalLine, terminalText } from './terminal.ts';

/** The surroundings of a command; tests bring their own. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** One line on standard output. */
  out(line: string): void;
  /** Text on standard error, as it is. */
  err(text: string): void;
  nowMs(): number;
  /** The exit code once everything has been written. */
  finish(code: number): void;
  /** Ends the program at once, after a message. */
  exit(code: number): never;
  /** Fires when someone asks the program to stop (`endSignals`). */
  stopped(): Promise<void>;
}

export const systemIo: CommandIo = {
  env: process.env,
  stdin: process.stdin,
  out: (line) => console.log(terminalLine(line)),
  err: (text) => process.stderr.write(terminalText(text)),
  nowMs: () => Date.now(),
  finish: (code) => {
    process.exitCode = code;
  },
  exit: (code) => process.exit(code),
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of endSignals) process.once(signal, () => resolve());
    }),
};

/** Contract: 2 stands for a mistake in how the command was called. */
export const usageExit = 2;
/** 3: the port is taken. */
export const portInUseExit = 3;

/** Ends the command with a message that names the option and says what to do. */
export function refuseUsage(command: Command, message: string, exitCode = usageExit): never {
  return command.error(`error: ${message}`, { exitCode });
}

/**
 * The secret in the environment variable that an option names. Secrets never stand on the command
 * line, where every user of the machine can read them.
 */
function readSecret(command: Command, io: CommandIo, option: string, name: string): string {
  // What is no variable's name may be the secret itself, so it is not repeated.
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('whsec_')) {
    refuseUsage(command, `${option} takes the name of an environment variable, not a secret`);
  }
  const secret = io.env[name];
  if (secret === undefined || secret === '') {
    const shown = /^[A-Z0-9_]+$/.test(name) ? name : 'that it names';
    refuseUsage(command, `${option}: the environment variable ${shown} is not set or is empty`);
  }
  return secret;
}

export interface SecretOptions {
  readonly secretEnv: string;
  readonly previousSecretEnv?: string | undefined;
}

/** The secrets that the two options name. */
export function readSecrets(command: Command, io: CommandIo, options: SecretOptions) {
  const { secretEnv, previousSecretEnv } = options;
  return {
    secret: readSecret(command, io, '--secret-env', secretEnv),
    previousSecret:
      previousSecretEnv === undefined
        ? undefined
        : readSecret(command, io, '--previous-secret-env', previousSecretEnv),
  };
}

/** The bytes that `--body-file` names: of a file, or of standard input for `-`. */
export async function readBody(command: Command, io: CommandIo, file: string): Promise<Uint8Array> {
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.stdin) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return refuseUsage(command, `--body-file ${file}: ${unreadableWords(code)}`);
  }
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A point of time: ISO 8601, Unix epoch milliseconds, or a distance from now such as `-10m` or
 * `+30s` (`ms`, `s`, `m`, `h`, `d`).
 */
export function parseTime(command: Command, option: string, text: string, nowMs: number): number {
  const distance = /^([+-])(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (distance) {
    const [, sign, count, unit] = distance;
    return Math.max(0, nowMs + Number(`${sign}${count}`) * unitMs[unit!]!);
  }
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : -1;
  if (ms >= 0) return ms;
  const forms = 'an ISO time with its zone, epoch milliseconds, or a distance such as -10m or +30s';
  return refuseUsage(command, `${option}: "${text}" is not a time: give ${forms}`);
}

/** A whole number within limits. */
export function parseWhole(
  command: Command,
  option: string,
  text: string,
  [least, most]: readonly [number, number],
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = `a whole number from ${least} to ${most}`;
  return refuseUsage(command, `${option}: "${text}" is not ${range}`);
}

/** The names of the two headers of a delivery (NS-10). */
export interface HeaderNames {
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
}

export function addHeaderNames(command: Command): Command {
  const { signature_header, subscription_header } = defaultSettings;
  return command
    .option('--signature-header <name>', 'header of the signature', signature_header)
    .option('--subscription-header <name>', 'header of the id', subscription_header);
}

export function parseHeaderNames(command: Command, names: HeaderNames): HeaderNames {
  const { signatureHeader, subscriptionHeader } = names;
  for (const [option, name] of Object.entries({
    '--signature-header': signatureHeader,
    '--subscription-header': subscriptionHeader,
  })) {
    if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) continue;
    refuseUsage(command, `${option}: "${name}" is not the name of an HTTP header`);
  }
  return { signatureHeader, subscriptionHeader };
}
