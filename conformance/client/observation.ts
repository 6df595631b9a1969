// What the first run shows of a client: the places where something can go wrong.

import type { OperationName } from '../engine/operations.ts';
import { type ApiCall, isUnheard, type Recording, succeeded } from './call.ts';
import { sameRequest } from './intents.ts';
import { isWrite, routeOf } from './operations.ts';

/** One intent of the client. */
export interface Site {
  /** `createTransaction#2`. */
  readonly id: string;
  readonly operation: OperationName;
  /** How often it was sent, and under how many keys: twice where that is what is shown. */
  readonly calls: number;
  readonly keys: number;
  /** How many different requests came under them: more than one where a key stands for more. */
  readonly requests: number;
  /** How many sites the run has shown of its operation. */
  readonly of: number;
  /** `the 2nd POST /api/v1/transactions`. */
  readonly words: string;
}

export interface Observation {
  readonly first: Recording;
  /** In the order in which they came; those that the platform accepted. */
  readonly sites: readonly Site[];
  readonly asksForTokens: boolean;
}

export function observe(first: Recording): Observation {
  const bySite = new Map<string, ApiCall[]>();
  const counts = new Map<string, number>();
  for (const call of first.calls) {
    if (call.site === null) continue;
    const known = bySite.get(call.site);
    if (known === undefined) {
      bySite.set(call.site, [call]);
      counts.set(`${call.operation}`, (counts.get(`${call.operation}`) ?? 0) + 1);
    } else known.push(call);
  }
  const sites = [...bySite].flatMap(([id, calls]) => {
    const accepted = calls.find(({ response }) => isSuccess(response?.status ?? null));
    const operation = accepted?.operation ?? null;
    if (operation === null) return [];
    // A repeat after an unread response is no habit.
    const heard = calls.filter((call) => !isUnheard(call));
    const keys = new Set(calls.map(({ key }) => key)).size;
    const count = Math.max(1, heard.length);
    const requests = different(calls).length;
    const of = counts.get(operation) ?? 1;
    return [{ id, operation, calls: count, keys, requests, of, words: placeOf(id, of) }];
  });
  const asksForTokens = first.calls.some(({ operation }) => operation === 'issueToken');
  return { first, sites, asksForTokens };
}

/** One of each request, whatever its key. */
export function different(calls: readonly ApiCall[]): ApiCall[] {
  return calls.filter((call, n) => !calls.slice(0, n).some((each) => sameRequest(each, call)));
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

export function callsAt({ calls }: Pick<Recording, 'calls'>, site: string): ApiCall[] {
  return calls.filter((call) => call.site === site);
}

/** The sites that a run has shown of one operation. */
export function sitesOf({ calls }: Pick<Recording, 'calls'>, operation: OperationName): string[] {
  const own = calls.filter((call) => call.operation === operation);
  return [...new Set(own.flatMap(({ site }) => site ?? []))];
}

/** More writes of one kind show little that is new. */
const mostSites = 6;

/** Sites to try one at a time: all, or the first and the last of each operation. */
export function chosen(sites: readonly Site[]): readonly Site[] {
  if (sites.length <= mostSites) return sites;
  return sites.filter(({ id, operation }) => {
    const own = sites.filter((each) => each.operation === operation);
    return id === own[0]?.id || id === own.at(-1)?.id;
  });
}

/** How many writes, reads and tokens: what a client does, in one line. */
export function whatItDoes({ first }: Observation): string {
  const { calls } = first;
  const of = (test: (call: ApiCall) => boolean) => calls.filter(test).length;
  const tokens = of(({ operation }) => operation === 'issueToken');
  const writes = of(({ operation }) => isWrite(operation));
  const rest = calls.length - tokens - writes;
  const parts = [count(writes, 'write'), count(rest, 'other call'), count(tokens, 'token request')];
  const how = succeeded(first) ? 'it succeeded' : 'it failed';
  return `${parts.join(', ')}; ${how} in ${(first.ending.durationMs / 1000).toFixed(1)} s`;
}

function placeOf(id: string, of: number): string {
  const [operation, n] = id.split('#') as [OperationName, string];
  const route = routeOf(operation);
  return of === 1 ? route : `the ${ordinal(Number(n))} ${route}`;
}

function ordinal(n: number): string {
  const ending = n % 100 > 10 && n % 100 < 14 ? undefined : ['st', 'nd', 'rd'][(n % 10) - 1];
  return `${n}${ending ?? 'th'}`;
}

function count(many: number, one: string): string {
  return `${many} ${one}${many === 1 ? '' : 's'}`;
}
