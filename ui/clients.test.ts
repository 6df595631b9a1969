// The report on a client, chosen and read: its runs as lines of time.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientCheck, ClientReport } from './clients.tsx';
import {
  findChromium,
  type Looked,
  launch,
  openPage,
  type Served,
  startSandbox,
} from './testing/dashboard-page.ts';

const clients = suite('dashboard: a client is judged');
const executable = findChromium();

const check = (id: string, over: Partial<ClientCheck>): ClientCheck => ({
  id,
  title: 'the answer to a write is lost',
  orders: 'Each write runs, and its answer is lost.',
  expected: 'repeats with the same key',
  at_stake: 'The money moves twice.',
  mend: { words: 'Keep the key.', example: 'POST /x\nIdempotency-Key: 1' },
  rules: [{ id: 'IDEM-4c', words: 'A repeat runs nothing.' }],
  verdict: 'passed',
  why: null,
  findings: [],
  shown: null,
  ...over,
});

const finding = {
  place: 'POST /api/v1/accounts',
  verdict: 'fails',
  actual: 'sent again under a new key',
  run: 3,
  calls: [1, 2],
  replay: 'conformance client --only CLT-answer-lost -- node x.js',
};

const call = (n: number, struck: string | null) => ({
  n,
  at_ms: n * 100,
  method: 'POST',
  target: '/api/v1/accounts',
  key: `key-${n}`,
  struck,
  status: struck === null ? 201 : null,
  abandoned_at_ms: null,
});

const report: ClientReport = {
  schema: 'client/1',
  command: ['node', '<b>x.js</b>'],
  verdict: 'deviates',
  runs: 3,
  requests: 12,
  duration_ms: 1234,
  does: '1 writes',
  unusable: null,
  notes: [],
  checks: [
    check('CLT-answer-lost', { verdict: 'fails', findings: [finding] }),
    check('CLT-500', { shown: { ...finding, verdict: 'passed', actual: 'repeated' } }),
    check('CLT-429', { verdict: 'not_selected' }),
  ],
  recordings: [
    {
      run: 3,
      ending: { words: 'ended with exit code 0', duration_ms: 900, output: '' },
      calls: [call(1, 'it ran, and the connection was cut'), call(2, null)],
    },
  ],
};

if (executable === null) {
  clients.skip('Chromium is not there');
} else {
  const bench = {} as { browser: Browser; served: Served; looked: Looked };

  clients.before(async () => {
    bench.served = await startSandbox();
    bench.browser = await launch(executable);
    bench.looked = await openPage(bench.browser, `${bench.served.base}/#/clients`);
  });

  clients.after(async () => {
    await bench.browser?.close();
    await bench.served?.stop();
  });

  const choose = async (name: string, text: string) => {
    const file = join(tmpdir(), `${process.pid}-${name}.json`);
    writeFileSync(file, text);
    await bench.looked.page.locator('input[type=file]').setInputFiles(file);
  };

  clients('another file is refused in words', async () => {
    await choose('other', '{"schema": 1}');
    const problem = bench.looked.page.getByRole('alert').filter({ hasText: 'another report' });
    await problem.waitFor();
    await choose('none', 'not json');
    await bench.looked.page.getByRole('alert').filter({ hasText: 'not JSON' }).waitFor();
    const { checks, ...torn } = report;
    const hidden = { ...finding, replay: 'conformance client\u202e --only x' };
    const broken: readonly (readonly [unknown, string])[] = [
      [torn, 'checks must be a list'],
      [{ ...report, checks: [{ ...checks[0], mend: null }] }, 'checks[0].mend must be an object'],
      [{ ...report, recordings: [{ run: 3, calls: [] }] }, 'recordings[0].ending must be'],
      [
        { ...report, checks: [check('x', { findings: [hidden] })] },
        'replay must be a command without invisible characters',
      ],
    ];
    for (const [document, words] of broken) {
      await choose('broken', JSON.stringify(document));
      await bench.looked.page.getByRole('alert').filter({ hasText: words }).waitFor();
    }
  });

  clients('a failure stands open as a line of time beside what is right', async () => {
    const { page } = bench.looked;
    await choose('report', JSON.stringify(report));
    await page.getByRole('heading', { name: 'node <b>x.js</b>' }).waitFor();
    const did = page.getByRole('region', { name: 'What the client did, CLT-answer-lost' });
    const steps = (await did.locator('li').allInnerTexts()).map((each) =>
      each.replace(/\s+/g, ' '),
    );
    assert.is(steps.length, 3);
    assert.match(steps[0] ?? '', /\+0\.10 s 1\. POST \/api\/v1\/accounts key key-1.*was cut/);
    assert.match(steps[1] ?? '', /\+0\.20 s 2\. .* → 201/);
    const right = page.getByRole('region', { name: 'What a right client does, CLT-answer-lost' });
    assert.match(await right.innerText(), 'It repeats with the same key.');
    assert.is(await page.getByText('CLT-429').count(), 0, 'what was left out is not shown');
  });

  clients('what could not be judged does not look as if all were well', async () => {
    const { page } = bench.looked;
    const unusable = 'the first run ended with exit code 1 although nothing went wrong';
    const checks = [check('CLT-500', { verdict: 'inconclusive', why: unusable })];
    const summary = { fails: 0, inconclusive: 1 };
    const told = { ...report, verdict: 'invalid', unusable, checks, summary };
    await choose('invalid', JSON.stringify(told));
    await page.locator('.badge.bad', { hasText: 'could not be judged' }).waitFor();
    await page.getByText(unusable).first().waitFor();
  });

  clients('a hostile report stays text, whatever its verdicts are called', async () => {
    const { page, complaints } = bench.looked;
    const text = `<img src=x onerror="window.struck=1"><a href="javascript:struck=1">`;
    const said = { ...finding, place: text, actual: text, replay: text, verdict: 'constructor' };
    const mend = { words: text, example: text };
    const checks = ['__proto__', 'constructor', 'fails'].map((verdict) =>
      check(`CLT-${verdict}`, { verdict, title: text, mend, why: text, findings: [said] }),
    );
    await choose('hostile', JSON.stringify({ ...report, command: ['hostile', text], checks }));
    await page.getByRole('heading', { name: 'hostile' }).waitFor();
    const markup = page.locator('#app img, #app a:not([href^="#/"])');
    assert.is(await markup.count(), 0);
    assert.not.ok(await page.evaluate(() => 'struck' in window));
    assert.equal(complaints, []);
    await choose('report', JSON.stringify(report));
    await page.getByRole('heading', { name: 'node <b>x.js</b>' }).waitFor();
  });

  clients('it is there for everybody', async () => {
    const { page } = bench.looked;
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults;
    assert.equal(
      violations.map(({ id }) => id),
      [],
    );
  });

  clients('it stays while another view is looked at', async () => {
    const { page } = bench.looked;
    await page.evaluate('location.hash = "#/accounts"');
    await page.getByRole('region', { name: 'What the client did' }).waitFor({ state: 'detached' });
    await page.evaluate('location.hash = "#/clients"');
    await page.getByRole('heading', { name: 'node <b>x.js</b>' }).waitFor();
  });
}

clients.run();
