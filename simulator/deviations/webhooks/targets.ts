// Targets that should have been refused (HOOK-7, HOOK-8), one forgotten corner each.
import type { Behaviour } from '../../core/behaviour.ts';
import { refuseTarget } from '../../core/policies/webhooks.ts';
import { type AddressSpace, forgetBlocks, isPublicAddress } from '../../core/values/address.ts';
import { parseTargetUrl } from '../../core/values/target-url.ts';
import type { World } from '../../core/world.ts';
import { policy } from '../bend.ts';
import { underStatus } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

/** Judges targets by another idea of what is public. */
const space =
  (change: (own: AddressSpace) => AddressSpace): Deviation['bend'] =>
  (behaviour: Behaviour) => {
    const bent = change(behaviour.webhooks.space);
    return {
      ...behaviour,
      webhooks: {
        ...behaviour.webhooks,
        space: bent,
        refuseTarget: (url, addresses, world) =>
          refuseTarget(behaviour.settings, url, addresses, world, bent),
      },
    };
  };

type Refuse = (url: string, addresses: readonly string[] | null, world: World) => string | null;

const target = (change: (own: Refuse) => Refuse): Deviation['bend'] =>
  policy('webhooks', ({ refuseTarget: own }) => ({ refuseTarget: change(own) }));

/** Accepts what `test` accepts, whatever else would be said. */
const accepting = (
  test: (url: string, addresses: readonly string[], world: World) => boolean,
): Deviation['bend'] =>
  target((own) => (url, addresses, world) => {
    const named = URL.canParse(url) ? world.names.get(new URL(url).hostname) : undefined;
    return test(url, named ?? addresses ?? [], world) ? null : own(url, addresses, world);
  });

const forgotten = (id: string, story: string, ...blocks: readonly string[]): Deviation => ({
  id,
  breaks: ['HOOK-8'],
  story,
  bend: space((own) => forgetBlocks(own, ...blocks)),
});

const bracketed = (url: string) => /^https:\/\/\[([^\]]+)\]/.exec(url)?.[1];

export const targetDeviations: readonly Deviation[] = [
  {
    id: 'target-http-accepted',
    breaks: ['HOOK-7'],
    story: 'http is accepted for testing.',
    bend: target(
      (own) => (url, addresses, world) =>
        own(url.replace(/^http:\/\//i, 'https://'), addresses, world),
    ),
  },
  {
    id: 'target-any-scheme-accepted',
    breaks: ['HOOK-7'],
    story: 'Whatever parses as a URL is taken.',
    bend: target(
      (own) => (url, addresses, world) =>
        own(url.replace(/^[a-z]+:\/\//i, 'https://'), addresses, world),
    ),
  },
  {
    id: 'target-refusal-is-201',
    breaks: ['HOOK-7'],
    story: 'Bad targets are only found out when delivering.',
    bend: target(() => () => null),
    alsoSeenAs: { 'HOOK-8': 'private ones too' },
  },
  forgotten('target-loopback-accepted', 'Loopback was forgotten in the list.', 'loopback'),
  forgotten('target-private-accepted', 'Private networks were forgotten in the list.', 'private'),
  forgotten(
    'target-link-local-accepted',
    'Link-local addresses were forgotten, and the metadata service with them.',
    'link-local',
    'cloud metadata',
  ),
  forgotten(
    'target-shared-space-accepted',
    'Carrier-grade NAT space was forgotten.',
    'shared address space',
    'carrier-grade NAT',
    'shared',
  ),
  forgotten('target-multicast-accepted', 'Multicast was forgotten.', 'multicast'),
  forgotten(
    'target-reserved-accepted',
    'Reserved space was forgotten.',
    'reserved',
    'limited broadcast',
    'broadcast',
  ),
  forgotten('target-documentation-accepted', 'Documentation space was forgotten.', 'documentation'),
  forgotten(
    'target-this-network-accepted',
    '0.0.0.0/8 was forgotten.',
    'this network',
    'unspecified',
  ),
  forgotten('target-benchmarking-accepted', 'Benchmarking space was forgotten.', 'benchmarking'),
  {
    id: 'target-ipv6-unjudged',
    breaks: ['HOOK-8'],
    story: 'Only IPv4 addresses are judged.',
    bend: accepting(
      (url, addresses) =>
        bracketed(url) !== undefined ||
        (addresses.length > 0 && addresses.every((address) => address.includes(':'))),
    ),
  },
  {
    id: 'target-ipv6-unique-local-accepted',
    breaks: ['HOOK-8'],
    story: 'fc00::/7 was forgotten.',
    bend: accepting(
      (url, addresses) =>
        /^f[cd]/i.test(bracketed(url) ?? '') ||
        (addresses.length > 0 && addresses.every((address) => /^f[cd]/i.test(address))),
    ),
  },
  {
    id: 'target-mapped-unjudged',
    breaks: ['HOOK-8'],
    story: 'IPv4 addresses in IPv6 clothes are taken for IPv6.',
    bend: accepting(
      (url, addresses) =>
        /^::ffff:/i.test(bracketed(url) ?? '') ||
        (addresses.length > 0 && addresses.every((address) => /^::ffff:/i.test(address))),
    ),
  },
  {
    id: 'target-nat64-unjudged',
    breaks: ['HOOK-8'],
    story: '64:ff9b::/96 was forgotten.',
    bend: accepting(
      (url, addresses) =>
        /^64:ff9b:/i.test(bracketed(url) ?? '') ||
        (addresses.length > 0 && addresses.every((address) => /^64:ff9b:/i.test(address))),
    ),
  },
  {
    id: 'target-6to4-unjudged',
    breaks: ['HOOK-8'],
    story: '2002::/16 was forgotten.',
    bend: accepting(
      (url, addresses) =>
        /^2002:/i.test(bracketed(url) ?? '') ||
        (addresses.length > 0 && addresses.every((address) => /^2002:/i.test(address))),
    ),
  },
  {
    id: 'target-judged-as-text',
    breaks: ['HOOK-8'],
    story: 'The host is compared with 127. and 10. as text, so other spellings pass.',
    bend: accepting((url) => {
      const host = /^https:\/\/([^/:?#]+)/i.exec(url)?.[1] ?? '';
      return /^(0x[0-9a-f]+|\d+|0\d+(\.\d+)*)$/i.test(host) && !/^\d+\.\d+\.\d+\.\d+$/.test(host);
    }),
  },
  {
    id: 'target-names-unresolved',
    breaks: ['HOOK-8'],
    story: 'Only literals are judged; names are not looked up.',
    bend: accepting((url) => {
      const parsed = parseTargetUrl(url);
      return parsed.kind === 'target' && parsed.address === null;
    }),
  },
  {
    id: 'target-first-address-judged',
    breaks: ['HOOK-8'],
    story: 'Of several addresses only the first is judged.',
    bend: accepting(
      (_url, addresses) => addresses.length > 1 && isPublicAddress(addresses[0] ?? ''),
    ),
  },
  {
    id: 'target-one-public-address-is-enough',
    breaks: ['HOOK-8'],
    story: 'One public address makes the name a public one.',
    bend: accepting(
      (url, addresses) =>
        /^https:/i.test(url) && addresses.some((address) => isPublicAddress(address)),
    ),
  },
  {
    id: 'target-localhost-by-name-accepted',
    breaks: ['HOOK-8'],
    story: 'localhost is a name like any other.',
    bend: accepting((url) => /^https:\/\/([a-z0-9-]+\.)*localhost\.?([/:?#]|$)/i.test(url)),
  },
  {
    id: 'target-trailing-dot-accepted',
    breaks: ['HOOK-8'],
    story: 'A dot at the end makes it another name.',
    bend: accepting((url) => {
      const host = URL.canParse(url) ? new URL(url).hostname : '';
      return host.endsWith('.') || /^https:\/\/[\d.]+\.([/:?#]|$)/.test(url);
    }),
  },
  {
    id: 'target-metadata-name-accepted',
    breaks: ['HOOK-8'],
    story: 'The metadata service has an innocent name.',
    bend: accepting((url) => /^https:\/\/metadata\./i.test(url)),
  },
  {
    id: 'target-refusal-is-403',
    breaks: ['ERR-3'],
    story: 'A forbidden target is forbidden.',
    bend: underStatus('validation_failed', 403),
    alsoSeenAs: {
      'ACC-2': 'it expects the status of the table',
      'ACC-4': 'it expects the status of the table',
      'ACC-15': 'it expects the status of the table',
      'UPD-8': 'it expects the status of the table',
      'UPD-9': 'it expects the status of the table',
      'BULK-6': 'it expects the status of the table',
      'TXN-3': 'it expects the status of the table',
      'TXN-4': 'it expects the status of the table',
      'TXN-5': 'it expects the status of the table',
      'TXN-6': 'it expects the status of the table',
      'TXN-7': 'it expects the status of the table',
      'TXS-14': 'it expects the status of the table',
      'TXS-15': 'it expects the status of the table',
      'CONV-1c': 'it expects the status of the table',
    },
  },
];
