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

const ORDINARY = ['ACC-1', 'UPD-7', 'TXN-2', 'HOOK-1'];
/** Limits, retries, faults and races make causes hardest to tell apart here. */
const HARDEST = ['LIM-5', 'IDEM-4c', 'IDEM-6*', 'IDEM-15', 'EVT-7', 'TXS-4', 'AUTH-3a'];

const DAYS: [rate: number, seed: number, only: readonly string[], least: number][] = [
  [0.05, 12, [...ORDINARY, ...HARDEST], 7],
  [0.3, 13, ['BULK-*', 'TXS-4'], 1],
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

const NETWORK_FAULTS = ['error-page', 'reset-after', 'truncated', 'slow'] as const;
for (const fault of NETWORK_FAULTS.slice(1, 3)) {
  chaos(`every response is ${fault}: no rule is passed without evidence`, () =>
    sandboxed({ clock: 'frozen' }, async (target) => {
      const draw = (): NetworkFault => fault;
      const proxy = await startChaosProxy({ target, draw, slowMs: 20 });
      const controlUrl = `${target}/_sandbox`;
      const only = ['BULK-1', 'BULK-6'];
      const seen = await runJudge({ baseUrl: proxy.url, controlUrl, json: true, only });
      await proxy.close();
      expectNoDeviation(seen, fault === 'slow' ? [0] : [3]);
      assert.is(seen.report.summary.passed, fault === 'slow' ? 2 : 0);
    }),
  );
}

const MINUTE_MS = 60_000;
const SKEWS = [-120];
for (const skewMs of SKEWS.map((minutes) => minutes * MINUTE_MS)) {
  chaos(`a clock ${skewMs / MINUTE_MS} minutes off: no deviation`, () =>
    sandboxed({ clock: new Date(Date.now() + skewMs).toISOString() }, async (target, sandbox) => {
      await sandbox.control('PUT', 'clock', { mode: 'real' });
      const proxy = await startChaosProxy({ target, draw: () => undefined, skewMs });
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
}

chaos.run();
