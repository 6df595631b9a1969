// Reports for tests of the formats: every verdict once, and a target whose responses try to break
// out of the surrounding markup.
import type { Verdict } from '../../engine/types.ts';
import type { Report, ReportExchange, ReportFinding, ReportRule } from '../report.ts';
import { countVerdicts } from '../verdict-words.ts';

/** Markup, table cells, terminal escapes, workflow commands and characters that XML cannot hold. */
export const NASTY =
  `<script>alert("1")</script> & 'q' | \`c\` **b** [l](x) ]]> \u001b[31mred\u0000\ufffe\ud800 ` +
  `@team\n::error::no\n\u202e --> %0A`;

const exchange: ReportExchange = {
  n: 3,
  kind: 'call',
  as: 'firm',
  request: {
    method: 'POST',
    url: 'http://127.0.0.1:7420/api/v1/accounts',
    headers: [
      ['authorization', 'Bearer [redacted]'],
      ['content-type', 'application/json'],
      ['idempotency-key', 'key-0a1b2c3d4e-9f8e7d-1'],
    ],
    body: '{"client_reference_id":"ref-0a1b2c3d4e-9f8e7d-1","note":"it\'s"}',
  },
  response: { status: 201, headers: [['content-type', NASTY]], body: NASTY },
  failure: null,
  at_ms: 10,
  duration_ms: 2.5,
};

export const findingOf = (parts: Partial<ReportFinding> = {}): ReportFinding => ({
  scenario: 'sample-one',
  verdict: 'deviates',
  expected: '409 invalid_state',
  actual: NASTY,
  exchanges: [3],
  replay: 'conformance run --base-url http://127.0.0.1:7420 --only sample-one --seed 1',
  fingerprint: '0a1b2c3d4e5f',
  ...parts,
});

function rule(id: string, verdict: Verdict, parts: Partial<ReportRule> = {}): ReportRule {
  return {
    id,
    family: id.split('-')[0]!,
    words: `The rule \`${id}\` says something & more.`,
    verdict,
    ...{ scenarios: ['sample-one'], needs: [], unlock: [], lost: [], reason: null, findings: [] },
    ...parts,
  };
}

/** A rule whose findings are of its own verdict. */
const found = (id: string, verdict: ReportFinding['verdict']) =>
  rule(id, verdict, { findings: [findingOf({ verdict })] });

const rules: ReportRule[] = [
  rule('ACC-1', 'passed'),
  found('ACC-2', 'deviates'),
  found('ACC-3', 'advisory'),
  found('IDEM-4b', 'inconclusive'),
  found('IDEM-5', 'blocked'),
  found('IDEM-8', 'harness_error'),
  rule('EVT-1', 'not_tested', { needs: ['receiver'], unlock: ['receiver, with a public_url'] }),
  rule('EVT-3', 'not_selected'),
  rule('LIM-1', 'known', { reason: `ticket 7 ${NASTY}`, findings: [findingOf()] }),
];

const scenario: Report['scenarios'][number] = {
  id: 'sample-one',
  title: 'A title with <b>markup</b>',
  verdict: 'deviates',
  rules: rules.map((each) => each.id),
  by_rule: { 'ACC-1': 'passed', 'ACC-2': 'deviates', 'LIM-1': 'deviates' },
  why: NASTY,
  attempts: 2,
  duration_ms: 900,
  exchanges: [
    exchange,
    {
      ...exchange,
      n: 4,
      kind: 'operator',
      as: null,
      request: { method: 'advance', url: '', headers: [], body: '[30000]' },
      response: { status: 200, headers: [], body: '[]' },
    },
    { ...exchange, n: 5, kind: 'delivery', as: null, response: null, failure: NASTY },
  ],
};

/** All verdicts, one each. */
export const sampleReport: Report = {
  schema: 1,
  tool: { name: 'conformance', version: '0.1.0' },
  target: { base_url: 'http://127.0.0.1:7420', control_url: null },
  seed: 1,
  started_at: '2026-01-31T12:00:00.000Z',
  duration_ms: 1234,
  verdict: 'deviates',
  summary: countVerdicts(rules),
  requests: 12,
  interrupted: false,
  mark: '0a1b2c3d4e',
  notes: [`a note ${NASTY}`],
  rules,
  scenarios: [scenario],
  observed: [
    {
      ...{ id: 'NS-6', question: 'Which status?', observed: NASTY, simulator: '422' },
      ...{ same: false, settings: { batch_refusal_status: 400 } },
    },
    {
      ...{ id: 'NS-9', question: 'Which fields?', observed: null, simulator: 'some' },
      ...{ same: null, settings: {} },
    },
  ],
  unlock: [{ add: `receiver ${NASTY}`, rules: 12, with_others: 3 }],
  inventory: {
    mark: '0a1b2c3d4e',
    made: {
      ...{ accounts: 217, bulk_accounts: 75, transactions: 0 },
      ...{ positions: 1, subscriptions: 2, tokens: 0 },
    },
    unanswered: 1,
    enabled: [{ kind: 'subscription', id: '12' }],
    kept: true,
  },
  baseline: {
    known: 1,
    accepted: 0,
    stale: [{ rule: 'ACC-1', scenario: 'sample-one', reason: NASTY, expires: null }],
    expired: [{ rule: 'ACC-2', scenario: 'sample-one', reason: 'r', expires: '2026-01-01' }],
  },
};

/** The report on a client: a failing check, and the run that shows it. */
export const sampleClientReport: Report = {
  ...sampleReport,
  judge: 'client',
  target: { base_url: `node ${NASTY}`, control_url: null },
  client: { command: ['node', NASTY], runs: 3, does: '1 write; it succeeded in 0.1 s' },
  rules: [
    rule('CLT-answer-lost', 'deviates', {
      family: 'checks',
      findings: [
        findingOf({
          scenario: 'CLT-answer-lost',
          recording: 'run-3',
          place: 'POST /api/v1/accounts',
          seen: '2 of 2 runs',
          advice: { why: 'w', at_stake: 'The money moves twice.', mend: 'Keep.' },
        }),
      ],
    }),
    rule('CLT-500', 'inconclusive', { family: 'checks', why: 'the first run failed' }),
    rule('CLT-503', 'passed', { family: 'checks' }),
    rule('CLT-429', 'not_tested', { family: 'checks' }),
  ],
  scenarios: [
    {
      ...scenario,
      id: 'run-3',
      rules: ['CLT-answer-lost'],
      ending: { words: 'ended with exit code 0', at_ms: 900, output: NASTY },
      exchanges: [
        exchange,
        { ...exchange, n: 4, response: null, failure: 'it ran, and the connection was cut' },
      ],
    },
  ],
  observed: [],
  unlock: [],
  baseline: null,
};
