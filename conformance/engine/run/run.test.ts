// Plays the bulk family against a small stand-in with one defect planted at a time, and holds the
// verdicts.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findRule, type RuleId } from '../../../fixtures/rules.ts';
import { controlProvider } from '../../providers/control-provider.ts';
import { bulkScenarios } from '../../scenarios/bulk/create.ts';
import { judgeRule, judgeRun } from '../judge/verdicts.ts';
import { fetchSender } from '../send/sender.ts';
import {
  type Defect,
  FAKE_BASE_URL,
  FAKE_CONTROL_URL,
  FakeTarget,
} from '../testing/fake-target.ts';
import type { Scenario, Verdict } from '../types.ts';
import { countHindered, exitCode } from './exit-code.ts';
import { runScenarios } from './run.ts';
import { EVERYTHING, type Selection } from './select.ts';

const BULK_RULES = [...new Set(bulkScenarios.flatMap((each) => each.rules))];

async function judge(defect?: Defect, selection: Selection = EVERYTHING) {
  const fake = new FakeTarget(defect);
  const sender = fetchSender(fake.fetch);
  const parts = { baseUrl: FAKE_BASE_URL, controlUrl: FAKE_CONTROL_URL, sender };
  const provider = await controlProvider(parts);
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const result = await runScenarios({
    scenarios: bulkScenarios,
    provider,
    sender,
    selection,
    timeoutMs: 2_000,
    pause,
  });
  await provider.close();
  const verdicts = {} as Record<RuleId, Verdict>;
  for (const id of BULK_RULES) verdicts[id] = judgeRule(findRule(id), result.scenarios).verdict;
  return { fake, result, verdicts };
}

function bendJson(test: (path: string) => boolean, bend: (body: never) => unknown): Defect {
  return (call, reply) =>
    test(call.path) && reply.status < 300
      ? { ...reply, body: JSON.stringify(bend(JSON.parse(reply.body) as never)) }
      : undefined;
}

const isBulk = (path: string) => path.endsWith('/bulk');

const run = suite('a run against a stand-in');

run('a conforming target passes every rule, and its worlds are dropped', async () => {
  const { fake, result, verdicts } = await judge();
  for (const id of BULK_RULES) assert.is(verdicts[id], 'passed', `${id}: ${explain(result, id)}`);
  assert.is(result.requests, fake.calls.length);
  assert.is(fake.worldsDropped, fake.worldsMade);
});

interface Batch {
  total: number;
  created: number;
  rows: { status: number; id: string | null; code: string | null }[];
}

const DEFECTS: [name: string, defect: Defect, deviating: RuleId[]][] = [
  [
    'rows sorted',
    bendJson(isBulk, (b: Batch) => ({ ...b, rows: b.rows.toReversed() })),
    ['BULK-2'],
  ],
  [
    'counts only 201',
    bendJson(isBulk, (b: Batch) => {
      const created = b.rows.filter((each) => each.status === 201).length;
      return { ...b, created, failed: b.total - created };
    }),
    ['BULK-4'],
  ],
  [
    'failures without a code',
    bendJson(isBulk, (b: Batch) => ({
      ...b,
      rows: b.rows.map((each) => ({ ...each, code: null })),
    })),
    ['BULK-5'],
  ],
  [
    'an empty batch is served',
    (call, reply) =>
      call.text === '{"accounts":[]}'
        ? { ...reply, status: 200, body: '{"total":0,"rows":[]}' }
        : undefined,
    ['BULK-6'],
  ],
  [
    '207 for a batch',
    (call, reply) =>
      isBulk(call.path) && reply.status === 200 ? { ...reply, status: 207 } : undefined,
    ['BULK-1'],
  ],
];

for (const [name, defect, deviating] of DEFECTS) {
  run(`${name}: deviates ${deviating.join(', ')}`, async () => {
    const { verdicts } = await judge(defect);
    for (const id of deviating) assert.is(verdicts[id], 'deviates', id);
  });
}

const UNJUDGEABLE: [name: string, defect: Defect][] = [
  [
    'an HTML error page for everything',
    (_, reply) => ({
      ...reply,
      status: 404,
      body: '<h1>no',
      headers: { 'content-type': 'text/html' },
    }),
  ],
  ['every connection cut', () => null],
  [
    '401 for everything',
    (_, reply) => ({ ...reply, status: 401, body: '{"code":"unauthorized"}' }),
  ],
  ['502 for everything', (_, reply) => ({ ...reply, status: 502, body: '' })],
];

for (const [name, defect] of UNJUDGEABLE) {
  run(`${name}: nothing is judged`, async () => {
    const { verdicts } = await judge(defect);
    for (const id of BULK_RULES) assert.ok(['blocked', 'inconclusive'].includes(verdicts[id]), id);
  });
}

run('a gateway that answers 502 now and then spoils nothing', async () => {
  let calls = 0;
  const { verdicts, result } = await judge((_, reply) => {
    calls += 1;
    return calls % 9 === 0 ? { ...reply, status: 502, body: 'bad gateway' } : undefined;
  });
  for (const id of BULK_RULES) {
    assert.is.not(verdicts[id], 'deviates', `${id}: ${explain(result, id)}`);
  }
});

run('a target that dies on the way is blamed for nothing, and nothing forgives it', async () => {
  let calls = 0;
  const { verdicts, result } = await judge(() => {
    calls += 1;
    return calls > 40 ? null : undefined;
  });
  const rules = BULK_RULES.map((id) => judgeRule(findRule(id), result.scenarios));
  for (const id of BULK_RULES) assert.is.not(verdicts[id], 'deviates', id);
  assert.ok(Object.values(verdicts).includes('passed'));
  const summary = { harness_error: 0 } as Parameters<typeof exitCode>[0]['summary'];
  const hindered = countHindered(rules);
  assert.ok(hindered > 0);
  const outcome = { verdict: judgeRun(rules), summary, interrupted: false, stale: 0, hindered };
  assert.is(exitCode(outcome, true), 4);
});

run('a target that answers 500 to everything never passes', async () => {
  const { verdicts } = await judge((_, reply) => ({
    ...reply,
    status: 500,
    body: '{"code":"internal_error"}',
  }));
  for (const id of BULK_RULES) assert.is.not(verdicts[id], 'passed', id);
});

const contention = {
  status: 503,
  headers: { 'content-type': 'application/problem+json' },
  body: '{"code":"write_contention"}',
};

run('contention that passes when the call is sent again is held against no one', async () => {
  const keys = new Set<string | null>();
  const { verdicts } = await judge(({ path, headers }) => {
    const key = headers.get('idempotency-key');
    if (!isBulk(path) || keys.has(key)) return undefined;
    keys.add(key);
    return contention;
  });
  for (const id of BULK_RULES) assert.is.not(verdicts[id], 'deviates', id);
});

run('one that never passes is the answer', async () => {
  const isEmpty = (text: string) => text === '{"accounts":[]}';
  const { verdicts } = await judge(({ text }) => (isEmpty(text) ? contention : undefined));
  assert.equal(
    BULK_RULES.filter((id) => verdicts[id] === 'deviates'),
    ['BULK-6'],
  );
});

const made: Scenario = {
  id: 'made',
  title: 'A create answers 200 here',
  rules: ['ACC-1'],
  async run(t) {
    t.expect('ACC-1', await t.api.createAccount(t.newAccount())).status(200);
  },
};
const stored: Scenario = {
  id: 'stored',
  title: 'What was created reads so',
  rules: ['ACC-13'],
  async run(t) {
    const answer = await t.api.createAccount(t.newAccount());
    t.expect('ACC-13', answer).field('country', 'nowhere');
  },
};

async function verdictsOf(only: string[], skip: string[] = []) {
  const fake = new FakeTarget();
  const sender = fetchSender(fake.fetch);
  const parts = { baseUrl: FAKE_BASE_URL, controlUrl: FAKE_CONTROL_URL, sender };
  const provider = await controlProvider(parts);
  const scenarios = [made, stored];
  const result = await runScenarios({ scenarios, provider, sender, selection: { only, skip } });
  await provider.close();
  return result.scenarios.map(({ id, verdict, attempts }) => [id, verdict, attempts]);
}

run('what a finding takes for granted is looked at before anyone is blamed', async () => {
  const both = [
    ['made', 'deviates', 1],
    ['stored', 'blocked', 1],
  ];
  assert.equal(await verdictsOf([]), both);
  const asked = await verdictsOf(['ACC-13']);
  assert.equal(asked, [
    ['made', 'not_selected', 1],
    ['stored', 'blocked', 1],
  ]);
  // What was left out on purpose is not played, and so explains nothing.
  assert.equal(await verdictsOf([], ['ACC-1']), [
    ['made', 'not_selected', 0],
    ['stored', 'deviates', 1],
  ]);
});

run('a refusal without a code says nothing of its own rule, whatever is selected', async () => {
  const defect: Defect = (call, reply) =>
    call.text === '{"accounts":[]}'
      ? { status: 422, body: 'no rows', headers: { 'content-type': 'text/plain' } }
      : reply;
  const play = async (only: string[], skip: string[] = []) => {
    const { result, verdicts } = await judge(defect, { only, skip });
    return [verdicts['BULK-6'], judgeRule(findRule('ERR-1a'), result.scenarios).verdict];
  };
  assert.equal(await play([]), ['blocked', 'deviates']);
  assert.equal(await play(['BULK-6']), ['blocked', 'not_tested']);
  assert.equal(await play([], ['ERR-1a']), ['deviates', 'not_tested']);
});

run('what an interrupted run waited for does not keep the process', async () => {
  const sender = fetchSender(new FakeTarget().fetch);
  const parts = { baseUrl: FAKE_BASE_URL, controlUrl: FAKE_CONTROL_URL, sender };
  const provider = await controlProvider(parts);
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const interrupting = new AbortController();
  const before = timers();
  const waits: Scenario = {
    ...bulkScenarios[0]!,
    run: async (session) => {
      setImmediate(() => interrupting.abort());
      await session.sleep(60_000);
    },
  };
  const { signal } = interrupting;
  await runScenarios({ scenarios: [waits], provider, sender, signal });
  await provider.close();
  assert.is(timers(), before);
});

function explain(result: Awaited<ReturnType<typeof judge>>['result'], id: RuleId): string {
  const own = result.scenarios.filter((each) => each.rules.includes(id));
  return JSON.stringify(
    own.map(({ id, why, findings }) => ({
      id,
      why,
      findings: findings.filter((each) => each.verdict !== 'passed'),
    })),
    null,
    1,
  );
}

run.run();
