// The two sides of a comparison, and the facts known before it begins.
import { comparedEvents, type ModelSettings } from '../model.ts';
import { type Ground, settlesUnseen } from '../play/ground.ts';
import { answersIn, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { deliveredTo } from './arrivals.ts';
import { Match } from './match.ts';
import type { Comparing, Sides } from './values.ts';

/** The settings of the model tell what is known about the target. */
export async function beginComparing(
  settings: ModelSettings,
  { target, model }: Sides,
  parting: Pick<Comparing, 'isParted' | 'isPartedRecord'>,
): Promise<Comparing> {
  const isSteady = target.ground.isSteady;
  const seqName = String(settings.envelope_seq_name ?? 'seq');
  // NS-25: the model cannot generate the names as the target does.
  const isNamedOtherwise = settings.account_named_after_email === 'other';
  return {
    match: new Match(),
    offsetMs: target.startMs - (await nowOf(model.ground)),
    toleranceMs: isSteady ? 5 : 60_000,
    ...{ ...parting, target, model, isSteady, seqName },
    comparedEvents: comparedEvents(settings),
    settlesAtOnce: settings.settlement_delay_ms === 0,
    isPhoneFormOpen: settings.phone_form === 'other',
    ...(isNamedOtherwise && { mayBeAfterEmail: (name: string) => isInEmail(name, target) }),
    delivered: () => {
      const [own, other] = [target, model].map((each) => deliveredTo(each, seqName));
      const isTimed = target.ground.deliversLate !== true && !settlesUnseen(target);
      const isAll = own!.isAll && other!.isAll && isTimed;
      return { target: own!.numbers, model: other!.numbers, isAll };
    },
  };
}

/** Whether a name is derived from an email that the play has sent. */
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

/** Pairs the brand and account of each credential on one side with those on the other. */
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
