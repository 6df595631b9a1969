// What people would use instead: Prism, Mockoon and json-server, fetched for the time, answering
// the same request; how fast, how soon, how much memory, and where one of them does better.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openapiDocument } from '../../../fixtures/openapi.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { type Figure, median } from './figures.ts';
import { drive } from './load.ts';
import { createAccountRequests } from './requests.ts';
import { startSandbox } from './sandbox.ts';
import { startOne } from './start.ts';
import { isPinned, residentBytes, startSubject } from './subject.ts';

const packages = ['@stoplight/prism-cli@5', '@mockoon/cli@9', 'json-server@0.17.4'];
const rounds = 3;
const roundMs = 1500;
const patienceMs = 60_000;

interface MockServer {
  readonly name: string;
  readonly status: number;
  readonly args: (port: number) => readonly string[];
}

interface Measured {
  readonly perSecond: number;
  readonly readyMs: number;
  readonly megabytes: number;
}

export async function mockServers(log: (line: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mock-servers-'));
  try {
    if (!(await install(folder))) {
      log('mock-servers: not to be had from the registry here; left out');
      return [];
    }
    log('mock-servers: installed');
    const sandbox = await measureSandbox();
    const figures = figuresOf('the sandbox', sandbox, sandbox);
    for (const server of serversIn(folder)) {
      figures.push(...figuresOf(server.name, await measure(server), sandbox));
      log(`mock-servers: ${server.name} is measured`);
    }
    return [...figures, await bareNode()];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function install(folder: string): Promise<boolean> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const options = { cwd: folder, timeout: 300_000 };
  return promisify(execFile)(npm, args, options).then(
    () => true,
    () => false,
  );
}

function serversIn(folder: string): readonly MockServer[] {
  const file = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const program = (path: string) => join(folder, 'node_modules', path);
  const baseUrl = 'http://127.0.0.1';
  const api = file(
    'api.json',
    openapiDocument({ baseUrl, version: '1', settings: defaultSettings }),
  );
  const routes = file('routes.json', { '/api/v1/*': '/$1' });
  const environment = file('mockoon.json', mockoonEnvironment);
  return [
    {
      name: 'Prism (its log off)',
      status: 200,
      args: (port) => {
        const prism = program('@stoplight/prism-cli/dist/index.js');
        return [prism, 'mock', '-p', String(port), '-v', 'silent', api];
      },
    },
    {
      name: 'Mockoon',
      status: 201,
      args: (port) => {
        const start = [program('@mockoon/cli/bin/run.js'), 'start', '--disable-log-to-file'];
        return [...start, '--data', environment, '--port', String(port)];
      },
    },
    {
      name: 'json-server (which keeps what it is sent)',
      status: 201,
      args: (port) => {
        const start = [program('json-server/lib/cli/bin.js'), '--host', '127.0.0.1', '--quiet'];
        const records = file('records.json', { accounts: [] });
        return [...start, '--port', String(port), '--routes', routes, records];
      },
    },
  ];
}

async function measure({ args, status }: MockServer): Promise<Measured> {
  const port = await freePort();
  const command = [process.execPath, ...args(port)];
  const [program = '', ...words] = isPinned() ? ['taskset', '-c', '0', ...command] : command;
  const startedAtMs = performance.now();
  const child = spawn(program, words, { stdio: 'ignore' });
  try {
    const readyMs = (await firstAnswer(port, status)) - startedAtMs;
    const perSecond = await speed(port, 'none', status);
    const megabytes = residentBytes(child.pid as number) / 1024 / 1024;
    return { readyMs, perSecond, megabytes };
  } finally {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

async function measureSandbox(): Promise<Measured> {
  const { subject, firstAnswerMs: readyMs } = await startOne('sandbox');
  await subject.stop();
  const sandbox = await startSandbox();
  try {
    const perSecond = await speed(sandbox.port, sandbox.token, 201);
    return { readyMs, perSecond, megabytes: sandbox.residentBytes() / 1024 / 1024 };
  } finally {
    await sandbox.stop();
  }
}

/** The wall's time of the first right answer. */
async function firstAnswer(port: number, status: number): Promise<number> {
  const next = createAccountRequests({ port, token: 'none' });
  const untilMs = performance.now() + patienceMs;
  while (performance.now() < untilMs) {
    const seen = await drive({ port, durationMs: 0, next, connections: 1 }).catch(() => null);
    if (seen?.statuses.has(status)) return performance.now();
    await sleep(10);
  }
  throw new Error(`nothing on port ${port} answers ${status}`);
}

async function speed(port: number, token: string, status: number): Promise<number> {
  const next = createAccountRequests({ port, token });
  const rates: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const { perSecond, statuses } = await drive({ port, durationMs: roundMs, next });
    if (statuses.size !== 1 || !statuses.has(status)) {
      throw new Error(`port ${port} answered ${[...statuses.keys()].join()}, not only ${status}`);
    }
    if (round >= 0) rates.push(perSecond);
  }
  return median(rates);
}

/** What a server does that only echoes, which is faster at it than any that keeps rules. */
async function bareNode(): Promise<Figure> {
  const subject = await startSubject(['bin/dev/bench/servers/node-http.js']);
  try {
    const value = `${Math.round(await speed(subject.port, 'none', 201)).toLocaleString('en')}/s`;
    return { name: 'a bare node:http that echoes, createAccount', value };
  } finally {
    await subject.stop();
  }
}

function figuresOf(name: string, own: Measured, sandbox: Measured): Figure[] {
  const figure = (what: string, value: string, ratio: number, isBetter: boolean): Figure => ({
    name: `${name}, ${what}`,
    value,
    ...(own === sandbox ? {} : { ratio }),
    ...(own !== sandbox && isBetter ? { note: 'better than the sandbox' } : {}),
  });
  const speedRatio = own.perSecond / sandbox.perSecond;
  const startRatio = own.readyMs / sandbox.readyMs;
  const memoryRatio = own.megabytes / sandbox.megabytes;
  const perSecond = `${Math.round(own.perSecond).toLocaleString('en')}/s`;
  return [
    figure('createAccount', perSecond, speedRatio, speedRatio > 1),
    figure('spawn to first answer', `${own.readyMs.toFixed(0)} ms`, startRatio, startRatio < 1),
    figure('resident', `${own.megabytes.toFixed(0)} MB`, memoryRatio, memoryRatio < 1),
  ];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a port is a number');
  return address.port;
}

const id = (n: number) => `5c7e1f2a-0000-4000-8000-00000000000${n}`;

/** One route whose answer is made from the request. */
const mockoonEnvironment = {
  ...{ uuid: id(1), lastMigration: 33, name: 'bench', endpointPrefix: '', latency: 0, port: 1 },
  ...{ hostname: '127.0.0.1', folders: [], proxyMode: false, proxyHost: '', headers: [] },
  ...{ proxyRemovePrefix: false, tlsOptions: { enabled: false }, cors: false, data: [] },
  ...{ proxyReqHeaders: [], proxyResHeaders: [], callbacks: [] },
  rootChildren: [{ type: 'route', uuid: id(2) }],
  routes: [
    {
      ...{ uuid: id(2), type: 'http', documentation: '', method: 'post', responseMode: null },
      endpoint: 'api/v1/accounts',
      responses: [
        {
          ...{ uuid: id(3), latency: 0, statusCode: 201, label: '', bodyType: 'INLINE' },
          ...{ filePath: '', databucketID: '', sendFileAsBody: false, rules: [], callbacks: [] },
          ...{ rulesOperator: 'OR', disableTemplating: false, fallbackTo404: false },
          ...{ default: true, crudKey: 'id' },
          headers: [{ key: 'content-type', value: 'application/json' }],
          body: `{"id":"1","client_reference_id":"{{body 'client_reference_id'}}","revision":1}`,
        },
      ],
    },
  ],
};
