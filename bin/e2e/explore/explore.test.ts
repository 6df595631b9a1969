// The explorer as people start it, on a simulator that deviates and on one that does not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Unreachable } from '../../../conformance/engine/scenario-errors.ts';
import { ideas as everyIdea } from '../../../conformance/explore/draw/ideas.ts';
import { explore } from '../../../conformance/explore/explore.ts';
import { rulesFor } from '../../../conformance/explore/findings/rules.ts';
import type { GroundSender } from '../../../conformance/explore/play/ground.ts';
import { verdictOf } from '../../../conformance/explore/report/report.ts';
import type { CallStep, Sequence, Step } from '../../../conformance/explore/sequence.ts';
import type { Provider } from '../../../conformance/providers/target.ts';
import { defaultSettings, type Settings } from '../../../fixtures/settings.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { findDeviation } from '../../../simulator/deviations/register.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';

const exploring = suite('explore');

interface Told {
  readonly seed?: number;
  /** Only these ideas are drawn from. */
  readonly ideas?: RegExp;
  /** False: not even the first question is answered. */
  readonly isReached?: boolean;
  /** So many worlds begin, and then the target is gone. */
  readonly worlds?: number;
  /** So many calls are answered, and then none. */
  readonly answers?: number;
  readonly sequences?: readonly Sequence[];
  /** So many sequences are played beside one another. */
  readonly width?: number;
  /** Milliseconds until the world with that number begins. */
  readonly beginsAfter?: (world: number) => number;
  /** How the target answers open questions. */
  readonly open?: Partial<Settings>;
}

async function explored(
  deviation: Deviation | null,
  requests: number,
  {
    seed = 1,
    ideas,
    sequences,
    open = {},
    isReached = true,
    width = 1,
    beginsAfter = () => 0,
    worlds = Number.POSITIVE_INFINITY,
    answers = Number.POSITIVE_INFINITY,
  }: Told = {},
) {
  const bends = deviation === null ? [] : [deviation];
  const target = await simulatorModel({ ...defaultSettings, ...open }, bends);
  try {
    return await explore({
      provider: reachedOrNot(isReached, begun(target.provider, worlds, beginsAfter)),
      sender: silentAfter(answers, target.sender),
      makeModel: (wanted) => simulatorModel({ ...defaultSettings, ...wanted }),
      settings: {},
      seed,
      requests,
      untilMs: Number.POSITIVE_INFINITY,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      crowd: 8,
      width,
      firstOnly: true,
      ...(sequences === undefined ? {} : { sequences }),
      ...(ideas === undefined ? {} : { ideas: everyIdea.filter(({ id }) => ideas.test(id)) }),
    });
  } finally {
    await target.close();
  }
}

function silentAfter(answers: number, sender: GroundSender): GroundSender {
  let answered = 0;
  return {
    ...sender,
    send: (wire) => {
      if (wire.url.includes('/api/v1/')) answered += 1;
      if (answered > answers) throw new Unreachable('timeout', 'no answer');
      return sender.send(wire);
    },
    close: () => sender.close(),
  };
}

function reachedOrNot(isReached: boolean, provider: Provider): Provider {
  if (isReached) return provider;
  const shared = async () => {
    throw new Unreachable('refused', 'connection refused');
  };
  return Object.assign(provider, { shared });
}

function begun(
  provider: Provider,
  worlds: number,
  beginsAfter: (world: number) => number,
): Provider {
  const begin = provider.own.bind(provider);
  let count = 0;
  const own = async () => {
    count += 1;
    if (count > worlds) throw new Unreachable('refused', 'connection refused');
    await new Promise((resolve) => setTimeout(resolve, beginsAfter(count)));
    return begin();
  };
  return Object.assign(provider, { own });
}

exploring('a conforming simulator agrees, and never more is sent than was asked for', async () => {
  const { found, agreed, requests, inconclusive } = await explored(null, 400);
  assert.equal(found, []);
  assert.equal(inconclusive, []);
  assert.ok(agreed > 10);
  assert.ok(requests <= 400);
});

exploring('the seed decides what is drawn, however long any of it takes to be played', async () => {
  const drawn = async (width: number, beginsAfter: (world: number) => number) => {
    const { coverage } = await explored(null, 800, { seed: 3, width, beginsAfter });
    return [...coverage.ideas.keys()];
  };
  const one = await drawn(1, () => 0);
  const other = await drawn(4, (world) => (world * 37) % 60);
  // What is left of the requests at the end is not the same.
  const most = Math.min(one.length, other.length) - 20;
  assert.ok(most > 30, `only ${most} ideas`);
  assert.equal(other.slice(0, most), one.slice(0, most));
});

exploring('a target that goes away half-way has not agreed', async () => {
  const all = await explored(null, 400, { worlds: 5 });
  assert.is(all.agreed, 5);
  assert.equal([all.isGone, all.found], [true, []]);
  const verdict = verdictOf(all);
  assert.is(verdict, 'invalid');
  assert.is(verdictOf({ ...all, isGone: false, inconclusive: [] }), 'agrees');
});

exploring('a target that nobody reaches could not be compared', async () => {
  const all = await explored(null, 400, { isReached: false });
  assert.equal(all.inconclusive, ['connection refused']);
  assert.equal([all.found.length, verdictOf(all)], [0, 'invalid']);
});

exploring('a target that no longer answers any call has not agreed', async () => {
  const all = await explored(null, 400, { answers: 60 });
  assert.ok(all.agreed > 0);
  assert.ok(all.requests < 400, 'it is given up before all is sent');
  assert.equal([all.found.length, verdictOf(all)], [0, 'invalid']);
});

const createAccount = (n: number): CallStep => ({
  ...{ do: 'call', n, operation: 'createAccount', as: 'firm', key: { $fresh: `k${n}` } },
  body: {
    client_reference_id: { $fresh: `a${n}` },
    email: { $join: [{ $fresh: `a${n}` }, '@explore.example.com'] },
    brand_id: { $role: 'firm', has: 'brand' },
  },
});

exploring('a fault that waits strikes one of several calls at once on both sides', async () => {
  const match = { operation: 'createAccount' };
  const effect = { kind: 'status', status: 503 };
  const steps: readonly Step[] = [
    { do: 'fault', n: 1, match, times: 1, effect },
    { do: 'burst', n: 4, calls: [createAccount(2), createAccount(3)] },
  ];
  const { found, agreed } = await explored(null, 100, { sequences: [{ steps }] });
  assert.equal([found.length, agreed], [0, 1]);
});

exploring('what follows an open answer that parts the two is not compared', async () => {
  const call = { do: 'call', as: 'firm' } as const;
  const body = { url: { $of: 1, at: 'url' }, event_categories: ['account'] };
  const steps: readonly Step[] = [
    { do: 'hook', n: 1, answers: [200] },
    { ...call, n: 2, operation: 'createWebhook', body },
    createAccount(3),
    { ...call, n: 4, operation: 'getAccountStatus', id: { $of: 3, at: 'id' } },
    createAccount(5),
    { do: 'burst', n: 8, calls: [createAccount(6), createAccount(7)] },
  ];
  const open = { account_status_endpoint: 'none' } as const;
  const { found, agreed } = await explored(null, 100, { sequences: [{ steps }], open });
  assert.equal([found.map(({ difference }) => difference.at), agreed], [[], 1]);
});

exploring('an endpoint that is there is no excuse for reads that nobody counts', async () => {
  const wish = { scopes: ['accounts:write'], perSecond: 2 };
  const read = { do: 'call', n: 2, operation: 'getAccountStatus', as: 'm1', id: '999' } as const;
  const creates = [3, 4].map((n) => ({ ...createAccount(n), as: 'm1' }));
  const steps: readonly Step[] = [{ do: 'mint', n: 1, name: 'm1', wish }, read, ...creates];
  const deviation = findDeviation('limit-reads-unmetered')!;
  const { found, open } = await explored(deviation, 600, { sequences: [{ steps }] });
  assert.equal([...open.keys()], []);
  assert.is(found[0]?.difference.modelAnswer, '429 rate_limited');
});

exploring('what deviates is found, and shrunk to the calls that show it', async () => {
  const { found } = await explored(findDeviation('account-reference-taken-is-409')!, 400);
  assert.is(found.length, 1);
  const [{ difference, calls, reproduced, sequence }] = found as [(typeof found)[0]];
  assert.equal(
    sequence.steps.map(({ n }) => n),
    [1, 2],
  );
  assert.is(difference.operation, 'createAccount');
  assert.is(difference.modelAnswer, '200');
  assert.is(difference.targetAnswer, '409 invalid_state');
  assert.is(calls, 2);
  assert.is(reproduced, '2 of 2');
});

/** Of each family of signs that a rule is read from, where need be by what shows nothing else. */
const CALLED: readonly (readonly [deviation: string, ideas?: RegExp])[] = [
  // Two spellings of one phone that do not meet are ACC-9's.
  ['account-phone-as-sent', /^account\/phone$/],
  ['update-ignores-last-name'],
  ['bulk-answers-201'],
  ['replay-answers-200'],
  ['ftd-never'],
  ['hook-rotate-keeps-secret'],
];
for (const [id, ideas] of CALLED) {
  exploring(`${id} is called by its rule`, async () => {
    const deviation = findDeviation(id)!;
    const { found } = await explored(deviation, 1_500, ideas === undefined ? {} : { ideas });
    assert.is(found.length, 1);
    const [first = ''] = rulesFor(found[0]!);
    assert.ok((deviation.breaks as readonly string[]).includes(first), first);
  });
}

exploring.run();
