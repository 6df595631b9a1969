// The same failure has the same fingerprint in every run; another failure has another fingerprint.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprintOf, stableWords } from './fingerprint.ts';

const mark = suite('fingerprints');

const SAME: [a: string, b: string][] = [
  ['200 application/json: {"id":"1007"}', '200 application/json: {"id":"20114"}'],
  [
    'in order: ref-0a1b2c3d4e-9f8e7d-1, ref-0a1b2c3d4e-9f8e7d-2',
    'in order: ref-ffeeddccbb-123456-1, ref-ffeeddccbb-123456-2',
  ],
  ['no whole answer within 30 s', 'no whole answer within 5 s'],
  ['created_at: 1790000000000', 'created_at: 1790000123456'],
  ['x-request-id: req_oh6bdq000003', 'x-request-id: req_zz9aaa000104'],
  ['email c-0a1b2c3d4e-9f8e7d-1@x.com is…', 'email c-1111111111-222222-3@x.com is…'],
  ['cut at ref-0a1b2c3d4e-9f… (512 characters)', 'cut at ref-ffeeddccbb-12… (498 characters)'],
  ['the 244 bytes of exchange 4', 'the 251 bytes of exchange 7'],
];
for (const [a, b] of SAME) {
  mark(`the same: ${a}`, () => {
    assert.is(stableWords(a), stableWords(b));
  });
}

const OTHER: [a: string, b: string][] = [
  ['409 invalid_state', '200 application/json'],
  ['409 invalid_state', '409 idempotency_in_flight'],
  ['2 events', '1 event'],
  ['no v1', 'no v2'],
  ['status: "pending"', 'status: "approved"'],
];
for (const [a, b] of OTHER) {
  mark(`not the same: ${a} and ${b}`, () => {
    const [one, other] = [a, b].map((actual) =>
      fingerprintOf('ACC-1', 's', { expected: 'e', actual }),
    );
    assert.is.not(one, other);
  });
}

mark('rule, scenario and expectation are part of it', () => {
  const finding = { expected: 'e', actual: 'a' };
  const all = [
    fingerprintOf('ACC-1', 's', finding),
    fingerprintOf('ACC-2', 's', finding),
    fingerprintOf('ACC-1', 't', finding),
    fingerprintOf('ACC-1', 's', { ...finding, expected: 'f' }),
  ];
  assert.is(new Set(all.filter((each) => /^[0-9a-f]{12}$/.test(each))).size, 4);
});

mark.run();
