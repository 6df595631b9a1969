// A difference that was shown again and shrunk, and the book of all that are known.

import { type Difference, likenessOf, signatureOf } from '../compare/difference.ts';
import type { Compared, Recorded } from '../compare/run.ts';
import type { Excuse } from '../open/projection.ts';
import type { Sequence } from '../sequence.ts';

/** One play of a sequence on the target, compared with the model, that shows the difference. */
export interface Shown {
  readonly recorded: Recorded;
  readonly compared: Compared;
  readonly difference: Difference;
}

export interface Found extends Shown {
  readonly sequence: Sequence;
  readonly reproduced: string;
  readonly calls: number;
  readonly shrunkFrom: number;
  /** The likeliest first; empty where no rule says what is right. */
  readonly rules: readonly string[];
  /** How often it was met. */
  times: number;
  /** Titles of what was found besides, as the same rule is broken in the same way. */
  readonly also: Set<string>;
}

/** Of one signature, unless something was found. */
const MOST_LOOKS = 3;

export class Book {
  readonly inconclusive: string[] = [];
  /** Open questions that differences turned out to be of, with how often. */
  readonly open = new Map<string, number>();
  readonly #found: Found[] = [];
  readonly #known = new Map<string, Found | 'open'>();
  readonly #looks = new Map<string, number>();

  /** Differences that break a rule. */
  get found(): readonly Found[] {
    return this.#found.filter(({ rules }) => rules.length > 0);
  }

  /** Differences from what the model does by no rule: its own assumptions, so no rule is accused. */
  get unexplained(): readonly Found[] {
    return this.#found.filter(({ rules }) => rules.length === 0);
  }

  isKnown(difference: Difference): boolean {
    const isOpen = this.#known.has(`open ${keyOf(difference)}`);
    return isOpen || this.#known.has(keyOf(difference)) || this.#known.has(likenessOf(difference));
  }

  /** Counts a difference that is known; false where it has to be looked at. */
  counts(difference: Difference): boolean {
    const known = this.#known.get(keyOf(difference)) ?? this.#known.get(likenessOf(difference));
    if (known !== undefined && known !== 'open') known.times += 1;
    if (this.isKnown(difference)) return true;
    const looks = (this.#looks.get(keyOf(difference)) ?? 0) + 1;
    this.#looks.set(keyOf(difference), looks);
    return looks > MOST_LOOKS;
  }

  excuse({ question, why }: Excuse): void {
    const name = question ?? why;
    this.open.set(name, (this.open.get(name) ?? 0) + 1);
  }

  /** From now on whatever has this signature is of this question. */
  isOpen(met: Difference, excuse: Excuse): void {
    this.#known.set(`open ${keyOf(met)}`, 'open');
    this.excuse(excuse);
  }

  /** One defect is told once, however often and however it is met. */
  add(found: Found, met: Difference, title: string): void {
    const { difference, rules } = found;
    const same = this.#found.find((each) => isSameDefect(each, found));
    const kept = same ?? found;
    if (same === undefined) this.#found.push(found);
    else {
      same.times += 1;
      same.also.add(title);
    }
    for (const each of [met, difference]) {
      this.#known.set(keyOf(each), kept);
      if (rules.length > 0) this.#known.set(likenessOf(each), kept);
    }
  }
}

/** What was sent tells apart calls of one operation to which no answer came. */
function keyOf(difference: Difference): string {
  return signatureOf(difference);
}

/** The same rule broken in the same way: rows of a batch and creates, one operation and another. */
function isSameDefect(one: Found, other: Found): boolean {
  const [rule, own] = [one, other].map(({ rules }) => rules[0]);
  if (likenessOf(one.difference) === likenessOf(other.difference)) return rule === own;
  if (rule === undefined || rule !== own) return false;
  const place = ({ difference: { at, modelAnswer, targetAnswer } }: Found) =>
    [at.split('.').at(-1), modelAnswer, targetAnswer].join(' ');
  return place(one) === place(other);
}
