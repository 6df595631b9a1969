// Checks which row the refusal of a batch has to name.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOutcome } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import { compareNamedRow } from './answers.ts';

const named = suite('the row that a refusal names');

const step = { n: 1, operation: 'bulkCreateAccounts' } as CallStep;
const headers = { mediaType: () => 'text/plain' };

/** Where the model has named the first row, for its brand. */
function placeOf(accounts: readonly object[], words: string): string | undefined {
  const sent = { body: Buffer.from(JSON.stringify({ accounts })) };
  const target = { status: 422, sent, headers, json: undefined, body: Buffer.from(words) };
  const json = { detail: 'Row 0 names brand 10.' };
  const model = { status: 403, headers, json, basis: { cites: ['BULK-10'] } };
  return compareNamedRow(step, target as unknown as CallOutcome, model as unknown as CallOutcome)
    ?.at;
}

const whole = (brand_id: string) => ({ client_reference_id: 'a', brand_id });

named('may be any that is at fault, and none that is not', () => {
  const rows = [whole('10'), { brand_id: '20' }, whole('10'), whole('20')];
  assert.is(placeOf(rows, 'row 0: brand'), undefined);
  assert.is(placeOf(rows, 'row 1: client_reference_id is missing'), undefined);
  assert.is(placeOf(rows, 'row 2: brand'), undefined);
  assert.is(placeOf(rows, 'accounts[3]: brand'), 'body.detail');
  assert.is(placeOf(rows, 'a row is wrong'), 'body.detail');
});

named.run();
