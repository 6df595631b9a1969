// What lies out of a credential's reach, looked at through every operation on money and positions.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, RequestBody } from '../../engine/send/client.ts';
import type { Place } from '../../providers/target.ts';
import { expectOutOfReach, valuesOf } from '../support/hidden.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

export type ReachRule = 'AUTH-5' | 'AUTH-6' | 'AUTH-7';

/** Where a scenario looks from, and at what: `outsider` must not see what `insider` owns. */
export interface View {
  readonly rule: ReachRule;
  /** A client for the next call of the outsider. */
  readonly outsider: () => Promise<ApiClient>;
  readonly insider: Role;
}

export async function expectTransactionsHidden(
  t: ScenarioContext,
  { rule, outsider, home }: View & { readonly home: Place },
  abroad: Place,
  pending: { id: string; account_id: string },
): Promise<void> {
  const nowhere = { ...abroad, account_id: UNKNOWN_ID, trading_account_id: UNKNOWN_ID };
  const record = (client: ApiClient, place: Place) =>
    client.createTransaction(t.newTransaction(place));
  await t.branch(rule, 'recording a transaction out of reach', async () => {
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => record(client, abroad),
      unknown: (client) => record(client, nowhere),
      own: (client) => record(client, home),
    });
  });
  for (const verb of ['approve', 'reject', 'cancel'] as const) {
    const reason = { reason: 'conformance check' };
    const decide = (client: ApiClient, { id, account_id }: { id: string; account_id: string }) =>
      verb === 'approve'
        ? client.approveTransaction(id, account_id)
        : client[`${verb}Transaction`](id, account_id, reason);
    await t.branch(rule, `to ${verb} a transaction out of reach`, async () => {
      await expectOutOfReach(t, rule, {
        outsider,
        hidden: (client) => decide(client, pending),
        unknown: (client) => decide(client, { id: UNKNOWN_ID, account_id: UNKNOWN_ID }),
        own: async (client) => decide(client, await t.given.transaction(home)),
      });
      // Nor under the name of an account that can be reached.
      const { account_id } = home;
      await expectOutOfReach(t, rule, {
        outsider,
        hidden: (client) => decide(client, { ...pending, account_id }),
        unknown: (client) => decide(client, { id: UNKNOWN_ID, account_id }),
        own: async (client) => decide(client, await t.given.transaction(home)),
      });
    });
  }
}

export async function expectPositionsHidden(
  t: ScenarioContext,
  { rule, outsider, insider, home }: View & { readonly home: Place },
  abroad: Place,
): Promise<void> {
  try {
    const opened = await openPosition(t, await t.given.place());
    const { body: closing } = await closePosition(t, opened);
    const at = (trading_account_id: string) => ({ ...opened.body, trading_account_id });
    const open = (client: ApiClient, id: string) => client.openPosition(at(id));
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => open(client, abroad.trading_account_id),
      unknown: (client) => open(client, UNKNOWN_ID),
      own: (client) => open(client, home.trading_account_id),
    });
    const theirs = await open(t.as(insider), abroad.trading_account_id);
    if (theirs.status >= 300) return;
    const close = (answer: Answer, { trading_account_id }: Place) =>
      closing({ body: at(trading_account_id), answer });
    const body = close(theirs, abroad);
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => client.closePosition(body),
      unknown: (client) => client.closePosition({ ...body, trading_account_id: UNKNOWN_ID }),
      own: async (client) =>
        client.closePosition(close(await open(t.api, home.trading_account_id), home)),
    });
    // A position of others, named on a trading account of one's own.
    const mine = await open(await outsider(), home.trading_account_id);
    if (mine.status >= 300) return;
    const [own, alien] = [close(mine, home), close(theirs, home)];
    const nobodys = Object.entries(own).map(([name, value]) =>
      alien[name] === value ? [name, value] : [name, UNKNOWN_ID],
    );
    await expectOutOfReach(t, rule, {
      outsider,
      hidden: (client) => client.closePosition(alien),
      unknown: (client) => client.closePosition(Object.fromEntries(nobodys) as RequestBody),
      own: (client) => client.closePosition(own),
    });
  } catch (error) {
    // NS-1: no payload that anybody knows; the rest has been looked at.
    if (!(error instanceof MissingCapability)) throw error;
  }
}

/** NS-2: a page that begins with this record, in the form that the simulator takes. */
export function pageFrom(id: string) {
  const after = /^[0-9]+$/.test(id) ? String(BigInt(id) - 1n) : '0';
  return { after, limit: '1' };
}

/** Where there is a list at all, it holds nothing out of reach. */
export function expectNotListed(
  t: ScenarioContext,
  rule: ReachRule,
  list: Answer,
  id: string,
): void {
  if (list.status !== 200) return;
  const ids = [...valuesOf(list.json, 'id'), ...valuesOf(list.json, 'record_id')].map(String);
  t.expect(rule, list).is(`no record ${id} in the list`, !ids.includes(id));
}
