// The part of the tests that meets Node itself: commands, sockets, files, signals, streams.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { compileTests } from '../test/compile.ts';
import { run as runTest } from '../test/run.ts';
import { defaultLimitMs, judgeFile, ownTimeLimitMs, patience } from '../test/verdict.ts';
import { type Check, nodeIn, nodes, run } from './consumer.ts';

const files = [
  'bin/e2e/bin-files.test.ts',
  'bin/e2e/conformance-built.test.ts',
  'bin/e2e/exec.test.ts',
  'bin/e2e/start.test.ts',
  'simulator/index.test.ts',
  'simulator/msw.test.ts',
  'simulator/webhooks.test.ts',
  'simulator/host/delivery/order.test.ts',
  'simulator/host/storage/state-file.test.ts',
  'simulator/transports/events-channel.test.ts',
  'simulator/transports/fetch.test.ts',
  'simulator/transports/serve.test.ts',
];

export async function* shortSuite(folder: string): AsyncGenerator<Check> {
  yield refusedBy18(await run(nodeIn(folder, 'node-18'), ['bin/sandbox.js', 'start'], root));
  const argsOf = await compileTests(files);
  for (const name of Object.keys(nodes).filter((each) => each !== 'node-18')) {
    const node = nodeIn(folder, name);
    const version = (await run(node, ['--version'], root)).said.trim();
    for (const file of files) {
      const own = ownTimeLimitMs(readFileSync(join(root, file), 'utf8'));
      const done = await runTest(argsOf(file), patience * (own ?? defaultLimitMs), { node });
      const { failed, problem } = judgeFile(done);
      yield {
        what: `Node ${version} ${file}`,
        problem: failed === 0 ? null : `${done.output}\n${problem}`,
      };
    }
  }
}

function refusedBy18({ code, said }: { readonly code: number; readonly said: string }): Check {
  const told = code === 2 && /^sandbox: needs Node 20\.19 or newer.*\n$/.test(said);
  return { what: 'Node 18 is told what is needed', problem: told ? null : `exit ${code}: ${said}` };
}
