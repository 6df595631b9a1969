// References, keys, emails and phones that no earlier run and no other scenario has used.
import { createHash, randomBytes } from 'node:crypto';

/** The mark of a run in everything it creates: short, so that references stay readable. */
export function newMark(): string {
  return randomBytes(5).toString('hex');
}

/** Australian area codes and first digits of ranges that are not assigned to subscribers. */
const FICTIONAL = ['25550', '27010', '35550', '37010', '75550', '77010', '85550', '87010'];
/** The number of phones that the runs of this process have used, by mark. */
const phones = new Map<string, number>();

const digestOf = (text: string) => createHash('sha256').update(text).digest();

export class FreshValues {
  readonly #mark: string;
  readonly #prefix: string;
  #count = 0;

  /** `scenario` separates scenarios, `mark` runs: a seed can be repeated on a live target. */
  constructor(mark: string, scenario: string, attempt: number) {
    this.#mark = mark;
    this.#prefix = `${mark}-${digestOf(`${scenario}#${attempt}`).toString('hex').slice(0, 6)}`;
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

  /** Any other new text, of exactly `length` characters if given. */
  text(length?: number): string {
    const text = `x-${this.#next()}-`;
    return length === undefined ? text : text.padEnd(length, 'x').slice(0, length);
  }

  /**
   * A new phone in international form. Each run takes consecutive numbers from its own starting point,
   * so that runs on one target rarely collide.
   */
  phone(): string {
    const count = phones.get(this.#mark) ?? 0;
    phones.set(this.#mark, count + 1);
    const first = digestOf(this.#mark).readUInt32BE(0);
    const nth = (first + count) % (FICTIONAL.length * 10_000);
    return `+61${FICTIONAL[Math.floor(nth / 10_000)]}${String(nth % 10_000).padStart(4, '0')}`;
  }
}
