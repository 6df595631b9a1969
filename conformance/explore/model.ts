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

export interface Variant {
  readonly id: string;
  readonly breaks: readonly string[];
  open(settings: ModelSettings): Promise<Model>;
}

export interface Models {
  /** A conforming model that answers the open questions as in `settings`. */
  open(settings: ModelSettings): Promise<Model>;
  /** One model for each named deviation. */
  readonly variants: readonly Variant[];
}
