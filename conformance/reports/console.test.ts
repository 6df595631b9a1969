// What a person reads at the end of a run.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GONE } from '../engine/record/exchange-recorder.ts';
import { countVerdicts } from './build-report.ts';
import { consoleReport } from './console.ts';
import { sampleReport } from './testing/sample-report.ts';

const text = suite('console');

const lines = consoleReport(sampleReport, { color: false, width: 80, jsonFile: 'r.json' });
const page = lines.join('\n');

text('a deviation shows rule, expected, actual, exchange, and how to try again', () => {
  const at = lines.indexOf('✗ ACC-2 deviates');
  assert.ok(at >= 0);
  const own = lines.slice(at, at + 22).join('\n');
  for (const words of [
    'The rule `ACC-2` says something & more.',
    'expected  409 invalid_state',
    '3. POST /api/v1/accounts as firm',
    '→ 201',
    'conformance run --base-url http://127.0.0.1:7420 --only sample-one',
    'conformance replay r.json sample-one',
  ]) {
    assert.ok(own.replace(/\n {12}/g, ' ').includes(words), `${words} in\n${own}`);
  }
});

text('ends with the verdict and the counts, which are all of them', () => {
  const end = lines.slice(lines.findIndex((line) => /^deviates: http/.test(line)));
  assert.match(end[1]!, /^9 rules: /);
  const after = end.findIndex((line) => / requests? in /.test(line));
  const counts = end.slice(1, after).join(' ');
  assert.match(end.slice(after).join(' '), /217 accounts.*Still enabled.*1 subscription 12/);
  const numbers = [...counts.matchAll(/(\d+) (?!rules)/g)].map(([, n]) => Number(n));
  assert.is(
    numbers.reduce((sum, n) => sum + n, 0),
    sampleReport.rules.length,
  );
  assert.match(end[after]!, 'seed 1');
});

text('says what would unlock more, what is open, and what the baseline has', () => {
  for (const words of [
    '(+12, and 3 together with others)',
    'NS-6',
    'LIM-1: ticket 7',
    '2026-01-01',
  ]) {
    assert.match(page, words);
  }
});

text('a target cannot steer the terminal', () => {
  const colored = consoleReport(sampleReport, { color: true, width: 80 }).join('\n');
  for (const each of [page, colored]) {
    assert.not.ok(each.includes('\u0000'));
    assert.not.ok(each.includes('\u001b[31mred'));
  }
  assert.not.ok(page.includes('\u001b'));
});

text('keeps within the columns of the terminal where words can be folded', () => {
  for (const line of lines) assert.not.match(line, /\n/);
  const wide = lines.filter((line) => line.length > 80 && !line.includes('conformance run'));
  assert.equal(wide, []);
});

text('an interrupted run says so, of what it did not come to as well', () => {
  const rules = sampleReport.rules.map((each) => ({ ...each, unlock: [] }));
  const given = { ...sampleReport, rules, interrupted: true };
  const cut = consoleReport(given, { color: false, width: 80 });
  assert.match(cut.join('\n'), '(interrupted: this is what was done until then)');
  assert.match(cut.join('\n'), '1 rule not tested: the run was interrupted before');
});

text('where nothing was tried the reason stands with the verdict, and little else', () => {
  const why = 'Nothing was tried: the connection was refused.';
  const rules = sampleReport.rules.filter(({ verdict }) => /blocked|not_/.test(verdict));
  const idle = {
    ...sampleReport,
    rules,
    verdict: 'invalid',
    notes: [why],
    not_started: why,
  } as const;
  const said = consoleReport(
    { ...idle, baseline: null, observed: [] },
    { color: false, width: 80 },
  );
  assert.is(said.filter((line) => line === why).length, 1);
  assert.is(said.indexOf(why), said.findIndex((line) => line.startsWith('invalid: ')) + 1);
  assert.not.match(said.join('\n'), /would unlock|blocked:/);
});

text('what several checks of a receiver ask for is told together at the end', () => {
  const advice = { why: 'EVT-6', at_stake: 'much', mend: 'Verify the bytes as they came.' };
  const base = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
  const rules = ['RCV-one', 'RCV-two'].map((id) => ({
    ...base,
    id,
    findings: base.findings.map((each) => ({ ...each, advice })),
  }));
  const said = consoleReport({ ...sampleReport, rules }, { color: false, width: 80 }).join('\n');
  assert.match(said, 'To mend, in all\n  Verify the bytes as they came.\n    RCV-one, RCV-two');
});

text('a target that went away half-way is said to have, with the verdict', () => {
  const rules = sampleReport.rules.map((each) => ({
    ...each,
    findings: each.findings.map((finding) => ({ ...finding, actual: GONE })),
  }));
  const said = consoleReport({ ...sampleReport, rules }, { color: false, width: 80 }).join('\n');
  assert.match(said, 'It stopped answering on the way');
  assert.not.match(page, 'It stopped answering on the way');
});

text('where --strict alone makes a run deviate, no other rule is said to be broken', () => {
  const rules = sampleReport.rules.filter(({ verdict }) => /known|advisory|passed/.test(verdict));
  const strict = {
    ...sampleReport,
    rules,
    summary: countVerdicts(rules),
    verdict: 'deviates',
  } as const;
  const said = consoleReport(strict, { color: false, width: 100 }).join('\n');
  assert.match(said, 'breaks no other rule, but --strict counts known deviations: 1 and advice: 1');
});

text.run();
