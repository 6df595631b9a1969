// Addresses that are public and addresses that are not, as the registries of special purposes have
// them: examples at both ends of each block, written by hand.

/** Two that have been assigned to hosts on the internet for decades, and one of version 6. */
export const PUBLIC = '93.184.216.34';
export const ALSO_PUBLIC = '93.184.215.14';
export const PUBLIC_V6 = '2606:2800:220:1:248:1893:25c8:1946';

/**
 * Public ones next to blocks that are not: a guard that is cut too wide refuses them. A name that
 * resolves to all of them is public.
 */
export const PUBLIC_NEIGHBOURS: readonly string[] = [
  '9.255.255.254',
  '11.0.0.1',
  '100.63.255.254',
  '100.128.0.1',
  '126.255.255.254',
  '128.0.0.1',
  '169.253.255.254',
  '169.255.0.1',
  '172.15.255.254',
  '172.32.0.1',
  '192.167.255.254',
  '192.169.0.1',
  '198.17.255.254',
  '198.20.0.1',
  '223.255.255.254',
];

export interface Block {
  readonly words: string;
  readonly addresses: readonly string[];
}

/** What no reading of "public" takes in. */
export const NOT_PUBLIC: readonly Block[] = [
  {
    words: 'private',
    addresses: [
      '10.0.0.1',
      '10.255.255.254',
      '172.16.0.1',
      '172.31.255.254',
      '192.168.0.1',
      '192.168.255.254',
      'fc00::1',
      'fdff:ffff:ffff::1',
    ],
  },
  { words: 'loopback', addresses: ['127.0.0.1', '127.255.255.254', '::1'] },
  { words: 'link-local', addresses: ['169.254.0.1', '169.254.255.254', 'fe80::1', 'febf::1'] },
  {
    words: 'cloud metadata',
    addresses: [
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '192.0.0.192',
      'fd00:ec2::254',
    ],
  },
  { words: 'this host', addresses: ['0.0.0.0', '0.1.2.3', '::'] },
  { words: 'shared behind carriers', addresses: ['100.64.0.1', '100.127.255.254'] },
  { words: 'protocol assignments', addresses: ['192.0.0.1'] },
  { words: 'benchmarking', addresses: ['198.18.0.1', '198.19.255.254'] },
  {
    words: 'documentation',
    addresses: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1'],
  },
  { words: 'multicast', addresses: ['224.0.0.1', '239.255.255.254', 'ff02::1', 'ff0e::1'] },
  { words: 'reserved', addresses: ['240.0.0.1', '255.255.255.254'] },
  { words: 'broadcast', addresses: ['255.255.255.255'] },
  {
    words: 'inside a version 6 address that maps it',
    addresses: ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
  },
  // RFC 4291: only a public IPv4 address may be written so. RFC 6052 and RFC 3056 say the same of
  // the next two.
  { words: 'inside a version 6 address compatible with it', addresses: ['::7f00:1', '::a00:1'] },
  { words: 'behind a translating prefix', addresses: ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe'] },
  { words: 'inside a 6to4 address', addresses: ['2002:7f00:1::', '2002:a9fe:a9fe::1'] },
  { words: 'in a translated address', addresses: ['::ffff:0:7f00:1', '64:ff9b:1::7f00:1'] },
  { words: 'in a Teredo address', addresses: ['2001::80ff:fffe'] },
  { words: 'site-local', addresses: ['fec0::1'] },
  {
    words: 'in a special block of version 6',
    addresses: ['100::1', '100:0:0:1::1', '2001:2::1', '3fff::1', '5f00::1'],
  },
];

/**
 * Special blocks that the registries call globally reachable all the same, a public address on
 * which one cloud serves its machines, and a form in which a public prefix carries a private
 * address: whether they are public is a matter of words.
 */
export const HARDLY_PUBLIC: readonly Block[] = [
  { words: '6to4 relays', addresses: ['192.88.99.1'] },
  { words: 'AS112', addresses: ['192.31.196.1', '192.175.48.1', '2620:4f:8000::1'] },
  { words: 'multicast tunnelling', addresses: ['192.52.193.1'] },
  { words: 'the wire server of one cloud', addresses: ['168.63.129.16'] },
  { words: 'ISATAP with a loopback address', addresses: ['2606:2800:220:1:0:5efe:7f00:1'] },
];

/** What clouds call the service that tells a machine its secrets. */
export const METADATA_NAMES: readonly string[] = [
  'metadata.google.internal',
  'metadata.goog',
  'instance-data.ec2.internal',
];

/** Answers of a resolver of which one address is not public. */
export const MIXED: readonly (readonly string[])[] = [
  [PUBLIC, '10.0.0.1'],
  ['10.0.0.1', PUBLIC],
  [PUBLIC, '::1'],
  [PUBLIC_V6, '169.254.169.254'],
  [PUBLIC, ALSO_PUBLIC, '192.168.1.1'],
  [PUBLIC, PUBLIC_V6, '::ffff:7f00:1'],
];

/** Hosts that lead to this machine or its network in whatever spelling. */
export const ALTERNATIVE_SPELLINGS: readonly {
  readonly words: string;
  readonly hosts: readonly string[];
}[] = [
  {
    words: 'loopback by its name',
    hosts: ['localhost', 'LOCALHOST', 'localhost.', 'localhost:8443'],
  },
  {
    words: 'loopback',
    hosts: ['127.0.0.1', '127.0.0.1:8443', '127.0.0.1.', '127.8.8.8', '[::1]', '[::1]:8443'],
  },
  {
    words: 'loopback in fewer parts, decimal, octal and hexadecimal',
    hosts: ['127.1', '127.0.1', '2130706433', '0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '0x7f.1'],
  },
  {
    words: 'loopback in longer forms',
    hosts: ['[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '%31%32%37.0.0.1'],
  },
  {
    words: 'loopback in wide digits',
    hosts: ['\uff11\uff12\uff17.0.0.1'],
  },
  {
    words: 'loopback after a user name',
    hosts: ['hooks.example.com@127.0.0.1', 'hooks.example.com:443@[::1]'],
  },
  {
    words: 'inside a version 6 address',
    hosts: ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a00:1]'],
  },
  { words: 'this host', hosts: ['0.0.0.0', '0', '[::]'] },
  {
    words: 'private',
    hosts: ['10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.0.1', '3232235521', '[fd00::1]'],
  },
  { words: 'link-local', hosts: ['169.254.0.1', '[fe80::1]'] },
  {
    words: 'cloud metadata',
    hosts: ['169.254.169.254', '2852039166', '0xa9fea9fe', '[fd00:ec2::254]'],
  },
];
