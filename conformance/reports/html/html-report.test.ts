// The HTML report is one page that loads nothing, runs nothing of a target's, and links hold.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NASTY, sampleReport } from '../testing/sample-report.ts';
import { htmlReport } from './html-report.ts';

const html = suite('html');

const page = htmlReport(sampleReport, { ACC: 'Accounts & <more>' });

html('nothing that a target says is markup', () => {
  assert.is(page.split('<script').length - 1, 1, 'one script, our own');
  assert.not.match(page, '<b>markup</b>');
  assert.ok(page.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'));
  assert.ok(page.includes('Accounts &amp; &lt;more&gt;'));
  assert.not.ok(page.includes('\u001b'));
  assert.not.ok(page.includes('\u0000'));
  assert.ok(NASTY.includes('\u001b'), 'the case is right');
});

html('nothing is loaded from anywhere', () => {
  const markup = page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
  for (const tag of markup.match(/<[a-z][^>]*>/g) ?? []) {
    assert.not.match(tag, /\s(src|srcset|action|on[a-z]+|style)=/, tag);
    if (/\shref=/.test(tag)) assert.match(tag, /href="#/, tag);
    assert.not.match(tag, /^<(link|img|iframe|object|embed|form|base)\b/, tag);
  }
  assert.match(page, 'default-src &#39;none&#39;');
});

html('every link leads to a place on the page, and every place is there once', () => {
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
  assert.is(new Set(ids).size, ids.length);
  const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!);
  assert.ok(links.length > 0);
  // Rules that were not selected are named in the matrix alone.
  const left = new Set(
    sampleReport.rules.filter((r) => r.verdict === 'not_selected').map((r) => r.id),
  );
  for (const id of links) {
    assert.ok(ids.includes(id) || left.has(id.replace('rule-', '')), id);
  }
});

html('every element that is opened is closed', () => {
  const open: string[] = [];
  const body = page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '').replace(/<!doctype html>/, '');
  for (const [, slash, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (['meta', 'br', 'input'].includes(name!)) continue;
    if (slash === '') open.push(name!);
    else assert.is(open.pop(), name);
  }
  assert.equal(open, []);
});

html('a page stays small enough to attach, whatever a target answers', () => {
  const [scenario] = sampleReport.scenarios;
  const exchange = scenario!.exchanges[0]!;
  const body = 'x'.repeat(3_000);
  const long = { ...exchange, response: { ...exchange.response!, body } };
  const exchanges = Array.from({ length: 12 }, (_, n) => ({ ...long, n: n + 1 }));
  const scenarios = Array.from({ length: 210 }, (_, n) => ({
    ...{ ...scenario!, id: `s-${n}`, exchanges },
    verdict: n % 3 === 0 ? ('deviates' as const) : ('passed' as const),
  }));
  const deviating = sampleReport.rules.find(({ verdict }) => verdict === 'deviates')!;
  const rules = Array.from({ length: 170 }, (_, n) => {
    const findings = [1, 2, 3].map((at) => ({
      ...{ ...deviating.findings[0]!, scenario: `s-${n}` },
      exchanges: [at, at + 1],
    }));
    return { ...deviating, id: `ACC-${n}`, scenarios: [`s-${n}`], findings };
  });
  const large = htmlReport({ ...sampleReport, rules, scenarios }, {});
  assert.ok(large.length < 1_500_000, `${large.length}`);
  // Each rule still has its proof.
  assert.is(large.split('409 invalid_state').length > 170, true);
});

html('verdicts can be hidden without a script', () => {
  assert.match(page, '<input type="checkbox" id="show-deviates" checked>');
  assert.match(page, 'body:has(#show-deviates:not(:checked))');
});

html('a deviation stands open with its proof', () => {
  const own = /<details id="rule-ACC-2" class="deviates" open>[\s\S]*?<\/details>/.exec(page)?.[0];
  assert.ok(own);
  assert.match(own, '409 invalid_state');
  assert.match(own, 'POST /api/v1/accounts as firm');
  assert.match(own, 'conformance run --base-url');
  assert.match(own, '0a1b2c3d4e5f');
});

html('says what is open, what is lacking and what the baseline holds', () => {
  for (const words of ['NS-6', '1 more question', 'unlock', 'no longer deviate', 'a note']) {
    assert.match(page, words);
  }
});

html.run();
