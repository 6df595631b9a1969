// Waits of a test in its own process: what matches, and what to say when nothing did.
import { object, type Schema, type ValueOf, whole } from '../../fixtures/schemas/kit.ts';
import { validate } from '../../fixtures/schemas/validate.ts';
import { until } from '../host/world/until.ts';
import { findMismatches, type Mismatch } from './mismatch.ts';

const longestWaitMs = 2 ** 31 - 1;

const waitSchema = object('Options of a wait.', {
  'count?': whole('How many must match.', 1, 1e6),
  'timeoutMs?': whole('How long to wait in real time.', 0, longestWaitMs),
});

const quietSchema = object('Options of expectNone.', {
  'withinMs?': whole('How long to watch in real time.', 0, longestWaitMs),
});

/** `count` is 1 and `timeoutMs` 1000 (real time) unless given. */
export type WaitOptions = ValueOf<typeof waitSchema>;
/** `withinMs` is 100 (real time) unless given. */
export type QuietOptions = ValueOf<typeof quietSchema>;

/** Members that must be equal, or a function that decides. */
export type Match<Item, Members> = Members | ((item: Item) => boolean);

/** Where items come from, and how they are compared and shown. */
export interface Source<Item> {
  /** Singular and plural, such as `request`, `requests`. */
  readonly nouns: readonly [string, string];
  readonly items: () => readonly Item[];
  /** The members that a match may name. */
  readonly schema: () => Schema;
  /** What a match's members are compared with. */
  readonly members: (item: Item) => Readonly<Record<string, unknown>>;
  /** One line about an item. */
  readonly describe: (item: Item) => string;
  /** What is still to come, and what holds it back: one line each. */
  readonly pending: () => readonly string[];
  /** Calls `look` when there may be more and `closed` at the end; returns how to stop. */
  readonly listen: (look: () => void, closed: () => void) => () => void;
}

export const closedMessage = 'the sandbox is closed';

/** Throws a TypeError that names the first thing that is wrong with an argument. */
export function checkArgument(schema: Schema, value: unknown, name: string): void {
  const [problem] = validate(schema, value, name);
  if (problem !== undefined) throw new TypeError(`${problem.field} ${problem.message}`);
}

export interface Waits<Item, Members> {
  /**
   * Resolves to the items that match as soon as there are enough of them, earlier ones included.
   * Takes members or a function. Throws a TypeError if a member or one of its values is not known.
   */
  readonly waitFor: (match?: Match<Item, Members>, options?: WaitOptions) => Promise<Item[]>;
  /**
   * Resolves if nothing matches within the time. Rejects as soon as something does, and at the end if
   * something differs from the match in nothing but a type.
   */
  readonly expectNone: (match?: Match<Item, Members>, options?: QuietOptions) => Promise<void>;
}

/** `open` throws if there is nothing to wait for any more. */
export function waitsOf<Item, Members extends object>(
  open: (match: Match<Item, object>) => Source<Item>,
): Waits<Item, Members> {
  return {
    waitFor: async (match = {} as Members, options = {}) => {
      const source = open(match);
      checkArgument(waitSchema, options, 'options');
      const { count = 1, timeoutMs = 1000 } = options;
      const found = finder(source, match);
      const isMet = () => found().length >= count;
      const end = await until({ isMet, listen: source.listen, timeoutMs });
      if (end === 'over') throw new Error(closedMessage);
      if (end === 'met') return found();
      const came = `${found().length} of ${count} ${source.nouns[1]} came within ${timeoutMs} ms`;
      throw new Error(explain(source, match, `${came}: ${showMatch(match)}`));
    },
    expectNone: async (match = {} as Members, options = {}) => {
      const source = open(match);
      checkArgument(quietSchema, options, 'options');
      const { withinMs = 100 } = options;
      const found = finder(source, match);
      const isMet = () => found().length > 0;
      const end = await until({ isMet, listen: source.listen, timeoutMs: withinMs });
      if (end === 'over') throw new Error(closedMessage);
      if (end === 'met') {
        const came = `expected no ${source.nouns[0]}, but ${found().length} came: ${showMatch(match)}`;
        throw new Error(explain(source, match, came));
      }
      const nearest = findNearest(source, match);
      if (!nearest?.mismatches.every(({ onlyType }) => onlyType)) return;
      const words = nearest.mismatches.map((mismatch) => mismatch.words).join('; ');
      throw new Error(
        `nothing matches ${showMatch(match)} only because of a type: ${source.describe(nearest.item)}: ${words}`,
      );
    },
  };
}

function finder<Item>(source: Source<Item>, match: Match<Item, object>): () => Item[] {
  if (typeof match === 'function') return () => source.items().filter((item) => match(item));
  checkArgument(source.schema(), match, 'match');
  return () =>
    source.items().filter((item) => findMismatches(source.members(item), match).length === 0);
}

function explain<Item>(source: Source<Item>, match: Match<Item, object>, headline: string): string {
  const items = source.items();
  const lines = [headline];
  const nearest = findNearest(source, match);
  if (nearest !== null) {
    const words = nearest.mismatches.map(({ words }) => words).join('; ');
    lines.push(`nearest: ${source.describe(nearest.item)}: ${words}`);
  }
  const [, plural] = source.nouns;
  if (items.length === 0) lines.push(`no ${plural} came at all`);
  else {
    lines.push(`the last of ${items.length} ${plural}:`);
    lines.push(...items.slice(-10).map((item) => `  ${source.describe(item)}`));
  }
  return [...lines, ...source.pending()].join('\n');
}

interface Nearest<Item> {
  readonly item: Item;
  readonly mismatches: readonly Mismatch[];
}

/** The item that differs from the match in the fewest members, if it shares at least one. */
function findNearest<Item>(source: Source<Item>, match: Match<Item, object>): Nearest<Item> | null {
  if (typeof match === 'function') return null;
  let nearest: Nearest<Item> | null = null;
  for (const item of source.items()) {
    const mismatches = findMismatches(source.members(item), match);
    const differing = new Set(mismatches.map(({ member }) => member)).size;
    const isShared = differing < Object.keys(match).length;
    const isUseful = isShared || mismatches.every(({ onlyType }) => onlyType);
    if (mismatches.length === 0 || !isUseful) continue;
    if (nearest === null || mismatches.length <= nearest.mismatches.length) {
      nearest = { item, mismatches };
    }
  }
  return nearest;
}

function showMatch(match: unknown): string {
  return typeof match === 'function' ? 'the given function' : JSON.stringify(match);
}
