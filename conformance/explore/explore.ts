// The main loop: draws sequences, plays each on the target, compares it with the model, and
// investigates differences. Rounds keep a run repeatable: the sequences of a round are played
// concurrently and compared in the order in which they were drawn.
import type { Pacer } from '../engine/pace/pacer.ts';
import { newMark } from '../engine/scenario/fresh-values.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Provider, Target } from '../providers/target.ts';
import { OPERATIONS } from '../spec/operations.ts';
import { type Difference, inWords, isLike } from './compare/difference.ts';
import { type Known, Reference } from './compare/reference.ts';
import { hasBursts } from './compare/run.ts';
import { nowOf } from './compare/sides.ts';
import { type Coverage, noCoverage } from './draw/corpus.ts';
import { Source } from './draw/source.ts';
import { blame } from './findings/blame.ts';
import { Book, type Found, type Shown } from './findings/found.ts';
import { SHOWN_AGAIN, type Shows, shrink } from './findings/shrink.ts';
import type { ModelSettings, Models } from './model.ts';
import type { Forms } from './observe.ts';
import { isOtherFault } from './open/faults.ts';
import { otherAnswerFor } from './open/other-answer.ts';
import { untilQuiet } from './play/await-arrivals.ts';
import { type Ground, Spent } from './play/ground.ts';
import { callsIn, isSetupFailure } from './play/outcome.ts';
import { Player } from './play/player.ts';
import { offersWith, takeSeeds } from './play/seeds.ts';
import { tidy } from './play/tidy.ts';
import { callsOf, labels, needed, renumbered, type Sequence, type Step, upTo } from './sequence.ts';

export interface ExploreOptions {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly models: Models;
  readonly settings: ModelSettings;
  /** Settings that were not observed: the target may show another answer to them. */
  readonly unasked?: ReadonlySet<string>;
  /** The forms in which the target takes orders and token requests; undefined: the model's forms. */
  readonly forms?: Forms | undefined;
  readonly seed: number;
  readonly requests: number;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly pacer?: Pacer;
  readonly signal: AbortSignal;
  /** The most concurrent calls; 1: none. */
  readonly crowd: number;
  readonly width: number;
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
  /** Calls of the sequences, without the calls that reproduced a difference. */
  readonly calls: number;
  /** Calls that got no answer at first and were answered when they were retried. */
  readonly lost: number;
  readonly isGone: boolean;
  readonly inconclusive: readonly string[];
  readonly found: readonly Found[];
  /** Differences from behavior of the model that no rule requires. */
  readonly unexplained: readonly Found[];
  /** Open questions that explain differences, with the number of differences. */
  readonly open: ReadonlyMap<string, number>;
  readonly learned: ModelSettings;
  readonly coverage: Coverage;
}

/** The target counts as gone after this many rounds in which every call was lost. */
const GONE_AFTER = 3;
/** Attempts to reproduce a difference of concurrent calls, because their order is random. */
const TRIES_AT_ONCE = 4;
/** What a read or a delivery shows may be late by this much: how soon is open. */
const LATE_MS = 400;

export async function explore(options: ExploreOptions): Promise<Explored> {
  const exploration = new Exploration(options);
  try {
    await exploration.run();
    return exploration.result();
  } finally {
    await exploration.close();
  }
}

interface Played extends Omit<Shown, 'difference'> {
  /** What was known when it was compared. */
  readonly known: Known;
}

class Exploration {
  readonly #options: ExploreOptions;
  readonly #book = new Book();
  readonly #reference: Reference;
  #learned: ModelSettings = {};
  #source: Source | undefined;
  #requests = 0;
  /** Cleaning up is not limited by the budget. */
  #isUnlimited = false;
  #counts = { sequences: 0, agreed: 0, calls: 0, lost: 0 };
  #answered = 0;
  #silentRounds = 0;

  constructor(options: ExploreOptions) {
    this.#options = options;
    // NS-3: if the clock runs, the time of settlement is unknown; the model settles what the target shows.
    const isUnseen = !options.provider.offers.has('settle');
    const settings = { ...options.settings, ...(isUnseen && { settlement_delay_ms: null }) };
    const isKnown = (each: Difference) => this.#book.isKnown(each);
    this.#reference = new Reference(options.models, settings, isKnown);
  }

  close(): Promise<void> {
    return this.#reference.close();
  }

  result(): Explored {
    const { inconclusive, found, unexplained, open } = this.#book;
    return {
      ...{ ...this.#counts, requests: this.#requests, learned: this.#learned },
      ...{ inconclusive, found, unexplained, open, isGone: this.#isGone },
      lost: Math.max(0, this.#counts.lost),
      coverage: this.#coverage,
    };
  }

  get #coverage(): Coverage {
    return this.#source?.coverage ?? noCoverage();
  }

  get #left(): number {
    return this.#options.requests - this.#requests;
  }

  get #isLate(): boolean {
    return performance.now() > this.#options.untilMs;
  }

  #spend(count: number): void {
    if (!this.#isUnlimited && count > this.#left) throw new Spent('all requests are sent');
    if (!this.#isUnlimited && this.#isLate) throw new Spent('the time is over');
    this.#requests += count;
  }

  async run(): Promise<void> {
    const { provider, sequences } = this.#options;
    await this.#reference.learn({});
    try {
      const shared = await provider.shared();
      this.#reference.seeds = await takeSeeds(provider, this.#ground(shared), (why) =>
        this.#book.inconclusive.push(why),
      );
      if (sequences === undefined) await this.#rounds(shared);
      else for (const sequence of sequences) await this.#look(await this.#play(sequence));
    } catch (error) {
      if (error instanceof Spent) return;
      if (!isSetupFailure(error)) throw error;
      this.#book.inconclusive.push(error.message);
    }
  }

  async #rounds(shared: Target): Promise<void> {
    const { provider, forms, seed, crowd, width, requests } = this.#options;
    const source = new Source({
      ...{ seed, offers: offersWith(provider, this.#reference.seeds), crowd },
      ...{ main: shared.mainRole, hasOrders: forms?.hasOrders ?? true, isLive: !provider.worlds },
    });
    this.#source = source;
    const most = Math.max(30, Math.min(400, Math.round(requests / 12)));
    while (!this.#isOver) {
      const round: Sequence[] = [];
      for (let at = 0; at < width; at += 1) {
        const world = await this.#reference.world();
        round.push(await source.next(world, most).finally(() => world.target.close()));
      }
      const before = this.#answered;
      const played = await Promise.all(round.map((each) => this.#play(each).catch(ignoreSpent)));
      this.#silentRounds = this.#answered === before ? this.#silentRounds + 1 : 0;
      for (const each of played) {
        if (each !== undefined && !this.#isOver) await this.#look(each);
      }
      if (played.includes(undefined)) return;
    }
  }

  get #isGone(): boolean {
    return this.#silentRounds >= GONE_AFTER;
  }

  get #isOver(): boolean {
    return this.#isGone || this.#options.signal.aborted || this.#left <= 0 || this.#isLate;
  }

  /** Plays a sequence on the target and compares it with the model, or returns why it could not. */
  async #play(drawn: Sequence, pauses: Partial<Ground> = {}): Promise<Played | string> {
    let player: Player | undefined;
    try {
      const target = await this.#options.provider.own();
      player = new Player({ ...this.#ground(target), ...pauses }, newMark());
      player.startMs = await nowOf(player.ground);
      player.nowMs = player.startMs;
      const { sequence, why } = await playUntilFailure(drawn, player);
      await player.settle();
      await untilQuiet(player);
      const recorded = { sequence, target: player };
      const { known } = this.#reference;
      const compared = { ...(why && { why }), ...(await this.#reference.compare(recorded)) };
      this.#answered += callsIn(player.outcomes).filter(({ kind }) => kind === 'answer').length;
      return { recorded, compared, known };
    } catch (error) {
      if (isSetupFailure(error)) return error.message;
      throw error;
    } finally {
      if (player !== undefined) await this.#leave(player);
    }
  }

  async #leave(player: Player): Promise<void> {
    const { target } = player.ground;
    player.isOver = true;
    if (!target.disposable) {
      this.#isUnlimited = true;
      await tidy(player);
      this.#isUnlimited = false;
    }
    await target.close();
  }

  async #look(played: Played | string): Promise<void> {
    this.#counts.sequences += 1;
    if (typeof played === 'string') {
      this.#book.inconclusive.push(played);
      return;
    }
    this.#book.count(played.compared.seen);
    let current = played;
    for (let isLearned = true; isLearned; ) {
      const { known } = this.#reference;
      // What differed from an earlier model may have been explained since.
      if (current.known !== known) {
        const compared = await this.#reference.compare(played.recorded);
        current = { ...played, compared, known };
      }
      await this.#differences(current);
      isLearned = known !== this.#reference.known;
    }
    this.#count(current);
    this.#options.onProgress?.({
      requests: this.#requests,
      sequences: this.#counts.sequences,
      differences: this.#book.found.length,
    });
  }

  async #differences(played: Played): Promise<void> {
    for (const difference of played.compared.differences) {
      if (this.#isOver && this.#options.sequences === undefined) return;
      if (this.#book.isDone(difference)) continue;
      await this.#investigate({ ...played, difference }).catch(ignoreSpent);
      if (played.known !== this.#reference.known) return;
    }
  }

  #count({ recorded, compared }: Played): void {
    const { seen, open, why, model } = compared;
    const calls = callsIn(recorded.target.outcomes);
    this.#counts.calls += calls.length;
    // A fault of the sequence drops the answer on both sides.
    this.#counts.lost += calls.filter(
      ({ kind, n }) => kind === 'lost' && model.outcomes.get(n)?.kind !== 'lost',
    ).length;
    for (const each of open) this.#book.excuse(each);
    if (seen.length > 0) return;
    if (why === undefined) this.#counts.agreed += 1;
    else this.#book.inconclusive.push(why);
  }

  /** The difference is open, or it is reproduced, shrunk, and attributed to a rule. */
  async #investigate(met: Shown): Promise<void> {
    const { difference } = met;
    if (await this.#isOtherFault(met)) return this.#book.isOpen(difference, 'NS-17');
    const { known } = this.#reference;
    const sequence = upTo(met.recorded.sequence, difference.n);
    const shows = this.#showing(difference, sequence);
    const first = await shows(sequence, true);
    if (first === null) return this.#notShown(difference);
    // A target that is gone does not answer any other call either.
    const isGone = callsIn(first.recorded.target.outcomes).every(({ kind }) => kind === 'lost');
    if (isGone) return;
    const isOpen = await this.#openAnswer(first, difference);
    if (isOpen || known !== this.#reference.known) return;
    const shrunk = await shrink(first, shows, () => this.#left);
    const { last, reproduced } = await this.#showAgain(shrunk, shows);
    if (last === undefined) return this.#notShown(difference);
    if (await this.#isOtherFault(last)) return this.#book.isOpen(difference, 'NS-17');
    if (await this.#openAnswer(last, difference)) return;
    const { variants } = this.#options.models;
    const blamed = await blame(last, met, this.#reference, variants, this.#coverage);
    // Behind another deviation, only one that does the same as the target is certain.
    const isBehind = last.compared.seen.every(({ n }) => n !== last.difference.n);
    if (isBehind && blamed.isSure !== true) return this.#notShown(difference);
    const found: Found = {
      ...{
        ...last,
        reproduced,
        ...blamed,
        times: 1,
        met: [difference, last.difference],
      },
      calls: callsOf(last.recorded.sequence.steps).length,
      shrunkFrom: callsOf(met.recorded.sequence.steps).length,
    };
    this.#book.add(found);
    if (difference.at === 'no_answer') this.#counts.lost -= 1;
    if (blamed.variant && blamed.isSure) await this.#reference.deviate(blamed.variant);
  }

  #notShown(difference: Difference): void {
    // If the retry of a call is answered, the call was only lost.
    if (difference.at === 'no_answer') return;
    this.#book.inconclusive.push(`a difference was not met again: ${inWords(difference)}`);
  }

  /** Plays a sequence on fresh worlds until the difference shows; concurrent calls get more tries. */
  #showing(met: Difference, { steps }: Sequence): Shows {
    const place = labels(steps.at(-1)!).indexOf(met.n);
    const isCrash = met.at === 'no_answer';
    // Any call may be lost by chance: a crash shows at the same concurrent call each time.
    const isThere = ({ n }: Difference, last: Step) =>
      last.do === 'burst' ? labels(last)[place] === n : labels(last).includes(n);
    const step = callsOf(steps).find(({ n }) => n === met.n);
    const isRead = step !== undefined && OPERATIONS[step.operation].method === 'GET';
    const readPauseMs = isRead ? LATE_MS : 0;
    return async (sequence, isUnhurried = false) => {
      const last = sequence.steps.at(-1)!;
      const pauses = { readPauseMs, eventPauseMs: isUnhurried ? LATE_MS : 0 };
      const tries = hasBursts(sequence) && !isCrash ? TRIES_AT_ONCE : 1;
      for (let left = tries; left > 0; left -= 1) {
        const played = await this.#play(sequence, pauses);
        if (typeof played === 'string') continue;
        const difference = played.compared.differences.find(
          (each) => isLike(each, met) && (!isCrash || isThere(each, last)),
        );
        if (difference !== undefined) return { ...played, difference };
      }
      return null;
    };
  }

  /** The last play that shows it again, if any, and how many did. */
  async #showAgain(shrunk: Shown, shows: Shows) {
    const isCrash = shrunk.difference.at === 'no_answer';
    const plain = renumbered(upTo(shrunk.recorded.sequence, shrunk.difference.n));
    const shown: Shown[] = [];
    try {
      for (let times = 0; times < SHOWN_AGAIN; times += 1) {
        shown.push(...[await shows(plain, true)].filter((each) => each !== null));
      }
    } catch (error) {
      ignoreSpent(error);
      // A call may be lost twice by chance.
      const last = isCrash ? undefined : (shown.at(-1) ?? shrunk);
      return { last, reproduced: 'once more, with no requests or time left' };
    }
    // If a crash is not reproduced every time, the call was only lost.
    const isLost = isCrash && shown.length < SHOWN_AGAIN;
    const last = isLost ? undefined : shown.at(-1);
    return { last, reproduced: `${shown.length} of ${SHOWN_AGAIN}` };
  }

  async #isOtherFault({ recorded, difference: { pair, n } }: Shown): Promise<boolean> {
    if (pair === undefined) return false;
    const play = async (steps: readonly Step[]) => (await this.#reference.play(steps))?.at(-1);
    return isOtherFault(needed(recorded.sequence, n), pair, play);
  }

  /** Whether another answer to an open question explains it; the learned settings are kept. */
  async #openAnswer(shown: Shown, met: Difference): Promise<boolean> {
    if (met.at === 'no_answer') return false;
    const { unasked = new Set<string>() } = this.#options;
    const left = new Set([...unasked].filter((setting) => !(setting in this.#learned)));
    const answer = await otherAnswerFor(shown, this.#reference, left);
    if (answer === undefined) return false;
    const { excuse, learned } = answer;
    if (Object.keys(learned).length === 0) {
      this.#book.isOpen(met, excuse);
      return true;
    }
    this.#book.excuse(excuse);
    this.#learned = { ...this.#learned, ...learned };
    await this.#reference.learn(learned);
    await this.#book.review(async ({ recorded, difference }) => {
      const { differences } = await this.#reference.compareConforming(recorded);
      return differences.some((each) => isLike(each, difference));
    });
    return true;
  }

  #ground(target: Target): Ground {
    const { sender, timeoutMs, pacer, signal, forms } = this.#options;
    return {
      ...{ target, sender, timeoutMs, signal },
      isSteady: target.offers.has('clock') && target.disposable,
      settlesLate: this.#reference.settings.settlement_delay_ms === null,
      deliversLate: forms?.deliversLate ?? false,
      orders: forms?.orders,
      tokenForm: forms === undefined ? 'json' : forms.tokenForm,
      spend: (count) => this.#spend(count),
      ...(pacer && { pacer }),
    };
  }
}

/** If the setup of a step fails, the steps before it may show the reason. */
async function playUntilFailure(drawn: Sequence, player: Player) {
  for (const [at, step] of drawn.steps.entries()) {
    try {
      await player.play(step);
    } catch (error) {
      if (!isSetupFailure(error) || at === 0) throw error;
      return { sequence: { ...drawn, steps: drawn.steps.slice(0, at) }, why: error.message };
    }
  }
  return { sequence: drawn, why: undefined };
}

function ignoreSpent(error: unknown): undefined {
  if (error instanceof Spent) return undefined;
  throw error;
}
