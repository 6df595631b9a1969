// The package in a separate project: its types compile under strict settings, the examples of the
// guide for tests compile, and every example in its doc comments compiles, runs and prints what it says.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rows } from '../../simulator/control/all-rows.ts';
import { filesUnder, root } from '../dev/root.ts';
import { compiler } from '../dev/tools.ts';
import { codeOf, printsOf } from './testing/guides.ts';
import { freePort, listens } from './testing/program.ts';

const consumer = suite('package');
const folder = mkdtempSync(join(tmpdir(), 'consumer-'));

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return ended(spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } }));
}

function ended(child: ChildProcess): Promise<Ran> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

/** The examples in doc comments, named after their file. */
function findExamples(): { readonly name: string; readonly text: string }[] {
  const sources = filesUnder('simulator').filter((path) => /(?<!\.test)\.ts$/.test(path));
  return sources.flatMap((path) => {
    const comments = readFileSync(join(root, path), 'utf8').match(/\/\*\*[\s\S]*?\*\//g) ?? [];
    const texts = comments.flatMap((comment) => {
      const [, example] = comment.split(/^ *\* @example\n/m);
      return example === undefined ? [] : [example.replace(/\n? *\*\/$/, '')];
    });
    const name = path.replace(/^simulator\/|\.ts$/g, '').replaceAll('/', '-');
    return texts.map((text, at) => ({
      name: `example-${name}-${at + 1}`,
      text: `${text.replace(/^ *\* ?/gm, '')}\n`,
    }));
  });
}

const examples = findExamples();

/** The examples of the guide for tests as a TypeScript user writes them: types where it says so. */
function guideFiles(): readonly (readonly [file: string, text: string])[] {
  const files = ['sandbox', 'retries.test', 'clock', 'waits', 'handler', 'msw', 'bug'];
  const types = [
    ['(options =', "(options: import('trading-platform-sandbox').SandboxOptions ="],
    ['(send, account, key)', '(send: typeof fetch, account: object, key: string)'],
  ] as const;
  return files.map((file) => {
    const text = codeOf('simulator/IN-YOUR-TESTS.md', `${file}.mjs`);
    const typed = types.reduce((code, [plain, full]) => code.replace(plain, full), text);
    return [`${file}.mts`, typed];
  });
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
const credential: CredentialShown = sandbox.credential('firm');
const token: string | null = credential.token;
const fault: FaultOptions = { match: { operation: 'createAccount' }, effect: { kind: 'hang' } };
const made: { readonly id: string } = await sandbox.faults.add(fault);
const { accounts } = await sandbox.control.listAccounts({ limit: 1 });
const email: string | undefined = accounts[0]?.email;
const { requests } = await sandbox.control.listRequests({ operation: 'createAccount' });
const story = await sandbox.control.getRequest({ id: 1 });
const { target }: { target: string } = (requests[0] ?? story).request;
const events = await sandbox.control.listEvents({ after_seq: 0 });
const kinds: readonly string[] = events.events.map(({ kind }) => kind);
for (const event of events.events) {
  if (event.kind === 'transaction.approved') console.log(event.data.amount);
  // @ts-expect-error: an account has no amount.
  if (event.kind === 'account.created') console.log(event.data.amount);
}
const untyped: unknown = await sandbox.control('GET', '/accounts');
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
const terms: HandlerOptions = { baseUrl: 'https://api.example.com' };
setupServer(...sandboxHandlers(sandbox, terms)).close();
const { header } = signWebhook({ secret: 's', body: '{}' });
const verdict = verifyWebhook({ header, body: '{}', secret: ['s', 't'] });
const reason: string | null = verdict.ok ? null : verdict.reason;
const { causes } = diagnoseWebhook({ header, body: '{} ', secret: 's' });
const verdicts: readonly string[] = vectors.vectors.map(({ verdict: expected }) => expected);
const own: Deviation | undefined = undefined;
const replay: (file: string) => Promise<Replayed> = replayRecording;
// @ts-expect-error: there is no such option.
await createSandbox({ wurld: 'default' });
// @ts-expect-error: a fault has an effect.
await sandbox.faults.add({ match: {} });
// @ts-expect-error: there is no such value.
await createSandbox({ settings: { token_errors: 'json' } });
export { base_url, causes, email, kinds, made, manifest, own, reason, refused, replay, target };
export { told, token, untyped, verdicts };
`;

consumer.before(() => {
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  symlinkSync(root, join(packages, 'trading-platform-sandbox'));
  for (const name of ['msw', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'own-use.ts'), ownUse);
  for (const { name, text } of examples) {
    // As JavaScript to run and as TypeScript to check.
    writeFileSync(join(folder, `${name}.ts`), text);
    writeFileSync(join(folder, `${name}.js`), text);
  }
  for (const [file, text] of guideFiles()) writeFileSync(join(folder, file), text);
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
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts'] }),
  );
});
consumer.after(() => rmSync(folder, { recursive: true }));

consumer('every entry point has an example', () => {
  const names = examples.map(({ name }) => name).join(' ');
  for (const entryPoint of ['index', 'msw', 'host-signing-verify', 'host-signing-diagnose']) {
    assert.match(names, `example-${entryPoint}-`);
  }
});

consumer('a project and all examples compile under strict settings', async () => {
  assert.equal(await run([compiler, '-p', '.']), { code: 0, output: '' });
});

consumer('every control method has a doc comment', () => {
  const declared = readFileSync(join(root, 'dist/types/simulator/control/all-rows.d.ts'), 'utf8');
  for (const { name } of rows) assert.match(declared, new RegExp(`\\*/\\nreadonly ${name}:`));
});

consumer('every example runs and prints what it says', async () => {
  // The recording that the replay example needs.
  const session = `await fetch(process.env.SANDBOX_CONTROL_URL + '/health')`;
  const sandbox = join(root, 'bin/sandbox.js');
  const node = [process.execPath, '--input-type=module', '-e', session];
  assert.equal(await run([sandbox, 'exec', '--record', 'bug.jsonl', '--', ...node]), {
    code: 0,
    output: '',
  });
  const port = await freePort();
  const receiving = examples.filter(({ text }) => text.includes('.listen(3000)'));
  assert.is(receiving.length, 1);
  for (const { name, text } of receiving) {
    writeFileSync(join(folder, `${name}.js`), text.replace('3000', String(port)));
  }
  const [receiver] = receiving.map(({ name }) =>
    spawn(process.execPath, [`${name}.js`], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: 'whsec_test' },
    }),
  );
  if (receiver === undefined) throw new Error('no receiver');
  const received = ended(receiver);
  try {
    await listens(port);
    const others = examples.filter(({ name }) => receiving.every((one) => one.name !== name));
    for (const { name, text } of others) {
      const local = text.replace('localhost:3000', `127.0.0.1:${port}`);
      writeFileSync(join(folder, `${name}.js`), local);
    }
    // In one process, which ends when every example has closed its resources.
    const each = others.map(({ name }) => `console.log('${name}:'); await import('./${name}.js');`);
    writeFileSync(join(folder, 'all.js'), each.join('\n'));
    const { code, output } = await run(['all.js']);
    assert.is(code, 0, output);
    let rest = output;
    for (const line of others.flatMap(({ name, text }) => [`${name}:`, ...printsOf(text)])) {
      assert.ok(rest.includes(`${line}\n`), `${line} is not printed:\n${output}`);
      rest = rest.slice(rest.indexOf(`${line}\n`) + line.length);
    }
  } finally {
    receiver.kill();
  }
  assert.match((await received).output, /^event evt_1$/m);
});

consumer.run();
