// A run on a live target, observed by a proxy: it writes only to records that it created, sends no
// order and no webhook host that is not in the profile, obeys --max-rate, and leaves no
// subscription enabled.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Inventory } from '../../../conformance/engine/inventory/inventory.ts';
import { WriteRefused } from '../../../conformance/engine/scenario-errors.ts';
import { EXAMPLE_PROFILE, type Profile } from '../../../conformance/providers/profile.ts';
import { type Given, runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { onLiveTarget } from '../testing/live-profile.ts';
import { complaintsOf, type Passed, repetitive, verdictOf } from '../testing/sandboxed.ts';

interface Played {
  readonly seen: readonly Passed[];
  readonly run: Awaited<ReturnType<typeof runJudge>>;
}

const ORDER = { instrument: 'EURUSD', side: 'buy', volume: '0.01' };
const rates = { per_second: 400 };

/** A run with a profile through a gateway that records everything; `lose` drops an answer. */
async function play(
  given: Given,
  over: object = {},
  lose: (seen: Passed) => boolean = () => false,
): Promise<Played> {
  const seen: Passed[] = [];
  const note = (passed: Passed) => {
    seen.push(passed);
    return lose(passed);
  };
  const change = (profile: Profile) => ({ ...profile, ...over });
  const target = { rates, gateway: { note }, change };
  const run = await onLiveTarget(target, ({ given: live, cwd }) =>
    runJudge({ ...live, ...given }, { cwd }),
  );
  return { seen, run };
}

const isWrite = ({ method }: Passed) => method !== 'GET';
const OWN = new Set(['2147483641', '999999999', '999999999999']);
const SETTLED = ['9001', '9002', '9006'];
const positions = { open: { body: ORDER }, close: { body: {} } };

const manners = suite('manners on a live target');

manners('a whole run writes to nothing but what it made and what the profile names', async () => {
  const skip = [
    // These wait in real time, which adds nothing here.
    ...['evt-real-time', 'evt-kinds', 'evt-repeat', 'LIM-*', 'EVT-9*'],
    ...repetitive,
  ];
  const { seen, run } = await play({ skip }, { positions });
  const ownIds = new Set<string>(SETTLED);
  for (const { method, path, status, answer } of seen) {
    const id = /^\/api\/v1\/(?:accounts|transactions|webhooks)\/([^/?]+)/.exec(path)?.[1];
    if (method !== 'GET' && id !== undefined && id !== 'bulk') {
      // CONV-1c: an id of this run with a letter after the digits.
      const isOwn = ownIds.has(id.replace(/x$/, ''));
      const isKnown = isOwn || OWN.has(id) || !/\d/.test(id) || id.length > 20;
      assert.ok(isKnown, `${method} ${path}`);
    }
    if (status >= 300) continue;
    if (method === 'POST' && answer.id !== undefined) ownIds.add(String(answer.id));
    for (const row of (answer.rows ?? []) as { id?: string }[]) ownIds.add(String(row.id));
  }
  const opened = seen.filter(({ path }) => path === '/api/v1/positions/open');
  assert.ok(opened.length > 10, `${opened.length} orders`);
  for (const { body, status } of opened.filter((each) => each.status < 300)) {
    const { trading_account_id: place, ...order } = body;
    assert.equal(order, ORDER, `${status}`);
    assert.ok(['5001', '5002'].includes(String(place)), String(place));
  }
  const hosts = seen
    .filter(
      ({ method, path, status }) => /^POST .*\/webhooks$/.test(`${method} ${path}`) && status < 300,
    )
    .map(({ body }) => new URL(String(body.url)).hostname);
  assert.equal([...new Set(hosts)], ['tunnel.example.com']);
  // Numbers that may be in use, such as mobile numbers of the United Kingdom and France.
  const phones = seen.filter(isWrite).flatMap(({ body }) => body.phone ?? []);
  const real = phones.filter((each) => /^\+?(447[4-9]|336(?!3998)|316)/.test(String(each)));
  assert.equal(real, []);
  const { report } = run;
  assert.equal(complaintsOf(report), []);
  const blocked = report.rules.flatMap(({ id, findings }) =>
    findings.filter(({ actual }) => actual.includes('was not sent')).map((each) => [id, each]),
  );
  assert.equal(blocked, []);
  assert.equal(report.inventory!.enabled, []);
  // Observed as the defaults; the gateway joins repeated headers (NS-58).
  const others = report.observed.flatMap(({ id, same }) => (same === false ? [id] : []));
  assert.equal(others, ['NS-58']);
  // Every position that remains open is listed.
  const idsOf = (verb: string, read: (each: Passed) => unknown) =>
    seen
      .filter(({ path, status }) => path === `/api/v1/positions/${verb}` && status < 300)
      .map((each) => String(read(each)));
  const closed = new Set(idsOf('close', ({ body }) => body.position_id));
  const left = new Set(idsOf('open', ({ answer }) => answer.position_id));
  for (const id of closed) left.delete(id);
  assert.equal([...(report.inventory?.positions ?? [])].sort(), [...left].sort());
});

const hooksIn = ({ seen }: Played) =>
  seen.filter(({ path, method }) => method === 'POST' && /\/webhooks$/.test(path));
const ORDERS_AND_HOOKS = ['POS-*', 'HOOK-7', 'HOOK-9'];

manners('without templates and receiver nothing is ordered or subscribed', async () => {
  const played = await play({ only: ORDERS_AND_HOOKS }, { receiver: undefined });
  const orders = played.seen.filter(({ path }) => path.includes('/positions/'));
  assert.equal([orders, hooksIn(played)], [[], []]);
  const { report } = played.run;
  const verdicts = ['POS-1', 'HOOK-9'].map((id) => verdictOf(report, id));
  assert.equal(verdicts, ['not_tested', 'not_tested']);
  assert.match(JSON.stringify(report.unlock), 'positions, the orders that open and close');
});

manners('a refused order is reported with the refusal; a public_url alone is enough', async () => {
  const positions = { open: { body: { symbol: 'EURUSD' } }, close: { body: {} } };
  const receiver = { public_url: 'https://tunnel.example.com/hooks' };
  const { report } = (await play({ only: ORDERS_AND_HOOKS }, { positions, receiver })).run;
  const refusal = 'positions.open was refused: 422 text/plain: instrument is missing';
  assert.ok(report.unlock.some(({ add }) => add === refusal));
  const verdicts = ['HOOK-7', 'HOOK-9'].map((id) => verdictOf(report, id));
  assert.equal(verdicts, ['passed', 'passed']);
});

manners('--max-rate holds in every second; limits are not tested with that need', async () => {
  const only = ['LIM-*', 'ACC-8', 'HOOK-3'];
  const { seen, run } = await play({ only, maxRate: '12' });
  const times = seen.map(({ atMs }) => atMs);
  for (const from of times) {
    // Requests take different times to reach the proxy.
    const within = times.filter((each) => each >= from && each < from + 950).length;
    assert.ok(within <= 12, `${within} in one second`);
  }
  const rule = run.report.rules.find(({ id }) => id === 'LIM-2')!;
  assert.is(rule.verdict, 'not_tested');
  assert.match(JSON.stringify(rule), 'max-rate');
  assert.equal(run.report.inventory!.enabled, []);
});

manners('a subscription whose creating answer was lost is swept', async () => {
  let lost = 0;
  const { run, seen } = await play({ only: ['HOOK-3', 'HOOK-4'] }, {}, ({ path, status }) => {
    const isLost = path === '/api/v1/webhooks' && status === 201 && lost < 2;
    if (isLost) lost += 1;
    return isLost;
  });
  assert.is(lost, 2);
  const created = seen.filter(({ path, status }) => path === '/api/v1/webhooks' && status === 201);
  const ended = seen.filter(({ path, status }) => path.endsWith('/disable') && status < 300);
  for (const { answer } of created) {
    assert.ok(
      ended.some(({ path }) => path.includes(`/${answer.id}/`)),
      String(answer.id),
    );
  }
  assert.equal(run.report.inventory!.enabled, []);
});

manners('the guard refuses every write that names a record of others', async () => {
  const inventory = new Inventory('http://target');
  inventory.protect({
    accounts: ['1001'],
    tradingAccounts: ['5001'],
    transactions: ['9001'],
    closing: [],
    webhookHost: 'tunnel.example.com',
  });
  const answers: Record<string, object> = {
    '/api/v1/accounts': { id: '7' },
    '/api/v1/transactions': { id: '8', status: 'pending' },
    '/api/v1/webhooks': { id: 3 },
    '/api/v1/positions/open': { id: 'o1', position_id: '55' },
  };
  const sender = inventory.watch({
    send: async ({ url }) => {
      const answer = answers[new URL(url).pathname] ?? {};
      return { status: 201, headers: [], body: Buffer.from(JSON.stringify(answer)) };
    },
    close: async () => {},
  });
  const sent = async (line: string, body?: object) => {
    const [method = '', path = ''] = line.split(' ');
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const rest = { headers: [], body: bytes, timeoutMs: 1 };
    try {
      await sender.send({ method, url: `http://target/api/v1${path}`, ...rest });
      return true;
    } catch (error) {
      assert.instance(error, WriteRefused);
      return false;
    }
  };
  const hook = (url: string) => sent('POST /webhooks', { url });
  for (const path of ['/accounts', '/transactions', '/webhooks', '/positions/open']) {
    const place = { account_id: '1001', trading_account_id: '5001' };
    assert.ok(await sent(`POST ${path}`, path === '/webhooks' ? {} : place), path);
  }
  const close = (id: string) =>
    sent('POST /positions/close', { trading_account_id: '5001', position_id: id });
  const allowed = [
    ...[sent('PATCH /accounts/7'), sent('PATCH /accounts/abc'), sent('PATCH /accounts/2147483641')],
    ...[sent('POST /transactions/8/approve?account_id=1'), sent('POST /transactions/9001/cancel')],
    ...[sent('POST /webhooks/3/rotate-secret'), sent('GET /accounts/1001/status')],
    ...[hook('https://tunnel.example.com/x'), hook('http://example.org'), hook('https://10.0.0.1')],
    ...[hook('https://[::1]/x'), hook('https://0x7f.1/'), close('55'), close('2147483641')],
  ];
  assert.not.ok((await Promise.all(allowed)).includes(false));
  const refused = [
    ...[sent('PATCH /accounts/1001'), sent('PATCH /accounts/17'), sent('PUT /webhooks/4')],
    ...[sent('POST /transactions/9/approve?account_id=1'), sent('POST /webhooks/30/disable')],
    ...[hook('https://example.com/x'), hook('https://tunnel.example.com.evil.org/'), close('56')],
    sent('POST /positions/open', { trading_account_id: '5002' }),
    sent('POST /transactions', { account_id: '1002', trading_account_id: '5001' }),
  ];
  assert.not.ok((await Promise.all(refused)).includes(true));
});

manners('the profile that init writes runs with one token set, and shows no userinfo', () =>
  onLiveTarget(
    { rates, change: () => EXAMPLE_PROFILE },
    async ({ given, cwd, baseUrl, sandbox }) => {
      const env = { FIRM_TOKEN: String(sandbox.credential('firm').token) };
      const { report } = await runJudge({ ...given, only: ['ACC-1,ACC-4'] }, { cwd, env });
      assert.equal([report.summary.passed, report.summary.deviates], [2, 0]);
      assert.match(report.notes.join(), 'Not given, as their variables are not set');
      const secret = baseUrl.replace('://', '://user:hunter2@');
      const dry = await runJudge({ baseUrl: secret, dryRun: true }, { cwd, env });
      assert.not.match(dry.out + dry.err, 'hunter2');
    },
  ),
);

manners.run();
