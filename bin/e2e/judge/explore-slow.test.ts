// The explorer on a slow target: it starts nothing after its time limit, on any machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runExplore } from '../../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from '../testing/chaos-proxy.ts';
import { sandboxed } from '../testing/sandboxed.ts';

const slow = suite('explore a slow target');
const folder = mkdtempSync(join(tmpdir(), 'slow-'));
slow.after(() => rmSync(folder, { recursive: true, force: true }));

interface Tried {
  readonly slowMs: number;
  readonly minutes: number;
  readonly requests: string;
  /** Called with all output so far, whenever there is new output. */
  readonly onOutput?: (output: string, tried: Trying) => void;
  /** Called for each request on arrival. */
  readonly onRequest?: (tried: Trying) => void;
}

interface Trying {
  /** Moves every clock of this process forward by this time. */
  readonly passMs: (ms: number) => void;
  readonly stop: () => void;
}

/** The output of the command, and its exit code. */
async function explored({ slowMs, minutes, requests, onOutput, onRequest }: Tried) {
  const stopping = new AbortController();
  const realNow = performance.now;
  let passedMs = 0;
  const trying: Trying = {
    passMs: (ms) => {
      passedMs += ms;
    },
    stop: () => stopping.abort(),
  };
  let output = '';
  const say = (text: string) => {
    output += text;
    onOutput?.(output, trying);
  };
  const io = { cwd: folder, isTerminal: true, out: say, err: say, stop: stopping.signal };
  return sandboxed({ clock: 'frozen' }, async (target) => {
    const draw = () => {
      onRequest?.(trying);
      return 'slow' as const;
    };
    const proxy = await startChaosProxy({ target, slowMs, draw });
    performance.now = () => realNow.call(performance) + passedMs;
    try {
      // One call at a time in each sequence, so that few calls are in flight.
      const given = { baseUrl: proxy.url, requests, concurrency: '1', minutes };
      const { code } = await runExplore(given, io);
      return { code, said: output };
    } finally {
      performance.now = realNow;
      await proxy.close();
    }
  });
}

/** Sequences played concurrently, each of which may have one call in flight. */
const UNDER_WAY = 4;
const HOUR_MS = 3_600_000;

slow('--minutes ends learning half-way, and comparing at its end', async () => {
  const minutes = 0.04;
  let endMs = Number.POSITIVE_INFINITY;
  let late = 0;
  const { said: output } = await explored({
    ...{ slowMs: 300, minutes, requests: '20000' },
    // The time limit starts before the first output.
    onOutput: () => {
      endMs = Math.min(endMs, performance.now() + minutes * 60_000);
    },
    onRequest: ({ stop }) => {
      if (performance.now() > endMs) late += 1;
      if (late > UNDER_WAY) stop();
    },
  });
  assert.ok(late <= UNDER_WAY, `${late} requests after the time was over`);
  assert.match(output, /\d+ requests?, \d/);
});

slow('nothing is compared where learning took all of the time', async () => {
  const { code, said: output } = await explored({
    ...{ slowMs: 0, minutes: 30, requests: '200' },
    onOutput: (all, { passMs }) => {
      if (all.endsWith('answers the open questions\n')) passMs(HOUR_MS);
    },
  });
  assert.is(code, 3, output);
  assert.match(output, /Nothing was compared: the time was over/);
});

slow.run();
