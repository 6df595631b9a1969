// How many steps a backtracking search by a regular expression takes on a text: counted by a small
// matcher of our own, so that no clock and no machine has a say.

/** Goes on from a place in the text; false sends the search back to its last choice. */
type Next = (at: number) => boolean;

interface Search {
  readonly text: string;
  readonly most: number;
  readonly groups: Map<number, string>;
  steps: number;
}

type Match = (search: Search, at: number, next: Next) => boolean;

/** A part of an expression. */
interface Part {
  readonly match: Match;
  /** A short text that it takes. */
  readonly example: string;
}

/** Thrown where counting would take too long. */
class TooMany extends Error {}

interface CountedRegex {
  /** Texts that its parts take, to make those of that it finds hard. */
  readonly samples: readonly string[];
  readonly example: string;
  /** Steps of the whole search, or one more than `most`. */
  steps(text: string, most: number): number;
  /** What the search comes to, for tests of the counting. */
  finds(text: string): boolean;
}

export function countedRegex(source: string, flags: string): CountedRegex {
  const parser = new Parser(source, flags);
  const { match, example } = parser.alternatives();
  const isSticky = flags.includes('y');
  const isFound = (search: Search): boolean => {
    for (let from = 0; from <= search.text.length; from += 1) {
      if (match(search, from, () => true)) return true;
      if (isSticky) return false;
    }
    return false;
  };
  return {
    samples: [...parser.samples],
    example,
    steps: (text, most) => {
      const search: Search = { text, most, groups: new Map(), steps: 0 };
      try {
        isFound(search);
      } catch (error) {
        if (!(error instanceof TooMany)) throw error;
      }
      return search.steps;
    },
    finds: (text) => isFound({ text, most: 1e7, groups: new Map(), steps: 0 }),
  };
}

function step(search: Search): void {
  search.steps += 1;
  if (search.steps > search.most) throw new TooMany();
}

/** Characters of many kinds, in which a class finds some that it takes. */
const probes = [...'ab01Z /"\\.-_:;,=<>[](){}@#%&*+!?^$~|\'`\t\n\r\u0007\u001b\u00e9\u202e'];

class Parser {
  readonly samples = new Set<string>();
  readonly #source: string;
  readonly #flags: string;
  #at = 0;
  #groups = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags.replace(/[gyd]/g, '');
  }

  alternatives(): Part {
    const all = [this.#sequence()];
    while (this.#take('|')) all.push(this.#sequence());
    if (all.length === 1) return all[0] as Part;
    const match: Match = (search, at, next) => all.some((each) => each.match(search, at, next));
    return { match, example: all.find(({ example }) => example !== '')?.example ?? '' };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] as string)) {
      parts.push(this.#quantified(this.#atom()));
    }
    const match = parts.reduceRight<Match>(
      (rest, part) => (search, at, next) =>
        part.match(search, at, (then) => rest(search, then, next)),
      (_, at, next) => next(at),
    );
    return { match, example: parts.map(({ example }) => example).join('') };
  }

  #atom(): Part {
    const look = this.#word(/\(\?<?[=!]/y);
    if (look !== null) return this.#look(look.includes('<'), look.endsWith('='));
    if (this.#take('(?:')) return this.#group();
    if (this.#take('(')) {
      this.#word(/\?<\w+>/y);
      return this.#capture();
    }
    const edge = this.#word(/[\^$]|\\[bB]/y);
    if (edge !== null) return this.#edge(edge);
    const back = this.#word(/\\(?:[1-9]|k<\w+>)/y);
    if (back !== null) return this.#backReference(Number(back.slice(1)) || 1);
    return this.#character();
  }

  #group(): Part {
    const inner = this.alternatives();
    this.#take(')');
    return inner;
  }

  #capture(): Part {
    this.#groups += 1;
    const n = this.#groups;
    const { match, example } = this.#group();
    const kept: Match = (search, at, next) =>
      match(search, at, (then) => {
        search.groups.set(n, search.text.slice(at, then));
        return next(then);
      });
    return { match: kept, example };
  }

  /** What lies behind is looked for a few characters back: none of ours looks further. */
  #look(isBehind: boolean, isWanted: boolean): Part {
    const { match } = this.#group();
    const found: Match = (search, at) =>
      isBehind
        ? [0, 1, 2, 3].some((back) => back <= at && match(search, at - back, (end) => end === at))
        : match(search, at, () => true);
    return {
      match: (search, at, next) => found(search, at, next) === isWanted && next(at),
      example: '',
    };
  }

  #edge(kind: string): Part {
    const isLine = this.#flags.includes('m');
    const isThere = ({ text }: Search, at: number): boolean => {
      if (kind === '^') return at === 0 || (isLine && text[at - 1] === '\n');
      if (kind === '$') return at === text.length || (isLine && text[at] === '\n');
      const isWord = (char: string | undefined) => /\w/.test(char ?? '');
      return (isWord(text[at - 1]) !== isWord(text[at])) === (kind === '\\b');
    };
    const match: Match = (search, at, next) => {
      step(search);
      return isThere(search, at) && next(at);
    };
    return { match, example: '' };
  }

  #backReference(n: number): Part {
    const match: Match = (search, at, next) => {
      step(search);
      const text = search.groups.get(n) ?? '';
      return search.text.startsWith(text, at) && next(at + text.length);
    };
    return { match, example: '' };
  }

  #character(): Part {
    const token = this.#word(
      /\[(?:\\.|[^\]\\])*\]|\\[pu]\{[^}]*\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\c[A-Z]|\\?./isy,
    );
    const one = new RegExp(`^${token}$`, this.#flags);
    const taken = probes.filter((each) => one.test(each));
    for (const each of taken.slice(0, 1)) this.samples.add(each);
    const known = new Map<string, boolean>();
    const match: Match = (search, at, next) => {
      step(search);
      const char = search.text[at];
      if (char === undefined) return false;
      if (!known.has(char)) known.set(char, one.test(char));
      return known.get(char) === true && next(at + 1);
    };
    // What no probe is, such as a letter beyond them, stands for itself.
    return { match, example: taken[0] ?? (token?.length === 1 ? token : '') };
  }

  #quantified(inner: Part): Part {
    const token = this.#word(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (token === null) return inner;
    const [least, most] = limitsOf(token);
    const isLazy = token.length > 1 && token.endsWith('?');
    const repeat = (search: Search, at: number, count: number, next: Next): boolean => {
      step(search);
      const again: Next = (then) =>
        (then > at || count < least) && repeat(search, then, count + 1, next);
      const more = () => count < most && inner.match(search, at, again);
      const enough = () => count >= least && next(at);
      return isLazy ? enough() || more() : more() || enough();
    };
    const match: Match = (search, at, next) => repeat(search, at, 0, next);
    return { match, example: inner.example.repeat(Math.min(Math.max(least, 1), 40)) };
  }

  #take(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #word(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }
}

function limitsOf(token: string): readonly [number, number] {
  if (token[0] === '*') return [0, Number.POSITIVE_INFINITY];
  if (token[0] === '+') return [1, Number.POSITIVE_INFINITY];
  if (token[0] === '?') return [0, 1];
  const [, least = '0', comma, most] = /\{(\d+)(,?)(\d*)/.exec(token) ?? [];
  if (comma === '') return [Number(least), Number(least)];
  return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
}

/** So long is the shorter of two texts; the other is twice as long. */
const length = 32;
const mostSteps = 15_000;
/** Steps of the longer for each of the shorter: 2 is linear, 4 quadratic. */
const mostGrowth = 3;

/** A text on which the search takes steps as the square of its length, or null. */
export function hardText(source: string, flags: string): string | null {
  // What has an end takes no more steps than it is long.
  if (!/[*+]|\{\d+,\}/.test(source)) return null;
  const regex = countedRegex(source, flags);
  const samples = regex.samples.slice(0, 5);
  const { example } = regex;
  const beginnings = [...example.slice(0, 32)].map((_, at) => example.slice(0, at + 1));
  const pairs = samples.flatMap((one) => samples.map((other) => one + other));
  const pumps = [...new Set([...samples, ...pairs, ...beginnings])];
  for (const before of new Set(['', ...samples.slice(0, 3), ...beginnings.slice(-5)])) {
    for (const pump of pumps) {
      for (const after of ['', '\u0001']) {
        const made = (long: number) => before + pump.repeat(Math.ceil(long / pump.length)) + after;
        const [shorter, longer] = [made(length), made(2 * length)];
        const few = regex.steps(shorter, mostSteps);
        if (few < 10 * length) continue;
        if (few < mostSteps && regex.steps(longer, mostSteps) <= mostGrowth * few) continue;
        return JSON.stringify(before + pump.repeat(3) + after);
      }
    }
  }
  return null;
}
