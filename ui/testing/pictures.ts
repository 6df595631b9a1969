// `npx tsx ui/testing/pictures.ts`: takes the pictures of the documents from the real page, after a
// typical session of a partner developer. The client judge runs the example of its guide.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import {
  depositOf,
  findChromium,
  launch,
  openPage,
  personOf,
  release,
  type Served,
  startSandbox,
} from './dashboard-page.ts';

const root = join(import.meta.dirname, '../..');
/** The size limit of a picture, because large pictures load slowly. */
const maxBytes = 120_000;
/** A fixed time, so that a picture changes only with the page. */
const clock = '2026-03-02T09:30:00Z';

async function main(): Promise<void> {
  const executable = findChromium();
  if (executable === null) throw new Error('Chromium is not there: set CHROMIUM');
  const receiver = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const served = await startSandbox('--clock', clock);
  const browser = await launch(executable);
  try {
    await playSession(served, (receiver.address() as AddressInfo).port);
    await takeAll(browser, served);
  } finally {
    await release(browser);
    await served.stop();
    receiver.close();
    receiver.closeAllConnections();
  }
}

async function playSession({ ask, call }: Served, port: number): Promise<void> {
  const from = 'https://hooks.partner.example';
  await ask('PUT', 'forwards', { from, to: `http://127.0.0.1:${port}` });
  await call('POST', 'webhooks', { url: `${from}/in`, event_categories: ['account'] });
  const ada = personOf('ada');
  await call('POST', 'accounts', ada);
  await ask('POST', 'clock/advance', { by_ms: 45_000 });
  await call('GET', 'accounts/1007/status');
  await call('POST', 'transactions', { ...depositOf('first-deposit'), amount: '250.00' });
  await call('POST', 'transactions/9013/approve?account_id=1001');
  await ask('POST', 'clock/advance', { by_ms: 2000 });
  await call('POST', 'transactions/9013/reject?account_id=1001', { reason: 'too late' });
  await call('POST', 'accounts', { ...ada, client_reference_id: 'grace', email: 'grace' });
}

async function takeAll(browser: Browser, served: Served): Promise<void> {
  const { page, settled } = await openPage(browser, `${served.base}/`);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const show = async (place: string, height: number) => {
    await page.setViewportSize({ width: 1180, height });
    await page.goto(`${served.base}/#/${place}`);
    await page.locator('.chosen .panel').first().waitFor();
    await settled();
  };
  const { requests } = await served.ask('GET', 'requests?status=409&limit=1');
  await show(`timeline/requests/${requests[0].id}`, 640);
  await take(page, 'request');
  const { deliveries } = await served.ask('GET', 'deliveries?limit=1000');
  const tried = deliveries.findLast(
    ({ status, attempts }: { status: string; attempts: unknown[] }) =>
      status === 'pending' && attempts.length > 1,
  );
  await show(`timeline/deliveries/${tried.id}`, 640);
  await take(page, 'delivery');
  await page.setViewportSize({ width: 1180, height: 700 });
  // Leave the dashboard, because its content security policy would apply to the report too.
  await page.goto('about:blank');
  await page.setContent(judgeExample());
  await take(page, 'client');
}

/** The report on the example of the guide, as a reader gets it. */
function judgeExample(): string {
  const guide = readFileSync(join(root, 'conformance/client/README.md'), 'utf8');
  const code = /^```js\n(\/\/ open-position\.mjs:[\s\S]*?)^```$/m.exec(guide)?.[1];
  if (code === undefined) throw new Error('the guide shows no open-position.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
  try {
    writeFileSync(join(folder, 'open-position.mjs'), code);
    const checks = ['--only', 'CLT-answer-lost', 'CLT-large-ids', 'CLT-amounts'];
    const report = ['--report', 'html=client.html'];
    const command = ['client', ...checks, ...report, '--', 'node', 'open-position.mjs'];
    const judge = [join(root, 'bin/conformance.js'), ...command];
    // The example fails a check on purpose, to show a failure.
    const { status } = spawnSync(process.execPath, judge, { cwd: folder, stdio: 'ignore' });
    if (status !== 1) throw new Error(`the judge ended with ${status}`);
    return readFileSync(join(folder, 'client.html'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function take(page: Page, name: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 84 });
  await devtools.detach();
  const bytes = Buffer.from(data, 'base64');
  console.log(`${name}: ${bytes.length.toLocaleString('en')} bytes`);
  if (bytes.length > maxBytes) throw new Error(`${name} is larger than ${maxBytes} bytes`);
  writeFileSync(join(root, `ui/screenshots/${name}.webp`), bytes);
}

await main();
