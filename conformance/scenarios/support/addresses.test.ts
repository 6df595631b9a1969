// The lists of addresses are compared with another library's ranges, and with the text of the
// specification.
import ipaddr from 'ipaddr.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALSO_PUBLIC, NOT_PUBLIC, PUBLIC, PUBLIC_NEIGHBOURS, PUBLIC_V6 } from './addresses.ts';

const addresses = suite('addresses');

const rangeOf = (address: string) => ipaddr.parse(address).range();

/** Addresses that ipaddr.js calls unicast although they are not public; each is listed here. */
const BLIND_SPOTS = ['::7f00:1', '::a00:1', '100:0:0:1::1', '5f00::1'];

addresses('public addresses are public in the other library too', () => {
  for (const each of [PUBLIC, ALSO_PUBLIC, PUBLIC_V6, ...PUBLIC_NEIGHBOURS]) {
    assert.is(rangeOf(each), 'unicast', each);
  }
});

addresses('non-public addresses are so in the other library, except for its blind spots', () => {
  const taken = NOT_PUBLIC.flatMap((block) => block.addresses).filter(
    (each) => rangeOf(each) === 'unicast' && !BLIND_SPOTS.includes(each),
  );
  assert.equal(taken, []);
});

addresses.run();
