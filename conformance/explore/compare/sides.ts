// The two sides of a comparison: what is known about them before it begins, and the names on the
// target that stand for names on the model, learned as they appear.
import {
  categoryOf,
  type EventCategory,
  eventCategories,
  eventKinds,
} from '../../../fixtures/event-kinds.ts';
import type { ModelSettings } from '../model.ts';
import { type Ground, settlesUnseen } from '../play/ground.ts';
import { answersIn, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { deliveredTo } from './deliveries.ts';

/** The two players of a comparison. */
export interface Sides {
  readonly target: Player;
  readonly model: Player;
}

export interface Comparing extends Sides {
  readonly match: Match;
  /** The target's time minus the model's time. */
  readonly offsetMs: number;
  /** The target's clock is frozen, so that everything in flight has arrived before a read. */
  readonly isSteady: boolean;
  /** NS-9: the member of an envelope that holds its number. */
  readonly seqName: string;
  /** NS-24: the target writes phones in a form that the model does not know. */
  readonly isPhoneFormOpen?: boolean;
  /** NS-11: the events that both sides send; undefined: all of them. */
  readonly comparedEvents?: RegExp | undefined;
  /** NS-25: if the model names accounts differently, whether a text may be a name from an email. */
  readonly mayBeAfterEmail?: ((text: string) => boolean) | undefined;
  readonly settlesAtOnce?: boolean;
  /** The numbers that each side has delivered, ascending, and whether nothing has failed. */
  readonly delivered?: () => {
    readonly target: readonly number[];
    readonly model: readonly number[];
    readonly isAll: boolean;
  };
  /** One of several concurrent calls, so events of the others may be in flight. */
  readonly isAtOnce?: boolean;
  /** Whether the state of any record, or of this one, may differ between the sides. */
  readonly isParted?: (targetId?: string) => boolean;
  /** Entries of a list in which an open difference was found. */
  readonly ignored?: ReadonlyMap<string, unknown>;
}

/** A namespace of paired names, by the kind of record that they identify. */
export type Space =
  | 'account'
  | 'transaction'
  | 'trading account'
  | 'position'
  | 'order'
  | 'subscription'
  | 'brand'
  | 'firm'
  | 'url';

export class Match {
  readonly #models = new Map<string, string>();
  readonly #targets = new Map<string, string>();
  /** Names on the target that the setup has created: they need not be alike on both sides. */
  readonly #setUp = new Set<string>();

  pairSetUp(space: string, target: string, model: string): void {
    this.pair(space, target, model);
    this.#setUp.add(`${space} ${target}`);
  }

  isSetUp(space: string, target: string): boolean {
    return this.#setUp.has(`${space} ${target}`);
  }

  /** Whether the two names are paired in this namespace, or can be paired from now on. */
  pair(space: string, target: string, model: string): boolean {
    const [knownModel, knownTarget] = [this.modelOf(space, target), this.targetOf(space, model)];
    if (knownModel === undefined && knownTarget === undefined) {
      this.#models.set(`${space} ${target}`, model);
      this.#targets.set(`${space} ${model}`, target);
      return true;
    }
    return knownModel === model && knownTarget === target;
  }

  modelOf(space: string, target: string): string | undefined {
    return this.#models.get(`${space} ${target}`);
  }

  targetOf(space: string, model: string): string | undefined {
    return this.#targets.get(`${space} ${model}`);
  }
}

export async function beginComparing(
  settings: ModelSettings,
  { target, model }: Sides,
  isParted: Comparing['isParted'] & {},
): Promise<Comparing> {
  const { isSteady, deliversLate } = target.ground;
  const seqName = String(settings.envelope_seq_name ?? 'seq');
  // NS-25: the model cannot generate the names as the target does.
  const isNamedOtherwise = settings.account_named_after_email === 'other';
  return {
    ...{ target, model, isSteady, seqName, isParted, match: new Match() },
    offsetMs: target.startMs - (await nowOf(model.ground)),
    comparedEvents: comparedEvents(settings),
    settlesAtOnce: settings.settlement_delay_ms === 0,
    isPhoneFormOpen: settings.phone_form === 'other',
    ...(isNamedOtherwise && { mayBeAfterEmail: (name: string) => isInEmail(name, target) }),
    delivered: () => {
      const [own, other] = [target, model].map((each) => deliveredTo(each, seqName));
      const isTimed = deliversLate !== true && !settlesUnseen(target);
      const isAll = own!.isAll && other!.isAll && isTimed;
      return { target: own!.numbers, model: other!.numbers, isAll };
    },
  };
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

function isInEmail(name: string, { outcomes }: Player): boolean {
  const wanted = name.toLowerCase();
  const sent = answersIn(outcomes).map((each) => Buffer.from(each.sent.body ?? []).toString());
  const emails = sent.flatMap((text) => [...text.matchAll(/"email":"(([^"@]+)@[^"]*)"/g)]);
  return emails.some(
    ([, email = '', local = '']) =>
      email.toLowerCase().includes(wanted) || wanted.includes(local.toLowerCase()),
  );
}

export async function nowOf({ target }: Ground): Promise<number> {
  return target.offers.has('clock') ? target.operator.nowMs() : Date.now();
}

/** If the target's clock runs, the model's clock is advanced to the time of the target's answer. */
export async function follow({ target, model }: Sides, own: Outcome | undefined): Promise<void> {
  if (target.ground.isSteady || own === undefined || !('answeredAtMs' in own)) return;
  const behindMs = Math.floor(own.answeredAtMs) - model.followedMs;
  if (behindMs <= 0) return;
  model.followedMs += behindMs;
  await model.ground.target.operator.advance(behindMs);
}

export function pairCredentials({ target, model, match }: Comparing): void {
  for (const [name, own] of target.credentials) {
    const other = model.credentials.get(name);
    if (other === undefined) continue;
    const pairs = [
      ['brand', own.brandId, other.brandId],
      ['firm', own.firmId, other.firmId],
      ['account', own.accountId, other.accountId],
      ['trading account', own.tradingAccountId, other.tradingAccountId],
    ] as const;
    for (const [space, left, right] of pairs) {
      if (left !== undefined && right !== undefined) match.pairSetUp(space, left, right);
    }
  }
}
