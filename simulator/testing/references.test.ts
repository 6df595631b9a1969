// TXN-2, NS-20: only a caller that does not reach a transaction can reuse its reference.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openClient } from './sandbox-client.ts';

test('a reference can be reused only out of reach of the caller, on another account', async () => {
  const client = await openClient();
  const create = async (as: string, account_id: string, trading_account_id: string) => {
    const client_reference_id = as === 'firm' ? 'SAME' : 'same';
    const body = { client_reference_id, account_id, trading_account_id };
    const created = await client.transaction({ ...body, currency: 'USD' }, { as });
    return [created.status, created.body.id];
  };
  const [status, first] = await create('brand-a', '1002', '5002');
  assert.is(status, 201);
  assert.is((await create('brand-b', '1004', '5005'))[0], 201);
  const [ownStatus, own] = await create('delegated', '1001', '5001');
  assert.is(ownStatus, 201);
  // A caller that reaches both gets the oldest; a caller limited to one account gets its own.
  assert.equal(await create('firm', '1001', '5001'), [200, first]);
  assert.equal(await create('firm', '1004', '5005'), [200, first]);
  assert.equal(await create('delegated', '1001', '5001'), [200, own]);
  await client.close();
});

test.run();
