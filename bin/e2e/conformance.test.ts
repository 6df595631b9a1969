// The judge from options to exit code, against the sandbox over sockets: with its control plane,
// with only a profile, interrupted, with a baseline, and with every kind of report.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Profile } from '../../conformance/providers/profile.ts';
import { UNEXPLAINED } from '../../conformance/reports/baseline.ts';
import type { Report } from '../../conformance/reports/report.ts';
import { parseConfig } from '../../fixtures/config.ts';
import { rules } from '../../fixtures/rules.ts';
import type { SandboxHandle, SandboxOptions } from '../../simulator/index.ts';
import { type Given, runJudge, withFolder } from '../commands/conformance/testing/run-judge.ts';
import { onLiveTarget } from './testing/live-profile.ts';
import { sandboxed, unpassedOf, verdictOf } from './testing/sandboxed.ts';

const FROZEN: SandboxOptions = { clock: 'frozen' };
const DEVIATING: SandboxOptions = {
  clock: 'frozen',
  deviations: ['bulk-empty-is-200'],
};

const command = suite('conformance run');

command('a whole run: every rule passes, and no report contains a secret', () =>
  sandboxed(FROZEN, (baseUrl, sandbox) =>
    withFolder(async (cwd) => {
      const report = ['json=r.json', 'junit=r.xml', 'html=r.html', 'markdown=r.md'];
      const given: Given = { baseUrl, report, seed: '5', observed: 'o.json' };
      const { code, out, err } = await runJudge(given, { cwd });
      assert.is(code, 0, out);
      assert.match(out, 'conformant: ');
      assert.match(err, `control plane ${baseUrl}/_sandbox`);
      const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
      for (const file of ['r.json', 'r.xml', 'r.html', 'r.md', 'o.json']) {
        const text = read(file);
        assert.ok(text.length > 100, file);
        // The prefixes of tokens, client secrets and signing secrets of the sandbox.
        assert.not.match(text, /\b(tok|cs|whsec)_[A-Za-z0-9]{12}/, file);
        assert.not.match(text, /v1=[0-9a-f]{20}/, file);
      }
      const judged = JSON.parse(read('r.json')) as Report;
      // NS-29: some findings are advice.
      assert.equal(unpassedOf(judged, ['advisory']), []);
      const others = judged.observed.filter(({ same }) => same === false);
      assert.equal(others, []);
      assert.is(parseConfig(JSON.parse(read('o.json'))).problems, undefined);
      // The run uses worlds of its own.
      assert.equal((await sandbox.control.listRequests()).requests, []);
    }),
  ),
);

function tokenOf(sandbox: SandboxHandle, name: string): string {
  const { token } = sandbox.credential(name);
  if (token === null) throw new Error(`${name} has no token`);
  return token;
}

/** A live target whose profile has one settled transaction, and a receiver that does not listen. */
const target = (per_second: number, sandbox: SandboxOptions = {}) => ({
  ...{ rates: { per_second }, sandbox },
  change: ({ seeds, receiver: _, ...profile }: Profile): Profile => ({
    ...profile,
    seeds: {
      trading_account: seeds!.trading_account!,
      settled_transactions: [{ id: '9001', account_id: '1001' }],
    },
    receiver: { public_url: 'https://tunnel.example.com/hooks' },
  }),
});

const STANDARD: SandboxOptions = { plan: 'standard' };

/** Lists the enabled subscriptions of firm 1 with a credential of its own. */
async function watchSubscriptions(baseUrl: string, sandbox: SandboxHandle) {
  const body = { firm_id: '1', scopes: ['webhooks:manage'], rate_per_second: 1000 };
  const { token } = (await sandbox.control('POST', 'credentials', body)) as { token: string };
  return async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${baseUrl}/api/v1/webhooks`, { headers });
    const { webhooks } = (await answer.json()) as {
      webhooks: { url: string; disabled: boolean }[];
    };
    return webhooks.filter((each) => !each.disabled).map((each) => each.url);
  };
}

command(
  'with a profile: no deviation, no subscription is left, and the report says what to add',
  () =>
    onLiveTarget(target(50, STANDARD), async ({ given: live, cwd, baseUrl, sandbox }) => {
      const openOnes = await watchSubscriptions(baseUrl, sandbox);
      const before = await openOnes();
      const only = ['HOOK-1', 'HOOK-2', 'HOOK-5', 'ACC-1', 'ACC-16', 'TXS-11', 'EVT-1', 'LIM-4'];
      const seen = await runJudge({ ...live, only }, { cwd });
      assert.is(seen.code, 4);
      const { summary, unlock } = seen.report;
      assert.is(summary.deviates, 0);
      // TXS-11 cancels a settled transaction: it cannot be used a second time.
      for (const id of ['ACC-1', 'ACC-16', 'HOOK-1', 'TXS-11'])
        assert.is(verdictOf(seen.report, id), 'passed', id);
      assert.is(verdictOf(seen.report, 'EVT-1'), 'not_tested');
      assert.ok(unlock.some(({ add, rules: more }) => add.startsWith('receiver') && more > 0));
      assert.equal(await openOnes(), before);
      assert.not.ok(seen.out.includes(tokenOf(sandbox, 'firm')));
      assert.match(readFileSync(join(cwd, 'p.json.used'), 'utf8'), '9001');
      const again = await runJudge({ ...live, only: ['TXS-11'] }, { cwd });
      assert.match(again.report.notes.join('\n'), 'used up by earlier runs: 9001');
      assert.is(verdictOf(again.report, 'TXS-11'), 'not_tested');
    }),
);

command('the brand of a bare token is found out', () =>
  sandboxed(STANDARD, async (baseUrl, sandbox) => {
    const only = ['ACC-20', 'ACC-17'];
    const given: Given = { baseUrl, controlUrl: 'none', tokenEnv: 'OWN', json: true, only };
    const withToken = (name: string) => ({ env: { OWN: tokenOf(sandbox, name) } });
    const bound = await runJudge(given, withToken('brand-a'));
    assert.is(bound.report.summary.passed, 2, bound.out.slice(0, 2000));
    const firm = await runJudge(given, withToken('firm'));
    assert.is(firm.report.summary.deviates, 0);
    assert.match(firm.report.notes.join('\n'), 'add its brand_id');
    const named = await runJudge({ ...given, brandId: '10' }, withToken('firm'));
    assert.is(verdictOf(named.report, 'ACC-20'), 'passed');
  }),
);

command('an interrupted run reports what is done, leaves no subscription and exits with 130', () =>
  onLiveTarget(target(5), async ({ given: live, cwd, baseUrl, sandbox }) => {
    const openOnes = await watchSubscriptions(baseUrl, sandbox);
    const before = await openOnes();
    const stop = new AbortController();
    const given: Given = { ...live, report: ['html=r.html'], only: ['HOOK-*'] };
    const running = runJudge(given, { cwd }, stop.signal);
    // Wait until the run has created a subscription.
    while ((await openOnes()).length === before.length) await sleep(250);
    stop.abort();
    const { code, report } = await running;
    assert.is(code, 130);
    assert.ok(report.interrupted);
    assert.is(report.rules.length, rules.length);
    assert.ok(existsSync(join(cwd, 'r.html')));
    assert.equal(await openOnes(), before);
  }),
);

command('a baseline accepts known failures and what they hide, and reports stale entries', () =>
  withFolder(async (cwd) => {
    const only = ['idem-many-keys', 'idem-replay-create-account'];
    const given: Given = { only, json: true, baseline: 'b.json' };
    await sandboxed({ deviations: ['replay-answers-200'] }, async (baseUrl) => {
      const updated = await runJudge({ ...given, baseUrl, updateBaseline: true }, { cwd });
      assert.is(updated.code, 0, updated.err);
      assert.match(updated.err, /write a reason for 2 entries/);
      const replay = updated.report.rules.find(({ id }) => id === 'IDEM-4a')!;
      // Of two scenarios the shorter one; its first call, and the replay with another status.
      assert.equal(replay.findings[0]?.exchanges, [1, 4]);
      const file = join(cwd, 'b.json');
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(UNEXPLAINED, 'ticket 7'));
      const again = await runJudge({ ...given, baseUrl, seed: '7' }, { cwd });
      const verdicts = ['IDEM-4a', 'IDEM-4b', 'ACC-19', 'IDEM-5'].map((id) =>
        verdictOf(again.report, id),
      );
      assert.equal([again.code, ...verdicts], [0, 'known', 'known', 'known', 'passed']);
      assert.is((await runJudge({ ...given, baseUrl, strict: true }, { cwd })).code, 1);
    });
    await sandboxed(FROZEN, async (baseUrl) => {
      const stale = await runJudge({ ...given, baseUrl }, { cwd });
      assert.is(stale.code, 6);
      assert.match(stale.err, /exit code 6: \d+ entr.* --update-baseline/);
      assert.is((await runJudge({ ...given, baseUrl, only: ['ACC-20'] }, { cwd })).code, 0);
    });
    const other = { ...FROZEN, deviations: ['replay-reprints-members-sorted'] };
    await sandboxed(other, async (baseUrl) => {
      assert.is((await runJudge({ ...given, baseUrl }, { cwd })).code, 1);
    });
  }),
);

command(
  'on GitHub deviations are annotated, and text of a target is never a workflow command',
  () =>
    sandboxed(DEVIATING, async (baseUrl) => {
      const env = { GITHUB_ACTIONS: 'true' };
      const { out } = await runJudge({ baseUrl, only: ['BULK-6'] }, { env });
      const lines = out.split('\n');
      assert.ok(lines.some((line) => line.startsWith('::error title=BULK-6 deviates::')));
      assert.match(lines[0]!, /^::stop-commands::/);
      const inJson = await runJudge({ baseUrl, only: ['BULK-6'], json: true }, { env });
      assert.is(inJson.report.verdict, 'deviates', 'standard output is only JSON');
      assert.match(inJson.err, '::error title=BULK-6');
    }),
);

command.run();
