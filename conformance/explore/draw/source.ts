// Draws sequences: alternately from the covering array and by mutation of the corpus. The seed and
// the model decide everything; the answers of a target never do.
import { Random } from '../../../fixtures/random.ts';
import { isDecision, type OperationName } from '../../spec/operations.ts';
import type { Ground } from '../play/ground.ts';
import { Player } from '../play/player.ts';
import { countCalls, type Sequence } from '../sequence.ts';
import { type Boundary, boundariesOf } from './boundaries.ts';
import { Corpus, type Coverage } from './corpus.ts';
import { Draft, type DraftOptions } from './draft.ts';
import { DIMENSIONS, type Levels, playRow, type Row, weightOf } from './levels.ts';
import { EVERY_OPERATION, type Field, OPS, type Op } from './operations.ts';
import { finalReads } from './records.ts';

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
    const operations = EVERY_OPERATION.filter((each) => canDraw(each, options));
    this.#covering = new Covering(operations, dimensionsFor(options), this.#random);
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

/** The levels that a target supports. */
function dimensionsFor({ offers, crowd }: SourceOptions): readonly Dimension[] {
  const tables: readonly (readonly [string, Levels<unknown>])[] = Object.entries(DIMENSIONS);
  return tables.map(([name, levels]) => ({
    name,
    levels: Object.entries(levels)
      .filter(([, { needs = [] }]) => needs.every((need) => offers.has(need)))
      .filter(([, { isConcurrent = false }]) => crowd > 1 || !isConcurrent),
  }));
}

interface Dimension {
  readonly name: string;
  /** The plain level first. */
  readonly levels: readonly (readonly [level: string, Levels<unknown>[string]])[];
}

interface Single {
  readonly operation: OperationName;
  readonly name: string;
  readonly level: string;
  readonly weight: number;
}

/** A level of a dimension, with the operations that it applies to. */
interface Turn {
  readonly singles: readonly Single[];
  readonly share: number;
  due: number;
}

/** How many more dimensions of a row are not plain, each as likely as it is frequent here. */
const MORE: readonly number[] = [0, 1, 1, 2];

/**
 * A covering array that grows row by row. Each row tests one level of one dimension: the level whose
 * turn it is, for the operation that it was used least for. Few of the other dimensions leave their
 * plain level, so that they do not mask its effect; those that do add pairs of levels that no row had
 * before.
 */
class Covering {
  readonly #random: Random;
  readonly #dimensions: readonly Dimension[];
  readonly #turns: readonly Turn[];
  readonly #uses = new Map<string, number>();

  constructor(
    operations: readonly OperationName[],
    dimensions: readonly Dimension[],
    random: Random,
  ) {
    this.#random = random;
    this.#dimensions = dimensions;
    const singlesOf = (name: string, [level, each]: Dimension['levels'][number]) =>
      operations
        .map((operation) => ({ operation, name, level, weight: weightOf(each, OPS[operation]) }))
        .filter(({ weight }) => weight > 0);
    this.#turns = dimensions
      .flatMap(({ name, levels }) => levels.slice(1).map((level) => singlesOf(name, level)))
      .filter((singles) => singles.length > 0)
      .map((singles) => {
        const all = singles.reduce((sum, { weight }) => sum + weight, 0);
        // A level of few operations is used more often for each of them.
        const share = all / Math.sqrt(singles.length);
        return { singles, share, due: random.next() / share };
      });
  }

  get isCovered(): boolean {
    return this.#turns.every(({ singles }) => singles.every((each) => this.#uses.has(keyOf(each))));
  }

  next(): Row {
    const turn = this.#turns.reduce((first, each) => (each.due < first.due ? each : first));
    turn.due += 1 / turn.share;
    const focus = this.#least(turn.singles, []);
    const { operation } = focus;
    const chosen = [focus];
    const others = this.#dimensions.filter(({ name }) => name !== focus.name);
    const more = this.#random.pick(MORE);
    const singles = this.#turns.flatMap((each) => each.singles);
    for (const { name } of this.#random.shuffled(others).slice(0, more)) {
      const own = singles.filter((each) => each.operation === operation && each.name === name);
      if (own.length > 0) chosen.push(this.#least(own, chosen));
    }
    for (const [at, each] of chosen.entries()) {
      for (const key of keysOf(each, chosen.slice(0, at))) {
        this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
      }
    }
    const plain = this.#dimensions.map(({ name, levels }) => [name, levels[0]![0]] as const);
    const levels = chosen.map(({ name, level }) => [name, level] as const);
    return { ...Object.fromEntries([...plain, ...levels]), operation };
  }

  /** The level that was combined least often with the chosen levels. */
  #least(singles: readonly Single[], beside: readonly Single[]): Single {
    const usesOf = (each: Single) =>
      keysOf(each, beside).reduce((sum, key) => sum + (this.#uses.get(key) ?? 0), 0) / each.weight;
    const all = this.#random.shuffled(singles).map((each) => ({ each, uses: usesOf(each) }));
    return all.reduce((least, other) => (other.uses < least.uses ? other : least)).each;
  }
}

/** A level with its operation, and its pairs with the other levels for any operation. */
const keysOf = (single: Single, others: readonly Single[]): readonly string[] => {
  const levelOf = ({ name, level }: Single) => `${name}=${level}`;
  return [keyOf(single), ...others.map((each) => [each, single].map(levelOf).sort().join(' '))];
};

const keyOf = ({ operation, name, level }: Single) => `${operation} ${name}=${level}`;
