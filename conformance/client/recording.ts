// The recording of one run of a client: its calls, how the command ended, and its sites, where faults
// can be played.
import type { HeaderLine } from '../engine/send/headers.ts';
import { count } from '../reports/verdict-words.ts';
import type { OperationName } from '../spec/operations.ts';
import { isWrite, routeOf, sameButForReferences, sameRequest } from './requests.ts';

/** What happened to a call: which response the client got, and whether the platform ran it. */
export type Fate =
  /** The client got the response of the platform. */
  | 'answered'
  /** The platform ran it; the connection was cut instead of sending the response. */
  | 'answer_lost'
  /** The connection was cut before anything ran. */
  | 'request_lost'
  /** The platform ran it, and no response is ever sent. */
  | 'silent'
  /** The client got a response of the judge; nothing ran. */
  | 'refused';

export interface ApiCall {
  /** From 1, in the order of arrival. */
  readonly n: number;
  /** Since the start of the run, when the whole request had arrived. */
  readonly atMs: number;
  readonly method: string;
  /** As sent: path and query. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  /** The body if it is JSON. */
  readonly json: unknown;
  /** null: not an operation that the judge knows. */
  readonly operation: OperationName | null;
  /** The Idempotency-Key without spaces around it; null without one. */
  readonly key: string | null;
  readonly token: string | null;
  /** `createTransaction#2`: the second intent of the run for that operation. */
  readonly site: string | null;
  readonly fate: Fate;
  /** A description of the fault; null if the call was served normally. */
  readonly fault: string | null;
  readonly response: ApiResponse | null;
  /** When the answer was sent, or the connection was cut by the judge. */
  readonly answeredAtMs: number | null;
  /** When the client closed the connection before it had read an answer. */
  readonly abandonedAtMs: number | null;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

export interface Ending {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** It was still running at its time limit. */
  readonly killed: boolean;
  /** The judge had seen enough, and ended it early. */
  readonly cutShort: boolean;
  readonly durationMs: number;
  /** The end of its output, both streams interleaved. */
  readonly output: string;
}

export interface Recording {
  readonly calls: readonly ApiCall[];
  readonly ending: Ending;
  /** Tokens and secrets that the client was given in this run. */
  readonly secrets: readonly string[];
  /** The longest delay with which this program noticed a call, in milliseconds. */
  readonly lagMs: number;
  /** It has opened the events channel, which is not recorded. */
  readonly followsEvents: boolean;
}

/**
 * The client stopped waiting before it read the response, as happens on a busy machine. Its next
 * calls show nothing about how it handles the response.
 */
export function isUnheard({ fate, abandonedAtMs }: ApiCall): boolean {
  return abandonedAtMs !== null && (fate === 'answered' || fate === 'refused');
}

/** It ended on its own, with success. */
export function succeeded({ ending }: Recording): boolean {
  return ending.code === 0 && !ending.killed && !ending.cutShort;
}

/** `exit code 1`, `killed after 60 s`. */
export function endingWords({ code, signal, killed, durationMs }: Ending): string {
  if (killed) return `was killed after ${Math.round(durationMs / 1000)} s`;
  return code === null ? `ended by ${signal}` : `ended with exit code ${code}`;
}

export function isSuccess(call: Pick<ApiCall, 'response'> | undefined): boolean {
  const status = call?.response?.status ?? 0;
  return status >= 200 && status < 300;
}

/** One intent of the client, as in the first run. */
export interface Site {
  /** `createTransaction#2`. */
  readonly id: string;
  readonly operation: OperationName;
  /** How often it was sent, under how many keys, and with how many different requests. */
  readonly calls: number;
  readonly keys: number;
  readonly requests: number;
  /** How many sites the run has of its operation. */
  readonly of: number;
  /** `the 2nd POST /api/v1/transactions`. */
  readonly words: string;
}

export interface Observation {
  readonly first: Recording;
  /** In order of arrival; only those that the platform accepted. */
  readonly sites: readonly Site[];
  readonly asksForTokens: boolean;
}

export function observe(first: Recording): Observation {
  const ids = new Set(first.calls.flatMap(({ site }) => site ?? []));
  const sites = [...ids].flatMap((id): Site[] => {
    const calls = callsAt(first, id);
    const operation = calls.find(isSuccess)?.operation ?? null;
    if (operation === null) return [];
    // A repeat after a response that was not read does not count as a habit.
    const answered = calls.filter((call) => !isUnheard(call));
    const of = sitesOf(first, operation).length;
    const keys = new Set(calls.map(({ key }) => key)).size;
    const requests = different(calls).length;
    const words = placeOf(id, of);
    return [{ id, operation, calls: Math.max(1, answered.length), keys, requests, of, words }];
  });
  const asksForTokens = first.calls.some(({ operation }) => operation === 'issueToken');
  return { first, sites, asksForTokens };
}

/** One of each request, under any key. */
function different(calls: readonly ApiCall[]): ApiCall[] {
  return calls.filter((call, n) => !calls.slice(0, n).some((each) => sameRequest(each, call)));
}

export function callsAt({ calls }: Pick<Recording, 'calls'>, site: string | undefined): ApiCall[] {
  return calls.filter((call) => call.site === site);
}

/** The sites of one operation in a run. */
export function sitesOf({ calls }: Pick<Recording, 'calls'>, operation: OperationName): string[] {
  const own = calls.filter((call) => call.operation === operation);
  return [...new Set(own.flatMap(({ site }) => site ?? []))];
}

/** More writes of one kind show little more. */
const maxSites = 6;

/** Sites to try one at a time: all of them, or the first and the last of each operation. */
export function chosen(sites: readonly Site[]): readonly Site[] {
  if (sites.length <= maxSites) return sites;
  return sites.filter(({ id, operation }) => {
    const own = sites.filter((each) => each.operation === operation);
    return id === own[0]?.id || id === own.at(-1)?.id;
  });
}

/** The numbers of writes, reads and tokens: a one-line summary of the client. */
export function whatItDoes({ first }: Observation): string {
  const { calls } = first;
  const tokens = calls.filter(({ operation }) => operation === 'issueToken').length;
  const writes = calls.filter(({ operation }) => isWrite(operation)).length;
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

/** What a client did after one of its calls failed. */
export interface FollowUp {
  readonly failed: ApiCall;
  /** The same request under the same key. */
  readonly repeats: readonly ApiCall[];
  /** Another body under the same key, beyond what the first run does. */
  readonly changed: readonly ApiCall[];
  /** The same under another key, beyond what the first run does on purpose. */
  readonly rekeyed: readonly ApiCall[];
  /** The same under a new reference, as if it were another intent. */
  readonly renamed: readonly ApiCall[];
  /** The status of the last repeat; null if there was no answer. */
  readonly last: number | null;
  /** The last repeat succeeded. */
  readonly isServed: boolean;
}

/** null: the fault did not occur. */
export function followUp(
  recording: Recording,
  site: Site | null,
  seen: Observation,
): FollowUp | null {
  if (site === null) return null;
  const calls = callsAt(recording, site.id);
  const failed = calls.find((call) => call.fault !== null);
  if (failed === undefined) return null;
  const later = calls.filter(({ n }) => n > failed.n);
  const sameKey = later.filter(({ key }) => key === failed.key);
  const repeats = sameKey.filter((call) => sameRequest(failed, call));
  const others = later.filter(({ key }) => key !== failed.key);
  const keys = new Set(calls.map(({ key }) => key)).size;
  const isChanged = different(calls).length > site.requests;
  const answered = repeats.at(-1)?.answeredAtMs == null ? undefined : repeats.at(-1);
  return {
    failed,
    repeats,
    changed: isChanged ? sameKey.filter((call) => !sameRequest(failed, call)) : [],
    rekeyed: keys > site.keys ? others : [],
    renamed: repeats.length > 0 ? [] : renamedAfter(recording, failed, seen),
    last: answered?.response?.status ?? null,
    isServed: isSuccess(answered),
  };
}

/** More calls of one operation than in the first run, equal except for their references. */
function renamedAfter(recording: Recording, failed: ApiCall, seen: Observation): ApiCall[] {
  if (failed.operation === null) return [];
  const sites = sitesOf(recording, failed.operation);
  if (sites.length <= sitesOf(seen.first, failed.operation).length) return [];
  const firsts = sites.flatMap((site) => callsAt(recording, site)[0] ?? []);
  return firsts.filter((call) => call.n > failed.n && sameButForReferences(failed, call));
}
