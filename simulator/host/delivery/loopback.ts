// Recognises hosts that can only mean this machine.
import { parseAddress } from '../../core/values/address.ts';

/** A host in lower case, without the brackets of an IPv6 address or one trailing dot. */
export function bareHost(host: string): string {
  const name = host.toLowerCase();
  return /^\[.*:.*\]$/.test(name) ? name.slice(1, -1) : name.replace(/\.$/, '');
}

/** Whether a host, with or without brackets and in any case, can only mean this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = bareHost(host);
  const address = parseAddress(name);
  // RFC 6761: no name below localhost is ever looked up elsewhere.
  if (address === null) return name === 'localhost' || name.endsWith('.localhost');
  const { family, value } = address;
  if (family === 6 && value >> 32n !== 0xffffn) return value === 1n;
  return ((value >> 24n) & 0xffn) === 127n;
}
