// A copy of a world is independent of the original: thousands of generated inputs, with a copy
// taken before each of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forkWorld } from '../commands/commands.ts';
import { newestEntries } from '../journal.ts';
import { type StepResult, step } from '../step.ts';
import { beginWorld, behaviour } from '../testing/begin-world.ts';
import { drawFrom, makeInput } from '../testing/random-inputs.ts';
import { phoneTables } from '../values/phone.ts';
import type { World } from '../world.ts';
import { copyWorld } from './copy-world.ts';
import { dumpWorld, loadWorld } from './snapshot.ts';

const copies = suite('copies of worlds');

function live(world: World, from: number, count: number, before: () => void = () => undefined) {
  const results: StepResult[] = [];
  for (let n = from; n < from + count; n += 1) {
    before();
    results.push(step(world, behaviour, makeInput(drawFrom(n), world)));
  }
  return results;
}

/** All of a world: its document, its derived data, and the journal. */
function allOf(world: World): string {
  const { people, transactionByReference, openDeliveries } = world;
  const indexes = [people, transactionByReference, openDeliveries].map(spread);
  return JSON.stringify([dumpWorld(world), indexes, [...newestEntries(world.journal)]]);
}

function spread(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, each]) => [key, spread(each)]);
  if (value instanceof Set) return [...value];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value).map(([key, each]) => [key, spread(each)]);
}

copies.before(() => phoneTables.load());

copies('a world that is copied before every input equals a world that is never copied', () => {
  for (const seed of [1000, 3000]) {
    const plain = beginWorld();
    const copied = beginWorld();
    for (let n = seed; n < seed + 300; n += 1) {
      const [result] = live(plain, n, 1);
      copyWorld(copied);
      assert.is(JSON.stringify(live(copied, n, 1)), JSON.stringify([result]), `input ${n}`);
    }
    assert.is(allOf(copied), allOf(plain));
  }
});

copies('a change to either world does not affect the other', () => {
  const world = beginWorld();
  live(world, 4000, 600);
  const copy = copyWorld(world);
  const before = allOf(world);
  live(world, 4600, 600);
  assert.is(allOf(copy), before, 'the copy is as the world was');
  const after = allOf(world);
  // The same inputs have the same effect on the copy, and do not affect the original.
  live(copy, 4600, 600);
  assert.is(allOf(copy), after);
  const copyOfCopy = copyWorld(copy);
  live(copy, 5200, 300);
  live(copyOfCopy, 5500, 300);
  assert.is(allOf(world), after);
});

copies('a fork is equal except for its name, its secrets and its tokens', () => {
  const world = beginWorld();
  live(world, 6000, 600);
  const fork = forkWorld(world, 'other');
  const tokens = (of: World) => [...of.tokens.keys()];
  assert.not.ok(tokens(fork).some((token) => world.tokens.has(token)));
  assert.is(tokens(fork).length, [...world.tokens.values()].filter(isLasting).length);
  const bare = (of: World) => {
    const secretless = [...of.credentials].map(([id, one]) => [id, { ...one, client_secret: '' }]);
    const credentials = new Map(secretless as unknown as [string, never][]);
    return allOf({ ...of, name: '', tokens: new Map(), credentials });
  };
  assert.is(bare(fork), bare(world));
  // The fork is a complete world that can be saved.
  loadWorld(dumpWorld(fork), behaviour);
});

const isLasting = ({ expires_at_ms }: { readonly expires_at_ms: number | null }) =>
  expires_at_ms === null;

copies.run();
