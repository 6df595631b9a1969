// Network faults between the judge and a conforming target are never deviations of the target: rate
// limits, gateways, firewalls, cut and slow connections, and wrong clocks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type JudgeRun, runJudge, withFolder } from '../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from './testing/chaos-proxy.ts';
import { writeProfile } from './testing/live-profile.ts';
import { faultDrawer, type NetworkFault } from './testing/network-faults.ts';
import { complaintsOf, sandboxed } from './testing/sandboxed.ts';

function expectNoDeviation({ report, code }: JudgeRun, codes: readonly number[] = [0, 4]): void {
  assert.equal(complaintsOf(report), []);
  assert.ok(codes.includes(code), `exit ${code}`);
}

const chaos = suite('network faults');

const ORDINARY = ['ACC-1', 'UPD-7', 'TXN-2', 'HOOK-1', 'txs-approve-again'];
/** Limits, retries, faults and races, whose causes are the hardest to tell apart. */
const HARDEST = [
  ...['lim-rate', 'lim-nothing-done', 'idem-replay-create-account', 'idem-trouble-before'],
  ...['idem-crowd-held-back', 'evt-rotation', 'auth-token-expires'],
];

const DAYS: [rate: number, seed: number, only: readonly string[], least: number][] = [
  [0.05, 12, [...ORDINARY, ...HARDEST], 7],
  [0.3, 13, ['bulk-*', 'txs-approve-again'], 1],
];
for (const [rate, seed, only, least] of DAYS) {
  chaos(`${rate * 100} of 100 requests fail: no deviation`, () =>
    sandboxed({ clock: 'frozen' }, async (target) => {
      const proxy = await startChaosProxy({ target, draw: faultDrawer(seed, rate), slowMs: 200 });
      const controlUrl = `${target}/_sandbox`;
      const seen = await runJudge({ baseUrl: proxy.url, controlUrl, json: true, only });
      await proxy.close();
      assert.ok(proxy.injected.size > 0, 'faults were injected');
      expectNoDeviation(seen);
      const { passed } = seen.report.summary;
      assert.ok(passed >= least, `${passed} passed`);
    }),
  );
}

const UNANSWERED: readonly NetworkFault[] = ['reset-after', 'truncated'];
for (const fault of UNANSWERED) {
  chaos(`every response is ${fault}: no rule is passed`, () =>
    sandboxed({ clock: 'frozen' }, async (target) => {
      const proxy = await startChaosProxy({ target, draw: () => fault });
      const controlUrl = `${target}/_sandbox`;
      const only = ['BULK-6'];
      const seen = await runJudge({ baseUrl: proxy.url, controlUrl, json: true, only });
      await proxy.close();
      expectNoDeviation(seen, [3]);
      assert.is(seen.report.summary.passed, 0);
    }),
  );
}

const SKEW_MS = -2 * 3_600_000;
chaos('a clock two hours behind: no deviation', () =>
  sandboxed({ clock: new Date(Date.now() + SKEW_MS).toISOString() }, async (target, sandbox) => {
    await sandbox.control('PUT', 'clock', { mode: 'real' });
    const proxy = await startChaosProxy({ target, draw: () => undefined, skewMs: SKEW_MS });
    const only = ['EVT-5a', 'HOOK-1', 'HOOK-2', 'TXN-1', 'AUTH-3a', 'ACC-1'];
    await withFolder(async (cwd) => {
      const profile = await writeProfile(sandbox, cwd, { per_second: 200 });
      const given = { baseUrl: proxy.url, controlUrl: 'none', profile, json: true, only };
      const seen = await runJudge(given, { cwd });
      expectNoDeviation(seen);
      const passed = seen.report.rules.filter(({ verdict }) => verdict === 'passed');
      assert.ok(passed.length >= 5, passed.map(({ id }) => id).join(', '));
    });
    await proxy.close();
  }),
);

chaos.run();
