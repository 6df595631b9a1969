// GitHub's workflow commands: one line each, escaped, and not more than are shown.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { annotations } from './annotations.ts';
import { sampleReport } from './testing/sample-report.ts';

const marks = suite('annotations');

marks('errors for deviations, warnings for what is in doubt', () => {
  const lines = annotations(sampleReport);
  const of = (level: string) => lines.filter((line) => line.startsWith(`::${level} title=`));
  assert.is(of('error').length, 3, 'a deviation, an error of the judge, a stale baseline');
  assert.is(of('warning').length, 3);
  assert.is(lines.length, 6);
});

marks('where nothing was tried the one reason is told once', () => {
  const why = 'Nothing was tried: no answer.';
  const lines = annotations({ ...sampleReport, not_started: why });
  assert.equal(lines, [`::error title=nothing was judged::${why}`]);
});

marks('a target cannot add a command of its own', () => {
  for (const line of annotations(sampleReport)) {
    assert.not.match(line, /[\r\n]/);
    assert.match(line, /^::(error|warning) title=[^:,\n]*::/);
  }
});

marks('more than ten of a kind are gathered in the last', () => {
  const [, deviating] = sampleReport.rules;
  const rules = Array.from({ length: 25 }, (_, n) => ({ ...deviating!, id: `ACC-${n}` }));
  const lines = annotations({ ...sampleReport, rules, baseline: null });
  assert.is(lines.length, 10);
  assert.match(lines.at(-1)!, '16 more rules');
});

marks.run();
