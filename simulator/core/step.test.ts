// Thousands of generated inputs: the invariants hold after each of them, and the same inputs give
// the same world, even if it is saved and loaded midway.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dumpWorld, loadWorld } from './state/snapshot.ts';
import { type Effect, type Input, nextDueMs, step } from './step.ts';
import { beginWorld, behaviour } from './testing/begin-world.ts';
import { findWrongReply, Invariants } from './testing/invariants.ts';
import { drawFrom, makeInput } from './testing/random-inputs.ts';
import { phoneTables } from './values/phone.ts';
import type { World } from './world.ts';

const core = suite('core: generated inputs');

/** Runs the input, after everything that was due before it. */
function take(world: World, input: Input, played: Input[], effects: Effect[]): void {
  for (;;) {
    const due = nextDueMs(world);
    if (due === null || due > input.atMs) break;
    const timed: Input = { kind: 'time', atMs: Math.max(due, world.nowMs) };
    played.push(timed);
    effects.push(...step(world, behaviour, timed).effects);
  }
  played.push(input);
  effects.push(...step(world, behaviour, input).effects);
}

function holdReplies(effects: readonly Effect[], seen: Set<string>): void {
  for (const effect of effects) {
    if (effect.kind !== 'answer') continue;
    const wrong = findWrongReply(effect.reply);
    assert.is(wrong, null, `${wrong}: ${effect.reply.body}`);
    const code = /"code":"(\w+)","detail"/.exec(effect.reply.body)?.[1] ?? '';
    seen.add(`${effect.reply.status} ${code}`.trim());
  }
}

/** Every sixth time, repeats a recent call: in flight, replayed, or run again. */
function repeated(seed: number, played: readonly Input[], world: World): Input | null {
  const earlier = played[played.length - 1 - (Math.floor(seed / 6) % 5)];
  if (seed % 6 > 0 || earlier?.kind !== 'call') return null;
  return { ...earlier, atMs: world.nowMs + 1 };
}

const odd = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.json({ maxDepth: 4 }));
const command = fc.record({ seed: fc.nat(), odd });

core('nine thousand inputs leave every world valid, with documented responses', () => {
  const seen = new Set<string>();
  let calls = 0;
  const property = fc.property(
    fc.array(command, { minLength: 300, maxLength: 300 }),
    fc.nat(299),
    (commands, saveAt) => {
      const world = beginWorld();
      const invariants = new Invariants();
      const played: Input[] = [];
      const effects: Effect[] = [];
      let splitAt = 0;
      for (const [index, { seed, odd: body }] of commands.entries()) {
        if (index === saveAt) splitAt = played.length;
        const input = repeated(seed, played, world) ?? makeInput(drawFrom(seed), world, body);
        if (input.kind === 'call') calls += 1;
        const before = effects.length;
        take(world, input, played, effects);
        holdReplies(effects.slice(before), seen);
        for (const problem of invariants.problems(world)) assert.unreachable(problem);
      }
      replayed(played, splitAt, effects, world);
    },
  );
  const { errorInstance } = fc.check(property, { numRuns: 32, seed: 20260302, endOnFailure: true });
  // The error is more useful than three hundred inputs, which the seed reproduces.
  if (errorInstance !== null) throw errorInstance;
  assert.ok(calls >= 7_000, `${calls} calls`);
  // The calls must produce every documented response: a table with unused rows proves nothing.
  const wanted =
    '200, 201, 400 idempotency_key_required, 401 unauthorized, 403 forbidden, ' +
    '403 read_only_credential, 404 not_found, 405 method_not_allowed, 409 idempotency_in_flight, ' +
    '409 invalid_state, 412 revision_conflict, 415, 422, 422 validation_failed, ' +
    '429 rate_limited, 500 internal_error, 501 not_implemented, 503 write_contention';
  const missing = wanted.split(', ').filter((each) => !seen.has(each));
  assert.equal(missing, [], `seen: ${[...seen].sort().join(', ')}`);
});

/** A second world that gets the same inputs, saved and loaded midway, responds the same. */
function replayed(
  played: readonly Input[],
  splitAt: number,
  effects: readonly Effect[],
  world: World,
): void {
  let other = beginWorld();
  const again: Effect[] = [];
  for (const [index, input] of played.entries()) {
    if (index === splitAt) other = loadWorld(dumpWorld(other), behaviour);
    again.push(...step(other, behaviour, input).effects);
  }
  assert.is(JSON.stringify(again), JSON.stringify(effects));
  assert.is(JSON.stringify(dumpWorld(other)), JSON.stringify(dumpWorld(world)));
}

core.before(() => phoneTables.load());
core.run();
