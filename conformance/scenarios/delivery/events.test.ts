// Which account an event is about, in any form of its envelope.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAbout } from './events.ts';

const about = suite('what an event is about');

const LONG = '100000000000000002955066062297';

function isAboutAccount(text: string, id: string): boolean {
  return isAbout({ body: Buffer.from(text) }, { id, reference: 'ref-1', email: 'a@example.com' });
}

about('an id beyond double precision is found as a number and as a string', () => {
  assert.ok(isAboutAccount(`{"account_id":${LONG},"seq":1}`, LONG));
  assert.ok(isAboutAccount(`{"account_id": "${LONG}"}`, LONG));
  assert.ok(isAboutAccount('{"data":{"client_reference_id":"ref-1"}}', LONG));
});

about('a number that only begins or ends like the id is another number', () => {
  assert.not.ok(isAboutAccount('{"account_id":1234}', '123'));
  assert.not.ok(isAboutAccount('{"account_id":0.123}', '123'));
  assert.not.ok(isAboutAccount('{"note":"a-123"}', '123'));
});

about('a reference that only begins like the own one is another reference', () => {
  assert.ok(isAboutAccount('{"note":"for ref-1, and ref-12"}', LONG));
  assert.not.ok(isAboutAccount('{"client_reference_id":"ref-12"}', LONG));
});

about('a short id only counts if a member names accounts', () => {
  assert.ok(isAboutAccount('{"id":"9","account_id":"7"}', '7'));
  assert.ok(isAboutAccount('{"id":"9","accountId":7}', '7'));
  assert.ok(isAboutAccount('{"id":"9","account":{"id":"7"}}', '7'));
  assert.ok(isAboutAccount('{"id":"9","kind":"account.created","data":{"id":"7"}}', '7'));
  for (const other of [
    '{"id":"7","kind":"account.created","data":{"id":"8"}}',
    '{"id":"9","kind":"account.created","brand_id":"7","account_id":"8"}',
    '{"id":"9","seq":7,"account_id":"8","data":{"revision":"7"}}',
    '{"id":"9","kind":"transaction.created","data":{"id":"7","account_id":"8"}}',
    '{"id":"9","kind":"transaction.created","data":{"trading_account_id":"7"}}',
  ]) {
    assert.not.ok(isAboutAccount(other, '7'), other);
  }
});

about.run();
