// Every output to a terminal, tested with hostile text: no control sequence gets through, and no
// line is split.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { render } from '../../conformance/reports/formats.ts';
import { jsonText } from '../../conformance/reports/plain-text.ts';
import { sampleReport } from '../../conformance/reports/testing/sample-report.ts';
import { createTestSandbox } from '../../simulator/host/testing/sandbox.ts';
import { filesUnder, root } from '../dev/root.ts';
import { systemIo } from './io.ts';
import { bannerLines } from './sandbox/banner.ts';
import { deliveryLine } from './sandbox/log/delivery-log.ts';
import { requestLine } from './sandbox/log/request-log.ts';
import { readyEvent } from './sandbox/ready.ts';
import { terminalLine, terminalText } from './terminal.ts';
import { printLines } from './webhooks/webhook-options.ts';

const outputs = suite('output to a terminal');

const codes = [0, 7, 8, 10, 13, 27, 127, 0x85, 0x9b, 0x200f, 0x202e, 0x2066, 0x2028, 0xfeff];
const hostile = `a${codes.map((each) => `${String.fromCharCode(each)}[8mz`).join('')}`;
const steering = codes.map((each) => String.fromCharCode(each));

function assertHarmless(line: string): void {
  for (const char of steering) {
    assert.not(
      line.includes(char),
      `U+${char.charCodeAt(0).toString(16)} in ${JSON.stringify(line)}`,
    );
  }
}

outputs('a line stays one line, and keeps our colours', () => {
  assertHarmless(terminalLine(hostile));
  const red = '\u001b[31mred\u001b[39m';
  assert.is(terminalLine(red), red);
  assert.not(terminalLine('\u001b[8mhidden').includes('\u001b'));
  assert.is(terminalText('one\ntwo'), 'one\ntwo');
});

outputs('the banner and the log', async () => {
  const sandbox = await createTestSandbox();
  sandbox.first.execute('createCredential', { name: hostile, scopes: [], firm_id: '1' } as never);
  const ready = readyEvent(sandbox, 'http://127.0.0.1:1', null);
  for (const line of bannerLines(ready, [hostile])) assertHarmless(line);
  const lines = requestLine({
    at_ms: 0,
    method: 'GET',
    target: `/${hostile.repeat(20)}`,
    status: 200,
    idempotency: null,
    client_name: hostile,
    cites: [],
    fault_effects: [hostile],
    hints: [
      { code: 'unknown_field', words: hostile },
      { code: 'other_currency', words: 'It is in USD.' },
    ],
  } as never).split('\n');
  assert.is(lines.length, 3);
  assert.is(lines[2]?.trim(), 'hint other_currency: It is in USD.');
  assert.ok(lines[0]!.length < 400, lines[0]);
  for (const line of lines) assertHarmless(line);
  const sent = { phase: 'sent', at_ms: 0, kind: hostile, seq: 1, attempt: 1, url: hostile };
  assertHarmless(deliveryLine(sent as never));
  await sandbox.close();
});

outputs('the output of the webhooks commands', () => {
  let printed = '';
  const io = { ...systemIo(), out: (text: string) => (printed += text) };
  printLines(io, [hostile, jsonText({ hostile })]);
  const lines = printed.split('\n');
  for (const line of lines) assertHarmless(line);
  assert.equal(JSON.parse(lines[1] ?? ''), { hostile });
});

outputs('a JSON report with hostile responses', async () => {
  const report = { ...sampleReport, target: { base_url: hostile } };
  const text = await render('json', report as typeof sampleReport);
  for (const line of text.split('\n')) assertHarmless(line);
  assert.equal(JSON.parse(text), report);
});

outputs('no command prints JSON or raw text directly', () => {
  const own = ['terminal.ts', 'io.ts', 'start.ts', 'exec.ts', 'info.ts'];
  // Everything they print is our own text.
  const registers = ['listings.ts', 'list.ts'];
  for (const path of filesUnder('bin/commands')) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
    const text = readFileSync(join(root, path), 'utf8');
    const file = path.split('/').at(-1) ?? '';
    assert.not.match(text, /\bout\([^;]*JSON\.stringify/, path);
    if ([...own, ...registers].includes(file)) continue;
    assert.not.match(text, /(?:stdout|stderr)\.write|console\.(?:log|error)/, path);
  }
});

outputs.run();
