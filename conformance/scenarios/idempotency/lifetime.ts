// IDEM-4, IDEM-6, IDEM-7: which answers are not recorded at all, and how long the others are.
import { isAvailable, moveOn, validCall } from '../../cases/calls.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { HOUR_MS, KEY_KEPT_MS } from '../../spec/literals.ts';
import { isDecision, OPERATIONS, WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { suspendRequest } from '../support/clock.ts';

/** Answers that are not recorded, so that a repeat runs, each with its rule. */
const NOT_KEPT = [
  [429, 'IDEM-6a'],
  [500, 'IDEM-6c'],
  [503, 'IDEM-6b'],
] as const;

export const idemTroubleBefore: Scenario = {
  id: 'idem-trouble-before',
  title: 'A 429, 500 or 503 instead of each write is not kept: the key runs when sent again',
  rules: NOT_KEPT.map(([, rule]) => rule),
  needs: ['fault', 'trading_account'],
  provokes: [429, 500, 503],
  async run(t) {
    for (const operation of WRITE_NAMES) {
      for (const [status, rule] of NOT_KEPT) {
        const words = `${OPERATIONS[operation].words} again after a ${status}`;
        await t.branch(rule, words, async () => {
          const call = await validCall(t, operation);
          const key = t.fresh.key();
          const effect = { kind: 'status', status };
          const fault = await t.operator.fault({ match: { operation }, effect, times: 1 });
          const failed = await t.call(call, { key });
          if ((await fault.hits()) !== 1) throw new Blocked('the fault was not met');
          // Twice: a recorded answer returns each time; a temporary 503 does not.
          const again = await t.call(call, { key });
          const last = again.isServed ? again : await t.call(call, { key });
          t.expect(rule, last).is(`${words}: run`, last.isServed, describeAnswer(last), failed);
        });
      }
    }
  },
};

/** A small margin before and after a record expires. */
const LITTLE_MS = 5_000;

/** A write under its key, and the request that shows whether the key is still kept. */
interface KeptWrite {
  readonly words: string;
  readonly first: Answer;
  again(): Promise<Answer>;
}

export const idemKeyLifetime: Scenario = {
  id: 'idem-key-lifetime',
  title: 'The key of each write replays just before its record expires, and runs again just after',
  rules: ['IDEM-7a', 'IDEM-7b'],
  needs: ['clock'],
  async run(t) {
    let kept: KeptWrite[] = [];
    for (const operation of WRITE_NAMES) {
      if (!(await isAvailable(t, operation))) continue;
      await t.branch(['IDEM-7a', 'IDEM-7b'], OPERATIONS[operation].words, async () => {
        kept.push(await keptWrite(t, operation));
      });
    }
    kept.push(await keptRefusal(t));
    const untouched = await keptWrite(t, 'createAccount');
    // Early and late: a service may keep keys for an hour, or until midnight.
    for (const [when, ms] of [
      ['an hour', HOUR_MS],
      ['its time less 5 s', KEY_KEPT_MS - HOUR_MS - LITTLE_MS],
    ] as const) {
      await t.operator.advance(ms);
      const still: KeptWrite[] = [];
      for (const each of kept) {
        const repeat = await each.again();
        const words = `${each.words} again after ${when}: the first answer`;
        const isFirst = isReplayOf(repeat, each.first);
        const seen = describeAnswer(repeat);
        if (t.expect('IDEM-7a', repeat).is(words, isFirst, seen, each.first).ok) still.push(each);
      }
      kept = still;
    }
    await t.operator.advance(2 * LITTLE_MS);
    // The first one was not repeated in between; the others show whether repeats prolong it. It shows
    // nothing if another create was not replayed before.
    const isReplayed = kept.some(({ words }) => words === untouched.words);
    for (const { words, first, again } of isReplayed ? [untouched, ...kept] : kept) {
      const answer = await again();
      const expected = `${words} again 5 s after its key is forgotten: it runs`;
      t.expect('IDEM-7b', answer).is(expected, ranAgain(answer, first), undefined, first);
    }
  },
};

function ranAgain(answer: Answer, first: Answer): boolean {
  return !isReplayOf(answer, first) && answer.code !== 'idempotency_in_flight';
}

/** A decision that runs again has the same answer as before, so another transaction is used (IDEM-10). */
async function keptWrite(t: ScenarioContext, operation: WriteName): Promise<KeptWrite> {
  const { words } = OPERATIONS[operation];
  const call = await validCall(t, operation);
  const key = t.fresh.key();
  const first = await t.control(call, { key });
  const next = isDecision(operation) ? await validCall(t, operation, call.place) : call;
  // A second execution must have an answer that differs from the first.
  if (operation === 'updateAccount') await moveOn(t, call, first);
  return { words, first, again: () => t.call(next, { key }) };
}

/** The corrected request gets the old refusal as long as it is recorded (IDEM-11). */
async function keptRefusal(t: ScenarioContext): Promise<KeptWrite> {
  const valid = await validCall(t, 'createAccount');
  const key = t.fresh.key();
  const invalid = { ...valid, body: { ...valid.body, email: t.fresh.text() } };
  const first = await t.call(invalid, { key });
  return { words: 'a refused create', first, again: () => t.call(valid, { key }) };
}

export const idemAgeOfASlowAnswer: Scenario = {
  id: 'idem-age-of-a-slow-answer',
  title: 'The record of a slow attempt expires once its answer is old enough, if not before',
  rules: ['IDEM-7b'],
  observes: ['NS-42'],
  needs: ['clock', 'fault'],
  async run(t) {
    const call = await validCall(t, 'createAccount');
    const key = t.fresh.key();
    const create = () => t.call(call, { key });
    const held = await suspendRequest(t, 'createAccount', { kind: 'delay', ms: 4_000 }, create);
    await t.operator.advance(4_000);
    const first = await held();
    if (first.status !== 201) throw new Blocked(`a create that was held back: ${first.summary}`);
    // IDEM-4a: if a repeat at once gets another answer, a later one shows nothing about its age.
    const soon = await create();
    if (!isReplayOf(soon, first)) throw new Blocked(`a repeat at once: ${soon.summary}`);
    // Two seconds less than the retention after the answer, and two more after the request.
    await t.operator.advance(KEY_KEPT_MS - 2_000);
    const early = await create();
    const isKept = isReplayOf(early, first);
    t.observe('NS-42', isKept ? 'from the first answer' : 'from the first request', {
      key_age_from: isKept ? 'answer' : 'request',
    });
    if (isKept) await t.operator.advance(2 * LITTLE_MS);
    const late = isKept ? await create() : early;
    t.expect('IDEM-7b', late).is('run again', ranAgain(late, first), undefined, first);
  },
};

/** More keys than a cache with a round size holds. */
const MANY = 1_010;

export const idemManyKeys: Scenario = {
  id: 'idem-many-keys',
  title: 'A repeat gets the first answer, however many other keys were used since',
  rules: ['IDEM-4a', 'IDEM-4b'],
  // Extra depth: so many requests are a burden if the clock cannot be moved.
  needs: ['clock'],
  async run(t) {
    const call = await validCall(t, 'createAccount');
    const key = t.fresh.key();
    const first = await t.control(call, { key });
    // All with one existing row: nothing more is created, and every answer is kept.
    for (let sent = 0; sent < MANY; ) {
      const together = await t.burstSize(MANY - sent);
      await t.sendTogether(together, () => t.call('bulkCreateAccounts', { rows: [call.body!] }));
      sent += together;
      await t.operator.advance(1_000);
    }
    const late = await t.call(call, { key });
    const words = `${first.status}, as before ${MANY} other keys`;
    const isSame = late.status === first.status;
    t.expect('IDEM-4a', late).is(words, isSame, late.summary, first);
    if (isSame) t.expect('IDEM-4b', late).sameBytesAs(first);
  },
};
