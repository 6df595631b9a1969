// The model that a target is compared with, as the explorer needs it: whoever composes the two
// gives one. This folder knows no simulator.
import type { Provider } from '../providers/target.ts';
import type { GroundSender } from './play/ground.ts';

export interface Model {
  /** Makes worlds of it, as a provider does of a target. */
  readonly provider: Provider;
  readonly sender: GroundSender;
  close(): Promise<void>;
}

/** Choices for open questions, by the names of `sandbox questions`. */
export type ModelSettings = Readonly<Record<string, unknown>>;

/** A model that answers the open questions so. */
export type MakeModel = (settings: ModelSettings) => Promise<Model>;
