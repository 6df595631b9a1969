// `sandbox info`: prints the banner of a running sandbox.
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { defaultPort } from '../../../fixtures/constants.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { addHelp } from '../help-text.ts';
import { UsageError } from '../io.ts';
import { bannerLines } from './banner.ts';
import type { ReadyEvent } from './ready.ts';

type Given = Readonly<{ port: string; controlUrl?: string; json?: boolean }>;

export function defineInfo(command: Command): void {
  command
    .option('--port <n>', 'its port on this machine', String(defaultPort))
    .option('--control-url <url>', 'its control plane, if it is on another machine')
    .option('--json', 'print them as JSON');
  addHelp(command, {
    words: ['If the control plane requires a token, set SANDBOX_CONTROL_TOKEN.'],
    examples: ['npx sandbox info', 'npx sandbox info --port 8080 --json'],
  });
  command.action(async () => {
    const { port, controlUrl, json } = command.opts<Given>();
    const info = await readInfo(controlUrl ?? `http://127.0.0.1:${port}/_sandbox`);
    process.stdout.write(`${json ? jsonText(info) : bannerLines(info).join('\n')}\n`);
  });
}

async function readInfo(controlUrl: string): Promise<ReadyEvent> {
  if (parseUrl(controlUrl) === null) {
    throw new UsageError(`--port or --control-url: "${controlUrl}" is not a URL`);
  }
  const { SANDBOX_CONTROL_TOKEN: token } = process.env;
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  try {
    const response = await fetch(`${controlUrl.replace(/\/$/, '')}/info`, { headers });
    if (response.ok) return (await response.json()) as ReadyEvent;
    const remedy = response.status === 401 ? ': set SANDBOX_CONTROL_TOKEN' : '';
    throw new UsageError(`${controlUrl} responds with ${response.status}${remedy}`);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    const remedy = 'start one with npx sandbox start, or give its --port';
    throw new UsageError(`no sandbox responds at ${controlUrl}: ${remedy}`);
  }
}
