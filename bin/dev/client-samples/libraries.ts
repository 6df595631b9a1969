// Libraries that many clients are built on, as witnesses: what each fails as it comes, and with the
// one setting that its name says. The guide's table says the same.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** What has to be installed beside them, to the version. */
export const libraryPackages = {
  got: '14.6.6',
  ky: '1.14.3',
  axios: '1.21.1',
  'axios-retry': '4.5.0',
  undici: '7.30.2',
} as const;

export interface LibraryClient {
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
  readonly fails: readonly string[];
  /** The first cell of its row in the guide. */
  readonly title: string;
}

const repeatsNothing = ['CLT-no-answer', 'CLT-500', 'CLT-503', 'CLT-429', 'CLT-in-flight'];
const noLimit = ['CLT-no-answer', 'CLT-in-flight'];
const node = process.execPath;
const python = 'python3';

const inNode = (way: string, title: string, fails: readonly string[]): LibraryClient => ({
  name: way,
  program: node,
  words: [join(import.meta.dirname, 'library-client.mjs'), way],
  fails,
  title,
});

const inPython = (
  name: string,
  words: readonly string[],
  title: string,
  fails: readonly string[],
): LibraryClient => ({
  name,
  program: python,
  words: [join(import.meta.dirname, 'library_client.py'), ...words],
  fails,
  title,
});

export const libraryClients: readonly LibraryClient[] = [
  inNode('fetch', '`fetch`', [...repeatsNothing, 'CLT-plain-text']),
  inNode('got', 'got', repeatsNothing),
  inNode('got-post', "got, `retry: { methods: ['POST'] }`", noLimit),
  inNode('ky', 'ky', ['CLT-500', 'CLT-503', 'CLT-429', 'CLT-in-flight']),
  inNode('ky-post', "ky, `retry: { methods: ['post'] }`", ['CLT-in-flight']),
  inNode('axios-retry', 'axios-retry', repeatsNothing),
  inNode('axios-retry-errors', 'axios-retry, `isRetryableError`', [
    'CLT-no-answer',
    'CLT-gives-up',
    'CLT-in-flight',
    'CLT-refused',
  ]),
  inNode('undici-retry', 'undici RetryAgent', repeatsNothing),
  inNode('undici-retry-post', "undici RetryAgent, `methods: ['POST']`", noLimit),
  inPython('requests', [], 'requests', repeatsNothing),
  inPython(
    'requests-retry',
    ['retry'],
    'requests, `Retry(…, status_forcelist, allowed_methods=None)`',
    noLimit,
  ),
];

/** Brings the libraries into a folder; answers the programs that can be run there. */
export function installLibraries(folder: string): ReadonlySet<string> {
  const wanted = Object.entries(libraryPackages).map(([name, version]) => `${name}@${version}`);
  console.log(`installing ${wanted.join(' ')}`);
  const options = ['--silent', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, ...wanted]);
  try {
    execFileSync(python, ['-c', 'import requests'], { stdio: 'ignore' });
    return new Set([node, python]);
  } catch {
    console.log('skipped those in Python: it is not here, or has no requests');
    return new Set([node]);
  }
}
