// Checks the classification of addresses against hand-written results, and against another library.
import ipaddr from 'ipaddr.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksByName, parseAddress, refuseAddress } from './address.ts';

const isPublicAddress = (text: string, allowLocal?: boolean) =>
  refuseAddress(text, allowLocal) === null;

const test = suite('addresses');

// One line for each family of spellings: the result, then the addresses it applies to.
const publicOnes = `
  1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 99.255.255.255
  100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  169.253.255.255 169.255.0.0 168.63.129.15 168.63.129.17 172.15.255.255 172.32.0.0
  191.255.255.255 192.0.1.0 192.0.3.0 192.1.0.1 192.31.195.255 192.31.197.0
  192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
  192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0
  203.0.112.255 203.0.114.0 223.255.255.255
  2000:: 2001:200:: 2001:4860:4860::8888 2001:470:1:18::119 2001:db7:ffff::1 2001:db9::1
  2003::1 2400:cb00:2048:1::c629:d7a2 2606:4700:4700::1111 2620:4f:7fff::1 2620:4f:8001::1
  2a00:1450:4001:81b::200e 2A00:1450:4001:81B:0:0:0:200E 3ffe::1 3fff:1000::1
  ::ffff:8.8.8.8 ::ffff:808:808 ::FFFF:5db8:d822 0:0:0:0:0:ffff:1.1.1.1
  2606:4700::1.1.1.1
`
  .trim()
  .split(/\s+/);

const otherOnes: Record<string, string> = {
  'this network': '0.0.0.0 0.0.0.1 0.255.255.255 ::ffff:0.0.0.0 ::ffff:0:0',
  private: `10.0.0.0 10.0.0.1 10.255.255.255 172.16.0.0 172.16.0.1 172.31.255.255
    192.168.0.0 192.168.1.1 192.168.255.255 ::ffff:10.0.0.1 ::ffff:a00:1 ::ffff:192.168.0.1
    fc00:: fc00::1 fd00::1 fd12:3456:789a::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
  'carrier-grade NAT': '100.64.0.0 100.64.0.1 100.127.255.255 ::ffff:100.64.0.1',
  loopback: `127.0.0.0 127.0.0.1 127.1.2.3 127.255.255.255 ::1 0:0:0:0:0:0:0:1
    0000:0000:0000:0000:0000:0000:0000:0001 ::0001 ::ffff:127.0.0.1 ::ffff:7f00:1
    0:0:0:0:0:ffff:7f00:0001 ::FFFF:127.0.0.1 ::0:1 ::0.0.0.1`,
  'link-local': '169.254.0.0 169.254.1.1 169.254.255.255 fe80:: fe80::1 febf::1 ::ffff:169.254.0.1',
  'cloud metadata': `169.254.169.254 168.63.129.16 100.100.100.200 192.0.0.192
    ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:168.63.129.16 fd00:ec2::254 fd20:ce::254`,
  'protocol assignments': `192.0.0.0 192.0.0.1 192.0.0.9 192.0.0.170 192.0.0.255
    2001:1::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1
    2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff`,
  documentation: `192.0.2.0 192.0.2.1 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0
    203.0.113.255 2001:db8:: 2001:db8::1 2001:0DB8:ffff::1 3fff:: 3fff:fff::1`,
  AS112: '192.31.196.0 192.31.196.255 192.175.48.0 192.175.48.255 2620:4f:8000:: 2620:4f:8000::1',
  'multicast tunnelling': '192.52.193.0 192.52.193.255',
  '6to4 relay': '192.88.99.0 192.88.99.1 192.88.99.255',
  benchmarking: '198.18.0.0 198.19.255.255 2001:2::1 2001:2:0:ffff::1',
  multicast: '224.0.0.0 224.0.0.251 239.255.255.255 ff00:: ff02::1 ff0e::1',
  reserved: '240.0.0.0 240.0.0.1 255.255.255.254 ::ffff:240.0.0.1',
  broadcast: '255.255.255.255 ::ffff:255.255.255.255',
  unspecified: ':: 0:0:0:0:0:0:0:0 0::0 ::0.0.0.0',
  'IPv4-compatible': '::2 ::8.8.8.8 ::127.0.0.1 ::7f00:1 ::10.0.0.1',
  'IPv4-translated': '::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 ::ffff:0:7f00:1',
  NAT64: `64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1
    64:ff9b:1:fffe::10.0.0.1`,
  'discard-only': '100:: 100::1',
  'dummy prefix': '100:0:0:1:: 100:0:0:1::1',
  Teredo: '2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:ffff::1',
  '6to4': '2002:: 2002:7f00:1:: 2002:a00:1::1 2002:808:808::1',
  ISATAP: '2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:7f00:1 2a00:1:2:3:0:5efe:8.8.8.8',
  'segment routing': '5f00:: 5f00::1',
  'site-local': 'fec0:: fec0::1 feff::1',
  'outside the public IPv6':
    '4000::1 8000::1 1fff:ffff::1 64:ff9a::1 64:ff9b:2::1 ::ffff:ffff:0:0 fe00::1',
};

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

test('public addresses are public', () => {
  for (const text of publicOnes) {
    assert.is(refuseAddress(text), null);
  }
});

test('other addresses are not public, for the reason named', () => {
  for (const [name, list] of Object.entries(otherOnes)) {
    for (const text of list.split(/\s+/)) {
      const why = refuseAddress(text);
      assert.ok(why?.includes(name), `${text} should be refused as ${name}, but: ${why}`);
    }
  }
});

test('text that is not a strict address literal is not public', () => {
  for (const text of notAddresses) {
    assert.is(parseAddress(text), null, JSON.stringify(text));
    assert.not.ok(isPublicAddress(text), JSON.stringify(text));
  }
});

test('the reason for a wrapped address names both addresses', () => {
  assert.is(
    refuseAddress('::ffff:7f00:1'),
    '::ffff:7f00:1 (127.0.0.1 inside IPv4-mapped) is in 127.0.0.0/8 (loopback)',
  );
});

test('if local addresses are allowed, only loopback is added', () => {
  for (const text of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.ok(isPublicAddress(text, true), text);
  }
  for (const text of ['10.0.0.1', '::2', '169.254.169.254', 'fd00::1', '::127.0.0.1']) {
    assert.not.ok(isPublicAddress(text, true), text);
  }
});

// Ranges where the other library is known to be wrong or to answer another question.
const judgedByContent = new Set(['ipv4Mapped']);
const unicastButNotPublic = [
  { reason: 'a cloud platform answers on it', cidr: '168.63.129.16/32' },
  { reason: 'only 2000::/3 is handed out as global unicast', outside: '2000::/3' },
  { reason: 'the interface id embeds an IPv4 address', isatap: true },
];

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
  if (judgedByContent.has(range)) {
    const inner = (ip as ipaddr.IPv6).toIPv4Address().toString();
    assert.is(isPublicAddress(text), isPublicAddress(inner), text);
    return;
  }
  if (isPublicAddress(text)) {
    assert.is(range, 'unicast', `${text} is public here, and ${range} there`);
    return;
  }
  if (range !== 'unicast') return;
  const excepted = unicastButNotPublic.some(({ cidr, outside, isatap }) => {
    if (isatap) return ip.kind() === 'ipv6' && /(^|:)(200:|0:|:)?5efe:/.test(text);
    const block = ipaddr.parseCIDR((cidr ?? outside)!);
    if (block[0].kind() !== ip.kind()) return false;
    return (ip as ipaddr.IPv4).match(block as [ipaddr.IPv4, number]) === (cidr !== undefined);
  });
  assert.ok(excepted, `${text} is unicast there, and refused here: ${refuseAddress(text)}`);
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
