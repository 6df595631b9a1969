// Deviations that prove nothing, to keep the gate honest: it must say so.
import type { Deviation } from '../../../simulator/deviations/deviation.ts';

export const plantedDeviations: readonly Deviation[] = [
  {
    id: 'planted-changes-nothing',
    breaks: ['IDEM-4b', 'ACC-1'],
    story: 'It bends nothing, so the gate must report it as survived.',
    bend: (behaviour) => behaviour,
  },
  {
    id: 'planted-blames-others',
    breaks: ['ACC-20'],
    story: 'It breaks more than it says, so the gate must report whom it blames.',
    bend: (behaviour) => ({
      ...behaviour,
      accounts: { ...behaviour.accounts, firstStatus: 'Active' },
      values: { ...behaviour.values, isEmail: () => true },
    }),
  },
];
