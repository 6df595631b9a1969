// The two sides of a comparison, and the facts known before it begins.
import { comparedEvents, type ModelSettings } from '../model.ts';
import { type Ground, settlesUnseen } from '../play/ground.ts';
import { answersIn, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { deliveredTo } from './arrivals.ts';
import { Match } from './match.ts';
import type { Comparing, Sides } from './values.ts';

/** Facts about the target, from the settings of the model. */
export interface Known {
  readonly seqName: string;
  /** NS-25, NS-24: whether the model generates names and writes phones as the target does. */
  readonly namesAlike: boolean;
  readonly phonesAlike: boolean;
  /** NS-11: the events that the model sends as the target does; undefined: all of them. */
  readonly comparedEvents: RegExp | undefined;
  /** NS-3: whether money settles as soon as it is approved. */
  readonly settlesAtOnce: boolean;
}

export const knownFrom = (settings: ModelSettings): Known => ({
  seqName: String(settings.envelope_seq_name ?? 'seq'),
  namesAlike: settings.account_named_after_email !== 'other',
  phonesAlike: settings.phone_form !== 'other',
  comparedEvents: comparedEvents(settings),
  settlesAtOnce: settings.settlement_delay_ms === 0,
});

export async function beginComparing(
  { namesAlike, phonesAlike, ...known }: Known,
  { target, model }: Sides,
  parting: Pick<Comparing, 'isParted' | 'isPartedRecord'>,
): Promise<Comparing> {
  const isSteady = target.ground.isSteady;
  return {
    match: new Match(),
    offsetMs: target.startMs - (await nowOf(model.ground)),
    toleranceMs: isSteady ? 5 : 60_000,
    ...{ ...known, ...parting, target, model, isSteady },
    isPhoneFormOpen: !phonesAlike,
    ...(namesAlike ? {} : { mayBeAfterEmail: (name: string) => isInEmail(name, target) }),
    delivered: () => {
      const [own, other] = [target, model].map((each) => deliveredTo(each, known.seqName));
      const isAll = own!.isAll && other!.isAll && !settlesUnseen(target);
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
