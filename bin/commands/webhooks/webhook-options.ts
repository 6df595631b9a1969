// The options and the input that the webhooks commands share.
import { readFile } from 'node:fs/promises';
import { unreadableWords } from '../../../simulator/host/storage/private-file.ts';
import { type CommandIo, UsageError } from '../io.ts';
import {
  headerName,
  REQUIRED,
  type Row,
  type Secret,
  SIGNATURE,
  SUBSCRIPTION,
  secretFrom,
} from '../options.ts';
import { terminalLine } from '../terminal.ts';

export interface SigningOptions {
  readonly secretEnv: Secret;
  readonly previousSecretEnv?: Secret;
}

/** `optional` says what happens without a secret. */
export function secretRows({ env }: CommandIo, optional?: string): Row[] {
  const secret = secretFrom(env);
  const words = 'environment variable that holds the signing secret';
  const usual = optional === undefined ? REQUIRED : undefined;
  return [
    ['--secret-env <name>', `${words}${optional ?? ''}`, secret, usual],
    ['--previous-secret-env <name>', 'variable with the secret before the last rotation', secret],
  ];
}

export function secretsOf({ secretEnv, previousSecretEnv }: SigningOptions) {
  return { secret: secretEnv.value, previousSecret: previousSecretEnv?.value };
}

/** The names of the two headers of a delivery (NS-10). */
export interface HeaderNames {
  readonly signatureHeader: string;
  readonly subscriptionHeader: string;
}

export const headerRows: readonly Row[] = [
  ['--signature-header <name>', 'header of the signature', headerName, SIGNATURE],
  ['--subscription-header <name>', 'header of the id', headerName, SUBSCRIPTION],
];

/** The bytes that `--body-file` names: a file's content, or standard input for `-`. */
export async function readBody({ stdin }: CommandIo, file: string): Promise<Uint8Array> {
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`--body-file ${file}: ${unreadableWords(error)}`);
  }
}

/** Prints lines on standard output, with untrusted text escaped. */
export function printLines(io: CommandIo, lines: readonly string[]): void {
  io.out(lines.map((line) => `${terminalLine(line)}\n`).join(''));
}
