// Users paste a sample call into their shell, so a token or secret of a saved state must be one
// word, whatever characters it has.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleCalls } from '../../fixtures/sample-calls.ts';
import { createTestSandbox } from '../host/testing/sandbox.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { shellLine } from './coverage.ts';

const line = suite('sample calls as shell lines');
const folder = mkdtempSync(join(tmpdir(), 'shell-lines-'));

const hostile = [
  `'; touch broken #$(touch broken)\`touch broken\`"; touch broken; "`,
  `\\'; touch broken; '{base}'; touch broken; '\${IFS}&& touch broken || !!\ntouch broken\n`,
];

/** Each command prints its arguments instead of running. */
const stubs = `
  curl() { for word in "$@"; do printf '<%s>' "$word"; done; printf '\\n'; }
  node() { cat >/dev/null; echo 1; }
  sleep() { :; }
  sed() { cat >/dev/null; echo 2; }
`;

/** All tokens and secrets of the world are this text. */
async function withSecrets(text: string): Promise<Sandbox> {
  const sandbox = await createTestSandbox();
  const { tokens, credentials } = sandbox.first.world;
  for (const [key, token] of tokens)
    (tokens as Map<string, unknown>).set(key, { ...token, token: text });
  for (const [key, each] of credentials)
    (credentials as Map<string, unknown>).set(key, { ...each, client_secret: text });
  return sandbox;
}

if (process.platform !== 'win32') {
  line('a hostile token or secret is one word of each line, and none of it runs', async () => {
    for (const text of hostile) {
      const sandbox = await withSecrets(text);
      // The lines that contain a token or a secret.
      const lines = [...sampleCalls]
        .map(([id, order]) => shellLine(sandbox.first, id, order))
        .filter((each) => each.includes('touch broken'));
      assert.ok(lines.length > 20, `${lines.length} lines`);
      await sandbox.close();
      const output = execFileSync('sh', ['-c', `${stubs}\n${lines.join('\n')}\nwait`], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, SANDBOX_BASE_URL: 'BASE', SANDBOX_TOKEN: 'T' },
      });
      assert.not.ok(existsSync(join(folder, 'broken')), text);
      assert.ok(output.includes(`<Authorization: Bearer ${text}>`), text);
    }
  });
}

line.after(() => rmSync(folder, { recursive: true }));
line.run();
