// Draws one sequence: idea by idea, each played on the model at once, so that the next is drawn by
// what is there.
import type { Capability } from '../../engine/capabilities.ts';
import { isHindrance } from '../play/judge-step.ts';
import type { Player } from '../play/player.ts';
import { callsOf, type Sequence, type Step } from '../sequence.ts';
import type { Coverage } from './coverage.ts';
import type { Drawing, Idea } from './idea.ts';
import type { Random } from './random.ts';
import { rereadAccount, rereadTransaction } from './rereads.ts';
import { Scene } from './scene.ts';
import { type ChosenTheme, chooseTheme } from './themes.ts';

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
}

export async function drawSequence(parts: DrawParts, player: Player): Promise<Sequence> {
  const drawing = new SequenceDrawing(parts, player);
  await drawing.begin();
  const length = Math.min(parts.most, lengthOf(parts.random));
  const theme = chooseTheme(parts.random);
  while (drawing.calls < length) await drawing.more(theme);
  await drawing.end();
  return { steps: drawing.steps };
}

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
  calls = 0;

  constructor(parts: DrawParts, player: Player) {
    this.#parts = parts;
    this.#player = player;
    this.#d = {
      scene: new Scene(),
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

  async begin(): Promise<void> {
    const { random, coverage } = this.#parts;
    const known = random.chance(0.3) ? coverage.pick(random) : undefined;
    if (known === undefined) return;
    const steps = known.steps.slice(0, 1 + random.below(known.steps.length));
    // New labels and stems go on after those of the sequence that is built on.
    while (this.#d.scene.label() < highestLabel(known.steps)) {}
    this.#stems = 1000;
    for (const step of steps) await this.#add(step);
  }

  async more(theme: ChosenTheme): Promise<void> {
    const { ideas, random, coverage, offers, crowd, most } = this.#parts;
    const able = ideas.filter(
      ({ id, needs = [], when }) =>
        (crowd > 1 || !id.startsWith('burst/')) &&
        (most >= 600 || !id.startsWith('many/')) &&
        needs.every((need) => offers.has(need)) &&
        (when?.(this.#d.scene) ?? true),
    );
    const idea = random.weighted(able, (each) => {
      const uses = coverage.ideas.get(each.id) ?? 0;
      const weight = (each.weight ?? 1) * theme.weightOf(each);
      // What is rarely met comes sooner.
      return weight / Math.sqrt(1 + uses / (each.weight ?? 1));
    });
    coverage.drawn(idea.id);
    for (const step of idea.draw(this.#d)) await this.#add(step);
  }

  /** What was made is looked at once more: an answer may say what is not so. */
  async end(): Promise<void> {
    const { random, offers } = this.#parts;
    const { accounts, transactions, places } = this.#d.scene;
    const last = <T>(all: readonly T[], count: number) => all.slice(-count);
    for (const account of last(accounts, 2)) {
      if (random.chance(0.6)) await this.#add(rereadAccount(this.#d, account));
    }
    for (const transaction of last(transactions, 2)) {
      if (random.chance(0.7)) await this.#add(rereadTransaction(this.#d, transaction));
    }
    if (!offers.has('ledger') || transactions.length === 0) return;
    for (const { tradingAccount } of last(places, 2)) {
      await this.#add({ do: 'ledger', n: this.#d.scene.label(), tradingAccount });
    }
  }

  /** A step that cannot be done, such as settling what has settled, is left out. */
  async #add(step: Step): Promise<void> {
    try {
      const outcomes = await this.#player.play(step);
      this.steps.push(step);
      this.calls += callsOf([step]).length + (step.do === 'many' ? step.count : 0);
      this.#d.scene.learn(step, outcomes);
    } catch (error) {
      if (!isHindrance(error)) throw error;
    }
  }
}

function highestLabel(steps: readonly Step[]): number {
  return Math.max(...steps.map(({ n }) => n), ...callsOf(steps).map(({ n }) => n));
}
