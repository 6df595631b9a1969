// The explorer on a conforming and a deviating simulator: which differences are found, which are open,
// and which calls count as lost.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Unreachable } from '../../../conformance/engine/scenario-errors.ts';
import type { Model } from '../../../conformance/explore/model.ts';
import { verdictOf } from '../../../conformance/explore/report/report.ts';
import type { Step } from '../../../conformance/explore/sequence.ts';
import { Random } from '../../../fixtures/random.ts';
import {
  account,
  answering,
  createAccount,
  decide,
  deposit,
  explored,
  sending,
  subscribed,
} from './testing/explored.ts';

const exploring = suite('explore');

/** The target only answers the calls for which `isLost` is false. */
const losing = (isLost: (count: number) => boolean) => {
  let count = 0;
  return sending(async (wire, next) => {
    const isCall = wire.url.includes('/api/v1/');
    if (isCall) count += 1;
    if (isCall && isLost(count)) throw new Unreachable('reset', 'cut');
    return next(wire);
  });
};

exploring('a conforming simulator agrees, and the seed alone decides what is drawn', async () => {
  const drawn = async (delayOf: (world: number) => number) => {
    let world = 0;
    const { coverage, found, agreed, requests, inconclusive, lost } = await explored({
      ...{ requests: 120, width: 4, seed: 3 },
      bent: ({ provider }) => {
        const begin = provider.own.bind(provider);
        const own = async () => {
          world += 1;
          await new Promise((resolve) => setTimeout(resolve, delayOf(world)));
          return begin();
        };
        return { provider: Object.assign(provider, { own }) };
      },
    });
    assert.equal({ found, inconclusive, lost }, { found: [], inconclusive: [], lost: 0 });
    assert.ok(agreed > 0 && requests <= 120, `${agreed} agreed, ${requests} requests`);
    return Object.fromEntries(coverage.operations);
  };
  assert.equal(await drawn((world) => (world * 37) % 60), await drawn(() => 0));
});

exploring('a target that stops answering does not agree', async () => {
  const all = await explored({ bent: losing((count) => count > 40), requests: 400 });
  assert.ok(all.agreed > 0);
  assert.ok(all.requests < 300, 'it is given up before all is sent');
  assert.equal([all.isGone, verdictOf(all)], [true, 'invalid']);
});

const reset = () => {
  throw new Unreachable('reset', 'cut');
};
const page = (status: number) => () => ({
  ...{ status, headers: [['content-type', 'text/html']] as const },
  body: Buffer.from('<h1>Error</h1>'),
});
const empty = () => ({ status: 200, headers: [], body: Buffer.from('') });

const call = { do: 'call', as: 'firm' } as const;
const update = (n: number, body: { readonly [name: string]: string }): Step => ({
  ...{ ...call, n, operation: 'updateAccount', key: { $fresh: `u${n}` }, id: account, body },
  ifMatch: { $header: 1, name: 'etag' },
});
const money: readonly Step[] = [{ do: 'open', n: 2, account }, deposit(3), decide(4, 'cancel')];
type Wire = { readonly method: string; readonly url: string; readonly text: string };
const CRASHES: readonly (readonly [
  words: string,
  meets: (wire: Wire) => boolean,
  answer: () => object,
  at: RegExp,
  steps: readonly Step[],
])[] = [
  [
    'a page for every create with a country',
    ({ url, text }) => url.endsWith('/accounts') && text.includes('"country"'),
    ...([page(500), /^no_answer$/, [createAccount(2, { country: 'PT' })]] as const),
  ],
  [
    'a reset of every update with a country',
    ({ method, text }) => method === 'PATCH' && text.includes('"country"'),
    ...([reset, /^no_answer$/, [createAccount(2), update(3, { country: 'PT' })]] as const),
  ],
  ['a 502 on every cancel', ({ url }) => url.includes('/cancel'), page(502), /^no_answer$/, money],
  [
    'a reset of a read',
    ({ method, url }) => method === 'GET' && url.endsWith('/webhooks'),
    ...([reset, /^no_answer$/, [{ ...call, n: 2, operation: 'listWebhooks' }]] as const),
  ],
  [
    'an empty answer to every update',
    ({ method }) => method === 'PATCH',
    ...([empty, /^(body|header\.content-type)$/, [update(3, { first_name: 'Ada' })]] as const),
  ],
];

for (const [words, meets, answer, at, steps] of CRASHES) {
  exploring(`${words} is found, shrunk and not counted as lost`, async () => {
    const bent = sending(async (wire, next) => {
      const text = Buffer.from(wire.body ?? []).toString();
      const isMet = wire.url.includes('/api/v1/') && meets({ ...wire, text });
      return isMet ? (answer() as never) : next(wire);
    });
    const all = await explored({ bent, steps: [createAccount(1), ...steps, createAccount(9)] });
    const [first] = all.found;
    assert.match(first?.difference.at ?? 'nothing', at);
    assert.ok(first!.calls <= steps.length + 1, `${first!.calls} calls`);
    assert.equal([verdictOf(all), all.lost], ['differs', 0]);
  });
}

exploring(
  'of a target that loses calls now and then nothing is said, nor that it agrees',
  async () => {
    const random = new Random(7);
    const isLost = () => random.chance(0.05);
    const all = await explored({ bent: losing(isLost), requests: 600 });
    assert.equal(all.found, []);
    assert.ok(all.lost > 5, `${all.lost} lost`);
    assert.is(verdictOf(all), 'invalid');
  },
);

exploring('a time in another unit breaks the rule of its form, whatever shows it', async () => {
  const inSeconds = answering((text) => text.replace(/("created_at":\d{10})\d{3}/, '$1'));
  const steps = [
    createAccount(1),
    { do: 'open', n: 2, account } as const,
    ...[deposit(3, {}, 'one'), deposit(4, {}, 'two'), decide(5, 'approve')],
  ];
  const { found } = await explored({ bent: inSeconds, steps });
  const named = found.map(({ rules }) => rules[0]);
  assert.equal(named, ['CONV-4']);
});

exploring(
  'a fault applies to its own call on both sides, and delays it while others run',
  async () => {
    const held = { effect: { kind: 'delay', ms: 3_000 } };
    const failing = { phase: 'after', effect: { kind: 'status', status: 500 } } as const;
    const again = { ...createAccount(3), body: createAccount(2).body!, key: { $fresh: 'k2' } };
    const steps: readonly Step[] = [
      { ...createAccount(1), fault: failing },
      { ...createAccount(2), fault: held, meanwhile: [again] },
      { ...again, n: 4 },
    ];
    const { found, agreed } = await explored({ steps });
    assert.equal([found.length, agreed], [0, 1]);
  },
);

exploring('a fault that applies on one side only is no difference (NS-17)', async () => {
  const bent = ({ provider }: Model) => {
    const begin = provider.own.bind(provider);
    const none = async () => ({ hits: async () => 0, remove: async () => {} });
    const own = async () => {
      const target = await begin();
      return Object.assign(target, { operator: Object.assign(target.operator, { fault: none }) });
    };
    return { provider: Object.assign(provider, { own }) };
  };
  const effects = [
    { phase: 'before', effect: { kind: 'status', status: 500 } },
    { phase: 'after', effect: { kind: 'reset' } },
    { effect: { kind: 'delay', ms: 3_000 } },
  ] as const;
  for (const fault of effects) {
    const meanwhile = 'phase' in fault ? {} : { meanwhile: [{ ...createAccount(2), n: 3 }] };
    const steps = [
      { ...createAccount(1), fault, ...meanwhile },
      { ...createAccount(1), n: 4 },
    ];
    const { found, inconclusive, lost } = await explored({ bent, steps });
    assert.equal([found, inconclusive, lost], [[], [], 0]);
  }
});

exploring('steps that depend on an open difference are not compared', async () => {
  const steps: readonly Step[] = [
    ...subscribed,
    createAccount(3),
    { ...call, n: 4, operation: 'getAccountStatus', id: { $of: 3, at: 'id' } },
    createAccount(5),
    { do: 'burst', n: 8, calls: [createAccount(6), createAccount(7)] },
  ];
  const { found, agreed } = await explored({ steps, answers: { account_status_endpoint: 'none' } });
  assert.equal([found.map(({ difference }) => difference.at), agreed], [[], 1]);
});

exploring(
  'what deviates is found, shrunk to the calls that show it, and named by its rule',
  async () => {
    const { found } = await explored({
      ...{ deviations: ['account-reference-taken-is-409'], requests: 150 },
    });
    const [first] = found;
    assert.is(first?.difference.modelAnswer, '200');
    assert.is(first?.difference.targetAnswer, '409 invalid_state');
    assert.equal([first?.calls, first?.reproduced], [2, '2 of 2']);
    assert.ok(
      ['ACC-5', 'IDEM-12', 'ACC-6'].includes(first?.rules[0] ?? ''),
      first?.rules.join(' '),
    );
  },
);

exploring('a known difference does not mask another', async () => {
  const steps: readonly Step[] = [
    createAccount(1),
    createAccount(2, { country: 'PT' }),
    { ...createAccount(3), body: createAccount(1).body! },
    { ...createAccount(4), key: { $fresh: 'k2' }, body: createAccount(2).body! },
  ];
  // The second shows in the same answers as the first, after it.
  const names = ['account-starts-active', 'account-revision-as-text'];
  const deviations = [...names, 'account-reference-taken-is-409'];
  const { found } = await explored({ deviations, steps });
  const places = found.map(({ difference: { at } }) => at);
  assert.equal(places.sort(), ['body.revision', 'body.status', 'status']);
});

exploring.run();
