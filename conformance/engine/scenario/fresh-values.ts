// References, keys, emails and phones that no earlier run and no other scenario has used.
import { createHash, randomBytes } from 'node:crypto';

/** A run's own mark in everything it makes: short, so that references stay readable. */
export function newMark(): string {
  return randomBytes(5).toString('hex');
}

export class FreshValues {
  readonly #prefix: string;
  #count = 0;

  /**
   * `scenario` tells scenarios apart, `mark` runs: the same seed twice on a live target is fine.
   */
  constructor(mark: string, scenario: string, attempt: number) {
    const short = createHash('sha256').update(`${scenario}#${attempt}`).digest('hex').slice(0, 6);
    this.#prefix = `${mark}-${short}`;
  }

  #next(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** A new client_reference_id; lower case with letters, so that its case can be changed. */
  reference(): string {
    return `ref-${this.#next()}`;
  }

  key(): string {
    return `key-${this.#next()}`;
  }

  email(): string {
    return `c-${this.#next()}@conformance.example.com`;
  }

  /** A new phone in international form, of a country whose mobile numbers are plentiful. */
  phone(): string {
    const digest = createHash('sha256').update(this.#next()).digest();
    const digits = String(digest.readUIntBE(0, 6) % 100_000_000).padStart(8, '0');
    return `+447${4 + (digest[7]! % 2)}${digits}`;
  }

  /** Any other text that is new, of exactly `length` characters when given. */
  text(length?: number): string {
    const text = `x-${this.#next()}-`;
    return length === undefined ? text : text.padEnd(length, 'x').slice(0, length);
  }
}
