// The receivers in the guide, judged by the judge of receivers: Node, Python, Go if it is
// installed, and a shell with openssl.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { receiverChecks } from '../../conformance/receiver/checks.ts';
import { runReceiver } from '../../conformance/receiver/run.ts';
import { sample } from '../../fixtures/testing/sample.ts';
import { root } from '../dev/root.ts';
import { codeOf } from './testing/guides.ts';
import { freePort, listens } from './testing/program.ts';

const secret = 'whsec_of_the_readme_0123456789';
const GUIDE = 'simulator/WEBHOOKS.md';

const receivers = suite('receivers of the README');

const isThere = (command: string): boolean =>
  spawnSync(command, [command === 'go' || command === 'openssl' ? 'version' : '--version'])
    .status === 0;

async function judge(url: string): Promise<void> {
  const names = { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' };
  const signing = { secret, previousSecret: null, names, mark: `readme${process.pid}` };
  const { refused, results } = await runReceiver({ url, signing, effects: null });
  assert.is(refused, null);
  assert.ok(results.length > receiverChecks.length, `${results.length} results`);
  // Examples must not even get advice, unlike receivers of partners.
  const failed = results
    .filter(({ judgement }) => judgement.verdict !== 'passed')
    .map(({ check, judgement }) => `${check.id}: ${judgement.actual}`);
  assert.equal(failed, []);
}

/** Runs a receiver that listens on port 3000 on another port while it is judged. */
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
    stdio: 'ignore',
  });
  try {
    await listens(port, () => child.exitCode !== null);
    await judge(`http://127.0.0.1:${port}/hooks`);
  } finally {
    child.kill('SIGKILL');
  }
}

async function inGo(): Promise<void> {
  const code = codeOf(GUIDE, 'receiver.go');
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
}

async function inShell(): Promise<void> {
  const script = codeOf(GUIDE, 'verify.sh');
  // The script verifies one delivery; this server runs it for each one.
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const HEADER = String(request.headers['x-webhook-signature'] ?? '');
    const child = spawn('bash', ['-c', script], {
      env: { PATH: process.env.PATH, HEADER, SECRET: secret },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // It may refuse a header without reading the body.
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
}

const programs: readonly (readonly [name: string, needs: string[], play: () => Promise<void>])[] = [
  // In a project that has installed the package; here the package resolves to itself.
  [
    'Node',
    ['node'],
    () =>
      judgeProgram(codeOf(GUIDE, 'receiver.mjs'), (code) => [
        process.execPath,
        ['--input-type=module', '--eval', code],
      ]),
  ],
  ['a shell with openssl', ['bash', 'openssl'], inShell],
  [
    'Python',
    ['python3'],
    () => judgeProgram(codeOf(GUIDE, 'receiver.py'), (code) => ['python3', ['-c', code]]),
  ],
  ['Go', ['go'], inGo],
];
for (const [name, needs, play] of sample(programs, 2)) {
  const run = needs.every(isThere) ? receivers : receivers.skip;
  run(`the receiver in ${name} passes every check`, play);
}

receivers.run();
