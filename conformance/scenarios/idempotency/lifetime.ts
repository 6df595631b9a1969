// IDEM-4, IDEM-6, IDEM-7: which answers are not kept at all, and for how long the others are.
import { moveOn, sendCall, validCall, type WriteCall } from '../../cases/calls.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { HOUR_MS, KEY_KEPT_MS } from '../../spec/literals.ts';
import { isDecision, OPERATIONS, WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { suspendRequest } from '../support/suspend-request.ts';

/** Answers that are safe to send again, each with the rule that says it is not kept. */
const NOT_KEPT: readonly [status: number, rule: RuleId][] = [
  [429, 'IDEM-6a'],
  [500, 'IDEM-6c'],
  [503, 'IDEM-6b'],
];

const NOT_KEPT_RULES = NOT_KEPT.map(([, rule]) => rule);

function trouble(phase: 'before' | 'after', title: string, operations: readonly WriteName[]) {
  return {
    id: `idem-trouble-${phase}`,
    title,
    rules: NOT_KEPT_RULES,
    needs: ['fault', 'trading_account'],
    lane: 'own_world',
    provokes: [429, 500, 503],
    async run(t) {
      for (const operation of operations) {
        const { words } = OPERATIONS[operation];
        await t.branch(NOT_KEPT_RULES, `${words}, in trouble`, () =>
          expectRetried(t, operation, phase),
        );
      }
    },
  } satisfies Scenario;
}

/**
 * One key through all three troubles to the end. What comes instead of the next trouble, or of the
 * success at last, shows what was kept of the one before.
 */
async function expectRetried(
  t: ScenarioContext,
  operation: WriteName,
  phase: 'before' | 'after',
): Promise<void> {
  const { words } = OPERATIONS[operation];
  const calm = await validCall(t, operation);
  await t.control(`${words}, without trouble`, () => sendCall(t, calm));
  const call = await validCall(t, operation);
  let key = t.fresh.key();
  let before: Answer | undefined;
  let rule: RuleId = 'IDEM-6a';
  const expectRan = (judged: RuleId, answer: Answer, ran: boolean) => {
    const expected = `${words} again after the ${before!.status} of exchange ${before!.n}`;
    t.expect(judged, answer).is(expected, ran, describeAnswer(answer), before!);
  };
  for (const [status, next] of NOT_KEPT) {
    const effect = { kind: 'status', status };
    const fault = await t.operator.fault({ match: { operation }, phase, effect, times: 1 });
    let answer = await sendCall(t, call, { key });
    if (before !== undefined) {
      // A call that never got as far as the fault, or whose answer is not the fault's, was answered
      // by what the key stood for.
      const isMet = (await fault.hits()) === 1;
      if (!isMet && answer.status === 503 && before.status !== 503) {
        throw new Inconclusive(`${answer.summary} in passing, instead of ${words}`);
      }
      const ran = isMet && answer.status !== before.status;
      expectRan(rule, answer, ran);
      if (!ran) {
        key = t.fresh.key();
        answer = await sendCall(t, call, { key });
      }
    }
    if ((await fault.hits()) !== 1) throw new Blocked(`the fault did not meet ${words}`);
    [before, rule] = [answer, next];
  }
  const last = await sendCall(t, call, { key });
  // After it has run already, what it meets when it runs again is for other rules (IDEM-12).
  const met = phase === 'after' && last.status < 500 && last.code !== 'idempotency_in_flight';
  // A fault may meet replays as well: then it is the last answer that shows which was kept.
  const kept = NOT_KEPT.find(([status]) => status === last.status);
  expectRan(kept?.[1] ?? rule, last, last.status < 300 || met);
}

/** A little, by which the clock is short of a day or past it. */
const LITTLE_MS = 5_000;

/** A write under its key, and the request that shows whether the key is kept still. */
interface KeptWrite {
  readonly words: string;
  readonly first: Answer;
  /** The number of its refusal, unless replays are given others (IDEM-5). */
  readonly number: unknown;
  again(): Promise<Answer>;
  /** The request once its key is forgotten, where it would then be served. */
  late?(): Promise<Answer>;
}

const idemKeptForADay: Scenario = {
  id: 'idem-kept-for-a-day',
  title: 'The key of each write replays just before its record expires, and runs again just after',
  rules: ['IDEM-7a', 'IDEM-7b'],
  needs: ['clock'],
  lane: 'own_world',
  async run(t) {
    const kept: KeptWrite[] = [];
    for (const operation of WRITE_NAMES) {
      const isOfAccounts = OPERATIONS[operation].path.startsWith('/api/v1/accounts');
      if (!isOfAccounts && !t.has('trading_account')) continue;
      await t.branch(['IDEM-7a', 'IDEM-7b'], OPERATIONS[operation].words, async () => {
        const write = await keptWrite(t, operation).catch(unlessUnknown);
        if (write !== undefined) kept.push(write);
      });
    }
    await t.branch(['IDEM-7a', 'IDEM-7b'], 'a refusal', async () => {
      kept.push(await keptRefusal(t));
    });
    const untouched = await keptWrite(t, 'createAccount');
    // Early and late within the day: a service may keep keys for an hour, or until midnight.
    let whole = kept;
    for (const [when, ms] of [
      ['an hour', HOUR_MS],
      ['its time less 5 s', KEY_KEPT_MS - HOUR_MS - LITTLE_MS],
    ] as const) {
      await t.operator.advance(ms);
      const still: KeptWrite[] = [];
      for (const each of whole) if (await isKept(t, each, when)) still.push(each);
      whole = still;
    }
    await t.operator.advance(2 * LITTLE_MS);
    // The first one was not sent since; the others show whether repeats prolong it.
    for (const each of [untouched, ...whole]) await expectForgotten(t, each);
  },
};

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof MissingCapability)) throw error;
}

/** Of a decision that runs again the answer reads as before: another transaction tells (IDEM-10). */
async function keptWrite(t: ScenarioContext, operation: WriteName): Promise<KeptWrite> {
  const { words } = OPERATIONS[operation];
  const call = await validCall(t, operation);
  const key = t.fresh.key();
  const first = await t.control(words, () => sendCall(t, call, { key }));
  const shown: WriteCall = isDecision(operation) ? await validCall(t, operation, call.place) : call;
  const again = () => sendCall(t, shown, { key });
  if (!isReplayOf(await again(), first)) throw new Blocked('a repeat is not answered as the first');
  // What runs again must read differently from the first answer.
  if (operation === 'updateAccount') await moveOn(t, call, first);
  return { words, first, number: undefined, again };
}

async function keptRefusal(t: ScenarioContext): Promise<KeptWrite> {
  const valid = await validCall(t, 'createAccount');
  const invalid = { ...valid, body: { ...valid.body, email: t.fresh.text() } };
  const key = t.fresh.key();
  const again = () => sendCall(t, invalid, { key });
  const [first, soon] = [await again(), await again()];
  if (first.status < 400 || !isReplayOf(soon, first)) {
    throw new Blocked('a repeat is not answered as the first');
  }
  const number = first.at('request_id');
  const isNumbered = soon.at('request_id') === number;
  const words = 'a refused create';
  const late = () => sendCall(t, valid, { key });
  return { words, first, number: isNumbered ? number : undefined, again, late };
}

async function isKept(t: ScenarioContext, write: KeptWrite, when: string): Promise<boolean> {
  const { words, first, number, again } = write;
  const repeat = await again();
  // A refusal that is made again reads as before, except for the number of its own call.
  const same = number === undefined || repeat.at('request_id') === number;
  const kept = isReplayOf(repeat, first) && same;
  const expected = `${words} again after ${when}: the first answer`;
  return t.expect('IDEM-7a', repeat).is(expected, kept, describeAnswer(repeat), first).ok;
}

async function expectForgotten(t: ScenarioContext, write: KeptWrite): Promise<void> {
  const { words, first, again, late } = write;
  const answer = await (late ?? again)();
  const ran = ranAgain(answer, first) && (late === undefined || answer.status < 300);
  const expected = `${words} again 5 s after its key is forgotten: it runs`;
  t.expect('IDEM-7b', answer).is(expected, ran, describeAnswer(answer), first);
}

function ranAgain(answer: Answer, first: Answer): boolean {
  return !isReplayOf(answer, first) && answer.code !== 'idempotency_in_flight';
}

const idemAgeOfASlowAnswer: Scenario = {
  id: 'idem-age-of-a-slow-answer',
  title: 'The record of a slow attempt expires once its answer is old enough, if not before',
  rules: ['IDEM-7b'],
  observes: ['NS-42'],
  needs: ['clock', 'fault'],
  lane: 'own_world',
  async run(t) {
    const call = await validCall(t, 'createAccount');
    const key = t.fresh.key();
    const create = () => sendCall(t, call, { key });
    const held = await suspendRequest(t, 'createAccount', { kind: 'delay', ms: 4_000 }, create);
    await t.operator.advance(4_000);
    const first = await held();
    if (first.status !== 201) throw new Blocked(`a create that was held back: ${first.summary}`);
    // A day and two seconds after the request, two seconds short of one after the answer.
    await t.operator.advance(KEY_KEPT_MS - 2_000);
    const between = isReplayOf(await create(), first);
    t.observe('NS-42', between ? 'from the first answer' : 'from the first request', {
      key_age_from: between ? 'answer' : 'request',
    });
    // Where it ran again just now, that is the attempt whose day began, and this one its repeat.
    await t.operator.advance(between ? 2 * LITTLE_MS : KEY_KEPT_MS + LITTLE_MS);
    const late = await create();
    const ran = between ? ranAgain(late, first) : late.status < 300;
    t.expect('IDEM-7b', late).is('run again', ran, describeAnswer(late), first);
  },
};

/** More keys than a cache of a round size holds. */
const MANY = 1_010;

const idemManyKeys: Scenario = {
  id: 'idem-many-keys',
  title: 'A repeat gets the first answer, however many other keys were used since',
  rules: ['IDEM-4a', 'IDEM-4b'],
  // Depth: so many requests are a burden where time cannot be moved on.
  needs: ['clock'],
  lane: 'own_world',
  async run(t) {
    const call = await validCall(t, 'createAccount');
    const key = t.fresh.key();
    const send = () => sendCall(t, call, { key });
    const first = await t.control('a create', send, 201);
    if (!isReplayOf(await send(), first)) throw new Blocked('not even an early repeat is one');
    // All of one row, which is there already: nothing more is made, and every answer is kept.
    for (let sent = 0; sent < MANY; ) {
      const together = await t.burstSize(MANY - sent);
      await t.sendTogether(together, () => t.api.bulkCreateAccounts([call.body!]));
      sent += together;
      await t.operator.advance(1_000);
    }
    const late = await send();
    const words = `${first.status}, as before ${MANY} other keys`;
    t.expect('IDEM-4a', late).is(words, late.status === first.status, late.summary, first);
    if (late.status === first.status) t.expect('IDEM-4b', late).sameBytesAs(first);
  },
};

const idemBatchLong: Scenario = {
  id: 'idem-batch-long',
  title: 'A batch of a hundred rows is answered again byte for byte, however long the answer',
  rules: ['IDEM-4b'],
  async run(t) {
    const known = await t.given.account();
    const rows = Array.from({ length: 100 }, () => known.body);
    const key = t.fresh.key();
    const send = () => t.api.bulkCreateAccounts(rows, { key });
    const first = await t.control('a batch of a hundred', send, 200);
    const again = await send();
    if (again.status !== 200) throw new Blocked(`a repeat: ${again.summary} (IDEM-4a)`);
    t.expect('IDEM-4b', again).sameBytesAs(first);
  },
};

export const lifetimeScenarios: readonly Scenario[] = [
  trouble(
    'before',
    'A 429, 500 or 503 instead of each write is not kept: the key runs when sent again',
    WRITE_NAMES,
  ),
  trouble(
    'after',
    'A 429, 500 or 503 after the write has run is not kept either: a retry converges',
    ['createAccount', 'bulkCreateAccounts', 'createTransaction'],
  ),
  idemKeptForADay,
  idemAgeOfASlowAnswer,
  idemManyKeys,
  idemBatchLong,
];
