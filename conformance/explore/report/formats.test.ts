// Checks that the readable reports tell a difference whole, and let nothing that a target says
// become markup.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { htmlReport } from './html.ts';
import { markdownReport } from './markdown.ts';
import type { ExploreReport, ReportDifference } from './schema.ts';
import { textReport } from './text.ts';
import { nextSteps } from './words.ts';

const formats = suite('explore reports');

const report: ExploreReport = {
  schema: 'explore/1',
  tool: { name: 'conformance', version: '0.0.0' },
  target: { base_url: 'http://target.example', control_url: null },
  seed: 7,
  started_at: '2026-01-01T00:00:00.000Z',
  requests: 40,
  sequences: 3,
  duration_ms: 900,
  verdict: 'differs',
  interrupted: false,
  differences: [
    {
      id: 'd1',
      title: 'updateAccount answers 200 in place of 412',
      rules: ['UPD-7'],
      questions: [],
      reproduced: '2 of 2',
      calls: 2,
      shrunk_from: 41,
      times: 1,
      also: ['closing answers 201'],
      steps: [
        {
          n: 1,
          as: 'firm',
          request: { method: 'PATCH', path: '/api/v1/accounts/1', headers: {}, body: { a: '<b>' } },
          operator: null,
          model: { status: 412, headers: {}, body: { code: 'revision_conflict' } },
          target: { status: 200, headers: {}, body: '<script>alert(1)</script>' },
          differs: true,
        },
      ],
      judge: { rule: 'UPD-7', says: 'passes' },
      replay: 'conformance explore --replay report.json#d1',
      script: '#!/usr/bin/env bash\necho "</details><script>```"\n',
      sequence: { steps: [] },
    },
  ],
  open: [{ question: 'NS-6', seen: 4 }],
  unexplained: [],
  inventory: { accounts: 3, transactions: 0, positions: 0, subscriptions: 1, enabled: ['7'] },
  inconclusive: [],
  coverage: { operations: {}, answers: {}, rules: {}, settings_learned: {} },
  notes: [],
};

formats('each tells title, rule, both answers, what is open and how to play it again', () => {
  const texts = [
    markdownReport(report),
    htmlReport(report),
    textReport(report, { color: false, width: 100 }).join('\n'),
  ];
  for (const text of texts) {
    for (const word of [
      'updateAccount answers 200',
      'UPD-7',
      'revision_conflict',
      '412',
      'NS-6',
      '#d1',
      '3 accounts',
      'closing answers 201',
    ]) {
      assert.ok(text.replaceAll('&#35;', '#').replaceAll('\\', '').includes(word), word);
    }
  }
});

formats('nothing that the target says becomes markup', () => {
  assert.not.ok(htmlReport(report).includes('<script>'));
  const outside = markdownReport(report)
    .replace(/^````[\s\S]*?^````$/gm, '')
    .replace(/`[^`]*`/g, '');
  assert.not.ok(outside.includes('<script>'));
});

formats('a step that has no answer says what each side has there', () => {
  const [known] = report.differences;
  const step = {
    ...{ n: 3, as: null, request: null, model: null, target: null, differs: true, at: 'count' },
    operator: { do: 'advance', byMs: 30_000 },
    there: { model: '2 deliveries', target: '1 delivery' },
  };
  const told = { ...report, differences: [{ ...known!, steps: [step] }] };
  const texts = [
    markdownReport(told),
    htmlReport(told),
    textReport(told, { color: false, width: 100 }).join('\n'),
  ];
  for (const text of texts) {
    assert.match(text, /2 deliveries/);
    assert.match(text, /1 delivery/);
    assert.not.match(text, /count:/);
    assert.not.match(text, /undefined/);
  }
});

formats('a call that the model has not placed shows what the target has answered', () => {
  const [known] = report.differences;
  const [first] = known!.steps;
  const step = { ...first!, model: null, differs: false };
  const told = { ...report, differences: [{ ...known!, steps: [step] }] };
  assert.match(textReport(told, { color: false, width: 100 }).join('\n'), /-> 200/);
  const unanswered = { ...step, request: null, target: null };
  const lines = textReport(
    { ...report, differences: [{ ...known!, steps: [unanswered] }] },
    { color: false, width: 100 },
  );
  assert.match(lines.join('\n'), /1\. a call that was kept waiting to the end/);
});

formats('of one letter many times over it is said how often', () => {
  const [known] = report.differences;
  const [first] = known!.steps;
  const names = ['one', 'two'].map((end) => `a${'x'.repeat(200)}${end}`);
  const request = { ...first!.request!, body: { name: names[0] } };
  const told = {
    ...report,
    differences: [
      { ...known!, steps: [{ ...first!, request, target: { ...first!.target!, body: names[1] } }] },
    ],
  };
  const texts = [
    markdownReport(told),
    htmlReport(told),
    textReport(told, { color: false, width: 100 }).join('\n'),
  ];
  for (const text of texts) {
    for (const end of ['one', 'two']) assert.ok(text.includes(`ax{200}${end}`), text);
  }
  for (const [whole, said] of [
    [told, true],
    [report, false],
  ] as const) {
    assert.is(markdownReport(whole).includes('is there so often'), said);
    assert.is(htmlReport(whole).includes('is there so often'), said);
  }
});

formats('a header that differs is shown, and not only the body beside it', () => {
  const [known] = report.differences;
  const [first] = known!.steps;
  const step = { ...first!, at: 'header.retry-after', there: { model: '1', target: 'tomorrow' } };
  const text = markdownReport({ ...report, differences: [{ ...known!, steps: [step] }] });
  assert.match(text, /expected `412 with retry-after: 1`/);
  assert.match(text, /answered `200 with retry-after: tomorrow`/);
});

formats('what could not be compared is said with its reason, and long words stay indented', () => {
  const [known] = report.differences;
  const refused = {
    ...report,
    differences: [{ ...known!, rules: ['LIM-6'] }],
    inconclusive: ['the connection was refused', 'refused'],
  };
  const lines = textReport(refused, { color: false, width: 60 });
  const text = lines.join('\n');
  assert.match(text, /^Not compared: 2 sequences, because the connection was/m);
  assert.match(markdownReport(refused), /Not compared: 2 sequences/);
  assert.not.match(textReport(report, { color: false, width: 60 }).join(' '), /Not compared/);
  const [, ...rules] = text.slice(0, text.indexOf('shown')).trimEnd().split('\n');
  assert.ok(rules.length > 2, 'the rule is longer than one line');
  for (const line of rules) assert.ok(line.startsWith('    '), line);
});

/** Each of the readable ones of the one difference, with its step changed. */
function textsWith(over: object, of: object = {}): readonly string[] {
  const [known] = report.differences;
  const step = { ...known!.steps[0]!, ...over };
  const told = { ...report, differences: [{ ...known!, ...of, steps: [step] }] } as ExploreReport;
  return [
    markdownReport(told).replaceAll('\\', ''),
    htmlReport(told)
      .replaceAll('&#34;', '"')
      .replaceAll(/<\/?code>/g, '`'),
    textReport(told, { color: false, width: 100 }).join('\n').replaceAll('`', ''),
  ];
}

formats('where two long answers differ is said before they are shown', () => {
  const rows = (status: number) => [...Array(60).fill({ status: 201 }), { status }];
  const answer = (status: number) => ({ status: 200, headers: {}, body: { rows: rows(status) } });
  const sides = { model: answer(409), target: answer(201), at: 'body.rows.60.status' };
  for (const text of textsWith(sides)) {
    assert.match(text.replaceAll('`', ''), /in rows\[60\]\.status 201 in place of 409/);
  }
  const gone = { ...sides, target: { ...answer(409), body: { rows: [] } } };
  for (const text of textsWith(gone)) {
    assert.match(text.replaceAll('`', ''), /in rows\[60\]\.status nothing in place of 409/);
  }
  // Where the answers differ as a whole nothing stands in a place.
  for (const text of textsWith({ at: 'status' })) assert.not.match(text, /\bin `?status/);
  const redacted = { status: 200, headers: {}, body: { secret: '[redacted]' } };
  for (const text of textsWith({ model: redacted, target: redacted, at: 'body.secret' })) {
    assert.not.match(text, /\[redacted\]"?`? in place of/);
  }
});

formats('of calls at once each answer is shown, as each is right or wrong by the others', () => {
  const beside = {
    ...{ differs: false, at_once: { sent_ms: 1, answered_ms: 2 } },
    target: { status: 200, headers: {}, body: { is_ftd: true } },
  };
  for (const text of textsWith(beside)) {
    assert.match(text, /"is_ftd": ?true/);
    assert.match(text, /No order of the calls at once explains/);
  }
  const { at_once: _, ...alone } = beside;
  for (const text of textsWith(alone)) {
    assert.not.match(text, /is_ftd/);
    assert.not.match(text, /No order of the calls/);
  }
});

formats('an open question says what it asks, and what has no script says why', () => {
  const [markdown, html, text] = textsWith({}, { script: null });
  for (const each of [markdown!, html!]) {
    assert.match(each, /NS-6: With which status and code is a whole batch refused\? \(4 times\)/);
    assert.match(each, /no script of it: curl alone/);
  }
  assert.match(text!, /conformance explain tells what each asks/);
  assert.not.match(markdownReport(report), /no script of it/);
});

formats('each begins with what came of it, in words that stand by themselves', () => {
  assert.match(
    markdownReport(report),
    /^# http:\/\/target\.example differs from the model in 1 way$/m,
  );
  assert.match(htmlReport(report), /<h1>http:\/\/target\.example differs from the model in 1 way/);
  assert.match(markdownReport({ ...report, verdict: 'agrees' }), /^# .* agrees with the model/m);
  assert.match(markdownReport({ ...report, verdict: 'invalid' }), /^# .* could not be compared/m);
});

formats('a step is not numbered where nobody can see the sequence', () => {
  const [once, again] = ['step 19', 'step 3'].map((n) => `${n}: it could be done on one side only`);
  const text = markdownReport({ ...report, inconclusive: [once!, again!, 'call 9: 429'] });
  assert.match(text, /because one of its steps could be done on one side only \(2 times\); 429\./);
});

formats('the page has a dark theme, and no color that it does not set for both', () => {
  const style = /<style>(.*)<\/style>/.exec(htmlReport(report))?.[1] ?? '';
  const [light, dark] = [/:root\{(.*?)\}/, /dark\)\{:root\{(.*?)\}/].map(
    (each) => each.exec(style)?.[1] ?? '',
  );
  const namesIn = (text: string) => [...text.matchAll(/--\w+(?=:)/g)].map(([name]) => name).sort();
  assert.ok(namesIn(dark!).length > 4);
  assert.equal(namesIn(dark!), namesIn(light!));
  const rest = style.replace(/:root\{.*?\}/g, '');
  assert.not.match(rest, /#[0-9a-f]{3}/);
});

const foundBy = (...scripts: readonly (string | null)[]) => ({
  differences: scripts.map((script, at) => ({ id: `d${at + 1}`, script }) as ReportDifference),
});
const [json, markdown, html] = ['json', 'markdown', 'html'].map((format) => ({
  ...{ format, file: `r.${format}` },
}));

formats('nothing is to be done where nothing differs', () => {
  assert.equal(nextSteps(foundBy(), [json!, markdown!]), []);
});

formats('without a report the one that can be filed is named', () => {
  const [line, ...more] = nextSteps(foundBy('x'), []);
  assert.match(line!, /--report markdown=FILE/);
  assert.equal(more, []);
});

formats('with reports it is said which is for whom, and what sends it again', () => {
  const lines = nextSteps(foundBy(null, 'x'), [json!, html!]);
  assert.match(lines[0]!, /r\.html/);
  assert.match(lines[1]!, /conformance replay r\.json d2 \| bash/);
  assert.match(lines[2]!, /--replay r\.json#d1/);
  assert.is(lines.length, 3);
  assert.equal(nextSteps(foundBy(null), [json!]).length, 1);
});

formats.run();
