// Follows a world for one reader: what happened is remembered by number and printed when it is
// read.
import type { TextStream } from './reply.ts';

/** One thing to be printed: what kind it is, and its text when the reader comes to it. */
export interface StreamItem {
  readonly kind: string;
  /** null when there is nothing left to show of it. */
  readonly serialize: () => string | null;
}

const mostWaiting = 1000;
const heartbeatMs = 15_000;
/** Items printed into one piece, so that a reader who keeps up pays few writes. */
const printedAtOnce = 50;

/**
 * Server-sent events in pieces. A reader who is slower than what happens loses the oldest items and
 * is told how many; nothing gathers without bound.
 */
export class Follower implements TextStream {
  #items: StreamItem[] = [];
  #lost = 0;
  #id = 0;
  #ended = false;
  #wake: (() => void) | null = null;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #stop: () => void;
  #beat = false;

  /** `follow` begins to follow, and answers how that is ended. */
  constructor(follow: (add: (item: StreamItem) => void, end: () => void) => () => void) {
    this.#heartbeat = setInterval(() => {
      this.#beat = true;
      this.#wakeUp();
    }, heartbeatMs);
    this.#heartbeat.unref();
    this.#stop = follow(
      (item) => this.#add(item),
      () => this.#end(),
    );
  }

  #add(item: StreamItem): void {
    if (this.#items.length === mostWaiting) {
      this.#items = this.#items.slice(mostWaiting / 2);
      this.#lost += mostWaiting / 2;
    }
    this.#items.push(item);
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeat);
    this.#stop();
    this.#wakeUp();
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    for (;;) {
      const text = this.#print();
      if (text !== '') return { done: false, value: text };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#items = [];
    this.#end();
    return { done: true, value: undefined };
  }

  #print(): string {
    let text = this.#beat ? ': still here\n\n' : '';
    this.#beat = false;
    if (this.#lost > 0) {
      text += this.#frame('lost', JSON.stringify({ count: this.#lost }));
      this.#lost = 0;
    }
    for (const { kind, serialize } of this.#items.splice(0, printedAtOnce)) {
      const shown = serialize();
      if (shown !== null) text += this.#frame(kind, shown);
    }
    return text;
  }

  /** JSON has no line breaks of its own, so one data line holds it. */
  #frame(kind: string, json: string): string {
    this.#id += 1;
    return `id: ${this.#id}\nevent: ${kind}\ndata: ${json}\n\n`;
  }
}
