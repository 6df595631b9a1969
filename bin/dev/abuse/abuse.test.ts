// The abuse in short, and that its reader of answers believes nothing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { abuse } from './abuse.ts';
import { readAnswers } from './read-answers.ts';

const abusing = suite('abuse');

abusing('a few hundred bad requests leave the program as it was', async () => {
  const { broken, statuses, sent } = await abuse({ requests: 600, seed: 5 });
  assert.equal(broken, []);
  assert.is(sent >= 600, true);
  for (const status of ['400', '401', '405', '422']) assert.ok(statuses.has(status), status);
});

const whole = 'HTTP/1.1 422 Unprocessable Entity\r\ncontent-length: 2\r\n\r\n{}';
const readings: readonly (readonly [
  what: string,
  text: string,
  statuses: number[],
  sign: RegExp,
])[] = [
  ['one after the other', whole + whole, [422, 422], /^null false$/],
  ['one that is cut', whole + whole.slice(0, -1), [422], /^null true$/],
  ['half a head', whole + whole.slice(0, 20), [422], /^null true$/],
  ['no HTTP', `${whole}{"a":1}\r\n\r\n`, [422], /^no status line: \{"a":1\} false$/],
  ['a line in a header', 'HTTP/1.1 200 OK\r\nx y\r\n\r\n', [], /^no header: x y false$/],
  ['a control character', 'HTTP/1.1 200 OK\r\nx: \u0007\r\n\r\n', [], /^no header: /],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    [],
    /^more than one length under 200 /,
  ],
  [
    'chunks, and what follows them',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${whole}`,
    [200, 422],
    /^null false$/,
  ],
];
for (const [what, text, statuses, sign] of readings) {
  abusing(`answers are read with suspicion: ${what}`, () => {
    const read = readAnswers(Buffer.from(text, 'latin1'), false);
    if (!read.isCut && read.malformed === null) assert.equal(read.statuses, statuses);
    else assert.equal([...read.statuses].slice(0, statuses.length), statuses);
    assert.match(`${read.malformed} ${read.isCut}`, sign);
  });
}

abusing('an answer to HEAD has no body, whatever its length says', () => {
  const { statuses } = readAnswers(Buffer.from(whole.slice(0, -2) + whole.slice(0, -2)), true);
  assert.equal(statuses, [422, 422]);
});

abusing.run();
