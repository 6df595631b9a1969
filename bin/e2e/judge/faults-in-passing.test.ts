// Faults that pass are never deviations of a conforming target: rate limits, gateways, firewalls, cut and
// slow connections, wrong clocks, contention, late refusals, and a stalled judge.
import { type RequestListener, request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATIONS } from '../../../conformance/spec/operations.ts';
import { runJudge, withServer } from '../../commands/conformance/testing/run-judge.ts';
import { startChaosProxy } from '../testing/chaos-proxy.ts';
import { onLiveTarget } from '../testing/live-profile.ts';
import { faultDrawer } from '../testing/network-faults.ts';
import { startSandbox } from '../testing/program.ts';
import { complaintsOf, sandboxed, verdictOf } from '../testing/sandboxed.ts';

const passing = suite('faults in passing');

const ORDINARY = ['ACC-1', 'UPD-7', 'TXN-2', 'HOOK-1', 'txs-approve-again'];
/** Limits, retries, faults and races, whose causes are the hardest to tell apart. */
const HARDEST = [
  ...['lim-rate', 'lim-nothing-done', 'idem-replay-create-account', 'idem-trouble-before'],
  ...['idem-crowd-held-back', 'evt-rotation', 'auth-token-expires'],
];

const RATES: [rate: number, seed: number, only: readonly string[], least: number][] = [
  [0.05, 12, [...ORDINARY, ...HARDEST], 7],
  [0.3, 13, ['bulk-*', 'txs-approve-again'], 1],
];
for (const [rate, seed, only, least] of RATES) {
  passing(`${rate * 100} of 100 requests fail: no deviation`, () =>
    sandboxed({ clock: 'frozen' }, async (target) => {
      const proxy = await startChaosProxy({ target, draw: faultDrawer(seed, rate), slowMs: 200 });
      const controlUrl = `${target}/_sandbox`;
      const { report, code } = await runJudge({ baseUrl: proxy.url, controlUrl, json: true, only });
      await proxy.close();
      assert.ok(proxy.injected.size > 0, 'faults were injected');
      assert.equal(complaintsOf(report), []);
      assert.ok([0, 4].includes(code), `exit ${code}`);
      assert.ok(report.summary.passed >= least, `${report.summary.passed} passed`);
    }),
  );
}

const SKEW_MS = -2 * 3_600_000;
passing('a clock two hours behind: no deviation', () => {
  const sandbox = { clock: new Date(Date.now() + SKEW_MS).toISOString() };
  const target = { rates: { per_second: 200 }, sandbox };
  return onLiveTarget(target, async ({ given, cwd, baseUrl, sandbox: { control } }) => {
    await control('PUT', 'clock', { mode: 'real' });
    const options = { target: baseUrl, draw: () => undefined, skewMs: SKEW_MS };
    const proxy = await startChaosProxy(options);
    const only = ['EVT-5a', 'HOOK-1', 'HOOK-2', 'TXN-1', 'AUTH-3a', 'ACC-1'];
    const { report, code } = await runJudge({ ...given, baseUrl: proxy.url, only }, { cwd });
    await proxy.close();
    assert.equal(complaintsOf(report), []);
    assert.ok([0, 4].includes(code), `exit ${code}`);
    assert.ok(report.summary.passed >= 5, `${report.summary.passed} passed`);
  });
});

// IDEM-6b: any write may be answered 503 `write_contention`, and run when it is repeated under its key.
passing('every tenth write is answered 503 write_contention: no deviation', () => {
  const rates = { per_second: 200, firm_per_second: 800 };
  const target = { rates, sandbox: { plan: 'pro', seed: 'contended' } } as const;
  return onLiveTarget(target, async ({ given, cwd, sandbox }) => {
    const effect = { kind: 'status', status: 503 };
    const writes = Object.entries(OPERATIONS).filter(([, { keyed }]) => keyed);
    for (const [operation] of writes) {
      await sandbox.control('POST', 'faults', { match: { operation }, effect, probability: 0.1 });
    }
    const only = ['ACC-1*', 'UPD-*', 'BULK-*', 'IDEM-6b'];
    const { report } = await runJudge({ ...given, only }, { cwd });
    assert.equal(complaintsOf(report), []);
    const refused = report.scenarios.flatMap(({ exchanges }) =>
      exchanges.filter(({ response }) => response?.body?.includes('write_contention')),
    );
    assert.ok(refused.length > 5, `${refused.length} were contended`);
    assert.ok(report.summary.passed >= 12, `${report.summary.passed} passed`);
  });
});

// LIM-5: the specification does not say how soon a refusal arrives. A late one is a refusal too.
const LATE_MS = 900;
const LATE: [words: string, isLate: ((sinceFirstMs: number) => boolean) | null, verdict: string][] =
  [
    ['late refusals of one burst: no deviation', (sinceMs) => sinceMs < LATE_MS / 2, 'passed'],
    ['late refusals of every burst: no deviation', () => true, 'passed'],
    ['refusals that never arrive because the request is delayed: a deviation', null, 'deviates'],
  ];
for (const [words, isLate, verdict] of LATE) {
  passing(words, async () => assert.is(await judgedBehind(isLate), verdict));
}

/** The verdict of LIM-5 behind a gateway that delays refusals, or with null never answers them. */
async function judgedBehind(isLate: ((sinceFirstMs: number) => boolean) | null) {
  return await sandboxed({ clock: 'frozen' }, async (target) => {
    let firstAtMs = 0;
    const delay: RequestListener = (incoming, response) => {
      const { method, headers, url } = incoming;
      const onward = request(`${target}${url}`, { method, headers }, (answer) => {
        const give = () => {
          response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
          answer.pipe(response);
        };
        if (answer.statusCode !== 429) return give();
        if (isLate === null) return answer.resume();
        firstAtMs ||= performance.now();
        setTimeout(give, isLate(performance.now() - firstAtMs) ? LATE_MS : 0);
      });
      incoming.pipe(onward);
    };
    return await withServer(delay, async (baseUrl) => {
      const options = { baseUrl, controlUrl: `${target}/_sandbox`, only: ['lim-rate'], json: true };
      return verdictOf((await runJudge(options)).report, 'LIM-5');
    });
  });
}

/** Blocks the event loop nearly all the time while `play` runs. */
async function starving<T>(blockMs: number, play: () => Promise<T>): Promise<T> {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let over = false;
  const block = () => {
    if (over) return;
    Atomics.wait(cell, 0, 0, blockMs);
    setTimeout(block, 15);
  };
  block();
  try {
    return await play();
  } finally {
    over = true;
  }
}

passing(
  'a starved judge, which receives timely deliveries late, reports no deviation',
  async () => {
    // The sandbox has its own process, which runs while the judge is blocked.
    const { program, ready } = await startSandbox(['--clock', 'frozen']);
    try {
      const only = ['evt-brands', 'evt-firms', 'evt-disabled'];
      const { report, code } = await starving(350, () =>
        runJudge({ baseUrl: ready.base_url, only, json: true }),
      );
      assert.equal(complaintsOf(report), []);
      assert.ok([0, 3, 4].includes(code), `exit ${code}`);
    } finally {
      program.signal('SIGTERM');
      await program.ended;
    }
  },
);

passing.run();
