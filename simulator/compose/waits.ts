// Waits for tests in the same process: what matches, and what to report if nothing did.
import { type OperationName, operationNames } from '../../fixtures/operations.ts';
import {
  object,
  oneOf,
  orNull,
  type Schema,
  type ValueOf,
  whole,
} from '../../fixtures/schemas/kit.ts';
import { validate } from '../../fixtures/schemas/validate.ts';
import { entriesAfter, type RequestShown, viewRequest } from '../control/journal.ts';
import { findEntry, type IdempotencyOutcome, idempotencyOutcomes } from '../core/journal.ts';
import { nextTimer } from '../core/step.ts';
import type { TimerKind } from '../core/world.ts';
import type { WorldHost } from '../host/world/world-host.ts';

const longestWaitMs = 2 ** 31 - 1;

const waitSchema = object('Options of a wait.', {
  'count?': whole('How many must match.', 1, 1e6),
  'timeoutMs?': whole('How long to wait in real time.', 0, longestWaitMs),
});

const quietSchema = object('Options of expectNone.', {
  'withinMs?': whole('How long to watch in real time.', 0, longestWaitMs),
});

/** Defaults: `count` 1, `timeoutMs` 1000 (real time). */
export type WaitOptions = ValueOf<typeof waitSchema>;
/** Default: `withinMs` 100 (real time). */
export type QuietOptions = ValueOf<typeof quietSchema>;

/** Members that must be equal, or a function that decides. */
type Match<Item, Members> = Members | ((item: Item) => boolean);

/** Where items come from, and how they are compared and shown. */
export interface Source<Item> {
  /** Singular and plural, such as `request`, `requests`. */
  readonly nouns: readonly [string, string];
  readonly items: () => readonly Item[];
  /** The members that a match may name. */
  readonly schema: () => Schema;
  /** The members that a match is compared with. */
  readonly members: (item: Item) => Readonly<Record<string, unknown>>;
  /** A one-line description of an item. */
  readonly describe: (item: Item) => string;
  /** The subscription that the items come from, if they are deliveries. */
  readonly subscription?: number;
  /** Calls `look` when there may be more; returns how to stop. */
  readonly listen: (look: () => void) => () => void;
}

export const closedMessage = 'the sandbox is closed';

/** Throws a TypeError that names the first invalid part of an argument. */
export function checkArgument(schema: Schema, value: unknown, name: string): void {
  const [problem] = validate(schema, value, name);
  if (problem !== undefined) throw new TypeError(`${problem.field} ${problem.message}`);
}

export interface Waits<Item, Members> {
  /**
   * Resolves to the matching items as soon as there are enough of them, including earlier ones.
   * Takes members or a function. Throws a TypeError if a member or one of its values is unknown.
   */
  readonly waitFor: (match?: Match<Item, Members>, options?: WaitOptions) => Promise<Item[]>;
  /** Resolves if nothing matches within the time, and rejects as soon as something does. */
  readonly expectNone: (match?: Match<Item, Members>, options?: QuietOptions) => Promise<void>;
}

/** `open` throws if there is nothing left to wait for. */
export function waitsOf<Item, Members extends object>(
  host: WorldHost,
  open: (match: Match<Item, object>) => Source<Item>,
): Waits<Item, Members> {
  /** The matching items as soon as there are enough of them, or when the time is over. */
  const search = async (match: Match<Item, object>, count: number, timeoutMs: number) => {
    const source = open(match);
    if (typeof match !== 'function') checkArgument(source.schema(), match, 'match');
    const fits =
      typeof match === 'function'
        ? match
        : (item: Item) => findDifferences(source.members(item), match).length === 0;
    const find = () => source.items().filter((item) => fits(item));
    await until(host, source, () => find().length >= count, timeoutMs);
    const fail = (headline: string): never => {
      throw new Error(explain(host, source, match, `${headline}: ${showMatch(match)}`));
    };
    return { found: find(), nouns: source.nouns, fail };
  };
  return {
    waitFor: async (match = {} as Members, options = {}) => {
      checkArgument(waitSchema, options, 'options');
      const { count = 1, timeoutMs = 1000 } = options;
      const { found, nouns, fail } = await search(match, count, timeoutMs);
      if (found.length >= count) return found;
      return fail(`${found.length} of ${count} ${nouns[1]} came within ${timeoutMs} ms`);
    },
    expectNone: async (match = {} as Members, options = {}) => {
      checkArgument(quietSchema, options, 'options');
      const { found, nouns, fail } = await search(match, 1, options.withinMs ?? 100);
      if (found.length > 0) fail(`expected no ${nouns[0]}, but ${found.length} came`);
    },
  };
}

/** Resolves when the condition holds or the time is over; rejects when the world ends. */
async function until(
  host: WorldHost,
  { listen }: Pick<Source<never>, 'listen'>,
  isMet: () => boolean,
  timeoutMs: number,
): Promise<void> {
  if (isMet()) return;
  let stop = () => {};
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, timeoutMs);
    const stopLooking = listen(() => {
      if (isMet()) resolve();
    });
    const stopListening = host.listen(({ kind }) => {
      if (kind === 'closed') reject(new Error(closedMessage));
    });
    stop = () => {
      clearTimeout(timer);
      stopLooking();
      stopListening();
    };
  }).finally(() => stop());
}

/**
 * Where a value differs from what is expected, such as `account_id is "1007", not "1001"`. Objects
 * match if every expected member does, at any depth; lists match entry by entry.
 */
function findDifferences(actual: unknown, expected: unknown, path = ''): readonly string[] {
  const isComparable =
    isObject(actual) &&
    isObject(expected) &&
    Array.isArray(actual) === Array.isArray(expected) &&
    (!Array.isArray(expected) || actual.length === expected.length);
  if (isComparable) {
    return Object.entries(expected).flatMap(([name, value]) =>
      value === undefined
        ? []
        : findDifferences(actual[name], value, path === '' ? name : `${path}.${name}`),
    );
  }
  return Object.is(actual, expected) ? [] : [`${path} is ${show(actual)}, not ${show(expected)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value) ?? `a ${typeof value}`;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

const showMatch = (match: unknown): string =>
  typeof match === 'function' ? 'the given function' : JSON.stringify(match);

/** What arrived instead, the closest item, and what is still due. */
function explain<Item>(
  host: WorldHost,
  source: Source<Item>,
  match: Match<Item, object>,
  headline: string,
): string {
  const items = source.items();
  const [, plural] = source.nouns;
  const last = items.slice(-10).map((item) => `  ${source.describe(item)}`);
  const arrivals =
    items.length === 0
      ? [`no ${plural} came at all`]
      : [`the last of ${items.length} ${plural}:`, ...last];
  const pending = describePending(host, source.subscription);
  return [headline, ...describeNearest(source, items, match), ...arrivals, ...pending].join('\n');
}

/** The newest item that differs from the match in the fewest members, if it shares at least one. */
function describeNearest<Item>(
  source: Source<Item>,
  items: readonly Item[],
  match: Match<Item, object>,
): readonly string[] {
  if (typeof match === 'function') return [];
  let fewest = Object.keys(match).length - 1;
  let nearest: readonly string[] = [];
  for (const item of items) {
    const differences = findDifferences(source.members(item), match);
    if (differences.length === 0 || differences.length > fewest) continue;
    fewest = differences.length;
    nearest = [`nearest: ${source.describe(item)}: ${differences.join('; ')}`];
  }
  return nearest;
}

const subjects: Readonly<Record<TimerKind, string>> = {
  settle: 'the settlement of transaction',
  deliver: 'the next attempt of delivery',
  wake: 'the delayed request',
  answer: 'the delayed response to request',
  abandon: 'the end of the attempt of request',
};

/** Hints on the last request, what is due next, and what holds the awaited deliveries back. */
function describePending(host: WorldHost, subscription: number | undefined): readonly string[] {
  const { journal, subscriptions, deliveries } = host.world;
  const last = findEntry(journal, journal.newest);
  const lines = (last?.hints ?? []).map(({ words }) => `hint on request ${last?.n}: ${words}`);
  const due = nextTimer(host.world);
  const inMs = Math.max(0, (due?.dueAtMs ?? 0) - host.nowMs);
  const what =
    due === null ? 'nothing is due' : `${subjects[due.kind]} ${due.ref} is due in ${inMs} ms`;
  const isFrozen = host.clock.mode === 'frozen';
  const where = isFrozen ? `; the clock is frozen at ${new Date(host.nowMs).toISOString()}` : '';
  lines.push(`${what}${where}`);
  if (subscription === undefined) return lines;
  if (subscriptions.get(subscription)?.stopped) {
    lines.push(
      `deliveries of subscription ${subscription} stopped after the last attempt: call control.resumeSubscription`,
    );
  }
  for (const { id, status, attempts, seq, subscription_id: to } of deliveries.values()) {
    const answer = attempts.at(-1)?.status ?? null;
    if (to !== subscription || status !== 'pending' || answer === null) continue;
    lines.push(
      `delivery ${id} of event ${seq} got the response ${answer}: later events wait until it succeeds`,
    );
  }
  return lines.slice(0, 5);
}

/** Every member that is given must be equal. */
export interface RequestMatch {
  readonly operation?: OperationName;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status?: number;
  /** Name of a credential. */
  readonly credential?: string;
  readonly idempotency?: IdempotencyOutcome;
  /** Only requests with a greater number (`id`) than this. */
  readonly after?: number;
}

export type RequestWaits = Waits<RequestShown, RequestMatch>;

/** Waits for API requests: those that match operation, status, credential and so on. */
export const requestWaits = (host: WorldHost): RequestWaits =>
  waitsOf(host, (match) => {
    // Where to start; only the other members are compared.
    const { after = 0 } = Object(match) as RequestMatch;
    return requestsAfter(host, Number(after));
  });

function requestsAfter(host: WorldHost, after: number): Source<RequestShown> {
  return {
    nouns: ['request', 'requests'],
    items: () =>
      Array.from(entriesAfter(host, after), (entry) => viewRequest(host, entry, { whole: true })),
    schema: () =>
      object('What a request must have.', {
        'operation?': oneOf('Name of the operation.', operationNames),
        'method?': oneOf('Method.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
        'status?': whole('Status of the response.', 100, 599),
        'credential?': credentialName(host),
        'idempotency?': orNull(oneOf('What the key did.', idempotencyOutcomes)),
        'after?': whole('Number of a request.', 0, Number.MAX_SAFE_INTEGER),
      }),
    members: ({ operation, request, response, client_name, idempotency }) => ({
      ...{ operation, method: request.method, status: response?.status, after },
      ...{ credential: client_name, idempotency },
    }),
    describe: ({ id, request, response, reset, operation, client_name: name }) => {
      const outcome = response?.status ?? (reset ? 'connection cut' : 'no response yet');
      const by = `${operation ?? 'no operation'}, ${name ?? 'no credential'}`;
      return `${id} ${request.method} ${request.target} ${outcome} (${by})`;
    },
    listen: (look) =>
      host.listen(({ kind }) => {
        if (kind === 'request' || kind === 'world') look();
      }),
  };
}

export function credentialName({ world }: WorldHost): Schema {
  const names = [...world.credentials.values()].map(({ name }) => name);
  return oneOf('Name of a credential.', names);
}
