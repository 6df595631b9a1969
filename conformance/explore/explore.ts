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
import { type Found, investigate, upTo } from './findings/investigate.ts';
import { closure, isKin } from './findings/shrink.ts';
import type { MakeModel, Model, ModelSettings } from './model.ts';
import type { Case, Excuse } from './open/excuses.ts';
import { isOtherFault } from './open/order.ts';
import { type Arena, type Duel, duel } from './play/duel.ts';
import { type Ground, Spent } from './play/ground.ts';
import { isHindrance } from './play/judge-step.ts';
import { Player } from './play/player.ts';
import type { Sequence } from './sequence.ts';

export interface ExploreParts {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly makeModel: MakeModel;
  /** How the model answers the open questions to begin with. */
  readonly settings: ModelSettings;
  readonly seed: number;
  /** No more than so many are sent to the target. */
  readonly requests: number;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly pacer?: Pacer;
  readonly signal: AbortSignal;
  readonly masked: ReadonlySet<string>;
  /** The most calls at once; 1: none. */
  readonly crowd: number;
  /** Sequences in play at once. */
  readonly width: number;
  /** Ends as soon as one difference is known: for proofs. */
  readonly firstOnly?: boolean;
  /** Played in place of drawn ones, once each. */
  readonly sequences?: readonly Sequence[];
  readonly onProgress?: (progress: Progress) => void;
}

/** After so many sequences in a row that cannot begin the target is taken to be gone. */
const GONE_AFTER = 8;

/** What the model does not answer at once it keeps waiting. */
const MODEL_TIMEOUT_MS = 500;

const ORDER: Excuse = { question: 'NS-17', why: 'which of two faults is said first' };

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
  /** Open questions that differences turned out to be of, with how often. */
  readonly open: ReadonlyMap<string, number>;
  readonly coverage: Coverage;
  /** How the model answered the open questions in the end. */
  readonly settings: ModelSettings;
}

export async function explore(parts: ExploreParts): Promise<Explored> {
  const model = await parts.makeModel(parts.settings);
  const exploration = new Exploration(parts, model);
  try {
    await exploration.run();
    return exploration.result();
  } finally {
    await exploration.close();
  }
}

class Exploration {
  readonly #parts: ExploreParts;
  readonly #coverage = new Coverage();
  readonly #found = new Map<string, Found>();
  /** Signatures of differences as they were first met, before anything was shrunk. */
  readonly #met = new Set<string>();
  /** Signatures of differences that turned out to be open. */
  readonly #openAs = new Map<string, Excuse>();
  readonly #open = new Map<string, number>();
  readonly #inconclusive: string[] = [];
  /** Sequences in a row that could not even begin. */
  #silent = 0;
  #requests = 0;
  #sequences = 0;
  #agreed = 0;
  #drawn = 0;

  #model: Model;

  constructor(parts: ExploreParts, model: Model) {
    this.#parts = parts;
    this.#model = model;
  }

  async close(): Promise<void> {
    await this.#model.close();
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
      open: this.#open,
      coverage: this.#coverage,
      settings: this.#parts.settings,
    };
  }

  #isOver(): boolean {
    const { signal, requests, untilMs, firstOnly } = this.#parts;
    if (
      this.#silent >= GONE_AFTER ||
      signal.aborted ||
      this.#requests >= requests ||
      performance.now() > untilMs
    )
      return true;
    return firstOnly === true && this.#found.size > 0;
  }

  async #work(): Promise<void> {
    while (!this.#isOver()) {
      try {
        await this.#one();
        this.#silent = 0;
      } catch (error) {
        if (error instanceof Spent) return;
        if (!isHindrance(error)) throw error;
        this.#inconclusive.push(error.message);
        this.#silent += 1;
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
    for (const each of played.excused) this.#excuse(each);
    if (played.difference !== undefined) await this.#look(sequence, played, played.difference);
    this.#parts.onProgress?.({
      requests: this.#requests,
      sequences: this.#sequences,
      differences: this.#found.size,
    });
  }

  /** Drawn on a world of the model that is given up afterwards. */
  async #draw(random: Random): Promise<Sequence> {
    const { provider, requests } = this.#parts;
    const target = await this.#model.provider.own();
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
          crowd: this.#parts.crowd,
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
    const { provider, masked, settings } = this.#parts;
    const target = await provider.own();
    const worlds: Target[] = [];
    try {
      const arena: Arena = {
        target: this.#targetGround(target),
        openModel: async () => {
          const world = await this.#model.provider.own();
          worlds.push(world);
          return this.#modelGround(world);
        },
        masked,
        seqName: String(settings.envelope_seq_name ?? 'seq'),
      };
      return await duel(sequence, arena, newNonce());
    } finally {
      await Promise.all([target, ...worlds].map((each) => each.close()));
    }
  }

  async #look(sequence: Sequence, played: Duel, difference: Difference): Promise<void> {
    const met = signatureOf(difference);
    if (this.#met.has(met)) {
      const known = [...this.#found.values()].find((each) => each.metAs.has(met));
      if (known !== undefined) known.times += 1;
      const open = this.#openAs.get(met);
      if (open !== undefined) this.#excuse(open);
      return;
    }
    this.#met.add(met);
    if (played.case !== undefined && (await this.#isOrder(sequence, played.case))) {
      this.#openAs.set(met, ORDER);
      this.#excuse(ORDER);
      return;
    }
    await this.#investigate(sequence, difference, met);
  }

  async #investigate(sequence: Sequence, difference: Difference, met: string): Promise<void> {
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

  #isOrder(sequence: Sequence, each: Case): Promise<boolean> {
    return isOtherFault(needed(sequence, each.step.n), each, async (steps) => {
      const world = await this.#model.provider.own();
      try {
        const player = new Player(this.#modelGround(world), newNonce());
        for (const step of steps) await player.play(step);
        return player.outcomes.get(each.step.n);
      } finally {
        await world.close();
      }
    });
  }

  #excuse({ question, why }: Excuse): void {
    const name = question ?? why;
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
  }

  #targetGround(target: Target): Ground {
    const { sender, timeoutMs, pacer, signal } = this.#parts;
    const ground: Ground = {
      target,
      sender,
      timeoutMs,
      isSteady: target.offers.has('clock') && target.disposable,
      signal,
      spend: (count) => {
        if (this.#requests + count > this.#parts.requests) throw new Spent('all requests are sent');
        this.#requests += count;
      },
    };
    return pacer === undefined ? ground : { ...ground, pacer };
  }

  #modelGround(target: Target): Ground {
    const { sender } = this.#model;
    return { target, sender, timeoutMs: MODEL_TIMEOUT_MS, isSteady: true };
  }
}

/** What the step cannot be without, and what has to do with the same records and keys. */
function needed(sequence: Sequence, n: number): Sequence {
  const { steps } = upTo(sequence, n);
  const last = steps[steps.length - 1]!;
  const kin = steps.filter((step) => isKin(step, last)).map((step) => step.n);
  return { steps: closure(steps, [...kin, n]) };
}
