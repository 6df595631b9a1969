// The ground on which a sequence is played: the target or its model, reached by the same ports.
import type { Role } from '../../engine/capabilities.ts';
import type { Pacer, Rate } from '../../engine/pace/pacer.ts';
import type { TokenForm } from '../../engine/send/call.ts';
import { Headers } from '../../engine/send/headers.ts';
import type { Sender, WireAnswer } from '../../engine/send/sender.ts';
import type { Credential, Place, SeedKind, Target } from '../../providers/target.ts';
import type { LearnedOrders } from '../observe.ts';
import { answersIn, type Basis } from './outcome.ts';
import type { Player } from './player.ts';

/** A response, and from a model also the reason for it. */
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
  readonly isSteady: boolean;
  /** NS-3: nothing settled within an hour; whether it settles later is unknown. */
  readonly settlesLate?: boolean;
  /** Its events may come late, by its own clock or by the wall. */
  readonly deliversLate?: boolean;
  /** NS-1: how it takes orders, if its form differs from the model's. */
  readonly orders?: LearnedOrders | undefined;
  /** NS-8: how it takes token requests; undefined: as JSON, as the model does. */
  readonly tokenForm?: TokenForm | undefined;
  /** The counterparts in a model of the accounts and delegates that the target's profile names. */
  readonly seeds?: ReadonlyMap<SeedKind, Place>;
  readonly delegates?: ReadonlyMap<Role, Credential>;
  /** How soon a read shows what was written is not specified: the pause before each read. */
  readonly readPauseMs?: number;
  /** The same for events: the pause before what was delivered is looked at. */
  readonly eventPauseMs?: number;
  /** Keeps a live target within its rates; a model has none. */
  readonly pacer?: Pacer;
  readonly spend?: (requests: number) => void;
  readonly signal?: AbortSignal;
}

/** How long the observation waited for automatic settlement. */
const WATCHED_MS = 3_600_000;

/** NS-3: whether money may have settled unobserved: which money settles by itself, and when, is open. */
export function settlesUnseen(player: Player): boolean {
  const { ground, startMs, nowMs = startMs, outcomes } = player;
  const pausedMs = nowMs - startMs;
  if (!(pausedMs >= (ground.settlesLate === true ? WATCHED_MS : 1))) return false;
  return answersIn(outcomes).some(({ sent }) => /\/approve\b/.test(sent.target));
}

export class Spent extends Error {
  override readonly name = 'Spent';
}

/** If Retry-After is longer, the 429 is kept as the response. */
const MOST_WAIT_MS = 5_000;

/**
 * Sends at the target's pace, and retries once after a short limit: other clients share its
 * allowance. A limited call had no effect, and is served after the wait (LIM-5, LIM-7).
 */
export async function sendPaced(
  { pacer, spend, sender, target }: Ground,
  rates: readonly Rate[],
  wire: Parameters<GroundSender['send']>[0],
): Promise<GroundAnswer> {
  const headers = [...wire.headers, ...(target.addedHeaders ?? [])];
  const send = async () => {
    await pacer?.take(rates);
    spend?.(1);
    return sender.send({ ...wire, headers });
  };
  const answer = await send();
  // If the clock is controlled, the limit is part of the sequence.
  if (answer.status !== 429 || pacer === undefined || target.offers.has('clock')) return answer;
  const waitMs = Number(new Headers(answer.headers).get('retry-after') ?? Number.NaN) * 1_000;
  const isShort = waitMs > 0 && waitMs <= MOST_WAIT_MS;
  if (rates.length === 0 || !isShort) return answer;
  pacer.backOff(rates, waitMs);
  return send();
}
