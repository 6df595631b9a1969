// BULK-3: a row of a batch gets the same response as a single create by that credential at that
// time.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openClient } from './sandbox-client.ts';

const rows = suite('rows of a batch');

const fresh = { client_reference_id: 'fresh', email: 'fresh@example.com', brand_id: '10' };
const known = { client_reference_id: 'known', email: 'known@example.com', brand_id: '10' };
const phone = '+44 20 7946 0958';

const variety: Readonly<Record<string, object>> = {
  'a new one': fresh,
  'a known reference': { ...fresh, client_reference_id: 'KNOWN' },
  'a known reference without an email that is one': { ...known, email: 'none' },
  'a known email': { ...fresh, email: known.email },
  'a known phone': { ...fresh, phone: '(020) 7946 0958', phone_region: 'GB' },
  'a blank reference': { ...fresh, client_reference_id: ' ' },
  'a long reference': { ...fresh, client_reference_id: 'x'.repeat(256) },
  'no at sign': { ...fresh, email: 'none' },
  'no brand': { ...fresh, brand_id: null },
  'a brand that is no number': { ...fresh, brand_id: 'ten' },
};

/** Creates one account in a separate sandbox: alone, or as a row of a batch. */
async function send(row: object, as: string, mayCreate: boolean, inBatch: boolean) {
  const client = await openClient({ clock: '2026-03-02T12:00:00Z' });
  await client.person({ ...known, phone });
  await client.control('PATCH', 'firms/1', { permissions: { createAccount: mayCreate } });
  try {
    if (!inBatch) {
      const { status, body } = await client.post('accounts', row, { as });
      const isMade = status < 300;
      return {
        status,
        id: isMade ? body.id : null,
        code: isMade ? null : body.code,
        detail: isMade ? null : body.detail,
      };
    }
    const { status, body } = await client.post('accounts/bulk', { accounts: [row] }, { as });
    assert.is(status, 200, JSON.stringify(body));
    const { client_reference_id: _reference, ...entry } = body.rows[0];
    assert.is(body.created, entry.status < 300 ? 1 : 0);
    assert.is(body.created + body.failed, 1);
    return entry;
  } finally {
    await client.close();
  }
}

for (const [as, mayCreate] of [
  ['firm', true],
  ['brand-a', false],
] as const) {
  const words = mayCreate ? 'that may create single accounts' : 'whose firm may create none';
  rows(`${as}, ${words}: each row matches a single create`, async () => {
    for (const [what, row] of Object.entries(variety)) {
      const alone = await send(row, as, mayCreate, false);
      assert.equal(await send(row, as, mayCreate, true), alone, what);
      if (!mayCreate) assert.is(alone.status, 403, what);
    }
  });
}

rows.run();
