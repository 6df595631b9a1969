// The options that commands of conformance share, in groups: what the target is, what to try, and
// what is reported. Each option is declared and checked here, before anything is sent.
import { type Command, Option } from 'commander';
import { FORMATS, type Format } from '../../../conformance/reports/formats.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { shellLine } from '../../../fixtures/shell-word.ts';
import { type JudgeIo, UsageError } from './io.ts';

type Env = JudgeIo['env'];

/** A secret with the variable that holds it: commands that are printed name the variable. */
export interface Secret {
  readonly env: string;
  readonly value: string;
}

export interface TargetOptions {
  readonly baseUrl?: string;
  /** A URL, `none`, or undefined: look for it. */
  readonly controlUrl?: string;
  readonly controlTokenEnv?: Secret;
  readonly tokenEnv?: Secret;
  readonly profile?: string;
  readonly brandId?: string;
  readonly maxRate?: number;
  readonly timeoutS: number;
  /** Added to each request to the target. */
  readonly header: readonly AddedHeader[];
  /** A file of certificates to trust. */
  readonly ca?: string;
}

export function addTargetOptions(command: Command, { env }: JudgeIo): Command {
  return command
    .option('--base-url <url>', 'URL of the API, without /api/v1', readBaseUrl)
    .option(
      '--control-url <url|none>',
      'URL of its control plane; default: BASE_URL/_sandbox if that answers',
      (text: string) => (text === 'none' ? text : readUrl('--control-url', text)),
    )
    .option(
      '--control-token-env <name>',
      'variable with the bearer token of the control plane',
      secretFrom('--control-token-env', env),
    )
    .option('--profile <file>', 'credentials, seeds, plan and receiver of the target')
    .addOption(
      new Option('--token-env <name>', 'variable that holds a bearer token, instead of a profile')
        .argParser(secretFrom('--token-env', env))
        .conflicts('profile'),
    )
    .option(
      '--brand-id <id>',
      'brand of that token’s firm; not needed if it is bound to one',
      (text: string) => {
        if (/^[0-9]+$/.test(text)) return text;
        throw new UsageError(`--brand-id: "${text}" is not an id, a decimal string`);
      },
    )
    .option(
      '--max-rate <n>',
      'limit the requests a second, even if the plan allows more',
      numberFrom('--max-rate', 0.1, 1_000_000),
    )
    .option(
      '--timeout-s <n>',
      'how long to wait for one response',
      numberFrom('--timeout-s', 0.1, 600),
      30,
    )
    .option(
      '--header <name: value>',
      'add a header to each request; value or env:NAME; repeatable',
      (text: string, before: readonly AddedHeader[] = []) => [...before, readHeader(text, env)],
    )
    .option('--ca <file>', 'trust the certificates in this PEM file too')
    .hook('preAction', () => {
      const { baseUrl, profile } = command.opts<TargetOptions>();
      if (baseUrl !== undefined || profile !== undefined) return;
      throw new UsageError('--base-url is missing: give the url of the target, or a --profile');
    });
}

export interface ReportFile<F extends string = Format> {
  readonly format: F;
  readonly file: string;
}

export interface ReportFiles<F extends string = Format> {
  readonly report: readonly ReportFile<F>[];
  readonly json?: boolean;
  readonly observed?: string;
}

export interface ReportOptions extends ReportFiles {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly strict?: boolean;
  readonly allowIncomplete?: boolean;
}

/** `what` is what is tried: rules and scenarios, or checks with an example of their ids. */
export function addReportOptions(command: Command, what: string, example: string): Command {
  // `--only 'ACC-1,TXN-4'` means the same as `--only ACC-1 TXN-4`.
  const listed = (value: string, before: readonly string[] = []) => [
    ...before,
    ...value.split(',').flatMap((each) => each.trim() || []),
  ];
  command
    .option('--only <glob...>', `${what} to try, such as ${example}`, listed)
    .option('--skip <glob...>', `${what} to leave out`, listed);
  return addReportFiles(command, FORMATS)
    .option('--baseline <file>', 'known failures, with reason and expiry')
    .option('--update-baseline', 'write the failures of this run into the baseline')
    .option('--allow-incomplete', 'exit with 0 although not everything could be tested')
    .option('--strict', 'advice and known failures count as failures')
    .hook('preAction', () => {
      const { updateBaseline, baseline } = command.opts<ReportOptions>();
      if (!updateBaseline || baseline !== undefined) return;
      throw new UsageError('--update-baseline needs --baseline FILE, the file to write');
    });
}

/** Reports as `FORMAT=FILE`, each in a file of its own. */
export function addReportFiles(command: Command, formats: readonly string[]): Command {
  const read = (text: string): ReportFile<string> => {
    const [, format = '', file] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
    if (file !== undefined && formats.includes(format)) return { format, file };
    const forms = formats.map((each) => `${each}=FILE`).join(', ');
    throw new UsageError(`--report: "${text}" is none of ${forms}`);
  };
  return command
    .option(
      '--report <format=file>',
      `write a report: ${formats.join(', ')}; repeatable`,
      (value: string, before: readonly ReportFile<string>[] = []) => [
        ...before,
        ...value.split(/,(?=[a-z]+=)/).map(read),
      ],
    )
    .option('--json', 'print the JSON report instead of the text')
    .hook('preAction', () => {
      const { report, observed, baseline } = optionsOf<ReportOptions>(command);
      const named = [...report.map(({ file }) => file), observed, baseline];
      const files = named.filter((file) => file !== undefined);
      const twice = files.find((file, at) => files.indexOf(file) < at);
      if (twice === undefined) return;
      throw new UsageError(`${twice} is named twice: give each report and file a name of its own`);
    });
}

export interface RunOptions extends TargetOptions, ReportOptions {
  readonly seed: number;
  readonly dryRun?: boolean;
}

/** The options of a command; lists that were not given are empty. */
export function optionsOf<O>(command: Command): O {
  return { only: [], skip: [], report: [], header: [], ...command.opts() } as O;
}

/** Options of a command that is printed, with their value, and the one that need not be named. */
type Repeated = readonly (readonly [
  option: string,
  value: string | number | undefined,
  usual?: string | number,
])[];

/** A command that does the same again, quoted for a shell. */
export function commandToRepeat(verb: string, options: Repeated): string {
  const words = options.flatMap(([option, value, usual]) =>
    value === undefined || value === usual ? [] : [`--${option}`, `${value}`],
  );
  return shellLine(['npx', 'conformance', verb, ...words]);
}

/** The options that reach the same target again. */
export function targetWords(options: TargetOptions, baseUrl: string): Repeated {
  const { controlUrl, profile, controlTokenEnv, tokenEnv, header, ca } = options;
  return [
    ['base-url', baseUrl],
    ['control-url', controlUrl],
    ['profile', profile],
    ['control-token-env', controlTokenEnv?.env],
    ['token-env', tokenEnv?.env],
    ...header.map(({ shown }) => ['header', shown] as const),
    ['ca', ca],
  ];
}

function readUrl(option: string, text: string): string {
  const protocol = parseUrl(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return text.replace(/(?<!\/)\/+$/, '');
  throw new UsageError(`${option}: "${text}" is not a url such as https://api.example.com`);
}

function readBaseUrl(text: string): string {
  const url = readUrl('--base-url', text);
  const own = url.replace(/\/api\/v1$/, '');
  if (own === url) return url;
  throw new UsageError(`--base-url: leave the path /api/v1 out, it is added to it: ${own}`);
}

/** A parser of the name of an environment variable, which holds a secret. */
export function secretFrom(option: string, env: Env): (name: string) => Secret {
  return (name) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('whsec_')) {
      throw new UsageError(`${option} takes the name of an environment variable, not a secret`);
    }
    const value = env[name];
    if (value !== undefined && value !== '') return { env: name, value };
    const shown = /^[A-Z0-9_]+$/.test(name) ? name : 'that it names';
    throw new UsageError(`${option}: the environment variable ${shown} is not set or is empty`);
  };
}

export interface AddedHeader {
  readonly name: string;
  readonly value: string;
  /** As it can be repeated: a value that came from a variable stays there. */
  readonly shown: string;
}

/** Headers that the judge sets itself, or that belong to a connection. */
const OWN_HEADERS =
  /^(authorization|content-type|idempotency-key|if-match|host|content-length|transfer-encoding|connection|keep-alive|proxy-authorization|expect|te|trailer|upgrade)$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/** `Name: value`, or `Name: env:VARIABLE` for a secret. */
export function readHeader(text: string, env: Env): AddedHeader {
  const [, name = '', given] = /^([^:]*):[ \t]*(.*)$/s.exec(text) ?? [];
  if (!HEADER_NAME.test(name) || given === undefined) {
    throw new UsageError(`--header is not 'Name: value', such as 'X-Gateway-Key: env:GATEWAY_KEY'`);
  }
  if (OWN_HEADERS.test(name)) {
    const advice = 'tokens belong in the profile or in --token-env';
    throw new UsageError(`--header: ${name} is set by the judge itself; ${advice}`);
  }
  const variable = /^env:(.+)$/.exec(given.trim())?.[1];
  const value = variable === undefined ? given.trim() : env[variable];
  if (value === undefined || value === '') {
    const why = variable === undefined ? 'has no value' : 'names a variable that is not set';
    throw new UsageError(`--header: ${name} ${why}; give 'Name: value' or 'Name: env:VARIABLE'`);
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw new UsageError(`--header: the value of ${name} has characters that no header may have`);
  }
  return { name, value, shown: `${name}: ${variable === undefined ? '…' : `env:${variable}`}` };
}

/** A parser of the name of a header. */
export function headerName(option: string): (name: string) => string {
  return (name) => {
    if (HEADER_NAME.test(name)) return name;
    throw new UsageError(`${option}: "${name}" is not the name of a header`);
  };
}

/** A parser of a number within bounds. */
export function numberFrom(option: string, least: number, most: number, isWhole = false) {
  return (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
    const kind = isWhole ? 'a whole number' : 'a number';
    throw new UsageError(`${option}: "${text}" is not ${kind} from ${least} to ${most}`);
  };
}

export function addSeed(command: Command, words: string): Command {
  return command.option('--seed <n>', words, numberFrom('--seed', 0, 4_294_967_295, true), 1);
}
