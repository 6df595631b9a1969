// The explorer on a slow target: it starts nothing after its time limit, on any machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Given, runExplore } from '../../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from '../testing/chaos-proxy.ts';
import { sandboxed } from '../testing/sandboxed.ts';

const slow = suite('explore a slow target');
const folder = mkdtempSync(join(tmpdir(), 'slow-'));
slow.after(() => rmSync(folder, { recursive: true, force: true }));

/** Moves every clock of this process forward by this time. */
let passedMs = 0;

/** The output of the command, and its exit code, behind a gateway that delays each response. */
async function explored(
  { slowMs, ...given }: Given & { readonly slowMs: number },
  onOutput: (output: string) => void,
  onRequest: () => void = () => {},
  stop = new AbortController().signal,
) {
  const realNow = performance.now;
  let output = '';
  const print = (text: string) => {
    output += text;
    onOutput(output);
  };
  return sandboxed({ clock: 'frozen' }, async (target) => {
    const draw = () => {
      onRequest();
      return 'slow' as const;
    };
    const proxy = await startChaosProxy({ target, slowMs, draw });
    performance.now = () => realNow.call(performance) + passedMs;
    try {
      // One call at a time in each sequence, so that few calls are in flight.
      const options = { baseUrl: proxy.url, concurrency: '1', ...given };
      const io = { cwd: folder, isTerminal: true, out: print, err: print, stop };
      const { code } = await runExplore(options, io);
      return { code, output };
    } finally {
      passedMs = 0;
      performance.now = realNow;
      await proxy.close();
    }
  });
}

/** Sequences played concurrently, each of which may have one call in flight. */
const UNDER_WAY = 4;

slow('--minutes ends learning half-way, and comparing at its end', async () => {
  const minutes = 0.04;
  const stop = new AbortController();
  let endMs = Number.POSITIVE_INFINITY;
  let late = 0;
  // The time limit starts before the first output.
  const onOutput = () => {
    endMs = Math.min(endMs, performance.now() + minutes * 60_000);
  };
  const onRequest = () => {
    if (performance.now() > endMs) late += 1;
    if (late > UNDER_WAY) stop.abort();
  };
  const given = { slowMs: 300, minutes, requests: '20000' };
  const { output } = await explored(given, onOutput, onRequest, stop.signal);
  assert.ok(late <= UNDER_WAY, `${late} requests after the time was over`);
  assert.match(output, /\d+ requests?, \d/);
});

slow('nothing is compared where learning took all of the time', async () => {
  const { code, output } = await explored({ slowMs: 0, minutes: 30, requests: '200' }, (all) => {
    if (all.endsWith('answers the open questions\n')) passedMs = 3_600_000;
  });
  assert.is(code, 3, output);
  assert.match(output, /Nothing was compared: the time was over/);
});

slow.run();
