// The model that a target is compared with, as the explorer needs it: whoever composes the two
// gives one. This folder knows no simulator.
import { eventKinds } from '../../fixtures/event-kinds.ts';
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

const ORDER_KINDS = eventKinds.filter((kind) => /^(order|position)\./.test(kind));

/**
 * NS-11: whether the model's orders bring the events that the target's do. Where they were asked
 * for and something is missing, no setting makes them alike.
 */
export function knowsOrderEvents({ event_kinds: kinds }: ModelSettings): boolean {
  return kinds === undefined || ORDER_KINDS.every((kind) => Object.hasOwn(Object(kinds), kind));
}
