// Draws sequences: alternately from the covering array and by mutation of the corpus. The seed and
// the model decide everything; the answers of a target never do.
import { Random } from '../../../fixtures/random.ts';
import { isDecision, type OperationName } from '../../spec/operations.ts';
import type { Ground } from '../play/ground.ts';
import { Player } from '../play/player.ts';
import { countCalls, type Sequence } from '../sequence.ts';
import { type Boundary, boundariesOf } from './boundaries.ts';
import { Corpus, type Coverage } from './corpus.ts';
import { Covering, type Space } from './covering.ts';
import { Draft, type DraftOptions } from './draft.ts';
import { DIMENSIONS, type Levels, playRow, weightOf } from './levels.ts';
import { EVERY_OPERATION, type Field, OPS, type Op } from './operations.ts';
import { finalReads, STATES, subjectOf } from './records.ts';

export type SourceOptions = Pick<
  DraftOptions,
  'offers' | 'main' | 'hasOrders' | 'isLive' | 'crowd'
> & { readonly seed: number };

/** Rows of the covering array in one sequence: later rows use the records of earlier ones. */
const MOST_ROWS = 9;
/** The share of mutated sequences, before and after the covering array is covered. */
const MUTATIONS = { early: 0.2, late: 0.5 };

export class Source {
  readonly #options: SourceOptions;
  readonly #random: Random;
  readonly #covering: Covering;
  readonly #corpus: Corpus;
  readonly #boundaries = new Map<Op, (readonly [Field, Boundary])[]>();
  #turn = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#covering = new Covering(spaceOf(options), this.#random);
    this.#corpus = new Corpus(this.#random);
  }

  get coverage(): Coverage {
    return this.#corpus.coverage;
  }

  /** The next sequence, of about `most` calls at most, drawn on a new world of the model. */
  async next(world: Ground, most: number): Promise<Sequence> {
    const player = new Player(world, `draw${this.#turn}`);
    const boundaries = (op: Op, count: number) => this.#nextBoundaries(op, count);
    const d = new Draft({ ...this.#options, player, random: this.#random, most, boundaries });
    const { early, late } = MUTATIONS;
    const isMutation = this.#random.chance(this.#covering.isCovered ? late : early);
    this.#turn += 1;
    if (isMutation) {
      for (const step of this.#corpus.mutated()) {
        if (d.cost + countCalls([step]) <= most) await d.push(step);
      }
    } else {
      const rows = 1 + this.#random.below(MOST_ROWS);
      for (let at = 0; at < rows && d.cost < most / 2; at += 1) {
        await playRow(this.#covering.next(), d);
      }
    }
    const drawn = [...d.steps];
    await finalReads(d);
    this.#corpus.take(d, drawn);
    return { steps: d.steps };
  }

  /** Each value of each member is used before any is used again. */
  #nextBoundaries(op: Op, count: number): readonly (readonly [Field, Boundary])[] {
    const deck = this.#boundaries.get(op) ?? [];
    this.#boundaries.set(op, deck);
    if (deck.length < count) {
      // No value at all and a wrong type come first: they are few, and no member accepts them by chance.
      const isFirst = (each: Boundary) => each === 'absent' || typeof each.value !== 'string';
      const all = this.#random.shuffled(
        op.fields.flatMap((field) => boundariesOf(field).map((each) => [field, each] as const)),
      );
      deck.push(
        ...all.filter(([, each]) => isFirst(each)),
        ...all.filter(([, each]) => !isFirst(each)),
      );
    }
    return deck.splice(0, count);
  }
}

function canDraw(operation: OperationName, { offers, hasOrders, isLive }: SourceOptions): boolean {
  const canPay = offers.has('fresh_trading_account') || offers.has('trading_account');
  if (/Position$/.test(operation)) return hasOrders && canPay;
  if (operation === 'createTransaction' || isDecision(operation)) return canPay;
  if (operation === 'issueToken') return offers.has('client');
  // On a live target no subscription is created with a URL that the profile does not give.
  return !(isLive && /Webhook/.test(operation)) || offers.has('receiver');
}

/** The levels that a target supports, of all dimensions. */
function spaceOf(options: SourceOptions): Space {
  const { offers, crowd } = options;
  const tables: readonly (readonly [string, Levels<unknown>])[] = Object.entries(DIMENSIONS);
  const dimensions = tables.map(([name, levels]) => ({
    name,
    levels: Object.entries(levels)
      .filter(([, { needs = [] }]) => needs.every((need) => offers.has(need)))
      .filter(([, { isConcurrent = false }]) => crowd > 1 || !isConcurrent)
      .map(([level]) => level),
  }));
  const all: Readonly<Record<string, Levels<unknown>>> = DIMENSIONS;
  return {
    operations: EVERY_OPERATION.filter((each) => canDraw(each, options)),
    dimensions: [{ name: 'state', levels: STATE_NUMBERS }, ...dimensions],
    weigh: (operation, name, level) => {
      const op = OPS[operation];
      if (name !== 'state') return weightOf(all[name]![level]!, op);
      const resource = subjectOf(op);
      return resource !== undefined && Number(level) < STATES[resource].length ? 1 : 0;
    },
  };
}

const STATE_NUMBERS = Object.values(STATES)
  .reduce((longest, each) => (each.length > longest.length ? each : longest))
  .map((_, at) => String(at));
