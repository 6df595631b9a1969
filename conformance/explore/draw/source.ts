// Draws sequences: by turns a new one from the covering array, and one made of those that were
// drawn before. Everything is decided by the seed and by the model, never by what a target answers.
import { Random } from '../../../fixtures/random.ts';
import type { Capability } from '../../engine/capabilities.ts';
import { isDecision, type OperationName } from '../../spec/operations.ts';
import type { Ground } from '../play/ground.ts';
import { Player } from '../play/player.ts';
import { countCalls, type Sequence } from '../sequence.ts';
import { type Boundary, boundariesOf } from './boundaries.ts';
import { Corpus, type Coverage } from './corpus.ts';
import { Covering, type Row, type Space } from './covering.ts';
import { Draft } from './draft.ts';
import { DIMENSIONS, type Levels, playRow } from './levels.ts';
import { EVERY_OPERATION, type Field, OPS } from './operations.ts';
import { lastLooks, STATES, subjectOf } from './records.ts';

export interface SourceOptions {
  readonly seed: number;
  readonly offers: ReadonlySet<Capability>;
  readonly main: string;
  readonly hasOrders: boolean;
  readonly isLive: boolean;
  readonly crowd: number;
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
    this.#covering = new Covering(spaceOf(options), this.#random);
    this.#corpus = new Corpus(this.#random);
  }

  get coverage(): Coverage {
    return this.#corpus.coverage;
  }

  /** The next sequence, of at most about so many calls, drawn on a new world of the model. */
  async next(world: Ground, most: number): Promise<Sequence> {
    const player = new Player(world, `draw${this.#turn}`);
    const d = new Draft({ ...this.#options, player, random: this.#random });
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
  }

  async #rows(d: Draft, most: number): Promise<void> {
    const rows = 1 + this.#random.below(MOST_ROWS);
    for (let at = 0; at < rows && d.cost < most / 2; at += 1) {
      const row = this.#covering.next();
      const boundaries = (count: number) =>
        this.#nextBoundaries(row.operation as OperationName, count);
      await playRow(row, { d, boundaries, most });
    }
  }

  /** Each value of each member has its turn before any comes again. */
  #nextBoundaries(op: OperationName, count: number): readonly (readonly [Field, Boundary])[] {
    const deck = this.#boundaries.get(op) ?? [];
    this.#boundaries.set(op, deck);
    const { fields } = OPS[op];
    if (deck.length < count && fields.length > 0) {
      const all = fields.flatMap((field) =>
        boundariesOf(field).map((each) => [field, each] as const),
      );
      deck.push(...this.#random.shuffled(all));
    }
    return deck.splice(0, count);
  }
}

function canDraw(operation: OperationName, { offers, hasOrders, isLive }: SourceOptions): boolean {
  const canPay = offers.has('fresh_trading_account') || offers.has('trading_account');
  if (/Position$/.test(operation)) return hasOrders && canPay;
  if (operation === 'createTransaction' || isDecision(operation)) return canPay;
  if (operation === 'issueToken') return offers.has('client');
  // On a live target no subscription is made with a url that the profile does not give.
  return !(isLive && /Webhook/.test(operation)) || offers.has('receiver');
}

/** What a target offers of all that a focal call can be combined with. */
function spaceOf(options: SourceOptions): Space {
  const { offers, crowd } = options;
  const concurrent = ['twins', 'rivals', 'crowd', 'twins and a rival'];
  const all: Readonly<Record<string, Levels<unknown>>> = DIMENSIONS;
  const dimensions = Object.entries(all).map(([name, levels]) => ({
    name,
    levels: Object.entries(levels)
      .filter(([, { needs = [] }]) => needs.every((need) => offers.has(need)))
      .map(([level]) => level)
      .filter((level) => crowd > 1 || !concurrent.includes(level)),
  }));
  const most = Math.max(...Object.values(STATES).map(({ length }) => length));
  return {
    dimensions: [
      { name: 'operation', levels: EVERY_OPERATION.filter((each) => canDraw(each, options)) },
      { name: 'state', levels: Array.from({ length: most }, (_, at) => String(at)) },
      ...dimensions,
    ],
    triples: [
      ['key', 'state', 'gap'],
      ['after', 'sending', 'gap'],
      ['operation', 'caller', 'state'],
    ],
    allows,
  };
}

function allows(row: Row): boolean {
  // Everything else depends on the operation.
  if (row.operation === undefined) return true;
  const op = OPS[row.operation as OperationName];
  const resource = subjectOf(op);
  const states = resource === undefined ? 1 : STATES[resource].length;
  if (Number(row.state ?? 0) >= states) return false;
  return Object.entries(DIMENSIONS).every(([name, levels]) => {
    const all: Levels<unknown> = levels;
    return all[row[name] ?? '']?.only?.(op) !== false;
  });
}
