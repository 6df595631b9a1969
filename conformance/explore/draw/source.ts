// Draws sequences: by turns a new one from the covering array, and one made of those that were
// drawn before. Everything is decided by the seed and by the model, never by what a target answers.
import { Random } from '../../../fixtures/random.ts';
import type { Capability } from '../../engine/capabilities.ts';
import type { OperationName } from '../../engine/operations.ts';
import type { Model } from '../model.ts';
import { openWorld } from '../play/model-world.ts';
import { Player } from '../play/player.ts';
import type { Seeds } from '../play/seeds.ts';
import { countCalls, type Sequence } from '../sequence.ts';
import type { Boundary } from './boundaries.ts';
import { Corpus, type Coverage } from './corpus.ts';
import { Covering } from './covering.ts';
import { EVERY_OPERATION, spaceOf } from './dimensions.ts';
import { Draft, everyBoundary } from './draft.ts';
import { type Field, isDecision, OPS } from './operations.ts';
import { lastLooks, playRow } from './plan.ts';

export interface SourceOptions {
  readonly seed: number;
  readonly offers: ReadonlySet<Capability>;
  readonly main: string;
  readonly hasOrders: boolean;
  readonly isLive: boolean;
  readonly crowd: number;
  readonly seeds: Seeds | undefined;
  /** NS-2, NS-8: operations that the target has elsewhere or not at all. */
  readonly isServed: (operation: OperationName) => boolean;
}

/** Rows of the covering array in one sequence: the later ones meet what the first have left. */
const MOST_ROWS = 2;

export class Source {
  readonly #options: SourceOptions;
  readonly #random: Random;
  readonly #covering: Covering;
  readonly #corpus: Corpus;
  readonly #boundaries = new Map<OperationName, (readonly [Field, Boundary])[]>();
  #turn = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    const { offers, crowd } = options;
    const operations = EVERY_OPERATION.filter((each) => this.#canDraw(each));
    this.#covering = new Covering(spaceOf({ offers, operations, crowd }), this.#random);
    this.#corpus = new Corpus(this.#random);
  }

  get coverage(): Coverage {
    return this.#corpus.coverage;
  }

  #canDraw(operation: OperationName): boolean {
    const { offers, hasOrders, isLive, isServed } = this.#options;
    const canPay = offers.has('fresh_trading_account') || offers.has('trading_account');
    if (!isServed(operation)) return false;
    if (/Position$/.test(operation)) return hasOrders && canPay;
    if (operation === 'createTransaction' || isDecision(operation)) return canPay;
    if (operation === 'issueToken') return offers.has('client');
    // On a live target no subscription is made with a url that the profile does not give.
    return !(isLive && /Webhook/.test(operation)) || offers.has('receiver');
  }

  /** The next sequence, of at most about so many calls. */
  async next(model: Model, most: number): Promise<Sequence> {
    const { seeds, ...rest } = this.#options;
    const world = await openWorld(model, seeds);
    try {
      const player = new Player(world, `draw${this.#turn}`);
      const d = new Draft({ ...rest, player, random: this.#random });
      const isMutation = this.#turn % 2 === 1 && !this.#corpus.isEmpty;
      this.#turn += 1;
      if (isMutation) {
        for (const step of this.#corpus.mutated()) {
          if (d.cost + countCalls([step]) <= most) await d.push(step);
        }
      } else await this.#rows(d, most);
      await lastLooks(d);
      this.#corpus.take(d);
      return { steps: d.steps };
    } finally {
      await world.target.close();
    }
  }

  async #rows(d: Draft, most: number): Promise<void> {
    const rows = 1 + this.#random.below(MOST_ROWS);
    const boundaries = (op: OperationName, count: number) => this.#nextBoundaries(op, count);
    for (let at = 0; at < rows && d.cost < most / 2; at += 1) {
      await playRow({ d, row: this.#covering.next(), boundaries, most });
    }
  }

  /** Each value of each member has its turn before any comes again. */
  #nextBoundaries(op: OperationName, count: number): readonly (readonly [Field, Boundary])[] {
    const deck = this.#boundaries.get(op) ?? [];
    this.#boundaries.set(op, deck);
    if (deck.length < count && OPS[op].fields.length > 0) {
      deck.push(...this.#random.shuffled(everyBoundary(op)));
    }
    return deck.splice(0, count);
  }
}
