// What an exploration is given.
import type { Pacer } from '../engine/pace/pacer.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Provider } from '../providers/target.ts';
import type { LearnedOrders } from '../scenarios/support/orders.ts';
import type { Idea } from './draw/idea.ts';
import type { MakeModel, ModelSettings } from './model.ts';
import type { Sequence } from './sequence.ts';

export interface ExploreOptions {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly makeModel: MakeModel;
  /** How the model answers the open questions. */
  readonly settings: ModelSettings;
  /** Settings that nobody has asked the target about: it may show another answer to them. */
  readonly unasked?: ReadonlySet<string>;
  /** NS-1: how the target takes orders, where that is another form than the model's. */
  readonly orders?: LearnedOrders | undefined;
  readonly seed: number;
  /** No more than so many are sent to the target. */
  readonly requests: number;
  /** Not sent once a difference is known: with them the judge is asked of it. */
  readonly kept?: number;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly pacer?: Pacer;
  readonly signal: AbortSignal;
  /** The most calls at once; 1: none. */
  readonly crowd: number;
  /** Sequences in play at once. */
  readonly width: number;
  /** What is drawn from: every idea there is, unless a proof is about some of them. */
  readonly ideas?: readonly Idea[];
  /** Sequences of so many calls, as chance has them: for proofs. */
  readonly length?: number;
  /** Ends as soon as one difference is known: for proofs. */
  readonly firstOnly?: boolean;
  /** Played in place of drawn ones, once each. */
  readonly sequences?: readonly Sequence[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly requests: number;
  readonly sequences: number;
  readonly differences: number;
}
