// IDEM-6, IDEM-7: which answers are not kept at all, and for how long the others are.

import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { suspendRequest } from '../support/suspend-request.ts';
import { isReplayOf } from './is-replay-of.ts';
import { WRITE_OPERATIONS, writeOperations } from './write-commands.ts';

/** Answers that are safe to send again, each with the rule that says it is not kept. */
const PASSING: readonly [status: number, rule: RuleId][] = [
  [429, 'IDEM-6a'],
  [500, 'IDEM-6c'],
  [503, 'IDEM-6b'],
];

const idemTroubleBefore: Scenario = {
  id: 'idem-trouble-before',
  title: 'A 429, 500 or 503 in place of each write is not kept: the key runs when sent again',
  rules: ['IDEM-6a', 'IDEM-6b', 'IDEM-6c'],
  needs: ['fault', 'trading_account'],
  lane: 'own_world',
  provokes: [429, 500, 503],
  async run(t) {
    for (const { operation, words, make } of writeOperations) {
      const calm = await make(t);
      await t.control(`${words}, without trouble`, () => calm.send(t.fresh.key()));
      const command = await make(t);
      await expectRetried(t, { operation, words, phase: 'before' }, command.send);
    }
  },
};

const idemTroubleAfter: Scenario = {
  id: 'idem-trouble-after',
  title: 'A 429, 500 or 503 after the write has run is not kept either: a retry converges',
  rules: ['IDEM-6a', 'IDEM-6b', 'IDEM-6c'],
  needs: ['fault', 'trading_account'],
  lane: 'own_world',
  provokes: [429, 500, 503],
  async run(t) {
    for (const operation of ['createAccount', 'bulkCreateAccounts', 'createTransaction'] as const) {
      const { words, make } = WRITE_OPERATIONS[operation];
      const command = await make(t);
      await expectRetried(t, { operation, words, phase: 'after' }, command.send);
    }
  },
};

interface FaultPlace {
  readonly operation: string;
  readonly words: string;
  readonly phase: 'before' | 'after';
}

/**
 * One key through all three troubles to the end. What comes in place of the next trouble, or of the
 * success at last, shows what was kept of the one before.
 */
async function expectRetried(
  t: ScenarioContext,
  { operation, words, phase }: FaultPlace,
  send: (key: string) => Promise<Answer>,
): Promise<void> {
  const rules = PASSING.map(([, rule]) => rule);
  await t.branch(rules, `${words}, in trouble`, async () => {
    let key = t.fresh.key();
    let before: Answer | undefined;
    let rule: RuleId = 'IDEM-6a';
    for (const [status, next] of PASSING) {
      const effect = { kind: 'status', status };
      const fault = await t.operator.fault({ match: { operation }, phase, effect, times: 1 });
      let answer = await send(key);
      if (before !== undefined) {
        // A call that never got as far as the fault, or whose answer is not the fault's, was
        // answered by what the key stood for.
        const isMet = (await fault.hits()) === 1;
        if (!isMet && answer.status === 503 && before.status !== 503) {
          throw new Inconclusive(`${answer.summary} in passing, in place of ${words}`);
        }
        const ran = isMet && answer.status !== before.status;
        expectRan(t, rule, words, answer, before, ran);
        if (!ran) key = t.fresh.key();
        if (!ran) answer = await send(key);
      }
      if ((await fault.hits()) !== 1) throw new Blocked(`the fault did not meet ${words}`);
      [before, rule] = [answer, next];
    }
    const last = await send(key);
    // After it has run already, what it meets when it runs again is for other rules (IDEM-12).
    const met = phase === 'after' && last.status < 500 && last.code !== 'idempotency_in_flight';
    // A fault may meet replays as well: then it is the last answer that shows which was kept.
    const kept = PASSING.find(([status]) => status === last.status);
    expectRan(t, kept?.[1] ?? rule, words, last, before!, last.status < 300 || met);
  });
}

function expectRan(
  t: ScenarioContext,
  rule: RuleId,
  words: string,
  answer: Answer,
  before: Answer,
  ran: boolean,
): void {
  const expected = `${words} again after the ${before.status} of exchange ${before.n}`;
  t.expect(rule, answer).is(expected, ran, describeAnswer(answer), before);
}

export const HOUR_MS = 3_600_000;
/** A little, by which the clock is short of a day or past it. */
export const LITTLE_MS = 5_000;

/** A replay is told by its being the first answer, a run by what a known reference is answered. */
export const REPLAYS_AND_RUNS: NonNullable<Scenario['presumes']> = {
  'IDEM-7a': ['IDEM-4a', 'IDEM-4b', 'IDEM-4d'],
  'IDEM-7b': ['ACC-5', 'TXN-2'],
};

const idemKeptForADay: Scenario = {
  id: 'idem-kept-for-a-day',
  title: 'A key replays just before 24 hours are over, and runs again just after',
  rules: ['IDEM-7a', 'IDEM-7b'],
  presumes: REPLAYS_AND_RUNS,
  needs: ['clock'],
  lane: 'own_world',
  async run(t) {
    const body = t.newAccount();
    const untouched = t.newAccount();
    const invalid = t.newAccount({ email: t.fresh.text() });
    const account = await t.given.account();
    const keys = [t.fresh.key(), t.fresh.key(), t.fresh.key(), t.fresh.key()] as const;
    const create = (of: RequestBody, key: string) => t.api.createAccount(of, { key });
    const update = () =>
      t.api.updateAccount(
        account.id,
        { first_name: 'Grace' },
        { key: keys[2], ifMatch: account.etag },
      );
    const created = await t.control('a create', () => create(body, keys[0]), 201);
    const lone = await t.control('another', () => create(untouched, keys[1]), 201);
    const updated = await t.control('an update', update, 200);
    const refused = await create(invalid, keys[3]);
    const soon = [await create(body, keys[0]), await update(), await create(invalid, keys[3])];
    if (![created, updated, refused].every((each, at) => isReplayOf(soon[at]!, each))) {
      throw new Blocked('a repeat is not answered as the first, however soon it comes');
    }

    // Unless every repeat is given another number (IDEM-5), it tells a refusal from one made anew.
    const numbered = soon[2]!.at('request_id') === refused.at('request_id');

    // Early and late within the day: a service may keep keys for an hour, or until midnight.
    const kept: boolean[] = [];
    for (const [words, ms] of [
      ['after an hour', HOUR_MS],
      ['after 24 hours less 5 s', 23 * HOUR_MS - LITTLE_MS],
    ] as const) {
      await t.operator.advance(ms);
      kept.push(
        expectKept(t, words, await create(body, keys[0]), created),
        expectKept(t, words, await update(), updated),
        expectKept(t, words, await create(invalid, keys[3]), refused, numbered),
      );
    }

    await t.operator.advance(2 * LITTLE_MS);
    // Run again, a create finds its account by the reference: 200, and not the 201 that was kept.
    // Nobody has sent this one since: its age alone decides.
    const words = 'run again after 24 hours and 5 s';
    const alone = await create(untouched, keys[1]);
    t.expect('IDEM-7b', alone).is(words, ranAgain(alone, lone), undefined, lone);
    // Those that were repeated show whether repeats prolong it; unless they ran too soon.
    if (kept.includes(false)) return;
    const repeated = await create(body, keys[0]);
    t.expect('IDEM-7b', repeated).is(words, ranAgain(repeated, created), undefined, created);
    const stale = await update();
    t.expect('IDEM-7b', stale).is(words, !isReplayOf(stale, updated), undefined, updated);
    if (refused.status < 400) return;
    const corrected = await create({ ...invalid, email: t.fresh.email() }, keys[3]);
    t.expect('IDEM-7b', corrected).is(words, corrected.status < 300, undefined, refused);
  },
};

/** `numbered`: a refusal made anew reads alike, but for the number of its own call. */
export function expectKept(
  t: ScenarioContext,
  words: string,
  repeat: Answer,
  first: Answer,
  numbered = false,
): boolean {
  const same = !numbered || repeat.at('request_id') === first.at('request_id');
  const kept = isReplayOf(repeat, first) && same;
  const expected = `the first answer ${words}`;
  return t.expect('IDEM-7a', repeat).is(expected, kept, describeAnswer(repeat), first).ok;
}

export function ranAgain(answer: Answer, first: Answer): boolean {
  return !isReplayOf(answer, first) && answer.code !== 'idempotency_in_flight';
}

const idemAgeOfASlowAnswer: Scenario = {
  id: 'idem-age-of-a-slow-answer',
  title: 'The 24 hours of a slow attempt are over when its answer is a day old, if not before',
  rules: ['IDEM-7b'],
  presumes: REPLAYS_AND_RUNS,
  observes: ['NS-42'],
  needs: ['clock', 'fault'],
  lane: 'own_world',
  async run(t) {
    const body = t.newAccount();
    const key = t.fresh.key();
    const create = () => t.api.createAccount(body, { key });
    const held = await suspendRequest(t, 'createAccount', { kind: 'delay', ms: 4_000 }, create);
    await t.operator.advance(4_000);
    const first = await held();
    if (first.status !== 201) throw new Blocked(`a create that was held back: ${first.summary}`);
    // A day and two seconds after the request, two seconds short of one after the answer.
    await t.operator.advance(24 * HOUR_MS - 2_000);
    const between = isReplayOf(await create(), first);
    t.observe('NS-42', between ? 'from the first answer' : 'from the first request', {
      key_age_from: between ? 'answer' : 'request',
    });
    // Where it ran again just now, that is the attempt whose day began, and this one its repeat.
    if (between) await t.operator.advance(2 * LITTLE_MS);
    else await t.operator.advance(24 * HOUR_MS + LITTLE_MS);
    const late = await create();
    const truth = between ? ranAgain(late, first) : late.status < 300;
    t.expect('IDEM-7b', late).is('run again', truth, describeAnswer(late), first);
  },
};

export const lifetimeScenarios: readonly Scenario[] = [
  idemTroubleBefore,
  idemTroubleAfter,
  idemKeptForADay,
  idemAgeOfASlowAnswer,
];
