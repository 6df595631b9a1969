// The two sides of a comparison, and what is known before it begins.
import { comparedEvents, type ModelSettings } from '../model.ts';
import { type Ground, settlesUnseen } from '../play/ground.ts';
import { answersIn, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { deliveredTo } from './arrivals.ts';
import { Match } from './match.ts';
import type { Comparing, Sides } from './values.ts';

/** What the settings of the model say of the target. */
export interface Known {
  readonly seqName: string;
  /** NS-25, NS-24: whether the model names accounts and writes phones as the target does. */
  readonly namesAlike: boolean;
  readonly phonesAlike: boolean;
  /** NS-11: which events the model tells of as the target does; undefined: all of them. */
  readonly comparedEvents: RegExp | undefined;
  /** NS-3: whether money has arrived as soon as it is approved. */
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
  isParted: () => boolean,
): Promise<Comparing> {
  const isSteady = target.ground.isSteady;
  return {
    match: new Match(),
    offsetMs: target.startMs - (await nowOf(model.ground)),
    toleranceMs: isSteady ? 5 : 60_000,
    ...{ ...known, target, model, isSteady, isParted },
    isPhoneFormOpen: !phonesAlike,
    ...(namesAlike ? {} : { mayBeAfterEmail: (name: string) => isInEmail(name, target) }),
    delivered: () => {
      const [own, other] = [target, model].map((each) => deliveredTo(each, known.seqName));
      const isAll = own!.isAll && other!.isAll && !settlesUnseen(target);
      return { target: own!.numbers, model: other!.numbers, isAll };
    },
  };
}

/** Whether a name is made of an email that the play has sent. */
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

/** Where the target's clock runs, the model's is moved on to when its call was answered. */
export async function follow({ target, model }: Sides, own: Outcome | undefined): Promise<void> {
  if (target.ground.isSteady || own === undefined || !('answeredAtMs' in own)) return;
  const behindMs = Math.floor(own.answeredAtMs) - model.followedMs;
  if (behindMs <= 0) return;
  model.followedMs += behindMs;
  await model.ground.target.operator.advance(behindMs);
}

/** What belongs to a credential of one side stands for what belongs to that of the other. */
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
