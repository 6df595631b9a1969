// Tells names and addresses that can only mean this machine from all others.
import { parseAddress } from '../../core/values/address.ts';

/** Whether a host, with or without brackets and in any case, can only mean this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  const address = parseAddress(name);
  // RFC 6761: no name below localhost is ever looked up elsewhere.
  if (address === null) return name === 'localhost' || name.endsWith('.localhost');
  const { family, value } = address;
  if (family === 6 && value >> 32n !== 0xffffn) return value === 1n;
  return ((value >> 24n) & 0xffn) === 127n;
}
