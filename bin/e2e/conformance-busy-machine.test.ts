// A stalled judge receives timely deliveries late: that is never a deviation of the target.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../commands/conformance/testing/run-judge.ts';
import { startSandbox } from './testing/program.ts';

/** A sandbox in its own process, which runs while the judge is blocked. */
async function withSandbox(play: (url: string) => Promise<void>) {
  const { program: sandbox, ready } = await startSandbox(['--clock', 'frozen']);
  try {
    await play(ready.base_url);
  } finally {
    sandbox.signal('SIGTERM');
    await sandbox.ended;
  }
}

/** Blocks the event loop nearly all the time while `play` runs. */
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

starved('reports no deviation', () =>
  withSandbox(async (baseUrl) => {
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

starved.run();
