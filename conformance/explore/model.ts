// The model that a target is compared with, as the explorer needs it. The composition root implements
// this port: the folder does not depend on the simulator.
import type { Provider } from '../providers/target.ts';
import type { GroundSender } from './play/ground.ts';

export interface Model {
  readonly provider: Provider;
  readonly sender: GroundSender;
  close(): Promise<void>;
}

/** Choices for open questions, by the names of `sandbox questions`. */
export type ModelSettings = Readonly<Record<string, unknown>>;

/** A named deviation that a model can have. */
export interface Variant {
  readonly id: string;
  readonly breaks: readonly string[];
}

export interface Models {
  /** A model that answers the open questions as in `settings` and deviates in these ways only. */
  open(settings: ModelSettings, deviations?: readonly Variant[]): Promise<Model>;
  readonly variants: readonly Variant[];
}
