// Open questions that have one answer for everybody: a target that answers one of them in its
// plainest form as the model does has answered it, and another answer elsewhere is no choice left.
import type { Capability } from '../../engine/capabilities.ts';
import type { CallStep, Sequence, Step, Value } from '../sequence.ts';

interface PlainForm {
  readonly needs: readonly Capability[];
  readonly steps: (as: string) => readonly Step[];
}

const CATEGORIES = ['account'];

function create(n: number, as: string, over: { readonly [name: string]: Value } = {}): CallStep {
  const body = {
    client_reference_id: { $fresh: `one${n}` },
    email: emailOf(n),
    brand_id: { $role: as, has: 'brand' },
    ...over,
  } as const;
  return { do: 'call', n, operation: 'createAccount', as, key: { $fresh: `one-key${n}` }, body };
}

const emailOf = (n: number): Value => ({ $join: [{ $fresh: `one${n}` }, '@explore.example.com'] });

type Decides = 'approveTransaction' | 'rejectTransaction' | 'cancelTransaction';

/** NS-4: one deposit, approved, perhaps settled, and then decided on once more. */
function decidedAgain(verb: Decides, settles: boolean): PlainForm {
  return {
    needs: ['fresh_trading_account', ...(settles ? (['settle'] as const) : [])],
    steps: (as) => {
      const [account_id, id] = [
        { $of: 1, at: 'id' },
        { $of: 3, at: 'id' },
      ] as const;
      const decide = (n: number, operation: Decides): CallStep => ({
        ...{ do: 'call', n, operation, as, id, query: { account_id } },
        key: { $fresh: `one-key${n}` },
        ...(operation === 'approveTransaction' ? {} : { body: { reason: 'late' } }),
      });
      const body = {
        client_reference_id: { $fresh: 'one-t' },
        account_id,
        trading_account_id: { $of: 2, at: 'trading_account_id' },
        currency: { $of: 2, at: 'currency' },
        amount: '25.00',
        transaction_type: 'Deposit',
      } as const;
      return [
        create(1, as),
        { do: 'open', n: 2, account: account_id },
        { do: 'call', n: 3, operation: 'createTransaction', as, key: { $fresh: 'one-key3' }, body },
        decide(4, 'approveTransaction'),
        ...(settles ? [{ do: 'settle', n: 5, id } as const] : []),
        decide(6, verb),
      ];
    },
  };
}

const FORMS: Readonly<Record<string, PlainForm>> = {
  // NS-20; a row of a batch is what its single create is (BULK-3).
  email_case_sensitive: {
    needs: [],
    steps: (as) => [create(1, as), create(2, as, { email: { $case: 'upper', of: emailOf(1) } })],
  },
  // NS-4.
  reject_from_approved: decidedAgain('rejectTransaction', false),
  cancel_from_approved: decidedAgain('cancelTransaction', false),
  reject_from_settled: decidedAgain('rejectTransaction', true),
  approve_from_settled: decidedAgain('approveTransaction', true),
  // NS-54.
  account_status_endpoint: {
    needs: [],
    steps: (as) => [
      create(1, as),
      { do: 'call', n: 2, operation: 'getAccountStatus', as, id: { $of: 1, at: 'id' } },
    ],
  },
  // NS-28.
  delivery_order: {
    needs: ['receiver', 'clock'],
    steps: (as) => [
      { do: 'hook', n: 1, answers: [500, 200] },
      {
        do: 'call',
        n: 2,
        operation: 'createWebhook',
        as,
        body: { url: { $of: 1, at: 'url' }, event_categories: CATEGORIES },
      },
      create(3, as),
      create(4, as),
      { do: 'advance', n: 5, byMs: 30_000 },
    ],
  },
};

/** The plainest form of the question that a setting answers; undefined where it has none here. */
export function plainFormOf(
  setting: string,
  offers: ReadonlySet<Capability>,
  as: string,
): Sequence | undefined {
  const form = FORMS[setting];
  if (form === undefined || !form.needs.every((need) => offers.has(need))) return undefined;
  return { steps: form.steps(as) };
}
