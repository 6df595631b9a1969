// Parses the url of a webhook subscription, and judges what its hostname resolves to.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { parseAddress, refuseAddress } from './address.ts';

const maxUrlLength = 2048;
const tooLong = `url must have at most ${maxUrlLength} characters`;

/**
 * HOOK-7, HOOK-8: parses an `https://` URL and refuses hosts that are visibly non-public. Other
 * names must still be resolved and checked, see {@link refuseAddresses}. `allowLocal` also accepts
 * `http://` and loopback targets, which departs from the rules. A refusal is a sentence about the
 * field `url`; `address` is the hostname if that is an IP literal (IPv6 without brackets).
 */
export function parseTargetUrl(text: string, allowLocal = false) {
  const refused = (why: string) => ({ kind: 'refused', why }) as const;
  const spelling = refuseSpelling(text, allowLocal);
  if (spelling !== null) return refused(spelling);
  const url = parseUrl(text);
  if (url === null) return refused('url is not a url that can be parsed');
  if (url.port === '0') return refused('url must not name port 0');
  url.hash = '';
  const literal = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const address = parseAddress(literal) === null ? null : literal;
  if (address === null) {
    // A trailing dot marks a name as absolute. It is the same host; TLS refuses the dot.
    const name = url.hostname.replace(/\.$/, '');
    const why = refuseName(name, allowLocal);
    if (why !== null) return refused(why);
    url.hostname = name;
  } else {
    const why = refuseAddress(address, allowLocal);
    if (why !== null) return refused(`url must lead to a public address: ${why}`);
    if (hasLeadingZero(text)) {
      return refused('url must not write an address with leading zeros: not all read it alike');
    }
  }
  if (url.href.length > maxUrlLength) return refused(tooLong);
  const { href, origin, hostname } = url;
  return { kind: 'target', href, origin, hostname, address } as const;
}

const authorityOf = (text: string): string => /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? '';

// Refuses spellings that the URL parser would silently correct: two parsers that correct
// differently would check one host and connect to another.
function refuseSpelling(text: string, allowLocal: boolean): string | null {
  if (text.length > maxUrlLength) return tooLong;
  if (/[\s\p{Cc}]/u.test(text)) return 'url must not contain white space or control characters';
  if (text.includes('\\')) return 'url must not contain a backslash';
  const scheme = allowLocal ? /^https?:\/\//i : /^https:\/\//i;
  if (!scheme.test(text)) {
    return allowLocal ? 'url must begin with https:// or http://' : 'url must begin with https://';
  }
  const authority = authorityOf(text);
  if (authority === '') return 'url must name a host';
  if (authority.includes('@')) return 'url must not carry a user name or password';
  if (authority.startsWith('[') && authority.includes('%')) {
    return 'url must not carry an IPv6 zone id: it means something on one machine only';
  }
  return null;
}

/**
 * `010.0.0.1` is 8.0.0.1 read as octal and 10.0.0.1 read as decimal, so one could be checked and
 * the other connected to. Other Unicode characters can also stand for digits and dots.
 */
function hasLeadingZero(text: string): boolean {
  return /(^|[.\u3002])0\d/.test(decodeURIComponent(authorityOf(text)).normalize('NFKC'));
}

const localNames = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];

function refuseName(name: string, allowLocal: boolean): string | null {
  const labels = name.split('.');
  if (name.length > 253 || labels.some((label) => label === '' || label.length > 63)) {
    return 'url must name a valid host';
  }
  const local = localNames.find((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  if (local === undefined || (local === 'localhost' && allowLocal)) return null;
  return `url must lead to a public address: ${name} is a local name`;
}

/** HOOK-8, EVT-11: every address of a name must be public: any may be connected to. */
export function refuseAddresses(addresses: readonly string[], allowLocal = false): string | null {
  if (addresses.length === 0) return 'the name does not resolve';
  for (const address of addresses) {
    const why = refuseAddress(address, allowLocal);
    if (why !== null) return `it resolves to an address that is not public: ${why}`;
  }
  return null;
}
