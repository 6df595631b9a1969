// Tells public internet addresses from all others, by a table of blocks that is passed in as a
// value.

/** One named block of addresses, in CIDR notation. */
export interface AddressBlock {
  readonly name: string;
  readonly cidr: string;
}

/** A parsed IPv4 or IPv6 literal; the value is the address as one unsigned number. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/**
 * What counts as public. The narrowest block that holds an address decides, `refuse` before `allow`
 * where both are as narrow; an address in none is not public. One in `unwrap` is judged by the IPv4
 * address it carries. `interfaceIds` are matched against the
 * low 64 bits of an IPv6 address, `names` are the hostnames (and all below them) that never are
 * public.
 */
export interface AddressSpace {
  readonly allow: readonly AddressBlock[];
  readonly refuse: readonly AddressBlock[];
  readonly unwrap: readonly AddressBlock[];
  readonly interfaceIds: readonly AddressBlock[];
  readonly names: readonly string[];
}

const block = (name: string, cidr: string): AddressBlock => ({ name, cidr });

const refusedIpv4: readonly AddressBlock[] = [
  block('cloud metadata', '169.254.169.254/32'),
  block('cloud metadata', '168.63.129.16/32'),
  block('cloud metadata', '100.100.100.200/32'),
  block('cloud metadata', '192.0.0.192/32'),
  block('this network', '0.0.0.0/8'),
  block('private', '10.0.0.0/8'),
  block('carrier-grade NAT', '100.64.0.0/10'),
  block('loopback', '127.0.0.0/8'),
  block('link-local', '169.254.0.0/16'),
  block('private', '172.16.0.0/12'),
  block('protocol assignments', '192.0.0.0/24'),
  block('documentation', '192.0.2.0/24'),
  block('AS112', '192.31.196.0/24'),
  block('multicast tunnelling', '192.52.193.0/24'),
  block('6to4 relay', '192.88.99.0/24'),
  block('private', '192.168.0.0/16'),
  block('AS112', '192.175.48.0/24'),
  block('benchmarking', '198.18.0.0/15'),
  block('documentation', '198.51.100.0/24'),
  block('documentation', '203.0.113.0/24'),
  block('multicast', '224.0.0.0/4'),
  block('broadcast', '255.255.255.255/32'),
  block('reserved', '240.0.0.0/4'),
];

// Most of these lie outside 2000::/3 and would be refused without a line here; the line gives the
// reader the real reason, and gives a deviation something to forget.
const refusedIpv6: readonly AddressBlock[] = [
  block('unspecified', '::/128'),
  block('loopback', '::1/128'),
  block('IPv4-compatible', '::/96'),
  block('IPv4-translated', '::ffff:0:0:0/96'),
  block('NAT64', '64:ff9b::/96'),
  block('NAT64', '64:ff9b:1::/48'),
  block('discard-only', '100::/64'),
  block('dummy prefix', '100:0:0:1::/64'),
  block('Teredo', '2001::/32'),
  block('benchmarking', '2001:2::/48'),
  block('protocol assignments', '2001::/23'),
  block('documentation', '2001:db8::/32'),
  block('6to4', '2002::/16'),
  block('AS112', '2620:4f:8000::/48'),
  block('documentation', '3fff::/20'),
  block('segment routing', '5f00::/16'),
  block('cloud metadata', 'fd00:ec2::254/128'),
  block('cloud metadata', 'fd20:ce::254/128'),
  block('private', 'fc00::/7'),
  block('link-local', 'fe80::/10'),
  block('site-local', 'fec0::/10'),
  block('multicast', 'ff00::/8'),
];

/** The conforming table: IPv4 without every special-purpose block, IPv6 only from 2000::/3. */
export const publicSpace: AddressSpace = {
  allow: [block('unicast', '0.0.0.0/0'), block('global unicast', '2000::/3')],
  refuse: [...refusedIpv4, ...refusedIpv6],
  unwrap: [block('IPv4-mapped', '::ffff:0:0/96')],
  interfaceIds: [block('ISATAP', '::5efe:0:0/96'), block('ISATAP', '::200:5efe:0:0/96')],
  names: ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'],
};

/**
 * The same space, except that blocks of these names count as public (narrower ones in them do not).
 */
export function forgetBlocks(space: AddressSpace, ...names: readonly string[]): AddressSpace {
  const isForgotten = ({ name }: AddressBlock) => names.includes(name);
  return {
    ...space,
    allow: [...space.allow, ...space.refuse.filter(isForgotten)],
    refuse: space.refuse.filter((candidate) => !isForgotten(candidate)),
    interfaceIds: space.interfaceIds.filter((candidate) => !isForgotten(candidate)),
  };
}

/** Whether a literal is a public address. Text that is no address literal is not public. */
export function isPublicAddress(text: string, space: AddressSpace = publicSpace): boolean {
  return explainAddress(text, space).public;
}

/** The same with the reason in words, fit to be shown to the sender of the address. */
export function explainAddress(
  text: string,
  space: AddressSpace = publicSpace,
): { public: boolean; why: string } {
  const address = parseAddress(text);
  if (address === null) return { public: false, why: `${text} is not an IPv4 or IPv6 address` };
  const compiled = compile(space);
  const wrapper = find(compiled.unwrap, address);
  if (wrapper === undefined) return judge(text, address, compiled);
  const inner: Address = { family: 4, value: address.value & 0xffff_ffffn };
  return judge(`${text} (${formatIpv4(inner.value)} inside ${wrapper.name})`, inner, compiled);
}

function judge(text: string, address: Address, space: CompiledSpace) {
  const refused = find(space.refuse, address);
  const allowed = find(space.allow, address);
  if (refused && (allowed === undefined || refused.shift <= allowed.shift)) {
    return { public: false, why: `${text} is in ${refused.cidr} (${refused.name})` };
  }
  if (allowed === undefined) {
    return { public: false, why: `${text} is outside the public IPv${address.family} space` };
  }
  const interfaceId: Address = { ...address, value: address.value & 0xffff_ffff_ffff_ffffn };
  const embedding = address.family === 6 ? find(space.interfaceIds, interfaceId) : undefined;
  if (embedding)
    return { public: false, why: `${text} embeds an IPv4 address (${embedding.name})` };
  return { public: true, why: `${text} is public (${allowed.name})` };
}

interface CompiledBlock extends AddressBlock {
  readonly family: 4 | 6;
  readonly prefix: bigint;
  readonly shift: bigint;
}

type CompiledSpace = Record<'allow' | 'refuse' | 'unwrap' | 'interfaceIds', CompiledBlock[]>;

const compiledSpaces = new WeakMap<AddressSpace, CompiledSpace>();

function compile(space: AddressSpace): CompiledSpace {
  const known = compiledSpaces.get(space);
  if (known) return known;
  const compiled: CompiledSpace = {
    allow: compileBlocks(space.allow),
    refuse: compileBlocks(space.refuse),
    unwrap: compileBlocks(space.unwrap),
    interfaceIds: compileBlocks(space.interfaceIds),
  };
  compiledSpaces.set(space, compiled);
  return compiled;
}

// Narrowest first, so that the first block found is the one that decides and names the reason.
function compileBlocks(blocks: readonly AddressBlock[]): CompiledBlock[] {
  return blocks.map(compileBlock).sort((left, right) => Number(left.shift - right.shift));
}

function compileBlock({ name, cidr }: AddressBlock): CompiledBlock {
  const slash = cidr.indexOf('/');
  const address = parseAddress(cidr.slice(0, slash));
  const length = Number(cidr.slice(slash + 1));
  const width = address?.family === 4 ? 32 : 128;
  if (address === null || slash < 0 || !Number.isInteger(length) || length < 0 || length > width) {
    throw new Error(`${cidr} (${name}) is not a block of addresses in CIDR notation`);
  }
  const shift = BigInt(width - length);
  return { name, cidr, family: address.family, prefix: address.value >> shift, shift };
}

function find(blocks: readonly CompiledBlock[], { family, value }: Address) {
  return blocks.find((b) => b.family === family && value >> b.shift === b.prefix);
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
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return null;
  let value = 0n;
  for (const part of match.slice(1)) {
    // A leading zero means octal to some resolvers and nothing to others, so it means no address
    // here.
    if (Number(part) > 255 || (part.length > 1 && part.startsWith('0'))) return null;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseIpv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : [];
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...new Array<bigint>(missing).fill(0n), ...tail];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** The 16-bit groups of one side of `::`; only the last part of an address may be dotted IPv4. */
function parseGroups(text: string, isLast: boolean): bigint[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const ipv4 = isLast && index === parts.length - 1 ? parseIpv4(part) : null;
      if (ipv4 === null) return null;
      groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(part)) return null;
      groups.push(BigInt(`0x${part}`));
    }
  }
  return groups;
}

function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}
