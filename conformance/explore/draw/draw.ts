// Draws one sequence: idea by idea, each played on the model at once, so that the next is drawn by
// what is there.

import type { Random } from '../../../fixtures/random.ts';
import type { Capability } from '../../engine/capabilities.ts';
import { isSetupFailure } from '../play/judge-step.ts';
import type { Player } from '../play/player.ts';
import { callsOf, countCalls, type Sequence, type Step } from '../sequence.ts';
import type { Coverage } from './choosing/coverage.ts';
import { type ChosenTheme, chooseTheme, groundsFor, hasTheme, themeOf } from './choosing/themes.ts';
import type { Turns } from './choosing/turns.ts';
import { beside, isPlain, vary } from './choosing/variations.ts';
import type { Drawing, Idea } from './idea.ts';
import { lastLooks } from './last-looks.ts';
import { Scene } from './scene.ts';

export interface DrawParts {
  readonly ideas: readonly Idea[];
  readonly random: Random;
  readonly coverage: Coverage;
  readonly offers: ReadonlySet<Capability>;
  readonly disposable: boolean;
  readonly main: string;
  /** The most calls at once; 1: none. */
  readonly crowd: number;
  /** The most calls that the sequence may have. */
  readonly most: number;
  /** About what was drawn least so far, so that no idea waits for its luck; or as chance has it. */
  readonly sweeps: boolean;
  /** Whose turn it is to begin a sequence. */
  readonly turns: Turns;
  /** The idea that it begins with, in place of the one whose turn it is. */
  readonly lead?: string;
  /** Calls of a sequence that goes as chance has it; mostly few unless given. */
  readonly length?: number;
}

export async function drawSequence(parts: DrawParts, player: Player): Promise<Sequence> {
  const drawing = new SequenceDrawing(parts, player);
  if (parts.sweeps) await drawing.sweep();
  else await drawing.wander();
  await drawing.end();
  return { steps: drawing.steps };
}

/** What is there already serves as many ideas as come to so many calls. */
const SWEPT_CALLS = 18;
/** A grid is about enough by itself. */
const GRID_CALLS = 12;
/** So many single calls come after what a sequence is about. */
const SINGLES = 5;
/** Sweeps draw the grids; what chance puts together has room for few of their calls. */
const GRIDS_BY_CHANCE = 0.03;
/** So many grids that stand by themselves are gone through beside another. */
const BESIDE = 0.3;
/** Others in between would draw on what it counts. */
const isLimiting = ({ id }: Idea): boolean => id.startsWith('limit/');
/** Steps that an idea can do without where there is nobody to do them. */
const POWERS: Partial<Record<Step['do'], Capability>> = { settle: 'settle', ledger: 'ledger' };
/** What is made by the dozen comes where its own turn has come. */
const isMuch = ({ id }: Idea): boolean => id.startsWith('many/');
/** More than this is only sent where much may be sent. */
const MANY_CALLS = 600;

/** Mostly short, because most differences need few calls; now and then long. */
function lengthOf(random: Random): number {
  return random.weighted([5, 9, 14, 24], (calls) => (calls === 24 ? 1 : 4));
}

class SequenceDrawing {
  readonly steps: Step[] = [];
  readonly #parts: DrawParts;
  readonly #player: Player;
  readonly #d: Drawing;
  #stems = 0;
  /** A grid ends with a look of its own. */
  #looksItself = false;
  /** The rate of whoever calls is counted. */
  #isLimited = false;
  calls = 0;

  constructor(parts: DrawParts, player: Player) {
    this.#parts = parts;
    this.#player = player;
    this.#d = {
      scene: new Scene(parts.main),
      random: parts.random,
      disposable: parts.disposable,
      main: parts.main,
      offers: parts.offers,
      crowd: parts.crowd,
      most: parts.most,
      stem: () => {
        this.#stems += 1;
        return String(this.#stems);
      },
    };
  }

  /** Idea by idea as chance and a theme will have it. */
  async wander(): Promise<void> {
    const { random, most, length: wanted = lengthOf(random) } = this.#parts;
    await this.#begin();
    const length = Math.min(most, wanted);
    const theme = chooseTheme(random);
    while (this.calls < length) await this.#draw(this.#pick(theme));
  }

  /** What was drawn least, with all that it takes and what goes with it; then calls that wait. */
  async sweep(): Promise<void> {
    await this.#lead();
    if (!this.#isLimited) await this.#singles();
  }

  async #lead(): Promise<void> {
    const { random, most, lead: wanted, ideas, turns } = this.#parts;
    const lead = ideas.find(({ id }) => id === wanted) ?? turns.next(this.#possible());
    if (lead === undefined) return;
    await this.#prepare(lead);
    if (!this.#isAble(lead)) return;
    this.#looksItself = lead.isGrid === true;
    this.#isLimited = isLimiting(lead);
    if (lead.isGrid === true) await this.#drawGrid(lead);
    else await this.#draw(lead);
    const theme = themeOf(lead, random);
    const length = Math.min(most, lead.isGrid === true ? GRID_CALLS : SWEPT_CALLS);
    // Some ideas make no call, such as a pause.
    for (let left = SWEPT_CALLS; left > 0 && this.calls < length; left -= 1) {
      const goesWith = (idea: Idea) => theme.weightOf(idea) > 0.1 || isThemeless(idea);
      const fit = this.#able().filter((idea) => goesWith(idea) && !isMuch(idea));
      const next = this.#leastDrawn(fit);
      if (next === undefined) return;
      await this.#draw(next);
    }
  }

  /** Some of those that no sequence has had yet, about what is there: they need nothing else. */
  async #singles(): Promise<void> {
    const { coverage, random } = this.#parts;
    for (let left = SINGLES; left > 0; left -= 1) {
      const waiting = this.#able().filter((idea) => isSingle(idea) && !coverage.ideas.has(idea.id));
      if (waiting.length === 0) return;
      await this.#draw(random.pick(waiting));
    }
  }

  /** As it is or in other circumstances, by itself or beside another. */
  async #drawGrid(lead: Idea): Promise<void> {
    const steps = this.#take(lead);
    if (isLimiting(lead)) return this.#play(steps);
    await this.#play(vary(this.#besideAnother(steps, lead), this.#d));
  }

  #besideAnother(steps: readonly Step[], lead: Idea): readonly Step[] {
    const { random, turns } = this.#parts;
    if (!isPlain(steps) || !random.chance(BESIDE)) return steps;
    const grids = this.#possible().filter((idea) => idea.isGrid === true && !isLimiting(idea));
    const other = turns.next(grids.filter((idea) => idea !== lead));
    const its = other === undefined ? [] : this.#stepsOf(other);
    if (other === undefined || !isPlain(its)) return steps;
    this.#parts.coverage.drawn(other.id);
    return beside(steps, its, this.#d);
  }

  async #prepare(lead: Idea): Promise<void> {
    const { ideas, random } = this.#parts;
    for (const { id, isNeeded } of groundsFor(lead, random)) {
      if (!isNeeded && this.#isAble(lead)) return;
      const ground = ideas.find((each) => each.id === id);
      if (ground === undefined || !this.#possible().includes(ground)) continue;
      if (this.#isAble(ground)) await this.#draw(ground);
    }
  }

  #leastDrawn(among: readonly Idea[]): Idea | undefined {
    const { random, coverage } = this.#parts;
    // What was never drawn comes before a second time of what weighs more, mixtures first.
    const turn = (idea: Idea) => {
      const { id, weight = 1, isMixture } = idea;
      const times = coverage.ideas.get(id) ?? 0;
      if (times > 0) return (times + random.next()) / Math.sqrt(weight);
      return random.next() / (isMixture === true ? 20 : 2) / Math.sqrt(weight);
    };
    let least: Idea | undefined;
    let soonest = Number.POSITIVE_INFINITY;
    for (const idea of among) {
      const at = turn(idea);
      if (at < soonest) [least, soonest] = [idea, at];
    }
    return least;
  }

  async #begin(): Promise<void> {
    const { random, coverage } = this.#parts;
    const known = random.chance(0.3) ? coverage.pick(random) : undefined;
    if (known === undefined) return;
    const steps = known.steps.slice(0, 1 + random.below(known.steps.length));
    // New labels and stems go on after those of the sequence that is built on.
    while (this.#d.scene.label() < highestLabel(known.steps)) {}
    this.#stems = 1000;
    for (const step of steps) await this.#add(step);
  }

  /** What this target and what is left of the requests allow. */
  #possible(): readonly Idea[] {
    const { ideas, offers, crowd, most } = this.#parts;
    return ideas.filter((idea) => {
      const { id, needs = [] } = idea;
      if (crowd === 1 && id.startsWith('burst/')) return false;
      if (most < MANY_CALLS && isMuch(idea)) return false;
      return needs.every((need) => offers.has(need));
    });
  }

  #isAble({ when }: Idea): boolean {
    return when?.(this.#d.scene) ?? true;
  }

  #able(): readonly Idea[] {
    return this.#possible().filter((idea) => this.#isAble(idea));
  }

  #pick(theme: ChosenTheme): Idea {
    const { random, coverage } = this.#parts;
    return random.weighted(this.#able(), (each) => {
      const uses = coverage.ideas.get(each.id) ?? 0;
      const share = each.isGrid === true ? GRIDS_BY_CHANCE : 1;
      const weight = (each.weight ?? 1) * theme.weightOf(each) * share;
      // What is rarely met comes sooner.
      return weight / Math.sqrt(1 + uses / (each.weight ?? 1));
    });
  }

  async #draw(idea: Idea): Promise<void> {
    await this.#play(this.#take(idea));
  }

  /** Its turn has come. */
  #take(idea: Idea): readonly Step[] {
    this.#parts.coverage.drawn(idea.id);
    return this.#stepsOf(idea);
  }

  #stepsOf(idea: Idea): readonly Step[] {
    const { offers } = this.#parts;
    return idea.draw(this.#d).filter((step) => {
      const power = POWERS[step.do];
      return power === undefined || offers.has(power);
    });
  }

  async #play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#add(step);
  }

  /** What was made is looked at once more. */
  async end(): Promise<void> {
    await this.#play(lastLooks(this.#d, this.#looksItself));
  }

  /** A step that cannot be done, such as settling what has settled, is left out. */
  async #add(step: Step): Promise<void> {
    try {
      const outcomes = await this.#player.play(step);
      this.steps.push(step);
      this.calls += countCalls([step]);
      this.#d.scene.learn(step, outcomes);
    } catch (error) {
      if (!isSetupFailure(error)) throw error;
    }
  }
}

/** One of the plain calls: each shows what hardly any other shows. */
const isSingle = (idea: Idea): boolean =>
  idea.isGrid !== true && idea.isMixture !== true && !isLimiting(idea);

/** What takes a record through several calls goes with anything, where no theme has it. */
const isThemeless = (idea: Idea): boolean => idea.isMixture === true && !hasTheme(idea);

function highestLabel(steps: readonly Step[]): number {
  return Math.max(...steps.map(({ n }) => n), ...callsOf(steps).map(({ n }) => n));
}
