// The options that the commands of conformance share, in groups: the target, the selection, and
// the reports. Each option is declared and checked here, before any request is sent.
import { type Command, Option } from 'commander';
import { FORMATS, type Format } from '../../../conformance/reports/formats.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { shellLine } from '../../../fixtures/shell-word.ts';
import { type CommandIo, UsageError } from '../io.ts';
import {
  addOptions,
  HEADER_NAME,
  listed,
  matching,
  numberFrom,
  type Reader,
  reads,
  rewordErrors,
  type Secret,
  secretFrom,
  secretIn,
} from '../options.ts';

type Env = CommandIo['env'];

/** An http or https URL, without slashes at its end. */
const readUrl = reads('a url such as https://api.example.com', (text) => {
  const isHttp = /^https?:\/\//i.test(text) && parseUrl(text) !== null;
  return isHttp ? text.replace(/(?<!\/)\/+$/, '') : undefined;
});

const readBaseUrl: Reader = (option) => (text) => {
  const url = readUrl(option)(text);
  const own = url.replace(/\/api\/v1$/, '');
  if (own === url) return url;
  throw new UsageError(`${option}: leave the path /api/v1 out, it is added to it: ${own}`);
};

export interface TargetOptions {
  readonly baseUrl?: string;
  /** A URL, or `none`; undefined: search for it. */
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

export function addTargetOptions(command: Command, { env }: CommandIo): Command {
  const secret = secretFrom(env);
  const controlUrl: Reader = (option) => (text) => (text === 'none' ? text : readUrl(option)(text));
  const header: Reader =
    () =>
    (text, before: readonly AddedHeader[] = []) => [...before, readHeader(text, env)];
  const plane = 'URL of its control plane; default: BASE_URL/_sandbox if it responds';
  const token = new Option('--token-env <name>', 'variable with a token, instead of a profile')
    .argParser(secret('--token-env'))
    .conflicts('profile');
  rewordErrors(command, (text, [word = '']) => {
    const isUrl = text.includes('too many arguments') && word.includes('://');
    return isUrl ? `unexpected argument ${word}: give the URL with --base-url` : undefined;
  });
  addOptions(command.optionsGroup('Target:'), [
    ['--base-url <url>', 'URL of the API, without /api/v1', readBaseUrl],
    ['--control-url <url|none>', plane, controlUrl],
    ['--control-token-env <name>', 'variable with the token of the control plane', secret],
    ['--profile <file>', 'credentials, seeds, plan and receiver of the target'],
  ]).addOption(token);
  const noBrand = 'brand of that token’s firm; not needed if it is bound to one';
  return addOptions(command, [
    ['--brand-id <id>', noBrand, matching('an id, a decimal string', /^[0-9]+$/)],
    ['--max-rate <n>', 'limit the requests a second below the plan', numberFrom(0.1, 1_000_000)],
    ['--timeout-s <n>', 'how long to wait for one response', numberFrom(0.1, 600), 30],
    ['--header <name: value>', 'add to each request; value or env:NAME; repeatable', header],
    ['--ca <file>', 'trust the certificates in this PEM file too'],
  ]).hook('preAction', () => {
    const { baseUrl, profile } = command.opts<TargetOptions>();
    if (baseUrl !== undefined || profile !== undefined) return;
    throw new UsageError('--base-url is missing: give the url of the target, or a --profile');
  });
}

export interface ReportFiles<F extends string = Format> {
  readonly report: readonly { readonly format: F; readonly file: string }[];
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

/** `what` is what can be selected: rules and scenarios, or checks with an example of their ids. */
export function addReportOptions(command: Command, what: string, example: string): Command {
  // `--only 'ACC-1,TXN-4'` means the same as `--only ACC-1 TXN-4`.
  const globs = listed(',', (each) => each);
  addOptions(command.optionsGroup('Selection:'), [
    ['--only <glob...>', `${what} to try, such as ${example}`, globs],
    ['--skip <glob...>', `${what} to leave out`, globs],
  ]);
  addReportFiles(command, FORMATS);
  return addOptions(command.optionsGroup('Baseline and exit code:'), [
    ['--baseline <file>', 'known failures, with reason and expiry'],
    ['--update-baseline', 'write the failures of this run into the baseline'],
    ['--allow-incomplete', 'exit with 0 although not everything could be tested'],
    ['--strict', 'advice and known failures count as failures'],
  ]).hook('preAction', () => {
    const { updateBaseline, baseline } = command.opts<ReportOptions>();
    if (!updateBaseline || baseline !== undefined) return;
    throw new UsageError('--update-baseline needs --baseline FILE, the file to write');
  });
}

/** Reports as `FORMAT=FILE`, each in a separate file. */
export function addReportFiles(command: Command, formats: readonly string[]): Command {
  const forms = formats.map((each) => `${each}=FILE`).join(', ');
  const read = (text: string) => {
    const [, format = '', file] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
    if (file !== undefined && formats.includes(format)) return { format, file };
    throw new UsageError(`--report: "${text}" must be ${forms}`);
  };
  const files = listed(/,(?=[a-z]+=)/, read);
  return addOptions(command.optionsGroup('Reports:'), [
    ['--report <format=file>', `write a report: ${formats.join(', ')}; repeatable`, files],
    ['--json', 'print the JSON report instead of the text'],
  ]).hook('preAction', () => {
    const { report, observed, baseline } = optionsOf<ReportOptions>(command);
    const named = [...report.map(({ file }) => file), observed, baseline];
    const given = named.filter((file) => file !== undefined);
    const twice = given.find((file, at) => given.indexOf(file) < at);
    if (twice === undefined) return;
    throw new UsageError(`${twice} is named twice: give each report and file a name of its own`);
  });
}

export interface RunOptions extends TargetOptions, ReportOptions {
  readonly seed: number;
  readonly dryRun?: boolean;
}

export function addSeed(command: Command, words: string): Command {
  return addOptions(command, [['--seed <n>', words, numberFrom(0, 4_294_967_295, true), 1]]);
}

/** The options of a command; list options that were not given are empty. */
export function optionsOf<O>(command: Command): O {
  return { only: [], skip: [], report: [], header: [], ...command.opts() } as O;
}

/** Options of a printed command with their values, except for the default. */
type Repeated = readonly (readonly [
  option: string,
  value: string | number | undefined,
  usual?: string | number,
])[];

/** A command that repeats the run, quoted for a shell. */
export function commandToRepeat(verb: string, options: Repeated): string {
  const words = options.flatMap(([option, value, usual]) =>
    value === undefined || value === usual ? [] : [`--${option}`, `${value}`],
  );
  return shellLine(['npx', 'conformance', verb, ...words]);
}

/** The options to reach the same target again. */
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

export interface AddedHeader {
  readonly name: string;
  readonly value: string;
  /** As it is printed in commands: the value of a variable is not shown. */
  readonly shown: string;
}

/** Headers that the judge sets itself, or that belong to the connection. */
const OWN_HEADERS =
  /^(authorization|content-type|idempotency-key|if-match|host|content-length|transfer-encoding|connection|keep-alive|proxy-authorization|expect|te|trailer|upgrade)$/i;
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
  const value =
    variable === undefined ? given.trim() : secretIn(variable, `--header: ${name}`, env);
  if (value === '') throw new UsageError(`--header: ${name} has no value; give it or env:NAME`);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    throw new UsageError(`--header: the value of ${name} has characters that no header may have`);
  }
  return { name, value, shown: `${name}: ${variable === undefined ? '…' : `env:${variable}`}` };
}
