// Ideas that take a record through a part of its life, with pauses that only time can tell.
import type { Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, newestOr } from '../idea.ts';
import { transactionCall } from '../money.ts';
import { rereadAccount, rereadTransaction } from '../rereads.ts';
import type { DrawnTransaction, Scene } from '../scene.ts';
import { advance, LONG_PAUSES } from '../time.ts';
import { updateCall } from '../updates.ts';
import { subscribed, WAITS } from '../webhooks.ts';

const placed = ({ places }: Scene) => places.length > 0;

const pause = (d: Drawing): Step => advance(d, d.random.pick(LONG_PAUSES));

/** Each with a chance, in their order. */
const some = (d: Drawing, steps: readonly (() => readonly Step[])[], chance = 0.6): Step[] =>
  steps.flatMap((step) => (d.random.chance(chance) ? step() : []));

/** Recorded, approved, settled, perhaps cancelled, with time between; then looked at again. */
function money(d: Drawing): readonly Step[] {
  const place = newestOr(d, d.scene.places);
  const over = d.random.pick([
    {},
    {},
    { method: 'Bonus' },
    { transaction_type: 'Withdrawal', amount: '-5' },
    { transaction_type: 'Withdrawal', amount: '7.50' },
    { transaction_type: 'Credit' },
  ]);
  const step = transactionCall(d, place, over);
  const body = step.body as { readonly client_reference_id: Value };
  const reference = body.client_reference_id;
  const made: DrawnTransaction = {
    id: { $of: step.n, at: 'id' },
    place,
    reference,
    step,
    status: 'pending',
  };
  const approved = d.random.chance(0.85);
  const decision = approved
    ? 'approveTransaction'
    : d.random.pick(['rejectTransaction', 'cancelTransaction'] as const);
  const settle = (): Step => ({ do: 'settle', n: d.scene.label(), id: made.id });
  return [
    step,
    decideCall(d, decision, made),
    ...some(d, [
      () => [decideCall(d, decision, made)],
      () => (approved ? [settle()] : []),
      () => [pause(d)],
      () => [
        decideCall(d, d.random.chance(0.7) ? 'cancelTransaction' : 'approveTransaction', made),
      ],
    ]),
    ...some(d, [() => [pause(d)]], 0.3),
    rereadTransaction(d, made),
    { do: 'ledger', n: d.scene.label(), tradingAccount: place.tradingAccount },
  ];
}

function subscription(d: Drawing, answers: readonly number[]): readonly Step[] {
  const as = d.random.pick(['firm', 'firm', 'brand']);
  const steps = subscribed(d, as, answers);
  const made = steps[steps.length - 1]!;
  const id: Value = { $of: made.n, at: 'id' };
  const about = (operation: 'getWebhook' | 'rotateWebhookSecret' | 'disableWebhook') =>
    call(d, { operation, as, id });
  const event = () => [createCall(d, as)];
  return [
    ...steps,
    ...event(),
    ...some(
      d,
      [
        () => [about('rotateWebhookSecret')],
        event,
        () => [about('rotateWebhookSecret')],
        event,
        () => [about('disableWebhook')],
        () => [about('rotateWebhookSecret')],
        event,
        () => [pause(d)],
        event,
      ],
      0.45,
    ),
    about('getWebhook'),
  ];
}

/** Every attempt fails; the last wait is cut in two, to see when the next one comes. */
function failing(d: Drawing): readonly Step[] {
  const steps = subscribed(d, 'firm', [d.random.pick([500, 503, 404, 302])], ['account']);
  const rounds = 1 + d.random.below(WAITS.length);
  const last = WAITS[rounds - 1]!;
  const early = d.random.pick([1_000, Math.round(last / 4), Math.round(last / 2)]);
  return [
    ...steps,
    createCall(d, 'firm'),
    ...WAITS.slice(0, rounds - 1).map((byMs) => advance(d, byMs)),
    advance(d, last - early),
    advance(d, early),
    ...some(d, [() => [advance(d, 86_400_000)]], 0.3),
  ];
}

function account(d: Drawing): readonly Step[] {
  const created = createCall(d, d.main);
  const body = created.body as { readonly [name: string]: Value };
  const made = {
    id: { $of: created.n, at: 'id' },
    brand: body.brand_id!,
    as: d.main,
    reference: body.client_reference_id!,
    email: body.email!,
    phone: body.phone,
    tags: [created.n],
  };
  const updates = Array.from({ length: 1 + d.random.below(3) }, () => {
    const step = updateCall(d, made, { status: `v${d.stem()}` });
    made.tags.push(step.n);
    return step;
  });
  return [
    created,
    ...updates.flatMap((step) => [...some(d, [() => [pause(d)]], 0.3), step]),
    rereadAccount(d, made),
  ];
}

export const lifeIdeas: readonly Idea[] = [
  {
    id: 'operator/life',
    weight: 6,
    needs: ['settle', 'ledger', 'clock'],
    when: placed,
    draw: money,
  },
  {
    id: 'webhook/life',
    weight: 8,
    needs: ['receiver', 'clock', 'firm', 'brand'],
    draw: (d) => subscription(d, d.random.pick([[200], [200], [500, 200]])),
  },
  { id: 'webhook/failing', weight: 5, needs: ['receiver', 'clock', 'firm'], draw: failing },
  { id: 'update/life', weight: 3, needs: ['clock'], draw: account },
];
