// IDEM-15: of identical requests that come at the same moment one runs, and the others hear of it.

import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { isReplayOf } from './is-replay-of.ts';
import { requireReplays } from './replay-controls.ts';
import { WRITE_OPERATIONS, type WriteOperationName } from './write-commands.ts';

/**
 * As many as find a gap between looking and writing that is open for a fraction of a millisecond.
 */
const CROWD = 16;

const idemCrowdOfAccounts: Scenario = {
  id: 'idem-crowd-of-accounts',
  title: 'Of identical account writes at once one runs; the others replay it or are 409 in flight',
  rules: ['IDEM-15'],
  run: (t) =>
    playCrowds(t, ['createAccount', 'createAccount', 'updateAccount', 'bulkCreateAccounts']),
};

const idemCrowdOfMoney: Scenario = {
  id: 'idem-crowd-of-money',
  title: 'Of identical transactions and orders at once one runs; the others replay it or are 409',
  rules: ['IDEM-15'],
  needs: ['trading_account'],
  run: (t) =>
    playCrowds(t, ['openPosition', 'createTransaction', 'closePosition', 'rejectTransaction']),
};

/** Rounds on keys of their own: by the second one every connection is open. */
async function playCrowds(
  t: ScenarioContext,
  operations: readonly WriteOperationName[],
): Promise<void> {
  const size = await t.burstSize(CROWD);
  // Where requests cost nothing, a race is run more than once.
  const rounds = size === CROWD ? [...operations, ...operations] : operations;
  for (const operation of rounds) {
    const { words, make } = WRITE_OPERATIONS[operation];
    await t.branch('IDEM-15', `${words}, ${size} times at once`, async () => {
      const command = await make(t);
      const key = t.fresh.key();
      const answers = await t.sendTogether(size, () => command.send(key));
      const one = await expectOneRun(t, operation, answers);
      if (one === undefined || command.reread === undefined) return;
      // What all were told is what there is: nobody ran beside the one.
      const read = await command.reread();
      for (const path of ['id', 'revision', 'status', 'rows.0.id', 'rows.2.id']) {
        const value = one.at(path);
        if (value === undefined) continue;
        if (read.at(path) !== value) await requireReplays(t, operation);
        t.expect('IDEM-15', read.presuming('UPD-1')).field(path, value);
      }
    });
  }
}

/** Every answer is the one answer or says that another still runs; gives the one. */
async function expectOneRun(
  t: ScenarioContext,
  operation: WriteOperationName,
  answers: readonly Answer[],
  early: readonly Answer[] = [],
): Promise<Answer | undefined> {
  const { words } = WRITE_OPERATIONS[operation];
  const told = answers.filter((each) => !saysNothing(t, each));
  // What is refused while the one still runs is told so, in whatever form (IDEM-14a).
  const inFlight = (each: Answer) => isInFlight(each) || early.includes(each);
  const others = told.filter((each) => !inFlight(each));
  const [uncoded] = others.filter(isUncodedConflict);
  const served = others.filter((each) => !isUncodedConflict(each));
  const one = served.find((each) => each.status < 300) ?? served[0];
  const astray = served.filter((each) => one !== undefined && !isReplayOf(each, one));
  const expected = `${words}: one answer to all ${answers.length}, or 409 idempotency_in_flight`;
  const actual = one === undefined ? 'none ran' : [one, ...astray].map(describeAnswer).join(' / ');
  const truth = one !== undefined && astray.length === 0;
  // All that could not be judged is no answer to what ran.
  if (told.length === 0) return undefined;
  if (!truth || uncoded !== undefined) await requireReplays(t, operation);
  t.claim('IDEM-15', expected, truth, actual, ...told);
  // ERR-1a: without a code nobody can tell why it was refused.
  if (uncoded !== undefined) t.expect('IDEM-15', uncoded).refused(409, IN_FLIGHT);
  return truth ? one : undefined;
}

function isInFlight(answer: Answer): boolean {
  return answer.status === 409 && answer.code === IN_FLIGHT;
}

function isUncodedConflict(answer: Answer): boolean {
  return answer.status === 409 && answer.code === undefined;
}

const IN_FLIGHT = 'idempotency_in_flight';

/**
 * Safe to send again, or somebody else's: a 503 write_contention is how a loser may be told too.
 */
function saysNothing(t: ScenarioContext, answer: Answer): boolean {
  return answer.status === 503 || t.findings.unjudgeable(answer) !== undefined;
}

const idemCrowdHeldBack: Scenario = {
  id: 'idem-crowd-held-back',
  title: 'Of identical requests that all come before the first one runs, one runs',
  rules: ['IDEM-15'],
  needs: ['fault', 'clock', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    // Held between looking and writing, a check that is no reservation shows every time.
    for (const operation of ['createAccount', 'openPosition', 'updateAccount'] as const) {
      const { words, make } = WRITE_OPERATIONS[operation];
      await t.branch('IDEM-15', `${words}, held back`, async () => {
        const command = await make(t);
        const key = t.fresh.key();
        const effect = { kind: 'delay', ms: 1_000 };
        const fault = await t.operator.fault({ match: { operation }, effect, times: 6 });
        const answered: Answer[] = [];
        const sent = Array.from({ length: 6 }, () =>
          command.send(key).then((answer) => {
            answered.push(answer);
            return answer;
          }),
        );
        for (const each of sent) each.catch(() => {});
        await t.until(async () => answered.length + (await fault.hits()) >= 6, 2_000);
        const early = answered.filter((each) => each.status >= 400);
        if ((await fault.hits()) === 0) throw new Blocked(`the fault did not meet ${words}`);
        await t.operator.advance(1_000);
        await fault.remove();
        await expectOneRun(t, operation, await Promise.all(sent), early);
      });
    }
  },
};

export const crowdScenarios: readonly Scenario[] = [
  idemCrowdOfAccounts,
  idemCrowdOfMoney,
  idemCrowdHeldBack,
];
