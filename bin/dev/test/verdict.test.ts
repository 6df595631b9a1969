// The test command must not take silence for success: one case for each way a file can fail.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from './run.ts';
import { judgeFile, judgeTool, ownTimeLimitMs } from './verdict.ts';

const summary = (total: number, passed: number, skipped = 0) =>
  `\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   ${skipped}\n  Duration:  1ms\n`;
const ended = {
  exitCode: 0,
  timedOut: false,
  output: '',
  durationMs: 1,
  processorMs: null,
  limitMs: 1000,
};

const verdict = suite('verdict of a test file');

verdict('all tests passed', () => {
  const { passed, failed, problem } = judgeFile({ ...ended, output: summary(3, 3) });
  assert.equal([passed, failed, problem], [3, 0, '']);
});

const failures = [
  ['a failing test', { exitCode: 1, output: summary(3, 2) }, 2, 1],
  ['two failing tests', { exitCode: 1, output: summary(3, 1) }, 1, 2],
  ['no summary at all', { output: 'hello' }, 0, 1],
  ['a summary of nothing', { output: summary(0, 0) }, 0, 1],
  ['a skipped test', { output: summary(3, 3, 1) }, 3, 1],
  ['a crash after the tests', { exitCode: 7, output: summary(3, 3) }, 3, 1],
  ['a crash before the tests', { exitCode: 1, output: 'Error: no' }, 0, 1],
  ['a time limit', { exitCode: null, timedOut: true, output: '' }, 0, 1],
  ['a signal', { exitCode: null, output: summary(3, 3) }, 3, 1],
] as const;

for (const [name, change, passed, failed] of failures) {
  verdict(`${name} fails the file`, () => {
    const judged = judgeFile({ ...ended, ...change });
    assert.equal([judged.passed, judged.failed], [passed, failed]);
    assert.ok(judged.problem.length > 0);
  });
}

verdict('the last summary counts, not one that a test printed', () => {
  const judged = judgeFile({ ...ended, exitCode: 1, output: summary(9, 9) + summary(2, 1) });
  assert.equal([judged.passed, judged.failed], [1, 1]);
});

verdict('a tool is one check', () => {
  assert.equal(judgeTool(ended).passed, 1);
  assert.equal(judgeTool({ ...ended, exitCode: 2 }).failed, 1);
});

verdict('a file may ask for more time', () => {
  assert.is(ownTimeLimitMs('// Purpose.\n// time limit: 300 s\n'), 300_000);
  assert.is(ownTimeLimitMs('// Purpose.\n'), null);
});

verdict.run();

const child = suite('run of a child');

child('keeps both outputs and the exit code', async () => {
  const code = "console.log('one'); console.error('two'); process.exitCode = 3";
  const done = await run(['-e', code], 60_000);
  assert.is(done.exitCode, 3);
  assert.match(done.output, 'one');
  assert.match(done.output, 'two');
});

child('is measured where that is asked for', async () => {
  const code =
    'const until = process.cpuUsage().user + 50_000; while (process.cpuUsage().user < until);';
  const done = await run(['-e', `${code} process.exitCode = 4`], 60_000, { measure: true });
  assert.is(done.exitCode, 4, done.output);
  assert.ok(done.processorMs !== null && done.processorMs >= 50, `${done.processorMs}`);
  assert.is((await run(['-e', ''], 60_000)).processorMs, null);
});

child('ends what passes its limit', async () => {
  const done = await run(['-e', 'setInterval(() => {}, 1000)'], 50);
  assert.ok(done.timedOut);
  assert.is(done.exitCode, null);
});

child('ends what the child left running', async () => {
  const left = 'setInterval(() => {}, 1000)';
  const code = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', '${left}'], { stdio: 'inherit' });
    process.exit(0);`;
  const done = await run(['-e', code], 10_000);
  // What was left holds the pipes open, so only its end lets the run close before the limit.
  assert.not.ok(done.timedOut);
  assert.is(done.exitCode, 0);
});

child.run();
