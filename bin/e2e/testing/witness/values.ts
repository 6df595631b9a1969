// Values of the witness: JSON, exact decimals, phone numbers and public addresses.
import { BlockList, isIP, isIPv4 } from 'node:net';
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A bigint is printed as a JSON number of any size. */
export type Json = string | number | bigint | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function textOr<T>(value: Json | undefined, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

export function print(value: Json): string {
  const marked = JSON.stringify(value, (_, each) =>
    typeof each === 'bigint' ? `\u0000${each}\u0000` : each,
  );
  return marked.replace(/"\\u0000(\d+)\\u0000"/g, '$1');
}

export function parse(bytes: Buffer): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    return undefined;
  }
}

const STRICT_DECIMAL = /^-?\d+(\.\d+)?$/;
const LAX_DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

export function isDecimal(text: string, isLax: boolean): boolean {
  return (isLax ? LAX_DECIMAL : STRICT_DECIMAL).test(text);
}

export const isZero = (text: string): boolean => !/[1-9]/.test(text);
export const isNegative = (text: string): boolean => text.startsWith('-') && !isZero(text);
export const absolute = (text: string): string => text.replace(/^[+-]/, '');

export function negated(text: string): string {
  if (isZero(text)) return text;
  return text.startsWith('-') ? text.slice(1) : `-${absolute(text)}`;
}

/** The exact sum, with at least two decimal places. */
export function sumOf(amounts: readonly string[]): string {
  const places = Math.max(2, ...amounts.map((each) => (each.split('.')[1] ?? '').length));
  const units = amounts.map((each) => {
    const [whole, part = ''] = absolute(each).split('.');
    const size = BigInt(`${whole || '0'}${part.padEnd(places, '0')}`);
    return each.startsWith('-') ? -size : size;
  });
  const sum = units.reduce((total, each) => total + each, 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(places + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** At least two decimal places: 5 becomes 5.00, and 5.125 is unchanged. */
export function withCents(text: string): string {
  const [, sign = '', whole = '', part = ''] = /^\+?(-?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  return `${sign}${whole || '0'}.${part.padEnd(2, '0')}`;
}

/** NS-24: E.164 if it can be parsed, otherwise its digits, or unchanged if it has none. */
export function normalisePhone(text: string, region: string | null, isStrict: boolean): string {
  const hint = (region ?? '').toUpperCase();
  const country = isSupportedCountry(hint) ? (hint as CountryCode) : undefined;
  const parsed = parsePhoneNumberFromString(text, country);
  if (parsed !== undefined && (parsed.isValid() || !isStrict)) return parsed.number;
  const digits = text.replace(/[^0-9]/g, '');
  if (digits === '') return text;
  return text.trim().startsWith('+') ? `+${digits}` : digits;
}

const SPECIAL_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'];

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const specialV4 = blockList(SPECIAL_V4, 'ipv4');
/** IPv4, also in the notation of IPv6. */
const mappedV4 = blockList(['::ffff:0:0/96'], 'ipv6');
const globalV6 = blockList(['2000::/3'], 'ipv6');
const specialV6 = blockList(SPECIAL_V6, 'ipv6');

/** HOOK-8: an address is refused unless it is known to be public. */
export function isPublicAddress(address: string): boolean {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (mappedV4.check(address, family)) return !specialV4.check(address, family);
  // ISATAP carries an IPv4 address behind these digits, under any prefix.
  if (/:5efe:/i.test(address)) return false;
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

/** HOOK-7: the host of a URL for a subscription, or null if the URL's form is refused. */
export function hostOf(url: string): string | null {
  if (!/^https:\/\//i.test(url) || /[\s\\]/.test(url) || !URL.canParse(url)) return null;
  const { username, password, port, hostname } = new URL(url);
  if (username !== '' || password !== '' || port === '0') return null;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return host === '' ? null : host;
}

export const isLiteral = (host: string): boolean => isIP(host) !== 0;
