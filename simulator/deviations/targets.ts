// Targets that should have been refused (HOOK-7, HOOK-8), one forgotten corner each.
import type { Behaviour } from '../core/behaviour.ts';
import { refuseTarget } from '../core/policies/webhooks.ts';
import { type AddressSpace, forgetBlocks, isPublicAddress } from '../core/values/address.ts';
import { parseTargetUrl } from '../core/values/target-url.ts';
import type { World } from '../core/world.ts';
import { policy } from './bend.ts';
import { underStatus } from './bends.ts';
import type { Deviation } from './deviation.ts';

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
  alsoSeenAs: { 'EVT-11': 'a name that comes to point there is not noticed' },
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
    alsoSeenAs: { 'HOOK-8': 'private ones too', 'EVT-11': 'nor later' },
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
    alsoSeenAs: { 'EVT-11': 'nor later' },
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
    alsoSeenAs: { 'EVT-11': 'nor later' },
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
    alsoSeenAs: { 'EVT-11': 'nor later' },
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
    alsoSeenAs: { 'EVT-11': 'nor later' },
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
    alsoSeenAs: { 'EVT-11': 'nor later' },
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
    alsoSeenAs: { 'EVT-11': 'nor later' },
  },
  {
    id: 'target-first-address-judged',
    breaks: ['HOOK-8'],
    story: 'Of several addresses only the first is judged.',
    bend: accepting(
      (_url, addresses) => addresses.length > 1 && isPublicAddress(addresses[0] ?? ''),
    ),
    alsoSeenAs: { 'EVT-11': 'nor later' },
  },
  {
    id: 'target-one-public-address-is-enough',
    breaks: ['HOOK-8'],
    story: 'One public address makes the name a public one.',
    bend: accepting((_url, addresses) => addresses.some((address) => isPublicAddress(address))),
    alsoSeenAs: { 'EVT-11': 'nor later' },
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
    alsoSeenAs: everyValidation(),
  },
];

function everyValidation(): Record<string, string> {
  const rules = [
    'HOOK-7',
    'HOOK-8',
    'HOOK-9',
    'ACC-2',
    'ACC-4',
    'ACC-15',
    'UPD-8',
    'UPD-9',
    'UPD-10',
    'UPD-11',
    'BULK-3',
    'BULK-5',
    'BULK-6',
    'BULK-8',
    'BULK-9',
    'TXN-3',
    'TXN-4',
    'TXN-5',
    'TXN-6',
    'TXN-7',
    'TXS-14',
    'TXS-15',
    'CONV-1c',
    'IDEM-4d',
    'IDEM-11',
  ];
  return Object.fromEntries(rules.map((rule) => [rule, 'it expects the status of the table']));
}
