// The whole of it: draws sequences, plays each on the target and on the model, and gathers what
// differs.

import type { Pacer } from '../engine/pace/pacer.ts';
import { newNonce } from '../engine/scenario/fresh-values.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Provider, Target } from '../providers/target.ts';
import { type Difference, signatureOf } from './compare/difference.ts';
import { Coverage } from './draw/coverage.ts';
import { drawSequence } from './draw/draw.ts';
import { ideas } from './draw/ideas.ts';
import { Random } from './draw/random.ts';
import { type Found, investigate } from './findings/investigate.ts';
import type { Model } from './model.ts';
import { type Arena, type Duel, duel } from './play/duel.ts';
import { type Ground, Spent } from './play/ground.ts';
import { Player } from './play/player.ts';
import type { Sequence } from './sequence.ts';

export interface ExploreParts {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly model: Model;
  readonly seed: number;
  /** No more than so many are sent to the target. */
  readonly requests: number;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly pacer?: Pacer;
  readonly signal: AbortSignal;
  readonly masked: ReadonlySet<string>;
  /** Sequences in play at once. */
  readonly width: number;
  /** Ends as soon as one difference is known: for proofs. */
  readonly firstOnly?: boolean;
  /** Played in place of drawn ones, once each. */
  readonly sequences?: readonly Sequence[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly requests: number;
  readonly sequences: number;
  readonly differences: number;
}

export interface Explored {
  readonly requests: number;
  readonly sequences: number;
  readonly agreed: number;
  readonly inconclusive: readonly string[];
  readonly found: readonly Found[];
  readonly coverage: Coverage;
}

export async function explore(parts: ExploreParts): Promise<Explored> {
  const exploration = new Exploration(parts);
  await exploration.run();
  return exploration.result();
}

class Exploration {
  readonly #parts: ExploreParts;
  readonly #coverage = new Coverage();
  readonly #found = new Map<string, Found>();
  /** Signatures of differences as they were first met, before anything was shrunk. */
  readonly #met = new Set<string>();
  readonly #inconclusive: string[] = [];
  #requests = 0;
  #sequences = 0;
  #agreed = 0;
  #drawn = 0;

  constructor(parts: ExploreParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { sequences } = this.#parts;
    if (sequences !== undefined) {
      for (const sequence of sequences) await this.#compare(sequence);
      return;
    }
    const workers = Array.from({ length: this.#parts.width }, () => this.#work());
    await Promise.all(workers);
  }

  result(): Explored {
    return {
      requests: this.#requests,
      sequences: this.#sequences,
      agreed: this.#agreed,
      inconclusive: this.#inconclusive,
      found: [...this.#found.values()],
      coverage: this.#coverage,
    };
  }

  #isOver(): boolean {
    const { signal, requests, untilMs, firstOnly } = this.#parts;
    if (signal.aborted || this.#requests >= requests || performance.now() > untilMs) return true;
    return firstOnly === true && this.#found.size > 0;
  }

  async #work(): Promise<void> {
    while (!this.#isOver()) {
      try {
        await this.#one();
      } catch (error) {
        if (!(error instanceof Spent)) throw error;
        return;
      }
    }
  }

  async #one(): Promise<void> {
    const { seed } = this.#parts;
    this.#drawn += 1;
    const random = new Random(seed * 1_000_003 + this.#drawn);
    await this.#compare(await this.#draw(random));
  }

  async #compare(sequence: Sequence): Promise<void> {
    const played = await this.#duel(sequence);
    this.#sequences += 1;
    if (played.verdict === 'agrees') this.#agreed += 1;
    if (played.verdict === 'inconclusive') this.#inconclusive.push(played.why ?? '');
    if (played.difference !== undefined) await this.#look(sequence, played.difference);
    this.#parts.onProgress?.({
      requests: this.#requests,
      sequences: this.#sequences,
      differences: this.#found.size,
    });
  }

  /** Drawn on a world of the model that is given up afterwards. */
  async #draw(random: Random): Promise<Sequence> {
    const { model, provider, requests } = this.#parts;
    const target = await model.provider.own();
    try {
      const player = new Player(this.#modelGround(target), newNonce());
      const { mainRole, disposable } = await provider.shared();
      const sequence = await drawSequence(
        {
          ideas,
          random,
          coverage: this.#coverage,
          offers: provider.offers,
          disposable,
          main: mainRole,
          most: Math.max(1, requests - this.#requests),
        },
        player,
      );
      this.#coverage.take(sequence, player.outcomes);
      return sequence;
    } finally {
      await target.close();
    }
  }

  async #duel(sequence: Sequence): Promise<Duel> {
    const { provider, model, masked } = this.#parts;
    const [target, other] = await Promise.all([provider.own(), model.provider.own()]);
    try {
      const arena: Arena = {
        target: this.#targetGround(target),
        model: this.#modelGround(other),
        masked,
      };
      return await duel(sequence, arena, newNonce());
    } finally {
      await Promise.all([target.close(), other.close()]);
    }
  }

  async #look(sequence: Sequence, difference: Difference): Promise<void> {
    const met = signatureOf(difference);
    if (this.#met.has(met)) {
      const known = [...this.#found.values()].find((each) => each.metAs.has(met));
      if (known !== undefined) known.times += 1;
      return;
    }
    this.#met.add(met);
    const found = await investigate(sequence, difference, (each) => this.#duel(each));
    if (found === null) {
      this.#inconclusive.push(`not met again: ${met}`);
      return;
    }
    const signature = signatureOf(found.difference);
    this.#met.add(signature);
    const known = this.#found.get(signature);
    if (known === undefined) this.#found.set(signature, found);
    else known.times += 1;
    this.#found.get(signature)!.metAs.add(met);
  }

  #targetGround(target: Target): Ground {
    const { sender, timeoutMs, pacer, signal } = this.#parts;
    const ground: Ground = {
      target,
      sender,
      timeoutMs,
      signal,
      spend: (count) => {
        if (this.#requests + count > this.#parts.requests) throw new Spent('all requests are sent');
        this.#requests += count;
      },
    };
    return pacer === undefined ? ground : { ...ground, pacer };
  }

  #modelGround(target: Target): Ground {
    const { model, timeoutMs } = this.#parts;
    return { target, sender: model.sender, timeoutMs };
  }
}
