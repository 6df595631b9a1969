// The reports on a client: what is in them, and what a client prints breaks out of none of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NASTY } from '../../reports/testing/sample-report.ts';
import { applyBaseline, updatedBaseline } from '../baseline.ts';
import { countVerdicts } from '../make-report.ts';
import type { ClientReport, ReportCheck } from '../report.ts';
import { htmlReport } from './html.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { textReport } from './text.ts';
import { typed } from './words.ts';

const reports = suite('reports on a client');

function check(id: string, over: Partial<ReportCheck>): ReportCheck {
  return {
    id,
    title: 'the answer is lost',
    orders: 'Each write runs, and its answer is lost.',
    expected: 'repeats with the same key',
    at_stake: 'The money moves twice.',
    mend: { words: 'Keep the key.', example: 'POST /x\nIdempotency-Key: 1' },
    rules: [{ id: 'IDEM-4c', words: 'A repeat runs nothing.' }],
    verdict: 'passed',
    why: null,
    reason: null,
    places: 1,
    findings: [],
    shown: null,
    ...over,
  };
}

const finding = {
  place: 'POST /api/v1/accounts',
  verdict: 'fails',
  kind: 'new-key',
  actual: `sent again under ${NASTY}`,
  seen: '2 of 2 runs',
  run: 3,
  calls: [1, 2],
  replay: 'conformance client --only CLT-answer-lost -- node x.js',
  fingerprint: '0a1b2c3d4e5f',
} as const;

const call = (n: number, struck: string | null) => ({
  n,
  at_ms: n * 100,
  method: 'POST',
  target: '/api/v1/accounts',
  operation: 'createAccount',
  key: NASTY,
  if_match: null,
  body: NASTY,
  struck,
  status: struck === null ? 201 : null,
  retry_after: null,
  answer: NASTY,
  answered_at_ms: n * 100 + 5,
  abandoned_at_ms: null,
});

const checks = [
  check('CLT-answer-lost', { verdict: 'fails', findings: [finding] }),
  check('CLT-500', {}),
  check('CLT-429', { verdict: 'inconclusive', why: 'the first run failed', places: 0 }),
  check('CLT-stale-tag', { verdict: 'not_met', why: 'the command does nothing of the kind' }),
];

const report: ClientReport = {
  schema: 'client/1',
  tool: { name: 'conformance', version: '0.1.0' },
  command: ['node', NASTY],
  seed: 1,
  started_at: '2026-01-31T12:00:00.000Z',
  duration_ms: 1234,
  verdict: 'deviates',
  summary: countVerdicts(checks),
  runs: 3,
  requests: 12,
  interrupted: false,
  does: '1 write, 0 other calls, 0 token requests; it succeeded in 0.1 s',
  unusable: null,
  notes: ['It was run one at a time.'],
  checks,
  recordings: [
    {
      run: 3,
      ending: {
        words: 'ended with exit code 0',
        code: 0,
        signal: null,
        killed: false,
        duration_ms: 900,
        output: NASTY,
      },
      calls: [call(1, 'it ran, and the connection was cut'), call(2, null)],
      left_out: 0,
    },
  ],
  baseline: null,
};

const everywhere = ['CLT-answer-lost', 'repeats with the same key', 'The money moves twice.'];

reports('text: findings first, no control characters', () => {
  const text = textReport(report, { color: false, width: 100 }).join('\n');
  for (const words of everywhere) assert.ok(text.includes(words), words);
  assert.ok(text.indexOf('CLT-answer-lost') < text.indexOf('CLT-500'));
  assert.not.match(text, new RegExp(String.fromCharCode(27)));
  // Words are explained that stand in it, and no others.
  assert.match(text, /Idempotency-Key\. A write/);
  assert.not.match(text, /If-Match/);
});

reports('text: the same mending is shown once', () => {
  const again = check('CLT-request-lost', { verdict: 'fails', findings: [finding] });
  const both = { ...report, checks: [...checks, again] };
  const text = textReport(both, { color: false, width: 100 }).join('\n');
  assert.is(text.split('Idempotency-Key: 1').length, 2);
  assert.match(text, /mend +as at CLT-answer-lost/);
});

reports('text: where the first run was of no use the reason is told once, with the verdict', () => {
  const why = 'the first run called nothing of the sandbox';
  const idle = checks
    .filter(({ verdict }) => /not_met|incon/.test(verdict))
    .map((e) => ({ ...e, why }));
  const given = { ...report, verdict: 'invalid', checks: idle, unusable: why } as const;
  const text = textReport(given, { color: false, width: 100 }).join('\n');
  assert.is(text.split(why).length, 2);
  assert.not.match(text, 'not met: ');
});

reports('markdown: no line for a check that was not selected', () => {
  const left = check('CLT-jitter', { verdict: 'not_selected' });
  assert.not.match(markdownReport({ ...report, checks: [...checks, left] }), /CLT-jitter/);
});

reports('html: nothing that a client says becomes markup', () => {
  const page = htmlReport(report);
  for (const words of everywhere) assert.ok(page.includes(words), words);
  assert.not.ok(page.includes('<script>alert'));
  assert.ok(page.includes('What a right client does'));
});

reports('html: the calls that a finding names stand in it, however many there were', () => {
  const calls = Array.from({ length: 200 }, (_, n) => call(n + 1, null));
  const [recording] = report.recordings;
  const late = check('CLT-500', { verdict: 'fails', findings: [{ ...finding, calls: [180] }] });
  const recordings = [{ ...recording!, calls, left_out: 800 }];
  const page = htmlReport({ ...report, checks: [late], recordings });
  assert.match(page, '180. POST /api/v1/accounts');
  assert.match(page, 'and 940 other calls');
});

reports('markdown: nothing that a client says becomes a link or a tag', () => {
  const page = markdownReport(report);
  for (const words of ['CLT-answer-lost', 'The money moves twice.'])
    assert.ok(page.includes(words));
  const outside = page.replace(/```[\s\S]*?```/g, '').replace(/`+[^`]*`+/g, '');
  assert.not.match(outside, /<script>/);
  assert.not.match(page, new RegExp(String.fromCharCode(27)));
});

reports('junit: a failure, an error for what could not be judged, a skip', () => {
  const xml = junitReport(report);
  assert.match(xml, /tests="4" failures="1" errors="1" skipped="1"/);
  assert.not.ok(xml.includes('<script>'));
  assert.not.match(xml, new RegExp(String.fromCharCode(0)));
});

reports('a baseline bears with what it knows, and with nothing else', () => {
  const now = Date.parse('2026-02-01T00:00:00Z');
  const baseline = updatedBaseline(report, { known: [] }, now);
  assert.is(baseline.known.length, 1);
  const borne = applyBaseline(report, baseline, '2026-02-01', false);
  assert.is(borne.checks[0]?.verdict, 'known');
  assert.is(borne.verdict, 'incomplete');
  assert.is(applyBaseline(report, baseline, '2026-02-01', true).verdict, 'deviates');
  const other = { ...finding, fingerprint: 'ffffffffffff' };
  const again = check('CLT-answer-lost', { verdict: 'fails', findings: [finding, other] });
  const more = applyBaseline({ ...report, checks: [again] }, baseline, '2026-02-01', false);
  assert.is(more.verdict, 'deviates');
  const expired = applyBaseline(report, baseline, '2027-01-01', false);
  assert.is(expired.verdict, 'deviates');
  assert.is(expired.baseline?.expired.length, 1);
  const mended = { ...report, checks: [check('CLT-answer-lost', {})] };
  const stale = applyBaseline(mended, baseline, '2026-02-01', false);
  assert.is(stale.baseline?.stale.length, 1);
});

reports('a command is written as its terminal takes it', () => {
  const command = ['npm', 'test', String.raw`C:\my tests\a.js`, "it's", '%PATH%'];
  assert.is(typed(command, 'linux'), String.raw`npm test 'C:\my tests\a.js' 'it'\''s' %PATH%`);
  assert.is(typed(command, 'win32'), String.raw`npm test "C:\my tests\a.js" "it's" "%PATH%"`);
});

reports.run();
