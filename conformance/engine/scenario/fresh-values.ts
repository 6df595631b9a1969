// References, keys, emails and phones that no earlier run and no other scenario has used.
import { createHash, randomBytes } from 'node:crypto';

/** A run's own mark in everything it makes: short, so that references stay readable. */
export function newMark(): string {
  return randomBytes(5).toString('hex');
}

/** Area codes and the first digits of ranges that are given to no subscriber. */
const FICTIONAL = ['25550', '27010', '35550', '37010', '75550', '77010', '85550', '87010'];
/** How many phones the runs of this process have taken, by their marks. */
const phones = new Map<string, number>();

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

  /**
   * A new phone in international form, of the Australian ranges that are reserved for fiction. Each
   * run takes numbers in a row from a place of its own, so that runs on one target hardly meet.
   */
  phone(): string {
    const mark = this.#prefix.split('-')[0]!;
    const first = createHash('sha256').update(mark).digest().readUInt32BE(0);
    const count = phones.get(mark) ?? 0;
    phones.set(mark, count + 1);
    const nth = (first + count) % (FICTIONAL.length * 10_000);
    return `+61${FICTIONAL[Math.floor(nth / 10_000)]}${String(nth % 10_000).padStart(4, '0')}`;
  }

  /** Any other text that is new, of exactly `length` characters when given. */
  text(length?: number): string {
    const text = `x-${this.#next()}-`;
    return length === undefined ? text : text.padEnd(length, 'x').slice(0, length);
  }
}
