// AUTH: each scope grants what its row of the table says, and nothing else.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient } from '../../engine/send/client.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Credential } from '../../providers/target.ts';
import {
  accountCommands,
  type Command,
  everyCommand,
  SERVED,
  webhookCommands,
} from '../support/commands.ts';
import { DelegatedTokens, delegatedPlace } from './delegated-tokens.ts';

const SCOPES = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
] as const;

const authScopeMatrix: Scenario = {
  id: 'auth-scope-matrix',
  title: 'Each scope alone serves its operations; every other scope is refused with 403',
  rules: ['AUTH-4'],
  needs: ['mint', 'trading_account'],
  async run(t) {
    const holders = new Map<string, Credential>();
    for (const scope of SCOPES) holders.set(scope, await t.operator.mint({ scopes: [scope] }));
    const none = await t.operator.mint({ scopes: [] });
    const shown = new Set<Command>();
    const commands = await everyCommand(t);
    for (const command of commands) {
      await t.branch('AUTH-4', command.operation, async () => {
        for (const scope of command.scopes) {
          const send = await command.prepare();
          const served = await send(t.as(holders.get(scope)!));
          // Only a 403 is about scopes; anything else is another rule's.
          if (served.status >= 300 && served.status !== 403) {
            throw new Blocked(
              `control failed: ${command.operation} with ${scope}: ${served.summary}`,
            );
          }
          if (served.status < 300) shown.add(command);
          t.findings.controlled ||= shown.size > 0;
          t.expect('AUTH-4', served).is(`served with ${scope} alone`, served.status < 300);
        }
      });
    }
    const open = await openToAll(t, commands, t.as(none));
    for (const command of commands) {
      if (open.has(command) || !shown.has(command)) continue;
      await t.branch('AUTH-4', command.operation, () => refuse(t, command, holders));
    }
  },
};

/**
 * An operation that forgets its scope altogether is caught by its own rule (ACC-21, TXN-12, …).
 * Only where operations of several rules do is it the scopes that are wrong.
 */
async function openToAll(
  t: ScenarioContext,
  commands: readonly Command[],
  none: ApiClient,
): Promise<ReadonlySet<Command>> {
  const open = new Map<Command, Answer>();
  for (const command of commands) {
    await t.branch('AUTH-4', command.operation, async () => {
      const send = await command.prepare();
      const answer = await send(none);
      if (answer.status < 300) open.set(command, answer);
    });
  }
  const owners = new Set<RuleId>([...open.keys()].map((command) => command.owner));
  if (owners.size > 1) {
    for (const answer of open.values()) t.expect('AUTH-4', answer).refused(403, 'forbidden');
  }
  return new Set(open.keys());
}

async function refuse(
  t: ScenarioContext,
  command: Command,
  holders: ReadonlyMap<string, Credential>,
): Promise<void> {
  const send = await command.prepare();
  for (const [scope, holder] of holders) {
    if (command.scopes.includes(scope)) continue;
    // TXN-12 and TXS-17 say themselves that transactions:amend alone is nothing.
    if (scope === 'transactions:amend' && command.scopes.includes('trader:funds')) continue;
    t.expect('AUTH-4', await send(t.as(holder))).refused(403, 'forbidden');
  }
}

const authScopesOfRoles: Scenario = {
  id: 'auth-scopes-of-roles',
  title: 'transactions:amend alone, and trader scopes, grant nothing on accounts and webhooks',
  rules: ['AUTH-4'],
  needs: ['amend_only', 'delegated'],
  async run(t) {
    const all = [...accountCommands(t), ...(await webhookCommands(t))];
    const open = t.has('no_scopes')
      ? await openToAll(t, all, t.as('no_scopes'))
      : new Set<Command>();
    const commands = all.filter((each) => !open.has(each));
    for (const command of commands) {
      await t.branch('AUTH-4', command.operation, async () => {
        const shown = await command.prepare();
        const key = command.owner === 'HOOK-6' ? {} : { key: t.fresh.key() };
        await t.control(`${command.operation} with its scope`, () => shown(t.api, key), ...SERVED);
        const send = await command.prepare();
        t.expect('AUTH-4', await send(t.as('amend_only'))).refused(403, 'forbidden');
      });
    }
    await t.branch('AUTH-4', 'a trader token', async () => {
      const { account_id } = await delegatedPlace(t, 'delegated');
      const trader = await new DelegatedTokens(t, account_id).next();
      const two = ['createAccount', 'listWebhooks'];
      for (const command of commands.filter((each) => two.includes(each.operation))) {
        const send = await command.prepare();
        t.expect('AUTH-4', await send(trader)).refused(403, 'forbidden');
      }
    });
  },
};

export const scopeScenarios: readonly Scenario[] = [authScopeMatrix, authScopesOfRoles];
