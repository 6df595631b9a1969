// Which of two faults is said first: one is mended on the model, to see whether it says the other.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOutcome } from '../play/outcome.ts';
import { type CallStep, callsOf, type Step } from '../sequence.ts';
import type { Case } from './case.ts';
import { isOtherFault } from './order.ts';

const order = suite('the order of two faults');

const refusal = (status: number, code: string) =>
  ({
    ...{ kind: 'answer', status, json: { code }, body: Buffer.from('') },
    sent: {},
    headers: { mediaType: () => 'application/problem+json', get: () => undefined, lines: [] },
  }) as unknown as CallOutcome;
const step: CallStep = {
  ...{ do: 'call', n: 3, operation: 'updateAccount', as: 'firm', key: { $fresh: 'k' }, body: {} },
  id: { $of: 2, at: 'id' },
};
const steps: readonly Step[] = [
  { do: 'fault', n: 1, match: { operation: 'createAccount' }, effect: { kind: 'status' } },
  { do: 'call', n: 2, operation: 'createAccount', as: 'firm', key: { $fresh: 'k' }, body: {} },
  step,
];
const target = refusal(422, 'validation_failed');
const model = refusal(404, 'not_found');
const difference = { operation: 'updateAccount', at: 'status', basis: undefined };
const met = { step, target, model, difference } as unknown as Case;

order('an account that a fault has kept from being made is made once more', async () => {
  const isOther = await isOtherFault({ steps }, met, async (played) => {
    const id = (played.at(-1) as CallStep).id as { readonly $of: number };
    return id.$of === 2 ? met.model : target;
  });
  assert.ok(isOther);
});

order('what the model refuses alike whatever is mended is no matter of order', async () => {
  assert.not.ok(await isOtherFault({ steps }, met, async () => met.model));
});

order('a state that refuses is a fault like others, alone or at once with more', async () => {
  const query = { account_id: '1' };
  const move = (n: number, operation: CallStep['operation'], reason: string): CallStep => ({
    ...{ do: 'call', n, operation, as: 'firm', key: { $fresh: `k${n}` }, query },
    ...{ id: { $of: 2, at: 'id' }, body: { reason } },
  });
  const cancel = move(4, 'cancelTransaction', '');
  const state = { ...met, step: cancel, model: refusal(409, 'invalid_state') } as unknown as Case;
  const reject = move(3, 'rejectTransaction', 'late');
  const stranger = { ...reject, n: 5, id: { $of: 1, at: 'id' } };
  const isMoved = (played: readonly Step[]) => callsOf(played).some(({ n }) => n === 3);
  for (const before of [reject, { do: 'burst', n: 6, calls: [reject, stranger] } as const]) {
    const isOther = await isOtherFault({ steps: [steps[1]!, before, cancel] }, state, (played) =>
      Promise.resolve(isMoved(played) ? state.model : target),
    );
    assert.ok(isOther, before.do);
  }
});

order('an id that cannot be read is a fault beside a scope that is missing', async () => {
  const create: CallStep = {
    ...{ do: 'call', n: 3, operation: 'createTransaction', as: 'm1', key: { $fresh: 'k' } },
    body: { account_id: { $number: '7' }, trading_account_id: '7' },
  };
  const both = {
    ...met,
    step: create,
    target: refusal(403, 'forbidden'),
    model: refusal(422, 'x'),
  };
  const isOther = await isOtherFault(
    { steps: [create] },
    both as unknown as Case,
    async (played) => {
      const { account_id } = (played.at(-1) as CallStep).body as { readonly account_id: unknown };
      return typeof account_id === 'string' ? both.target : both.model;
    },
  );
  assert.ok(isOther);
});

order.run();
