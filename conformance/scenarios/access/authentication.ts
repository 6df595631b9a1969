// AUTH: who calls, and that nothing is done for those who may not.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, CallOptions } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  type Command,
  everyCommand,
  isServedFirst,
  positionCommands,
  transactionCommands,
} from '../support/commands.ts';
import { findReads } from '../support/reads.ts';
import { amendScenarios } from './amend.ts';
import { DelegatedTokens, delegatedPlace, mintDelegated } from './delegated-tokens.ts';
import { permissionScenarios } from './permissions.ts';
import { reachScenarios } from './reach.ts';
import { scopeScenarios } from './scopes.ts';
import { tokenScenarios } from './tokens.ts';

const authToken: Scenario = {
  id: 'auth-token',
  title: 'Without a valid bearer token nothing is done',
  rules: ['AUTH-1'],
  observes: ['NS-16'],
  async run(t) {
    const body = t.newAccount();
    const control = await t.given.account();
    const { token } = await t.credential(t.mainRole);
    const reversed = [...token].reverse().join('');
    const none = await t.api.createAccount(body, { authorization: null });
    expectTurnedAway(t, none);
    t.observe('NS-16', none.summary, {
      unauthorized_status: none.status,
      unauthorized_code: none.code,
    });
    const others = [
      'Bearer',
      `Bearer ${reversed}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${inOtherCase(token)}`,
      `Basic ${token}`,
      token,
    ].filter((each) => each !== `Bearer ${token}`);
    for (const authorization of others) {
      expectTurnedAway(t, await t.api.createAccount(body, { authorization }));
    }
    const made = await t.api.createAccount(body);
    const first = made.status === control.answer.status;
    t.expect('AUTH-1', made).is('201, because nothing was created before', first);
  },
};

const authTokenEverywhere: Scenario = {
  id: 'auth-token-everywhere',
  title: 'No operation is served without a token, nor any read that is found',
  rules: ['AUTH-1'],
  observes: ['NS-2'],
  async run(t) {
    for (const command of await everyCommand(t)) {
      const send = await command.prepare();
      const bare = await send(t.api, { authorization: null });
      const served = await send(t.api);
      // Whatever this credential may not do with its token shows nothing without it.
      if (served.status === 403) continue;
      if (served.status >= 300 && bare.status >= 400) {
        throw new Blocked(`control failed: ${command.operation} with a token: ${served.summary}`);
      }
      expectTurnedAway(t, bare);
      if (bare.status < 400) continue;
      const first = await isServedFirst(t, command, served);
      t.expect('AUTH-1', served).is('served as if for the first time', first);
    }
    await expectReadsClosed(t);
  },
};

/** NS-2: which paths the reads have is open; that nobody is served without a token is not. */
async function expectReadsClosed(t: ScenarioContext): Promise<void> {
  const reads = await findReads(t);
  const paths = reads.map(({ shape }) => shape);
  t.observe('NS-2', `reads served: ${paths.join(', ') || 'none of those that were tried'}`);
  const { token } = await t.credential(t.mainRole);
  for (const { send } of reads) {
    expectTurnedAway(t, await send(t.api, { authorization: null }));
    expectTurnedAway(t, await send(t.api, { authorization: `Bearer ${token}x` }));
  }
}

function inOtherCase(token: string): string {
  return [...token]
    .map((each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
    .join('');
}

/** NS-16: the specification names neither status nor code. */
function expectTurnedAway(t: ScenarioContext, answer: Answer): void {
  const refused = answer.status >= 400 && answer.status < 500;
  t.expect('AUTH-1', answer).is('refused with a 4xx', refused);
}

const authReadOnly: Scenario = {
  id: 'auth-read-only',
  title: 'A token minted read-only gets 403 read_only_credential on writes, which do nothing',
  rules: ['AUTH-2'],
  observes: ['NS-57'],
  needs: ['read_only', 'delegated'],
  async run(t) {
    const place = await delegatedPlace(t, 'read_only');
    const readers = new DelegatedTokens(t, place.account_id, true);
    const traders = new DelegatedTokens(t, place.account_id);
    const commands = [...transactionCommands(t, place), ...(await positionCommands(t, place))];
    for (const command of commands) {
      await t.branch('AUTH-2', command.operation, () => refuseReader(t, command, readers, traders));
    }
    const account = await observeReader(t, readers);
    t.expect('AUTH-2', account.presuming('ACC-21')).is(
      '403 read_only_credential or forbidden',
      account.status === 403 &&
        [undefined, 'read_only_credential', 'forbidden'].includes(account.code),
    );
    if (t.has('mint')) await t.branch('AUTH-2', 'writes of accounts', () => refuseAccounts(t));
  },
};

/** NS-57: it holds no scope for these either, so that either refusal is true. */
async function observeReader(t: ScenarioContext, readers: DelegatedTokens): Promise<Answer> {
  const account = await (await readers.next()).createAccount(t.newAccount());
  t.observe('NS-57', `read-only and without the scope: ${account.summary}`, {
    read_only_before_scope: account.code === 'read_only_credential',
  });
  return account;
}

/** accounts:write is a write scope like the others, where a delegated token may hold it. */
async function refuseAccounts(t: ScenarioContext): Promise<void> {
  const account = await t.given.account();
  const own = { accountId: account.id, scopes: ['accounts:write'] };
  const reader = t.as(await mintDelegated(t, { ...own, readOnly: true }));
  const writer = t.as(await mintDelegated(t, { ...own, readOnly: false }));
  const body = { first_name: t.fresh.text() };
  const writes: ((who: ApiClient) => Promise<Answer>)[] = [
    (who) => who.createAccount(t.newAccount()),
    (who) => who.bulkCreateAccounts([t.newAccount()]),
    (who) => who.updateAccount(account.id, body, { ifMatch: account.etag }),
  ];
  for (const write of writes) {
    const refused = await write(reader);
    const served = await write(writer);
    // Which of these a delegated token is served at all is nowhere said.
    if (served.status >= 300 && refused.status >= 300) continue;
    t.findings.controlled = true;
    t.expect('AUTH-2', refused).refused(403, 'read_only_credential');
  }
}

/** The same request by a token of the same account that is not read-only is served after it. */
async function refuseReader(
  t: ScenarioContext,
  command: Command,
  readers: DelegatedTokens,
  traders: DelegatedTokens,
): Promise<void> {
  const shown = await command.prepare();
  const trader = await traders.next();
  const options: CallOptions = { key: t.fresh.key() };
  await t.control(`${command.operation} by a token that may write`, () => shown(trader, options));
  const send = await command.prepare();
  const refused = await send(await readers.next());
  t.expect('AUTH-2', refused).refused(403, 'read_only_credential');
  const served = await send(await traders.next());
  const first = served.status >= 400 || (await isServedFirst(t, command, served));
  t.expect('AUTH-2', served).is('served as if for the first time', first);
}

export const authenticationScenarios: readonly Scenario[] = [
  authToken,
  authTokenEverywhere,
  authReadOnly,
  ...tokenScenarios,
  ...scopeScenarios,
  ...amendScenarios,
  ...reachScenarios,
  ...permissionScenarios,
];
