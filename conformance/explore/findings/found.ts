// A difference that was reproduced and shrunk, and the book of all known differences.

import { type Difference, isLike, signatureOf } from '../compare/difference.ts';
import type { Seen } from '../compare/reference.ts';
import type { Recorded } from '../compare/run.ts';
import type { Excuse } from '../open/projection.ts';
import type { Blame } from './blame.ts';

/** One play of a sequence on the target, compared with the model, that shows the difference. */
export interface Shown {
  readonly recorded: Recorded;
  readonly compared: Seen;
  readonly difference: Difference;
}

export interface Found extends Shown, Blame {
  readonly reproduced: string;
  readonly calls: number;
  readonly shrunkFrom: number;
  /** As it showed in other plays, and as it showed last. */
  readonly met: Difference[];
  times: number;
}

/** How often a signature is investigated, unless a defect was found. */
const MOST_INVESTIGATIONS = 3;

export class Book {
  readonly inconclusive: string[] = [];
  /** Open questions that explain differences, with the number of differences. */
  readonly open = new Map<string, number>();
  #found: readonly Found[] = [];
  readonly #open = new Set<string>();
  readonly #investigations = new Map<string, number>();

  get found(): readonly Found[] {
    return this.#found.filter(({ rules }) => rules.length > 0);
  }

  /** Differences from the model's own assumptions: no rule is accused. */
  get unexplained(): readonly Found[] {
    return this.#found.filter(({ rules }) => rules.length === 0);
  }

  isKnown(difference: Difference): boolean {
    return this.#open.has(signatureOf(difference)) || this.#like(difference) !== undefined;
  }

  /** Counts how often differences that were found occur. */
  count(differences: readonly Difference[]): void {
    for (const each of differences) {
      const known = this.#like(each);
      if (known !== undefined) known.times += 1;
    }
  }

  /** Whether the difference needs no investigation, or no further one. */
  isDone(difference: Difference): boolean {
    if (this.isKnown(difference)) return true;
    const signature = signatureOf(difference);
    const investigations = (this.#investigations.get(signature) ?? 0) + 1;
    this.#investigations.set(signature, investigations);
    return investigations > MOST_INVESTIGATIONS;
  }

  #like(difference: Difference): Found | undefined {
    return this.#found.find((each) => each.met.some((one) => isLike(one, difference)));
  }

  excuse(excuse: Excuse): void {
    this.open.set(excuse, (this.open.get(excuse) ?? 0) + 1);
  }

  /** From now on every difference with this signature is attributed to this question. */
  isOpen(met: Difference, excuse: Excuse): void {
    this.#open.add(signatureOf(met));
    this.excuse(excuse);
  }

  /** Withdraws what is no difference from the model any more, after it has learned an answer. */
  async review(isShown: (found: Found) => Promise<boolean>): Promise<void> {
    const shown = await Promise.all(this.#found.map(isShown));
    this.#found = this.#found.filter((_, at) => shown[at]);
  }

  /** Each defect is reported once, however often and in whatever form it occurs. */
  add(found: Found): void {
    const same = this.#found.find((each) => isSameDefect(each, found));
    if (same === undefined) this.#found = [...this.#found, found];
    else {
      same.times += 1;
      same.met.push(...found.met);
    }
  }
}

/** The same rule is broken in the same way: in a batch row and a create, or in two operations. */
function isSameDefect(one: Found, other: Found): boolean {
  if (one.variant !== undefined && one.variant.id === other.variant?.id) return true;
  const [rule, own] = [one, other].map(({ rules }) => rules[0]);
  if (rule !== own) return false;
  if (isLike(one.difference, other.difference)) return true;
  // A member of a record is the same one in the answer to a create and to an update.
  const isServed = (answer: string) => Number.parseInt(answer, 10) < 300;
  const place = ({ difference: { at, modelAnswer, targetAnswer } }: Found) => {
    const isMember = at.startsWith('body.') && [modelAnswer, targetAnswer].every(isServed);
    return [at.split('.').at(-1), ...(isMember ? [] : [modelAnswer, targetAnswer])].join(' ');
  };
  return rule !== undefined && place(one) === place(other);
}
