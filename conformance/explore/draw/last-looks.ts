// What every sequence ends with: whatever was given is used once more, and all that was made is
// looked at, now and then long afterwards. An answer may say what is not so, or not for long.
import type { CallStep, Step, Value } from '../sequence.ts';
import { withToken } from './access.ts';
import { bulkCall } from './bulk.ts';
import { call, type Drawing, type Members, members } from './idea.ts';
import { closeCall, isOpen } from './positions.ts';
import { rereadAccount, rereadTransaction } from './rereads.ts';
import type { Scene } from './scene.ts';
import { advance } from './time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LATER_MS = [DAY_MS + HOUR_MS, 8 * DAY_MS, 32 * DAY_MS];

/** A batch of more rows than these would be about its size. */
const MOST_ROWS = 60;
/** So many of the tokens are used: of two that exclude each other one does not work. */
const MOST_TOKENS = 3;

/** Steps after which the sequence is over; a grid has looked at its records itself. */
export function lastLooks(d: Drawing, looksItself: boolean): readonly Step[] {
  const { random, scene } = d;
  const { accounts, transactions, places, positions, calls, tokens } = scene;
  const last = <T>(all: readonly T[], count: number) => (count === 0 ? [] : all.slice(-count));
  const seen = looksItself ? 0 : 2;
  const open = positions.filter((each) => each.place.isSeed && isOpen(each, calls));
  const isLater = tokens.length === 0 && d.offers.has('clock') && random.chance(0.25);
  return [
    ...usedTokens(d),
    ...(isLater ? [advance(d, random.pick(LATER_MS))] : []),
    ...last(accounts, seen)
      .filter(() => random.chance(0.6))
      .map((account) => rereadAccount(d, account)),
    ...last(transactions, seen)
      .filter(() => random.chance(0.7))
      .map((transaction) => rereadTransaction(d, transaction)),
    ...rollCall(d),
    ...listed(d),
    // What stays open there may cost somebody money.
    ...open.map((position) => closeCall(d, position)),
    ...(d.offers.has('ledger') && transactions.length > 0
      ? last(places, 2).map(({ tradingAccount }): Step => {
          return { do: 'ledger', n: scene.label(), tradingAccount };
        })
      : []),
  ];
}

/** AUTH-3a: each of them is good, however many came after it or at once with it. */
function usedTokens(d: Drawing): readonly CallStep[] {
  const issued = [...new Set(d.scene.tokens)];
  const some = d.random.shuffled(issued.slice(0, -1)).slice(0, MOST_TOKENS - 1);
  return [...some, ...issued.slice(-1)].map((n) =>
    withToken(d, { $join: ['Bearer ', { $of: n, at: 'access_token' }] }),
  );
}

type Body = { readonly [name: string]: Value | undefined };

/** What names somebody; who is known by it is there, and who was refused for it is not (BULK-3). */
function rowOf(body: Body): Members {
  const { client_reference_id, email, brand_id, phone, phone_region } = body;
  return members({ client_reference_id, email, brand_id, phone, phone_region });
}

/** ACC-5, ACC-7, ACC-8: all that were made, or could not be, in one batch. */
function rollCall(d: Drawing): readonly CallStep[] {
  const rows = new Map(
    d.scene.calls.flatMap((made) => bodiesOf(d, made)).map((row) => [JSON.stringify(row), row]),
  );
  if (rows.size < 2 || !d.disposable || d.random.chance(0.2)) return [];
  return [bulkCall(d, d.main, [...rows.values()].slice(0, MOST_ROWS))];
}

/** The rows that a create, or a batch, is asked for; of a brand that the caller may name. */
function bodiesOf(d: Drawing, { step, status }: Scene['calls'][number]): readonly Members[] {
  const { operation, as, body } = step;
  const isAnswered = status < 300 || status === 409;
  const isOwn = d.main === 'firm' ? as !== 'other_firm' : as === d.main;
  if (!isAnswered || !isOwn || step.raw !== undefined || !isRecord(body)) return [];
  const said = operation === 'createAccount' ? [body] : operation === BULK ? rowsOf(body) : [];
  return said.filter((each) => isNamed(d, each)).map(rowOf);
}

const BULK = 'bulkCreateAccounts';

const isRecord = (value: unknown): value is Body =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function rowsOf({ accounts }: Body): readonly Body[] {
  return Array.isArray(accounts) ? accounts.filter(isRecord) : [];
}

/** NS-33: how a row is answered that lacks something is open; of many alike one batch is enough. */
function isNamed(d: Drawing, { client_reference_id, email, brand_id }: Body): boolean {
  if (client_reference_id === undefined || email === undefined || !isRecord(brand_id)) return false;
  const { $role } = brand_id as { readonly $role?: string };
  return d.main === 'firm' ? $role !== 'other_firm' : $role === d.main;
}

/** HOOK-11. */
function listed(d: Drawing): readonly CallStep[] {
  const { subscriptions, calls } = d.scene;
  const isListed = calls.at(-1)?.step.operation === 'listWebhooks';
  if (subscriptions.length === 0 || isListed || d.random.chance(0.2)) return [];
  return [call(d, { operation: 'listWebhooks', as: d.main })];
}
