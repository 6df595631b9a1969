// Checks the classification of addresses against another library. The judge's scenarios about HOOK-8
// play addresses of every kind.
import ipaddr from 'ipaddr.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksByName, parseAddress, refuseAddress } from './address.ts';

const isPublicAddress = (text: string, allowLocal?: boolean) =>
  refuseAddress(text, allowLocal) === null;

const test = suite('addresses');

const notAddresses: readonly string[] = [
  ...['', ' ', '8.8.8.8 ', ' 8.8.8.8', '8.8.8.8\n'],
  ...`
    localhost example.com 127.1 127.0.1 2130706433 0x7f.0.0.1 0x7f000001 0177.0.0.1 127.0.0.01
    08.8.8.8 8.8.8.8. 8.8.8.8:443 8.8.8.8/32 8.8.8.256 8.8.8.1000 8.8.8 8.8.8.8.8 8.8..8 -8.8.8.8
    ８.８.８.８ ٨.٨.٨.٨ [::1] [2606:4700:4700::1111] 2606:4700:4700::1111%eth0 fe80::1%1
    2606:4700:4700::1111/128 2606::4700::1111 2606:4700:4700:0:0:0:0 2606:4700:4700:0:0:0:0:0:1111
    1:2:3:4:5:6:7::8:9 1:2:3:4:5:6:7:8:: 2606:4700:4700::11111 2606:4700:4700::g :2606::1 2606::1:
    : ::: ::ffff:8.8.8 ::ffff:8.8.8.256 ::ffff:08.8.8.8 ::8.8.8.8:1 ::ffff:0x8.8.8.8 8.8.8.8::
    ::fffe:8.8.8
  `
    .trim()
    .split(/\s+/),
];

test('text that is not a strict address literal is not public', () => {
  for (const text of notAddresses) {
    assert.is(parseAddress(text), null, JSON.stringify(text));
    assert.not.ok(isPublicAddress(text), JSON.stringify(text));
  }
});

test('the reason for a wrapped address names both addresses', () => {
  const why = '::ffff:7f00:1 (127.0.0.1 inside IPv4-mapped) is in 127.0.0.0/8 (loopback)';
  assert.is(refuseAddress('::ffff:7f00:1'), why);
});

test('if local addresses are allowed, only loopback is added', () => {
  for (const text of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.ok(isPublicAddress(text, true), text);
  }
  for (const text of ['10.0.0.1', '::2', '169.254.169.254', 'fd00::1', '::127.0.0.1']) {
    assert.not.ok(isPublicAddress(text, true), text);
  }
});

/** Unicast addresses for the other library that are not public. */
function isExcepted(ip: Ip, text: string): boolean {
  // A cloud platform answers on it.
  if (ip.kind() === 'ipv4') return text === '168.63.129.16';
  // Only 2000::/3 is handed out as global unicast, and the interface id of ISATAP embeds an IPv4
  // address.
  const isAssigned = (ip as ipaddr.IPv6).match(ipaddr.IPv6.parseCIDR('2000::/3'));
  return !isAssigned || /(^|:)(200:|0:|:)?5efe:/.test(text);
}

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type SpecialRanges = Record<string, [Ip, number] | [Ip, number][]>;

function specialBlocks(kind: typeof ipaddr.IPv4 | typeof ipaddr.IPv6) {
  const ranges = (kind.prototype as unknown as { SpecialRanges: SpecialRanges }).SpecialRanges;
  return Object.entries(ranges).flatMap(([name, entry]) => {
    const blocks = (Array.isArray(entry[0]) ? entry : [entry]) as [Ip, number][];
    return blocks.map(([first, length]) => ({ name, first, length }));
  });
}

function edges({ first, length }: { first: Ip; length: number }): bigint[] {
  const width = first.kind() === 'ipv4' ? 32n : 128n;
  const start = first.toByteArray().reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  const size = 1n << (width - BigInt(length));
  const inside = [start, start + 1n, start + size / 2n, start + size - 2n, start + size - 1n];
  return [start - 1n, ...inside, start + size].filter((n) => n >= 0n && n < 1n << width);
}

function toIp(value: bigint, family: string): Ip {
  const length = family === 'ipv4' ? 4 : 16;
  const bytes = Array.from({ length }, (_, i) =>
    Number((value >> BigInt(8 * (length - 1 - i))) & 255n),
  );
  return ipaddr.fromByteArray(bytes);
}

function compare(ip: Ip): void {
  const text = ip.toString();
  const range = ip.range();
  if (range === 'ipv4Mapped') {
    const inner = (ip as ipaddr.IPv6).toIPv4Address().toString();
    assert.is(isPublicAddress(text), isPublicAddress(inner), text);
    return;
  }
  if (isPublicAddress(text)) {
    assert.is(range, 'unicast', `${text} is public here, and ${range} there`);
    return;
  }
  if (range !== 'unicast') return;
  const words = `${text} is unicast there, and refused here: ${refuseAddress(text)}`;
  assert.ok(isExcepted(ip, text), words);
}

test('results agree with ipaddr.js in and around each block of both libraries', () => {
  const ours = Object.values(blocksByName).join(' ').split(' ');
  const blocks = [
    ...specialBlocks(ipaddr.IPv4),
    ...specialBlocks(ipaddr.IPv6),
    ...ours.map((cidr) => {
      const [first, length] = ipaddr.parseCIDR(cidr);
      return { first, length };
    }),
  ];
  assert.ok(blocks.length > 60, `${blocks.length} blocks`);
  for (const block of blocks) {
    for (const value of edges(block)) compare(toIp(value, block.first.kind()));
  }
});

test.run();
