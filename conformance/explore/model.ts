// The model that a target is compared with, as the explorer needs it. The one who composes the two fills
// this port: the folder knows no simulator.
import {
  categoryOf,
  type EventCategory,
  eventCategories,
  eventKinds,
} from '../../fixtures/event-kinds.ts';
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
 * NS-11: what the name of an event, of its kind or category, looks like if the model tells of the
 * same events as the target; undefined if it does of all. Where the kinds of the target were asked
 * for and one is missing, as an operation brings several, no setting makes the two alike.
 */
export function comparedEvents({ event_kinds: kinds }: ModelSettings): RegExp | undefined {
  const names = new Map(Object.entries(Object(kinds) as Record<string, string | null>));
  // Without an operator nothing can be settled, so that its kind is never asked for.
  const missing = eventKinds.filter((kind) => kind !== 'transaction.settled' && !names.has(kind));
  if (names.size === 0 || missing.length === 0) return undefined;
  const open = TOGETHER.filter((each) => missing.some((kind) => each.includes(categoryOf(kind))));
  const compared = eventCategories.filter((each) => !open.flat().includes(each));
  const own = eventKinds.filter((kind) => compared.includes(categoryOf(kind)));
  const patterns = [
    ...own.map((kind) => `^${(names.get(kind) ?? kind).replace(/\W/g, '\\$&')}$`),
    ...compared.map((each) => `(^|[._:/-])${each}s?([._:/-]|$)`),
  ];
  return new RegExp(patterns.join('|') || '(?!)', 'i');
}
