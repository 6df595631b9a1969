// Every format of a report: its content, and that text from a target or a client cannot break out.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GONE } from '../engine/record/exchange-recorder.ts';
import { annotations } from './annotations.ts';
import { documentOf } from './document.ts';
import { FORMATS, render } from './formats.ts';
import { htmlPage } from './html.ts';
import { markdownPage } from './markdown.ts';
import { parseReport, type Report } from './report.ts';
import { NASTY, sampleClientReport, sampleReport } from './testing/sample-report.ts';
import { textPage } from './text.ts';
import { countVerdicts } from './verdict-words.ts';

const formats = suite('formats');

const textOf = (report: Report, width = 80, color = false) => {
  const document = documentOf(report, 'text', { width: width - 4, jsonFile: 'r.json' });
  return textPage(document, { color, width }).join('\n');
};
const markdownReport = (report: Report) => markdownPage(documentOf(report, 'markdown'));
const text = textOf(sampleReport);
const html = htmlPage(documentOf(sampleReport, 'html'));
const markdown = markdownReport(sampleReport);
const deviating = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
const [failure] = deviating.findings;

// All formats.

const SHOWN: [what: string, words: string[]][] = [
  ['a deviation with its proof', ['ACC-2', '409 invalid', 'POST /api/v1/accounts as firm']],
  ['how to try it again', ['conformance run --base-url', '--only sample-one']],
  ['what would unlock more, open questions, notes', ['unlock more', 'NS-6', 'a note']],
  ['the baseline', ['LIM-1', '2026-01-01', 'no longer deviate']],
  ['what is left on the target', ['217 accounts', 'Still enabled', '1 write got no response']],
];
for (const [what, words] of SHOWN) {
  formats(`text, html and markdown show ${what}`, () => {
    for (const page of [text.replace(/\n */g, ' '), html, markdown]) {
      for (const each of words) assert.ok(page.includes(each), `${each} in ${page.slice(0, 3000)}`);
    }
  });
}

formats('a client: each format shows its place, its calls, and how to mend it', async () => {
  const rendered = await Promise.all(FORMATS.map((each) => render(each, sampleClientReport)));
  for (const page of [textOf(sampleClientReport), ...rendered]) {
    for (const words of ['CLT-answer-lost', 'The money moves twice.', '2 of 2 runs']) {
      assert.ok(page.includes(words), `${words} in ${page.slice(0, 2000)}`);
    }
    if (!page.startsWith('{')) assert.ok(page.includes('after 3 ms'), page);
    assert.not.ok(page.includes('\u001b'));
    if (page.startsWith('<!doctype')) assert.not.match(page, '<script>alert');
  }
});

formats('a client: the JSON has its own words, and is parsed back unchanged', async () => {
  const document = JSON.parse(await render('json', sampleClientReport));
  const verdicts = document.rules.map(({ verdict }: { verdict: string }) => verdict);
  assert.equal(verdicts, ['fails', 'inconclusive', 'passed', 'not_met']);
  assert.equal([document.verdict, document.summary.fails], ['deviates', 1]);
  assert.equal(parseReport(document), { report: sampleClientReport });
});

// Text: each variation of the sample, the words that it contains, and those that it does not.

const rulesOf = (...ids: string[]) =>
  ids.map((id) => ({ ...deviating, id, words: `words of ${id}` }));
const START = 'Nothing was tried: the connection was refused.';
const CAUSES = [{ title: 'no age check', mend: 'Compare t.', rules: ['RCV-one', 'RCV-two'] }];
const CRASH = {
  ...{ operation: 'createTransaction', distinguishes: 'with method: Bonus' },
  ...{ failure: '500 with an HTML page', times: 12, of: 12, rules: ['TXN-4'] },
};
const blocked = { ...failure!, verdict: 'blocked', because_of: 'ACC-2' } as const;
const follower = {
  ...{ ...deviating, id: 'ACC-14', verdict: 'blocked' as const },
  findings: [blocked, { ...blocked, because_of: undefined, actual: 'another reason' }],
};
const mild = sampleReport.rules.filter(({ verdict }) => /known|advisory|passed/.test(verdict));

const VARIATIONS: [name: string, parts: object, has: RegExp[], hasNot: RegExp[]][] = [
  [
    'if nothing was tried the reason stands with the verdict, once, and little else',
    {
      ...{ verdict: 'invalid', notes: [START], not_started: START, baseline: null, observed: [] },
      rules: sampleReport.rules.filter(({ verdict }) => /blocked|not_/.test(verdict)),
    },
    [/^invalid: .*\n {2}Nothing was tried/m],
    [/would unlock|blocked:/, /Nothing was tried[\s\S]*Nothing was tried/],
  ],
  [
    'findings with one cause are shown together, with one of them in full',
    { judge: 'receiver', causes: CAUSES, rules: rulesOf('RCV-one', 'RCV-two', 'RCV-three') },
    [
      /✗ no age check: 2 checks\n {2}fix {8}Compare t\./,
      / {2}RCV-two: words of RCV-two\n {2}One of them, RCV-one:/,
      /(expected {3}409[\s\S]*){2}/,
    ],
    [/(expected {3}409[\s\S]*){3}/],
  ],
  [
    'what follows from another rule stands with it, and not by itself',
    { rules: [deviating, follower] },
    [/Because of ACC-2 these could not be judged:\n {4}ACC-14\n/],
    [/ACC-14[\s\S]*ACC-14/],
  ],
  [
    'crashes come first',
    { crashes: [CRASH] },
    [/^\n.*\n {2}createTransaction with method: Bonus: 500 with an HTML\s+page, 12 of 12/],
    [/It stopped answering during the run/],
  ],
  [
    'a target that stopped answering is named',
    { rules: [{ ...deviating, findings: [{ ...failure!, actual: GONE }] }] },
    [/It stopped answering during the run/],
    [],
  ],
  [
    'if only --strict makes a run deviate, the summary says so',
    { rules: mild, summary: countVerdicts(mild) },
    [/--strict counts what\s+is known and advice; 1 known deviation \(LIM-1\)/],
    [],
  ],
];
for (const [name, parts, has, hasNot] of VARIATIONS) {
  formats(`text: ${name}`, () => {
    const page = textOf({ ...sampleReport, ...parts } as Report);
    for (const each of has) assert.match(page, each);
    for (const each of hasNot) assert.not.match(page, each);
  });
}

formats('text ends with the verdict and all counts', () => {
  const end = text.slice(text.search(/^deviates: http/m)).replace(/\n/g, ' ');
  const counts = /9 rules: (.*) 12 requests in/.exec(end)![1]!;
  const sum = counts.match(/\d+(?= )/g)!.reduce((total, each) => total + Number(each), 0);
  assert.is(sum, sampleReport.rules.length);
  assert.match(end, 'seed 1');
  assert.match(text, 'npx conformance replay r.json sample-one');
});

formats('text contains no terminal controls, and stays within its width', () => {
  assert.match(textOf(sampleReport, 60), /run --base-url \S+ --only sample-one --seed 1\n/);
  for (const each of [text, textOf(sampleReport, 80, true)]) {
    for (const bad of ['\u0000', '\u001b[31mred']) assert.not.ok(each.includes(bad));
  }
  assert.not.ok(text.includes('\u001b'));
  const wide = text.split('\n').filter((line) => line.length > 80);
  assert.ok(wide.every((line) => line.includes('conformance run')));
});

// HTML.

const isOwn = /<(style|script)>[\s\S]*?<\/\1>/g;

formats('html: text of a target is never markup, and nothing is loaded', () => {
  assert.is(html.split('<script').length - 1, 1, 'one script, our own');
  assert.not.match(html, '<b>markup</b>');
  assert.ok(html.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'));
  for (const bad of ['\u0000', '\u001b']) assert.not.ok(html.includes(bad));
  assert.ok(NASTY.includes('\u001b'), 'the case is right');
  for (const tag of html.replace(isOwn, '').match(/<[a-z][^>]*>/g) ?? []) {
    assert.not.match(tag, /\s(src|srcset|action|on[a-z]+|style)=/, tag);
    if (/\shref=/.test(tag)) assert.match(tag, /href="#/, tag);
    assert.not.match(tag, /^<(link|img|iframe|object|embed|form|base)\b/, tag);
  }
  assert.match(html, 'default-src &#39;none&#39;');
});

formats(
  'html: what fails comes first, and the rules are folded with the rest of the evidence',
  () => {
    const [first, folded] = html.split('Rules by family</h2>');
    assert.match(first!, 'id="rule-ACC-2">✗ ACC-2 deviates');
    assert.not.match(first!, 'ACC-1</code>');
    assert.match(folded!, /<details><summary>ACC: [^<]+<\/summary>[\s\S]*ACC-1 <\/td>/);
    assert.match(folded!, '<details id="rule-LIM-1">');
  },
);

// Markdown.

formats('markdown: rows have as many cells as the header, and fences are closed', () => {
  const cellsOf = (row: string) => row.replace(/\\\|/g, '').split('|').length;
  const pages = markdown + markdownReport(sampleClientReport);
  const tables = pages.match(/(^\|.*\n)+/gm)!.map((table) => table.trim().split('\n'));
  assert.ok(tables.flat().length > 8);
  for (const [header, ...rows] of tables) {
    for (const row of rows) assert.is(cellsOf(row), cellsOf(header!), row);
  }
  const fences = markdown.match(/^`{3,}/gm) ?? [];
  assert.ok(fences.length > 0 && fences.length % 2 === 0);
});

formats('markdown: text of a target is never markup or a mention', () => {
  const fenced = /^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm;
  const outside = markdown.replace(fenced, '').replace(/`+[^`\n]+`+/g, '');
  for (const bad of ['<script>', /(?<!\\)\[l\]\(/, '@team', /^::error/m]) {
    assert.not.match(outside, bad);
  }
  assert.not.ok(markdown.includes('\u001b'));
  assert.match(markdown, /^# Conformance: deviates\n/);
});

formats('markdown: stays below the limit of a comment, and names what it leaves out', () => {
  const rules = Array.from({ length: 300 }, (_, n) => ({ ...deviating, id: `ACC-${n}` }));
  const page = markdownReport({ ...sampleReport, rules });
  assert.ok(page.length < 60_000, `${page.length}`);
  assert.match(page, /Left out to keep this page short: .*ACC-\d+ deviates/);
});

// GitHub's workflow commands.

formats('annotations: errors for deviations, warnings for doubtful rules, each on one line', () => {
  const lines = annotations(sampleReport);
  const levels = lines.map(
    (line) => /^::(error|warning) title=[^:,\r\n]*::[^\r\n]*$/.exec(line)?.[1],
  );
  // A deviation, an error of the judge, and a stale baseline.
  assert.equal(levels.toSorted(), [...Array(3).fill('error'), ...Array(3).fill('warning')]);
  const rules = Array.from({ length: 25 }, (_, n) => ({ ...deviating, id: `ACC-${n}` }));
  const many = annotations({ ...sampleReport, rules, baseline: null });
  assert.is(many.length, 10);
  assert.match(many.at(-1)!, '16 more rules');
  const idle = `::error title=nothing was judged::${START}`;
  assert.equal(annotations({ ...sampleReport, not_started: START }), [idle]);
});

formats.run();
