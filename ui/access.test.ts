// The dashboard is accessible: names, contrast and keys, checked by axe in both themes.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPage, personOf, startBench } from './testing/dashboard-page.ts';

const access = suite('dashboard: access');

const places = [
  'timeline',
  'timeline/account/1001',
  'timeline/requests/1',
  'timeline/deliveries/19',
  'accounts',
  'accounts/1001',
  'accounts/transactions/9003',
  'webhooks',
  'webhooks/3',
  'clients',
  'faults',
  'access',
  'worlds',
  'rules',
  'rules/questions',
  'rules/coverage',
  'api',
  'api/updateAccount',
];

/** All views share one page, so axe is loaded only once. */
async function findViolations(page: Page, within: string, options: object): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const parameters = JSON.stringify({ ...options, resultTypes: ['violations'] });
  // Return only the violations, because the list of passed checks is long.
  const run = `axe.run(${within}, ${parameters}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as axe.Result[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
}

const bench = startBench(access);

if (bench !== null) {
  access.before(async () => {
    const { ask, call } = bench.served;
    await ask('PUT', 'forwards', { from: 'https://a.example', to: 'http://127.0.0.1:9' });
    const url = 'https://a.example/in';
    await call('POST', 'webhooks', { url, event_categories: ['account'] });
    await call('POST', 'accounts', personOf('access-1'));
    await ask('POST', 'faults', {
      match: { path: '/api/v1/nowhere' },
      effect: { kind: 'status', status: 500 },
    });
  });

  access('each view has no violation in light or dark, and fits a phone', async () => {
    const { page, settled, complaints } = await openPage(bench.browser, `${bench.served.base}/`);
    for (const place of places) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${bench.served.base}/#/${place}`);
      await page.locator('main .panel:visible, main .line:visible').first().waitFor();
      await settled();
      // The frame is the same in every view.
      const within = place === places[0] ? 'document' : '"main"';
      assert.equal(await findViolations(page, within, {}), [], `${place}, light`);
      // A theme changes only colours.
      await page.emulateMedia({ colorScheme: 'dark' });
      const contrast = { runOnly: ['color-contrast'] };
      assert.equal(await findViolations(page, within, contrast), [], `${place}, dark`);
      await page.setViewportSize({ width: 390, height: 844 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.is(width, 390, place);
    }
    assert.equal(complaints, []);
    await page.close();
  });

  access('a row can be reached and opened by keyboard alone', async () => {
    const { page } = await openPage(bench.browser, `${bench.served.base}/#/timeline`);
    await page.locator('.line').first().waitFor();
    await page.locator('.rows').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Details' }).waitFor();
    await page.close();
  });
}

access.run();
