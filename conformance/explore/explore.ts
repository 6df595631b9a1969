// The whole of it: draws sequences, plays each on the target, compares it with the model, and
// investigates what differs. Rounds keep it repeatable: the sequences of a round are played at the
// same time and looked at in the order in which they were drawn.
import { newMark } from '../engine/scenario/fresh-values.ts';
import type { Target } from '../providers/target.ts';
import { type Difference, inWords, likenessOf } from './compare/difference.ts';
import {
  type Compared,
  type CompareOptions,
  compareRun,
  hasBursts,
  type Recorded,
} from './compare/run.ts';
import { knownFrom, nowOf } from './compare/sides.ts';
import { type Coverage, noCoverage } from './draw/corpus.ts';
import { Source } from './draw/source.ts';
import { rulesBroken } from './findings/blame.ts';
import { labels } from './findings/cut.ts';
import { Book, type Found, type Shown } from './findings/found.ts';
import { needed, shrink, upTo } from './findings/shrink.ts';
import { titleOf } from './findings/title.ts';
import { offersWith, settingsFor, takeSeeds } from './live.ts';
import type { Model, ModelSettings } from './model.ts';
import { isOtherFault } from './open/faults.ts';
import { otherAnswerFor } from './open/other-answer.ts';
import type { Excuse } from './open/pair.ts';
import { Budget, type ExploreOptions } from './options.ts';
import { untilQuiet } from './play/await-arrivals.ts';
import { type Ground, Spent } from './play/ground.ts';
import { openWorld, withWorlds } from './play/model-world.ts';
import { callsIn, isSetupFailure } from './play/outcome.ts';
import { Player } from './play/player.ts';
import type { Seeds } from './play/seeds.ts';
import { tidy } from './play/tidy.ts';
import { callsOf, renumbered, type Sequence, type Step } from './sequence.ts';

export interface Explored {
  readonly requests: number;
  readonly sequences: number;
  readonly agreed: number;
  /** Calls of the sequences, without those that showed a difference again. */
  readonly calls: number;
  /** Calls to which no answer came, and that were answered when they were made again. */
  readonly lost: number;
  /** Whether the target stopped answering, so that the rest was never sent. */
  readonly isGone: boolean;
  readonly inconclusive: readonly string[];
  readonly found: readonly Found[];
  /** Differences from what the model does by no rule. */
  readonly unexplained: readonly Found[];
  /** Open questions that differences turned out to be of, with how often. */
  readonly open: ReadonlyMap<string, number>;
  /** Settings that the target was not asked about, as it turned out to have them. */
  readonly learned: ModelSettings;
  readonly coverage: Coverage;
}

const ORDER: Excuse = { question: 'NS-17', why: 'which of two faults is named first' };
/** After so many rounds in which every call was lost the target is taken to be gone. */
const GONE_AFTER = 3;
/** So often a difference of calls at the same time is tried to be shown: who is first is chance. */
const TRIES_AT_ONCE = 4;

export async function explore(options: ExploreOptions): Promise<Explored> {
  const settings = settingsFor(options.provider, options.settings);
  const exploration = new Exploration({ ...options, settings });
  try {
    await exploration.run();
    return exploration.result();
  } finally {
    await exploration.close();
  }
}

interface Played {
  readonly recorded: Recorded;
  readonly compared: Compared;
}

class Exploration {
  readonly #options: ExploreOptions;
  readonly #book = new Book();
  readonly #budget: Budget;
  /** The newest is what the target is compared with; sequences are drawn on the first. */
  readonly #models: Model[] = [];
  #settings: ModelSettings;
  #learned: ModelSettings = {};
  #seeds: Seeds | undefined;
  #source: Source | undefined;
  #sequences = 0;
  #agreed = 0;
  #lost = 0;
  /** Calls of sequences that were drawn, and calls that were answered at all. */
  #calls = 0;
  #answered = 0;
  #silentRounds = 0;

  constructor(options: ExploreOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#budget = new Budget(options);
  }

  get #model(): Model {
    return this.#models.at(-1)!;
  }

  async close(): Promise<void> {
    for (const model of this.#models) await model.close();
  }

  result(): Explored {
    const { inconclusive, found, unexplained, open } = this.#book;
    return {
      requests: this.#budget.requests,
      ...{ sequences: this.#sequences, agreed: this.#agreed, calls: this.#calls, lost: this.#lost },
      isGone: this.#silentRounds >= GONE_AFTER,
      ...{ inconclusive, found, unexplained, open, learned: this.#learned },
      coverage: this.#source?.coverage ?? noCoverage(),
    };
  }

  async run(): Promise<void> {
    this.#models.push(await this.#options.models.open(this.#settings));
    try {
      await this.#begin();
    } catch (error) {
      if (error instanceof Spent) return;
      if (!isSetupFailure(error)) throw error;
      this.#book.inconclusive.push(error.message);
    }
  }

  async #begin(): Promise<void> {
    const { provider, sequences } = this.#options;
    const shared = await provider.shared();
    this.#seeds = await takeSeeds(provider, this.#ground(shared), (why) =>
      this.#book.inconclusive.push(why),
    );
    if (sequences === undefined) await this.#rounds(shared);
    else for (const sequence of sequences) await this.#look(await this.#play(sequence));
  }

  async #rounds(shared: Target): Promise<void> {
    const { provider, forms, seed, crowd, width, requests } = this.#options;
    const offers = offersWith(provider, this.#seeds);
    this.#source = new Source({
      ...{ seed, offers, crowd, seeds: this.#seeds, main: shared.mainRole },
      hasOrders: forms?.hasOrders ?? true,
      isLive: !provider.worlds,
      isServed: () => true,
    });
    const [drawing] = this.#models;
    const most = Math.max(30, Math.min(400, Math.round(requests / 12)));
    while (!this.#isOver()) {
      const round: Sequence[] = [];
      for (let at = 0; at < width; at += 1) round.push(await this.#source.next(drawing!, most));
      const before = this.#answered;
      const played = await Promise.all(round.map((each) => this.#play(each).catch(unlessSpent)));
      this.#silentRounds = this.#answered === before ? this.#silentRounds + 1 : 0;
      for (const each of played) {
        if (each === undefined || this.#isOver()) continue;
        await this.#look(each);
      }
      if (played.includes(undefined)) return;
    }
  }

  #isOver(): boolean {
    const { signal, firstOnly } = this.#options;
    if (this.#silentRounds >= GONE_AFTER || signal.aborted || this.#budget.isOver) return true;
    return firstOnly === true && this.#book.found.length > 0;
  }

  /** Plays a sequence on the target, and compares it with the model. */
  async #play(sequence: Sequence): Promise<Played | string> {
    let target: Target;
    try {
      target = await this.#options.provider.own();
    } catch (error) {
      if (isSetupFailure(error)) return error.message;
      throw error;
    }
    const player = new Player(this.#ground(target), newMark());
    try {
      player.startMs = await nowOf(player.ground);
      player.nowMs = player.startMs;
      for (const step of sequence.steps) await player.play(step);
      await untilQuiet(player);
      const recorded = { sequence, target: player };
      const compared = await this.#compare(recorded);
      this.#answered += callsIn(player.outcomes).filter(({ kind }) => kind === 'answer').length;
      return { recorded, compared };
    } catch (error) {
      if (isSetupFailure(error)) return error.message;
      throw error;
    } finally {
      if (!target.disposable) {
        await this.#budget.inOvertime(() => tidy(player));
      }
      await target.close();
    }
  }

  #compare(recorded: Recorded): Promise<Compared> {
    return withWorlds(this.#model, this.#seeds, (openModel) =>
      compareRun(recorded, {
        ...{ openModel, known: knownFrom(this.#settings) },
        isKnown: (each) => this.#book.isKnown(each),
      }),
    );
  }

  #compareWith(model: Model, settings: ModelSettings = this.#settings) {
    const worlds: Target[] = [];
    const openModel = async () => {
      const world = await openWorld(model, this.#seeds);
      worlds.push(world.target);
      return world;
    };
    const close = async () => {
      await Promise.all(worlds.map((each) => each.close()));
    };
    const options: CompareOptions = { openModel, known: knownFrom(settings) };
    return { ...options, isKnown: (each: Difference) => this.#book.isKnown(each), close };
  }

  async #look(played: Played | string): Promise<void> {
    this.#sequences += 1;
    if (typeof played === 'string') {
      this.#book.inconclusive.push(played);
      return;
    }
    const { differences, open, why } = played.compared;
    const { model } = played.compared;
    const calls = callsIn(played.recorded.target.outcomes);
    this.#calls += calls.length;
    // A fault of the sequence takes the answer away on both sides.
    this.#lost += calls.filter(
      ({ kind, n }) => kind === 'lost' && model.outcomes.get(n)?.kind !== 'lost',
    ).length;
    for (const each of open) this.#book.excuse(each);
    if (why !== undefined && differences.length === 0) this.#book.inconclusive.push(why);
    if (why === undefined && differences.length === 0) this.#agreed += 1;
    for (const difference of differences) {
      if (this.#isOver() && this.#options.sequences === undefined) break;
      if (this.#book.counts(difference)) continue;
      await this.#investigate({ ...played, difference }).catch(unlessSpent);
    }
    this.#options.onProgress?.({
      requests: this.#budget.requests,
      sequences: this.#sequences,
      differences: this.#book.found.length,
    });
  }

  /** Open, or shown again from fresh, made as short as it can be, and blamed on a rule. */
  async #investigate(met: Shown): Promise<void> {
    const { difference } = met;
    const order = await this.#isOtherFault(met);
    if (order) return this.#book.isOpen(difference, ORDER);
    const settings = this.#settings;
    const sequence = upTo(met.recorded.sequence, difference.n);
    const shows = this.#showing(difference, sequence);
    const first = await shows(sequence);
    if (first === null) return this.#notShown(difference);
    if (difference.at === 'no_answer' && !(await this.#isAlive())) return;
    const early = await this.#openAnswer(first, difference);
    if (early || settings !== this.#settings) return;
    const shrunk = await shrink(first, shows, () => this.#budget.left);
    const { last, reproduced } = await this.#showAgain(shrunk, shows);
    if (last === null) return this.#notShown(difference);
    if (await this.#isOtherFault(last)) return this.#book.isOpen(difference, ORDER);
    if (await this.#openAnswer(last, difference)) return;
    const { models } = this.#options;
    const rules = await rulesBroken(last, {
      variants: (of) => models.variants(of),
      compareWith: (model) => this.#compareWith(model),
      settings: this.#settings,
    });
    const found: Found = {
      ...{
        ...last,
        sequence: last.recorded.sequence,
        reproduced,
        rules,
        times: 1,
        also: new Set<string>(),
      },
      calls: callsOf(last.recorded.sequence.steps).length,
      shrunkFrom: callsOf(met.recorded.sequence.steps).length,
    };
    this.#book.add(found, difference, titleOf(found));
    if (difference.at === 'no_answer') this.#lost = Math.max(0, this.#lost - 1);
  }

  #notShown(difference: Difference): void {
    // A call that was answered when it was made again is one that was lost.
    if (difference.at === 'no_answer') return;
    this.#book.inconclusive.push(`a difference was not met again: ${inWords(difference)}`);
  }

  /** Whether a target that did not answer one call answers any other. */
  async #isAlive(): Promise<boolean> {
    const brand = { $role: 'firm', has: 'brand' } as const;
    const email = { $join: [{ $fresh: 'alive' }, '@explore.example.com'] } as const;
    const body = { client_reference_id: { $fresh: 'alive' }, email, brand_id: brand };
    const call = { do: 'call', as: (await this.#options.provider.shared()).mainRole } as const;
    const create = { ...call, n: 1, operation: 'createAccount', key: { $fresh: 'alive' } } as const;
    const steps = [{ ...create, body }, { ...call, n: 2, operation: 'listWebhooks' } as const];
    const played = await this.#play({ steps });
    if (typeof played === 'string') return false;
    return callsIn(played.recorded.target.outcomes).some(({ kind }) => kind === 'answer');
  }

  /** Plays a sequence from fresh until the difference shows, as often as chance makes it worth. */
  #showing(met: Difference, { steps }: Sequence) {
    const wanted = likenessOf(met);
    const place = labels(steps.at(-1)!).indexOf(met.n);
    const isCrash = met.at === 'no_answer';
    // Any call may be lost by chance: a crash is met at the same call of those at once, each time.
    const isThere = ({ n }: Difference, last: Step) =>
      last.do === 'burst' ? labels(last)[place] === n : labels(last).includes(n);
    const isMet = (each: Difference, last: Step) =>
      likenessOf(each) === wanted && (!isCrash || isThere(each, last));
    return async (sequence: Sequence): Promise<Shown | null> => {
      const last = sequence.steps.at(-1)!;
      const tries = hasBursts(sequence) && !isCrash ? TRIES_AT_ONCE : 1;
      for (let left = tries; left > 0; left -= 1) {
        const played = await this.#play(sequence);
        if (typeof played === 'string') continue;
        const difference = played.compared.differences.find((each) => isMet(each, last));
        if (difference !== undefined) return { ...played, difference };
      }
      return null;
    };
  }

  async #showAgain(shrunk: Shown, shows: (sequence: Sequence) => Promise<Shown | null>) {
    const plain = renumbered(upTo(shrunk.recorded.sequence, shrunk.difference.n));
    let [shown, times] = [0, 0];
    let last: Shown | null = null;
    try {
      for (; times < 2; times += 1) {
        const again = await shows(plain);
        if (again === null) continue;
        shown += 1;
        last = again;
      }
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
      // A call may be lost twice by chance.
      const kept = shrunk.difference.at === 'no_answer' ? null : (last ?? shrunk);
      return { last: kept, reproduced: 'once more, with no requests or time left' };
    }
    // A crash that is not met each time is a call that was lost.
    const isFlaky = shrunk.difference.at === 'no_answer' && shown < times;
    return { last: isFlaky ? null : last, reproduced: `${shown} of ${times}` };
  }

  async #isOtherFault({ recorded, difference }: Shown): Promise<boolean> {
    const { pair, n } = difference;
    if (pair === undefined) return false;
    const steps = needed(recorded.sequence, n);
    return withWorlds(this.#model, this.#seeds, (openModel) =>
      isOtherFault(steps, pair, async (played) => {
        const player = new Player(await openModel(), newMark());
        try {
          for (const step of played) await player.play(step);
        } catch (error) {
          if (!isSetupFailure(error)) throw error;
        }
        return player.outcomes.get(n);
      }),
    );
  }

  /** Whether another answer to an open question explains it; what is learned of it is kept. */
  async #openAnswer(shown: Shown, met: Difference): Promise<boolean> {
    if (met.at === 'no_answer') return false;
    const { models, unasked = new Set<string>() } = this.#options;
    const found = await otherAnswerFor(shown, {
      ...{ models, settings: this.#settings },
      unasked: new Set([...unasked].filter((setting) => !(setting in this.#learned))),
      compareWith: (model, settings) => this.#compareWith(model, settings),
    });
    if (found === undefined) return false;
    if (Object.keys(found.learned).length === 0) {
      this.#book.isOpen(met, found.excuse);
      return true;
    }
    this.#book.excuse(found.excuse);
    this.#learned = { ...this.#learned, ...found.learned };
    this.#settings = { ...this.#settings, ...found.learned };
    this.#models.push(await models.open(this.#settings));
    return true;
  }

  #ground(target: Target): Ground {
    const { sender, timeoutMs, pacer, signal, forms } = this.#options;
    const ground: Ground = {
      ...{ target, sender, timeoutMs, signal },
      isSteady: target.offers.has('clock') && target.disposable,
      settlesLate: this.#settings.settlement_delay_ms === null,
      orders: forms?.orders,
      tokenForm: forms === undefined ? 'json' : forms.tokenForm,
      spend: (count) => this.#budget.spend(count),
    };
    return pacer === undefined ? ground : { ...ground, pacer };
  }
}

function unlessSpent(error: unknown): undefined {
  if (error instanceof Spent) return undefined;
  throw error;
}
