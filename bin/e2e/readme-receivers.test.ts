// The receivers that the guide shows, taken from it and held to the judge of receivers: Node,
// Python, Go where it is installed, and a shell with openssl.
// time limit: 120 s
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { receiverChecks } from '../../conformance/receiver/checks.ts';
import { runReceiver } from '../../conformance/receiver/run.ts';
import { sample } from '../../fixtures/testing/sample.ts';
import { root } from '../dev/root.ts';

const secret = 'whsec_of_the_readme_0123456789';
const readme = readFileSync(join(root, 'simulator/WEBHOOKS.md'), 'utf8');

const receivers = suite('receivers of the README');

/** The code that begins by saying that it is this file. */
function codeOf(file: string): string {
  const blocks = [...readme.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const found = blocks.filter((code) => /^(?:#|\/\/) (\S+):/.exec(code)?.[1] === file);
  assert.is(found.length, 1, `the guide shows ${file} ${found.length} times`);
  return found[0] ?? '';
}

function isThere(command: string, argument: string): boolean {
  if (spawnSync(command, [argument]).status === 0) return true;
  console.log(`receivers of the README: there is no ${command} here; not tried`);
  return false;
}

async function judge(url: string): Promise<void> {
  const names = { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' };
  const signing = { secret, previousSecret: null, names, mark: `readme${process.pid}` };
  const { refused, results } = await runReceiver({ url, signing, effects: null });
  assert.is(refused, null);
  assert.ok(results.length > receiverChecks.length, `${results.length} results`);
  // Examples are held to more than partners are: no advice either.
  assert.equal(
    results
      .filter(({ judgement }) => judgement.verdict !== 'passed')
      .map(({ check, judgement }) => `${check.id}: ${judgement.actual}`),
    [],
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when somebody listens there. */
async function listens(port: number, child: ChildProcess): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nobody listens on port ${port}`);
}

/** Runs one that listens on port 3000, on another port, for as long as it is judged. */
async function judgeProgram(
  code: string,
  command: (code: string) => readonly [string, readonly string[]],
): Promise<void> {
  const port = await freePort();
  const place = /\b3000(?=[)",])/;
  assert.match(code, place);
  const [program, args] = command(code.replace(place, String(port)));
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, SECRET: secret },
    // It says what it refuses; a program that cannot start says so to nobody but `listens`.
    stdio: 'ignore',
  });
  try {
    await listens(port, child);
    await judge(`http://127.0.0.1:${port}/hooks`);
  } finally {
    child.kill('SIGKILL');
  }
}

const WAYS: Record<string, () => Promise<void>> = {};

WAYS['in Node'] = () => {
  // As a program of whoever has installed the package; here the package finds itself.
  return judgeProgram(codeOf('receiver.mjs'), (code) => [
    process.execPath,
    ['--input-type=module', '--eval', code],
  ]);
};

WAYS['in Python'] = async () => {
  const code = codeOf('receiver.py');
  if (!isThere('python3', '--version')) return;
  await judgeProgram(code, (program) => ['python3', ['-c', program]]);
};

WAYS['in Go'] = async () => {
  const code = codeOf('receiver.go');
  if (!isThere('go', 'version')) return;
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  try {
    await judgeProgram(code, (program) => {
      writeFileSync(join(folder, 'receiver.go'), program);
      const built = join(folder, 'receiver');
      execFileSync('go', ['build', '-o', built, join(folder, 'receiver.go')]);
      return [built, []];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

WAYS['in a shell, with openssl'] = async () => {
  const script = codeOf('verify.sh');
  if (!isThere('openssl', 'version') || !isThere('bash', '--version')) return;
  // The script verifies one delivery; what takes it from the network and asks is this.
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const HEADER = String(request.headers['x-webhook-signature'] ?? '');
    const child = spawn('bash', ['-c', script], {
      env: { PATH: process.env.PATH, HEADER, SECRET: secret },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // It need not read a body whose header it refuses.
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.concat(chunks));
    child.once('close', (exitCode) => response.writeHead(exitCode === 0 ? 204 : 400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await judge(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
};

for (const [way, play] of sample(Object.entries(WAYS), 2)) {
  receivers(way, play);
}

receivers.run();
