// Deviations that prove nothing, and one that the judge cannot bear, to keep the gate honest: it
// must say so.
import type { Scenario } from '../../../conformance/engine/types.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';

const FAILS_THE_JUDGE = 'planted-fails-the-judge';

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
  {
    id: FAILS_THE_JUDGE,
    breaks: ['ACC-20'],
    story: 'The judge finds it and fails over it, so the gate must report the failure.',
    bend: (behaviour) => ({
      ...behaviour,
      accounts: { ...behaviour.accounts, firstStatus: 'Active' },
    }),
  },
];

/** It takes for granted what no scenario may: that an answer is as the specification says. */
const careless: Scenario = {
  id: 'planted-careless',
  title: 'A scenario that fails over an answer that it did not expect',
  rules: ['ACC-20'],
  async run(t) {
    const account = await t.given.account();
    const meanings = new Map([['New', 'a new account']]);
    t.expect('ACC-20', account.answer).field('status', 'New');
    meanings.get(t.pick(account.answer, 'status'))!.toUpperCase();
  },
};

/** What is played against a planted deviation beside the scenarios that there are. */
export function plantedScenarios(id: string): readonly Scenario[] {
  return id === FAILS_THE_JUDGE ? [careless] : [];
}
