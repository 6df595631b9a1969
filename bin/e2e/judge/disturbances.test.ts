// Faults of a gateway, of a failing target or of a stalled judge are deviations of no rule; and the
// rules that a finding presumes are judged first.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  countHindered,
  exitCode,
  judgeRule,
  judgeRun,
} from '../../../conformance/engine/judge/verdicts.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import type { ScenarioContext } from '../../../conformance/engine/scenario/scenario-context.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import type { RuleId, Scenario, ScenarioResult } from '../../../conformance/engine/types.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { scenarios as all } from '../../../conformance/scenarios/all.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { createSandbox } from '../../../simulator/index.ts';

interface Call {
  readonly path: string;
  readonly text: string;
  readonly key: string | null;
}

/** The response instead of that of the sandbox; null resets the connection. */
type Disturbance = (call: Call) => Response | null | undefined;

const BULK = all.filter(({ id }) => /^bulk-(?!scope)/.test(id));
const CROWD = all.filter(({ id }) => id === 'idem-crowd-of-writes');

interface Playing {
  readonly scenarios?: readonly Scenario[];
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly disturb?: Disturbance;
  readonly signal?: AbortSignal;
  readonly isHurried?: boolean;
}

/** Plays scenarios in worlds of a sandbox, and checks that all are dropped at the end. */
async function play(given: Playing): Promise<readonly ScenarioResult[]> {
  const { scenarios = BULK, only = [], skip = [], disturb, signal } = given;
  const sandbox = await createSandbox({ clock: 'frozen' });
  const baseUrl = 'http://target.test';
  const sender = fetchSender(async (request) => {
    const path = new URL(request.url).pathname;
    if (disturb === undefined || !path.startsWith('/api/')) return sandbox.fetch(request);
    const text = await request.clone().text();
    const instead = disturb({ path, text, key: request.headers.get('idempotency-key') });
    if (instead === null) throw new TypeError('fetch failed');
    return instead ?? sandbox.fetch(request);
  });
  const provider = await controlProvider({ baseUrl, controlUrl: `${baseUrl}/_sandbox`, sender });
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const run = await runScenarios({
    ...{ scenarios, provider, sender, selection: { only, skip }, timeoutMs: 2_000 },
    ...(given.isHurried === true && { pause }),
    ...(signal && { signal }),
  });
  await provider.close();
  const { worlds } = await sandbox.control.listWorlds();
  assert.is(worlds.length, 1);
  await sandbox.close();
  return run.scenarios;
}

const RULES = [...new Set(BULK.flatMap((each) => each.rules))];

async function verdictsUnder(disturb: Disturbance) {
  const results = await play({ disturb, isHurried: true });
  return new Map(RULES.map((id) => [id, judgeRule(findRule(id), results).verdict]));
}

let responses = 0;

function respond(status: number, body: string, type = 'application/json'): Response {
  responses += 1;
  const headers = { 'content-type': type, 'x-request-id': `disturbed-${responses}` };
  return new Response(body, { status, headers });
}

const PROBLEM = 'application/problem+json';
const contention = () => respond(503, '{"code":"write_contention"}', PROBLEM);
const isEmpty = ({ text }: Call) => text === '{"accounts":[]}';

const disturbed = suite('a disturbed run');

const UNJUDGEABLE: readonly (readonly [words: string, disturb: Disturbance])[] = [
  ['an HTML error page for everything', () => respond(404, '<h1>no', 'text/html')],
  ['every connection cut', () => null],
  ['401 for everything', () => respond(401, '{"code":"unauthorized"}')],
  ['502 for everything', () => respond(502, '')],
  ['500 for everything', () => respond(500, '{"code":"internal_error"}')],
];
for (const [words, disturb] of UNJUDGEABLE) {
  disturbed(`${words}: nothing passes`, async () => {
    const verdicts = await verdictsUnder(disturb);
    const isOpen = /^500/.test(words) ? /deviates|blocked|inconclusive/ : /blocked|inconclusive/;
    for (const [id, verdict] of verdicts) assert.match(verdict, isOpen, id);
  });
}

disturbed('contention that never ends is the response', async () => {
  const verdicts = await verdictsUnder((call) => (isEmpty(call) ? contention() : undefined));
  const deviating = [...verdicts].filter(([, verdict]) => verdict === 'deviates');
  assert.equal(deviating, [['BULK-6', 'deviates']]);
});

disturbed(
  'a target that stops during the run causes no deviation, and the run is incomplete',
  async () => {
    const calls: Call[] = [];
    const note: Disturbance = (call) => {
      calls.push(call);
      return undefined;
    };
    await play({ disturb: note, isHurried: true });
    // Scenarios run concurrently: all but the last one end before the last calls.
    let left = calls.length - 2;
    const results = await play({ disturb: () => (--left < 0 ? null : undefined), isHurried: true });
    const rules = RULES.map((id) => judgeRule(findRule(id), results));
    const verdicts = rules.map(({ verdict }) => verdict);
    assert.not(verdicts.includes('deviates'));
    assert.ok(verdicts.includes('passed'));
    const summary = { harness_error: 0 };
    const hindered = countHindered(rules);
    const outcome = { verdict: judgeRun(rules), summary, interrupted: false, stale: 0, hindered };
    assert.is(exitCode(outcome, true), 4);
  },
);

// IDEM-15 on a target that refuses duplicates while the first one runs, by the form of the refusal.
const DUPLICATES: readonly (readonly [body: string, type: string, deviating: string[]])[] = [
  ['{"code":"idempotency_in_flight"}', PROBLEM, []],
  ['wait', 'text/plain', ['ERR-1a']],
  ['{"code":"invalid_state"}', PROBLEM, ['IDEM-15']],
];
for (const [body, type, deviating] of DUPLICATES) {
  disturbed(`duplicates get 409 ${body}: ${deviating}`, async () => {
    const running = new Set<string | null>();
    const ended = new Set<string | null>();
    const disturb: Disturbance = ({ key }) => {
      if (ended.has(key)) return undefined;
      if (running.has(key)) return respond(409, body, type);
      running.add(key);
      // Later repeats get the first response.
      setImmediate(() => setImmediate(() => ended.add(key)));
      return undefined;
    };
    const [result] = await play({ scenarios: CROWD, disturb });
    const found = result!.findings.filter(({ verdict }) => verdict === 'deviates');
    const rules = new Set(found.flatMap((each) => each.rules));
    assert.equal(
      [...rules].filter((rule) => rule === 'IDEM-15' || deviating[0] === 'ERR-1a'),
      deviating,
    );
    const findings = result!.findings.filter((each) => each.rules.includes('IDEM-15'));
    if (deviating.length === 0) assert.ok(findings.some(({ verdict }) => verdict === 'passed'));
  });
}

const scenarioOf = (rule: RuleId, run: Scenario['run']): Scenario => ({
  ...{ id: rule.toLowerCase(), title: rule, rules: [rule], run },
});

disturbed('a presumed rule is judged too, unless it is skipped', async () => {
  const create = (t: ScenarioContext) => t.call('createAccount', { body: t.newAccount() });
  const scenarios = [
    scenarioOf('ACC-1', async (t) => void t.expect('ACC-1', await create(t)).status(200)),
    scenarioOf('ACC-13', async (t) => {
      t.expect('ACC-13', await create(t)).field('country', 'nowhere');
    }),
  ];
  const verdicts = async (only: string[], skip: string[] = []) =>
    (await play({ scenarios, only, skip })).map(({ verdict, attempts }) => [verdict, attempts]);
  const unselected = (attempts: number) => ['not_selected', attempts];
  assert.equal(await verdicts([]), [
    ['deviates', 1],
    ['blocked', 1],
  ]);
  assert.equal(await verdicts(['ACC-13']), [unselected(1), ['blocked', 1]]);
  assert.equal(await verdicts([], ['ACC-1']), [unselected(0), ['deviates', 1]]);
});

disturbed('a run leaves no timer, interrupted or not', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const interrupting = new AbortController();
  const interrupted = scenarioOf('BULK-1', async (t) => {
    setImmediate(() => interrupting.abort());
    await t.sleep(60_000);
  });
  const ended = scenarioOf('BULK-1', async (t) => {
    await Promise.race([t.sleep(60_000), Promise.resolve()]);
  });
  const before = timers();
  await play({ scenarios: [interrupted], signal: interrupting.signal });
  await play({ scenarios: [ended] });
  assert.is(timers(), before);
});

/** Blocks this process. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Waits for something that never happens. */
async function miss(t: ScenarioContext, blockMs: number): Promise<void> {
  const hasArrived = await t.until(() => {
    if (blockMs > 0) block(blockMs);
    return false;
  }, 20);
  t.claim('EVT-4', 'it comes', hasArrived, 'it never came');
}

type Stalled = (t: ScenarioContext, attempt: number) => Promise<void>;
const STALLS: readonly (readonly [words: string, verdict: string, attempts: number, Stalled])[] = [
  ['in every attempt', 'inconclusive', 3, (t) => miss(t, 350)],
  ['in the first attempt', 'deviates', 2, (t, attempt) => miss(t, attempt === 1 ? 350 : 0)],
  [
    'during the setup of the first attempt',
    'passed',
    2,
    async (t, attempt) => {
      if (attempt === 1) await miss(t, 350);
      if (attempt === 1) t.pick((await t.given.account()).answer, 'nothing.there');
      t.claim('EVT-4', 'it comes', true, '');
    },
  ],
  [
    'that does not affect the finding',
    'deviates',
    1,
    async (t) => {
      const { answer } = await t.given.account();
      block(350);
      t.expect('EVT-4', answer).status(299);
    },
  ],
];
for (const [words, verdict, attempts, run] of STALLS) {
  disturbed(`a stall of the judge ${words}: ${verdict}`, async () => {
    let attempt = 0;
    const [result] = await play({ scenarios: [scenarioOf('EVT-4', (t) => run(t, ++attempt))] });
    assert.equal([result!.verdict, result!.attempts], [verdict, attempts]);
    if (verdict === 'inconclusive') {
      assert.match(result!.findings[0]!.actual, /^it never came \(this machine gave the judge no/);
    }
  });
}

disturbed.run();
