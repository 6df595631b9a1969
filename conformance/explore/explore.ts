// The whole of it: draws sequences, plays each on the target and on the model, and gathers what
// differs.

import { newMark } from '../engine/scenario/fresh-values.ts';
import type { Target } from '../providers/target.ts';
import { Budget } from './budget.ts';
import { inWords, signatureOf } from './compare/difference.ts';
import type { Coverage } from './draw/choosing/coverage.ts';
import { Source } from './draw/source.ts';
import { Casebook } from './findings/casebook.ts';
import { EMPTY, type Inventory, withMadeBy } from './findings/inventory.ts';
import { type Found, investigate } from './findings/investigate.ts';
import { needed } from './findings/shrink.ts';
import { settingsFor, takeSeeds } from './live.ts';
import type { Model, ModelSettings } from './model.ts';
import type { Case, Excuse } from './open/case.ts';
import { isOtherFault } from './open/order.ts';
import { type Asked, type OtherAnswer, otherAnswerFor } from './open/other-answer.ts';
import type { ExploreOptions } from './options.ts';
import type { Duel } from './play/arena.ts';
import { duel } from './play/duel.ts';
import { type Ground, Spent } from './play/ground.ts';
import { isSetupFailure } from './play/judge-step.ts';
import { commonFor, withModel } from './play/model-worlds.ts';
import { Player } from './play/player.ts';
import type { Seeds } from './play/seeds.ts';
import { tidy } from './play/tidy.ts';
import type { Sequence } from './sequence.ts';

export interface Explored {
  readonly requests: number;
  readonly sequences: number;
  readonly agreed: number;
  /** Whether the target stopped answering, so that the rest was never sent. */
  readonly isGone: boolean;
  readonly inconclusive: readonly string[];
  readonly found: readonly Found[];
  /** Differences from what the model does by no rule. */
  readonly unexplained: readonly Found[];
  /** What stays on the target; null where each sequence had a world of its own. */
  readonly inventory: Inventory | null;
  /** Open questions that differences turned out to be of, with how often. */
  readonly open: ReadonlyMap<string, number>;
  /** Settings that nobody had asked the target about, as it turned out to have them. */
  readonly learned: ModelSettings;
  readonly coverage: Coverage;
}

const ORDER: Excuse = { question: 'NS-17', why: 'which of two faults is said first' };
/** After so many sequences in a row that cannot be compared the target is taken to be gone. */
const GONE_AFTER = 8;
export async function explore(given: ExploreOptions): Promise<Explored> {
  const options = { ...given, settings: settingsFor(given.provider, given.settings) };
  const model = await options.makeModel(options.settings);
  const exploration = new Exploration(options, model);
  try {
    await exploration.run();
    return exploration.result();
  } finally {
    await exploration.close();
  }
}

class Exploration {
  readonly #options: ExploreOptions;
  /** The newest is what the target is compared with. */
  readonly #models: Model[];
  #settings: ModelSettings;
  #learned: ModelSettings = {};
  readonly #budget: Budget;
  readonly #source: Source;
  readonly #casebook = new Casebook();
  /** Sequences in a row of which nothing can be said. */
  #silent = 0;
  #keeps = false;
  #inventory = EMPTY;
  #sequences = 0;
  #agreed = 0;
  #seeds: Seeds | undefined;

  constructor(options: ExploreOptions, model: Model) {
    this.#options = options;
    this.#budget = new Budget(options);
    this.#settings = options.settings;
    this.#models = [model];
    this.#source = new Source(options, () => this.#model);
  }

  get #model(): Model {
    return this.#models.at(-1)!;
  }

  async close(): Promise<void> {
    for (const model of this.#models) await model.close();
  }

  async run(): Promise<void> {
    const { provider } = this.#options;
    try {
      await this.#begin(await provider.shared());
    } catch (error) {
      if (error instanceof Spent) return;
      if (!isSetupFailure(error)) throw error;
      this.#casebook.inconclusive.push(error.message);
    }
  }

  async #begin(shared: Target): Promise<void> {
    const { sequences, width, provider } = this.#options;
    const ground = this.#targetGround(shared);
    this.#seeds = await takeSeeds(provider, ground, {
      failed: (why) => this.#casebook.inconclusive.push(why),
      played: (player) => this.#keep(player),
    });
    const workers = sequences === undefined ? width : 0;
    await Promise.all(Array.from({ length: workers }, () => this.#work()));
    for (const sequence of sequences ?? []) await this.#compare(sequence);
  }

  result(): Explored {
    const { inconclusive, found, unexplained, open } = this.#casebook;
    return {
      requests: this.#budget.requests,
      sequences: this.#sequences,
      agreed: this.#agreed,
      isGone: this.#silent >= GONE_AFTER,
      inconclusive,
      found,
      unexplained,
      inventory: this.#keeps ? this.#inventory : null,
      open,
      learned: this.#learned,
      coverage: this.#source.coverage,
    };
  }

  #isOver(): boolean {
    const { signal, firstOnly } = this.#options;
    if (this.#silent >= GONE_AFTER || signal.aborted || this.#budget.isOver) return true;
    return firstOnly === true && this.#casebook.found.length > 0;
  }

  async #work(): Promise<void> {
    while (!this.#isOver()) {
      try {
        const { verdict } = await this.#compare(await this.#next());
        this.#silent = verdict === 'inconclusive' ? this.#silent + 1 : 0;
      } catch (error) {
        if (error instanceof Spent) return;
        if (!isSetupFailure(error)) throw error;
        this.#casebook.inconclusive.push(error.message);
        this.#silent += 1;
      }
    }
  }

  #next(): Promise<Sequence> {
    return this.#source.next({ left: this.#budget.left, seeds: this.#seeds });
  }

  async #compare(sequence: Sequence): Promise<Duel> {
    const settings = this.#settings;
    const played = await this.#duel(sequence);
    this.#sequences += 1;
    if (played.verdict === 'agrees') this.#agreed += 1;
    if (played.verdict === 'inconclusive') this.#casebook.inconclusive.push(played.why ?? '');
    for (const each of played.excused) this.#casebook.excuse(each);
    if (played.difference !== undefined) await this.#look(sequence, played, settings);
    this.#options.onProgress?.({
      requests: this.#budget.requests,
      sequences: this.#sequences,
      differences: this.#casebook.found.length,
    });
    return played;
  }

  async #duel(sequence: Sequence): Promise<Duel> {
    const { provider } = this.#options;
    const target = await provider.own();
    const player = new Player(this.#targetGround(target), newMark());
    try {
      const common = commonFor(this.#settings, this.#seeds);
      return await withModel(this.#model, common, (arena) => duel(sequence, arena, player));
    } finally {
      if (!target.disposable) await this.#leave(sequence, player);
      await target.close();
    }
  }

  /** However a play has ended: what it has made is ended there, and told of. */
  async #leave({ steps }: Sequence, player: Player): Promise<void> {
    await this.#budget.inOvertime(() => tidy(steps, player));
    this.#keep(player);
  }

  #keep(player: Player): void {
    this.#keeps = true;
    this.#inventory = withMadeBy(this.#inventory, player);
  }

  /** `settings` are those of the model that it was played on. */
  async #look(sequence: Sequence, played: Duel, settings: ModelSettings): Promise<void> {
    const { difference, case: own } = played;
    if (difference === undefined) return;
    // What the model has learned of the target meanwhile may be all that it differs in.
    if (settings !== this.#settings) return void (await this.#compare(sequence));
    const met = signatureOf(difference);
    if (this.#casebook.knows(difference)) return;
    const isOrder = own !== undefined && (await this.#isOrder(sequence, own));
    if (isOrder) return this.#casebook.isOpen(met, ORDER);
    const again = (each: Sequence) => this.#duel(each);
    this.#budget.releaseLast();
    const found = await investigate(sequence, difference, again, () => this.#budget.left);
    if (typeof found === 'string') {
      this.#casebook.inconclusive.push(`${found}: ${inWords(difference)}`);
      return;
    }
    if (settings !== this.#settings) return void (await this.#compare(found.sequence));
    const open = await otherAnswerFor(found, this.#asked(again));
    if (open !== undefined) return this.#isOpen(met, open);
    if (settings !== this.#settings) return void (await this.#compare(found.sequence));
    this.#casebook.add(found, met);
    if (this.#casebook.found.length > 0) this.#budget.keepPart();
  }

  #asked(again: Asked['duel']): Asked {
    const { makeModel, provider } = this.#options;
    return {
      model: this.#model,
      commonFor: (settings) => commonFor(settings, this.#seeds),
      settings: this.#settings,
      unasked: this.#unasked(),
      makeModel,
      provider,
      duel: again,
    };
  }

  #unasked(): ReadonlySet<string> {
    const { unasked = new Set() } = this.#options;
    return new Set([...unasked].filter((setting) => !(setting in this.#learned)));
  }

  /** From an answer that nobody had asked for the model learns; any other is as open as before. */
  async #isOpen(met: string, { excuse, learned }: OtherAnswer): Promise<void> {
    if (Object.keys(learned).length === 0) return this.#casebook.isOpen(met, excuse);
    this.#casebook.excuse(excuse);
    this.#learned = { ...this.#learned, ...learned };
    this.#settings = { ...this.#settings, ...learned };
    // The older ones are still in play elsewhere.
    this.#models.push(await this.#options.makeModel(this.#settings));
  }

  async #isOrder(sequence: Sequence, own: Case): Promise<boolean> {
    const common = commonFor(this.#settings, this.#seeds);
    return isOtherFault(needed(sequence, own.step.n), own, (steps) =>
      withModel(this.#model, common, async ({ openModel }) => {
        const player = new Player(await openModel(), newMark());
        for (const step of steps) await player.play(step);
        return player.outcomes.get(own.step.n);
      }),
    );
  }

  #targetGround(target: Target): Ground {
    const { sender, timeoutMs, pacer, signal, orders } = this.#options;
    const ground: Ground = {
      target,
      sender,
      timeoutMs,
      isSteady: target.offers.has('clock') && target.disposable,
      settlesLate: this.#settings.settlement_delay_ms === null,
      signal,
      orders,
      spend: (count) => this.#budget.spend(count),
    };
    return pacer === undefined ? ground : { ...ground, pacer };
  }
}
