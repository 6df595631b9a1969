// Which calls repeat one intent, and which are separate intents: a table, one line per case.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Intents, type SentRequest } from './requests.ts';
import { sentRequest as sent } from './testing/recorded.ts';

const intents = suite('intents');

const create = (reference: string, more: object = {}) =>
  sent('POST accounts', 'a', { client_reference_id: reference, email: 'a@b.c', ...more });
const open = (volume: string, key: string) =>
  sent('POST positions/open', key, { trading_account_id: '5001', volume });
const approve = (id: string, key: string) =>
  sent(`POST transactions/${id}/approve?account_id=1001`, key);

const cases: readonly (readonly [string, SentRequest, SentRequest, boolean])[] = [
  ['the identical call', create('r'), create('r'), true],
  ['the same reference under another key', create('r'), { ...create('R'), key: 'b' }, true],
  ['another reference under the same key', create('r'), create('s'), false],
  ['the same body in another order', open('1', 'a'), open('1', 'b'), true],
  ['the same key and subject, another body', open('1', 'a'), open('2', 'a'), true],
  ['another body under another key', open('1', 'a'), open('2', 'b'), false],
  ['one key for two transactions', approve('1', 'a'), approve('2', 'a'), false],
  ['the same transaction twice', approve('1', 'a'), approve('1', 'b'), true],
  ['approve and reject', approve('1', 'a'), sent('POST transactions/1/reject', 'a', {}), false],
];

for (const [name, first, second, isSame] of cases) {
  intents(name, () => {
    const book = new Intents();
    assert.is(book.place(first)?.isFirst, true);
    assert.is(book.place(second)?.isFirst, !isSame);
  });
}

intents.run();
