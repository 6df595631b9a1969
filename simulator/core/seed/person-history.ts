// The history of a starting world, person by person: nobody's past depends on another's, but for
// the order of events.
import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type {
  AccountFixture,
  PositionFixture,
  TradingAccountFixture,
  TransactionFixture,
  TransactionStep,
} from '../../../fixtures/worlds/world-fixture.ts';
import { transitionChanges } from '../operations/transition-changes.ts';
import type { Transition, Trigger } from '../tables/transitions.ts';
import { type AccountPlace, seedAccount, seedTradingAccount, seedTransaction } from './accounts.ts';
import { seedPosition } from './positions.ts';
import type { SeedContext, Seeder } from './seeder.ts';

/** One thing that happened, at its time before the start. */
interface SeedAction {
  readonly agoMs: number;
  /** Where it is written; asked for only when something is wrong with it. */
  readonly field: () => string;
  /** Answers what is wrong with it, or null. */
  readonly run: (context: SeedContext) => string | null;
}

/** What cannot be, and where it is written. */
export interface SeedProblem {
  readonly field: string;
  readonly message: string;
}

/** Ids that a fixture leaves out follow the highest given so far, in the order of writing. */
export class IdSequence {
  readonly #last = { account: 1000, trading: 5000, transaction: 9000, position: 7000 };

  take(
    kind: 'account' | 'trading' | 'transaction' | 'position',
    given: string | undefined,
  ): string {
    const value = given === undefined ? this.#last[kind] + 1 : Number(given);
    this.#last[kind] = Math.max(this.#last[kind], value);
    return String(value);
  }
}

/** Lets one person's past happen; answers what is wrong with it, or null. */
export function seedPerson(
  seeder: Seeder,
  fixture: AccountFixture,
  index: number,
  ids: IdSequence,
  startMs: number,
): SeedProblem | null {
  const plays = planAccount(fixture, () => `accounts[${index}]`, ids);
  // Stable: what happened at one time happens in the order of writing.
  plays.sort((one, other) => other.agoMs - one.agoMs);
  for (const { agoMs, field, run } of plays) {
    seeder.atMs = startMs - agoMs;
    const message = run(seeder);
    if (message !== null) return { field: field(), message };
  }
  return null;
}

/** How long ago the first thing of this person was, in milliseconds. */
export function longestAgoMs(fixture: AccountFixture): number {
  const plays = planAccount(fixture, () => '', new IdSequence());
  return plays.reduce((most, { agoMs }) => Math.max(most, agoMs), 0);
}

function planAccount(fixture: AccountFixture, field: () => string, ids: IdSequence): SeedAction[] {
  const id = ids.take('account', fixture.id);
  const agoMs = parseAgo(fixture.ago) ?? 0;
  const plays: SeedAction[] = [
    { agoMs, field, run: (context) => seedAccount(context, fixture, id) },
  ];
  for (const [index, trading] of (fixture.trading_accounts ?? []).entries()) {
    planTrading(plays, trading, () => `${field()}.trading_accounts[${index}]`, agoMs, id, ids);
  }
  return plays;
}

function planTrading(
  plays: SeedAction[],
  fixture: TradingAccountFixture,
  field: () => string,
  agoMs: number,
  accountId: string,
  ids: IdSequence,
): void {
  const id = ids.take('trading', fixture.id);
  plays.push({
    agoMs,
    field,
    run: (context) => seedTradingAccount(context, fixture, id, accountId),
  });
  const place = { accountId, tradingAccountId: id, currency: fixture.currency };
  for (const [index, transaction] of (fixture.transactions ?? []).entries()) {
    planTransaction(plays, transaction, () => `${field()}.transactions[${index}]`, place, ids);
  }
  for (const [index, position] of (fixture.positions ?? []).entries()) {
    planPosition(plays, position, () => `${field()}.positions[${index}]`, id, ids);
  }
}

function planTransaction(
  plays: SeedAction[],
  fixture: TransactionFixture,
  field: () => string,
  place: AccountPlace,
  ids: IdSequence,
): void {
  const id = ids.take('transaction', fixture.id);
  const agoMs = parseAgo(fixture.ago) ?? 0;
  plays.push({ agoMs, field, run: (context) => seedTransaction(context, fixture, id, place) });
  for (const [index, step] of (fixture.steps ?? []).entries()) {
    plays.push({
      agoMs: parseAgo(step.ago) ?? 0,
      field: () => `${field()}.steps[${index}]`,
      run: (context) => seedStep(context, id, step),
    });
  }
}

function planPosition(
  plays: SeedAction[],
  fixture: PositionFixture,
  field: () => string,
  tradingAccountId: string,
  ids: IdSequence,
): void {
  const id = ids.take('position', fixture.id);
  plays.push({
    agoMs: parseAgo(fixture.ago) ?? 0,
    field,
    run: (context) => seedPosition(context, fixture, id, tradingAccountId, 'open'),
  });
  if (fixture.closed === undefined) return;
  plays.push({
    agoMs: parseAgo(fixture.closed.ago) ?? 0,
    field: () => `${field()}.closed`,
    run: (context) => seedPosition(context, fixture, id, tradingAccountId, 'close'),
  });
}

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Answers why the step cannot be, or null. Nothing of it settles by itself later (NS-3). */
function seedStep(context: SeedContext, id: string, step: TransactionStep): string | null {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(id);
  if (transaction === undefined) return 'it is older than its transaction';
  const trigger = triggers[step.to];
  const move: Transition = behaviour.transactions.transitions[transaction.status][trigger];
  if (move.kind !== 'move') return `a ${transaction.status} transaction does not become ${step.to}`;
  const { reason = null, operator = null } = step;
  const isSaid = step.to === 'rejected' || step.to === 'cancelled';
  const before = isSaid ? { ...transaction, reason, operator } : transaction;
  const { changes } = transitionChanges(context, before, move, trigger);
  context.apply(changes.filter((change) => change.type !== 'timer-set'));
  return null;
}
