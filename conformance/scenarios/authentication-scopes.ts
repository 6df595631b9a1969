// AUTH: each scope grants what its row of the table says, and nothing else.
import type { Answer } from '../engine/answer.ts';
import type { Client } from '../engine/client.ts';
import { Blocked } from '../engine/stop.ts';
import type { Trial } from '../engine/trial.ts';
import type { RuleId, Scenario } from '../engine/types.ts';
import type { Credential } from '../providers/target.ts';
import { type Act, accountActs, everyAct, SERVED, webhookActs } from './acts.ts';
import { Traders, tradersPlace } from './traders.ts';

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
    const shown = new Set<Act>();
    const acts = await everyAct(t);
    for (const act of acts) {
      await t.part('AUTH-4', act.operation, async () => {
        for (const scope of act.scopes) {
          const send = await act.prepare();
          const served = await send(t.as(holders.get(scope)!));
          // Only a 403 is about scopes; anything else is another rule's.
          if (served.status >= 300 && served.status !== 403) {
            throw new Blocked(`control failed: ${act.operation} with ${scope}: ${served.summary}`);
          }
          if (served.status < 300) shown.add(act);
          t.notes.controlled ||= shown.size > 0;
          t.expect('AUTH-4', served).is(`served with ${scope} alone`, served.status < 300);
        }
      });
    }
    const open = await openToAll(t, acts, t.as(none));
    for (const act of acts) {
      if (open.has(act) || !shown.has(act)) continue;
      await t.part('AUTH-4', act.operation, () => refuse(t, act, holders));
    }
  },
};

/**
 * An operation that forgets its scope altogether is caught by its own rule (ACC-21, TXN-12, …).
 * Only where operations of several rules do is it the scopes that are wrong.
 */
async function openToAll(t: Trial, acts: readonly Act[], none: Client): Promise<ReadonlySet<Act>> {
  const open = new Map<Act, Answer>();
  for (const act of acts) {
    await t.part('AUTH-4', act.operation, async () => {
      const send = await act.prepare();
      const answer = await send(none);
      if (answer.status < 300) open.set(act, answer);
    });
  }
  const owners = new Set<RuleId>([...open.keys()].map((act) => act.owner));
  if (owners.size > 1) {
    for (const answer of open.values()) t.expect('AUTH-4', answer).refused(403, 'forbidden');
  }
  return new Set(open.keys());
}

async function refuse(t: Trial, act: Act, holders: ReadonlyMap<string, Credential>): Promise<void> {
  const send = await act.prepare();
  for (const [scope, holder] of holders) {
    if (act.scopes.includes(scope)) continue;
    // TXN-12 and TXS-17 say themselves that transactions:amend alone is nothing.
    if (scope === 'transactions:amend' && act.scopes.includes('trader:funds')) continue;
    t.expect('AUTH-4', await send(t.as(holder))).refused(403, 'forbidden');
  }
}

const authScopesOfRoles: Scenario = {
  id: 'auth-scopes-of-roles',
  title: 'transactions:amend alone, and trader scopes, grant nothing on accounts and webhooks',
  rules: ['AUTH-4'],
  needs: ['amend_only', 'delegated'],
  async run(t) {
    const all = [...accountActs(t), ...(await webhookActs(t))];
    const open = t.has('no_scopes') ? await openToAll(t, all, t.as('no_scopes')) : new Set<Act>();
    const acts = all.filter((each) => !open.has(each));
    for (const act of acts) {
      await t.part('AUTH-4', act.operation, async () => {
        const shown = await act.prepare();
        const key = act.owner === 'HOOK-6' ? {} : { key: t.fresh.key() };
        await t.control(`${act.operation} with its scope`, () => shown(t.api, key), ...SERVED);
        const send = await act.prepare();
        t.expect('AUTH-4', await send(t.as('amend_only'))).refused(403, 'forbidden');
      });
    }
    await t.part('AUTH-4', 'a trader token', async () => {
      const { account_id } = await tradersPlace(t, 'delegated');
      const trader = await new Traders(t, account_id).next();
      const two = ['createAccount', 'listWebhooks'];
      for (const act of acts.filter((each) => two.includes(each.operation))) {
        const send = await act.prepare();
        t.expect('AUTH-4', await send(trader)).refused(403, 'forbidden');
      }
    });
  },
};

export const scopeScenarios: readonly Scenario[] = [authScopeMatrix, authScopesOfRoles];
