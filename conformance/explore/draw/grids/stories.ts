// Grids of stories: somebody with an account, money, subscriptions and keys; a few things that
// happen to him, whichever they are; and then a look at all that he has, in every way there is.
import type { Capability } from '../../../engine/capabilities.ts';
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import { decideCall } from '../decisions.ts';
import { call, type Idea, type Members } from '../idea.ts';
import { transactionCall } from '../money.ts';
import { orderCall } from '../positions.ts';
import { advance } from '../time.ts';
import { updateCall } from '../updates.ts';
import { begin, LOOKS, type Story, stranger, VERBS } from './looks.ts';
import { rowsOf } from './sizes.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

interface Deed {
  readonly needs?: readonly Capability[];
  readonly steps: (story: Story) => readonly Step[];
}

/** An update that applies, so that its tag is the newest. */
function updated({ d, account, kept }: Story, body: Members): CallStep {
  const step = updateCall(d, account, body);
  account.tags.push(step.n);
  kept.push(step);
  return step;
}

function keep(story: Story, step: CallStep): CallStep {
  story.kept.push(step);
  return step;
}

const decided = (verb: keyof typeof VERBS, as?: string): Deed => ({
  ...(as === 'brand' && { needs: ['brand'] }),
  steps: (story) => {
    const { d, paid } = story;
    const who = as === undefined ? {} : { as };
    return [keep(story, decideCall(d, VERBS[verb], paid[0], who))];
  },
});

/** Decided by a token of the account's own, which is minted for it. */
const decidedByTrader: Deed = {
  needs: ['mint'],
  steps: (story) => {
    const { d, account, paid } = story;
    const n = d.scene.label();
    const wish = { kind: 'delegated', scopes: ['trader:funds'], mintedBy: 'firm' } as const;
    return [
      { do: 'mint', n, name: `m${n}`, wish: { ...wish, account: account.id } },
      keep(story, decideCall(d, 'approveTransaction', paid[0], { as: `m${n}` })),
    ];
  },
};

const settled: Deed = {
  needs: ['settle'],
  steps: (story) => {
    const { d, paid } = story;
    return [
      decideCall(d, 'approveTransaction', paid[0]),
      { do: 'settle', n: d.scene.label(), id: paid[0].id },
    ];
  },
};

const settledAndBack: Deed = {
  needs: ['settle'],
  steps: (story) => [
    ...settled.steps(story),
    decideCall(story.d, 'cancelTransaction', story.paid[0]),
  ],
};

const paused = (byMs: number): Deed => ({
  needs: ['clock'],
  steps: ({ d }) => [advance(d, byMs)],
});

/** What was refused, of each kind one: it has changed nothing. */
function refused({ d, account, created, paid, other }: Story): readonly Step[] {
  const { email } = created.body as Members;
  return [
    createCall(d, d.main, { email: email! }),
    updateCall(d, account, { status: 'Stale' }, { ifMatch: '"987654"' }),
    updateCall(d, account, { country: 'gb' }),
    decideCall(d, 'rejectTransaction', paid[0], { body: { reason: '' } }),
    decideCall(d, 'approveTransaction', paid[0], { query: { account_id: other.id } }),
  ];
}

/** Met again in ways that change nothing. */
function met({ d, account, created, paid, places }: Story): readonly Step[] {
  const upper: Value = { $case: 'upper', of: account.reference };
  const row = { ...(created.body as Members), client_reference_id: upper };
  return [
    bulkCall(d, d.main, [stranger(d, {}), row]),
    transactionCall(d, places[1], { client_reference_id: paid[0].reference, amount: '7.77' }),
    { ...created, n: d.scene.label() },
  ];
}

/** AUTH-8: what the firm may not do for a while. */
const forbidden: Deed = {
  needs: ['permissions'],
  steps: ({ d, account, places, paid }) => {
    const tries: readonly (() => CallStep)[] = [
      () => createCall(d, d.main),
      () => updateCall(d, account, { status: `p${d.stem()}` }, { ifMatch: '"987654"' }),
      () => transactionCall(d, places[0]),
      () => decideCall(d, 'rejectTransaction', paid[1], { body: { reason: '' } }),
    ];
    const one = d.random.pick(tries);
    const { operation } = one();
    const permit = (allowed: boolean): Step => {
      return { do: 'permit', n: d.scene.label(), operation, allowed };
    };
    return [one(), permit(false), one(), permit(true), one()];
  },
};

/** Another subscription to the same url with other categories, and what becomes of the two. */
function twin(...then: readonly CallStep['operation'][]): Deed {
  return {
    steps: ({ d, hook }) => {
      const first = hook.steps.at(-1) as CallStep;
      const body = { ...(first.body as Members), event_categories: ['account', 'transaction'] };
      const next = { ...first, n: d.scene.label(), body };
      const id: Value = { $of: next.n, at: 'id' };
      return [next, ...then.map((operation) => call(d, { operation, as: d.main, id }))];
    },
  };
}

const about = (...operations: readonly CallStep['operation'][]): Deed => ({
  steps: ({ hook }) => operations.map(hook.about),
});

/** Sent twice at once: it happens once. */
const atOnce: Deed = {
  steps: ({ d, account, paid }) => {
    const update = updateCall(d, account, { status: `y${d.stem()}` });
    account.tags.push(update.n);
    const calls = [update, decideCall(d, 'approveTransaction', paid[0])];
    return [{ do: 'burst', n: d.scene.label(), calls: calls.slice(0, d.crowd) }];
  },
};

const traded: Deed = {
  steps: (story) => {
    const { d, places } = story;
    return [keep(story, orderCall(d, places[0].tradingAccount))];
  },
};

const CROWD = 300;

/** Many others come after him, and he is no longer among the newest. */
const crowd: Deed = {
  steps: ({ d }) => [bulkCall(d, d.main, [rowsOf(d, CROWD)])],
};

const DEEDS: readonly (readonly Deed[])[] = [
  [
    { steps: (story) => [updated(story, { status: 'Closed' })] },
    { steps: (story) => [updated(story, { first_name: '', last_name: '' })] },
    { steps: (story) => [updated(story, { first_name: 'Ada', country: 'GB' })] },
    { steps: refused },
    { steps: met },
    crowd,
  ],
  [
    decided('approve'),
    decided('reject'),
    decided('cancel'),
    decided('approve', 'brand'),
    ...[decidedByTrader, settled, settledAndBack, traded],
  ],
  [
    about('rotateWebhookSecret'),
    about('disableWebhook'),
    about('disableWebhook', 'rotateWebhookSecret'),
    ...[twin(), twin('rotateWebhookSecret'), twin('disableWebhook')],
  ],
  [
    ...[paused(61 * SECOND_MS), paused(25 * HOUR_MS), paused(8 * DAY_MS), paused(32 * DAY_MS)],
    ...[paused(100 * DAY_MS), paused(400 * DAY_MS), forbidden, atOnce],
  ],
];

const OF_EACH_KIND = 2;

/**
 * Of each kind a few deeds, in any order; and a look at everything. What any of them do together
 * shows without anybody having thought of them.
 */
function told(at: number): Idea['draw'] {
  return (d) => {
    const isPossible = ({ needs = [] }: Deed) => needs.every((need) => d.offers.has(need));
    const { story, steps } = begin(d);
    // Money that was decided on is decided: the next one is about other money.
    const [one, other] = story.paid;
    const tellers: readonly Story[] = [story, { ...story, paid: [other, one] }];
    const deeds = DEEDS.flatMap((kind, which) =>
      tellers.flatMap((teller, next) => {
        // Over all of the stories each deed comes, beside others each time.
        const deed = kind[(OF_EACH_KIND * at + next + 3 * which) % kind.length]!;
        return isPossible(deed) ? [{ deed, teller, turn: d.random.next() }] : [];
      }),
    );
    deeds.sort((one, other) => one.turn - other.turn);
    const done = deeds.flatMap(({ deed, teller }) => deed.steps(teller));
    return [...steps, ...done, ...LOOKS.flatMap((look) => look(story))];
  };
}

const STORIES = Math.max(...DEEDS.map(({ length }) => length)) / OF_EACH_KIND;

export const storyGrids: readonly Idea[] = Array.from(
  { length: STORIES },
  (_, at): Idea => ({
    id: `story/${at + 1}`,
    weight: 4,
    needs: ['fresh_trading_account', 'receiver'],
    draw: told(at),
  }),
);
