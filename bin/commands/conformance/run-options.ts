// The options of `conformance run`, checked one by one before anything is sent.
import { type JudgeIo, UsageError } from './io.ts';
import { type AddedHeader, readHeader } from './reach/reach-options.ts';

export const FORMAT_NAMES = ['json', 'junit', 'html', 'markdown', 'har'] as const;

export interface ReportFile {
  readonly format: (typeof FORMAT_NAMES)[number];
  readonly file: string;
}

export interface RunOptions {
  readonly baseUrl: string | undefined;
  /** A url, `none`, or undefined: look for it. */
  readonly controlUrl: string | undefined;
  readonly controlToken: string | undefined;
  /** Names of the variables that the tokens came from, for commands that are printed. */
  readonly controlTokenEnv: string | undefined;
  readonly tokenEnv: string | undefined;
  readonly profile: string | undefined;
  readonly token: string | undefined;
  readonly brandId: string | undefined;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly seed: number;
  readonly maxRate: number | undefined;
  readonly timeoutS: number;
  readonly reports: readonly ReportFile[];
  readonly json: boolean;
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  readonly allowIncomplete: boolean;
  readonly strict: boolean;
  readonly observed: string | undefined;
  /** Only says what would be done. */
  readonly dryRun: boolean;
  /** Added to whatever goes to the target. */
  readonly headers: readonly AddedHeader[];
  /** A file of certificates to trust. */
  readonly ca: string | undefined;
}

/** What commander hands over. */
export interface Given {
  readonly baseUrl?: string;
  readonly controlUrl?: string;
  readonly controlTokenEnv?: string;
  readonly profile?: string;
  readonly token?: string;
  readonly tokenEnv?: string;
  readonly brandId?: string;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly seed: string;
  readonly maxRate?: string;
  readonly timeoutS: string;
  readonly report: readonly string[];
  readonly json?: boolean;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly allowIncomplete?: boolean;
  readonly strict?: boolean;
  readonly observed?: string;
  readonly dryRun?: boolean;
  readonly header?: readonly string[];
  readonly ca?: string;
}

/** The options as they were given; throws UsageError with what to give instead. */
export function readRunOptions(given: Partial<Given>, env: JudgeIo['env']): RunOptions {
  const { baseUrl, controlUrl } = given;
  if (baseUrl !== undefined) checkUrl('--base-url', baseUrl);
  if (controlUrl !== undefined && controlUrl !== 'none') checkUrl('--control-url', controlUrl);
  if (baseUrl !== undefined && /\/api\/v1\/*$/.test(new URL(baseUrl).pathname)) {
    const own = baseUrl.replace(/\/api\/v1\/*$/, '');
    throw new UsageError(`--base-url: leave the path /api/v1 out, it is added to it: ${own}`);
  }
  if (baseUrl === undefined && given.profile === undefined) {
    throw new UsageError('--base-url is missing: give the url of the target, or a --profile');
  }
  if (given.updateBaseline && given.baseline === undefined) {
    throw new UsageError('--update-baseline needs --baseline FILE, the file to write');
  }
  if (given.brandId !== undefined && !/^[0-9]+$/.test(given.brandId)) {
    throw new UsageError(`--brand-id: "${given.brandId}" is not an id, a decimal string`);
  }
  const reports = (given.report ?? []).map((each) => readReport(each, FORMAT_NAMES));
  refuseSameFile(given, reports);
  const token = readToken(given, env);
  if (token !== undefined && given.profile !== undefined) {
    throw new UsageError('--token-env and --profile exclude each other; add it to the profile');
  }
  return {
    baseUrl: baseUrl?.replace(/(?<!\/)\/+$/, ''),
    controlUrl: controlUrl?.replace(/(?<!\/)\/+$/, ''),
    controlToken:
      given.controlTokenEnv === undefined
        ? undefined
        : readVariable('--control-token-env', given.controlTokenEnv, env),
    controlTokenEnv: given.controlTokenEnv,
    tokenEnv: given.tokenEnv ?? /^env:(.+)$/.exec(given.token ?? '')?.[1],
    profile: given.profile,
    token,
    brandId: given.brandId,
    only: splitAtCommas(given.only),
    skip: splitAtCommas(given.skip),
    seed: readNumber('--seed', given.seed ?? '1', [0, 4_294_967_295], true),
    maxRate:
      given.maxRate === undefined
        ? undefined
        : readNumber('--max-rate', given.maxRate, [0.1, 1_000_000]),
    timeoutS: readNumber('--timeout-s', given.timeoutS ?? '30', [0.1, 600]),
    reports,
    json: given.json === true,
    baseline: given.baseline,
    updateBaseline: given.updateBaseline === true,
    allowIncomplete: given.allowIncomplete === true,
    strict: given.strict === true,
    observed: given.observed,
    dryRun: given.dryRun === true,
    headers: (given.header ?? []).map((each) => readHeader(each, env)),
    ca: given.ca,
  };
}

/** `--only 'ACC-1,TXN-4'` means the same as `--only ACC-1 TXN-4`. */
function splitAtCommas(globs: readonly string[] = []): string[] {
  return globs.flatMap((each) => each.split(',')).flatMap((each) => each.trim() || []);
}

function refuseSameFile({ baseline, observed }: Partial<Given>, reports: readonly ReportFile[]) {
  const files = [...reports.map(({ file }) => file), observed, baseline].filter(
    (file) => file !== undefined,
  );
  const twice = files.find((file, at) => files.indexOf(file) < at);
  if (twice === undefined) return;
  throw new UsageError(`${twice} is named twice: give each report and file a name of its own`);
}

function checkUrl(option: string, text: string): void {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return;
  throw new UsageError(`${option}: "${text}" is not a url such as https://api.example.com`);
}

/** A report as `FORMAT=FILE` asks for it. */
export function readReport<Format extends string>(
  text: string,
  formats: readonly Format[],
): { readonly format: Format; readonly file: string } {
  const [, name, file] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  const format = formats.find((each) => each === name);
  if (format !== undefined && file !== undefined) return { format, file };
  const forms = formats.map((each) => `${each}=FILE`).join(', ');
  throw new UsageError(`--report: "${text}" is none of ${forms}`);
}

function readToken({ token, tokenEnv }: Partial<Given>, env: JudgeIo['env']): string | undefined {
  if (tokenEnv !== undefined) return readVariable('--token-env', tokenEnv, env);
  if (token === undefined) return undefined;
  const name = /^env:(.+)$/.exec(token)?.[1];
  // What is no reference may be the token itself, so it is not repeated.
  if (name === undefined) {
    throw new UsageError('--token takes env:NAME, never the token itself: others can read it here');
  }
  return readVariable('--token', name, env);
}

function readVariable(option: string, name: string, env: JudgeIo['env']): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new UsageError(`${option} takes the name of an environment variable, not a secret`);
  }
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  const shown = /^[A-Z0-9_]+$/.test(name) ? name : 'that it names';
  throw new UsageError(`${option}: the environment variable ${shown} is not set or is empty`);
}

/** A number within bounds; throws a UsageError that names the option. */
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
