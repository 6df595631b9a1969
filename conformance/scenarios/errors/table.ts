// ERR: the form of refusals, their codes under their statuses, and a number for every answer.

import { problemFormError } from '../../engine/judge/problem-form.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { strongTag } from '../support/account-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { expectProblem } from './expect-problem.ts';
import { errorFaultScenarios } from './faults.ts';
import { errorReadingScenarios } from './unreadable-bodies.ts';

const errTable: Scenario = {
  id: 'err-table',
  title: 'Refusals are problems in one form, each code under its status',
  rules: ['ERR-1a', 'ERR-1b', 'ERR-3'],
  observes: ['NS-13', 'NS-31', 'NS-32'],
  async run(t) {
    const known = await t.given.account();
    const invalid = t.newAccount({ email: t.fresh.text() });
    const refusals = [
      await t.api.createAccount(t.newAccount(), { key: null }),
      await t.api.createAccount(t.newAccount({ email: known.email })),
      await t.api.createAccount(invalid),
      await t.api.bulkCreateAccounts([]),
      await t.api.bulkCreateAccounts(Array.from({ length: 1001 }, () => known.body)),
      await t.api.updateAccount(UNKNOWN_ID, { country: 'NO' }, { ifMatch: '"1"' }),
      await t.api.updateAccount(known.id, { country: 'NO' }, { ifMatch: 'garbage' }),
    ];
    for (const refusal of refusals) expectProblem(t, refusal);
    await expectProblemOfTarget(t);
    await t.branch(['ERR-1a', 'ERR-1b', 'ERR-3'], 'a stale tag', async () => {
      const options = { ifMatch: strongTag(known.answer) };
      const update = () => t.api.updateAccount(known.id, { country: 'SE' }, options);
      await t.control('an update', update, 200);
      expectProblem(t, await t.api.updateAccount(known.id, { country: 'DK' }, options));
    });
    observeEntries(t, refusals);
    await observeUnrouted(t);
  },
};

/** NS-23: status and code are open; but where it answers in JSON, it is in the form of problems. */
async function expectProblemOfTarget(t: ScenarioContext): Promise<void> {
  const body = { url: 'https://127.0.0.1/conformance', event_categories: ['order'] };
  const refusal = await t.api.createWebhook(body);
  const id = refusal.at('id');
  if (refusal.status < 300 && typeof id === 'number') await t.api.disableWebhook(id);
  const json = refusal.status >= 400 && refusal.json !== undefined;
  const amiss = json ? problemFormError(refusal) : undefined;
  const words = 'a refused target as application/problem+json too';
  t.expect('ERR-1a', refusal).is(words, amiss === undefined, amiss);
}

function observeEntries(t: ScenarioContext, refusals: readonly Answer[]): void {
  const entry = refusals.map((each) => each.at('errors.0')).find((each) => each !== undefined);
  if (entry === undefined) {
    t.observe('NS-13', 'no refusal that was seen has any entry');
    return;
  }
  const names = Object.keys(Object(entry)).sort().join(', ');
  const forms = new Map([
    ['field, message', 'field_message'],
    ['detail, pointer', 'pointer_detail'],
  ] as const);
  const form = typeof entry === 'string' ? 'text' : forms.get(names as 'field, message');
  t.observe('NS-13', JSON.stringify(entry), form === undefined ? {} : { error_entry: form });
}

async function observeUnrouted(t: ScenarioContext): Promise<void> {
  const path = await t.api.send({ method: 'GET', path: '/api/v1/conformance-check' });
  const method = await t.api.send({ method: 'DELETE', path: '/api/v1/accounts' });
  t.observe('NS-31', `unknown path: ${path.summary}; unknown method: ${method.summary}`, {
    unknown_method_status: method.status,
  });
  const header = method.headers.get('deprecation') ?? null;
  t.observe('NS-32', header === null ? 'no Deprecation header' : `Deprecation: ${header}`, {
    deprecation_header: header,
  });
}

const errForbidden: Scenario = {
  id: 'err-forbidden',
  title: 'A missing scope and a read-only token are 403 problems with their codes',
  rules: ['ERR-1a', 'ERR-1b', 'ERR-3'],
  needs: ['no_scopes'],
  async run(t) {
    await t.given.account();
    expectProblem(t, await t.as('no_scopes').createAccount(t.newAccount()));
    if (!t.has('read_only')) return;
    const { accountId, tradingAccountId } = await t.credential('read_only');
    const place = { account_id: accountId ?? UNKNOWN_ID, currency: 'USD' };
    const body = t.newTransaction({
      ...place,
      trading_account_id: tradingAccountId ?? UNKNOWN_ID,
    });
    const refused = await t.as('read_only').createTransaction(body);
    // Where the body itself cannot be read, that is refused first.
    expectProblem(t, refused.presuming('CONV-2b'));
  },
};

const errNotImplemented: Scenario = {
  id: 'err-not-implemented',
  title: 'The refusal to approve a payment-provider withdrawal is a 501 problem',
  rules: ['ERR-1a', 'ERR-1b', 'ERR-3'],
  needs: ['provider_trading_account'],
  async run(t) {
    const place = await t.given.providerPlace();
    const over = { amount: '-5.00', method: 'Withdrawal', transaction_type: 'Withdrawal' };
    const pending = await t.given.transaction(place, over);
    expectProblem(t, await t.api.approveTransaction(pending.id, pending.account_id));
    expectProblem(t, await t.api.approveTransaction(UNKNOWN_ID, pending.account_id));
  },
};

const errRequestIds: Scenario = {
  id: 'err-request-ids',
  title: 'Each response of a write carries X-Request-Id, different for every call',
  rules: ['ERR-4'],
  async run(t) {
    const body = t.newAccount();
    const answers = [
      await t.api.createAccount(body),
      await t.api.createAccount(body),
      await t.api.createAccount(t.newAccount({ email: t.fresh.text() })),
      await t.api.createAccount(t.newAccount(), { key: null }),
      await t.api.createAccount({}, { raw: '{' }),
      await t.api.bulkCreateAccounts([body]),
      await t.api.updateAccount(UNKNOWN_ID, { country: 'NO' }, { ifMatch: '"1"' }),
    ];
    const ids: string[] = [];
    for (const answer of answers) {
      const sound = (value: string) => value.trim() !== '' && !ids.includes(value);
      t.expect('ERR-4', answer).header('X-Request-Id', 'a value no other call had', sound);
      // None of these is a replay, so that its body was made by this very call.
      const own = answer.at('request_id') ?? null;
      const alike = own === null || own === answer.headers.get('x-request-id');
      const words = 'the same number in request_id and in X-Request-Id';
      t.advise('ERR-4', answer).is(words, alike, `request_id ${own}`);
      ids.push(answer.headers.get('x-request-id') ?? '');
    }
    // Of the nine writes it is asked; for whoever reads a log it is as good on the others.
    for (const answer of [await t.api.listWebhooks(), await t.api.listAccounts()]) {
      const fresh = (value: string) => value.trim() !== '' && !ids.includes(value);
      t.advise('ERR-4', answer).header('X-Request-Id', 'a value no other call had', fresh);
    }
  },
};

export const errorScenarios: readonly Scenario[] = [
  errTable,
  errForbidden,
  errNotImplemented,
  errRequestIds,
  ...errorReadingScenarios,
  ...errorFaultScenarios,
];
