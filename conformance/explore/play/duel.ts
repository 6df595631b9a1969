// Plays one sequence on the target and on the model, and stops at the first difference.

import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Unreachable,
} from '../../engine/scenario-errors.ts';
import { compareAnswers } from '../compare/answers.ts';
import type { Difference } from '../compare/difference.ts';
import { compareLedgers } from '../compare/ledgers.ts';
import { Match } from '../compare/match.ts';
import { compareReplay } from '../compare/replays.ts';
import type { Comparing } from '../compare/values.ts';
import type { Sequence, Step } from '../sequence.ts';
import type { Ground } from './ground.ts';
import type { CallOutcome, Outcome } from './outcome.ts';
import { Player } from './player.ts';

export interface Arena {
  readonly target: Ground;
  readonly model: Ground;
  readonly masked: ReadonlySet<string>;
}

export interface Duel {
  readonly verdict: 'agrees' | 'differs' | 'inconclusive';
  readonly difference?: Difference;
  /** Why nothing can be said of it. */
  readonly why?: string;
  readonly target: Player;
  readonly model: Player;
}

export async function duel(sequence: Sequence, arena: Arena, nonce: string): Promise<Duel> {
  const target = new Player(arena.target, nonce);
  const model = new Player(arena.model, nonce);
  const comparing = await beginComparing(arena);
  const sides = { target, model };
  for (const step of sequence.steps) {
    const found = await playBoth(step, sides, comparing);
    if (found === null) continue;
    if (typeof found === 'string') return { verdict: 'inconclusive', why: found, ...sides };
    return { verdict: 'differs', difference: found, ...sides };
  }
  return { verdict: 'agrees', ...sides };
}

async function beginComparing({ target, model, masked }: Arena): Promise<Comparing> {
  const [own, other] = await Promise.all([nowOf(target), nowOf(model)]);
  const steady = target.target.offers.has('clock') && target.target.disposable;
  return { match: new Match(), offsetMs: own - other, toleranceMs: steady ? 5 : 60_000, masked };
}

async function nowOf({ target }: Ground): Promise<number> {
  return target.offers.has('clock') ? target.operator.nowMs() : Date.now();
}

interface Sides {
  readonly target: Player;
  readonly model: Player;
}

async function playBoth(
  step: Step,
  sides: Sides,
  comparing: Comparing,
): Promise<Difference | string | null> {
  let own: Outcome | undefined;
  try {
    [own] = await sides.target.play(step);
  } catch (error) {
    if (isHindrance(error)) return `step ${step.n}: ${error.message}`;
    throw error;
  }
  const [other] = await sides.model.play(step);
  if (own === undefined || other === undefined) return null;
  pairCredentials(sides, comparing.match);
  return compareOutcomes(step, own, other, sides, comparing);
}

function compareOutcomes(
  step: Step,
  own: Outcome,
  other: Outcome,
  sides: Sides,
  comparing: Comparing,
): Difference | string | null {
  if (own.kind === 'ledger' && other.kind === 'ledger') {
    return compareLedgers(own, other, comparing);
  }
  if (own.kind === 'done' && other.kind === 'done') {
    pairPlaces(own.json, other.json, comparing.match);
    return null;
  }
  if (step.do !== 'call') return null;
  if (own.kind === 'lost' && other.kind === 'lost') return null;
  if (own.kind === 'lost') return `call ${own.n}: no answer (${own.why})`;
  if (other.kind === 'lost') return `call ${own.n}: the model gave no answer (${other.why})`;
  const answers = { own: own as CallOutcome, other: other as CallOutcome };
  const trouble = troubleOf(answers.own, answers.other);
  if (trouble !== null) return trouble;
  const played = { target: sides.target.outcomes, model: sides.model.outcomes };
  return (
    compareAnswers(step, answers.own, answers.other, comparing) ??
    compareReplay(step, answers.own, answers.other, played)
  );
}

/** What the setup could not do, or the network did not let it do. */
function isHindrance(error: unknown): error is Error {
  return [Blocked, Inconclusive, Unreachable, MissingCapability].some(
    (each) => error instanceof each,
  );
}

/** What something in front of the service, or its limit, may have answered in its place. */
function troubleOf(own: CallOutcome, other: CallOutcome): string | null {
  if (own.status === other.status) return null;
  if (own.status === 502 || own.status === 504 || own.status >= 520) {
    return `call ${own.n}: ${own.status} from something in between`;
  }
  return null;
}

/** What belongs to a credential of one side stands for what belongs to that of the other. */
function pairCredentials({ target, model }: Sides, match: Match): void {
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

function pairPlaces(own: unknown, other: unknown, match: Match): void {
  const [left, right] = [own, other] as { [name: string]: unknown }[];
  for (const [name, space] of [
    ['account_id', 'account'],
    ['trading_account_id', 'trading account'],
    ['url', 'url'],
  ] as const) {
    const [mine, others] = [left?.[name], right?.[name]];
    if (typeof mine === 'string' && typeof others === 'string') match.pair(space, mine, others);
  }
}
