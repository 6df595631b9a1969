// IDEM-1: what an Idempotency-Key must be, and that it is looked at before the rest of a request.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { isReplayOf } from './is-replay-of.ts';
import { requireReplays } from './replay-controls.ts';
import { WRITE_OPERATIONS, type WriteOperationName } from './write-commands.ts';

const REQUIRED = 'idempotency_key_required';
const NOWHERE = '999999999999';
const BROKEN = '{"client_reference_id": ';

const idemKeyOnAccounts: Scenario = {
  id: 'idem-key-required-on-accounts',
  title: 'The writes of accounts want a key, and look at it before anything else, else 400',
  rules: ['IDEM-1a', 'IDEM-1d'],
  observes: ['NS-58'],
  async run(t) {
    const known = await t.given.account();
    const created = await expectKeyWanted(t, 'createAccount', [
      ['broken JSON', (key) => t.api.createAccount({}, { key, raw: BROKEN })],
      ['no required field', (key) => t.api.createAccount({}, { key })],
      ['a bad email', (key) => t.api.createAccount(t.newAccount({ email: 'x' }), { key })],
    ]);
    if (known.answer.status === 201 && created !== undefined) {
      const words = '201, because what was refused created nothing';
      t.expect('IDEM-1a', created).is(words, created.status !== 200);
    }
    await expectKeyWanted(t, 'updateAccount', [
      ['an unknown account', (key) => t.api.updateAccount(NOWHERE, {}, { key })],
      ['a stale tag', (key) => t.api.updateAccount(known.id, {}, { key, ifMatch: '"stale"' })],
    ]);
    await expectKeyWanted(t, 'bulkCreateAccounts', [
      ['an empty batch', (key) => t.api.bulkCreateAccounts([], { key })],
    ]);
    await observeTwoKeys(t);
  },
};

/** NS-58: of two keys the first may count, both together, or neither. */
export async function observeTwoKeys(t: ScenarioContext): Promise<void> {
  const keys = [t.fresh.key(), t.fresh.key()];
  const body = t.newAccount();
  const made = await t.api.createAccount(body, { headers: { 'idempotency-key': keys } });
  const words = `two Idempotency-Key headers: ${made.summary}`;
  if (made.status >= 300) return t.observe('NS-58', words, { repeated_key: 'refused' });
  const first = await t.api.createAccount(body, { key: keys[0]! });
  // A key of its own finds the account by its reference; the same one gets the first answer again.
  const isFirst = isReplayOf(first, made) && made.status === 201;
  t.observe('NS-58', words, { repeated_key: isFirst ? 'first' : 'joined' });
}

const idemKeyOnTransactions: Scenario = {
  id: 'idem-key-required-on-transactions',
  title: 'The writes of transactions want a key, and look at it before anything else, else 400',
  rules: ['IDEM-1a', 'IDEM-1d'],
  needs: ['trading_account'],
  async run(t) {
    await expectKeyWanted(t, 'createTransaction', [
      ['an id as a number', (key) => t.api.createTransaction({ account_id: 1 }, { key })],
    ]);
    await expectKeyWanted(t, 'approveTransaction', [
      ['an unknown transaction', (key) => t.api.approveTransaction(NOWHERE, NOWHERE, { key })],
    ]);
    await expectKeyWanted(t, 'rejectTransaction', [
      ['no reason', (key) => t.api.rejectTransaction(NOWHERE, NOWHERE, {}, { key })],
    ]);
    await expectKeyWanted(t, 'cancelTransaction', [
      ['no reason', (key) => t.api.cancelTransaction(NOWHERE, NOWHERE, { reason: '' }, { key })],
    ]);
  },
};

const idemKeyOnPositions: Scenario = {
  id: 'idem-key-required-on-positions',
  title: 'Opening and closing a position want a key, and look at it before anything else, else 400',
  rules: ['IDEM-1a', 'IDEM-1d'],
  needs: ['trading_account'],
  async run(t) {
    await expectKeyWanted(t, 'openPosition', [
      ['broken JSON', (key) => t.api.openPosition({}, { key, raw: BROKEN })],
    ]);
    await expectKeyWanted(t, 'closePosition', [
      ['an id as a number', (key) => t.api.closePosition({ trading_account_id: 1 }, { key })],
    ]);
  },
};

type Spoilt = readonly [fault: string, send: (key: string | null) => Promise<Answer>];

/**
 * The write without a key, then with one, which is new to the service still: the answer to that.
 * Then requests with a fault of another kind, to which the missing key comes first (IDEM-1d).
 */
async function expectKeyWanted(
  t: ScenarioContext,
  operation: WriteOperationName,
  spoilt: readonly Spoilt[],
): Promise<Answer | undefined> {
  const { words, make } = WRITE_OPERATIONS[operation];
  const command = await make(t);
  // An empty value and one of spaces are the same once trimmed; proxies may drop either.
  const lacking = operation === 'createAccount' ? [null, '', '   '] : [null];
  const bare: Answer[] = [];
  for (const key of lacking) bare.push(await command.send(key));
  const keyed = await command.send(t.fresh.key());
  // Where one was let through, that may be why the keyed one could not be served any more.
  const through = bare.some((each) => each.status < 300);
  if (keyed.status >= 300 && !through) {
    throw new Blocked(`control failed: ${words} with a key: ${keyed.summary}`);
  }
  t.findings.controlled = true;
  const refused = bare.map((each) => t.expect('IDEM-1a', each).refused(400, REQUIRED));
  if (!refused.every((each) => each.ok)) {
    await t.branch('IDEM-1d', words, async () => {
      throw new Blocked('a key that lacks is not refused in a request without another fault');
    });
    return undefined;
  }
  for (const [fault, send] of spoilt) {
    for (const key of lacking) {
      const answer = await send(key);
      // Without a code it is the refusal of a reader (ERR-2), since one for want of a key has it.
      const first = answer.status === 400 && answer.code === REQUIRED;
      t.expect('IDEM-1d', answer).is(`400 ${REQUIRED}, before a word of ${fault}`, first);
    }
  }
  return keyed;
}

const idemKeyLength: Scenario = {
  id: 'idem-key-length',
  title: 'A trimmed key has 1 to 255 characters, all of which count',
  rules: ['IDEM-1b'],
  async run(t) {
    const create = (key: string, body = t.newAccount()) => t.api.createAccount(body, { key });
    const plain = await t.control('a short key', () => create(t.fresh.key()));
    t.expect('IDEM-1b', await create(anyOneCharacter(t))).status(plain.status);
    const body = t.newAccount();
    const longest = t.fresh.text(255);
    const first = await create(longest, body);
    if (t.expect('IDEM-1b', first).status(plain.status).ok && first.status === 201) {
      // A key that is cut short when it is stored would be taken for the other one here.
      const last = await create(`${longest.slice(0, 254)}z`, body);
      expectApart(t, 'the last character', last, first);
      // References are the same in any case; of keys nothing of the kind is said.
      const cased = await create(longest.toUpperCase(), body);
      expectApart(t, 'case', cased, first);
      const [key, person] = [`${t.fresh.key()}z`, t.newAccount()];
      const made = await create(key, person);
      const parted = await create(`${key.slice(0, -1)} z`, person);
      if (made.status === 201) expectApart(t, 'a space within it', parted, made);
    }
    t.expect('IDEM-1b', await create(t.fresh.text(256))).refused(400, REQUIRED);
    t.expect('IDEM-1b', await create(t.fresh.text(1000))).refused(400, REQUIRED);
  },
};

function expectApart(t: ScenarioContext, how: string, answer: Answer, first: Answer): void {
  const words = `not the answer under another key, which differs in ${how}`;
  const apart = !isReplayOf(answer, first);
  t.expect('IDEM-1b', answer.presuming('ACC-5')).is(words, apart, answer.summary, first);
}

/** Under this reference it is new whoever used the character before: the subject differs. */
function anyOneCharacter(t: ScenarioContext): string {
  return t.fresh.key().at(-1)!;
}

const SPELLINGS: readonly ((key: string) => string)[] = [
  (key) => `  ${key}`,
  (key) => `${key}  `,
  (key) => ` ${key} `,
];

const idemKeySpaces: Scenario = {
  id: 'idem-key-spaces',
  title: 'Spaces around a key are not part of it, and do not count towards its length',
  rules: ['IDEM-1b', 'IDEM-1c'],
  async run(t) {
    const send = (spelt: string, of: RequestBody) => t.api.createAccount(of, { key: spelt });
    const spelt: Answer[] = [];
    for (const spell of SPELLINGS) {
      // A key of its own each, because how often one may be used is another matter (IDEM-4a).
      const [one, who] = [t.fresh.key(), t.newAccount()];
      await t.control('a create without spaces', () => send(one, who), 201);
      spelt.push(await send(spell(one), who));
    }
    if (spelt.some((each) => each.status !== 201)) await requireReplays(t, 'createAccount');
    const trimmed = spelt.map((answer) =>
      // A key of its own would find the account by its reference: 200.
      t.expect('IDEM-1c', answer).is('a replay, 201', answer.status === 201),
    );
    const long = t.fresh.text(255);
    const padded = await send(`  ${long}  `, t.newAccount());
    // Where spaces are not trimmed at all, that is the one thing wrong with it.
    const rule = trimmed.every((each) => each.ok) ? 'IDEM-1b' : 'IDEM-1c';
    t.expect(rule, padded).is('201: 255 characters after trimming', padded.status === 201);
  },
};

export const keyScenarios: readonly Scenario[] = [
  idemKeyOnAccounts,
  idemKeyOnTransactions,
  idemKeyOnPositions,
  idemKeyLength,
  idemKeySpaces,
];
