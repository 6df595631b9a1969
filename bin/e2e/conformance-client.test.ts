// `conformance client -- COMMAND`: sample clients are judged, and unusable commands are reported.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checks } from '../../conformance/client/checks/all.ts';
import {
  commandOf,
  rightClients,
  wrongClients,
} from '../../conformance/client/testing/sample-clients.ts';
import type { Report } from '../../conformance/reports/report.ts';
import { defineClient } from '../commands/conformance/client.ts';
import { type CommandRun, runCommand } from '../commands/conformance/testing/run-judge.ts';
import type { CommandIo } from '../commands/io.ts';

const judged = suite('conformance client');
const folder = mkdtempSync(join(tmpdir(), 'client-'));

const run = (args: readonly string[], over: Partial<CommandIo> = {}) =>
  runCommand(defineClient, {}, { env: process.env, cwd: folder, ...over }, args);

/** A client in shell, which starts faster than Node. */
const shell = (text: string) => ['--', 'sh', '-c', text];

const READ =
  'curl -sf "$SANDBOX_BASE_URL/api/v1/accounts" -H "Authorization: Bearer $SANDBOX_TOKEN"';

const clientNamed = (name: string) => {
  const client = [...rightClients, ...wrongClients].find((each) => each.name === name);
  if (client === undefined) throw new Error(`no such sample: ${name}`);
  return ['--', ...commandOf(client)];
};

/** As JSON has it. */
type ClientReport = Pick<Report, 'rules' | 'notes' | 'interrupted'>;

function verdictsOf({ out }: CommandRun): Record<string, string> {
  const { rules } = JSON.parse(out) as ClientReport;
  return Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]));
}

judged('a correct client passes the selected checks', async () => {
  const ids = process.env.ALL_SAMPLES
    ? checks.map(({ id }) => id)
    : ['CLT-key-sent', 'CLT-unknown-fields', 'CLT-converged'];
  const ran = await run(['--json', '--jobs', '6', '--only', ...ids, ...clientNamed('none')]);
  const verdicts = verdictsOf(ran);
  assert.is(Object.keys(verdicts).length, checks.length);
  const unlike = checks.filter(({ id }) => {
    return verdicts[id] !== (ids.includes(id) ? 'passed' : 'not_selected');
  });
  const words = unlike.map(({ id }) => `${id} ${verdicts[id]}`);
  assert.equal(words, []);
  assert.is(ran.code, 0);
});

for (const { name, fails } of process.env.ALL_SAMPLES ? [...rightClients, ...wrongClients] : []) {
  judged(`sample client ${name} fails its checks and no other`, async () => {
    const verdicts = verdictsOf(await run(['--json', '--jobs', '4', ...clientNamed(name)]));
    const failed = Object.keys(verdicts).filter((id) => verdicts[id] === 'fails');
    assert.equal(failed.sort(), [...fails].sort());
  });
}

judged('a finding explains the problem and the fix, and shows no secret', async () => {
  const carelessClient = `
    create() {
      curl -sf "$SANDBOX_BASE_URL/api/v1/accounts" \\
        -H "Authorization: Bearer $SANDBOX_TOKEN" -H 'Content-Type: application/json' \\
        -H "Idempotency-Key: $$-$1" \\
        -d '{"client_reference_id":"a","email":"a@example.com","brand_id":"'$SANDBOX_BRAND_ID'"}'
    }
    create 1 || create 2
  `;
  const { code, out } = await run(['--only', 'CLT-answer-lost', ...shell(carelessClient)]);
  assert.is(code, 1, out);
  for (const words of [
    'CLT-answer-lost fails',
    'the response to a write is lost',
    'under a new key',
    'may do it twice',
    'send both again unchanged',
    'IDEM-4c',
    'npx conformance client --only CLT-answer-lost --seed 1 -- ',
  ]) {
    assert.ok(out.replace(/\s+/g, ' ').includes(words), `${words} is missing in:\n${out}`);
  }
  assert.not.match(out, /Bearer (?!\[redacted\])\w/);
});

judged('a client that only reads, with a given token, is not judged by writes', async () => {
  const only = ['CLT-answer-lost', 'CLT-token-expires', 'CLT-token-kept', 'CLT-unknown-fields'];
  const ran = await run(['--json', '--only', ...only, ...shell(READ)]);
  const verdicts = verdictsOf(ran);
  const seen = only.map((id) => verdicts[id]);
  assert.equal(seen, ['not_met', 'not_met', 'not_met', 'passed']);
  assert.is(ran.code, 0);
  const { rules } = JSON.parse(ran.out) as ClientReport;
  const kept = rules.find(({ id }) => id === 'CLT-token-kept');
  assert.match(kept!.unlock.join(), 'SANDBOX_CLIENT_ID', 'how it would meet the check');
});

judged('a client that creates accounts without a brand is told what to send', async () => {
  const create = READ.replace('-sf', `-d '{"client_reference_id":"a","email":"a@b.c"}'`);
  const { out } = await run(['--only', 'CLT-key-sent', ...shell(create)]);
  assert.match(out, 'No create of an account sent a brand_id');
});

judged('if the first run fails, the report says so, and habits are still judged', async () => {
  const failing = await run([
    '--json',
    '--only',
    'CLT-key-sent',
    'CLT-500',
    ...clientNamed('no-key'),
  ]);
  assert.is(verdictsOf(failing)['CLT-key-sent'], 'fails');
  assert.is(verdictsOf(failing)['CLT-500'], 'inconclusive');
  const { notes } = JSON.parse(failing.out) as ClientReport;
  assert.match(notes.join(' '), 'was answered 400 idempotency_key_required');
  assert.is(failing.code, 1);
  const silent = await run(shell('echo nothing to do'));
  assert.is(silent.code, 3);
  assert.match(silent.out, 'The first run called nothing');
  assert.match(silent.out, 'nothing to do');
  const broken = await run(shell('echo no such module >&2; exit 7'));
  assert.is(broken.code, 3);
  assert.match(broken.out, 'The command ended with exit code 7');
  assert.match(broken.out, '| no such module');
});

judged('a command that cannot run concurrently is run one at a time', async () => {
  // A lock, like the fixed port of a webhook receiver. Each run after the first keeps it until
  // another run was refused, because the timing depends on the machine.
  const reads = `
    printf . >> begun
    mkdir lock || { touch refused; exit 1; }
    ${READ}; code=$?
    if [ $(wc -c < begun) -gt 1 ]; then until [ -e refused ]; do sleep 0.02; done; fi
    rmdir lock
    exit $code
  `;
  const only = ['CLT-unknown-fields', 'CLT-large-ids'];
  const ran = await run(['--json', '--only', ...only, ...shell(reads)]);
  assert.is(verdictsOf(ran)['CLT-unknown-fields'], 'passed');
  assert.match((JSON.parse(ran.out) as ClientReport).notes.join(' '), 'one at a time');
  assert.is(ran.code, 0);
});

judged('a command that does not end is killed, with its child processes', async () => {
  const mark = join(folder, 'child');
  const text = `sleep 1000 & printf $! > ${mark}; wait`;
  // On a slow machine the command needs more time to start its child.
  for (let timeoutS = 1; !existsSync(mark) && timeoutS < 100; timeoutS *= 4) {
    const { code, out } = await run(['--timeout-s', String(timeoutS), ...shell(text)]);
    assert.is(code, 3);
    assert.match(out.replace(/\s+/g, ' '), `did not end within ${timeoutS} s`);
  }
  const pid = Number(readFileSync(mark, 'utf8'));
  const isAlive = () => {
    try {
      process.kill(pid, 0);
      return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch {
      return false;
    }
  };
  for (let n = 0; n < 100 && isAlive(); n += 1) await new Promise((go) => setTimeout(go, 20));
  assert.is(isAlive(), false);
});

const client = ['--', 'true'];
const unusable = [
  [['--only', 'answer-lost', ...client], '"answer-lost" matches no check'],
  [['--skip', 'CLT-*', ...client], 'leaves no check'],
  [[], 'name the command after --'],
  [['--', 'node client.mjs'], 'node client.mjs cannot be run: it came as one word.'],
  [['--', 'no-such-command-here'], 'no-such-command-here cannot be run: there is no such command'],
] as const;

for (const [args, words] of unusable) {
  judged(`usage: ${words}`, async () => {
    const { code, err } = await run(args);
    assert.is(code, 2);
    assert.ok(err.includes(words), err);
  });
}

judged('an interrupted run reports what is done', async () => {
  const stop = new AbortController();
  // The first run has ended, the others have not.
  const err = (text: string) => {
    if (text.includes('the first run: ')) stop.abort();
  };
  const { code, out } = await run(['--json', ...clientNamed('none')], { err, stop: stop.signal });
  assert.is(code, 130);
  assert.is((JSON.parse(out) as ClientReport).interrupted, true);
});

judged.after(() => rmSync(folder, { recursive: true, force: true }));

judged.run();
