// Distinguishes public internet addresses from all others.
import { parseUrl } from '../../../fixtures/parse-url.ts';

/** A parsed literal; the value is the address as one unsigned number. */
interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/**
 * Public and special-purpose blocks. The narrowest block that contains an address decides; an
 * address in no block is not public. Most IPv6 blocks are outside 2000::/3: they are listed so that
 * a refusal names the real reason.
 */
export const blocksByName: Readonly<Record<string, string>> = {
  public: '0.0.0.0/0 2000::/3',
  'cloud metadata':
    '169.254.169.254/32 168.63.129.16/32 100.100.100.200/32 192.0.0.192/32 fd00:ec2::254/128 fd20:ce::254/128',
  'this network': '0.0.0.0/8',
  private: '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7',
  'carrier-grade NAT': '100.64.0.0/10',
  loopback: '127.0.0.0/8 ::1/128',
  'link-local': '169.254.0.0/16 fe80::/10',
  'protocol assignments': '192.0.0.0/24 2001::/23',
  documentation: '192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20',
  AS112: '192.31.196.0/24 192.175.48.0/24 2620:4f:8000::/48',
  'multicast tunnelling': '192.52.193.0/24',
  '6to4 relay': '192.88.99.0/24',
  benchmarking: '198.18.0.0/15 2001:2::/48',
  multicast: '224.0.0.0/4 ff00::/8',
  broadcast: '255.255.255.255/32',
  reserved: '240.0.0.0/4',
  unspecified: '::/128',
  'IPv4-compatible': '::/96',
  'IPv4-translated': '::ffff:0:0:0/96',
  NAT64: '64:ff9b::/96 64:ff9b:1::/48',
  'discard-only': '100::/64',
  'dummy prefix': '100:0:0:1::/64',
  Teredo: '2001::/32',
  '6to4': '2002::/16',
  'segment routing': '5f00::/16',
  'site-local': 'fec0::/10',
};

type Block = ReturnType<typeof parseBlock>;

function parseBlock(name: string, cidr: string) {
  const [text = '', length] = cidr.split('/');
  const address = parseAddress(text);
  if (address === null) throw new Error(`${cidr} (${name}) is not a block of addresses`);
  const shift = BigInt((address.family === 4 ? 32 : 128) - Number(length));
  return { name, cidr, family: address.family, prefix: address.value >> shift, shift };
}

/** Narrowest first. */
const blocks = Object.entries(blocksByName)
  .flatMap(([name, list]) => list.split(' ').map((cidr) => parseBlock(name, cidr)))
  .sort((left, right) => Number(left.shift - right.shift));

const holds = ({ shift, prefix }: Block, value: bigint): boolean => value >> shift === prefix;

const mapped = parseBlock('IPv4-mapped', '::ffff:0:0/96');
/** ISATAP: the low 64 bits of such an address carry an IPv4 address. */
const interfaceIds = ['::5efe:0:0/96', '::200:5efe:0:0/96'].map((cidr) =>
  parseBlock('ISATAP', cidr),
);

/**
 * Why a literal is not a public address; null if it is public. `allowLocal` accepts loopback too.
 */
export function refuseAddress(text: string, allowLocal = false): string | null {
  const address = parseAddress(text);
  if (address === null) return `${text} is not an IPv4 or IPv6 address`;
  const { family, value } = address;
  if (family === 4 || !holds(mapped, value)) return refuse(text, address, allowLocal);
  // Judged by the embedded IPv4 address.
  const inner = value & 0xffff_ffffn;
  const dotted = [24n, 16n, 8n, 0n].map((shift) => (inner >> shift) & 0xffn).join('.');
  const words = `${text} (${dotted} inside ${mapped.name})`;
  return refuse(words, { family: 4, value: inner }, allowLocal);
}

function refuse(text: string, { family, value }: Address, allowLocal: boolean): string | null {
  const block = blocks.find((each) => each.family === family && holds(each, value));
  if (block === undefined) return `${text} is outside the public IPv${family} space`;
  if (block.name === 'loopback' && allowLocal) return null;
  if (block.name !== 'public') return `${text} is in ${block.cidr} (${block.name})`;
  const low = value & 0xffff_ffff_ffff_ffffn;
  const isEmbedding = family === 6 && interfaceIds.some((each) => holds(each, low));
  return isEmbedding ? `${text} embeds an IPv4 address (ISATAP)` : null;
}

/**
 * Parses a literal in its strict form: four decimal parts without leading zeros, or RFC 4291 text.
 * Null for anything else: shortened or octal IPv4, zone ids, brackets, names, white space.
 */
export function parseAddress(text: string): Address | null {
  const value = text.includes(':') ? parseIpv6(text) : parseIpv4(text);
  return value === null ? null : { family: text.includes(':') ? 6 : 4, value };
}

function parseIpv4(text: string): bigint | null {
  const parts = text.split('.');
  // Some resolvers read a leading zero as octal and others ignore it, so such text is not an
  // address here.
  const isPart = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;
  if (parts.length !== 4 || !parts.every(isPart)) return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | null {
  // The URL parser also writes the address in its shortest form, without dots.
  const url = /^[\da-f:.]+$/i.test(text) ? parseUrl(`http://[${text}]`) : null;
  if (url === null) return null;
  const sides = url.hostname.slice(1, -1).split('::');
  const [head = [], tail = []] = sides.map((side) => side.split(':').filter(Boolean));
  const zeros = new Array<string>(8 - head.length - tail.length).fill('0');
  const groups = [...head, ...zeros, ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
