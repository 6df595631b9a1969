// Parses the url of a webhook subscription, and judges what its hostname resolves to.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import {
  type AddressSpace,
  explainAddress,
  forgetBlocks,
  isPublicAddress,
  parseAddress,
  publicSpace,
} from './address.ts';
import { memoize } from './memoize.ts';

/**
 * Where deliveries go. `address` is the hostname when that is an IP literal (IPv6 without
 * brackets).
 */
export interface TargetUrl {
  readonly kind: 'target';
  /** Normalised: no fragment, no trailing dot on the hostname. */
  readonly href: string;
  readonly origin: string;
  readonly hostname: string;
  /** Never 0; the scheme's own when none is written. */
  readonly port: number;
  readonly address: string | null;
}

/** Why a url cannot be a target, as a sentence about the field `url`. */
export interface RefusedUrl {
  readonly kind: 'refused';
  readonly why: string;
}

export interface TargetUrlOptions {
  /** Also take `http://` and loopback targets, which departs from the rules. */
  readonly allowLocal?: boolean;
  readonly space?: AddressSpace;
}

const maxUrlLength = 2048;
const withLoopback = new WeakMap<AddressSpace, AddressSpace>();

/** The space that judges a target under these terms, and the addresses its name resolves to. */
export function targetSpace({ allowLocal = false, space = publicSpace }: TargetUrlOptions = {}) {
  if (!allowLocal) return space;
  const known = withLoopback.get(space);
  if (known) return known;
  const names = space.names.filter((name) => name !== 'localhost');
  const opened: AddressSpace = { ...forgetBlocks(space, 'loopback'), names };
  withLoopback.set(space, opened);
  return opened;
}

/**
 * HOOK-7, HOOK-8: a target is an `https://` url whose host is not visibly non-public. A name that
 * passes still has to be resolved and judged, see {@link judgeAddresses}.
 */
export function parseTargetUrl(
  text: string,
  options: TargetUrlOptions = {},
): TargetUrl | RefusedUrl {
  // The same few urls are parsed again for every delivery.
  const space = targetSpace(options);
  let parse = parsers.get(space);
  if (parse === undefined) {
    parse = memoize((url) => parseFresh(url, options));
    parsers.set(space, parse);
  }
  return parse(text);
}

const parsers = new WeakMap<AddressSpace, (text: string) => TargetUrl | RefusedUrl>();

function parseFresh(text: string, options: TargetUrlOptions): TargetUrl | RefusedUrl {
  const why = refuseSpelling(text, options.allowLocal ?? false);
  if (why !== null) return refused(why);
  const url = parseUrl(text);
  if (url === null) return refused('url is not a url that can be parsed');
  if (url.port === '0') return refused('url must not name port 0');
  url.hash = '';
  const literal = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const address = parseAddress(literal) === null ? null : literal;
  if (address === null) {
    // Exactly one trailing dot marks a name as absolute. It is the same host, and TLS does not want
    // it.
    const name = url.hostname.replace(/\.$/, '');
    const fault = refuseName(name, targetSpace(options));
    if (fault !== null) return refused(fault);
    url.hostname = name;
  } else {
    const verdict = explainAddress(address, targetSpace(options));
    if (!verdict.public) return refused(`url must lead to a public address: ${verdict.why}`);
    if (hasLeadingZero(text)) {
      return refused('url must not write an address with leading zeros: not all read it alike');
    }
  }
  if (url.href.length > maxUrlLength) return refused(tooLong);
  const port = url.port === '' ? ({ 'http:': 80 }[url.protocol] ?? 443) : Number(url.port);
  const { href, origin, hostname } = url;
  return { kind: 'target', href, origin, hostname, port, address };
}

const refused = (why: string): RefusedUrl => ({ kind: 'refused', why });
const tooLong = `url must have at most ${maxUrlLength} characters`;

// What the url parser would quietly repair is refused first: two parsers that repair differently
// would check one host and connect to another.
function refuseSpelling(text: string, allowLocal: boolean): string | null {
  if (text.length > maxUrlLength) return tooLong;
  if (/[\s\p{Cc}]/u.test(text)) {
    return 'url must not contain white space or control characters';
  }
  if (text.includes('\\')) return 'url must not contain a backslash';
  const scheme = allowLocal ? /^https?:\/\//i : /^https:\/\//i;
  if (!scheme.test(text)) {
    return allowLocal ? 'url must begin with https:// or http://' : 'url must begin with https://';
  }
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  if (authority === '') return 'url must name a host';
  if (authority.includes('@')) return 'url must not carry a user name or password';
  if (authority.startsWith('[') && authority.includes('%')) {
    return 'url must not carry an IPv6 zone id: it means something on one machine only';
  }
  return null;
}

/**
 * `010.0.0.1` is 8.0.0.1 to who reads octal and 10.0.0.1 to who does not: one of the two may be
 * checked, and the other one connected to. Digits and dots may be written as others that mean them.
 */
function hasLeadingZero(text: string): boolean {
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  return /(^|[.\u3002])0\d/.test(decodeURIComponent(authority).normalize('NFKC'));
}

function refuseName(name: string, space: AddressSpace): string | null {
  const labels = name.split('.');
  if (name.length > 253 || labels.some((label) => label === '' || label.length > 63)) {
    return 'url must name a valid host';
  }
  const local = space.names.find((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  return local === undefined ? null : `url must lead to a public address: ${name} is a local name`;
}

/**
 * HOOK-8, EVT-11: every address that a name resolves to must be public; one that is not is enough
 * to refuse it, because any of them may be connected to. None at all: it does not resolve.
 */
export function judgeAddresses(
  addresses: readonly string[],
  space: AddressSpace = publicSpace,
): { ok: true } | { ok: false; why: string } {
  if (addresses.length === 0) return { ok: false, why: 'the name does not resolve' };
  const culprit = addresses.find((address) => !isPublicAddress(address, space));
  if (culprit === undefined) return { ok: true };
  const { why } = explainAddress(culprit, space);
  return { ok: false, why: `it resolves to an address that is not public: ${why}` };
}
