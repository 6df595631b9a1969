// Sample clients to test the judge: correct clients in many styles, and wrong clients with one
// mistake each and the check that it fails.
import { join } from 'node:path';

export interface SampleClient {
  readonly name: string;
  /** A client without it is skipped. */
  readonly program: 'node' | 'python3' | 'sh' | 'java';
  /** In the folder of this file. */
  readonly words: readonly string[];
  /** The checks that its one mistake makes it fail; empty for a correct client. */
  readonly fails: readonly string[];
}

const folder = import.meta.dirname;

/** The command that starts it; a run is too short for Java's optimising compiler. */
const starts: Readonly<Record<SampleClient['program'], readonly string[]>> = {
  node: [process.execPath],
  python3: ['python3'],
  sh: ['sh'],
  java: ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
};

export function commandOf({ program, words }: SampleClient): string[] {
  const [file = '', ...rest] = words;
  return [...starts[program], join(folder, file), ...rest];
}

// A broken connection looks the same before and after a write ran, and the check of attempts in
// flight begins with one.
const afterBreak = ['CLT-answer-lost', 'CLT-request-lost', 'CLT-in-flight'];

/** Names of mistakes, separated by spaces, and the checks that each of them fails. */
type Mistakes = readonly (readonly [names: string, ...fails: string[]])[];

const everyRepeat = [
  ...afterBreak,
  'CLT-no-answer',
  'CLT-500',
  'CLT-503',
  'CLT-429',
  'CLT-token-expires',
];

const nodeMistakes: Mistakes = [
  ['no-key no-key-on-approve key-too-long', 'CLT-key-sent'],
  ['key-of-account', 'CLT-key-one-intent'],
  // The second update gets the answer to the first, and the next one a 412.
  ['key-of-update', 'CLT-key-one-intent', 'CLT-stale-tag'],
  ['new-key-each-try', ...everyRepeat],
  ['new-key-after-break key-dropped-after-break', ...afterBreak],
  ['new-reference-after-break body-changed-after-break', ...afterBreak],
  ['lost-is-done', ...afterBreak, 'CLT-no-answer'],
  ['new-key-after-silence waits-for-ever', 'CLT-no-answer'],
  ['never-repeats-500 new-key-after-500', 'CLT-500'],
  ['never-repeats-503 new-key-after-503', 'CLT-503'],
  ['never-gives-up twenty-tries hammers hammers-on given-up-is-done', 'CLT-gives-up'],
  ['deaf-to-retry-after retry-after-in-ms fixed-wait-on-429', 'CLT-429'],
  ['new-key-after-429 never-repeats-429', 'CLT-429'],
  ['in-flight-is-final in-flight-new-key in-flight-hammered', 'CLT-in-flight'],
  ['repeats-422 repeats-403 repeats-404 repeats-every-409 repeats-501', 'CLT-refused'],
  ['same-tag-again same-key-again guesses-the-tag ignores-412', 'CLT-stale-tag'],
  ['never-refreshes new-key-after-401', 'CLT-token-expires'],
  ['token-each-call', 'CLT-token-kept'],
  ['ids-as-numbers', 'CLT-large-ids'],
  ['amounts-as-numbers amounts-with-exponent', 'CLT-amounts'],
  ['counts-members reads-by-place', 'CLT-unknown-fields'],
  ['wants-201', 'CLT-converged'],
  ['parses-anything', 'CLT-plain-text'],
  ['token-in-url secret-in-reference', 'CLT-secret-places'],
];

const pythonMistakes: Mistakes = [
  ['KeyInTheLoop', ...everyRepeat],
  ['NoTimeout', 'CLT-no-answer'],
  ['BareExcept WhileTrue', 'CLT-gives-up'],
  ['SleepsASecond', 'CLT-429'],
  ['EveryConflictIsFinal', 'CLT-in-flight'],
  ['RepeatsAllErrors', 'CLT-refused'],
  ['ParsesFirst', 'CLT-plain-text'],
  ['Wants201', 'CLT-converged'],
  ['FloatAmounts', 'CLT-amounts'],
  ['FloatIds', 'CLT-large-ids'],
  ['ExactMembers', 'CLT-unknown-fields'],
  ['NeverRefreshes', 'CLT-token-expires'],
];

const clientsOf = (program: SampleClient['program'], file: string, mistakes: Mistakes) =>
  mistakes.flatMap(([names, ...fails]) =>
    names.split(' ').map((name): SampleClient => ({ name, program, words: [file, name], fails })),
  );

// The slowest first, so that the run does not end with a wait for one of them.
export const wrongClients: readonly SampleClient[] = [
  ...clientsOf('python3', 'python_mistakes.py', pythonMistakes),
  // Its token never expires, so this check does not apply.
  ...clientsOf('java', 'right/Deposits.java', [
    ['new-keys', ...everyRepeat.filter((id) => id !== 'CLT-token-expires')],
  ]),
  ...clientsOf('node', 'node-mistakes.mjs', nodeMistakes),
];

const right = (program: SampleClient['program'], file: string): SampleClient => ({
  name: file.replace(/\.\w+$/, ''),
  program,
  words: [`right/${file}`],
  fails: [],
});

export const rightClients: readonly SampleClient[] = [
  ...clientsOf('node', 'node-mistakes.mjs', [['none derived-keys lost-is-fatal']]),
  right('java', 'Deposits.java'),
  right('node', 'one-retry.mjs'),
  right('node', 'crowd.mjs'),
  right('node', 'outbox.mjs'),
  right('node', 'queue.mjs'),
  right('node', 'own-tests.mjs'),
  right('node', 'reader.mjs'),
  right('node', 'starved.mjs'),
  right('node', 'hooks.mjs'),
  right('python3', 'urllib_client.py'),
  right('python3', 'threads_client.py'),
  right('sh', 'curl.sh'),
];
