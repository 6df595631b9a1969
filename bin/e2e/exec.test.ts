// `sandbox exec -- COMMAND`: the environment of the command, and its exit code.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules as allRules } from '../../fixtures/rules.ts';
import { exitCodeOf } from '../commands/program.ts';
import { defineExec } from '../commands/sandbox/exec.ts';
import { root } from '../dev/root.ts';
import { Program, run as runProgram, SANDBOX } from './testing/program.ts';

const exec = suite('sandbox exec');
const folder = mkdtempSync(join(tmpdir(), 'exec-'));

const run = (args: readonly string[]) => runProgram([SANDBOX, 'exec', ...args], { cwd: folder });

/** The exit code and the message of options that are refused, read in this process. */
async function refusal(args: readonly string[]) {
  let err = '';
  const append = (text: string) => {
    err += text;
  };
  const command = new Command('exec').configureOutput({ writeErr: append }).exitOverride();
  defineExec(command);
  try {
    await command.parseAsync(args, { from: 'user' });
    return { code: 0, err };
  } catch (error) {
    return { code: exitCodeOf(error, append), err };
  }
}

/** A shell script, which starts faster than Node. */
const script = (text: string, ...args: string[]) => ['--', 'sh', '-c', text, 'sh', ...args];

/** A program that is run by the same Node. */
const program = (text: string) => ['--', process.execPath, '--input-type=module', '-e', text];

const isServed = async (baseUrl: string): Promise<boolean> =>
  fetch(`${baseUrl}/_sandbox/health`).then(
    ({ ok }) => ok,
    () => false,
  );

exec(
  'the command gets the sandbox and its credentials, and its exit code is returned',
  async () => {
    const { code, out, err } = await run(
      program(`
      const { SANDBOX_BASE_URL: base, SANDBOX_TOKEN: token, ...env } = process.env;
      const name = 'SANDBOX_';
      const send = (path, headers, body) => fetch(base + '/api/v1/' + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': path, ...headers },
        body: JSON.stringify(body),
      });
      const pair = env.SANDBOX_CLIENT_ID + ':' + env.SANDBOX_CLIENT_SECRET;
      const basic = { authorization: 'Basic ' + Buffer.from(pair).toString('base64') };
      const asked = await send('oauth/token', basic, { grant_type: 'client_credentials' });
      const { access_token } = await asked.json();
      const bearer = { authorization: 'Bearer ' + access_token };
      const person = { client_reference_id: 'a', email: 'a@example.org' };
      const made = await send('accounts', bearer, { ...person, brand_id: env.SANDBOX_BRAND_ID });
      const paid = await send('transactions', bearer, {
        client_reference_id: 't',
        account_id: env.SANDBOX_ACCOUNT_ID,
        trading_account_id: env.SANDBOX_TRADING_ACCOUNT_ID,
        currency: 'USD',
        amount: '5',
        transaction_type: 'Deposit',
      });
      const set = Object.keys(process.env).filter((each) => each.startsWith(name)).sort();
      console.log(JSON.stringify({ base, statuses: [asked, made, paid].map((each) => each.status), set }));
      process.exitCode = 7;
    `),
    );
    const set = [
      'SANDBOX_ACCOUNT_ID',
      'SANDBOX_BASE_URL',
      'SANDBOX_BRAND_ID',
      'SANDBOX_CLIENT_ID',
      'SANDBOX_CLIENT_SECRET',
      'SANDBOX_CONTROL_URL',
      'SANDBOX_TOKEN',
      'SANDBOX_TRADING_ACCOUNT_ID',
    ];
    assert.is(err, '');
    // Standard output is only that of the command.
    const { base, ...seen } = JSON.parse(out);
    assert.equal([code, seen], [7, { statuses: [200, 201, 201], set }]);
    assert.is(await isServed(base), false, 'the sandbox ends with the command');
  },
);

exec('coverage: its commands work in a shell, and too little coverage is exit code 1', async () => {
  const tried = ['TXS-8', 'AUTH-2', 'EVT-10b'];
  const file = join(folder, 'coverage.json');
  const { code, out, err } = await run([
    `--coverage=json=${file}`,
    '--coverage-min',
    '90',
    '--plan',
    'pro',
    ...program(`
      import { execFileSync } from 'node:child_process';
      const read = () => fetch(process.env.SANDBOX_CONTROL_URL + '/coverage');
      const { not_met } = await (await read()).json();
      for (const id of ${JSON.stringify(tried)}) {
        const { line } = not_met.find((each) => each.id === id);
        execFileSync('bash', ['-c', line], { stdio: ['ignore', 'ignore', 'inherit'] });
      }
    `),
  ]);
  assert.is(out, '');
  assert.is(code, 1, err);
  const { rules, not_met } = JSON.parse(readFileSync(file, 'utf8'));
  const missed = tried.filter((id) => rules.ids[id] === undefined);
  assert.equal(missed, [], err);
  assert.match(err, `Coverage: ${rules.met} of ${allRules.length} rules`);
  assert.match(err, /fewer than the 90 % of --coverage-min/);
  // The last ten, each with its command.
  const next = err.slice(err.indexOf('Most worth trying next'));
  assert.is(next.match(/^ {4}(?:curl |ID=|for )/gm)?.length, 10);
  const [{ id, words, line }] = not_met;
  assert.ok(next.replace(/\s+/g, ' ').includes(`${id}: ${words} ${line} `), next);
});

exec('a correct client gets no hint, a wrong one gets its hint', async () => {
  const file = join(folder, 'hints.json');
  const coverageOf = async (...client: readonly string[]) => {
    const [name = '', ...words] = client;
    const path = join(root, 'conformance/client/testing', name);
    const { code, err } = await run([
      `--coverage=json=${file}`,
      '--',
      process.execPath,
      path,
      ...words,
    ]);
    assert.is(code, 0, err);
    const { hints } = JSON.parse(readFileSync(file, 'utf8'));
    return hints.map((hint: { readonly code: string }) => hint.code);
  };
  assert.equal(await coverageOf('right/one-retry.mjs'), []);
  assert.equal(await coverageOf('node-mistakes.mjs', 'key-of-account'), ['body_unlike_first']);
});

exec('coverage in a missing folder is refused before anything starts', async () => {
  const { code, out, err } = await run(['--coverage=json=no/such', ...script('echo 1')]);
  assert.equal([code, out], [2, ''], err);
  assert.match(err, '--coverage=json=no/such: there is no folder no');
});

exec('options before -- are those of start; arguments after it belong to the command', async () => {
  writeFileSync(join(folder, 'token'), 'from-a-file\n');
  const look = `
    ask() { curl -s "$SANDBOX_CONTROL_URL/$1" -H "authorization: Bearer $TOKEN"; echo; }
    ask health
    TOKEN=$SANDBOX_CONTROL_TOKEN
    ask accounts
    ask clock
    cat ready.json
    echo "$@"
  `;
  const { code, out, err } = await run([
    ...['--world', 'empty', '--clock', '2030-01-01T00:00:00Z', '--control-token-file', 'token'],
    ...['--ready-file', 'ready.json', '--forward-to', 'http://127.0.0.1:9/in'],
    ...['--', 'bash', '-c', look, 'bash', '--port', 'x'],
  ]);
  assert.equal([code, err], [0, '']);
  const [refused, accounts, clock, ready, args] = out.trim().split('\n');
  assert.is(JSON.parse(refused!).status, 401);
  assert.equal(JSON.parse(accounts!).accounts, []);
  assert.is(JSON.parse(clock!).now_ms, Date.UTC(2030, 0, 1));
  assert.is(JSON.parse(ready!).subscription.forwards_to, 'http://127.0.0.1:9/in');
  assert.is(args, '--port x');
});

exec('a missing command is exit code 127', async () => {
  const { code, out, err } = await run(['--', './no-such-command']);
  assert.equal([code, out], [127, '']);
  assert.match(err, /^sandbox: \.\/no-such-command cannot be run: there is no such command\n$/);
});

exec('a command that cannot be run is exit code 126', async () => {
  const { code, err } = await run(['--', '.']);
  assert.match(err, /^sandbox: \. cannot be run: EACCES\n$/);
  assert.is(code, 126);
});

exec('a signal that ends the command becomes its exit code, as in a shell', async () => {
  const { code } = await run(script('kill -9 $$'));
  assert.is(code, 128 + 9);
});

/** A command that prints its base URL and waits; the sandbox has its own process group. */
function waiting(text: string): Program {
  const command = program(`
    ${text}
    setInterval(() => undefined, 1000);
    console.log(process.env.SANDBOX_BASE_URL);
  `);
  return new Program([SANDBOX, 'exec', ...command], { cwd: folder, detached: true });
}

exec('SIGTERM is passed on to the command', async () => {
  const child = waiting(
    "process.on('SIGTERM', () => { console.log('received'); process.exit(6); });",
  );
  await child.says('\n');
  child.signal('SIGTERM');
  const { code, out } = await child.ended;
  const [base = '', received] = out.split('\n');
  assert.equal([received, code], ['received', 6]);
  assert.is(await isServed(base), false);
});

exec('Ctrl-C, which reaches the whole group, is not passed on a second time', async () => {
  const child = waiting(`
    let count = 0;
    process.on('SIGINT', () => {
      count += 1;
      if (count > 1) return;
      // A signal that is passed on would arrive immediately.
      setTimeout(() => { console.log('received ' + count); process.exit(5); }, 300);
    });
  `);
  await child.says('\n');
  child.signal('SIGINT', true);
  const { code, out } = await child.ended;
  const [base = '', received] = out.split('\n');
  assert.equal([received, code], ['received 1', 5]);
  assert.is(await isServed(base), false);
});

exec('the help has a free port as the default, and no options about the output of start', () => {
  const command = new Command('exec');
  defineExec(command);
  const help = command.helpInformation();
  assert.match(help, /--port <n> [^(]*\(default:\s+0\)/);
  for (const option of ['--json', '--quiet', '--open']) assert.not.match(help, option);
});

exec(
  'an impossible ready file or recording is exit code 2, and the command is not run',
  async () => {
    writeFileSync(join(folder, 'old.jsonl'), 'evidence\n');
    for (const [args, words] of [
      [['--record', 'no/such/file'], '--record no/such/file: there is no folder /'],
      [['--record', 'old.jsonl'], '--record old.jsonl: is not empty'],
    ] as const) {
      const { code, out, err } = await run([...args, ...script('echo ran')]);
      assert.equal([code, out], [2, ''], err);
      assert.ok(err.startsWith(`error: ${words}`), err);
    }
  },
);

exec('a failed start leaves no recording', async () => {
  await run(['--record', 'new.jsonl', '--ready-file', 'no/such/file', '--', 'true']);
  assert.is(existsSync(join(folder, 'new.jsonl')), false);
});

exec('a missing command and an unknown option are usage errors', async () => {
  for (const [args, words] of [
    [[], /name the command after --/],
    [['--json', '--', 'true'], /unknown option '--json'/],
    [['true', '-q', 'x y'], /put -- before the command: sandbox exec -- true -q 'x y'/],
  ] as const) {
    const { code, err } = await refusal(args);
    assert.is(code, 2, `${args.join(' ')}: ${err}`);
    assert.match(err, words);
  }
});

exec.after(() => rmSync(folder, { recursive: true }));
exec.run();
