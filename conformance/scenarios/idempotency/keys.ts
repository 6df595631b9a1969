// IDEM-1: what an Idempotency-Key must be, and that it is checked before the rest of a request.
import { type Call, sendCall, validCall } from '../../cases/calls.ts';
import { observeTwoKeys } from '../../cases/questions.ts';
import { isReplayOf } from '../../engine/judge/replay.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { KEY_REQUIRED } from '../../spec/errors.ts';
import { LONGEST } from '../../spec/literals.ts';
import { OPERATIONS, type WriteName } from '../../spec/operations.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

/** IDEM-1d: other faults of a request, before which the missing key is refused. */
type OtherFault = readonly [WriteName, what: string, Omit<Call, 'operation'>];

const nowhere = { id: UNKNOWN_ID, query: { account_id: UNKNOWN_ID } };
const broken = { raw: '{"client_reference_id": ' };

const OTHER_FAULTS: readonly OtherFault[] = [
  ['createAccount', 'broken JSON', broken],
  ['createAccount', 'no required field', { body: {} }],
  ['createAccount', 'an email without @', { body: { client_reference_id: 'x', email: 'x' } }],
  ['updateAccount', 'an unknown account', { id: UNKNOWN_ID, body: {} }],
  ['updateAccount', 'a stale tag', { id: UNKNOWN_ID, body: {}, ifMatch: '"stale"' }],
  ['bulkCreateAccounts', 'an empty batch', { body: { accounts: [] } }],
  ['createTransaction', 'an id as a number', { body: { account_id: Number(UNKNOWN_ID) } }],
  ['approveTransaction', 'an unknown transaction', nowhere],
  ['rejectTransaction', 'no reason', { ...nowhere, body: {} }],
  ['cancelTransaction', 'an empty reason', { ...nowhere, body: { reason: '' } }],
  ['openPosition', 'broken JSON', broken],
  ['closePosition', 'an id as a number', { body: { trading_account_id: Number(UNKNOWN_ID) } }],
];

function keyRequiredOn(kind: string, ...operations: readonly WriteName[]): Scenario {
  const ofAccounts = kind === 'accounts';
  return {
    id: `idem-key-required-on-${kind}`,
    title: `The writes of ${kind} require a key, and check it before anything else, else 400`,
    rules: ['IDEM-1a', 'IDEM-1d'],
    needs: ofAccounts ? [] : ['trading_account'],
    observes: ofAccounts ? ['NS-58'] : [],
    async run(t) {
      for (const operation of operations) await expectKeyRequired(t, operation);
      if (ofAccounts) await observeTwoKeys(t);
    },
  };
}

/** Without a key the write is refused, and nothing is done: with one it is served as the first. */
async function expectKeyRequired(t: ScenarioContext, operation: WriteName): Promise<void> {
  const call = await validCall(t, operation);
  // An empty value and one of spaces are the same once trimmed; proxies may drop either.
  const lacking = operation === 'createAccount' ? [null, '', '   '] : [null];
  const bare: Answer[] = [];
  for (const key of lacking) bare.push(await sendCall(t, call, { key }));
  const keyed = await sendCall(t, call);
  // Where one was let through, that may be why the keyed one could not be served any more.
  if (keyed.status >= 300 && !bare.some((each) => each.status < 300)) {
    const { words } = OPERATIONS[operation];
    throw new Blocked(`control failed: ${words} with a key: ${keyed.summary}`);
  }
  t.findings.controlled = true;
  const refused = bare.map((each) => t.expect('IDEM-1a', each).refused(...KEY_REQUIRED).ok);
  if (refused.includes(false)) return;
  if (operation === 'createAccount') {
    const isFirst = keyed.status !== 200;
    t.expect('IDEM-1a', keyed).is('201, because what was refused created nothing', isFirst);
  }
  for (const [, what, fault] of OTHER_FAULTS.filter(([name]) => name === operation)) {
    for (const key of lacking) {
      const answer = await sendCall(t, { operation, ...fault }, { key });
      // Without a code it is the refusal of a reader (ERR-2).
      const first = answer.summary === KEY_REQUIRED.join(' ');
      t.expect('IDEM-1d', answer).is(`${KEY_REQUIRED.join(' ')}, although there is ${what}`, first);
    }
  }
}

const idemKeyLength: Scenario = {
  id: 'idem-key-length',
  title: 'A trimmed key has 1 to 255 characters, all of which count',
  rules: ['IDEM-1b'],
  async run(t) {
    const create = (key: string) => t.api.createAccount(t.newAccount(), { key });
    const plain = await t.control('a short key', () => create(t.fresh.key()));
    const longest = t.fresh.text(LONGEST);
    // With a new reference a key of one character is new as well: the subject differs.
    for (const key of ['x', longest, `  ${t.fresh.text(LONGEST)}  `]) {
      t.expect('IDEM-1b', await create(key)).status(plain.status);
    }
    for (const length of [LONGEST + 1, 1000]) {
      t.expect('IDEM-1b', await create(t.fresh.text(length))).refused(...KEY_REQUIRED);
    }
    const [lower, key] = [t.fresh.text(LONGEST), t.fresh.key()];
    // References are the same in any case; of keys that is not specified.
    for (const [how, one, other] of [
      ['the last character', longest, `${longest.slice(0, -1)}z`],
      ['case', lower, lower.toUpperCase()],
      ['a space within it', key, `${key.slice(0, -1)} ${key.slice(-1)}`],
    ] as const) {
      const body = t.newAccount();
      const first = await t.api.createAccount(body, { key: one });
      if (first.status !== 201) continue;
      // Under a key that differs it finds the account by its reference: 200, and not 201 again.
      const answer = await t.api.createAccount(body, { key: other });
      const words = `not the answer under another key, which differs in ${how}`;
      t.expect('IDEM-1b', answer).is(words, !isReplayOf(answer, first), answer.summary, first);
    }
  },
};

export const keyScenarios: readonly Scenario[] = [
  keyRequiredOn('accounts', 'createAccount', 'updateAccount', 'bulkCreateAccounts'),
  keyRequiredOn(
    'transactions',
    ...(['createTransaction', 'approveTransaction'] as const),
    ...(['rejectTransaction', 'cancelTransaction'] as const),
  ),
  keyRequiredOn('positions', 'openPosition', 'closePosition'),
  idemKeyLength,
];
