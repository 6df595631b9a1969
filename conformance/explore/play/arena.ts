// Where a sequence is compared, and what a comparison comes to.
import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import { isAllTaken } from '../compare/arrivals.ts';
import type { Difference } from '../compare/difference.ts';

import { Match } from '../compare/match.ts';
import type { Comparing } from '../compare/values.ts';
import type { Case, Excuse } from '../open/case.ts';
import { type Ground, settlesUnseen } from './ground.ts';
import type { Sides } from './judge-step.ts';
import type { Outcome } from './outcome.ts';
import type { Player } from './player.ts';

/** The model's side of it, which can be begun anew as often as need be. */
export interface ModelArena {
  readonly openModel: () => Promise<Ground>;
  readonly seqName: string;
  /** NS-25: whether the model names an account after its email as the target does. */
  readonly namesAlike: boolean;
  /** NS-24: whether it writes phones as the target does. */
  readonly phonesAlike: boolean;
  /** NS-11: in which it tells of other events than the target does. */
  readonly openCategories: readonly EventCategory[];
  /** NS-3: whether money has arrived as soon as it is approved. */
  readonly settlesAtOnce: boolean;
}

export interface Duel {
  readonly verdict: 'agrees' | 'differs' | 'inconclusive';
  readonly difference?: Difference;
  readonly case?: Case;
  readonly why?: string;
  /** Differences that open questions explain. */
  readonly excused: readonly Excuse[];
  readonly target: Player;
  readonly model: Player;
}

export async function beginComparing(
  { seqName, namesAlike, phonesAlike, openCategories, settlesAtOnce }: ModelArena,
  { target, model }: Sides,
): Promise<Comparing> {
  const isSteady = target.ground.isSteady;
  return {
    match: new Match(),
    offsetMs: target.startMs - (await nowOf(model.ground)),
    toleranceMs: isSteady ? 5 : 60_000,
    isSteady,
    seqName,
    isPhoneFormOpen: !phonesAlike,
    openCategories,
    settlesAtOnce,
    ...(namesAlike ? {} : { mayBeAfterEmail: (name) => isInEmail(name, target) }),
    isAllTaken: () => !settlesUnseen(target) && isAllTaken(target, seqName),
  };
}

/** Whether a name is made of an email that the play has sent. */
function isInEmail(name: string, { outcomes }: Player): boolean {
  const wanted = name.toLowerCase();
  const emails = [...outcomes.values()].flatMap((outcome) => {
    const answers = outcome.kind === 'many' ? outcome.answers : [outcome];
    const bodies = answers.map((each) => (each.kind === 'answer' ? (each.sent.body ?? '') : ''));
    const sent = bodies.map((each) => Buffer.from(each).toString()).join('\n');
    return [...sent.matchAll(/"email":"([^"@]+)(@[^"]*)"/g)].map((each) => each.slice(1));
  });
  return emails.some(
    ([local = '', domain = '']) =>
      `${local}${domain}`.toLowerCase().includes(wanted) || wanted.includes(local.toLowerCase()),
  );
}

export async function nowOf({ target }: Ground): Promise<number> {
  return target.offers.has('clock') ? target.operator.nowMs() : Date.now();
}

/** Where the target's clock runs, the model's is moved on to when its call was answered. */
export async function follow({ target, model }: Sides, own: Outcome | undefined): Promise<void> {
  if (target.ground.isSteady || own === undefined || !('answeredAtMs' in own)) return;
  const behindMs = Math.floor(own.answeredAtMs) - model.followedMs;
  if (behindMs <= 0) return;
  model.followedMs += behindMs;
  await model.ground.target.operator.advance(behindMs);
}
