// Public and non-public addresses according to the registries of special-purpose addresses:
// examples at both ends of each block, written by hand.

/** Two that have been assigned to hosts on the internet for decades, and one of IPv6. */
export const PUBLIC = '93.184.216.34';
export const ALSO_PUBLIC = '93.184.215.14';
export const PUBLIC_V6 = '2606:2800:220:1:248:1893:25c8:1946';

const list = (text: string): readonly string[] => text.split(/\s+/);
const blocks = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([words, text]) => ({ words, addresses: list(text) }));

/**
 * Public addresses next to non-public blocks, which too large ranges would refuse. A name that
 * resolves to all of them is public.
 */
export const PUBLIC_NEIGHBOURS = list(
  `9.255.255.254 11.0.0.1 100.63.255.254 100.128.0.1 126.255.255.254 128.0.0.1 169.253.255.254
   169.255.0.1 172.15.255.254 172.32.0.1 192.167.255.254 192.169.0.1 198.17.255.254 198.20.0.1
   223.255.255.254`,
);

/** Addresses that are not public in any interpretation. */
export const NOT_PUBLIC = blocks({
  private: `10.0.0.1 10.255.255.254 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.254
    fc00::1 fdff:ffff:ffff::1`,
  loopback: '127.0.0.1 127.255.255.254 ::1',
  'link-local': '169.254.0.1 169.254.255.254 fe80::1 febf::1',
  'cloud metadata': '169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 fd00:ec2::254',
  'this host': '0.0.0.0 0.1.2.3 ::',
  'shared behind carriers': '100.64.0.1 100.127.255.254',
  'protocol assignments': '192.0.0.1',
  benchmarking: '198.18.0.1 198.19.255.254',
  documentation: '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1',
  multicast: '224.0.0.1 239.255.255.254 ff02::1 ff0e::1',
  reserved: '240.0.0.1 255.255.255.254',
  broadcast: '255.255.255.255',
  'inside a version 6 address that maps it': '::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe',
  // RFC 4291: only a public IPv4 address may have this form. RFC 6052 and RFC 3056 say the same
  // about the next two.
  'inside a version 6 address compatible with it': '::7f00:1 ::a00:1',
  'behind a translating prefix': '64:ff9b::7f00:1 64:ff9b::a9fe:a9fe',
  'inside a 6to4 address': '2002:7f00:1:: 2002:a9fe:a9fe::1',
  'in a translated address': '::ffff:0:7f00:1 64:ff9b:1::7f00:1',
  'in a Teredo address': '2001::80ff:fffe',
  'site-local': 'fec0::1',
  'in a special block of version 6': '100::1 100:0:0:1::1 2001:2::1 3fff::1 5f00::1',
});

/**
 * Special blocks that the registries call globally reachable, a public address of one cloud's
 * metadata service, and a form in which a public prefix contains a private address. Whether they
 * are public is a matter of definition.
 */
export const HARDLY_PUBLIC = blocks({
  '6to4 relays': '192.88.99.1',
  AS112: '192.31.196.1 192.175.48.1 2620:4f:8000::1',
  'multicast tunnelling': '192.52.193.1',
  'the wire server of one cloud': '168.63.129.16',
  'ISATAP with a loopback address': '2606:2800:220:1:0:5efe:7f00:1',
});

export const METADATA_NAMES = list(
  'metadata.google.internal metadata.goog instance-data.ec2.internal',
);

/** Sets of resolved addresses, one of which is not public. */
export const MIXED: readonly (readonly string[])[] = [
  [PUBLIC, '10.0.0.1'],
  ['10.0.0.1', PUBLIC],
  [PUBLIC, '::1'],
  [PUBLIC_V6, '169.254.169.254'],
  [PUBLIC, ALSO_PUBLIC, '192.168.1.1'],
  [PUBLIC, PUBLIC_V6, '::ffff:7f00:1'],
];

/** Spellings of hosts that resolve to this machine or its network. */
export const ALTERNATIVE_SPELLINGS = Object.entries({
  'loopback by its name': 'localhost LOCALHOST localhost. localhost:8443',
  loopback: '127.0.0.1 127.0.0.1:8443 127.0.0.1. 127.8.8.8 [::1] [::1]:8443',
  'loopback in fewer parts, decimal, octal and hexadecimal':
    '127.1 127.0.1 2130706433 0177.0.0.1 0x7f.0.0.1 0x7f000001 0x7f.1',
  'loopback in longer forms':
    '[0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] %31%32%37.0.0.1',
  'loopback in wide digits': '\uff11\uff12\uff17.0.0.1',
  'loopback after a user name': 'hooks.example.com@127.0.0.1 hooks.example.com:443@[::1]',
  'inside a version 6 address': '[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a00:1]',
  'this host': '0.0.0.0 0 [::]',
  private: '10.0.0.1 172.16.0.1 172.31.255.254 192.168.0.1 3232235521 [fd00::1]',
  'link-local': '169.254.0.1 [fe80::1]',
  'cloud metadata': '169.254.169.254 2852039166 0xa9fea9fe [fd00:ec2::254]',
}).map(([words, text]) => ({ words, hosts: list(text) }));
