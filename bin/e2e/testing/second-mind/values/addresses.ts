// Which addresses and urls are public (HOOK-7, HOOK-8). What is not known to be public is refused.
import { BlockList, isIP, isIPv4 } from 'node:net';

const V4_CLOSED: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
];

const V6_CLOSED: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['2620:4f:8000::', 48],
];

const closed4 = new BlockList();
for (const [net, bits] of V4_CLOSED) closed4.addSubnet(net, bits, 'ipv4');
const open6 = new BlockList();
open6.addSubnet('2000::', 3, 'ipv6');
const closed6 = new BlockList();
for (const [net, bits] of V6_CLOSED) closed6.addSubnet(net, bits, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed4.check(address, 'ipv4');
  const mapped = mappedV4(address);
  if (mapped !== null) return !closed4.check(mapped, 'ipv4');
  // ISATAP carries an IPv4 address behind these digits, in any prefix.
  if (/:5efe:/i.test(address)) return false;
  return open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6');
}

/** `::ffff:a.b.c.d`, which the URL parser writes as two groups of hexadecimal digits. */
function mappedV4(address: string): string | null {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (groups === null) return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? null;
  const high = Number.parseInt(groups[1]!, 16);
  const low = Number.parseInt(groups[2]!, 16);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The host name of a url that may be subscribed to, or null where its form is refused. */
export function hostOf(url: string): string | null {
  if (!/^https:\/\//i.test(url) || /[\s\\]/.test(url)) return null;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return null;
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.port === '0') return null;
  const host = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === '' ? null : host;
}

export function isLiteral(host: string): boolean {
  return isIP(host) !== 0;
}
