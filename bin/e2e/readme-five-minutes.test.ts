// The five minutes of the README, run in a shell next to a sandbox; and every link of every guide.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox } from '../../simulator/index.ts';
import { withServer } from '../commands/conformance/testing/run-judge.ts';
import { filesUnder, root } from '../dev/root.ts';
import { blocksOf } from './testing/guides.ts';
import { sandboxed } from './testing/sandboxed.ts';

const run = promisify(execFile);
const readme = suite('README');
const text = readFileSync(join(root, 'README.md'), 'utf8');

readme('its five minutes are answered as it says', () => {
  const [code = '', ...others] = blocksOf('README.md', 'sh').filter((block) =>
    block.startsWith('URL='),
  );
  assert.is(others.length, 0);
  return sandboxed({}, async (base_url, sandbox) => {
    const script = code.replace('URL=http://127.0.0.1:7420', `URL=${base_url}`);
    const { stdout } = await run('bash', ['-c', script]);
    const statuses = [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) =>
      Number(status),
    );
    assert.equal(statuses.slice(0, 7), [201, 201, 200, 412, 201, 200, 200]);
    assert.match(statuses.slice(7).join(' '), /^(200 ){5,}429/);
    assert.match(stdout, /^retry-after: 1\r?$/m);
    assert.match(stdout, '"status":"settled"');
    const { requests } = await sandbox.control.listRequests();
    // The reads at the end exceed the limit on purpose.
    const expected = requests.filter(({ operation }) => operation !== 'listAccounts');
    const hints = expected.flatMap(({ hints }) => hints);
    assert.equal(hints, []);
  });
});

readme(
  'every curl command of the guides succeeds, and the delivery that failed is resent',
  async () => {
    const received: string[] = [];
    const receiver: RequestListener = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push((JSON.parse(Buffer.concat(chunks).toString()) as { kind: string }).kind);
      response.writeHead(204).end();
    };
    await withServer(receiver, async (to) => {
      const forwards = [{ from: 'https://crm.northwind.example', to }];
      await sandboxed({ clock: 'frozen', plan: 'pro', forwards }, async (url, sandbox) => {
        for (const file of ['simulator/README.md', 'simulator/TROUBLESHOOTING.md']) {
          const scripts = blocksOf(file, 'sh').filter((code) => code.includes('$URL'));
          assert.ok(scripts.length > 0);
          for (const script of scripts) {
            // `curl -f` ends with 22 when the status is 400 or above.
            const strict = `set -euo pipefail; curl() { command curl -f "$@"; }\n${script}`;
            const { token: TOKEN } = sandbox.credential('brand-a');
            await run('bash', ['-c', strict], { env: { ...process.env, URL: url, TOKEN } });
          }
        }
      });
    });
    assert.is(received[0], 'transaction.cancelled');
  },
);

readme('the world file of the guide is a starting world', async () => {
  const [file = '', ...others] = blocksOf('simulator/README.md', 'json').filter((block) =>
    block.includes('"firms"'),
  );
  assert.is(others.length, 0);
  const sandbox = await createSandbox({ world: JSON.parse(file) });
  assert.is((await sandbox.control.getInfo()).counts.accounts, 101);
  await sandbox.close();
});

readme('it is short, and begins with what works in an empty clone', () => {
  assert.ok(text.trimEnd().split('\n').length <= 120);
  assert.match(blocksOf('README.md', 'sh')[0] ?? '', /^npm ci && npx .*\nnpm ci && npm test\s*$/);
});

const guides = ['README.md', ...['bin', 'simulator', 'conformance', 'fixtures'].flatMap(filesUnder)]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, words: readFileSync(join(root, path), 'utf8') }));

readme('every link of every guide leads somewhere', () => {
  assert.ok(guides.length >= 5);
  for (const { path, words } of guides) {
    for (const [, target = ''] of words.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', heading] = target.split('#');
      const there = file === '' ? path : join(dirname(path), file);
      assert.ok(existsSync(join(root, there)), `${path}: ${target}`);
      if (heading === undefined) continue;
      const headings = readFileSync(join(root, there), 'utf8').matchAll(/^#+ (.*)$/gm);
      const anchors = [...headings].map(([, title = '']) => anchorOf(title));
      assert.ok(anchors.includes(heading), `${path}: ${target}`);
    }
  }
});

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replaceAll(' ', '-');
}

readme.run();
