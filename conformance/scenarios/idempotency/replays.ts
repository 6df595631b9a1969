// IDEM: a repeat of each of the nine writes gets the first answer, byte for byte, and does nothing.

import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { type Answer, memberAt } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { expectOwnRequestIds, isReplayOf, sameMembers } from './is-replay-of.ts';
import { requireReplays } from './replay-controls.ts';
import {
  type WriteCommand,
  type WriteOperation,
  type WriteOperationName,
  writeOperations,
} from './write-commands.ts';

function replayOf({ operation, words, needs, make }: WriteOperation): Scenario {
  const altersBody = !['bulkCreateAccounts', 'approveTransaction'].includes(operation);
  const isAccount = operation === 'createAccount' || operation === 'updateAccount';
  const tagged: RuleId[] = isAccount ? ['ACC-19'] : [];
  const rules: RuleId[] = ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-5', ...tagged];
  return {
    id: `idem-replay-${operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title: `A repeat of ${words} gets the first answer, byte for byte, and does nothing`,
    rules: altersBody ? [...rules, 'IDEM-8'] : rules,
    observes: isAccount ? ['NS-29'] : [],
    needs,
    async run(t) {
      const command = await make(t);
      const key = t.fresh.key();
      const first = await t.control(words, () => command.send(key));
      // IDEM-4b: what the record has become since is no part of the first answer.
      await command.changeRecord?.(first);
      const before = await command.reread?.();
      // Twice, because a record that is used up by its first repeat is not kept for 24 hours.
      const repeats = [await command.send(key), await command.send(key)] as const;
      for (const repeat of repeats) await expectRepeat(t, first, repeat);
      await expectOwnRequestIds(t, first, repeats);
      if (before !== undefined) expectNothingMoved(t, before, await command.reread!());
      if (altersBody) await expectBodyIgnored(t, { operation, command }, key, repeats);
      if (isAccount) expectTag(t, first, repeats[0]);
    },
  };
}

/** The status, the record that the answer names, and then the bytes. */
async function expectRepeat(t: ScenarioContext, first: Answer, repeat: Answer): Promise<void> {
  t.expect('IDEM-4a', repeat).is(
    `${first.status}, as in exchange ${first.n}`,
    repeat.status === first.status,
    repeat.summary,
    first,
  );
  // An answer of another status is another answer: its bytes say nothing more.
  if (repeat.status !== first.status) {
    return await t.branch(['IDEM-4b', 'IDEM-4c'], 'a repeat of the same status', async () => {
      throw new Blocked(`${repeat.status} in place of ${first.status}`);
    });
  }
  const [named, before] = [recordsIn(repeat), recordsIn(first)];
  t.expect('IDEM-4c', repeat).is(
    `nothing made a second time: id ${before}`,
    named === '' || named === before,
    `id ${named}`,
    first,
  );
  t.expect('IDEM-4b', repeat).sameBytesAs(first);
}

/**
 * Ids of the records that an answer is about; empty when it names none. Rows that read 200 where
 * they read 201 were run again, but nothing came of it: that is for the bytes to show.
 */
function recordsIn(answer: Answer): string {
  const rows = answer.at('rows');
  const ids = Array.isArray(rows) ? rows.map((each) => memberAt(each, 'id')) : [answer.at('id')];
  return ids.filter((id) => id !== undefined).join(', ');
}

/** Approval may be followed by settlement at any time (NS-3), which is no repeat's doing. */
function expectNothingMoved(t: ScenarioContext, before: Answer, after: Answer): void {
  const settled = before.at('status') === 'approved' && after.at('status') === 'settled';
  t.expect('IDEM-4c', after).is(
    'the record as it was before the repeats',
    settled || sameMembers(after, before),
    `${describeAnswer(after)} after ${describeAnswer(before)}`,
    before,
  );
}

async function expectBodyIgnored(
  t: ScenarioContext,
  {
    operation,
    command,
  }: { readonly operation: WriteOperationName; readonly command: WriteCommand },
  key: string,
  [repeat, last]: readonly [Answer, Answer],
): Promise<void> {
  await t.branch('IDEM-8', 'another body under the same key and subject', async () => {
    if (!isReplayOf(last, repeat)) throw new Blocked('identical repeats do not agree');
    for (const send of command.altered) {
      const altered = await send(key);
      const truth = isReplayOf(altered, repeat);
      if (!truth) {
        await requireReplays(t, operation);
        await requireKeyKept(t, { command, key, altered, repeat });
      }
      // POS-2 says the same of positions.
      const ofPosition = operation === 'openPosition' || operation === 'closePosition';
      t.expect('IDEM-8', ofPosition ? altered.presuming('POS-2') : altered).is(
        `what the first body was answered: ${describeAnswer(repeat)}`,
        truth,
        describeAnswer(altered),
        repeat,
      );
    }
  });
}

/**
 * A key whose first body gets the altered answer as well knew neither of them: it was forgotten
 * between two calls, and no body was compared.
 */
async function requireKeyKept(
  t: ScenarioContext,
  sent: {
    readonly command: WriteCommand;
    readonly key: string;
    readonly altered: Answer;
    readonly repeat: Answer;
  },
): Promise<void> {
  const again = await sent.command.send(sent.key);
  if (!isReplayOf(again, sent.altered)) return;
  t.expect('IDEM-4a', again).is(
    `the first answer, as in exchange ${sent.repeat.n}`,
    false,
    `what exchange ${sent.altered.n} was answered`,
    sent.repeat,
  );
  throw new Blocked('the key was forgotten before its other body came');
}

/** ACC-19, NS-29: a tag comes with every account, and here it is that of the first answer. */
function expectTag(t: ScenarioContext, first: Answer, repeat: Answer): void {
  const tag = first.headers.get('etag');
  // Whether the first has one is judged where accounts are made and updated.
  if (tag === undefined || repeat.status !== first.status) return;
  const seen = repeat.headers.get('etag');
  t.expect('ACC-19', repeat).is(
    'an ETag, as on the first answer',
    seen !== undefined,
    'no ETag',
    first,
  );
  if (seen !== undefined) {
    t.observe('NS-29', seen === tag ? 'the ETag of the first answer' : `another ETag: ${seen}`);
  }
}

const idemReplayOfFoundAccount: Scenario = {
  id: 'idem-replay-of-found-account',
  title: 'The 200 for a reference that is known is kept under its key as a 201 is',
  rules: ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-5'],
  async run(t) {
    const known = await t.given.account();
    await expectFoundKept(
      t,
      (key) => t.api.createAccount(known.body, { key }),
      () => t.api.updateAccount(known.id, { first_name: 'Overtaken' }, { ifMatch: known.etag }),
    );
  },
};

const idemReplayOfFoundTransaction: Scenario = {
  id: 'idem-replay-of-found-transaction',
  title: 'The 200 for a transaction that is known is kept under its key as a 201 is',
  rules: ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-5'],
  needs: ['trading_account'],
  async run(t) {
    const known = await t.given.transaction(await t.given.place());
    await expectFoundKept(
      t,
      (key) => t.api.createTransaction(known.body, { key }),
      () => t.api.rejectTransaction(known.id, known.account_id),
    );
  },
};

/** Found anew, the record would read as it does now, and not as it did. */
async function expectFoundKept(
  t: ScenarioContext,
  find: (key: string) => Promise<Answer>,
  move: () => Promise<Answer>,
): Promise<void> {
  const key = t.fresh.key();
  const words = 'a create by a known reference';
  // ACC-5, TXN-2: with which status it is found is judged there.
  const first = await t.control(words, () => find(key));
  await move();
  const repeat = await find(key);
  await expectRepeat(t, first, repeat);
  await expectOwnRequestIds(t, first, [repeat]);
}

export const replayScenarios: readonly Scenario[] = [
  ...writeOperations.map(replayOf),
  idemReplayOfFoundAccount,
  idemReplayOfFoundTransaction,
];
