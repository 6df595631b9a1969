// IDEM-4, IDEM-7: how long the key of each write is kept, and however many come after it.

import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { isReplayOf } from './is-replay-of.ts';
import { expectKept, HOUR_MS, LITTLE_MS, REPLAYS_AND_RUNS, ranAgain } from './retention.ts';
import { madeIfKnown, writeOperations } from './write-commands.ts';

interface KeptWrite {
  readonly words: string;
  readonly send: (key?: string) => Promise<Answer>;
  /** The request by which it shows whether its record is there still. */
  readonly again: () => Promise<Answer>;
  readonly first: Answer;
}

const DECISIONS = /^(approve|reject|cancel)Transaction$/;

const idemEveryWriteKeptForADay: Scenario = {
  id: 'idem-every-write-kept-for-a-day',
  title: 'The key of each write replays just before 24 hours are over, and runs again just after',
  rules: ['IDEM-7a', 'IDEM-7b'],
  presumes: REPLAYS_AND_RUNS,
  needs: ['clock', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    const kept: KeptWrite[] = [];
    for (const { operation, words, make } of writeOperations) {
      await t.branch(['IDEM-7a', 'IDEM-7b'], words, async () => {
        const command = await madeIfKnown(t, make);
        if (command === undefined) return;
        const own = t.fresh.key();
        const send = (key = own) => command.send(key);
        const first = await t.control(words, send);
        if (!isReplayOf(await send(), first)) return;
        // A decision that runs again reads like the first: another transaction tells (IDEM-10).
        const disguised = () => command.disguised?.(own) ?? send();
        const tells = DECISIONS.test(operation) && isReplayOf(await disguised(), first);
        kept.push({ words, send, first, again: tells ? disguised : send });
      });
    }
    if (kept.length === 0) throw new Blocked('no repeat is answered as the first');
    await t.operator.advance(24 * HOUR_MS - LITTLE_MS);
    const whole = [];
    for (const each of kept) {
      const words = `after 24 hours less 5 s, of ${each.words}`;
      if (expectKept(t, words, await each.again(), each.first)) whole.push(each);
    }
    await t.operator.advance(2 * LITTLE_MS);
    for (const { words, send, first, again } of whole) {
      const late = await again();
      // What runs again and reads like the first answer cannot be told from it.
      if (isReplayOf(late, first) && isReplayOf(await send(t.fresh.key()), first)) continue;
      const expected = `${words} run again after 24 hours and 5 s`;
      t.expect('IDEM-7b', late).is(expected, ranAgain(late, first), undefined, first);
    }
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
    const body = t.newAccount();
    const key = t.fresh.key();
    const first = await t.control('a create', () => t.api.createAccount(body, { key }), 201);
    const soon = await t.api.createAccount(body, { key });
    if (!isReplayOf(soon, first)) throw new Blocked('not even an early repeat is one (IDEM-4a)');
    // All of one row, which is there already: nothing more is made, and every answer is kept.
    const known = [{ ...body }];
    for (let sent = 0; sent < MANY; ) {
      const together = await t.burstSize(MANY - sent);
      await t.sendTogether(together, () => t.api.bulkCreateAccounts(known));
      sent += together;
      await t.operator.advance(1_000);
    }
    const late = await t.api.createAccount(body, { key });
    const words = `${first.status}, as before ${MANY} other keys`;
    t.expect('IDEM-4a', late).is(words, late.status === first.status, late.summary, first);
    if (late.status === first.status) t.expect('IDEM-4b', late).sameBytesAs(first);
  },
};

export const keptScenarios: readonly Scenario[] = [idemEveryWriteKeptForADay, idemManyKeys];
