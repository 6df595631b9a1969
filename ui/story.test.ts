// The first five minutes with the dashboard, by clicking.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DashboardPage,
  depositOf,
  eventually,
  openPage,
  personOf,
  startBench,
} from './testing/dashboard-page.ts';

const story = suite('dashboard: the first five minutes');

const account = personOf('story-1');

const bench = startBench(story);

if (bench !== null) {
  const receiver = createServer((_, response) => response.writeHead(500).end());
  let view = {} as DashboardPage;
  let page = {} as DashboardPage['page'];
  let saved = '';

  story.before(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    view = await openPage(bench.browser, `${bench.served.base}/`);
    page = view.page;
  });
  story.after(() => {
    receiver.close();
  });

  story('a failing receiver is subscribed', async () => {
    const { port } = receiver.address() as AddressInfo;
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByLabel('Forward to (optional)').fill(`http://127.0.0.1:${port}/in`);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    const row = page.getByRole('row', { name: /hooks\.partner\.example\/in/ });
    await row.waitFor();
    assert.match(await row.innerText(), /enabled[\s\S]*account, order, position, transaction/);
  });

  story('a request appears immediately, with the reason for its response', async () => {
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    await bench.served.call('POST', 'accounts', account);
    await page.getByRole('link', { name: /201 POST \/api\/v1\/accounts/ }).click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    await view.settled();
    const details = await page.getByRole('region', { name: 'Details' }).innerText();
    assert.match(details, /ACC-1\s+A valid request/);
    assert.match(details, /Operation\s+ran: this decided/);
    assert.match(details, /account\.created/);
    assert.match(details, /"client_reference_id": "story-1"/);
  });

  story('tokens are shown only on demand', async () => {
    const details = page.getByRole('region', { name: 'Details' });
    await details.locator('summary').first().click();
    await details.getByText('authorization: Bearer (hidden)').waitFor();
    await page.getByRole('button', { name: 'Show tokens and secrets' }).click();
    await details.getByText('authorization: Bearer tok_').waitFor();
    await page.getByRole('button', { name: 'Hide tokens and secrets' }).click();
    await details.getByText('authorization: Bearer (hidden)').waitFor();
  });

  story('the request is sent again: the same key replays, a new one conflicts', async () => {
    await page.getByRole('button', { name: 'Send again, same key' }).click();
    await page.getByText('response 201: request').click();
    await page.getByText('A repeat: it got the first response again').waitFor();
    await page.getByRole('link', { name: /^request \d+ \(req_/ }).waitFor();
    await page.getByRole('button', { name: 'Send again, new key' }).click();
    await page.getByText(/response 2\d\d|response 409/).waitFor();
  });

  story('a transaction is approved through the API and settled by the operator', async () => {
    const created = await bench.served.call('POST', 'transactions', depositOf('story-t'));
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByRole('link', { name: created.id }).click();
    await page.getByRole('img', { name: /It is pending\. Legal moves: approve/ }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('img', { name: /It is approved\. Legal moves: settle/ }).waitFor();
    await page.getByRole('button', { name: 'Settle' }).click();
    await page.getByRole('img', { name: /It is settled\./ }).waitFor();
    const { status } = await bench.served.ask('GET', `transactions/${created.id}`);
    assert.is(status, 'settled');
  });

  story('a hint marks its row, and is shown with the reasons', async () => {
    await bench.served.call('POST', 'transactions', {
      ...depositOf('story-w'),
      transaction_type: 'Withdrawal',
    });
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    const marked = page.locator('.line', { has: page.locator('.line-title .badge') });
    await marked.getByText('sign against type').waitFor();
    await page.getByRole('link', { name: /1 hint: POST .*\/transactions/ }).click();
    const hints = page.getByRole('list', { name: 'Hints' });
    await hints.getByText('sign_against_type').waitFor();
    assert.match(await hints.innerText(), /Withdrawal is subtracted/);
  });

  story('coverage shows met rules, hints, and a command for other rules', async () => {
    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    await page.getByRole('link', { name: 'Coverage', exact: true }).click();
    await page.getByText(/^[1-9]\d* of \d+ rules$/).waitFor();
    await page.getByText('sign_against_type').waitFor();
    await page.getByLabel('Find', { exact: true }).fill('UPD-7');
    const line = page.getByRole('region', { name: 'Not met' }).locator('pre');
    assert.match(await line.innerText(), `"${bench.served.base}/api/v1/accounts/$ID"`);
    assert.match(await line.innerText(), 'Bearer (hidden)');
    // The command is copied with its token all the same.
    await page.evaluate(
      'document.execCommand = () => { window.copied = document.activeElement.value; return true; }',
    );
    await page.getByRole('button', { name: 'Copy the command that meets UPD-7' }).click();
    assert.match(String(await page.evaluate('window.copied')), /Bearer tok_/);
    await page.getByRole('button', { name: 'Show the token' }).click();
    assert.match(await line.innerText(), /Bearer tok_/);
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByText(/^0 of \d+ rules$/).waitFor();
  });

  story('an account shows its own history only', async () => {
    const { accounts } = await bench.served.ask('GET', 'accounts?limit=1000');
    const { id } = accounts.find(
      (each: Record<string, string>) => each.client_reference_id === 'story-1',
    );
    await page.goto(`${bench.served.base}/#/accounts/${id}`);
    const history = page.getByRole('table', { name: 'What happened' });
    await history.getByRole('link', { name: 'POST /api/v1/accounts' }).first().waitFor();
    await history.getByRole('link', { name: 'account.created', exact: true }).waitFor();
    await view.settled();
    assert.is(await history.getByText('transaction.created').count(), 0);
    await page.getByRole('link', { name: 'Whole timeline' }).click();
    const filter = () => page.getByLabel('Account', { exact: true }).inputValue();
    await eventually(filter, id);
    await page
      .getByRole('link', { name: /201 POST \/api\/v1\/accounts/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    assert.is(await filter(), id);
    assert.is(await page.locator('.line', { hasText: 'transaction.' }).count(), 0);
  });

  story('an operation is switched off for a firm, and on again', async () => {
    const read = () => bench.served.ask('GET', 'firms/1');
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByText('Firm 1, ').click();
    const firm = page.getByRole('group', { name: 'Operations that firm 1 may use' });
    await firm.getByLabel('updateAccount').click();
    await page.getByText('1 operation off').waitFor();
    assert.is((await read()).permissions.updateAccount, false);
    await firm.getByLabel('updateAccount').click();
    await page.getByText('1 operation off').waitFor({ state: 'detached' });
    const rate = page.locator('.ledger[open]').getByLabel('Rate per second');
    await rate.fill('123');
    await page.getByRole('button', { name: 'Set the plan and rate of firm 1' }).click();
    await page.getByText('pro, 123 a second').waitFor();
    assert.is((await read()).rate_per_second, 123);
    await rate.fill('null');
    await page.getByRole('button', { name: 'Set the plan and rate of firm 1' }).click();
    await page.getByText('pro, 123 a second').waitFor({ state: 'detached' });
  });

  story('a pressed row is chosen, even if other rows arrive before the release', async () => {
    await page.goto(`${bench.served.base}/#/timeline`);
    const lines = page.locator('.line a');
    const pressed = await lines.first().getAttribute('href');
    const count = () => page.locator('.timeline-count').innerText();
    await view.settled();
    const before = await count();
    await lines.first().hover();
    await page.mouse.down();
    const refused = { ...account, client_reference_id: 'story-p', email: 'y' };
    await bench.served.call('POST', 'accounts', refused);
    await eventually(async () => (await count()) !== before, true);
    assert.is(await lines.first().getAttribute('href'), pressed);
    await page.mouse.up();
    await page.locator(`.line a[href="${pressed}"][aria-current="true"]`).waitFor();
    await page.getByRole('region', { name: 'Details' }).waitFor();
    await eventually(async () => (await lines.first().getAttribute('href')) === pressed, false);
  });

  story('each of four questions is answered within three clicks', async () => {
    await page.goto(`${bench.served.base}/#/timeline`);
    await bench.served.call('POST', 'accounts', {
      ...account,
      client_reference_id: 's-0',
      email: 'x',
    });
    await bench.served.call('POST', 'accounts', { ...account, client_reference_id: 'story-2' });
    const main = () => page.locator('main').innerText();
    const click = (role: 'link' | 'button', name: string | RegExp) =>
      page.getByRole(role, { name }).first().click();

    // Why was it refused? The row shows the reason, and a click shows the rule.
    await click('link', /422 POST .*validation_failed · email: email must contain/);
    await page.getByText('An email without').waitFor();

    // Did my webhook arrive?
    await click('link', 'Webhooks');
    const last = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
    await last.filter({ hasText: 'pending' }).filter({ hasText: '500' }).first().waitFor();

    // Is my client correct?
    await click('link', 'Clients');
    await page.getByText('npx conformance client').waitFor();
    assert.match(await main(), /npx conformance receiver/);

    // What happens in the next half minute? (The next test advances by a day.)
    await click('button', /Advance by 30 seconds/);
    await page.getByText(/Moved by 30 s; .*delivery/).waitFor();
  });

  story('after a day the delivery has been tried eight times', async () => {
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
    await row
      .filter({ hasText: 'pending' })
      .filter({ has: page.getByRole('link', { name: /^\d+$/ }) })
      .first()
      .getByRole('link')
      .first()
      .click();
    await page.getByText(/due \d{4}-/).waitFor();
    await page.getByRole('button', { name: 'Advance by a day' }).click();
    await page.getByText('Moved by 1 d').waitFor();
    await page.locator('.rail.bad').nth(7).waitFor();
    await eventually(() => page.locator('.rail.coming').count(), 0);
    const signature = page.getByRole('region', { name: 'Signature' });
    await signature.getByRole('button', { name: 'Show the secret' }).click();
    const [header = '', secret = ''] = await signature.locator('code').allInnerTexts();
    const signed = await signature.locator('pre').innerText();
    assert.match(header, createHmac('sha256', secret).update(signed).digest('hex'));
  });

  story('the stopped subscription resumes', async () => {
    await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: /^3$/ }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.badge.good', { hasText: 'enabled' }).waitFor();
    assert.not.match(await page.locator('main').innerText(), 'whsec_');
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
  });

  story('the world is saved, reset, and loaded again', async () => {
    await page.getByRole('link', { name: 'Worlds', exact: true }).click();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    saved = (await (await coming).path()) ?? '';
    assert.ok(saved !== '');
    const count = async () => (await bench.served.ask('GET', 'info')).counts.accounts;
    const before = await count();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('button', { name: 'Yes, reset this world' }).click();
    await page.getByText('The world is as it was at the start.').waitFor();
    assert.is(await count(), before - 1);
    await page.getByLabel('Load a file').setInputFiles(saved);
    await page.getByText('is loaded.').waitFor();
    assert.is(await count(), before);
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByText('story-1', { exact: true }).waitFor();
  });

  story('the page logged no errors', () => {
    assert.equal(view.complaints, []);
  });
}

story.run();
