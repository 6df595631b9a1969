// A machine that gives the judge no turns makes late what was sent in time: that is never held
// against the target, and what the target does wrong is seen all the same once there are turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../commands/conformance/testing/run-judge.ts';
import { root } from '../dev/root.ts';

/** A sandbox in a program of its own, which goes on while the judge has no turn. */
async function withSandbox(args: readonly string[], play: (url: string) => Promise<void>) {
  const main = join(root, 'bin/sandbox.js');
  const start = [main, 'start', '--port', '0', '--json', '--clock', 'frozen'];
  const child = spawn(process.execPath, [...start, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    await play(JSON.parse(String(line)).base_url);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/** Takes all turns but one now and then, for as long as `play` takes. */
async function starving<T>(blockMs: number, play: () => Promise<T>): Promise<T> {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let over = false;
  const block = () => {
    if (over) return;
    Atomics.wait(cell, 0, 0, blockMs);
    setTimeout(block, 15);
  };
  block();
  try {
    return await play();
  } finally {
    over = true;
  }
}

const starved = suite('a starved judge');

const SENSITIVE = ['evt-brands', 'evt-firms', 'evt-disabled'];

starved('calls nothing a deviation', () =>
  withSandbox([], async (baseUrl) => {
    const { report, code } = await starving(350, () =>
      runJudge({ baseUrl, only: SENSITIVE, json: true }),
    );
    const bad = report.rules.flatMap(({ id, verdict, findings }) =>
      verdict === 'deviates' ? [`${id}: ${findings[0]?.actual}`] : [],
    );
    assert.equal(bad, []);
    assert.ok([0, 3, 4].includes(code), `exit ${code}`);
  }),
);

starved('sees what is wrong once it has turns again', () =>
  withSandbox(['--deviate', 'firm-wide-receives-unbranded-only'], async (baseUrl) => {
    const { report } = await runJudge({ baseUrl, only: SENSITIVE, json: true });
    assert.is(report.rules.find(({ id }) => id === 'EVT-12')?.verdict, 'deviates');
  }),
);

starved.run();
