// Generates people and their history for a starting world, the same ones for the same seed: the
// schemas provide a pool of each kind, and the seed decides how they are combined.

import { Random } from '../../../fixtures/random.ts';
import type { ValueOf } from '../../../fixtures/schemas/kit.ts';
import type {
  AccountFixture,
  GenerateFixture,
  PositionFixture,
  TransactionFixture,
  TransactionStep,
  WorldFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import { movementSchema, personSchema, positionSchema } from '../../../fixtures/worlds.ts';
import type { GeneratedPeople } from '../../core/seed/start-world.ts';
import { quote } from '../../core/tables/quotes.ts';
import { sha256Hex } from '../../core/values/digest.ts';

/** The mailbox is the address without the number that makes it unique. */
type Person = ValueOf<typeof personSchema> & { readonly mailbox: string };
type Movement = Omit<ValueOf<typeof movementSchema>, 'cents'> & { readonly amount: string };
type Trade = Omit<ValueOf<typeof positionSchema>, 'hundredths'> & {
  readonly volume: string;
  readonly price: string;
};

interface Pools {
  readonly people: readonly Person[];
  readonly movements: readonly Movement[];
  readonly trades: readonly Trade[];
}

/** Enough for varied lists; generating one record takes a tenth of a millisecond. */
const poolSize = 400;
const daySeconds = 24 * 3600;

/** The accounts of a `generate` part, one after another: they are never all in memory. */
export async function generatePeople(
  generate: GenerateFixture,
  { firms }: WorldFixture,
  seed: string,
): Promise<GeneratedPeople> {
  const number = Number.parseInt(sha256Hex(seed).slice(0, 8), 16);
  const pools = await makePools(number);
  const brands = generate.brand_ids ?? firms[0]?.brands.map(({ id }) => id) ?? [];
  return {
    accounts: makeAccounts(generate, brands, pools, new Random(number)),
    longestAgoMs: longestAgo(generate) * 1000,
  };
}

function* makeAccounts(
  generate: GenerateFixture,
  brands: readonly string[],
  pools: Pools,
  random: Random,
): Generator<AccountFixture> {
  for (let n = 1; n <= generate.accounts; n += 1) {
    yield makeAccount(n, brands[(n - 1) % brands.length] ?? '', generate, pools, random);
  }
}

/** In seconds; the largest value that can be drawn. */
const longestAgo = ({ days = 90 }: GenerateFixture): number => 1 + days * daySeconds;

async function makePools(seed: number): Promise<Pools> {
  const { generate } = await import('json-schema-faker');
  const pool = async <S>(items: S) => {
    const schema = { type: 'array', items, minItems: poolSize, maxItems: poolSize };
    return (await generate(schema as never, { seed })) as readonly ValueOf<S>[];
  };
  const people = await pool(personSchema);
  const movements = await pool(movementSchema);
  const trades = await pool(positionSchema);
  // Values derived from a single one are computed once, and shared.
  return {
    people: people.map((person) => {
      const mailbox = `${person.first_name}.${person.last_name}`.toLowerCase();
      return { ...person, mailbox };
    }),
    movements: movements.map(({ cents, ...movement }) => {
      const sign = movement.transaction_type === 'Withdrawal' ? '-' : '';
      return { ...movement, amount: `${sign}${formatHundredths(cents)}` };
    }),
    trades: trades.map(({ hundredths, ...trade }) => {
      return { ...trade, volume: formatHundredths(hundredths), price: quote(trade.instrument) };
    }),
  };
}

function formatHundredths(count: number): string {
  return `${Math.floor(count / 100)}.${String(count % 100).padStart(2, '0')}`;
}

function makeAccount(
  n: number,
  brand_id: string,
  generate: GenerateFixture,
  pools: Pools,
  random: Random,
): AccountFixture {
  const { mailbox, ...person } = random.pick(pools.people);
  const beganAgo = 1 + random.below(longestAgo(generate) - 1);
  const tradingAccounts = generate.trading_accounts_per_account ?? 1;
  const transactions = times(generate.transactions_per_account ?? 3, (at) => {
    const reference = `made-up-${n}-${at + 1}`;
    return makeTransaction(reference, beganAgo, random.pick(pools.movements), random);
  });
  const positions = times(generate.positions_per_account ?? 1, () =>
    makePosition(beganAgo, random.pick(pools.trades), random),
  );
  return {
    brand_id,
    client_reference_id: `made-up-${n}`,
    email: `${mailbox}.${n}@example.com`,
    ...person,
    ago: beganAgo,
    trading_accounts: times(tradingAccounts, (at) => ({
      currency: at % 2 === 0 ? 'USD' : 'EUR',
      transactions: everyNth(transactions, tradingAccounts, at),
      positions: everyNth(positions, tradingAccounts, at),
    })),
  };
}

/** The items that go to one of several places when they are dealt in turn. */
function everyNth<T>(items: readonly T[], places: number, at: number): readonly T[] {
  return places === 1 ? items : items.filter((_, index) => index % places === at);
}

function times<T>(count: number, make: (at: number) => T): T[] {
  const results: T[] = [];
  for (let at = 0; at < count; at += 1) results.push(make(at));
  return results;
}

const reason = 'Made up with the world.';
const stepsTo: Readonly<Record<Movement['status'], readonly Omit<TransactionStep, 'ago'>[]>> = {
  pending: [],
  approved: [{ to: 'approved' }],
  settled: [{ to: 'approved' }, { to: 'settled' }],
  rejected: [{ to: 'rejected', reason }],
  cancelled: [{ to: 'cancelled', reason }],
};

function makeTransaction(
  client_reference_id: string,
  beganAgo: number,
  { amount, transaction_type, status }: Movement,
  random: Random,
): TransactionFixture {
  const askedAgo = random.below(beganAgo);
  const decidedAgo = random.below(askedAgo + 1);
  return {
    client_reference_id,
    amount,
    transaction_type,
    ago: askedAgo,
    steps: stepsTo[status].map((step) => ({ ...step, ago: decidedAgo })),
  };
}

function makePosition(beganAgo: number, trade: Trade, random: Random): PositionFixture {
  const { instrument, side, volume, price: open_price, closed } = trade;
  const openedAgo = random.below(beganAgo);
  const position = { instrument, side, volume, open_price, ago: openedAgo };
  if (!closed) return position;
  return {
    ...position,
    closed: { ago: random.below(openedAgo + 1), price: open_price },
  };
}
