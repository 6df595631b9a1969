// The exit codes of a judge: usage errors, internal errors, and signals.
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endSignals } from './end-signals.ts';
import { runInterruptibly, systemIo, UsageError } from './io.ts';

const judges = suite('run interruptibly');

async function run(work: (stop: AbortSignal) => Promise<number>) {
  const ran = { code: 0, err: '' };
  await runInterruptibly(
    {
      ...systemIo(),
      err: (text) => {
        ran.err += text;
      },
      finish: (code) => {
        ran.code = code;
      },
    },
    work,
  );
  return ran;
}

judges('the work’s own exit code is kept', async () => {
  assert.equal(await run(async () => 4), { code: 4, err: '' });
});

judges('a usage error is passed on to the program', async () => {
  let thrown: unknown;
  await run(async () => {
    throw new UsageError('--only: nothing matches');
  }).catch((error: unknown) => {
    thrown = error;
  });
  assert.instance(thrown, UsageError);
});

judges('an internal error is 5, and never 1', async () => {
  const { code, err } = await run(async () => {
    throw new TypeError('of our own');
  });
  assert.is(code, 5);
  assert.match(err, /^the judge failed: TypeError: of our own\n/);
});

for (const signal of endSignals) {
  judges(`${signal} is passed to the work, which ends gracefully`, async () => {
    const before = process.listenerCount(signal);
    const { code, err } = await run(async (stop) => {
      const aborted = once(stop, 'abort');
      // Only Windows can send this signal; Node reports it like any other.
      if (signal === 'SIGBREAK') process.emit(signal);
      else process.kill(process.pid, signal);
      await aborted;
      return 130;
    });
    assert.is(code, 130);
    assert.match(err, 'Interrupted: reporting what is known; once more to end at once.');
    assert.is(process.listenerCount(signal), before);
  });
}

judges.run();
