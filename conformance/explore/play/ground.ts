// Where a sequence is played: the target, or the model of it. Both are reached by the same ports.
import type { Role } from '../../engine/capabilities.ts';
import type { Pacer, Rate } from '../../engine/pace/pacer.ts';
import type { TokenForm } from '../../engine/send/call.ts';
import { Headers } from '../../engine/send/headers.ts';
import type { Sender, WireAnswer } from '../../engine/send/sender.ts';
import type { Credential, Place, SeedKind, Target } from '../../providers/target.ts';
import type { LearnedOrders } from '../observe.ts';
import type { Basis } from './outcome.ts';

/** An answer, and from a model also why it is that one. */
export interface GroundAnswer extends WireAnswer {
  readonly basis?: Basis;
}

export interface GroundSender extends Sender {
  send(wire: Parameters<Sender['send']>[0]): Promise<GroundAnswer>;
}

export interface Ground {
  readonly target: Target;
  readonly sender: GroundSender;
  readonly timeoutMs: number;
  /** Its clock stands still until a step moves it. */
  readonly isSteady: boolean;
  /** NS-3: it was seen to settle nothing within an hour, and what it does later no one knows. */
  readonly settlesLate?: boolean;
  /** NS-1: how it takes orders, where that is another form than the model's. */
  readonly orders?: LearnedOrders | undefined;
  /** NS-8: how it takes requests for tokens; undefined: as JSON, as the model does. */
  readonly tokenForm?: TokenForm | undefined;
  /** What stands in a model for the accounts and delegates that the profile of the target names. */
  readonly seeds?: ReadonlyMap<SeedKind, Place>;
  readonly delegates?: ReadonlyMap<Role, Credential>;
  /** Keeps a live target within its rates; a model has none. */
  readonly pacer?: Pacer;
  /** Told before each request; throws when no more may be sent. */
  readonly spend?: (requests: number) => void;
  readonly signal?: AbortSignal;
}

/** So long a target was watched for what it settles by itself. */
const WATCHED_MS = 3_600_000;

interface Timed {
  readonly ground: Ground;
  readonly startMs: number;
  readonly nowMs: number | undefined;
}

/** NS-3: whether something may have settled of which no one knows when. */
export const settlesUnseen = ({ ground, startMs, nowMs = startMs }: Timed): boolean =>
  ground.settlesLate === true && nowMs - startMs >= WATCHED_MS;

/** As many requests have been sent, or as much time has passed, as was asked for. */
export class Spent extends Error {
  override readonly name = 'Spent';
}

/** What asks for more patience is left as it is answered. */
const MOST_WAIT_MS = 5_000;

/**
 * At the target's pace, and once more where it was asked too much for a moment: others share its
 * allowance. What was limited has done nothing, and is served when it has waited (LIM-5, LIM-7).
 */
export async function sendPaced(
  { pacer, spend, sender, target }: Ground,
  rates: readonly Rate[],
  wire: Parameters<GroundSender['send']>[0],
): Promise<GroundAnswer> {
  const send = async () => {
    await pacer?.take(rates);
    spend?.(1);
    return sender.send(wire);
  };
  const answer = await send();
  // Where the clock is moved by hand a limit is what the sequence is about.
  if (answer.status !== 429 || pacer === undefined || target.offers.has('clock')) return answer;
  const waitMs = Number(new Headers(answer.headers).get('retry-after') ?? Number.NaN) * 1_000;
  const isShort = waitMs > 0 && waitMs <= MOST_WAIT_MS;
  if (rates.length === 0 || !isShort) return answer;
  pacer.backOff(rates, waitMs);
  return send();
}
