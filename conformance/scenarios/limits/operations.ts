// LIM-11, operation by operation: none of them is free, and no two have an allowance each.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Credential } from '../../providers/target.ts';
import { transactionCommands, webhookCommands } from '../support/commands.ts';
import { about, allowanceOf, weighBurst } from './rate-evidence.ts';
import { requireRateLimits } from './rate-limit-controls.ts';
import { clearlyAbove, sightingsOf, standsStill, truthOf } from './rate-limit-probe.ts';

const SANDBOX = 5;

const SCOPES = ['accounts:write', 'transactions:write', 'webhooks:manage'];

const limEveryOperation: Scenario = {
  id: 'lim-every-operation',
  title: 'Each operation is metered, from the allowance of all of them',
  rules: ['LIM-11', 'ERR-4'],
  // The allowance of the firm, which is set out of the way, would end them all too early.
  presumes: { 'LIM-11': ['LIM-3'] },
  needs: ['bursts', 'mint', 'clock', 'rates', 'trading_account'],
  // Under a clock that stands still nothing comes back between two requests.
  lane: 'limits',
  provokes: [429],
  async run(t) {
    await requireRateLimits(t);
    for (const each of await repeatable(t)) {
      await t.branch(['LIM-11', 'ERR-4'], each.operation, () => expectMetered(t, each));
    }
  },
};

interface Repeatable {
  readonly operation: string;
  /** A request that is served however often it is sent. */
  send(who: Credential): Promise<Answer>;
}

async function repeatable(t: ScenarioContext): Promise<Repeatable[]> {
  const known = await t.given.account();
  let tag = known.etag;
  const update = async (who: Credential) => {
    const body = { first_name: t.fresh.text() };
    const answer = await t.as(who).updateAccount(known.id, body, { ifMatch: tag });
    tag = answer.headers.get('etag') ?? tag;
    return answer;
  };
  const all: Repeatable[] = [
    { operation: 'updateAccount', send: update },
    { operation: 'bulkCreateAccounts', send: (who) => t.as(who).bulkCreateAccounts([known.body]) },
    { operation: 'listAccounts', send: (who) => t.as(who).listAccounts() },
    { operation: 'listTransactions', send: (who) => t.as(who).listTransactions() },
  ];
  const commands = [
    ...transactionCommands(t, await t.given.place()),
    ...(await webhookCommands(t)),
  ];
  for (const { operation, prepare } of commands) {
    const send = await prepare();
    all.push({ operation, send: (who) => send(t.as(who)) });
  }
  return all;
}

async function expectMetered(t: ScenarioContext, { operation, send }: Repeatable): Promise<void> {
  const who = await t.operator.mint({ scopes: SCOPES, plan: 'sandbox' });
  const answers: Answer[] = [];
  while (answers.length < clearlyAbove(SANDBOX) && (answers.at(-1)?.status ?? 200) < 300) {
    answers.push(await send(who));
  }
  const last = answers.at(-1)!;
  // What is refused for another reason (NS-2, NS-4) shows nothing of allowances.
  if (last.status >= 300 && last.status !== 429) return;
  const still = await standsStill(t);
  const served = answers.filter(({ status }) => status < 300).length;
  const expected = `${about(SANDBOX).join(' to ')} of ${operation} served at once`;
  const truth = truthOf(weighBurst(allowanceOf(SANDBOX), sightingsOf(answers, still)));
  t.claim('LIM-11', expected, truth, `${served} served`, last);
  if (last.status !== 429) return;
  // Of the nine writes it is asked, of the others it is advice.
  const asked = !/Webhook|^list/.test(operation);
  const numbered = asked ? t.expect('ERR-4', last) : t.advise('ERR-4', last);
  numbered.header('X-Request-Id', 'a value', (value) => value.trim() !== '');
  // Of all of them: with the allowance gone there is none for a create either.
  const other = await t.as(who).createAccount(t.newAccount());
  const words = `429 to a create as well, once ${operation} has used the allowance up`;
  // Where its clock runs, one more may have come back by then.
  const none = other.status === 429 || (still ? false : undefined);
  t.claim('LIM-11', words, none, other.summary, last, other);
}

export const limitOperationScenarios: readonly Scenario[] = [limEveryOperation];
