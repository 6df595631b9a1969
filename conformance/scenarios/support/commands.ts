// Every operation that asks for a scope, as something a credential does: a valid request that can
// be refused any number of times and then be served once.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, CallOptions } from '../../engine/send/client.ts';
import type { RuleId } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { closePosition, openPosition } from './orders.ts';

export type SendCommand = (client: ApiClient, options?: CallOptions) => Promise<Answer>;

export interface Command {
  /** Its name on the control plane. */
  readonly operation: string;
  /** AUTH-4: any one of these is enough. */
  readonly scopes: readonly string[];
  /** The rule that refuses it to a credential without any scope. */
  readonly owner: RuleId;
  /** Makes what the request acts on; the request is then the same each time it is sent. */
  prepare(): Promise<SendCommand>;
  /** Whether an answer looks like that of a request which had not been carried out before. */
  isFirst(answer: Answer): boolean;
}

/** NS-7: a webhook may be disabled without a word. */
export const SERVED = [200, 201, 204] as const;

const served = (answer: Answer) => answer.status < 300;
const created = (answer: Answer) => answer.status === 201;

const ACCOUNTS = { scopes: ['accounts:write'] } as const;
const TRADES = { scopes: ['trades:write', 'trader:trade'], owner: 'POS-1' } as const;
const FUNDS = { scopes: ['transactions:write', 'trader:funds'] } as const;
const HOOKS = { scopes: ['webhooks:manage'], owner: 'HOOK-6', isFirst: served } as const;

/**
 * Whether a request was served as if it had not been carried out before. Where even one that is new
 * does not look so (ACC-1, TXN-1), nothing can be told by it.
 */
export async function isServedFirst(
  t: ScenarioContext,
  command: Command,
  answer: Answer,
): Promise<boolean> {
  if (command.isFirst(answer)) return true;
  const send = await command.prepare();
  return !command.isFirst(await send(t.api));
}

export function accountCommands(t: ScenarioContext): Command[] {
  return [
    {
      ...{ operation: 'createAccount', ...ACCOUNTS, owner: 'ACC-21', isFirst: created },
      prepare: async () => {
        const body = t.newAccount();
        return (client, options) => client.createAccount(body, options);
      },
    },
    {
      // Served twice, it would meet its own new tag: 412.
      ...{ operation: 'updateAccount', ...ACCOUNTS, owner: 'UPD-13', isFirst: served },
      prepare: async () => {
        const account = await t.given.account();
        const body = { first_name: t.fresh.text() };
        return (client, options) =>
          client.updateAccount(account.id, body, { ifMatch: account.etag, ...options });
      },
    },
    {
      ...{ operation: 'bulkCreateAccounts', ...ACCOUNTS, owner: 'BULK-13' },
      isFirst: (answer) => answer.at('rows.0.status') === 201,
      prepare: async () => {
        const rows = [t.newAccount()];
        return (client, options) => client.bulkCreateAccounts(rows, options);
      },
    },
  ];
}

export function transactionCommands(t: ScenarioContext, place: Place): Command[] {
  const decisions = ['approve', 'reject', 'cancel'] as const;
  return [
    {
      ...{ operation: 'createTransaction', ...FUNDS, owner: 'TXN-12', isFirst: created },
      prepare: async () => {
        const body = t.newTransaction(place);
        return (client, options) => client.createTransaction(body, options);
      },
    },
    ...decisions.map((verb): Command => {
      const reason = { reason: 'conformance check' };
      return {
        ...{ operation: `${verb}Transaction`, ...FUNDS, owner: 'TXS-17', isFirst: served },
        prepare: async () => {
          const { id, account_id } = await t.given.transaction(place);
          return (client, options) => {
            if (verb === 'approve') return client.approveTransaction(id, account_id, options);
            return client[`${verb}Transaction`](id, account_id, reason, options);
          };
        },
      };
    }),
  ];
}

/** Empty where the target takes no payload that anybody knows (NS-1). */
export async function positionCommands(t: ScenarioContext, place: Place): Promise<Command[]> {
  try {
    const first = await openPosition(t, place);
    const { body: closing } = await closePosition(t, first);
    return [
      {
        ...{ operation: 'openPosition', ...TRADES, isFirst: served },
        prepare: async () => (client, options) => client.openPosition(first.body, options),
      },
      {
        ...{ operation: 'closePosition', ...TRADES, isFirst: served },
        prepare: async () => {
          const body = closing(await openPosition(t, place));
          return (client, options) => client.closePosition(body, options);
        },
      },
    ];
  } catch (error) {
    if (error instanceof MissingCapability) return [];
    throw error;
  }
}

/** Empty where no subscription can be made: without a receiver only a stranger's url is left. */
export async function webhookCommands(t: ScenarioContext): Promise<Command[]> {
  const to = t.has('receiver') ? await t.receiver() : undefined;
  try {
    return commandsOn(await t.given.webhook(to, ['order']));
  } catch (error) {
    const isAbsent = error instanceof Blocked || error instanceof MissingCapability;
    if (to === undefined && isAbsent) return [];
    throw error;
  }
}

function commandsOn({ id, url }: { id: string; url: string }): Command[] {
  return [
    {
      ...{ operation: 'createWebhook', ...HOOKS },
      prepare: async () => (client, options) =>
        client.createWebhook({ url, event_categories: ['order'] }, options),
    },
    {
      ...{ operation: 'listWebhooks', ...HOOKS },
      prepare: async () => (client, options) => client.listWebhooks(options),
    },
    {
      ...{ operation: 'getWebhook', ...HOOKS },
      prepare: async () => (client, options) => client.getWebhook(id, options),
    },
    {
      ...{ operation: 'rotateWebhookSecret', ...HOOKS },
      prepare: async () => (client, options) => client.rotateWebhookSecret(id, options),
    },
    {
      // Last: it is not disabled before the others had their turn.
      ...{ operation: 'disableWebhook', ...HOOKS },
      prepare: async () => (client, options) => client.disableWebhook(id, options),
    },
  ];
}

/** All that the target lets us do: money and positions want a place to do it at. */
export async function everyCommand(t: ScenarioContext): Promise<Command[]> {
  const commands = accountCommands(t);
  if (t.has('trading_account')) {
    const place = await t.given.place();
    commands.push(...transactionCommands(t, place), ...(await positionCommands(t, place)));
  }
  return [...commands, ...(await webhookCommands(t))];
}
