// The built `conformance` program in a shell: exit codes, standard output and error, and Ctrl-C.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from '../commands/conformance/testing/run-judge.ts';
import { CONFORMANCE, Program, run } from './testing/program.ts';
import { sandboxed } from './testing/sandboxed.ts';

const conformance = (args: readonly string[]) =>
  run([CONFORMANCE, ...args], { env: { GITHUB_ACTIONS: '' } });

const built = suite('the built conformance program');

const CALLS: [args: string[], code: number, words: RegExp][] = [
  [['--help'], 0, /Examples:/],
  [['--version'], 0, /^\d+\.\d+\.\d+/],
  [['explain', 'bulk-row-without-reference'], 0, /sends, as played on a sandbox\n.*POST/],
  [['receiver', '--urll', 'http://x'], 2, /unknown option '--urll'\n\(Did you mean --url\?\)/],
  [['run', '--token', 'x'], 2, /\(Did you mean --token-env <name>\?\)/],
  [['explain', 'credentials.frim'], 2, /did you mean credentials.firm\?/],
  [['init', './'], 2, /\.\/ is a folder/],
];
for (const [args, code, words] of CALLS) {
  built(`conformance ${args.join(' ')}: exit ${code}`, async () => {
    const ended = await conformance(args);
    assert.is(ended.code, code, ended.err);
    assert.match(ended.out + ended.err, words);
  });
}

built('with --json standard output is only JSON', () =>
  sandboxed({ clock: 'frozen' }, async (url) => {
    const ended = await conformance(['run', '--base-url', url, '--only', 'BULK-6', '--json']);
    assert.is(ended.code, 0, ended.err);
    assert.is(JSON.parse(ended.out).verdict, 'conformant');
    assert.match(ended.err, 'Judging');
  }),
);

built('Ctrl-C: the report has what is done, exit 130', () =>
  sandboxed({ clock: 'frozen', plan: 'standard' }, (url, sandbox) =>
    withFolder(async (cwd) => {
      const { token } = sandbox.credential('firm');
      const credentials = { firm: { token, brand_id: '10' } };
      writeFileSync(join(cwd, 'p.json'), JSON.stringify({ credentials }));
      const args = ['run', '--base-url', url, '--control-url', 'none', '--profile', 'p.json'];
      const program = new Program([CONFORMANCE, ...args, '--report', 'json=r.json'], { cwd });
      await program.says('Judging');
      setTimeout(() => program.signal('SIGINT'), 500);
      const ended = await program.ended;
      assert.is(ended.code, 130, ended.err);
      assert.match(ended.err, 'Interrupted');
      assert.match(ended.out, 'interrupted');
      assert.not.ok(ended.out.includes(String(token)));
    }),
  ),
);

built.run();
