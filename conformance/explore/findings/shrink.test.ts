// Checks what is cut out of a sequence that shows a difference.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Duel } from '../play/arena.ts';
import { type CallStep, callsOf, type Sequence, type Step } from '../sequence.ts';
import { call, create, idOf } from './plain-calls.ts';
import { needed, shrink } from './shrink.ts';

const shrinking = suite('shrink');

const tagOf = (n: number) => ({ $header: n, name: 'etag' }) as const;

const update = (n: number, tag: number, body: { readonly [name: string]: string }) =>
  call(n, 'updateAccount', 'firm', { id: idOf(1), ifMatch: tagOf(tag), body });

/** A target on which the last call differs, where each update has the newest tag there is. */
async function shrunk(
  steps: readonly Step[],
  differs: (steps: readonly Step[]) => boolean = () => true,
): Promise<Sequence> {
  const last = steps.at(-1)!.n;
  const shows = async (each: Sequence) => {
    const isFit = isInTurn(each.steps) && each.steps.at(-1)?.n === last && differs(each.steps);
    return isFit ? ({} as Duel) : null;
  };
  const { sequence } = await shrink({ steps }, last, shows, false);
  return sequence;
}

function isInTurn(steps: readonly Step[]): boolean {
  let newest = steps[0]!.n;
  return callsOf(steps).every(({ n, operation, ifMatch }) => {
    const isNewest = operation !== 'updateAccount' || same(ifMatch, tagOf(newest));
    newest = n;
    return isNewest;
  });
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const labels = ({ steps }: Sequence) => steps.map(({ n }) => n);
const chain = (count: number): readonly Step[] => [
  create(1, 'firm', {}),
  ...Array.from({ length: count }, (_, at) => update(at + 2, at + 1, { status: `s${at}` })),
];

shrinking('a chain of updates, each with the tag of the one before, is cut', async () => {
  assert.equal(labels(await shrunk(chain(12))), [1, 13]);
});

shrinking('and what it takes in its middle stays', async () => {
  const takesTheFifth = (steps: readonly Step[]) => steps.some(({ n }) => n === 5);
  assert.equal(labels(await shrunk(chain(12), takesTheFifth)), [1, 5, 13]);
});

shrinking('an account shown again by its reference may go', async () => {
  const own = { client_reference_id: { $fresh: 'same' } };
  const steps = [
    create(1, 'firm', own),
    create(2, 'firm', own),
    update(3, 2, { status: 'a' }),
    update(4, 3, { status: 'b' }),
  ];
  assert.equal(labels(await shrunk(steps)), [1, 4]);
});

shrinking('an answer that is waited for goes with its call', async () => {
  const kept = { ...update(2, 1, { status: 'a' }), pending: true } as const;
  const steps: readonly Step[] = [
    create(1, 'firm', {}),
    kept,
    { do: 'await', n: 3, call: 2 },
    update(4, 2, { status: 'b' }),
  ];
  assert.equal(labels(await shrunk(steps)), [1, 4]);
});

shrinking(
  'the smallest allowance is tried, and what had no key is told by a create with one',
  async () => {
    const wish = { scopes: [], perSecond: 5 };
    const calls = [2, 3, 4, 5, 6].map((n) => call(n, 'createAccount', 'm1', {}));
    const read = { do: 'call', n: 7, operation: 'listWebhooks', as: 'm1' } as const;
    const steps: readonly Step[] = [{ do: 'mint', n: 1, name: 'm1', wish }, ...calls, read];
    // As on any platform, what lacks its key is refused before it is counted.
    const shows = async ({ steps: left }: Sequence) => {
      const [first] = left;
      const most = first?.do === 'mint' ? first.wish.perSecond! : Number.POSITIVE_INFINITY;
      const counted = callsOf(left).filter((each) => each.as === 'm1' && isWhole(each));
      return counted.length > most ? ({} as Duel) : null;
    };
    const { sequence } = await shrink({ steps }, 7, shows, true);
    assert.equal(sequence.steps[0], {
      do: 'mint',
      n: 1,
      name: 'm1',
      wish: { ...wish, perSecond: 1 },
    });
    assert.is(callsOf(sequence.steps).length, 2);
    assert.ok(callsOf(sequence.steps).every(isWhole));
    assert.is(callsOf(sequence.steps).at(-1)?.operation, 'createAccount');
  },
);

shrinking('of the requests that are left, those that show it again are not spent', async () => {
  const steps = chain(40);
  let left = 200;
  const shows = async (each: Sequence) => {
    left -= callsOf(each.steps).length;
    // What is left out here is needed, so that no try makes it shorter.
    return each.steps.length < steps.length ? null : ({} as Duel);
  };
  const { sequence } = await shrink({ steps }, steps.at(-1)!.n, shows, false, () => left);
  assert.is(sequence.steps.length, steps.length);
  assert.ok(left >= 2 * callsOf(sequence.steps).length, `${left}`);
  assert.ok(left < 200, 'and what is over is spent');
});

const isWhole = ({ operation, key }: CallStep) =>
  operation !== 'createAccount' || key !== undefined;

shrinking('what the firm and a credential may do is needed by every call', () => {
  const steps: readonly Step[] = [
    create(1, 'firm', {}),
    create(2, 'firm', {}),
    { do: 'permit', n: 3, operation: 'updateAccount', allowed: false },
    { do: 'rescope', n: 4, name: 'm1', scopes: [] },
    update(5, 1, { status: 'a' }),
  ];
  assert.equal(labels(needed({ steps }, 5)), [1, 3, 4, 5]);
});

shrinking.run();
