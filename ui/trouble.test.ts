// The dashboard under difficult conditions: hostile text, other tabs, a lost server, long journals.
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  depositOf,
  eventually,
  openPage,
  personOf,
  type Served,
  startBench,
  startSandbox,
} from './testing/dashboard-page.ts';

const trouble = suite('dashboard: trouble');

const hostile =
  `"'><img src=x onerror="window.struck=1"><script>window.struck=1</script><svg onload=struck=1>` +
  `<a href="javascript:window.struck=1" style="position:fixed;inset:0">x</a></style><style>*{}`;

/** Members that every object would have if the page merged them into a prototype. */
const pollution = {
  ['__proto__']: { struck: 1 },
  constructor: { prototype: { struck: 1 } },
  url: 'javascript:window.struck=1',
  html: 'data:text/html,<script>parent.struck=1</script>',
};

/** Puts hostile text into every field in which the platform stores text of clients and operators. */
async function plant({ ask, call, base }: Served): Promise<void> {
  await call('POST', 'accounts', {
    ...personOf('hostile'),
    client_reference_id: `ref ${hostile}`,
    first_name: `first ${hostile}`,
    last_name: `last ${hostile}`,
    country: hostile,
    language: hostile,
  });
  const { id } = await call('POST', 'transactions', depositOf(`t ${hostile}`));
  await call('POST', `transactions/${id}/reject?account_id=1001`, { reason: hostile });
  const { hostname } = new URL('https://hooks.partner.example');
  await ask('PUT', `dns/${hostname}`, { addresses: ['93.184.216.34'] });
  await ask('PUT', 'forwards', { from: `https://${hostname}`, to: `${base}/nowhere?${'<img>'}` });
  await call('POST', 'webhooks', {
    url: `https://${hostname}/in?<img src=x onerror=window.struck=1>`,
    event_categories: ['account'],
  });
  await ask('POST', 'credentials', { name: `name ${hostile}`, scopes: [] });
  await ask('POST', 'events', {
    category: 'account',
    kind: `kind ${hostile}`,
    data: { hostile, pollution },
  });
  await ask('POST', 'faults', { match: { path: `/${hostile}` }, effect: { kind: 'hang' } });
  await fetch(`${base}/api/v1/${encodeURI(hostile)}`, {
    headers: { 'x-hostile': hostile, 'idempotency-key': hostile, 'user-agent': hostile },
  });
}

/** Elements that markup in the text would create; the dashboard itself has none of these. */
const foreign = [
  ...['img', 'script', 'iframe', 'style', 'object', '[onload]', '[onerror]'],
  ...['a:not([href^="#/"])', '[style*="position"]'],
]
  .map((each) => `#app ${each}`)
  .join();

async function foreignElements(page: Page): Promise<number> {
  const isInjected = await page.evaluate(() => 'struck' in window);
  return (await page.locator(foreign).count()) + Number(isInjected);
}

const bench = startBench(trouble);

if (bench !== null) {
  const open = (place: string) => openPage(bench.browser, `${bench.served.base}/${place}`);

  trouble('markup in text is shown as text in every view', async () => {
    await plant(bench.served);
    const { page, settled, complaints } = await open('');
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${bench.served.base}/`)) elsewhere.push(request.url());
    });
    const { requests } = await bench.served.ask('GET', 'requests?limit=8');
    const { last_seq } = await bench.served.ask('GET', 'events?limit=1');
    const { deliveries } = await bench.served.ask('GET', 'deliveries');
    const places: string[] = [
      ...requests.map(({ id }: { id: string }) => `timeline/requests/${id}`),
      `timeline/events/${last_seq}`,
      `timeline/deliveries/${deliveries.findLast(({ id }: { id: unknown }) => id !== null).id}`,
      ...['accounts', 'accounts/1007', 'accounts/transactions/9013', 'webhooks', 'api'],
      ...['webhooks/3', 'faults', 'access', 'worlds', 'rules', 'rules/questions'],
    ];
    let output = '';
    for (const place of places) {
      await page.goto(`${bench.served.base}/#/${place}`);
      await page.locator('main .panel, main .empty').first().waitFor();
      // A list is loaded again with every view.
      await settled();
      output += await page.locator('main').innerText();
      assert.is(await foreignElements(page), 0, place);
    }
    for (const word of ['ref', 'first', 'last', 't', 'name', 'kind']) {
      assert.ok(output.includes(`${word} ${hostile}`), `${word} is nowhere to be read`);
    }
    assert.equal([...complaints, ...elsewhere], []);
    await bench.served.ask('DELETE', 'faults');
    await page.close();
  });

  trouble('a change in one tab is shown in the other', async () => {
    const one = await open('#/faults');
    const other = await open('#/timeline');
    await one.page.getByRole('button', { name: 'Hang the next request' }).click();
    await other.page.getByText('1 fault is on.').waitFor();
    await other.page.getByRole('button', { name: 'All off' }).click();
    await one.page.getByText('None: everything works as it should.').waitFor();
    const clock = () => other.page.locator('section.clock time').innerText();
    const before = await clock();
    await one.page.getByRole('button', { name: 'Advance by an hour' }).click();
    await eventually(async () => (await clock()) !== before, true);
    assert.equal([...one.complaints, ...other.complaints], []);
    await one.page.close();
    await other.page.close();
  });

  trouble('worlds are created, viewed and deleted', async () => {
    const { page, complaints } = await open('#/worlds');
    await page.getByLabel('Name', { exact: true }).first().fill('second');
    await page.getByRole('button', { name: 'Create the world' }).click();
    await page.locator('.top').getByLabel('World').waitFor();
    assert.match(page.url(), /#\/@second\/timeline$/);
    await page.getByRole('link', { name: 'Worlds', exact: true }).click();
    await page.getByRole('button', { name: 'Delete second' }).click();
    await page.getByRole('button', { name: 'Yes, delete second' }).click();
    await page.getByText('default, this one').waitFor();
    assert.equal(complaints, []);
    await page.close();
  });

  trouble('a world is saved, restored and copied', async () => {
    const { page, complaints } = await open('#/worlds');
    const count = async () => (await bench.served.ask('GET', 'info')).counts.accounts;
    const before = await count();
    const snapshots = page.getByRole('region', { name: 'Snapshots of the world “default”' });
    await snapshots.getByLabel('Name', { exact: true }).fill('before');
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByText('The snapshot is kept.').waitFor();
    await bench.served.call('POST', 'accounts', personOf('kept-1'));
    assert.is(await count(), before + 1);
    await page.getByRole('button', { name: 'Restore before' }).click();
    await page.getByRole('button', { name: 'Yes, go back to before' }).click();
    await page.getByText('The world is as it was in before.').waitFor();
    assert.is(await count(), before);
    await page.getByRole('button', { name: 'Delete snapshot before' }).click();
    await page.getByRole('button', { name: 'Yes, delete before' }).click();
    await page.getByText('before is deleted.').waitFor();
    assert.equal(await bench.served.ask('GET', 'snapshots'), { snapshots: [] });
    await page.getByRole('button', { name: 'Copy default' }).click();
    await page.locator('.top').getByLabel('World').waitFor();
    const [, copy = ''] = /#\/@(.+)\/timeline$/.exec(page.url()) ?? [];
    await bench.served.ask('DELETE', `worlds/${copy}`);
    assert.equal(complaints, []);
    await page.close();
  });

  trouble('hundreds of calls are shown a page of rows at a time', async () => {
    const total = 500;
    const atOnce = 25;
    let left = total;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        await (await fetch(`${bench.served.base}/api/v1/nowhere/${left}`)).arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const { page, complaints } = await open('#/timeline');
    await page.locator('.line').first().waitFor();
    await page.getByText(/^5\d\d rows$/).waitFor();
    assert.is(await page.locator('.line').count(), 200);
    await page.getByRole('button', { name: /^Show 200 more of 5/ }).click();
    await eventually(() => page.locator('.line').count(), 400);
    await page.getByLabel('Search').fill('nowhere/47');
    // 47, and 470 to 479.
    await page.getByText(/^11 rows$/).waitFor();
    assert.equal(complaints, []);
    await page.close();
  });

  trouble('the page reports a lost server and reconnects when it is back', async () => {
    const { page, complaints } = await open('#/timeline');
    await page.locator('.line').first().waitFor();
    const { port } = bench.served;
    await bench.served.stop();
    await page.getByText('The sandbox does not respond.').waitFor();
    assert.ok((await page.locator('.line').count()) > 0, 'what was heard stays');
    bench.served = await startSandbox('--port', String(port));
    await page.getByText('The sandbox does not respond.').waitFor({ state: 'hidden' });
    await bench.served.call('POST', 'accounts', personOf('back-1'));
    await page.getByRole('link', { name: /201 POST \/api\/v1\/accounts/ }).waitFor();
    // Nothing of the old process is left.
    await eventually(() => page.getByText('nowhere/').count(), 0);
    assert.equal(complaints, []);
    await page.close();
  });

  trouble('the page asks for a control token and then shows everything', async () => {
    const guarded = await startSandbox('--control-token', 's3cret');
    try {
      const { page } = await openPage(bench.browser, `${guarded.base}/`);
      await page.getByLabel(/--control-token/).fill('s3cret');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.locator('.line').first().waitFor();
      await page.close();
    } finally {
      await guarded.stop();
    }
  });
}

trouble.run();
