// Checks that a row of a read is held to its two numbers alone, unless it is the API's own record.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../engine/send/answer.ts';
import { compareOpenRead } from './reads.ts';

const reads = suite('explore reads');

const ours = {
  ...{ record_id: 5, account_id: 5, revision: 1, client_reference_id: 'a', first_name: 'Ada' },
  ...{ last_name: '', phone: null, country: null, language: null, status: 'New' },
  ...{ brand_id: '10', firm_id: '1' },
};
const theirs = { record_id: 5, account_id: 9, name: 'Ada', status: 'open', revision: 'r1' };

const at = (...rows: Json[]) => {
  const found = compareOpenRead('listAccounts', { accounts: rows });
  return found === undefined ? 'as a record' : (found?.at ?? null);
};

reads('a page of records as the API shows them is compared like those', () => {
  assert.is(at(ours), 'as a record');
  assert.is(at({ ...ours, record_id: '5' }), 'as a record');
});

reads('CONV-3: of a row of another form the two are numbers, and the rest is open', () => {
  assert.is(at(theirs), null);
  assert.is(at(ours, theirs), null);
  assert.is(at({ ...theirs, email: 'a@example.com' }), null);
  assert.is(at({ ...theirs, record_id: '5' }), 'body.accounts.*.record_id');
  assert.is(at(theirs, { ...theirs, account_id: '9' }), 'body.accounts.*.account_id');
});

reads('whose number cannot be read, and what is not on an empty page, is not known', () => {
  assert.is(at({ ...ours, record_id: 1e29, account_id: 1e29 }), null);
  assert.is(at(), null);
});

reads('every other call is compared by its shape', () => {
  assert.is(compareOpenRead('createAccount', { accounts: [theirs] }), undefined);
});

reads.run();
