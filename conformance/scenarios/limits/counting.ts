// LIM-9, LIM-11: what is counted: bulk as one request, and each operation as any other.
import { batch, type Call, sendCall, validCall } from '../../cases/calls.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Credential } from '../../providers/target.ts';
import { OPERATIONS, type OperationName } from '../../spec/operations.ts';
import { UNTRIGGERED_CATEGORIES } from '../support/subscription-assertions.ts';
import {
  type Burst,
  clearlyAbove,
  exhaust,
  type Probe,
  probeOf,
  type RepeatableRequest,
  refill,
  sendBurst,
  sightingsOf,
  standsStill,
  truthOf,
} from './measure.ts';
import { about, allowanceOf, shownBy, weighBurst } from './rate-evidence.ts';

const limBulkIsOne: Scenario = {
  id: 'lim-bulk-is-one',
  title: 'A bulk create counts as one request, however many its rows',
  rules: ['LIM-9'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await probeOf(t);
    const half = Math.max(2, Math.round(probe.perSecond * 0.6));
    const plain = await sendBurst(t, probe, half);
    if (plain.limited.length > 0) throw new Blocked(`control failed: ${half} requests at once`);
    await refill(t);
    // Equal rows, so that a thousand of them create one account.
    const row = t.newAccount();
    const rows = Array.from({ length: Math.min(1000, probe.perSecond * 4) }, () => row);
    const client = t.as(probe.credential);
    const bulk = await client.bulkCreateAccounts(rows, { unpaced: true });
    t.expect('LIM-9', bulk).is(`${rows.length} rows served`, bulk.status < 300);
    const { served, limited } = await sendBurst(t, probe, half - 1);
    const expected = `${half - 1} more requests served, as if it had been one`;
    const actual = `${limited.length} of them refused`;
    t.claim('LIM-9', expected, limited.length === 0, actual, bulk, ...served, ...limited);
  },
};

const limReadsAndWrites: Scenario = {
  id: 'lim-reads-and-writes',
  title: 'Reads are metered as writes are, from the same allowance',
  rules: ['LIM-11'],
  observes: ['NS-59'],
  needs: ['bursts', 'plan'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const probe = await probeOf(t);
    const size = clearlyAbove(probe.perSecond);
    const read: RepeatableRequest = (client, options) => client.listWebhooks(options);
    await t.control('a read', () => read(t.as(probe.credential), {}), 200);
    await refill(t);
    const writes = await sendBurst(t, probe, size);
    if (writes.limited.length === 0) throw new Blocked(`no 429 to ${size} writes at once`);
    let turn = 0;
    const either: RepeatableRequest = (client, options) => {
      turn += 1;
      return turn % 2 === 0 ? read(client, options) : probe.request(client, options);
    };
    for (const [words, request] of [
      ['reads', read],
      ['reads and writes by turns', either],
    ] as const) {
      await refill(t);
      await expectAlike(t, words, await sendBurst(t, { ...probe, request }, size), writes, probe);
    }
    await observeMetered(t, probe, size);
  },
};

/** LIM-2 judges how many that are; here it must be as many as of writes. */
async function expectAlike(
  t: ScenarioContext,
  words: string,
  some: Burst,
  writes: Burst,
  probe: Probe,
): Promise<void> {
  const baseline = shownBy(probe.perSecond, writes.sightings);
  const truth = truthOf(weighBurst(baseline, some.sightings));
  if (truth === false) {
    await refill(t);
    const again = await sendBurst(t, probe, clearlyAbove(probe.perSecond));
    if (weighBurst(baseline, again.sightings) === 'broken') {
      const counts = [writes, again].map(({ served }) => served.length);
      throw new Blocked(`${counts[0]} writes at once, then ${counts[1]} (LIM-2)`);
    }
  }
  const expected = `as many ${words} at once as writes: about ${writes.served.length}`;
  t.claim('LIM-11', expected, truth, `${some.served.length} served`, ...some.served.slice(-1));
}

/** NS-59: whether refusals for another reason, and replays, are counted as well. */
async function observeMetered(t: ScenarioContext, probe: Probe, size: number): Promise<void> {
  const [key, body] = [t.fresh.key(), t.newAccount()];
  const kinds: readonly (readonly [string, RepeatableRequest])[] = [
    ['refusals', (client, options) => client.createAccount(t.newAccount({ email: 'x' }), options)],
    ['replays', (client, options) => client.createAccount(body, { ...options, key })],
  ];
  for (const [name, request] of kinds) {
    await refill(t);
    const { limited } = await sendBurst(t, { ...probe, request }, size);
    t.observe('NS-59', `${name} ${limited.length > 0 ? 'count' : 'do not count'}`);
  }
}

const SANDBOX = 5;
const SCOPES = ['accounts:write', 'transactions:write', 'webhooks:manage'];

const limEveryOperation: Scenario = {
  id: 'lim-every-operation',
  title: 'Each operation is metered, from the allowance of all of them',
  rules: ['LIM-11', 'ERR-4'],
  needs: ['bursts', 'mint', 'clock', 'rates', 'trading_account'],
  lane: 'limits',
  provokes: [429],
  async run(t) {
    const { served } = await exhaust(t, await probeOf(t));
    const [least, most] = about(SANDBOX);
    if (served.length < least || served.length > most) {
      throw new Blocked(`${served.length} creates served at once (LIM-2)`);
    }
    for (const [operation, send] of await repeatable(t)) {
      await t.branch(['LIM-11', 'ERR-4'], operation, () => expectMetered(t, operation, send));
    }
  },
};

type Send = (who: Credential) => Promise<Answer>;

/** Requests that are served however often they are sent. */
async function repeatable(t: ScenarioContext): Promise<[OperationName, Send][]> {
  const known = await t.given.account();
  const place = await t.given.place();
  const { id, url } = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
  const calls: Call[] = [
    { operation: 'bulkCreateAccounts', body: batch([known.body]) },
    { operation: 'listAccounts' },
    { operation: 'listTransactions' },
    await validCall(t, 'createTransaction', place),
    await validCall(t, 'approveTransaction', place),
    await validCall(t, 'rejectTransaction', place),
    await validCall(t, 'cancelTransaction', place),
    { operation: 'createWebhook', body: { url, event_categories: [...UNTRIGGERED_CATEGORIES] } },
    { operation: 'listWebhooks' },
    { operation: 'getWebhook', id },
    { operation: 'rotateWebhookSecret', id },
    { operation: 'disableWebhook', id },
  ];
  let tag = known.etag;
  const update: Send = async (who) => {
    const body = { first_name: t.fresh.text() };
    const answer = await t.as(who).updateAccount(known.id, body, { ifMatch: tag });
    tag = answer.headers.get('etag') ?? tag;
    return answer;
  };
  const sends = calls.map((call): [OperationName, Send] => [
    call.operation,
    (who) => sendCall(t, call, { who }),
  ]);
  return [['updateAccount', update], ...sends];
}

async function expectMetered(
  t: ScenarioContext,
  operation: OperationName,
  send: Send,
): Promise<void> {
  const who = await t.operator.mint({ scopes: SCOPES, plan: 'sandbox' });
  const answers: Answer[] = [];
  const isOver = ({ status }: Answer) => status >= 300 && status < 500;
  while (answers.length < clearlyAbove(SANDBOX) && !answers.some(isOver)) {
    answers.push(await send(who));
  }
  const last = answers.at(-1)!;
  // A refusal for another reason (NS-2, NS-4) shows nothing of allowances.
  if (last.status >= 300 && last.status !== 429) return;
  const still = await standsStill(t);
  const served = answers.filter(({ status }) => status < 300).length;
  const expected = `${about(SANDBOX).join(' to ')} of ${operation} served at once`;
  const truth = truthOf(weighBurst(allowanceOf(SANDBOX), sightingsOf(answers, still)));
  t.claim('LIM-11', expected, truth, `${served} served`, last);
  if (last.status !== 429) return;
  // ERR-4: required of the nine writes, advice for the others.
  const numbered = OPERATIONS[operation].keyed ? t.expect('ERR-4', last) : t.advise('ERR-4', last);
  numbered.header('X-Request-Id', 'a value', (value) => value.trim() !== '');
  const other = await t.as(who).createAccount(t.newAccount());
  const words = `429 to a create as well, once ${operation} has used the allowance up`;
  // If its clock runs, allowance may have returned by then.
  const isLimited = other.status === 429 || (still ? false : undefined);
  t.claim('LIM-11', words, isLimited, other.summary, last, other);
}

export const limitCountingScenarios: readonly Scenario[] = [
  limBulkIsOne,
  limReadsAndWrites,
  limEveryOperation,
];
