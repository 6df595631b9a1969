// Where the sequences of an exploration come from, one after another.

import { Random } from '../../../fixtures/random.ts';
import { newMark } from '../../engine/scenario/fresh-values.ts';
import { offersWith } from '../live.ts';
import type { Model } from '../model.ts';
import type { ExploreOptions } from '../options.ts';
import { openWorld } from '../play/model-worlds.ts';
import { Player } from '../play/player.ts';
import type { Seeds } from '../play/seeds.ts';
import { countCalls, type Sequence } from '../sequence.ts';
import type { Place } from './choosing/costs.ts';
import { Coverage } from './choosing/coverage.ts';
import { Turns } from './choosing/turns.ts';
import { drawSequence } from './draw.ts';
import { ideas as everyIdea } from './ideas.ts';
import { DEAR_IDEAS } from './mixtures/many.ts';

const DRAWN_AT_ONCE = 2;
/** So many sequences are about what was drawn least so far. */
const SWEEPS = 0.9;
/** And so many are all of a brand's credential where a firm's does the others. */
const BY_BRAND = 0.12;

/** What is there when a sequence is drawn. */
interface Present {
  /** The requests that are left. */
  readonly left: number;
  readonly seeds: Seeds | undefined;
}

export class Source {
  readonly coverage = new Coverage();
  readonly #options: ExploreOptions;
  readonly #model: () => Model;
  #turns: Turns | undefined;
  #drawing: Promise<unknown> = Promise.resolve();
  #drawn = 0;
  #calls = 0;
  #wasDear = false;

  constructor(options: ExploreOptions, model: () => Model) {
    this.#options = options;
    this.#model = model;
  }

  /** Drawn one after another, so that the seed decides them all, whichever is played first. */
  next(present: Present): Promise<Sequence> {
    const next = this.#drawing.then(() => {
      this.#drawn += 1;
      return this.#draw(new Random(this.#options.seed * 1_000_003 + this.#drawn), present);
    });
    this.#drawing = next.catch(() => undefined);
    return next;
  }

  async #draw(random: Random, present: Present): Promise<Sequence> {
    const lead = this.#dearOnce();
    const sweeps = lead !== undefined || random.chance(SWEEPS);
    let best = await this.#drawOne(random, present, sweeps, lead);
    // Of those that chance draws the one in which most is new: the model's time costs no request.
    for (let more = 1; more < DRAWN_AT_ONCE && !best.sweeps; more += 1) {
      const other = await this.#drawOne(random, present, false);
      if (other.novelty > best.novelty) best = other;
    }
    this.coverage.take(best.sequence, best.outcomes);
    this.#calls += countCalls(best.sequence.steps);
    return best.sequence;
  }

  /** Half-way, where enough may be sent. */
  #dearOnce(): string | undefined {
    const { requests } = this.#options;
    if (this.#wasDear || this.#calls < requests / 2) return;
    this.#wasDear = true;
    return DEAR_IDEAS.find(({ from }) => requests >= from)?.id;
  }

  #turnsOf(place: Place): Turns {
    const { ideas = everyIdea, seed } = this.#options;
    const { coverage } = this;
    this.#turns ??= new Turns({ ...place, ideas, random: new Random(seed), coverage });
    return this.#turns;
  }

  /** Drawn on a world of the model that is given up afterwards. */
  async #drawOne(random: Random, { left, seeds }: Present, sweeps: boolean, lead?: string) {
    const { provider, crowd, ideas = everyIdea, length } = this.#options;
    const { mainRole, disposable, offers } = await provider.shared();
    const isBrands = mainRole === 'firm' && offers.has('brand') && random.chance(BY_BRAND);
    const place = { main: mainRole, disposable, offers: offersWith(provider, seeds) };
    const ground = await openWorld(this.#model(), seeds);
    try {
      const player = new Player(ground, newMark());
      const common = {
        ideas,
        random,
        coverage: this.coverage,
        turns: this.#turnsOf(place),
        offers: place.offers,
      };
      const most = Math.max(1, left);
      const how = {
        disposable,
        main: isBrands ? 'brand' : mainRole,
        crowd,
        most,
        sweeps: sweeps && !length,
      };
      const wanted = { ...(lead && { lead }), ...(length && { length }) };
      const sequence = await drawSequence({ ...common, ...how, ...wanted }, player);
      const novelty = this.coverage.noveltyOf(sequence, player.outcomes);
      return { sequence, outcomes: player.outcomes, sweeps, novelty };
    } finally {
      await ground.target.close();
    }
  }
}
