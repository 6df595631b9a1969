// How long a trial waits for something, and whether what did not come in that time can be held
// against the target.
import type { Hook } from '../providers/receiver.ts';
import type { Mark, Turns } from './turns.ts';

/** However little of the time counts, nobody waits longer than so many times as long. */
const LONGEST_FACTOR = 8;
const LONGEST_STEP_MS = 250;

/** Without a turn for so long, deliveries are answered too late, and come once more. */
const LONG_GAP_MS = 800;
/** Without a turn for so long, something that was waited for may have been missed. */
const SHORT_GAP_MS = 300;
/** From so much lost time on it is not said that something did not come. */
const LOST_SHARE = 0.5;

export class Patience {
  readonly #turns: Turns;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #from: Mark;
  #hook: Hook | undefined;
  /** Something that was waited for did not come. */
  #vain = false;
  #slowestSoundingMs = 0;

  constructor(turns: Turns, sleep: (ms: number) => Promise<void>) {
    this.#turns = turns;
    this.#sleep = sleep;
    this.#from = turns.mark();
  }

  /** From now on what is waited for may be a delivery. */
  listens(hook: Hook): void {
    this.#hook = hook;
  }

  async until(test: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
    const from = this.#turns.mark();
    let stepMs = 2;
    while (!(await test())) {
      const { spanMs, lostMs } = this.#turns.since(from);
      if (spanMs - lostMs >= withinMs || spanMs >= withinMs * LONGEST_FACTOR) {
        return await this.#lastLook(test);
      }
      await this.#sleep(stepMs);
      stepMs = Math.min(stepMs * 2, LONGEST_STEP_MS);
    }
    return true;
  }

  /** Behind a request of our own: what came before it is seen by now. */
  async #lastLook(test: () => boolean | Promise<boolean>): Promise<boolean> {
    if (this.#hook !== undefined) {
      const startedAtMs = performance.now();
      await this.#hook.sounded();
      const tookMs = performance.now() - startedAtMs;
      this.#slowestSoundingMs = Math.max(this.#slowestSoundingMs, tookMs);
      if (await test()) return true;
    }
    this.#vain = true;
    return false;
  }

  /**
   * Why what was missed, or came once more, may be this program's own doing; undefined when it
   * cannot be.
   */
  get starved(): string | undefined {
    if (this.#hook === undefined && !this.#vain) return undefined;
    const { worstMs, lostMs, spanMs } = this.#turns.since(this.#from);
    const gapMs = Math.max(worstMs, this.#slowestSoundingMs);
    if (gapMs >= LONG_GAP_MS) return said(gapMs);
    if (!this.#vain) return undefined;
    if (gapMs >= SHORT_GAP_MS) return said(gapMs);
    return lostMs >= spanMs * LOST_SHARE ? said(lostMs) : undefined;
  }
}

function said(ms: number): string {
  return `this machine gave the judge no turn for ${Math.round(ms)} ms, so it may have missed it`;
}
