// Ideas about decisions on transactions: approve, reject and cancel, from every state and by whom.
import type { CallStep } from '../sequence.ts';
import { CALLERS, call, type Drawing, type Idea, needsOf, newestOr, newKey } from './idea.ts';
import type { DrawnTransaction, Scene } from './scene.ts';

const REASONS = ['late', 'x'.repeat(600), 'wegen Prüfung', '不要', '"quoted"'];

type Verb = 'approveTransaction' | 'rejectTransaction' | 'cancelTransaction';
const VERBS: readonly Verb[] = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'];

export function decideCall(
  d: Drawing,
  verb: Verb,
  { id, place }: DrawnTransaction,
  over: Partial<CallStep> = {},
): CallStep {
  return call(d, {
    operation: verb,
    as: place.as,
    id,
    query: { account_id: place.account },
    key: newKey(d),
    ...(verb === 'approveTransaction' ? {} : { body: { reason: d.random.pick(REASONS) } }),
    ...over,
  });
}

/** No more than this is moved on an account that is somebody's. */
const MOST_AT_A_SEED = 100;

export function isDear({ place, step }: DrawnTransaction): boolean {
  const { amount } = (step.body ?? {}) as { readonly amount?: unknown };
  return place.isSeed && !(Math.abs(Number(amount)) <= MOST_AT_A_SEED);
}

const decided = ({ transactions }: Scene) => transactions.length > 0;

function decide(
  id: string,
  over: (d: Drawing, transaction: DrawnTransaction, verb: Verb) => Partial<CallStep>,
  rest: Partial<Idea> & { readonly verbs?: readonly Verb[] } = {},
): Idea {
  const { verbs = VERBS, ...more } = rest;
  return {
    id: `decide/${id}`,
    when: decided,
    draw: (d) => {
      // The newest is the one whose state the last steps have changed.
      const { transactions } = d.scene;
      const newest = transactions[transactions.length - 1]!;
      const transaction = d.random.chance(0.5) ? newest : d.random.pick(transactions);
      const verb = d.random.pick(verbs);
      if (verb === 'approveTransaction' && isDear(transaction)) return [];
      return [decideCall(d, verb, transaction, over(d, transaction, verb))];
    },
    ...more,
  };
}

const worded: readonly Verb[] = ['rejectTransaction', 'cancelTransaction'];

export const decisionIdeas: readonly Idea[] = [
  decide('approve', () => ({}), { verbs: ['approveTransaction'], weight: 7 }),
  decide('reject', () => ({}), { verbs: ['rejectTransaction'], weight: 3 }),
  decide('cancel', () => ({}), { verbs: ['cancelTransaction'], weight: 4 }),
  decide('empty-reason', (d) => ({ body: { reason: d.random.pick(['', '  ']) } }), {
    verbs: worded,
  }),
  decide('no-reason', () => ({ body: {} }), { verbs: worded }),
  {
    id: 'decide/broken-json',
    when: decided,
    draw: (d) => {
      const { body, ...rest } = decideCall(
        d,
        d.random.pick(worded),
        newestOr(d, d.scene.transactions),
      );
      return [{ ...rest, raw: '{"reason": ' }];
    },
  },
  decide('unknown', () => ({ id: '999999999' })),
  decide('id-text', (d) => ({ id: d.random.pick(['abc', '0x1', '1.5']) })),
  decide('account-unknown', () => ({ query: { account_id: '999999999' } })),
  decide('account-text', () => ({ query: { account_id: 'abc' } })),
  decide('account-absent', () => ({ query: {} })),
  decide(
    'account-of-another',
    (d, { place }) => {
      const others = d.scene.accounts.filter(({ id }) => id !== place.account);
      return others.length === 0 ? {} : { query: { account_id: d.random.pick(others).id } };
    },
    { weight: 2, when: (scene) => decided(scene) && scene.accounts.length > 1 },
  ),
  ...CALLERS.map((role) =>
    decide(`as-${role}`, () => ({ as: role }), {
      needs: needsOf(role),
      weight: role === 'no_amend' ? 1.5 : 0.6,
    }),
  ),
];
