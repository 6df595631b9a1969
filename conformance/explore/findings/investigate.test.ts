// Checks what a difference may become while its sequence is made plainer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Spent } from '../play/ground.ts';
import { callsOf, type Step } from '../sequence.ts';
import { type Found, investigate, type NotShown, type Play } from './investigate.ts';
import { call } from './plain-calls.ts';
import { foundOf } from './testing/made.ts';

const looking = suite('investigate');

const came = '401 unauthorized';
const steps = [call(1, 'listWebhooks', 'firm', {})];

/** A target that takes no token, whose creates would be answered so. */
const withoutTokens =
  (due: string): Play =>
  async (sequence) => {
    const last = callsOf(sequence.steps).at(-1)!;
    const isCreate = last.operation === 'createAccount';
    const { duel, difference } = foundOf({ steps: [last], due: isCreate ? due : '200', came });
    return { ...duel, difference };
  };

function shownIn(found: Found | NotShown): Found {
  if (typeof found === 'string') throw new Error(found);
  return found;
}

async function lookedAt(due: string) {
  const play = withoutTokens(due);
  const { difference } = await play({ steps });
  return shownIn(await investigate({ steps }, difference!, play));
}

looking('what concerns every operation is shown by a create', async () => {
  assert.is((await lookedAt('201')).difference.operation, 'createAccount');
});

looking('unless that is refused for a reason of its own', async () => {
  assert.is((await lookedAt('403 forbidden')).difference.operation, 'listWebhooks');
});

looking('a call left alone of calls at once is compared as any other', async () => {
  const alone = call(1, 'listWebhooks', 'firm', {});
  const burst = { do: 'burst', n: 3, calls: [alone, call(2, 'getWebhook', 'firm', {})] } as const;
  const read = call(4, 'getWebhook', 'firm', { id: '7' });
  const play: Play = async (sequence) => {
    const isAtOnce = sequence.steps.some((each) => each.do === 'burst');
    const at = isAtOnce ? 'body.disabled' : 'body.url';
    const made = foundOf({ steps: [read], due: '200', came: '200', at });
    return { ...made.duel, difference: made.difference };
  };
  const steps = [burst, read];
  const met = await play({ steps });
  const found = shownIn(await investigate({ steps }, met.difference!, play));
  assert.is(found.difference.at, 'body.url');
});

looking('deliveries are counted at any step, so that what it shows at needs nothing', async () => {
  const given: Step[] = [
    call(1, 'createAccount', 'firm', {}),
    { do: 'open', n: 2, account: { $of: 1, at: 'id' } },
    call(3, 'createWebhook', 'firm', {}),
    { do: 'ledger', n: 4, tradingAccount: { $of: 2, at: 'trading_account_id' } },
  ];
  const play: Play = async ({ steps }) => {
    const n = steps.at(-1)!.n;
    const counted = { operation: 'delivery', at: 'count', n, due: '', came: '' } as const;
    const { duel, difference } = foundOf({ steps, ...counted });
    const shows = callsOf(steps).some(({ operation }) => operation === 'createWebhook');
    return shows ? { ...duel, difference } : { ...duel };
  };
  const met = await play({ steps: given });
  const found = shownIn(await investigate({ steps: given }, met.difference!, play));
  assert.equal(
    found.sequence.steps.map((each) => (each.do === 'call' ? each.operation : each.do)),
    ['createWebhook', 'advance'],
  );
});

const late = [call(4, 'createAccount', 'firm', {}), call(9, 'getWebhook', 'firm', {})];

looking('what no requests are left to show again is told of nobody', async () => {
  const { duel, difference } = foundOf({ steps: late, due: '200', came: '404 not_found' });
  const play: Play = async () => {
    throw new Spent();
  };
  const found = await investigate({ steps: late }, difference, play);
  assert.is(found, 'a difference was met once, with nothing left to show it again');
  const silent: Play = async () => ({ ...duel, verdict: 'agrees' });
  const gone = await investigate({ steps: late }, difference, silent);
  assert.is(gone, 'a difference was not met again');
});

looking('what was shown once when the requests end is told under numbers from one on', async () => {
  const { duel, difference } = foundOf({ steps: late, due: '200', came: '404 not_found' });
  const play: Play = async ({ steps }) => {
    if (steps.length < 2) return { ...duel, verdict: 'agrees' };
    if (steps.at(-1)!.n === 2) throw new Spent();
    return { ...duel, difference };
  };
  const more = [call(3, 'listWebhooks', 'firm', {}), ...late];
  const found = shownIn(await investigate({ steps: more }, difference, play));
  assert.equal(
    found.sequence.steps.map(({ n }) => n),
    [1, 2],
  );
  assert.is(found.difference.n, 2);
  assert.is(found.duel.target.outcomes.get(2)?.kind, 'answer');
});

looking(
  'and by the clock that it was played by, so that what is open can still be found out',
  async () => {
    const { duel, difference } = foundOf({ steps: late, due: '200', came: '404 not_found' });
    const delivery = { body: Buffer.from('{}') };
    const target = Object.assign(duel.target, {
      ...{ startMs: 7_000, nowMs: 9_000, settled: ['70'], arrived: new Map([[delivery, [1, 2]]]) },
      hooks: new Map([[9, { deliveries: [delivery] }]]),
    });
    Object.assign(duel.model, { settled: [] });
    const play: Play = async ({ steps }) => {
      if (steps.at(-1)!.n === 2) throw new Spent();
      return steps.length < 2 ? { ...duel, verdict: 'agrees' } : { ...duel, target, difference };
    };
    const more = [call(3, 'listWebhooks', 'firm', {}), ...late];
    const { duel: told } = shownIn(await investigate({ steps: more }, difference, play));
    assert.is(told.target.startMs, 7_000);
    assert.is(told.target.nowMs, 9_000);
    assert.equal(told.target.settled, ['70']);
    assert.equal(told.target.arrived.get(delivery as never), [1, 2]);
  },
);

looking.run();
