// Ideas about much: so many keys, records or deliveries that something may not hold them all.
import type { Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { decideCall } from '../decisions.ts';
import { call, type Drawing, type Idea, type Members, newKey } from '../idea.ts';
import { transactionCall } from '../money.ts';
import type { Scene } from '../scene.ts';
import { transactionOf } from './lookalikes.ts';

const VERBS = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'] as const;

/** What the step after it is about was made before them. */
function crowdOf(d: Drawing, count: number): Step {
  const n = d.scene.label();
  const stem = `n${d.stem()}i$i`;
  const created = call(d, {
    operation: 'createAccount',
    as: d.main,
    key: { $fresh: `key${stem}` },
    body: {
      client_reference_id: { $fresh: stem },
      email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
      brand_id: { $role: d.main, has: 'brand' },
    },
  });
  return { do: 'many', n, count: Math.min(count, Math.max(1, d.most - 60)), call: created };
}

/** Calls of three kinds under keys, and so many more before they are made again. */
function crowdedOut(d: Drawing, count: number): readonly Step[] {
  const created = createCall(d, d.main);
  const { client_reference_id, email, brand_id } = created.body as Members;
  const refused = createCall(d, d.main, { email: 'no-at-in-it' });
  const updated = call(d, {
    operation: 'updateAccount',
    as: d.main,
    id: { $of: created.n, at: 'id' },
    key: newKey(d),
    ifMatch: { $header: created.n, name: 'etag' },
    body: { status: `n${d.stem()}` },
  });
  const first = [created, refused, updated];
  const body = { client_reference_id: client_reference_id!, email: email!, brand_id: brand_id! };
  return [
    ...first,
    crowdOf(d, count),
    ...first.map((step) => ({ ...step, n: d.scene.label() })),
    call(d, { operation: 'createAccount', as: d.main, key: newKey(d), body }),
    createCall(d, d.main, { email: email! }),
    {
      ...updated,
      n: d.scene.label(),
      key: newKey(d),
      ifMatch: { $header: updated.n, name: 'etag' },
      body: { status: `n${d.stem()}` },
    },
  ];
}

/**
 * So dear that they are not left to chance: one of them is drawn once, by how much there is to
 * spend. One call more than 100 or 128 of anything are kept or served, or than 1,000 or 1,024.
 */
export const DEAR_IDEAS = [
  { id: 'many/keys-1050', from: 4_000, count: 1_050 },
  { id: 'many/keys-130', from: 2_000, count: 130 },
] as const;

const few = ({ many }: Scene): boolean => many === 0;

export const manyIdeas: readonly Idea[] = [
  {
    id: 'many/keys-then-the-first',
    weight: 0.5,
    when: few,
    draw: (d) => crowdedOut(d, d.random.pick([40, 120])),
  },
  { id: 'many/keys-260', weight: 0.7, when: few, draw: (d) => crowdedOut(d, 260) },
  ...DEAR_IDEAS.map(
    ({ id, count }): Idea => ({
      id,
      weight: 1e-9,
      when: few,
      draw: (d) => (d.most < count + 100 ? [] : crowdedOut(d, count)),
    }),
  ),
  {
    id: 'many/transactions-then-the-first',
    weight: 4,
    when: (scene) => few(scene) && scene.places.length > 0,
    draw: (d) => {
      const place = d.random.pick(d.scene.places);
      const first = transactionCall(d, place);
      const stem = `n${d.stem()}i$i`;
      const body = { ...(first.body as object), client_reference_id: { $fresh: stem } };
      const crowd = { ...first, n: d.scene.label(), key: { $fresh: `key${stem}` }, body };
      const count = d.random.pick([30, 60, 110]);
      return [
        first,
        { do: 'many', n: d.scene.label(), count, call: crowd },
        { ...first, n: d.scene.label() },
        { ...first, n: d.scene.label(), key: newKey(d) },
        decideCall(d, d.random.pick(VERBS), transactionOf(first, place)),
      ];
    },
  },
  {
    id: 'many/subscriptions',
    weight: 1.5,
    needs: ['receiver'],
    when: few,
    draw: (d) => {
      const n = d.scene.label();
      const url: Value = { $of: n, at: 'url' };
      const made = call(d, {
        operation: 'createWebhook',
        as: d.main,
        body: { url, event_categories: ['order'] },
      });
      return [
        { do: 'hook', n, answers: [200] },
        made,
        { do: 'many', n: d.scene.label(), count: d.random.pick([12, 25, 55]), call: made },
        call(d, { operation: 'listWebhooks', as: d.main }),
        ...(['getWebhook', 'rotateWebhookSecret', 'disableWebhook'] as const).map((operation) =>
          call(d, { operation, as: d.main, id: { $of: made.n, at: 'id' } }),
        ),
      ];
    },
  },
  {
    id: 'many/deliveries-that-wait',
    weight: 1.5,
    needs: ['receiver', 'clock'],
    when: few,
    draw: (d) => {
      const n = d.scene.label();
      const url: Value = { $of: n, at: 'url' };
      const body = { url, event_categories: ['account'] };
      return [
        { do: 'hook', n, answers: d.random.pick([[500, 200], [500, 500, 200], [200]]) },
        call(d, { operation: 'createWebhook', as: d.main, body }),
        crowdOf(d, d.random.pick([13, 30])),
        { do: 'advance', n: d.scene.label(), byMs: 30_000 },
        { do: 'advance', n: d.scene.label(), byMs: 120_000 },
      ];
    },
  },
];
