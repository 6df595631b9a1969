// IDEM-14: while an attempt still runs, its key answers 409 idempotency_in_flight, and that for 30
// seconds at least.

import type { Role } from '../../engine/capabilities.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { answerAtOnce, suspendRequest } from '../support/suspend-request.ts';
import { isReplayOf } from './is-replay-of.ts';
import { requireReplays, requireSubjectKept } from './replay-controls.ts';
import { requireOtherSubjectRuns } from './subjects.ts';
import { WRITE_OPERATIONS, type WriteOperation, writeOperations } from './write-commands.ts';

const idemInFlight: Scenario = {
  id: 'idem-in-flight',
  title:
    'A repeat of each write that still runs is 409 idempotency_in_flight; later ones get its answer',
  rules: ['IDEM-14a'],
  needs: ['fault', 'clock', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    let prompt = true;
    for (const each of writeOperations) {
      // Who waits instead of answering need not be waited for nine times.
      if (!prompt) break;
      await t.branch('IDEM-14a', each.words, async () => {
        prompt = await expectInFlight(t, each);
      });
    }
  },
};

/** False where a repeat was not answered while the first ran. */
async function expectInFlight(
  t: ScenarioContext,
  { operation, words, make }: WriteOperation,
): Promise<boolean> {
  const command = await make(t);
  const key = t.fresh.key();
  const held = await suspendRequest(t, operation, { kind: 'delay', ms: 2_000 }, () =>
    command.send(key),
  );
  const early: Answer[] = [];
  for (const answer of [
    await answerAtOnce(t, () => command.send(key)),
    await answerAtOnce(t, () => command.send(key)),
  ]) {
    const expected = `409 idempotency_in_flight at once, while ${words} runs`;
    if (answer === undefined) {
      t.claim('IDEM-14a', expected, false, 'no answer until it was over');
      return false;
    }
    // IDEM-4: who looks up no key of this write cannot find one that still runs.
    if (answer.status < 400) await requireSubjectKept(t, operation);
    t.expect('IDEM-14a', answer).refused(409, 'idempotency_in_flight');
    early.push(answer);
  }
  await t.operator.advance(2_000);
  const first = await held();
  if (first.status >= 300) {
    // Where a repeat was let through it may be why.
    if (early.every((each) => each.status === 409)) {
      throw new Blocked(`control failed: ${words}, held back: ${first.summary}`);
    }
    return true;
  }
  const late = await command.send(key);
  const truth = isReplayOf(late, first);
  if (!truth) await requireReplays(t, operation);
  t.expect('IDEM-14a', late).is('the real answer from now on', truth, describeAnswer(late), first);
  return true;
}

const idemInFlightApart: Scenario = {
  id: 'idem-in-flight-apart',
  title: 'An attempt that still runs holds up its own subject and credential alone',
  rules: ['IDEM-2b', 'IDEM-14a'],
  needs: ['fault', 'clock', 'firm', 'no_amend'],
  lane: 'own_world',
  async run(t) {
    const body = t.newAccount();
    const key = t.fresh.key();
    const create = (of = body, who: Role = t.mainRole) => t.as(who).createAccount(of, { key });
    const held = await suspendRequest(t, 'createAccount', { kind: 'delay', ms: 2_000 }, create);
    const subject = await answerAtOnce(t, () => create(t.newAccount()));
    if (subject === undefined || subject.status >= 300) await requireOtherSubjectRuns(t);
    expectMeanwhile(t, 'IDEM-14a', 'another subject under the key', subject);
    const credential = await answerAtOnce(t, () => create(body, 'no_amend'));
    expectMeanwhile(t, 'IDEM-2b', 'another credential with key and subject', credential);
    await t.operator.advance(2_000);
    await held();
  },
};

function expectMeanwhile(
  t: ScenarioContext,
  rule: 'IDEM-14a' | 'IDEM-2b',
  words: string,
  answer: Answer | undefined,
): void {
  const truth = answer !== undefined && answer.status < 300;
  const actual = answer === undefined ? 'no answer until it was over' : describeAnswer(answer);
  t.claim(rule, `${words} served meanwhile`, truth, actual, ...(answer ? [answer] : []));
}

const idemNotAbandoned: Scenario = {
  id: 'idem-not-abandoned',
  title: 'An attempt that takes 29 seconds, or has hung for as long, is not given up',
  rules: ['IDEM-14b'],
  observes: ['NS-34'],
  needs: ['fault', 'clock'],
  lane: 'own_world',
  async run(t) {
    const quick = await WRITE_OPERATIONS.updateAccount.make(t);
    await t.control('an update that nothing holds back', () => quick.send(t.fresh.key()));
    const slow = await WRITE_OPERATIONS.updateAccount.make(t);
    const [slowKey, hungKey] = [t.fresh.key(), t.fresh.key()];
    const held = await suspendRequest(t, 'updateAccount', { kind: 'delay', ms: 29_500 }, () =>
      slow.send(slowKey),
    );
    const body = t.newAccount();
    const hung = () => t.api.createAccount(body, { key: hungKey });
    await suspendRequest(t, 'createAccount', { kind: 'hang' }, hung);
    for (const send of [() => slow.send(slowKey), hung]) {
      const status = (await answerAtOnce(t, send))?.status;
      // IDEM-14a: who knows nothing of attempts that run cannot give them up either.
      if (status !== 409) throw new Blocked(`a repeat of what still runs is answered ${status}`);
    }
    // Repeats on the way neither put the end off nor bring it on.
    for (const [atS, byMs] of [
      [15, 15_000],
      [29, 14_000],
    ] as const) {
      await t.operator.advance(byMs);
      for (const send of [() => slow.send(slowKey), hung]) {
        const answer = await answerAtOnce(t, send);
        const words = `409 idempotency_in_flight after ${atS} s`;
        const truth = answer?.status === 409;
        const actual = answer === undefined ? 'no answer' : describeAnswer(answer);
        t.claim('IDEM-14b', words, truth, actual, ...(answer === undefined ? [] : [answer]));
      }
    }
    await t.operator.advance(500);
    const late = await held();
    const words = 'served after 29.5 s';
    t.expect('IDEM-14b', late).is(words, late.status < 300, describeAnswer(late));
    await observeAbandonment(t, hung);
  },
};

/** NS-34: looks again ever later, up to an hour, until the key runs anew. */
async function observeAbandonment(t: ScenarioContext, send: () => Promise<Answer>): Promise<void> {
  let lastS = 29.5;
  for (const atS of [31, 46, 61, 121, 301, 601, 1801, 3601]) {
    await t.operator.advance((atS - lastS) * 1000);
    lastS = atS;
    const answer = await answerAtOnce(t, send);
    if (answer === undefined || answer.status === 409) continue;
    const setting = { abandon_after_ms: (atS - 1) * 1000 };
    return t.observe('NS-34', `given up by ${atS - 1} s`, setting);
  }
  t.observe('NS-34', 'still in flight after an hour');
}

export const inFlightScenarios: readonly Scenario[] = [
  idemInFlight,
  idemInFlightApart,
  idemNotAbandoned,
];
