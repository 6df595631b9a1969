// What a person reads at the end of a run.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GONE } from '../engine/record/exchange-recorder.ts';
import { countVerdicts } from './build-report.ts';
import { sampleReport } from './testing/sample-report.ts';
import { textReport } from './text.ts';

const text = suite('text');

const lines = textReport(sampleReport, { color: false, width: 80, jsonFile: 'r.json' });
const page = lines.join('\n');

text('a deviation shows rule, expected, actual, exchange, and how to try again', () => {
  const at = lines.indexOf('✗ ACC-2 deviates');
  assert.ok(at >= 0);
  const own = lines.slice(at, at + 22).join('\n');
  for (const words of [
    'The rule `ACC-2` says something & more.',
    'expected   409 invalid_state',
    '3. POST /api/v1/accounts as firm',
    '→ 201',
    'conformance run --base-url http://127.0.0.1:7420 --only sample-one',
    'npx conformance replay r.json sample-one',
  ]) {
    assert.ok(own.replace(/\n {13}/g, ' ').includes(words), `${words} in\n${own}`);
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

text('has what would unlock more, open questions, and the baseline', () => {
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
  const colored = textReport(sampleReport, { color: true, width: 80 }).join('\n');
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
  const cut = textReport(given, { color: false, width: 80 });
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
  const said = textReport({ ...idle, baseline: null, observed: [] }, { color: false, width: 80 });
  assert.is(said.filter((line) => line === why).length, 1);
  assert.is(said.indexOf(why), said.findIndex((line) => line.startsWith('invalid: ')) + 1);
  assert.not.match(said.join('\n'), /would unlock|blocked:/);
});

text('findings with one cause are shown together, with one of them in full', () => {
  const base = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
  const rules = ['RCV-one', 'RCV-two', 'RCV-three'].map((id) => ({
    ...base,
    id,
    words: `words of ${id}`,
  }));
  const causes = [{ title: 'no age check', mend: 'Compare t.', rules: ['RCV-one', 'RCV-two'] }];
  const given = { ...sampleReport, judge: 'receiver', causes, rules } as const;
  const output = textReport(given, { color: false, width: 80 }).join('\n');
  assert.match(output, '✗ no age check: 2 checks\n  mend       Compare t.');
  assert.match(output, '  RCV-two: words of RCV-two\n  One of them, RCV-one:');
  assert.is(output.split('expected   409').length, 3, 'one of the group, and the other check');
});

text('what follows from another rule stands with it, and not by itself', () => {
  const base = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
  const [finding] = base.findings;
  const blocked = { ...finding!, verdict: 'blocked', because_of: 'ACC-2' } as const;
  const follower = { ...base, id: 'ACC-14', verdict: 'blocked', findings: [blocked] } as const;
  const rules = [base, follower];
  const output = textReport({ ...sampleReport, rules }, { color: false, width: 80 }).join('\n');
  assert.match(output, 'Because of ACC-2 these could not be judged: ACC-14.');
  assert.is(output.split('ACC-14').length, 2);
});

text('the same failure in another place is one line', () => {
  const base = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
  const [finding] = base.findings;
  const again = { ...finding!, scenario: 'sample-two', fingerprint: 'another' };
  const rules = [{ ...base, findings: [finding!, again] }];
  const output = textReport({ ...sampleReport, rules }, { color: false, width: 80 }).join('\n');
  assert.match(output, 'and in     sample-two');
  assert.is(output.split('expected   409').length, 2);
});

text('crashes come first, what is left on the target last', () => {
  const crash = {
    ...{ operation: 'createTransaction', distinguishes: 'with method: Bonus' },
    ...{ failure: '500 with an HTML page', times: 12, of: 12, rules: ['TXN-4'] },
  };
  const output = textReport({ ...sampleReport, crashes: [crash] }, { color: false, width: 200 });
  assert.match(
    output[2]!,
    'createTransaction with method: Bonus: 500 with an HTML page, 12 of 12 requests.',
  );
  assert.match(output.at(-1)!, '1 write got no response and may or may not have run.');
});

text('a target that stopped answering is reported with the verdict', () => {
  const rules = sampleReport.rules.map((each) => ({
    ...each,
    findings: each.findings.map((finding) => ({ ...finding, actual: GONE })),
  }));
  const output = textReport({ ...sampleReport, rules }, { color: false, width: 80 }).join('\n');
  assert.match(output, 'It stopped answering during the run');
  assert.not.match(page, 'It stopped answering during the run');
});

text('if only --strict makes a run deviate, the summary says so', () => {
  const rules = sampleReport.rules.filter(({ verdict }) => /known|advisory|passed/.test(verdict));
  const summary = countVerdicts(rules);
  const strict = { ...sampleReport, rules, summary, verdict: 'deviates' } as const;
  const output = textReport(strict, { color: false, width: 100 }).join('\n');
  assert.match(output, '--strict counts 1 known deviation and 1 piece of advice');
});

text.run();
