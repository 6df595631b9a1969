// The log line of a request is one readable line, whatever was asked.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RequestLine, requestLine } from './request-line.ts';

const line: RequestLine = {
  atMs: Date.parse('2026-01-31T12:00:01.250Z'),
  method: 'POST',
  target: '/api/v1/accounts',
  status: 201,
  idempotency: 'first',
  caller: 'brand-a',
  cites: ['ACC-1'],
  faults: [],
  hints: [],
};

const lines = suite('request line');

lines('time, request, outcome, caller, rules', () => {
  const shown = requestLine(line).replace(/ +/g, ' ');
  assert.is(shown, '12:00:01.250 POST /api/v1/accounts 201 first brand-a ACC-1');
});

lines('no one recognised, nothing answered', () => {
  const cut = { ...line, status: 'cut' as const, idempotency: null, caller: null, cites: [] };
  assert.is(requestLine(cut).replace(/ +/g, ' '), '12:00:01.250 POST /api/v1/accounts cut -');
});

lines('a call that a fault holds back is held, and not cut', () => {
  const held = requestLine({ ...line, status: 'held' }).replace(/ +/g, ' ');
  assert.is(held, '12:00:01.250 POST /api/v1/accounts held first brand-a ACC-1');
});

lines('rules come before open questions, and three are enough', () => {
  const shown = requestLine({ ...line, cites: ['NS-17', 'IDEM-4b', 'NS-30', 'IDEM-5', 'ACC-1'] });
  assert.match(shown, /IDEM-4b IDEM-5 ACC-1$/);
});

lines('an in-flight repeat reads as words', () => {
  assert.match(requestLine({ ...line, status: 409, idempotency: 'in_flight' }), '409 in flight');
});

lines('what a fault did is told from what the platform does', () => {
  assert.match(requestLine({ ...line, status: 503, faults: ['7'] }), /ACC-1 \(fault 7\)$/);
});

lines('a hostile target stays on its line', () => {
  const shown = requestLine({ ...line, target: `/a\r\n\x1b[2J\xff${'x'.repeat(500)}` });
  assert.not.match(shown, /[^\x20-\x7e…]/);
  assert.match(shown, '/a%0D%0A%1B[2J%FFxxx');
  assert.ok(shown.length < 140);
});

lines('hints stand below, each on a line of its own', () => {
  const hints = [
    { code: 'unknown_member', words: 'nick is no member.\nReally\x1b[2J' },
    { code: 'other_currency', words: 'It is in USD.' },
  ];
  const [first, ...told] = requestLine({ ...line, hints }).split('\n');
  assert.is(first, requestLine(line));
  assert.is(told.length, 2);
  assert.match(told[0] ?? '', /^ {14}hint unknown_member: nick is no member\.\\nReally/);
  assert.not.match(told[0] ?? '', '\x1b');
  assert.is(told[1]?.trim(), 'hint other_currency: It is in USD.');
});

lines.run();
