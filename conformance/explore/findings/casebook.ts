// What an exploration has found so far: each difference once, and what turned out to be open.
import { acrossOperations, type Difference, signatureOf } from '../compare/difference.ts';
import type { Excuse } from '../open/excuses.ts';
import type { Found } from './investigate.ts';
import { rulesFor } from './rules.ts';
import { titleOf } from './title.ts';

/** Of one signature, unless something was found. */
const MOST_LOOKS = 3;

export class Casebook {
  readonly inconclusive: string[] = [];
  /** Open questions that differences turned out to be of, with how often. */
  readonly open = new Map<string, number>();
  readonly #unexplained = new Map<string, Found>();
  readonly #found = new Map<string, Found>();
  /** The first that broke a rule in a way. */
  readonly #causes = new Map<string, Found>();
  /** How often each signature was looked at, as it was met before anything was shrunk. */
  readonly #looks = new Map<string, number>();
  readonly #openAs = new Map<string, Excuse>();

  get found(): readonly Found[] {
    return [...this.#found.values()];
  }

  /** Differences from what the model does by no rule: its own assumptions, so nobody is accused. */
  get unexplained(): readonly Found[] {
    return [...this.#unexplained.values()];
  }

  /**
   * Whether a difference of this signature is known, and need not be looked at; it is counted once
   * more then. What was open, or was not met again, may be another thing the next time.
   */
  knows(difference: Difference): boolean {
    const signature = signatureOf(difference);
    const everywhere = this.#found.get(acrossOperations(difference));
    const all = [...this.found, ...this.unexplained];
    const known = everywhere ?? all.find(({ metAs }) => metAs.has(signature));
    if (known !== undefined) known.times += 1;
    if (known !== undefined) return true;
    const looks = (this.#looks.get(signature) ?? 0) + 1;
    this.#looks.set(signature, looks);
    if (looks <= MOST_LOOKS) return false;
    const open = this.#openAs.get(signature);
    if (open !== undefined) this.excuse(open);
    return true;
  }

  excuse({ question, why }: Excuse): void {
    const name = question ?? why;
    this.open.set(name, (this.open.get(name) ?? 0) + 1);
  }

  /** From now on whatever has this signature is of this question. */
  isOpen(signature: string, excuse: Excuse): void {
    this.#openAs.set(signature, excuse);
    this.excuse(excuse);
  }

  /** One defect is told once, however often and however it is met. */
  add(found: Found, met: string): void {
    const { difference, elsewhere } = found;
    const own = signatureOf(difference);
    const signature = elsewhere === undefined ? own : acrossOperations(difference);
    const [rule] = rulesFor(found);
    const all = rule === undefined ? this.#unexplained : this.#found;
    const cause = rule === undefined ? signature : causeOf(rule, difference);
    const known = all.get(signature) ?? this.#causes.get(cause);
    if (known === undefined) {
      found.metAs.add(met).add(signature);
      all.set(signature, found);
      this.#causes.set(cause, found);
      return;
    }
    known.times += 1;
    if (!known.metAs.has(signature)) known.also.add(titleOf(found));
    known.metAs.add(met).add(signature);
  }
}

/** Of a repeat that ran again any part of the answer may be the first that differs. */
const REPEATED = /^IDEM-4[abc]$/;
/** What holds of keys alike in all operations. */
const OF_KEYS = /^IDEM-(1|5|6|7|14|15)/;

/**
 * The same where one rule is broken in one way, whichever operation has shown it: that is one
 * defect more often than two.
 */
function causeOf(rule: string, difference: Difference): string {
  const { at, modelAnswer, targetAnswer } = difference;
  if (at === 'replay.bytes') return at;
  if (REPEATED.test(rule)) return 'IDEM-4';
  // IDEM-4d: one refusal may be kept and another not.
  if (rule === 'IDEM-4d') return `${rule} | ${modelAnswer}`;
  if (OF_KEYS.test(rule)) return rule;
  const place = at.split(/[^a-z_-]/).at(-1) || at;
  const isAnswer = at === 'status' || at === 'code';
  return [rule, place, ...(isAnswer ? [modelAnswer, targetAnswer] : [])].join(' | ');
}
