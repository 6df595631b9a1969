// The package in a separate project: its types compile under strict settings, and every example in the
// guide for tests and in doc comments compiles, runs and prints what it says.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rows } from '../../simulator/control/all-rows.ts';
import { filesUnder, root } from '../dev/root.ts';
import { compiler } from '../dev/tools.ts';
import { blocksOf, codeOf, printsOf } from './testing/guides.ts';
import { freePort, listens, Program, run, SANDBOX } from './testing/program.ts';

const consumer = suite('package');
const folder = mkdtempSync(join(tmpdir(), 'consumer-'));

/** The output of Node, which must succeed without a warning. */
async function outputOf(...args: string[]): Promise<string> {
  const { code, out, err } = await run(args, { cwd: folder });
  assert.is(code, 0, `${args.join(' ')}: ${out}${err}`);
  return out;
}

interface Example {
  readonly name: string;
  readonly text: string;
}

/** The examples in doc comments, named after their file. */
function findExamples(): Example[] {
  const sources = filesUnder('simulator').filter((path) => /(?<!\.test)\.ts$/.test(path));
  return sources.flatMap((path) => {
    const comments = readFileSync(join(root, path), 'utf8').match(/\/\*\*[\s\S]*?\*\//g) ?? [];
    const texts = comments.flatMap((comment) => {
      const [, example] = comment.split(/^ *\* @example\n/m);
      return example === undefined ? [] : [example.replace(/\n? *\*\/$/, '')];
    });
    const name = path.replace(/^simulator\/|\.ts$/g, '').replaceAll('/', '-');
    return texts.map((text, at) => ({
      name: `example-${name}-${at + 1}.js`,
      text: `${text.replace(/^ *\* ?/gm, '')}\n`,
    }));
  });
}

const examples = findExamples();

const GUIDE = 'simulator/IN-YOUR-TESTS.md';
const ofGuide = (name: string): Example => ({ name, text: codeOf(GUIDE, name) });
/** Modules of the guide that print what they show. */
const printing = ['clock.mjs', 'waits.mjs', 'handler.mjs', 'msw.mjs'].map(ofGuide);
const others = ['sandbox.mjs', 'retries.test.mjs', 'bug.mjs'].map(ofGuide);

/** As a TypeScript user writes it: types where it says so. */
function typed({ name, text }: Example): Example {
  const types = [
    ['(options =', "(options: import('trading-platform-sandbox').SandboxOptions ="],
    ['(send, account, key)', '(send: typeof fetch, account: object, key: string)'],
  ] as const;
  const full = types.reduce((code, [plain, full]) => code.replace(plain, full), text);
  return { name: name.replace(/\.(m?)js$/, '.$1ts'), text: full };
}

const ownUse = `
import { ControlError, createSandbox, replayRecording } from 'trading-platform-sandbox';
import type {
  CredentialShown, Deviation, FaultOptions, ListenOptions, Replayed, SandboxHandle, SandboxOptions,
  WorldFixture,
} from 'trading-platform-sandbox';
import { sandboxHandlers, type HandlerOptions } from 'trading-platform-sandbox/msw';
import { verifyWebhook, signWebhook, diagnoseWebhook } from 'trading-platform-sandbox/webhooks';
import { setupServer } from 'msw/node';
import manifest from 'trading-platform-sandbox/package.json' with { type: 'json' };
import vectors from 'trading-platform-sandbox/webhook-vectors.json' with { type: 'json' };

const world: WorldFixture = {
  firms: [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }],
  credentials: [{ name: 'firm', firm_id: '1', scopes: ['accounts:write'] }],
  generate: { accounts: 3 },
};
const options: SandboxOptions = { world, clock: 'frozen', settings: { first_revision: 2 } };
const sandbox: SandboxHandle = await createSandbox(options);
const { token }: CredentialShown = sandbox.credential('firm');
const fault: FaultOptions = { match: { operation: 'createAccount' }, effect: { kind: 'hang' } };
const made: { readonly id: string } = await sandbox.faults.add(fault);
const { accounts } = await sandbox.control.listAccounts({ limit: 1 });
const email: string | undefined = accounts[0]?.email;
const { request } = await sandbox.control.getRequest({ id: 1 });
const { target }: { target: string } = request;
for (const event of (await sandbox.control.listEvents({ after_seq: 0 })).events) {
  if (event.kind === 'transaction.approved') console.log(event.data.amount);
  // @ts-expect-error: an account has no amount.
  if (event.kind === 'account.created') console.log(event.data.amount);
}
const dropped = sandbox.control.dropSnapshot({ name: 'one' });
const refused = await dropped.catch((error: unknown) => error instanceof ControlError);
let told: string | undefined;
for await (const { event } of await sandbox.control.followStream()) told ??= event;
// @ts-expect-error: there is no such row.
await sandbox.control.listAcounts();
// @ts-expect-error: there is no such parameter.
await sandbox.control.listAccounts({ brand: '10' });
// @ts-expect-error: a required parameter is missing.
await sandbox.control.createSnapshot();
// @ts-expect-error: there is no such operation.
await sandbox.control.listRequests({ operation: 'makeAccount' });
const listen: ListenOptions = { port: 0 };
const { base_url }: { base_url: string } = await sandbox.listen(listen);
const handling: HandlerOptions = { baseUrl: 'https://api.example.com' };
setupServer(...sandboxHandlers(sandbox, handling)).close();
const { header } = signWebhook({ secret: 's', body: '{}' });
const verdict = verifyWebhook({ header, body: '{}', secret: ['s', 't'] });
const reason: string | null = verdict.ok ? null : verdict.reason;
const { causes } = diagnoseWebhook({ header, body: '{} ', secret: 's' });
const own: Deviation | undefined = undefined;
const replay: (file: string) => Promise<Replayed> = replayRecording;
// @ts-expect-error: an advance has one of its three members.
await sandbox.clock.advance({ by_ms: 1, to_next: true });
// @ts-expect-error: the same on the control plane.
await sandbox.control.advanceClock({ by_ms: 1, to_next: true });
// @ts-expect-error: there is no such option.
await createSandbox({ wurld: 'default' });
// @ts-expect-error: a fault has an effect.
await sandbox.faults.add({ match: {} });
// @ts-expect-error: there is no such value.
await createSandbox({ settings: { token_errors: 'json' } });
export { base_url, causes, email, made, manifest, own, reason, refused, replay, target };
export { told, token, vectors };
`;

consumer.before(async () => {
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  symlinkSync(root, join(packages, 'trading-platform-sandbox'));
  for (const name of ['msw', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  const all = [...examples, ...printing, ...others];
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    resolveJsonModule: true,
    skipLibCheck: false,
    // The compiler's own declarations need no check.
    skipDefaultLibCheck: true,
    types: ['node'],
  };
  const config = { compilerOptions, include: ['*.ts', '*.mts'] };
  for (const { name, text } of [
    ...[...all, ...all.map(typed), { name: 'own-use.ts', text: ownUse }],
    { name: 'package.json', text: '{"type":"module"}' },
    { name: 'tsconfig.json', text: JSON.stringify(config) },
  ]) {
    writeFileSync(join(folder, name), text);
  }
  // The recording that examples replay.
  const session = `
    const url = process.env.SANDBOX_BASE_URL + '/api/v1/accounts';
    await fetch(url, { headers: { authorization: 'Bearer ' + process.env.SANDBOX_TOKEN } });
    await fetch(url, { method: 'POST' });
  `;
  const node = [process.execPath, '--input-type=module', '-e', session];
  await outputOf(SANDBOX, 'exec', '--record', 'bug.jsonl', '--', ...node);
});
consumer.after(() => rmSync(folder, { recursive: true }));

consumer('every entry point has an example', () => {
  const names = examples.map(({ name }) => name).join(' ');
  for (const entryPoint of ['index', 'msw', 'host-signing-verify', 'host-signing-diagnose']) {
    assert.match(names, `example-${entryPoint}-`);
  }
});

consumer('a project and all examples compile under strict settings', async () => {
  assert.is(await outputOf(compiler, '-p', '.'), '');
});

consumer('every control method has a doc comment', () => {
  const declared = readFileSync(join(root, 'dist/types/simulator/control/all-rows.d.ts'), 'utf8');
  for (const { name } of rows) assert.match(declared, new RegExp(`\\*/\\nreadonly ${name}:`));
});

consumer('every example runs and prints what it says', async () => {
  const port = await freePort();
  const isReceiver = ({ text }: Example) => text.includes('.listen(3000)');
  const [receiver, ...more] = examples.filter(isReceiver);
  assert.is(more.length, 0);
  writeFileSync(join(folder, receiver!.name), receiver!.text.replace('3000', `${port}`));
  const env = { WEBHOOK_SECRET: 'whsec_test' };
  const receiving = new Program([receiver!.name], { cwd: folder, env });
  const played = [...examples.filter((each) => !isReceiver(each)), ...printing];
  try {
    await listens(port);
    for (const { name, text } of played) {
      const local = text.replace('localhost:3000', `127.0.0.1:${port}`);
      writeFileSync(join(folder, name), local);
    }
    // In one process, which ends when every example has closed its resources.
    const each = played.map(({ name }) => `console.log('=== ${name}'); await import('./${name}');`);
    writeFileSync(join(folder, 'all.js'), each.join('\n'));
    const [, ...sections] = (await outputOf('all.js')).split(/^=== /m);
    for (const [at, { name, text }] of played.entries()) {
      const declared = printsOf(text);
      const [header, ...lines] = sections[at]!.trim().split('\n');
      // An example in a doc comment may print more than it declares.
      const isGuide = printing.some((each) => each.name === name);
      const shown = lines.filter((line) => isGuide || declared.includes(line));
      assert.equal([header, ...shown], [name, ...declared]);
    }
  } finally {
    receiving.signal('SIGTERM');
  }
  assert.match((await receiving.ended).out, /^event evt_1$/m);
});

consumer('the test of a client in the guide, with a world for each file', async () => {
  const output = await outputOf('--test', '--test-reporter=tap', 'retries.test.mjs');
  assert.match(output, /^# pass 2$/m);
  assert.match(output, /^# fail 0$/m);
});

consumer('a recorded bug is replayed', async () => {
  const lines = (await outputOf('bug.mjs')).trim().split('\n');
  assert.is(lines.length, 4);
  assert.match(lines[0] ?? '', /^200 \{"accounts":\[/);
  assert.match(lines[1] ?? '', /^4\d\d \{"type":/);
  assert.match(lines.slice(2).join('\n'), /^GET \/api\/v1\/accounts .*\bNS-2\b/m);
});

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0;
const withPytest = hasPytest ? consumer : consumer.skip;

withPytest('the set-up for pytest', async () => {
  for (const code of blocksOf(GUIDE, 'python')) {
    writeFileSync(join(folder, /^# (\S+):/.exec(code)?.[1] ?? ''), code);
  }
  const pytest = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  assert.match(await outputOf(SANDBOX, 'exec', '--', ...pytest), '3 passed');
  appendFileSync(join(folder, 'conftest.py'), '\nfrom sandbox_fixture import sandbox\n');
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(SANDBOX, join(folder, 'node_modules/.bin/sandbox'));
  const { status, stdout } = spawnSync(pytest[0]!, pytest.slice(1), { cwd: folder });
  assert.is(status, 0, String(stdout));
});

consumer.run();
