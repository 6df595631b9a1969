// The model that a target is compared with, as the explorer needs it. The composition root implements
// this port: the folder does not depend on the simulator.
import {
  categoryOf,
  type EventCategory,
  eventCategories,
  eventKinds,
} from '../../fixtures/event-kinds.ts';
import type { Provider } from '../providers/target.ts';
import type { GroundSender } from './play/ground.ts';

export interface Model {
  /** Creates worlds of the model, as a provider does for a target. */
  readonly provider: Provider;
  readonly sender: GroundSender;
  close(): Promise<void>;
}

/** Choices for open questions, by the names of `sandbox questions`. */
export type ModelSettings = Readonly<Record<string, unknown>>;

/** A named deviation of the model, with the rules that it breaks. */
export interface Variant {
  readonly id: string;
  readonly breaks: readonly string[];
  open(settings: ModelSettings): Promise<Model>;
}

export interface Models {
  /** A conforming model that answers the open questions as in `settings`. */
  open(settings: ModelSettings): Promise<Model>;
  /** Models that break at least one of these rules. */
  variants(rules: ReadonlySet<string>): readonly Variant[];
}

/** The events of one operation may be reported in any of these categories. */
const TOGETHER: readonly (readonly EventCategory[])[] = [
  ['account', 'transaction'],
  ['order', 'position'],
];

/**
 * NS-11: matches the names of events, by kind or category, that the model and the target both
 * send; undefined if they send the same events. If the kinds of the target were observed and one
 * is missing, because an operation emits several, no setting makes the two alike.
 */
export function comparedEvents({ event_kinds: kinds }: ModelSettings): RegExp | undefined {
  const names = new Map(Object.entries(Object(kinds) as Record<string, string | null>));
  // Without an operator no transaction can be settled, so this kind is never observed.
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
