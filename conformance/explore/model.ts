// The model that a target is compared with, as the explorer needs it. The one who composes the two fills
// this port: the folder knows no simulator.
import { categoryOf, type EventCategory, eventKinds } from '../../fixtures/event-kinds.ts';
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

/** A named way to be wrong, with the rules that it breaks. */
export interface Variant {
  readonly id: string;
  readonly breaks: readonly string[];
  open(settings: ModelSettings): Promise<Model>;
}

export interface Models {
  /** A conforming model that answers the open questions so. */
  open(settings: ModelSettings): Promise<Model>;
  /** Models that break some of these rules. */
  variants(rules: ReadonlySet<string>): readonly Variant[];
}

/** What one operation brings may be told in any of these. */
const TOGETHER: readonly (readonly EventCategory[])[] = [
  ['account', 'transaction'],
  ['order', 'position'],
];

/**
 * NS-11: the categories in which the target may tell of other events than the model. Where its
 * kinds were asked for and one is missing, as an operation brings several, no setting makes them
 * alike.
 */
export function openCategories({ event_kinds: kinds }: ModelSettings): readonly EventCategory[] {
  if (kinds === undefined || Object.keys(Object(kinds)).length === 0) return [];
  // Without an operator nothing can be settled, so that its kind is never asked for.
  const missing = eventKinds
    .filter((kind) => kind !== 'transaction.settled' && !Object.hasOwn(Object(kinds), kind))
    .map((kind) => categoryOf(kind));
  return TOGETHER.filter((each) => each.some((category) => missing.includes(category))).flat();
}
