// NS-17: which refusals only name another fault of the call. The model is a function of the played
// steps: it returns what it would answer after a fault is mended.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HeaderLine } from '../../engine/send/headers.ts';
import { type CallStep, callsOf, type Step, type Value } from '../sequence.ts';
import { answered } from '../testing/outcomes.ts';
import { isOtherFault } from './faults.ts';
import type { Pair } from './projection.ts';

const faults = suite('the order of two faults');

const SENT: HeaderLine[] = [
  ['content-type', 'application/json'],
  ['if-match', '"1"'],
];

const call = { do: 'call', as: 'firm' } as const;
const create: CallStep = { ...call, n: 2, operation: 'createAccount', key: 'a', body: {} };
const id: Value = { $of: 2, at: 'id' };
const update: CallStep = { ...call, n: 3, operation: 'updateAccount', key: 'b', id, body: {} };
const decision = (n: number, operation: CallStep['operation'], reason: string): CallStep => ({
  ...{ ...call, n, operation, key: `k${n}`, query: { account_id: '1' }, id, body: { reason } },
});
const reject = decision(3, 'rejectTransaction', 'late');
const cancel = decision(4, 'cancelTransaction', '');
const elsewhere = { ...reject, n: 5, id: { $of: 1, at: 'id' } } as const;
const pay: CallStep = {
  ...{ ...call, n: 3, operation: 'createTransaction', as: 'm1', key: 'c' },
  body: { account_id: 7, trading_account_id: '7' },
};

const fault = { effect: { kind: 'status', status: 500 } };
const [V422, V404, V409] = ['422 validation_failed', '404 not_found', '409 invalid_state'] as const;
const isRejected = (played: readonly Step[]) => callsOf(played).some(({ n }) => n === 3);
const bodyOf = (step: CallStep) => step.body as { readonly [name: string]: Value };

interface Row {
  readonly steps: readonly Step[];
  readonly target: string;
  readonly model: string;
  /** Whether the model still answers the last of these calls as before. */
  readonly isSame: (last: CallStep, played: readonly Step[]) => boolean;
  readonly isOpen: boolean;
}

const ROWS: Readonly<Record<string, Row>> = {
  'an account that a fault has kept from being made is made once more': {
    steps: [{ ...create, fault }, update],
    ...{ target: V422, model: V404, isOpen: true },
    isSame: (last) => JSON.stringify(last.id) === JSON.stringify(id),
  },
  'what the model refuses alike whatever is mended is no matter of order': {
    steps: [create, update],
    ...{ target: V422, model: V404, isOpen: false, isSame: () => true },
  },
  'a state that refuses is a fault like others': {
    steps: [create, reject, cancel],
    ...{ target: V422, model: V409, isOpen: true, isSame: (_, played) => isRejected(played) },
  },
  'and so is one that concurrent calls have brought about': {
    steps: [create, { do: 'burst', n: 6, calls: [reject, elsewhere] }, cancel],
    ...{ target: V422, model: V409, isOpen: true, isSame: (_, played) => isRejected(played) },
  },
  'an id that cannot be read is a fault beside a scope that is missing': {
    steps: [pay],
    ...{ target: '403 forbidden', model: V422, isOpen: true },
    isSame: (last) => typeof bodyOf(last).account_id !== 'string',
  },
  'a failure that the sequence causes is a fault like others': {
    steps: [create, { ...update, fault }],
    ...{ target: '403 forbidden', model: '500 internal_error', isOpen: true },
    isSame: (last) => last.fault !== undefined,
  },
  'UPD-6: what cannot be seen is not found whatever its tag': {
    steps: [create, update],
    ...{ target: '412 revision_conflict', model: V404, isOpen: false, isSame: () => false },
  },
  'IDEM-1d: a key that is missing is reported before the body': {
    steps: [create, update],
    ...{ target: V422, model: '400 idempotency_key_required', isOpen: false },
    isSame: () => false,
  },
};

for (const [words, { steps, target, model, isSame, isOpen }] of Object.entries(ROWS)) {
  faults(words, async () => {
    const step = steps.at(-1) as CallStep;
    const [own, due] = [target, model].map((each) => answered(each, { sent: SENT }));
    const pair: Pair = { step, target: own!, model: due!, hasPaused: false };
    const play = async (played: readonly Step[]) =>
      isSame(played.at(-1) as CallStep, played) ? pair.model : pair.target;
    assert.is(await isOtherFault(steps, pair, play), isOpen);
  });
}

faults.run();
