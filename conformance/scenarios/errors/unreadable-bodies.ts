// ERR: bodies that cannot be read, refused in plain text before anything else is looked at.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Unreachable } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { expectReferenceFree } from '../support/account-assertions.ts';
import { BROKEN_JSON } from '../support/unreadable-bodies.ts';

const errUnreadable: Scenario = {
  id: 'err-unreadable',
  title: 'A body that cannot be read is refused in plain text, not as problem+json',
  rules: ['ERR-2'],
  observes: ['NS-14', 'NS-15', 'NS-47'],
  async run(t) {
    const known = await t.given.account();
    const body = t.newAccount();
    const text = JSON.stringify(body);
    const broken = [BROKEN_JSON, text.slice(0, -1), `${text} and more`, 'no JSON at all'];
    const answers: Answer[] = [];
    for (const raw of broken) answers.push(await t.api.createAccount({}, { raw }));
    answers.push(await t.api.bulkCreateAccounts([], { raw: `{"accounts": [${text}}` }));
    const ifMatch = known.answer.headers.get('etag') ?? '"1"';
    answers.push(await t.api.updateAccount(known.id, {}, { ifMatch, raw: '{"country": NO}' }));
    const hook = await t.api.createWebhook({}, { raw: BROKEN_JSON });
    answers.push(hook.presuming('HOOK-1'));
    for (const answer of answers) expectPlainText(t, answer);
    await expectReferenceFree(t, 'ERR-2', body);

    // That a number for an id is refused is CONV-1b's to judge; how, is said here. What of an
    // account that lacks its email is ACC-3's.
    const number = await t.api.createAccount({ ...t.newAccount(), brand_id: 10 });
    const missing = await t.api.createAccount(t.newAccount({ email: undefined }));
    const bulk = { method: 'POST', path: '/api/v1/accounts/bulk' };
    expectPlainText(t, await t.api.send({ ...bulk, key: t.fresh.key(), body: {} }));
    if (number.status >= 400) expectPlainText(t, number);
    if (t.has('trading_account')) {
      const placed = t.newTransaction(await t.given.place(), { currency: undefined });
      expectPlainText(t, await t.api.createTransaction(placed));
      expectPlainText(t, await t.api.createTransaction(placed, { raw: BROKEN_JSON }));
      await expectEachPlain(t);
    }
    await observeReading(t, answers[0]!, missing);
  },
};

/** Whatever takes a body refuses one that cannot be read alike. */
async function expectEachPlain(t: ScenarioContext): Promise<void> {
  const { id, account_id } = await t.given.transaction(await t.given.place());
  const raw = BROKEN_JSON;
  for (const answer of [
    await t.api.rejectTransaction(id, account_id, {}, { raw }),
    await t.api.cancelTransaction(id, account_id, {}, { raw }),
    await t.api.openPosition({}, { raw }),
    await t.api.closePosition({}, { raw }),
  ]) {
    // Whatever this credential may not do may be said before the body is looked at (NS-17).
    if (answer.status !== 403) expectPlainText(t, answer);
  }
}

function expectPlainText(t: ScenarioContext, answer: Answer): void {
  t.expect('ERR-2', answer)
    .refusedInPlainText()
    .is('a message', answer.text.trim() !== '', 'an empty body');
}

async function observeReading(t: ScenarioContext, broken: Answer, missing: Answer): Promise<void> {
  const text = JSON.stringify(t.newAccount());
  const headers = { 'content-type': 'text/plain' };
  const untyped = await t.api.createAccount({}, { raw: text, headers });
  t.observe(
    'NS-14',
    `broken JSON: ${broken.summary}; a member missing: ${missing.summary}; sent as text/plain: ${untyped.summary}`,
    {
      unparsable_status: broken.status,
      unreadable_status: missing.status,
      ...(untyped.status < 400 ? {} : { content_type_status: untyped.status }),
    },
  );
  const twice = JSON.stringify(t.newAccount()).replace('{', '{"first_name":"Twice",');
  const double = await t.api.createAccount({}, { raw: twice });
  const read = double.at('first_name');
  const isFirst = double.status < 300 && read === 'Twice';
  const reading = double.status < 300 ? 'last_wins' : 'refused';
  t.observe(
    'NS-47',
    `a member given twice: ${double.summary} ${read ?? ''}`,
    isFirst ? {} : { duplicate_members: reading },
    isFirst,
  );
  // Spaces are no content: whoever reads so much keeps nothing of it.
  const long = `${JSON.stringify(t.newAccount())}${' '.repeat(1_200_000)}`;
  try {
    const large = await t.api.createAccount({}, { raw: long });
    const refused = large.status === 413 || large.status === 400;
    t.observe('NS-15', `a body of 1.2 MB: ${large.summary}`, {
      ...(refused ? { body_too_large_status: large.status } : { max_body_bytes: 2_000_000 }),
    });
  } catch (error) {
    // Some hang up in the middle of what is too long: that is seen, and nothing else is spoilt.
    if (!(error instanceof Unreachable)) throw error;
    t.observe('NS-15', `a body of 1.2 MB: ${error.message}`);
  }
}

const errCheckOrder: Scenario = {
  id: 'err-check-order',
  title: 'A body that cannot be read is refused in plain text where nothing else comes before it',
  rules: ['ERR-2'],
  observes: ['NS-17'],
  needs: ['no_scopes'],
  async run(t) {
    await t.given.account();
    const broken = { raw: BROKEN_JSON };
    expectPlainText(t, await t.api.createAccount({}, broken));
    const badToken = { authorization: 'Bearer no-such-token' };
    const keyless = await t.api.createAccount(t.newAccount(), { ...badToken, key: null });
    const garbled = await t.api.createAccount({}, { ...badToken, ...broken });
    const denied = await t.as('no_scopes').createAccount({}, broken);
    // Whichever fault is met first is open (NS-17); if it is the body, its form is not.
    const scopeBeforeBody = denied.code === 'forbidden';
    if (!scopeBeforeBody) expectPlainText(t, denied);
    const tokenBeforeBody = garbled.code !== undefined || garbled.status === 401;
    const order = orderOf(keyless.status === 400, tokenBeforeBody, scopeBeforeBody);
    t.observe('NS-17', order.join(', '), { check_order: order });
  },
};

function orderOf(keyFirst: boolean, tokenBeforeBody: boolean, scopeBeforeBody: boolean): string[] {
  const first = keyFirst ? ['key', 'token'] : ['token', 'key'];
  if (!tokenBeforeBody) return ['route', 'key', 'readable', 'token', 'rate', 'replay', 'scope'];
  const after = scopeBeforeBody ? ['scope', 'readable', 'replay'] : ['readable', 'replay', 'scope'];
  return ['route', ...first, 'rate', ...after];
}

export const errorReadingScenarios: readonly Scenario[] = [errUnreadable, errCheckOrder];
