// Ideas about calls that were made before: again as they were, or in every wrong mixture.
import { OPERATIONS } from '../../engine/operations.ts';
import type { CallStep, Value } from '../sequence.ts';
import { type Drawing, type Idea, newKey } from './idea.ts';
import { keysAlike } from './mixtures/lookalikes.ts';
import type { DrawnAccount, Scene } from './scene.ts';
import { updateCall } from './updates.ts';

const keyed = ({ calls }: Scene) => calls.some(({ step }) => isKeyed(step));
const isKeyed = ({ operation, key }: CallStep) => OPERATIONS[operation].keyed && key !== undefined;

/** An earlier call, often the last one, changed in some way. */
function again(
  id: string,
  over: (d: Drawing, step: CallStep) => Partial<CallStep>,
  rest: Partial<Idea> & { readonly among?: (call: Scene['calls'][number]) => boolean } = {},
): Idea {
  const { among = () => true, ...more } = rest;
  const isMeant = (each: Scene['calls'][number]) => isKeyed(each.step) && among(each);
  return {
    id: `again/${id}`,
    when: ({ calls }) => calls.some(isMeant),
    draw: (d) => {
      const all = d.scene.calls.filter(isMeant);
      const { step } = d.random.chance(0.5) ? all[all.length - 1]! : d.random.pick(all);
      return [{ ...step, n: d.scene.label(), ...over(d, step) }];
    },
    ...more,
  };
}

const bodyOf = (step: CallStep) =>
  (typeof step.body === 'object' && step.body !== null ? step.body : {}) as {
    readonly [name: string]: Value;
  };

/** Members whose change leaves the subject as it is (IDEM-8). */
function otherBody(step: CallStep): Value {
  const body = bodyOf(step);
  switch (step.operation) {
    case 'createAccount':
      return { ...body, first_name: 'Other', country: 'ZZ' };
    case 'createTransaction':
      return { ...body, amount: '123.45', transaction_type: 'Debit' };
    case 'updateAccount':
      return { status: 'Other', last_name: 'Other' };
    case 'openPosition':
    case 'closePosition':
      return { ...body, instrument: 'GBPUSD', side: 'sell', volume: '0.2' };
    case 'rejectTransaction':
    case 'cancelTransaction':
      return { reason: 'another reason' };
    default:
      return body;
  }
}

const named = ({ step }: Scene['calls'][number]) => 'client_reference_id' in bodyOf(step);

const upperReference = (step: CallStep): Value => ({
  ...bodyOf(step),
  client_reference_id: { $case: 'upper', of: bodyOf(step).client_reference_id! },
});

export const repeatIdeas: readonly Idea[] = [
  again('as-it-was', () => ({}), { weight: 8 }),
  again('refusal-as-it-was', () => ({}), { weight: 4, among: ({ status }) => status >= 400 }),
  again('under-new-key', (d) => ({ key: newKey(d) }), { weight: 3 }),
  again('with-other-body', (_, step) => ({ body: otherBody(step) }), {
    weight: 3,
    among: ({ step }) => otherBody(step) !== bodyOf(step),
  }),
  again('corrected', (d, step) => ({ body: correctedBody(d, step) }), {
    weight: 2,
    among: ({ step, status }) => status === 422 && step.operation !== 'bulkCreateAccounts',
  }),
  again('in-other-case', (_, step) => ({ body: upperReference(step) }), { among: named }),
  again('other-case-and-key', (d, step) => ({ body: upperReference(step), key: newKey(d) }), {
    among: named,
  }),
  again(
    'other-reference',
    (d, step) => ({
      body: { ...bodyOf(step), client_reference_id: { $fresh: `o${d.stem()}` } },
    }),
    { among: named },
  ),
  again('padded-key', (_, step) => ({ key: { $join: ['  ', step.key!, ' '] } })),
  again('key-in-other-case', (_, step) => ({ key: { $case: 'upper', of: step.key! } })),
  again('key-and-one-more', (_, step) => ({ key: { $join: [step.key!, 'x'] } })),
  again('key-255', (d) => ({ key: { $fresh: `k${d.stem()}`, length: 255 } })),
  again('key-256', (d) => ({ key: { $fresh: `k${d.stem()}`, length: 256 } })),
  again('key-blank', () => ({ key: '   ' })),
  again('key-blank-and-broken', () => ({ key: '', raw: '{' }), { weight: 0.5 }),
  {
    id: 'again/without-key',
    when: keyed,
    draw: (d) => {
      const all = d.scene.calls.filter(({ step }) => isKeyed(step));
      const { key, ...step } = d.random.pick(all).step;
      return [{ ...step, n: d.scene.label() }];
    },
  },
  {
    id: 'again/under-keys-alike',
    weight: 3,
    when: ({ accounts }) => accounts.some(({ tags }) => tags.length > 0),
    draw: (d) => {
      const account = d.random.pick(d.scene.accounts.filter(({ tags }) => tags.length > 0));
      return d.random.pick(keysAlike(d)).map((key, at) => updatedUnder(d, account, key, at));
    },
  },
  {
    id: 'again/three-times',
    weight: 2,
    when: keyed,
    draw: (d) => {
      const { step } = d.random.pick(d.scene.calls.filter((each) => isKeyed(each.step)));
      return [1, 2, 3].map(() => ({ ...step, n: d.scene.label() }));
    },
  },
  again('as-brand', () => ({ as: 'brand' }), { needs: ['brand'] }),
  again('as-no-amend', () => ({ as: 'no_amend' }), { needs: ['no_amend'] }),
  again('as-other-firm', () => ({ as: 'other_firm' }), { needs: ['other_firm'] }),
  {
    id: 'again/key-of-another-operation',
    weight: 4,
    when: ({ calls }) => calls.filter(({ step }) => isKeyed(step)).length > 1,
    draw: (d) => {
      const all = d.scene.calls.filter(({ step }) => isKeyed(step));
      const { step } = d.random.pick(all);
      const others = all.filter((each) => each.step.operation !== step.operation);
      const key = d.random.pick(others.length > 0 ? others : all).step.key!;
      return [{ ...step, n: d.scene.label(), key }];
    },
  },
  {
    id: 'again/key-for-another-record',
    weight: 4,
    when: ({ calls }) => calls.filter(({ step }) => isKeyed(step)).length > 1,
    draw: (d) => {
      const all = d.scene.calls.filter(({ step }) => isKeyed(step));
      const { step } = d.random.pick(all);
      const alike = all.filter(
        (each) => each.step.operation === step.operation && each.step.n !== step.n,
      );
      if (alike.length === 0) return [{ ...step, n: d.scene.label() }];
      return [{ ...step, n: d.scene.label(), key: d.random.pick(alike).step.key! }];
    },
  },
];

/** Two updates never say the same, so that one that is taken for the other shows. */
function updatedUnder(d: Drawing, account: DrawnAccount, key: Value, at: number): CallStep {
  const step = updateCall(d, account, { status: `y${d.stem()}-${at}` }, { key });
  account.tags.push(step.n);
  return step;
}

function correctedBody(d: Drawing, step: CallStep): Value {
  const body = bodyOf(step);
  switch (step.operation) {
    case 'createAccount':
      return {
        ...body,
        brand_id: body.brand_id ?? { $role: step.as, has: 'brand' },
        email: { $join: [{ $fresh: `c${d.stem()}` }, '@explore.example.com'] },
      };
    case 'createTransaction':
      return { ...body, amount: '25.00', currency: 'USD', transaction_type: 'Deposit' };
    case 'updateAccount':
      return { status: `c${d.stem()}` };
    case 'rejectTransaction':
    case 'cancelTransaction':
      return { reason: 'a good reason' };
    default:
      return body;
  }
}
