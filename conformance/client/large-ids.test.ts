// Ids are enlarged on their way to the client and reduced on their way back, digit by digit.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { enlarged, idsIn, isLarge, isRounded, reduced, withLargeIds } from './large-ids.ts';

const large = suite('large ids');

const answer = (body: string) =>
  withLargeIds.reshape?.({ status: 200, headers: [], body }, '/api/v1/accounts').body;

large('every id is restored unchanged, and none survives a double', () => {
  for (const id of ['0', '1', '2', '1001', '1002', '999999']) {
    const large = enlarged(id);
    assert.is(reduced(large), id);
    assert.ok(isLarge(large) && !isRounded(large), large);
    const rounded = String(Number(large));
    assert.ok(isRounded(rounded), rounded);
    assert.is(reduced(rounded), rounded, 'a rounded id stays what it is');
  }
});

large('strings and numbers of ids are enlarged, and nothing else', () => {
  const rest = '"brand_id":"10","revision":3,"amount":"7","note":"\\"id\\":\\"5\\"","x":null';
  const id = enlarged('1001');
  const given = `{"id":"1001","account_id": 1001,${rest}}`;
  assert.is(answer(given), `{"id":"${id}","account_id": ${id},${rest}}`);
  assert.is(answer('{"id":null}'), '{"id":null}');
});

large('requests are converted back in path, query, body and form', () => {
  const sent = {
    target: `/api/v1/transactions/${enlarged('9')}/approve?account_id=${enlarged('1001')}`,
    body: `{"trading_account_id":"${enlarged('5001')}","amount":"9007199254740993"}`,
  };
  assert.equal(withLargeIds.translate?.(sent), {
    target: '/api/v1/transactions/9/approve?account_id=1001',
    body: '{"trading_account_id":"5001","amount":"9007199254740993"}',
  });
  const body = `grant_type=client_credentials&account_id=${enlarged('1001')}`;
  const form = { target: '/api/v1/oauth/token', body };
  assert.is(withLargeIds.translate?.(form).body, 'grant_type=client_credentials&account_id=1001');
  assert.equal(idsIn(form), [enlarged('1001')]);
});

large('a list continues at its cursor, an id or one less', () => {
  const onward = (after: bigint) =>
    withLargeIds.translate?.({ target: `/api/v1/accounts?after=${after}`, body: '' }).target;
  const [first, last] = ['0', '1002'].map((id) => BigInt(enlarged(id)));
  const cursors = [last!, last! - 1n, first! - 1n, 0n].map(onward);
  const wanted = [1002, 1001, 0, 0].map((after) => `/api/v1/accounts?after=${after}`);
  assert.equal(cursors, wanted);
});

large('webhooks keep their ids', () => {
  const body = '{"id":3}';
  const path = '/api/v1/webhooks/3';
  assert.is(withLargeIds.reshape?.({ status: 200, headers: [], body }, path).body, body);
});

large('every id in a request is found', () => {
  const target = '/api/v1/transactions/9e15/approve?account_id=-5';
  const body = '{"account_id": 9.007e15, "id":"x","note":"1"}';
  assert.equal(idsIn({ target, body }), ['9e15', '-5', '9.007e15', 'x']);
  assert.ok(['9e15', '-5', '9.007199254740994e+15'].every(isRounded));
  assert.not(isRounded('x'), 'a word is no number that was rounded');
});

large.run();
