// What an exploration has found so far: each difference once, and what turned out to be open.
import { acrossOperations, type Difference, signatureOf } from '../compare/difference.ts';
import type { Excuse } from '../open/excuses.ts';
import type { Found } from './investigate.ts';
import { rulesFor } from './rules.ts';

export class Casebook {
  readonly inconclusive: string[] = [];
  /** Open questions that differences turned out to be of, with how often. */
  readonly open = new Map<string, number>();
  readonly #unexplained = new Map<string, Found>();
  readonly #found = new Map<string, Found>();
  /** Signatures as they were met, before anything was shrunk. */
  readonly #met = new Set<string>();
  readonly #openAs = new Map<string, Excuse>();

  get found(): readonly Found[] {
    return [...this.#found.values()];
  }

  /** Differences from what the model does by no rule: its own assumptions, so nobody is accused. */
  get unexplained(): readonly Found[] {
    return [...this.#unexplained.values()];
  }

  /** Whether a difference of this signature was looked at before; it is counted once more then. */
  knows(difference: Difference): boolean {
    const signature = signatureOf(difference);
    const everywhere = this.#found.get(acrossOperations(difference));
    if (everywhere === undefined && !this.#met.has(signature)) {
      this.#met.add(signature);
      return false;
    }
    const all = [...this.found, ...this.unexplained];
    const known = everywhere ?? all.find(({ metAs }) => metAs.has(signature));
    if (known !== undefined) known.times += 1;
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
    this.#met.add(own);
    const all = rulesFor(found).length === 0 ? this.#unexplained : this.#found;
    const known = all.get(signature);
    if (known === undefined) {
      found.metAs.add(met).add(signature);
      all.set(signature, found);
    } else {
      known.times += 1;
      known.metAs.add(met);
    }
  }
}
