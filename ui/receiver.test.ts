// A receiver is judged by a click, and its report is read.
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findChromium,
  type Looked,
  launch,
  openPage,
  type Served,
  startSandbox,
} from './testing/dashboard-page.ts';

const receiver = suite('dashboard: a receiver is judged');
const executable = findChromium();

interface Bench {
  browser: Browser;
  served: Served;
  server: Server;
  looked: Looked;
  /** Signs like the platform, but never looks at the time. */
  secret: string;
}

async function listen(bench: Bench): Promise<number> {
  bench.server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const header = String(request.headers['x-webhook-signature'] ?? '');
    const parts = header.split(',').map((part) => part.trim().split('='));
    const t = parts.find(([key]) => key === 't')?.[1] ?? '';
    const mac = createHmac('sha256', bench.secret).update(`${t}.`).update(Buffer.concat(chunks));
    const right = mac.digest('hex');
    const genuine = parts.some(([key, value]) => key === 'v1' && value === right);
    response.writeHead(genuine ? 204 : 400).end();
  });
  await new Promise<void>((resolve) => bench.server.listen(0, '127.0.0.1', resolve));
  return (bench.server.address() as AddressInfo).port;
}

if (executable === null) {
  receiver.skip('Chromium is not there');
} else {
  const bench = {} as Bench;

  receiver.before(async () => {
    const port = await listen(bench);
    bench.served = await startSandbox('--forward-to', `http://127.0.0.1:${port}/hooks`);
    const { subscription } = (await bench.served.ask('GET', 'info')) as {
      subscription: { id: number; secret: string };
    };
    bench.secret = subscription.secret;
    bench.browser = await launch(executable);
    bench.looked = await openPage(
      bench.browser,
      `${bench.served.base}/#/webhooks/${subscription.id}`,
    );
  });

  receiver.after(async () => {
    await bench.browser?.close();
    bench.server?.close();
    bench.server?.closeAllConnections();
    await bench.served?.stop();
  });

  receiver('what it fails is told with its proof, and what it passes', async () => {
    const { page } = bench.looked;
    await page.getByRole('button', { name: 'Judge the receiver' }).click();
    await page.locator('.badge.bad', { hasText: 'fails checks' }).waitFor();
    const panel = page.getByRole('region', { name: 'Is the receiver right?' });
    assert.match(
      await panel.getByRole('status').innerText(),
      /: 13 failed, 2 to look at, \d+ passed\.$/,
    );
    await panel.getByText('a delivery signed a day ago').click();
    const told = await panel.innerText();
    assert.match(told, 'an answer other than 2xx');
    assert.match(told, 'status 204');
    assert.match(told, 'Refuse when t is more than five minutes from your clock');
    assert.match(told, 'x-webhook-signature: t=');
    assert.not.match(told, bench.secret);
    await panel.getByText(/^Passed: \d+$/).click();
    await panel.getByText('a delivery signed now').first().waitFor();
  });

  receiver('it is for everybody, and fits a phone', async () => {
    const { page } = bench.looked;
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults;
    assert.equal(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`),
      [],
    );
    await page.setViewportSize({ width: 390, height: 844 });
    assert.is(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  receiver('one that is not forwarded to this machine is not judged, and why', async () => {
    const { page } = bench.looked;
    const { forwards } = (await bench.served.ask('GET', 'forwards')) as {
      forwards: { from: string }[];
    };
    const from = encodeURIComponent(forwards[0]?.from ?? '');
    await bench.served.ask('DELETE', `forwards?from=${from}`);
    await page.getByRole('button', { name: 'Judge the receiver' }).click();
    const panel = page.getByRole('region', { name: 'Is the receiver right?' });
    await panel.getByRole('alert').getByText('is not on this machine').waitFor();
  });

  receiver('the page never complained', () => {
    assert.equal(bench.looked.complaints, []);
  });
}

receiver.run();
