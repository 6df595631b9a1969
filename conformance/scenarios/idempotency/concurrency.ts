// IDEM-12, IDEM-14, IDEM-15: concurrent requests. Under one key one request runs, and the others get
// its answer or a 409; under one reference one record is created.
import { isAvailable, keyedCall, readBack, validCall } from '../../cases/calls.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { IN_FLIGHT } from '../../spec/errors.ts';
import { OPERATIONS, WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { immediateAnswer, suspendRequest } from '../support/clock.ts';

/** Enough to hit a gap between check and write of less than a millisecond. */
const CROWD = 16;
const RACED_WRITES: readonly WriteName[] = [
  ...(['createAccount', 'createAccount', 'updateAccount', 'bulkCreateAccounts'] as const),
  ...(['openPosition', 'createTransaction', 'closePosition', 'rejectTransaction'] as const),
];

export const idemCrowdOfWrites: Story = {
  title: 'Of identical writes at once one runs; the others replay it or are 409 in flight',
  rules: ['IDEM-15'],
  async run(t) {
    const size = await t.burstSize(CROWD);
    // If requests cost nothing, the race runs again, with all connections open by then.
    for (const operation of size === CROWD ? [...RACED_WRITES, ...RACED_WRITES] : RACED_WRITES) {
      if (!(await isAvailable(t, operation))) continue;
      const { words } = OPERATIONS[operation];
      await t.branch('IDEM-15', `${words}, ${size} times at once`, async () => {
        const call = await keyedCall(t, operation);
        const answers = await t.sendTogether(size, () => t.call(call));
        const one = expectOneRun(t, words, answers);
        // The record matches the one response: no other request ran.
        const read = one && (await readBack(t, call));
        for (const path of ['id', 'revision', 'status', 'rows.0.id', 'rows.1.id']) {
          const value = one?.at(path);
          if (read && value !== undefined) t.expect('IDEM-15', read).field(path, value);
        }
      });
    }
  },
};

/** Every answer is the same success or says that another request still runs; returns the success. */
function expectOneRun(
  t: ScenarioContext,
  words: string,
  answers: readonly Answer[],
  early: readonly Answer[] = [],
): Answer | undefined {
  // A loser may get a 503 write_contention, which asks for a retry.
  const judged = answers.filter(
    (each) => each.status !== 503 && t.findings.unjudgeable(each) === undefined,
  );
  if (judged.length === 0) return undefined;
  // IDEM-14a judges the form of a refusal while the first request runs.
  const isInFlight = ({ status, code }: Answer) => status === 409 && code === IN_FLIGHT[1];
  const others = judged.filter((each) => !isInFlight(each) && !early.includes(each));
  // ERR-1a: without a code the client does not know why it was refused.
  const isUncoded = ({ status, code }: Answer) => status === 409 && code === undefined;
  const served = others.filter((each) => !isUncoded(each));
  const one = served.find((each) => each.isServed) ?? served[0];
  const different = served.filter((each) => one !== undefined && !isReplayOf(each, one));
  const expected = `${words}: one answer to all ${answers.length}, or ${IN_FLIGHT.join(' ')}`;
  const seen = [one, ...different].map((each) => (each ? describeAnswer(each) : 'none ran'));
  const truth = one !== undefined && different.length === 0;
  t.claim('IDEM-15', expected, truth, seen.join(' / '), ...judged);
  t.findings.controlled ||= one !== undefined;
  const uncoded = others.find(isUncoded);
  if (uncoded !== undefined) t.expect('IDEM-15', uncoded).refused(...IN_FLIGHT);
  return truth ? one : undefined;
}

/** If requests are held between check and write, a check without a reservation always fails. */
export const idemCrowdHeldBack: Story = {
  title: 'Of identical requests that all come before the first one runs, one runs',
  rules: ['IDEM-15'],
  needs: ['fault', 'clock', 'trading_account'],
  async run(t) {
    for (const operation of ['createAccount', 'openPosition', 'updateAccount'] as const) {
      const { words } = OPERATIONS[operation];
      await t.branch('IDEM-15', `${words}, held back`, async () => {
        const call = await keyedCall(t, operation);
        const effect = { kind: 'delay', ms: 1_000 };
        const fault = await t.operator.fault({ match: { operation }, effect, times: 6 });
        const answered: Answer[] = [];
        const sent = Array.from({ length: 6 }, async () => {
          const answer = await t.call(call);
          answered.push(answer);
          return answer;
        });
        for (const each of sent) each.catch(() => {});
        await t.until(async () => answered.length + (await fault.hits()) >= 6, 2_000);
        if ((await fault.hits()) === 0) throw new Blocked(`the fault did not meet ${words}`);
        // IDEM-14a judges refusals before the first request has run.
        const early = answered.filter((each) => each.status >= 400);
        await t.operator.advance(1_000);
        await fault.remove();
        expectOneRun(t, words, await Promise.all(sent), early);
      });
    }
  },
};

export const idemInFlight: Story = {
  title: 'A repeat of a write that still runs is 409 idempotency_in_flight, then gets its answer',
  rules: ['IDEM-14a'],
  needs: ['fault', 'clock', 'trading_account'],
  async run(t) {
    let prompt = true;
    for (const operation of WRITE_NAMES) {
      // If a target waits instead of answering, one such wait is enough.
      if (!prompt) break;
      await t.branch('IDEM-14a', OPERATIONS[operation].words, async () => {
        prompt = await expectInFlight(t, operation);
      });
    }
  },
};

/** False if a repeat was not answered while the first request ran. */
async function expectInFlight(t: ScenarioContext, operation: WriteName): Promise<boolean> {
  const call = await keyedCall(t, operation);
  const send = () => t.call(call);
  const held = await suspendRequest(t, call, 2_000);
  for (const answer of [await immediateAnswer(t, send), await immediateAnswer(t, send)]) {
    if (answer === undefined) {
      const expected = `${IN_FLIGHT.join(' ')} at once, while ${OPERATIONS[operation].words} runs`;
      return t.claim('IDEM-14a', expected, false, 'no answer until it was over');
    }
    t.expect('IDEM-14a', answer).refused(...IN_FLIGHT);
  }
  await t.operator.advance(2_000);
  const first = await held();
  // A repeat that ran may be the reason.
  if (!first.isServed) return true;
  const late = await send();
  const replayed = isReplayOf(late, first);
  t.expect('IDEM-14a', late).is('the real answer from now on', replayed, undefined, first);
  return true;
}

export const idemInFlightApart: Story = {
  title: 'An attempt that still runs holds up its own subject and credential alone',
  rules: ['IDEM-2b', 'IDEM-14a'],
  needs: ['fault', 'clock', 'no_amend'],
  async run(t) {
    const call = await keyedCall(t, 'createAccount');
    const other = { ...(await validCall(t, 'createAccount')), key: call.key };
    const held = await suspendRequest(t, call, 2_000);
    for (const [rule, words, send] of [
      ['IDEM-14a', 'another subject under the key', () => t.call(other)],
      ['IDEM-2b', 'another credential', () => t.call(call, { as: 'no_amend' })],
    ] as const) {
      claimImmediate(t, rule, `${words} served meanwhile`, true, await immediateAnswer(t, send));
    }
    await t.operator.advance(2_000);
    await held();
  },
};

/** Served, or refused as in flight, without waiting for the first request. */
function claimImmediate(
  t: ScenarioContext,
  rule: RuleId,
  words: string,
  isServed: boolean,
  answer: Answer | undefined,
): void {
  const truth = isServed ? answer?.isServed : answer?.status === 409;
  const seen = answer ? describeAnswer(answer) : 'no answer until it was over';
  t.claim(rule, words, truth ?? false, seen, ...(answer ? [answer] : []));
}

export const idemNotAbandoned: Story = {
  title: 'An attempt that takes almost as long as allowed, or hangs that long, is not given up',
  rules: ['IDEM-14b'],
  observes: ['NS-34'],
  needs: ['fault', 'clock'],
  async run(t) {
    const [slow, hung] = [await keyedCall(t, 'updateAccount'), await keyedCall(t, 'createAccount')];
    const held = await suspendRequest(t, slow, 29_500);
    await suspendRequest(t, hung, Number.POSITIVE_INFINITY);
    let lastS = 0;
    // Repeats before the timeout neither delay it nor bring it forward.
    for (const atS of [0, 15, 29]) {
      if (atS > 0) await t.operator.advance((atS - lastS) * 1000);
      lastS = atS;
      for (const call of [slow, hung]) {
        const words = `${IN_FLIGHT.join(' ')} after ${atS} s`;
        const answer = await immediateAnswer(t, () => t.call(call));
        claimImmediate(t, 'IDEM-14b', words, false, answer);
      }
    }
    await t.operator.advance(500);
    t.expect('IDEM-14b', await held()).served('served after 29.5 s');
    await observeAbandonment(t, () => t.call(hung));
  },
};

/** NS-34: checks at growing intervals, up to an hour, until the key runs again. */
async function observeAbandonment(t: ScenarioContext, send: () => Promise<Answer>): Promise<void> {
  let lastS = 29.5;
  for (const atS of [31, 46, 61, 121, 301, 601, 1801, 3601]) {
    await t.operator.advance((atS - lastS) * 1000);
    lastS = atS;
    const answer = await immediateAnswer(t, send);
    if (answer === undefined || answer.status === 409) continue;
    const setting = { abandon_after_ms: (atS - 1) * 1000 };
    return t.observe('NS-34', `given up by ${atS - 1} s`, setting);
  }
  t.observe('NS-34', 'still in flight after an hour');
}

/** Each with its own key: a request that loses the race finds the record of the winner. */
export const idemReferenceInACrowd: Story = {
  title: 'One reference under several keys at the same moment ends as one record',
  rules: ['IDEM-12', 'ACC-5'],
  async run(t) {
    for (const operation of ['createAccount', 'createTransaction'] as const) {
      if (!(await isAvailable(t, operation))) continue;
      const call = await validCall(t, operation);
      const size = await t.burstSize(CROWD);
      const answers = await t.sendTogether(size, () => t.call(call));
      const later = await t.control(call);
      const recordId = t.pick(later, 'id');
      // A 503 write_contention asks the client to retry, and has created nothing.
      const judged = answers.filter((each) => each.status !== 503 && each.source === 'service');
      const others = judged.filter((each) => !each.isOf(recordId));
      const seen = others.map(describeAnswer).join(' / ');
      const words = `the one record ${recordId} in every answer`;
      t.claim('IDEM-12', words, others.length === 0, seen, ...others, later);
      if (operation !== 'createAccount') continue;
      const created = judged.filter((each) => each.status === 201).length;
      t.claim('ACC-5', 'one 201 at most', created <= 1, `${created} times 201`, ...judged);
    }
  },
};
