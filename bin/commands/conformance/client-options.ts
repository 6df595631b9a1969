// The options of `conformance client`, checked one by one before anything is run.
import { UsageError } from './io.ts';
import { readNumber, readReport } from './run-options.ts';

/** What commander hands over. */
export interface ClientGiven {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly world?: string;
  readonly plan?: 'sandbox' | 'standard' | 'pro';
  readonly seed?: string;
  readonly timeoutS?: string;
  readonly jobs?: string;
  readonly report?: readonly string[];
  readonly json?: boolean;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly strict?: boolean;
  readonly list?: boolean;
}

/** No HAR: a client's calls are told in the report itself, with what became of each. */
const CLIENT_FORMATS = ['json', 'junit', 'html', 'markdown'] as const;

export interface ClientReportFile {
  readonly format: (typeof CLIENT_FORMATS)[number];
  readonly file: string;
}

export interface ClientOptions {
  readonly command: readonly string[];
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly world: string;
  readonly plan: 'sandbox' | 'standard' | 'pro';
  readonly seed: number;
  readonly timeoutS: number;
  /** undefined: as many as suit the machine. */
  readonly jobs: number | undefined;
  readonly reports: readonly ClientReportFile[];
  readonly json: boolean;
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  readonly strict: boolean;
  readonly list: boolean;
}

/** The options as they were given; throws UsageError with what to give instead. */
export function readClientOptions(given: ClientGiven, command: readonly string[]): ClientOptions {
  const list = given.list === true;
  if (command.length === 0 && !list) {
    throw new UsageError(
      'name the command to judge after --, such as conformance client -- node examples/deposit.js',
    );
  }
  if (given.updateBaseline && given.baseline === undefined) {
    throw new UsageError('--update-baseline needs --baseline FILE, the file to write');
  }
  const reports = (given.report ?? []).map((each) => readReport(each, CLIENT_FORMATS));
  refuseSameFile([...reports.map(({ file }) => file), given.baseline]);
  return {
    command,
    only: given.only ?? [],
    skip: given.skip ?? [],
    world: given.world ?? 'default',
    plan: given.plan ?? 'pro',
    seed: readNumber('--seed', given.seed ?? '1', [0, 999_999_999], true),
    timeoutS: readNumber('--timeout-s', given.timeoutS ?? '60', [0.5, 3_600]),
    jobs: given.jobs === undefined ? undefined : readNumber('--jobs', given.jobs, [1, 64], true),
    reports,
    json: given.json === true,
    baseline: given.baseline,
    updateBaseline: given.updateBaseline === true,
    strict: given.strict === true,
    list,
  };
}

function refuseSameFile(given: readonly (string | undefined)[]): void {
  const files = given.filter((file) => file !== undefined);
  const twice = files.find((file, at) => files.indexOf(file) < at);
  if (twice === undefined) return;
  throw new UsageError(`${twice} is named twice: give each report and file a name of its own`);
}
