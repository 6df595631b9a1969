// Targets that should have been refused (HOOK-7, HOOK-8), one forgotten corner each.
import type { Behaviour } from '../../core/behaviour.ts';
import { refuseTarget } from '../../core/policies/webhooks.ts';
import { type AddressSpace, forgetBlocks } from '../../core/values/address.ts';
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

export const targetDeviations: readonly Deviation[] = [
  {
    id: 'target-refusal-is-201',
    breaks: ['HOOK-7'],
    story: 'Bad targets are only found out when delivering.',
    bend: target(() => () => null),
    alsoSeenAs: { 'HOOK-8': 'private ones too' },
  },
  {
    id: 'target-loopback-accepted',
    breaks: ['HOOK-8'],
    story: 'Loopback was forgotten in the list.',
    bend: space((own) => forgetBlocks(own, 'loopback')),
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
