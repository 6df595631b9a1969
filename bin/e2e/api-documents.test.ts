// The OpenAPI documents of the API and of the control plane have no lint problem.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openapiDocument } from '../../fixtures/openapi.ts';
import { defaultSettings } from '../../fixtures/settings.ts';
import { otherwise } from '../../fixtures/testing/otherwise.ts';
import { controlDocument } from '../../simulator/control/document.ts';
import { root } from '../dev/root.ts';

interface LintReport {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly location: readonly { readonly pointer: string }[];
  }[];
}

const documents = suite('documents');
const folder = mkdtempSync(join(tmpdir(), 'documents-'));
documents.after(() => rmSync(folder, { recursive: true }));

documents('the only lint problem is that a WebSocket has no 2xx response', async () => {
  const server = { baseUrl: 'http://127.0.0.1:7420', version: '0.1.0' };
  const choices = [defaultSettings, otherwise];
  const texts: Record<string, string> = {
    control: controlDocument(`${server.baseUrl}/_sandbox`),
  };
  for (const [n, settings] of choices.entries()) {
    texts[`api-${n}`] = JSON.stringify(openapiDocument({ ...server, settings }));
  }
  const files = Object.entries(texts).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.json`), text);
    return `${name}.json`;
  });
  const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [redocly, 'lint', '--extends=recommended', '--format=json', ...files];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  // Several reports without a comma between them.
  const reports = stdout.slice(stdout.indexOf('{')).split(/(?<=\})(?=\{)/);
  assert.is(reports.length, files.length, stdout);
  const problems = reports.flatMap((each) => (JSON.parse(each) as LintReport).problems);
  const paths = choices.map(({ events_path: path }) => path.replaceAll('/', '~1'));
  assert.equal(
    problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`).sort(),
    paths.map((path) => `operation-2xx-response #/paths/${path}/get/responses`).sort(),
  );
});

documents.run();
