// The script of a difference that the explorer has found shows it again by curl alone: on a target
// that still deviates it ends with 1, on one that does not with 0.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readExploreOptions } from '../../commands/conformance/explore-options.ts';
import { exploreTarget } from '../../commands/conformance/explore-target.ts';
import type { JudgeIo } from '../../commands/conformance/io.ts';
import { replay } from '../../commands/conformance/replay.ts';
import { playScript, served } from '../testing/bent-sandbox.ts';

const explored = suite('scripts of the explorer');
const folder = mkdtempSync(join(tmpdir(), 'explored-'));
explored.after(() => rmSync(folder, { recursive: true, force: true }));

const io: JudgeIo = {
  ...{ env: {}, cwd: folder, version: '0.0.0', isTerminal: false, color: false, columns: 100 },
  out: () => undefined,
  err: () => undefined,
  nowMs: () => Date.now(),
};

/** The script of what was found first on a sandbox that is bent so. */
async function scriptOf(deviation: string): Promise<string> {
  const file = `${deviation}.json`;
  writeFileSync(join(folder, 'model.json'), '{}');
  await served([deviation], async (baseUrl) => {
    const given = { baseUrl, model: 'model.json', requests: '250', report: [`json=${file}`] };
    const options = readExploreOptions(given, io.env);
    assert.is(await exploreTarget(options, io, new AbortController().signal), 1);
  });
  return replay(file, 'd1', io);
}

explored(
  'a transaction that answers as it was: seen again, and not where it is right',
  async () => {
    const script = await scriptOf('approve-answers-old-state');
    const bent = await playScript(script, ['approve-answers-old-state']);
    assert.is(bent.code, 1, bent.out);
    const right = await playScript(script, []);
    assert.is(right.code, 0, right.out);
  },
);

explored.run();
