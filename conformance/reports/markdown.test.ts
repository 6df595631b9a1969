// The Markdown report keeps its tables and fences whatever a target answers.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markdownReport } from './markdown.ts';
import { sampleReport } from './testing/sample-report.ts';

const markdown = suite('markdown');

const page = markdownReport(sampleReport);
const lines = page.split('\n');

markdown('the rows of a table have as many cells as its head', () => {
  let cells = 0;
  let rows = 0;
  for (const line of lines) {
    const own = line.startsWith('|') ? line.replace(/\\\|/g, '').split('|').length : 0;
    if (own > 0 && cells > 0) assert.is(own, cells, line);
    if (own > 0) rows += 1;
    cells = own;
  }
  assert.ok(rows > 8);
});

markdown('fences close, and hold what they hold', () => {
  const fences = lines.filter((line) => /^`{3,}/.test(line));
  assert.is(fences.length % 2, 0);
  assert.ok(fences.length > 0);
});

markdown('nothing that a target says is markup or a mention', () => {
  const outside = page.replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, '').replace(/`+[^`\n]+`+/g, '');
  assert.not.match(outside, '<script>');
  assert.not.match(outside, /(?<!\\)\[l\]\(/);
  assert.not.match(outside, '@team');
  assert.not.match(outside, /^::error/m);
  assert.not.ok(page.includes('\u001b'));
});

markdown('leads with the verdict and shows each deviation with its proof', () => {
  assert.is(lines[0], '# Conformance: deviates');
  assert.match(page, '## ✗ ACC-2 deviates');
  assert.match(page, '- expected: 409 invalid');
  assert.match(page, '--only sample-one');
  assert.match(page, '## What would unlock more rules');
  assert.match(page, '## Where the specification is open');
});

markdown.run();
