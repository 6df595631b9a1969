// IDEM-1: the form of an Idempotency-Key, and that it is checked before the rest of a request; IDEM-2b:
// a key belongs to the credential and not to its token; IDEM-4, IDEM-6, IDEM-7: which answers are not
// recorded under a key at all, and how long the others are.
import { isAvailable, keyedCall, moveOn, validCall } from '../../cases/calls.ts';
import { observeTwoKeys } from '../../cases/questions.ts';
import {
  BROKEN_JSON,
  type Expected,
  type Fault,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import { describeAnswer } from '../../engine/judge/expect.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Call } from '../../engine/send/call.ts';
import type { Story } from '../../engine/types.ts';
import { KEY_REQUIRED } from '../../spec/errors.ts';
import { HOUR_MS, KEY_KEPT_MS, LONGEST, UNKNOWN_ID } from '../../spec/literals.ts';
import { isDecision, OPERATIONS, WRITE_NAMES, type WriteName } from '../../spec/operations.ts';
import { REPLAYS } from '../../spec/presumes.ts';
import { mintDelegated } from '../access/delegated-tokens.ts';
import { suspendRequest } from '../support/clock.ts';
import { anotherToken } from '../support/request-token.ts';

const FUNDS = ['trader:funds'];

/** An empty key and a key of spaces are the same once trimmed; proxies may drop either. */
function under(key: string | null): Fault {
  return () => ({ key });
}

/** Without a code it is a refusal by the parser (ERR-2). */
const keyFirst: Expected = (t, rules, answer) => {
  const words = KEY_REQUIRED.join(' ');
  t.expect(rules, answer).is(`${words}, before any other fault`, answer.summary === words);
};

/** IDEM-1d: a request with another fault; the missing key must be reported first. */
function faulty(operation: WriteName, what: string, rest: Call): RefusalRow {
  const fault: Fault = () => ({ key: null, call: { operation, ...rest } });
  return ['IDEM-1d', operation, `no key and ${what}`, fault, keyFirst];
}

const broken = { raw: BROKEN_JSON };
const nowhere = { id: UNKNOWN_ID, account_id: UNKNOWN_ID };
const idAsNumber = { body: { trading_account_id: Number(UNKNOWN_ID) } };
const noAt = { body: { client_reference_id: 'x', email: 'x' } };

export const idemKeyRequired = refusals({
  title: 'Every write requires a key, and checks it before anything else, else 400',
  observes: ['NS-58'],
  rows: [
    ...WRITE_NAMES.map((name) => ['IDEM-1a', name, 'no key', under(null), KEY_REQUIRED] as const),
    ['IDEM-1a', 'createAccount', 'an empty key', under(''), KEY_REQUIRED],
    ['IDEM-1a', 'createAccount', 'a key of spaces', under('   '), KEY_REQUIRED],
    faulty('createAccount', 'broken JSON', broken),
    faulty('createAccount', 'no required field', { body: {} }),
    faulty('createAccount', 'an email without @', noAt),
    faulty('updateAccount', 'a stale tag', { id: UNKNOWN_ID, body: {}, ifMatch: '"stale"' }),
    faulty('bulkCreateAccounts', 'an empty batch', { body: { accounts: [] } }),
    faulty('createTransaction', 'an id as a number', idAsNumber),
    faulty('approveTransaction', 'an unknown transaction', nowhere),
    faulty('rejectTransaction', 'no reason', { ...nowhere, body: {} }),
    faulty('cancelTransaction', 'an empty reason', { ...nowhere, body: { reason: '' } }),
    faulty('openPosition', 'broken JSON', broken),
    faulty('closePosition', 'an id as a number', idAsNumber),
  ],
  also: observeTwoKeys,
});

/** Characters with a meaning in URLs, headers and SQL. */
const PUNCTUATION = `%41 100% a,b;c=d 'e' "f" /g\\h`;

export const idemKeyLength: Story = {
  title: 'A trimmed key has 1 to 255 characters, all of which count',
  rules: ['IDEM-1b'],
  async run(t) {
    const create = (key: string) => t.create({}, { key });
    const plain = await t.control('createAccount', { body: t.newAccount() });
    const longest = t.fresh.text(LONGEST);
    // With a new reference a key of one character is new as well, because the subject differs.
    for (const key of ['x', longest, `  ${t.fresh.text(LONGEST)}  `, PUNCTUATION]) {
      t.expect('IDEM-1b', await create(key)).status(plain.status);
    }
    for (const length of [LONGEST + 1, 1000]) {
      t.expect('IDEM-1b', await create(t.fresh.text(length))).refused(...KEY_REQUIRED);
    }
    const [lower, key] = [t.fresh.text(LONGEST), t.fresh.key()];
    for (const [how, one, other] of [
      ['the last character', longest, `${longest.slice(0, -1)}z`],
      ['case', lower, lower.toUpperCase()],
      ['a space within it', key, `${key.slice(0, -1)} ${key.slice(-1)}`],
    ] as const) {
      const body = t.newAccount();
      const first = await t.call('createAccount', { body, key: one });
      if (first.status !== 201) continue;
      // Under a different key it finds the account by its reference: 200 instead of another 201.
      const answer = await t.call('createAccount', { body, key: other });
      const words = `not the answer under another key, which differs in ${how}`;
      t.expect('IDEM-1b', answer).is(words, !isReplayOf(answer, first), answer.summary, first);
    }
  },
};

export const idemOtherToken: Story = {
  title: 'A key belongs to the credential and not to its token: a new token repeats as the old one',
  rules: ['IDEM-2b'],
  needs: ['client'],
  async run(t) {
    const credential = await t.credential('client');
    const brand_id = t.brandId('client') ?? t.brandId(t.mainRole);
    const call = { body: t.newAccount({ brand_id }), key: t.fresh.key() };
    // If no way to request tokens is known, the same token sends the repeat.
    const token = async () => (await anotherToken(t, credential)) ?? credential.token;
    const [one, another] = [await token(), await token()];
    // NS-8: if neither is known, there is no token at all.
    if (one === '' || another === '') return t.notTested('IDEM-2b', 'no token was to be had');
    const by = (bearer: string) => {
      return { ...call, as: 'client', authorization: `Bearer ${bearer}` } as const;
    };
    const first = await t.control('createAccount', by(one));
    const repeat = await t.call('createAccount', by(another));
    const replayed = isReplayOf(repeat, first);
    t.expect('IDEM-2b', repeat).is('the first answer', replayed, describeAnswer(repeat), first);
  },
};

export const idemCredentialsAlike: Story = {
  title: 'Two credentials of one brand are two, and so are two delegated tokens of one account',
  rules: ['IDEM-2b'],
  needs: ['mint', 'brand', 'trading_account'],
  async run(t) {
    await t.branch('IDEM-2b', 'two credentials of one brand', async () => {
      const call = { body: t.newAccount({}, 'brand'), key: t.fresh.key() };
      const mint = () => t.operator.mint({ scopes: ['accounts:write'], brand: 'brand' });
      const first = await t.control('createAccount', { ...call, as: await mint() });
      const second = await t.call('createAccount', { ...call, as: await mint() });
      t.expect('IDEM-2b', second).is('run by the other one', !isReplayOf(second, first));
    });
    await t.branch('IDEM-2b', 'two delegated tokens of one account', async () => {
      const place = await t.given.place();
      const minter = await t.operator.mint({ scopes: ['transactions:write', ...FUNDS] });
      const options = { accountId: place.account_id, scopes: FUNDS };
      const mint = () => mintDelegated(t, options, minter);
      const mine = await validCall(t, 'cancelTransaction', place);
      const theirs = await validCall(t, 'cancelTransaction', place);
      const key = t.fresh.key();
      const first = await t.control(mine, { key, as: await mint() });
      const second = await t.call(theirs, { key, as: await mint() });
      const ran = second.isOf(theirs.transaction!.id);
      t.expect('IDEM-2b', second).is('run for its own', ran, describeAnswer(second), first);
    });
  },
};

/** Answers that are not recorded, so that a repeat runs, each with its rule. */
const NOT_KEPT = [
  [429, 'IDEM-6a'],
  [500, 'IDEM-6c'],
  [503, 'IDEM-6b'],
] as const;

export const idemTroubleBefore: Story = {
  title: 'A 429, 500 or 503 instead of each write is not kept: the key runs when sent again',
  rules: NOT_KEPT.map(([, rule]) => rule),
  needs: ['fault', 'trading_account'],
  provokes: [429, 500, 503],
  async run(t) {
    for (const operation of WRITE_NAMES) {
      for (const [status, rule] of NOT_KEPT) {
        const words = `${OPERATIONS[operation].words} again after a ${status}`;
        await t.branch(rule, words, async () => {
          const call = await keyedCall(t, operation);
          const effect = { kind: 'status', status };
          const fault = await t.operator.fault({ match: { operation }, effect, times: 1 });
          const failed = await t.call(call);
          if ((await fault.hits()) !== 1) throw new Blocked('the fault was not met');
          // Twice: a recorded answer returns each time; a temporary 503 does not.
          const again = await t.call(call);
          const last = again.isServed ? again : await t.call(call);
          t.expect(rule, last).is(`${words}: run`, last.isServed, describeAnswer(last), failed);
        });
      }
    }
  },
};

/** A margin before and after a record expires. */
const LITTLE_MS = 5_000;

export const idemKeyLifetime: Story = {
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

type KeptWrite = Awaited<ReturnType<typeof keptWrite>>;

/**
 * A write under its key, and the request that shows whether the key is still kept. A decision that
 * runs again has the same answer as before, so another transaction is used (IDEM-10).
 */
async function keptWrite(t: ScenarioContext, operation: WriteName) {
  const { words } = OPERATIONS[operation];
  const { key, ...call } = await keyedCall(t, operation);
  const first = await t.control(call, { key });
  const next = isDecision(operation) ? await validCall(t, operation, call.place) : call;
  // A second execution must have an answer that differs from the first.
  if (operation === 'updateAccount') await moveOn(t, call, first);
  return { words, first, again: () => t.call(next, { key }) };
}

/** The corrected request gets the old refusal as long as it is recorded (IDEM-11). */
async function keptRefusal(t: ScenarioContext): Promise<KeptWrite> {
  const valid = await keyedCall(t, 'createAccount');
  const first = await t.call({ ...valid, body: { ...valid.body, email: t.fresh.text() } });
  return { words: 'a refused create', first, again: () => t.call(valid) };
}

export const idemAgeOfASlowAnswer: Story = {
  title: 'The record of a slow attempt expires once its answer is old enough, if not before',
  rules: ['IDEM-7b'],
  observes: ['NS-42'],
  needs: ['clock', 'fault'],
  async run(t) {
    const call = await keyedCall(t, 'createAccount');
    const create = () => t.call(call);
    const held = await suspendRequest(t, call, 4_000);
    await t.operator.advance(4_000);
    const first = await held();
    if (first.status !== 201) throw new Blocked(`a create that was held back: ${first.summary}`);
    // IDEM-4a: if a repeat at once gets another answer, a later one shows nothing about its age.
    const soon = await create();
    if (!isReplayOf(soon, first)) {
      throw new Blocked(`a repeat at once: ${soon.summary}`, soon.n, REPLAYS);
    }
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

export const idemManyKeys: Story = {
  title: 'A repeat gets the first answer, however many other keys were used since',
  rules: ['IDEM-4a', 'IDEM-4b'],
  // Extra depth: so many requests are a burden if the clock cannot be moved.
  needs: ['clock'],
  async run(t) {
    const call = await keyedCall(t, 'createAccount');
    const first = await t.control(call);
    // All with one existing row: nothing more is created, and every answer is kept.
    for (let sent = 0; sent < MANY; ) {
      const together = await t.burstSize(MANY - sent);
      await t.sendTogether(together, () => t.call('bulkCreateAccounts', { rows: [call.body!] }));
      sent += together;
      await t.operator.advance(1_000);
    }
    const late = await t.call(call);
    const words = `${first.status}, as before ${MANY} other keys`;
    const isSame = late.status === first.status;
    t.expect('IDEM-4a', late).is(words, isSame, late.summary, first);
    if (isSame) t.expect('IDEM-4b', late).sameBytesAs(first);
  },
};
