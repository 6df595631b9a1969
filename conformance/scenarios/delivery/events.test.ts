// Which account an event is about, in any form of its envelope.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAbout } from './events.ts';

const about = suite('what an event is about');

const LONG = '100000000000000002955066062297';

const ROWS: readonly (readonly [body: string, id: string, isAbout: boolean])[] = [
  // An id beyond double precision, as a number and as a string.
  [`{"account_id":${LONG},"seq":1}`, LONG, true],
  [`{"account_id": "${LONG}"}`, LONG, true],
  ['{"data":{"client_reference_id":"ref-1"}}', LONG, true],
  // A number or reference that only begins or ends like the own one.
  ['{"account_id":1234}', '123', false],
  ['{"account_id":0.123}', '123', false],
  ['{"note":"a-123"}', '123', false],
  ['{"note":"for ref-1, and ref-12"}', LONG, true],
  ['{"client_reference_id":"ref-12"}', LONG, false],
  // A short id only counts if a member names accounts.
  ['{"id":"9","account_id":"7"}', '7', true],
  ['{"id":"9","accountId":7}', '7', true],
  ['{"id":"9","account":{"id":"7"}}', '7', true],
  ['{"id":"9","kind":"account.created","data":{"id":"7"}}', '7', true],
  ['{"id":"7","kind":"account.created","data":{"id":"8"}}', '7', false],
  ['{"id":"9","kind":"account.created","brand_id":"7","account_id":"8"}', '7', false],
  ['{"id":"9","seq":7,"account_id":"8","data":{"revision":"7"}}', '7', false],
  ['{"id":"9","kind":"transaction.created","data":{"id":"7","account_id":"8"}}', '7', false],
  ['{"id":"9","kind":"transaction.created","data":{"trading_account_id":"7"}}', '7', false],
];
for (const [text, id, expected] of ROWS) {
  about(`${text} is ${expected ? '' : 'not '}about account ${id}`, () => {
    const account = { id, reference: 'ref-1', email: 'a@example.com' };
    assert.is(isAbout({ body: Buffer.from(text) }, account), expected);
  });
}

about.run();
