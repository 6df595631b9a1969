// An event is of an account whose reference or id stands in it, in whatever form.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAbout } from './every-event.ts';

const about = suite('what an event is about');

const LONG = '100000000000000002955066062297';

about('an id that no double holds is found as a number as well as in quotes', () => {
  assert.ok(isAbout(`{"account_id":${LONG},"seq":1}`, 'ref-1', LONG));
  assert.ok(isAbout(`{"account_id": "${LONG}"}`, 'ref-1', LONG));
  assert.ok(isAbout('{"data":{"client_reference_id":"ref-1"}}', 'ref-1', LONG));
});

about('a number that only begins or ends like it is another', () => {
  assert.not.ok(isAbout('{"account_id":1234}', 'ref-1', '123'));
  assert.not.ok(isAbout('{"account_id":0.123}', 'ref-1', '123'));
  assert.not.ok(isAbout('{"note":"a-123"}', 'ref-1', '123'));
});

about.run();
