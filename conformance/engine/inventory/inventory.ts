// What a run made on a target, kept as the answers come in, and what of it is still enabled there:
// below everything that sends, so that what was tried beforehand counts as well.
import { Unreachable } from '../scenario-errors.ts';
import type { Sender, WireAnswer, WireRequest } from '../send/sender.ts';
import { disabledBy, foundBy, KINDS, type Kind, type MadeRecord, madeBy } from './made.ts';

/** A subscription that nobody has disabled yet. */
export interface OpenSubscription {
  readonly id: string;
  /** The `Authorization` with which it was made. */
  readonly authorization: string;
}

const DISABLE_TIMEOUT_MS = 5_000;

export class Inventory {
  readonly baseUrl: string;
  readonly #ids = new Map<Kind, Set<string>>();
  readonly #open = new Map<string, OpenSubscription>();
  #unanswered = 0;
  #requests = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** A sender through which nothing passes unseen. */
  watch(sender: Sender): Sender {
    return {
      ...sender,
      send: async (wire) => {
        if (!wire.url.startsWith(`${this.baseUrl}/api/`)) return sender.send(wire);
        this.#requests += 1;
        try {
          const answer = await sender.send(wire);
          this.#note(wire, answer);
          return answer;
        } catch (error) {
          const isLost = error instanceof Unreachable && !error.neverSent;
          if (isLost && wire.method !== 'GET') this.#unanswered += 1;
          throw error;
        }
      },
    };
  }

  get requests(): number {
    return this.#requests;
  }

  /** How many of each kind, none left out. */
  get made(): Readonly<Record<Kind, number>> {
    const counts = KINDS.map((kind) => [kind, this.#ids.get(kind)?.size ?? 0]);
    return Object.fromEntries(counts) as Record<Kind, number>;
  }

  /** Writes of which nobody knows what came of them. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get open(): readonly OpenSubscription[] {
    return [...this.#open.values()];
  }

  /** Disables what is still enabled, as far as the target lets it. */
  async disableOpen(sender: Sender): Promise<void> {
    const watched = this.watch(sender);
    for (const { id, authorization } of this.open) {
      const wire: WireRequest = {
        method: 'POST',
        url: `${this.baseUrl}/api/v1/webhooks/${encodeURIComponent(id)}/disable`,
        headers: [['authorization', authorization]],
        body: undefined,
        timeoutMs: DISABLE_TIMEOUT_MS,
      };
      try {
        await watched.send(wire);
      } catch (error) {
        // It stays in the report as enabled; who does not answer once will not answer for the rest.
        if (error instanceof Unreachable) return;
        throw error;
      }
    }
  }

  #note({ method, url, headers }: WireRequest, { status, body }: WireAnswer): void {
    const target = url.slice(this.baseUrl.length);
    const call = { method, target, status, body };
    const ended = disabledBy(call);
    if (ended !== undefined) this.#open.delete(decodeURIComponent(ended));
    const found = foundBy(call).filter((each) => !this.#isKnown(each));
    for (const { kind, id } of [...madeBy(call), ...found]) {
      const known = this.#ids.get(kind) ?? new Set();
      this.#ids.set(kind, known.add(id === '' ? `#${known.size}` : id));
      if (kind !== 'subscriptions') continue;
      const authorization = headers.find(([name]) => name === 'authorization')?.[1] ?? '';
      this.#open.set(id, { id, authorization });
    }
  }

  /** An account may have come by a batch or by itself. */
  #isKnown({ kind, id }: MadeRecord): boolean {
    const kinds: Kind[] = kind === 'transactions' ? [kind] : ['accounts', 'bulk_accounts'];
    return kinds.some((each) => this.#ids.get(each)?.has(id) === true);
  }
}
