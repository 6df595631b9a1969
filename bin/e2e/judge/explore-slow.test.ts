// The explorer on a target that takes its time: nothing is laid to it, and the command ends when it
// was told to.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readExploreOptions } from '../../commands/conformance/explore-options.ts';
import { exploreTarget } from '../../commands/conformance/explore-target.ts';
import type { JudgeIo } from '../../commands/conformance/io.ts';
import { served } from '../testing/bent-sandbox.ts';
import { startChaosProxy } from '../testing/chaos-proxy.ts';

const slow = suite('explore a slow target');
const folder = mkdtempSync(join(tmpdir(), 'slow-'));
slow.after(() => rmSync(folder, { recursive: true, force: true }));

/** What the command says, its exit code, and how long it took. */
async function explored(slowMs: number, given: Readonly<Record<string, string>>) {
  const said: string[] = [];
  const io: JudgeIo = {
    ...{ env: {}, cwd: folder, version: '0.0.0', isTerminal: true, color: false, columns: 100 },
    out: (text) => said.push(text),
    err: (text) => said.push(text),
    nowMs: () => Date.now(),
  };
  return served([], async (target) => {
    const proxy = await startChaosProxy({ target, slowMs, draw: () => 'slow' });
    try {
      const options = readExploreOptions({ baseUrl: proxy.url, ...given }, io.env);
      const fromMs = performance.now();
      const code = await exploreTarget(options, io, new AbortController().signal);
      return { code, said: said.join(''), tookMs: performance.now() - fromMs };
    } finally {
      await proxy.close();
    }
  });
}

/** What is under way is answered, worlds are ended, and the report is written. */
const ENDING_MS = 10_000;

slow('--minutes is of the whole, learning too', async () => {
  const { said, tookMs } = await explored(400, { minutes: '0.1', requests: '20000' });
  assert.ok(tookMs < 6_000 + ENDING_MS, `${Math.round(tookMs)} ms`);
  assert.match(said, /Learning how/);
  assert.match(said, /\d+ requests, \d/);
});

slow('what is waited for is said, and where no time is left to compare', async () => {
  const { code, said } = await explored(5_000, { minutes: '0.1', requests: '20000' });
  assert.match(said, /waiting [34]\.\d s for [A-Z]+ \/api\/v1\//);
  assert.is(code, 3, said);
  assert.match(said, /Nothing was compared: the time was over/);
});

slow.run();
