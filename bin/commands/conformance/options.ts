// The options that commands of conformance share, in groups: what the target is, what to try, and
// what is reported. Each option is declared, read and checked here, before anything is sent.

import type { Command } from 'commander';
import { FORMATS, type Format } from '../../../conformance/reports/formats.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { type JudgeIo, UsageError } from './io.ts';

type Env = JudgeIo['env'];

/** For options that can be repeated. */
const repeated = (value: string, before: readonly string[] = []) => [...before, value];

/** For repeatable options that also take commas. */
const listed = (value: string, before: readonly string[] = []) => [
  ...before,
  ...splitAtCommas([value]),
];

/** `--only 'ACC-1,TXN-4'` means the same as `--only ACC-1 TXN-4`. */
function splitAtCommas(globs: readonly string[] = []): string[] {
  return globs.flatMap((each) => each.split(',')).flatMap((each) => each.trim() || []);
}

// What the target is, how it is reached and how fast.

export interface TargetGiven {
  readonly baseUrl?: string;
  readonly controlUrl?: string;
  readonly controlTokenEnv?: string;
  readonly profile?: string;
  readonly token?: string;
  readonly tokenEnv?: string;
  readonly brandId?: string;
  readonly maxRate?: string;
  readonly timeoutS?: string;
  readonly header?: readonly string[];
  readonly ca?: string;
}

export interface TargetOptions {
  readonly baseUrl: string | undefined;
  /** A URL, `none`, or undefined: look for it. */
  readonly controlUrl: string | undefined;
  readonly controlToken: string | undefined;
  /** Names of the variables that the tokens came from, for commands that are printed. */
  readonly controlTokenEnv: string | undefined;
  readonly tokenEnv: string | undefined;
  readonly profile: string | undefined;
  readonly token: string | undefined;
  readonly brandId: string | undefined;
  readonly maxRate: number | undefined;
  readonly timeoutS: number;
  /** Added to each request to the target. */
  readonly headers: readonly AddedHeader[];
  /** A file of certificates to trust. */
  readonly ca: string | undefined;
}

export function addTargetOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'URL of the API, without /api/v1')
    .option(
      '--control-url <url|none>',
      'URL of its control plane; default: BASE_URL/_sandbox if that answers',
    )
    .option('--control-token-env <name>', 'variable with the bearer token of the control plane')
    .option('--profile <file>', 'credentials, seeds, plan and receiver of the target')
    .option('--token-env <name>', 'variable that holds a bearer token, instead of a profile')
    .option('--brand-id <id>', 'brand of that token’s firm; not needed if it is bound to one')
    .option('--max-rate <n>', 'limit the requests a second, even if the plan allows more')
    .option('--timeout-s <n>', 'how long to wait for one response', '30')
    .option(
      '--header <name: value>',
      'add a header to each request; value or env:NAME; repeatable',
      repeated,
    )
    .option('--ca <file>', 'trust the certificates in this PEM file too');
}

function readTargetOptions(given: TargetGiven, env: Env): TargetOptions {
  const { baseUrl, controlUrl, controlTokenEnv, profile, brandId, maxRate } = given;
  if (baseUrl !== undefined) checkUrl('--base-url', baseUrl);
  if (controlUrl !== undefined && controlUrl !== 'none') checkUrl('--control-url', controlUrl);
  if (baseUrl !== undefined && /\/api\/v1\/*$/.test(new URL(baseUrl).pathname)) {
    const own = baseUrl.replace(/\/api\/v1\/*$/, '');
    throw new UsageError(`--base-url: leave the path /api/v1 out, it is added to it: ${own}`);
  }
  if (baseUrl === undefined && profile === undefined) {
    throw new UsageError('--base-url is missing: give the url of the target, or a --profile');
  }
  if (brandId !== undefined && !/^[0-9]+$/.test(brandId)) {
    throw new UsageError(`--brand-id: "${brandId}" is not an id, a decimal string`);
  }
  const token = readToken(given, env);
  if (token !== undefined && profile !== undefined) {
    throw new UsageError('--token-env and --profile exclude each other; add it to the profile');
  }
  return {
    ...{ profile, token, brandId, controlTokenEnv },
    baseUrl: baseUrl?.replace(/(?<!\/)\/+$/, ''),
    controlUrl: controlUrl?.replace(/(?<!\/)\/+$/, ''),
    controlToken:
      controlTokenEnv === undefined
        ? undefined
        : readVariable('--control-token-env', controlTokenEnv, env),
    tokenEnv: given.tokenEnv ?? /^env:(.+)$/.exec(given.token ?? '')?.[1],
    maxRate:
      maxRate === undefined ? undefined : readNumber('--max-rate', maxRate, [0.1, 1_000_000]),
    timeoutS: readNumber('--timeout-s', given.timeoutS ?? '30', [0.1, 600]),
    headers: (given.header ?? []).map((each) => readHeader(each, env)),
    ca: given.ca,
  };
}

/** The options that reach the same target again, for commands that are printed. */
export function reachOptions({ ca, headers }: Pick<TargetOptions, 'ca' | 'headers'>): string[] {
  return [...headers.map(({ option }) => option), ...(ca === undefined ? [] : [`--ca ${ca}`])];
}

function readToken({ token, tokenEnv }: TargetGiven, env: Env): string | undefined {
  if (tokenEnv !== undefined) return readVariable('--token-env', tokenEnv, env);
  if (token === undefined) return undefined;
  const name = /^env:(.+)$/.exec(token)?.[1];
  // Anything but a reference may be the token itself, so it is not repeated.
  if (name === undefined) {
    throw new UsageError('--token takes env:NAME, never the token itself: others can read it here');
  }
  return readVariable('--token', name, env);
}

/** The secret in the environment variable that an option names. */
export function readVariable(option: string, name: string, env: Env): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith('whsec_')) {
    throw new UsageError(`${option} takes the name of an environment variable, not a secret`);
  }
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  const shown = /^[A-Z0-9_]+$/.test(name) ? name : 'that it names';
  throw new UsageError(`${option}: the environment variable ${shown} is not set or is empty`);
}

function checkUrl(option: string, text: string): void {
  const protocol = parseUrl(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return;
  throw new UsageError(`${option}: "${text}" is not a url such as https://api.example.com`);
}

export interface AddedHeader {
  readonly name: string;
  readonly value: string;
  /** The option as it can be repeated: a value that came from a variable stays there. */
  readonly option: string;
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
  const shown = variable === undefined ? '…' : `env:${variable}`;
  return { name, value, option: `--header '${name}: ${shown}'` };
}

/** The name of a header. */
export function readHeaderName(option: string, name: string): string {
  if (HEADER_NAME.test(name)) return name;
  throw new UsageError(`${option}: "${name}" is not the name of a header`);
}

/** A number within bounds. */
export function readNumber(
  option: string,
  text: string,
  [least, most]: readonly [number, number],
  whole = false,
): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new UsageError(`${option}: "${text}" is not ${kind} from ${least} to ${most}`);
}

// What to try, and what is reported.

export interface ReportGiven {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly report?: readonly string[];
  readonly json?: boolean;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly strict?: boolean;
  readonly allowIncomplete?: boolean;
  readonly observed?: string;
}

export interface ReportFile<F extends string = Format> {
  readonly format: F;
  readonly file: string;
}

export interface ReportOptions {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly reports: readonly ReportFile[];
  readonly json: boolean;
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  readonly strict: boolean;
  readonly allowIncomplete: boolean;
  readonly observed: string | undefined;
}

/** `what` is what is tried: rules and scenarios, or checks with an example of their ids. */
export function addReportOptions(command: Command, what: string, example: string): Command {
  command
    .option('--only <glob...>', `${what} to try, such as ${example}`, listed)
    .option('--skip <glob...>', `${what} to leave out`, listed);
  return addReportFiles(command, FORMATS)
    .option('--baseline <file>', 'known failures, with reason and expiry')
    .option('--update-baseline', 'write the failures of this run into the baseline')
    .option('--allow-incomplete', 'exit with 0 although not everything could be tested')
    .option('--strict', 'advice and known failures count as failures');
}

export function addReportFiles(command: Command, formats: readonly string[]): Command {
  return command
    .option(
      '--report <format=file>',
      `write a report: ${formats.join(', ')}; repeatable`,
      (value: string, before: readonly string[] = []) => [
        ...before,
        ...value.split(/,(?=[a-z]+=)/),
      ],
    )
    .option('--json', 'print the JSON report instead of the text');
}

export function readReportOptions(given: ReportGiven): ReportOptions {
  const { baseline, updateBaseline = false, observed } = given;
  if (updateBaseline && baseline === undefined) {
    throw new UsageError('--update-baseline needs --baseline FILE, the file to write');
  }
  return {
    ...{ baseline, updateBaseline, observed },
    reports: readReportFiles(given, FORMATS),
    only: splitAtCommas(given.only),
    skip: splitAtCommas(given.skip),
    json: given.json === true,
    strict: given.strict === true,
    allowIncomplete: given.allowIncomplete === true,
  };
}

/** Reports as `FORMAT=FILE` asks for them, each in a file of its own. */
export function readReportFiles<F extends string>(
  { report = [], observed, baseline }: ReportGiven,
  formats: readonly F[],
): readonly ReportFile<F>[] {
  const reports = report.map((text) => {
    const [, name, file] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
    const format = formats.find((each) => each === name);
    if (format !== undefined && file !== undefined) return { format, file };
    const forms = formats.map((each) => `${each}=FILE`).join(', ');
    throw new UsageError(`--report: "${text}" is none of ${forms}`);
  });
  const named = [...reports.map(({ file }) => file), observed, baseline];
  const files = named.filter((file) => file !== undefined);
  const twice = files.find((file, at) => files.indexOf(file) < at);
  if (twice === undefined) return reports;
  throw new UsageError(`${twice} is named twice: give each report and file a name of its own`);
}

// The options of `conformance run`.

export interface RunGiven extends TargetGiven, ReportGiven {
  readonly seed?: string;
  readonly dryRun?: boolean;
}

export interface RunOptions extends TargetOptions, ReportOptions {
  readonly seed: number;
  readonly dryRun: boolean;
}

/** Throws UsageError with what to give instead. */
export function readRunOptions(given: RunGiven, env: Env): RunOptions {
  return {
    ...readTargetOptions(given, env),
    ...readReportOptions(given),
    seed: readNumber('--seed', given.seed ?? '1', [0, 4_294_967_295], true),
    dryRun: given.dryRun === true,
  };
}
