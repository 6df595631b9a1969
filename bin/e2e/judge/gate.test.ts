// A run in a pipeline: an expired token and a used-up seed are never accepted (disturbances.test.ts
// has the target that stops), and a baseline says which failures are known or need no test.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Profile } from '../../../conformance/providers/profile.ts';
import type { SandboxHandle } from '../../../simulator/index.ts';
import { type Given, runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { onLiveTarget } from '../testing/live-profile.ts';

const gate = suite('a gate');

interface Gated {
  readonly cwd: string;
  readonly given: Given;
  readonly sandbox: SandboxHandle;
  /** From then on the target answers with this status. */
  after(calls: number, status: number): void;
  /** The number of calls so far. */
  calls(): number;
}

/** A live target with a small profile, which a test can disturb after a number of calls. */
async function gated(play: (gate: Gated) => Promise<void>): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  let wrong = 0;
  let count = 0;
  const refuse = () => {
    left -= 1;
    count += 1;
    return left < 0 ? wrong : undefined;
  };
  const change = ({ credentials: { firm }, seeds, plan }: Profile): Profile => ({
    credentials: { firm: firm! },
    seeds: {
      trading_account: seeds!.trading_account!,
      settled_transactions: [{ id: '9001', account_id: '1001' }],
    },
    plan: plan!,
    receiver: { public_url: 'https://tunnel.example.com/hooks' },
  });
  const target = { rates: { per_second: 50 }, gateway: { refuse }, change };
  await onLiveTarget({ ...target, sandbox: { plan: 'pro' } }, (live) => {
    const after = (calls: number, status: number) => {
      left = calls;
      wrong = status;
    };
    return play({ ...live, after, calls: () => count });
  });
}

const FEW = ['ACC-1', 'ACC-4', 'ACC-13', 'UPD-1', 'UPD-2', 'IDEM-4b'];

gate('a token that expires during the run is never accepted, and causes no deviation', () =>
  gated(async ({ cwd, given, after }) => {
    after(150, 401);
    const seen = await runJudge({ ...given, only: FEW, allowIncomplete: true }, { cwd });
    assert.is(seen.report.summary.deviates, 0, seen.out);
    assert.ok(seen.report.summary.inconclusive > 0);
    assert.is(seen.code, 4);
    assert.match(seen.out, 'the token of credentials.firm is refused (401) since');
  }),
);

gate('a used-up seed is never accepted, not even with a baseline', () =>
  gated(async ({ cwd, given }) => {
    writeFileSync(join(cwd, 'p.json.used'), '9001\n');
    const not = { rules: ['TXS-13'], lacks: ['seeds.settled_transactions, one each time'] };
    const accepted = [{ ...not, reason: 'not here', expires: null }];
    writeFileSync(join(cwd, 'b.json'), JSON.stringify({ known: [], not_tested: accepted }));
    const only = ['ACC-4', 'TXS-13'];
    const options = { ...given, only, allowIncomplete: true, baseline: 'b.json' };
    const { code, report, err } = await runJudge(options, { cwd });
    const rule = report.rules.find(({ id }) => id === 'TXS-13')!;
    assert.equal(rule.lost, ['seeds.settled_transactions']);
    assert.is(code, 4);
    assert.match(err, '1 rule that no option forgives (blocked or inconclusive, or what was given');
  }),
);

gate(
  'the report says what to add for the selected rules that were not tested, and only those',
  () =>
    gated(async ({ cwd, given }) => {
      const all = await runJudge({ ...given, only: ['ACC-4'] }, { cwd });
      assert.equal(all.report.unlock, []);
      // NS-8: the text mentions Basic authentication, and contains no secret.
      assert.not.match(JSON.stringify(all.report.observed), '[redacted]');
      const { report } = await runJudge({ ...given, only: ['ACC-4', 'IDEM-6b', 'EVT-1'] }, { cwd });
      assert.is(report.summary.not_tested, 2);
      const additions = report.unlock.map(({ add, rules }) => [add.split(/[ ,]/)[0], rules]);
      assert.equal(additions, [
        ['a', 2],
        ['receiver', 1],
      ]);
    }),
);

gate('a dry run announces requests and records, and sends nothing', () =>
  gated(async ({ cwd, given, after, calls }) => {
    after(0, 500);
    const plan = await runJudge({ ...given, dryRun: true }, { cwd });
    assert.is(plan.code, 0);
    const planReport = plan.report as unknown as PlanReport;
    assert.is(planReport.per_second, 50);
    assert.ok(planReport.requests > 500 && planReport.makes.accounts > 100, plan.out);
    assert.ok(planReport.duration_ms > (planReport.requests / 50) * 500, plan.out);
    const text = await runJudge({ ...given, json: false, dryRun: true }, { cwd });
    assert.match(text.out, /Nothing was sent.*\n.*scenarios {6}\d+; \d+ more need something/);
    assert.is(calls(), 0);
  }),
);

interface PlanReport {
  readonly per_second: number;
  readonly requests: number;
  readonly duration_ms: number;
  readonly makes: { readonly accounts: number; readonly transactions: number };
}

gate('the inventory is close to the announcement', () =>
  gated(async ({ cwd, given, sandbox, calls }) => {
    const only = ['acc-*', 'HOOK-5'];
    const { report: planReport } = await runJudge({ ...given, only, dryRun: true }, { cwd });
    const { makes, requests } = planReport as unknown as PlanReport;
    const { report, err } = await runJudge({ ...given, only }, { cwd });
    const { made, mark, enabled, kept } = report.inventory!;
    assert.ok(Math.abs(made.accounts - makes.accounts) <= 6, `${made.accounts}`);
    assert.ok(Math.abs(calls() - requests) <= requests / 4, `${calls()}`);
    assert.ok(made.subscriptions > 0);
    assert.equal([enabled, kept], [[], true]);
    // Estimated before the first request was sent.
    assert.match(err.split('\n')[0]!, /about \d+ requests, about \d.* at 50 a second/);
    const { accounts } = await sandbox.control.listAccounts();
    const marked = accounts.filter(({ client_reference_id: name }) =>
      name.toLowerCase().includes(mark),
    );
    // One reference is a single character, so it contains no mark.
    assert.is(marked.length + 1, made.accounts + made.bulk_accounts);
    // Only one of the seeds is needed by the selection, so only that one was tested.
    assert.ok(made.transactions <= makes.transactions + 1);
  }),
);

gate.run();
