// Follows the stream of a world: server-sent events read by fetch, since only that can show a
// token.
import { authorization, type ControlPlane, detailOf } from './control-plane.ts';

export interface StreamItem {
  readonly kind: string;
  readonly value: unknown;
}

export type Connection =
  | { readonly state: 'connecting' | 'live' | 'lost' }
  | { readonly state: 'refused'; readonly status: number; readonly why: string };

export interface StreamReader {
  readonly onItem: (item: StreamItem) => void;
  readonly onConnection: (connection: Connection) => void;
}

const firstWaitMs = 400;
const longestWaitMs = 5000;
/** The plane gives a sign of life every 15 s; without three of them the line is dead. */
const silenceMs = 50_000;

/** Follows until the answered function is called; goes on by itself when the server is back. */
export function followStream(plane: ControlPlane, reader: StreamReader): () => void {
  const ending = new AbortController();
  void keepFollowing(plane, reader, ending.signal);
  return () => ending.abort();
}

async function keepFollowing(plane: ControlPlane, reader: StreamReader, end: AbortSignal) {
  let waitMs = firstWaitMs;
  while (!end.aborted) {
    const outcome = await followOnce(plane, reader, end);
    if (end.aborted) return;
    if (outcome.state === 'refused' && outcome.status !== 503) {
      reader.onConnection(outcome);
      if (outcome.status === 401) return;
    } else {
      reader.onConnection({ state: 'lost' });
    }
    if (outcome.state === 'live') waitMs = firstWaitMs;
    await pause(waitMs, end);
    waitMs = Math.min(longestWaitMs, waitMs * 1.6);
  }
}

function pause(ms: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    end.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** One connection, from its beginning to its end. */
async function followOnce(plane: ControlPlane, reader: StreamReader, end: AbortSignal) {
  const ending = new AbortController();
  const abort = () => ending.abort();
  end.addEventListener('abort', abort);
  let lifeline = setTimeout(abort, silenceMs);
  try {
    const { signal } = ending;
    const response = await fetch(plane.url('stream'), { headers: authorization(), signal });
    if (!response.ok || response.body === null) {
      const why = detailOf(await response.text(), response.status);
      return { state: 'refused', status: response.status, why } as const;
    }
    reader.onConnection({ state: 'live' });
    const frames = new Frames(reader.onItem);
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) break;
      clearTimeout(lifeline);
      lifeline = setTimeout(abort, silenceMs);
      frames.take(value);
    }
    return { state: 'live' } as const;
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
    return { state: 'lost' } as const;
  } finally {
    clearTimeout(lifeline);
    end.removeEventListener('abort', abort);
  }
}

/** Puts frames together from pieces that may be cut anywhere. */
class Frames {
  #rest = '';
  readonly #onItem: (item: StreamItem) => void;

  constructor(onItem: (item: StreamItem) => void) {
    this.#onItem = onItem;
  }

  take(piece: string): void {
    const frames = (this.#rest + piece).split('\n\n');
    this.#rest = frames.pop() ?? '';
    for (const frame of frames) this.#read(frame);
  }

  #read(frame: string): void {
    const kind = /^event: (.*)$/m.exec(frame)?.[1];
    const text = /^data: (.*)$/m.exec(frame)?.[1];
    if (kind !== undefined && text !== undefined) this.#onItem({ kind, value: JSON.parse(text) });
  }
}
