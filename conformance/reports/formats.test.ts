// Every format of a report on a client: what is in it, and nothing that a client prints breaks out.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { render } from './formats.ts';
import { markdownReport } from './markdown.ts';
import type { Report } from './report.ts';
import { sampleClientReport, sampleReport } from './testing/sample-report.ts';
import { parseXml } from './testing/xml-reader.ts';
import { textReport } from './text.ts';

const formats = suite('formats');

const textOf = (report: Report) => textReport(report, { color: false, width: 100 }).join('\n');

formats(
  'a failing check has its place, its calls with their times, and how to mend it',
  async () => {
    const pages = await Promise.all(
      (['html', 'markdown', 'junit'] as const).map((each) => render(each, sampleClientReport)),
    );
    for (const page of [textOf(sampleClientReport), ...pages]) {
      for (const words of [
        'CLT-answer-lost',
        'POST /api/v1/accounts',
        'The money moves twice.',
        'after 3 ms',
        '2 of 2 runs',
      ]) {
        const isTimeless = words.startsWith('2 of') && page.startsWith('<?xml');
        assert.ok(isTimeless || page.includes(words), `${words} in ${page.slice(0, 2000)}`);
      }
      assert.not.ok(page.includes('\u001b'));
      if (page.startsWith('<!doctype')) assert.not.match(page, '<script>alert');
    }
  },
);

formats('the text ends with the checks that passed and those that were not met', () => {
  const text = textOf(sampleClientReport);
  assert.match(text, /– not met: CLT-429\n✓ passed: CLT-503/);
  assert.match(text, /the command ended with exit code 0/);
  assert.match(text, 'the first run failed');
});

formats('the JSON on a client has its checks in its own words, and its runs', async () => {
  const document = JSON.parse(await render('json', sampleClientReport));
  assert.is(document.schema, 'client/1');
  assert.equal(
    document.checks.map(({ verdict }: { verdict: string }) => verdict),
    ['fails', 'inconclusive', 'passed', 'not_met'],
  );
  const [check] = document.checks;
  assert.is(check.mend.words.length > 0 && check.rules.length > 0, true);
  const [finding] = check.findings;
  assert.equal([finding.run, finding.calls], [3, [3]]);
  const [recording] = document.recordings;
  assert.equal([recording.run, recording.ending.duration_ms], [3, 900]);
  assert.equal(
    recording.calls.map(({ status, struck }: { status: number; struck: string }) => [
      status,
      struck,
    ]),
    [
      [201, null],
      [null, 'it ran, and the connection was cut'],
    ],
  );
});

formats('junit: one suite for the client, an error for what could not be judged', async () => {
  const root = parseXml(await render('junit', sampleClientReport));
  const [suiteOfChecks] = root.children;
  assert.is(suiteOfChecks!.attributes.name, 'conformance.client.checks');
  const { tests, failures, errors, skipped } = suiteOfChecks!.attributes;
  assert.equal([tests, failures, errors, skipped], ['4', '1', '1', '1']);
});

formats('markdown stays below the limit of a comment, and names what it leaves out', () => {
  const deviating = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
  const rules = Array.from({ length: 300 }, (_, n) => ({ ...deviating, id: `ACC-${n}` }));
  const page = markdownReport({ ...sampleReport, rules });
  assert.ok(page.length < 60_000, `${page.length}`);
  assert.match(page, /Left out to keep this page short: .*ACC-\d+ deviates/);
});

formats.run();
