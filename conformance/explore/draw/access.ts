// Ideas about who may: tokens, scopes that change, permissions of the firm, rates.
import type { CallStep, Step, Value } from '../sequence.ts';
import { createCall } from './accounts.ts';
import { call, type Drawing, type Idea, newKey } from './idea.ts';
import type { Scene } from './scene.ts';
import { advance } from './time.ts';

const EVERY_SCOPE = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];

export function tokenCall(d: Drawing, over: { readonly [name: string]: Value } = {}): CallStep {
  return call(d, {
    operation: 'issueToken',
    as: 'nobody',
    body: {
      grant_type: 'client_credentials',
      client_id: { $role: 'client', has: 'client' },
      client_secret: { $role: 'client', has: 'secret' },
      ...over,
    },
  });
}

/** A write with a token in the header in place of a role's. */
export function withToken(d: Drawing, authorization: Value): CallStep {
  const created = createCall(d, 'firm');
  return { ...created, as: 'nobody', headers: { authorization } };
}

const tokens: readonly Idea[] = [
  { id: 'token/issue', needs: ['client'], weight: 2, draw: (d) => [tokenCall(d)] },
  {
    id: 'token/use',
    needs: ['client'],
    weight: 2,
    when: ({ tokens: issued }) => issued.length > 0,
    draw: (d) => {
      const n = d.random.pick(d.scene.tokens);
      return [withToken(d, { $join: ['Bearer ', { $of: n, at: 'access_token' }] })];
    },
  },
  {
    id: 'token/use-after-an-hour',
    needs: ['client', 'clock'],
    when: ({ tokens: issued }) => issued.length > 0,
    draw: (d) => {
      const token: Value = {
        $join: ['Bearer ', { $of: d.scene.tokens.at(-1)!, at: 'access_token' }],
      };
      const [before, after] = [3_599_000, 1_000];
      return [advance(d, before), withToken(d, token), advance(d, after), withToken(d, token)];
    },
  },
  {
    id: 'token/wrong-secret',
    needs: ['client', 'clock'],
    // Whether such a request counts against the budget is open: it is over before the next.
    draw: (d) => [tokenCall(d, { client_secret: 'wrong' }), advance(d, 61_000)],
  },
  {
    id: 'token/eleven',
    needs: ['client', 'clock'],
    draw: (d) => [
      ...Array.from({ length: 11 }, () => tokenCall(d)),
      advance(d, d.random.pick([1_000, 30_000, 60_000])),
      tokenCall(d),
    ],
  },
  {
    id: 'token/eleven-after-an-hour',
    needs: ['client', 'clock'],
    draw: (d) => [
      tokenCall(d),
      advance(d, 3_700_000),
      ...Array.from({ length: 11 }, () => tokenCall(d)),
    ],
  },
  {
    id: 'token/unknown',
    draw: (d) => [
      withToken(d, d.random.pick(['Bearer nothing', 'Bearer ', 'nothing', 'Basic eDp5'])),
    ],
  },
];

/** So many calls at one moment, then one more when a part of a second has passed. */
function crowd(d: Drawing, names: readonly string[], count: number, pauseMs: number): Step[] {
  const one = (at: number): CallStep => {
    const as = names[at % names.length]!;
    if (d.random.chance(0.2)) return call(d, { operation: 'listWebhooks', as });
    return createCall(d, as, { brand_id: { $role: 'firm', has: 'brand' } });
  };
  const steps: Step[] = Array.from({ length: count }, (_, at) => one(at));
  const after = pauseMs >= 1_000 ? count : 2;
  return [...steps, advance(d, pauseMs), ...Array.from({ length: after }, (_, at) => one(at))];
}

const PAUSES = [100, 199, 200, 201, 1_000, 11_000, 3_700_000];

function limited(
  id: string,
  wishes: readonly Extract<Step, { do: 'mint' }>['wish'][],
  count: number,
  weight = 1,
): Idea {
  return {
    id: `limit/${id}`,
    needs: ['mint', 'clock', 'rates'],
    weight,
    draw: (d) => {
      const mints = wishes.map((wish, at): Extract<Step, { do: 'mint' }> => {
        const n = d.scene.label();
        return { do: 'mint', n, name: `m${n}-${at}`, wish };
      });
      const names = mints.map(({ name }) => name);
      return [...mints, ...crowd(d, names, count, d.random.pick(PAUSES))];
    },
  };
}

const limits: readonly Idea[] = [
  limited('sandbox', [{ scopes: EVERY_SCOPE, plan: 'sandbox', perSecond: null }], 7, 2),
  limited('own-rate', [{ scopes: EVERY_SCOPE, plan: 'standard', perSecond: 3 }], 5),
  limited('standard', [{ scopes: EVERY_SCOPE, plan: 'standard', perSecond: null }], 52, 0.1),
  {
    id: 'limit/firm',
    needs: ['mint', 'clock', 'rates'],
    draw: (d) => {
      const scopes = EVERY_SCOPE;
      const mints = [1, 2].map((at): Extract<Step, { do: 'mint' }> => {
        const n = d.scene.label();
        return { do: 'mint', n, name: `m${n}-${at}`, wish: { scopes, perSecond: 50 } };
      });
      return [
        ...mints,
        { do: 'firmRate', n: d.scene.label(), perSecond: 6 },
        // What is left of an allowance when its rate changes is open: it is full again by then.
        advance(d, 2_000),
        ...crowd(
          d,
          mints.map(({ name }) => name),
          8,
          d.random.pick(PAUSES),
        ),
        { do: 'firmRate', n: d.scene.label(), perSecond: 100_000 },
        advance(d, 2_000),
      ];
    },
  },
  {
    id: 'limit/saved-up',
    needs: ['mint', 'clock', 'rates'],
    weight: 4,
    // LIM-2: however long the pause, no more than a second's allowance is there after it.
    draw: (d) => {
      const n = d.scene.label();
      const name = `m${n}`;
      const perSecond = d.random.pick([2, 3, 5]);
      const emptied = (): Step[] =>
        Array.from({ length: perSecond + 2 }, () =>
          createCall(d, name, { brand_id: { $role: 'firm', has: 'brand' } }),
        );
      const pauses = [2_000, d.random.pick([11_000, 61_000]), d.random.pick([601_000, 3_700_000])];
      return [
        { do: 'mint', n, name, wish: { scopes: EVERY_SCOPE, perSecond } },
        ...emptied(),
        ...pauses.flatMap((byMs) => [advance(d, byMs), ...emptied()]),
      ];
    },
  },
  {
    id: 'limit/bulk-is-one',
    needs: ['mint', 'clock', 'rates'],
    weight: 0.7,
    draw: (d) => {
      const n = d.scene.label();
      const name = `m${n}`;
      const wish = { scopes: EVERY_SCOPE, plan: 'sandbox', perSecond: null } as const;
      const row = (at: number): Value => ({
        client_reference_id: { $fresh: `lb${n}r${at}` },
        email: { $join: [{ $fresh: `lb${n}r${at}` }, '@explore.example.com'] },
        brand_id: { $role: 'firm', has: 'brand' },
      });
      const body = { accounts: [0, 1, 2, 3, 4, 5].map(row) };
      return [
        { do: 'mint', n, name, wish },
        call(d, { operation: 'bulkCreateAccounts', as: name, key: newKey(d), body }),
        ...crowd(d, [name], 4, 200),
      ];
    },
  },
  {
    id: 'limit/refused-then-repeated',
    needs: ['mint', 'clock', 'rates'],
    draw: (d) => {
      const n = d.scene.label();
      const name = `m${n}`;
      const wish = { scopes: EVERY_SCOPE, perSecond: 2 };
      const all = [0, 1, 2].map(() =>
        createCall(d, name, { brand_id: { $role: 'firm', has: 'brand' } }),
      );
      const last = all[2]!;
      return [
        { do: 'mint', n, name, wish },
        ...all,
        advance(d, 1_000),
        { ...last, n: d.scene.label() },
        { ...last, n: d.scene.label() },
      ];
    },
  },
];

const SCOPED: readonly (readonly [string, readonly string[]])[] = EVERY_SCOPE.map((scope) => [
  scope.replace(':', '-'),
  [scope],
]);

const repeatable = ({ calls }: Scene) => calls.some(({ step }) => step.as !== 'nobody');

const scopes: readonly Idea[] = [
  ...SCOPED.map(
    ([id, held]): Idea => ({
      id: `scope/${id}`,
      needs: ['mint'],
      weight: 1.5,
      when: repeatable,
      draw: (d) => {
        const n = d.scene.label();
        const name = `m${n}`;
        // Of each operation one call: what this scope alone grants.
        const seen = new Map(d.scene.calls.map(({ step }) => [step.operation, step]));
        const again = [...seen.values()].slice(-5).map((step): CallStep => {
          const { key: _, ...rest } = step;
          const keyed = step.key === undefined ? {} : { key: newKey(d) };
          return { ...rest, ...keyed, n: d.scene.label(), as: name };
        });
        return [{ do: 'mint', n, name, wish: { scopes: held } }, ...again];
      },
    }),
  ),
  {
    id: 'scope/taken-away',
    needs: ['mint'],
    draw: (d) => {
      const n = d.scene.label();
      const name = `m${n}`;
      const create = () => createCall(d, name, { brand_id: { $role: 'firm', has: 'brand' } });
      return [
        { do: 'mint', n, name, wish: { scopes: EVERY_SCOPE } },
        create(),
        { do: 'rescope', n: d.scene.label(), name, scopes: ['trades:write'] },
        create(),
      ];
    },
  },
  {
    id: 'scope/firm-may-not',
    needs: ['permissions'],
    weight: 2,
    when: (scene) => scene.calls.some(mayBeForbidden),
    draw: (d) => {
      const { step } = d.random.pick(d.scene.calls.filter(mayBeForbidden));
      const { operation } = step;
      const again = (): CallStep => {
        const { key: _, ...rest } = step;
        return {
          ...rest,
          ...(step.key === undefined ? {} : { key: newKey(d) }),
          n: d.scene.label(),
        };
      };
      const permit = (allowed: boolean): Step => {
        return { do: 'permit', n: d.scene.label(), operation, allowed };
      };
      return [permit(false), again(), permit(true), again()];
    },
  },
];

/** AUTH-8: nothing says that a firm's permissions are about tokens or reads as well. */
function mayBeForbidden({ step: { as, operation } }: Scene['calls'][number]): boolean {
  return as !== 'nobody' && !/^(issueToken|list(Accounts|Tra)|getAccount)/.test(operation);
}

export const accessIdeas: readonly Idea[] = [
  ...[...tokens, ...scopes],
  // What counts the calls of a second has no room for others.
  ...limits.map((idea) => ({ ...idea, isGrid: true })),
];
