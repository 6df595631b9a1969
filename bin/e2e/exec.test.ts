// `sandbox exec -- COMMAND`: the environment of the command, and its exit code.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules as allRules } from '../../fixtures/rules.ts';
import { root } from '../dev/root.ts';
import { Program, run as runProgram, SANDBOX } from './testing/program.ts';

const exec = suite('sandbox exec');
const folder = mkdtempSync(join(tmpdir(), 'exec-'));

const run = (args: readonly string[]) => runProgram([SANDBOX, 'exec', ...args], { cwd: folder });

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

exec('a correct client gets no hint', async () => {
  const file = join(folder, 'hints.json');
  const client = join(root, 'conformance/client/testing/right/one-retry.mjs');
  const { code, err } = await run([`--coverage=json=${file}`, '--', process.execPath, client]);
  assert.is(code, 0, err);
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).hints, []);
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

const CODES: readonly (readonly [command: string[], code: number, words: RegExp])[] = [
  [
    ['./no-such-command'],
    127,
    /^sandbox: \.\/no-such-command cannot be run: there is no such command\n$/,
  ],
  [['.'], 126, /^sandbox: \. cannot be run: EACCES\n$/],
  [['sh', '-c', 'kill -9 $$'], 128 + 9, /^$/],
];
for (const [command, expected, words] of CODES) {
  exec(`${command.join(' ')} is exit code ${expected}, as in a shell`, async () => {
    const { code, out, err } = await run(['--', ...command]);
    assert.equal([code, out], [expected, '']);
    assert.match(err, words);
  });
}

// A signal that is passed on would arrive immediately.
const SIGNALS: readonly (readonly [words: string, signal: NodeJS.Signals, handler: string])[] = [
  ['SIGTERM is passed on to the command', 'SIGTERM', 'end();'],
  [
    'Ctrl-C, which reaches the whole group, is not passed on a second time',
    'SIGINT',
    'if (count === 1) setTimeout(end, 300);',
  ],
];
for (const [words, signal, handler] of SIGNALS) {
  exec(words, async () => {
    const command = program(`
      let count = 0;
      const end = () => { console.log('received ' + count); process.exit(6); };
      process.on('${signal}', () => { count += 1; ${handler} });
      setInterval(() => undefined, 1000);
      console.log(process.env.SANDBOX_BASE_URL);
    `);
    // The sandbox has its own process group.
    const child = new Program([SANDBOX, 'exec', ...command], { cwd: folder, detached: true });
    await child.says('\n');
    child.signal(signal, signal === 'SIGINT');
    const { code, out } = await child.ended;
    const [base = '', received] = out.split('\n');
    assert.equal([received, code], ['received 1', 6]);
    assert.is(await isServed(base), false);
  });
}

exec.after(() => rmSync(folder, { recursive: true }));
exec.run();
