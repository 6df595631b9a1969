// Makes up people and their history for a starting world, the same ones for the same seed: a pool
// of each kind comes from the schemas, and what is combined of it follows from the seed too.

import type {
  AccountFixture,
  GenerateFixture,
  PositionFixture,
  TransactionFixture,
  TransactionStep,
  WorldFixture,
} from '../../fixtures/worlds/fixture.ts';
import { movementSchema, personSchema, positionSchema } from '../../fixtures/worlds.ts';
import { quote } from '../core/tables/quotes.ts';
import { sha256Hex } from '../core/values/digest.ts';

interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly country: string;
  readonly language: string;
  readonly status: string;
}

interface Movement {
  readonly cents: number;
  readonly transaction_type: 'Deposit' | 'Withdrawal' | 'Credit';
  readonly status: 'pending' | TransactionStep['to'];
}

interface Trade {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly hundredths: number;
  readonly closed: boolean;
}

interface Pools {
  readonly people: readonly Person[];
  readonly movements: readonly Movement[];
  readonly trades: readonly Trade[];
}

/** Enough for lists that do not look alike; making up one record takes a tenth of a millisecond. */
const poolSize = 400;
const daySeconds = 24 * 3600;

/** The world with its `generate` part turned into accounts beside those that are written out. */
export async function generatePeople(fixture: WorldFixture, seed: string): Promise<WorldFixture> {
  const { generate, ...rest } = fixture;
  if (generate === undefined) return fixture;
  const number = Number.parseInt(sha256Hex(seed).slice(0, 8), 16);
  const pools = await makePools(number);
  const brands = generate.brand_ids ?? fixture.firms[0]?.brands.map(({ id }) => id) ?? [];
  const random = new Random(number);
  const accounts: AccountFixture[] = [...(fixture.accounts ?? [])];
  for (let n = 1; n <= generate.accounts; n += 1) {
    const brandId = brands[(n - 1) % brands.length] ?? '';
    accounts.push(makeAccount(n, brandId, generate, pools, random));
  }
  return { ...rest, accounts };
}

async function makePools(seed: number): Promise<Pools> {
  const { generate } = await import('json-schema-faker');
  const pool = async (items: object) => {
    const schema = { type: 'array', items, minItems: poolSize, maxItems: poolSize };
    return (await generate(schema as never, { seed })) as readonly never[];
  };
  const people = await pool(personSchema);
  const movements = await pool(movementSchema);
  return { people, movements, trades: await pool(positionSchema) };
}

/** Whole numbers that follow from a seed. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

function makeAccount(
  n: number,
  brand_id: string,
  terms: GenerateFixture,
  pools: Pools,
  random: Random,
): AccountFixture {
  const person = random.of(pools.people);
  const beganAgo = 1 + random.below((terms.days ?? 90) * daySeconds);
  const tradingAccounts = terms.trading_accounts_per_account ?? 1;
  const name = `${person.first_name}.${person.last_name}`.toLowerCase();
  const transactions = Array.from({ length: terms.transactions_per_account ?? 3 }, (_, index) =>
    makeTransaction(`made-up-${n}-${index + 1}`, beganAgo, random.of(pools.movements), random),
  );
  const positions = Array.from({ length: terms.positions_per_account ?? 1 }, () =>
    makePosition(beganAgo, random.of(pools.trades), random),
  );
  // What there is goes to the trading accounts in turn.
  const part = <T>(items: readonly T[], at: number) =>
    tradingAccounts === 1 ? items : items.filter((_, index) => index % tradingAccounts === at);
  return {
    brand_id,
    client_reference_id: `made-up-${n}`,
    email: `${name}.${n}@example.com`,
    ...person,
    ago: `${spanOf(beganAgo)}`,
    trading_accounts: Array.from({ length: tradingAccounts }, (_, at) => ({
      currency: at % 2 === 0 ? 'USD' : 'EUR',
      transactions: part(transactions, at),
      positions: part(positions, at),
    })),
  };
}

function makeTransaction(
  client_reference_id: string,
  beganAgo: number,
  { cents, transaction_type, status }: Movement,
  random: Random,
): TransactionFixture {
  const askedAgo = random.below(beganAgo);
  const decidedAgo = random.below(askedAgo + 1);
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const reason = 'Made up with the world.';
  const stepsTo = {
    pending: [],
    approved: [{ to: 'approved' }],
    settled: [{ to: 'approved' }, { to: 'settled' }],
    rejected: [{ to: 'rejected', reason }],
    cancelled: [{ to: 'cancelled', reason }],
  } as const satisfies Record<Movement['status'], readonly Omit<TransactionStep, 'ago'>[]>;
  const ago = spanOf(decidedAgo);
  return {
    client_reference_id,
    amount: transaction_type === 'Withdrawal' ? `-${amount}` : amount,
    transaction_type,
    ago: spanOf(askedAgo),
    steps: stepsTo[status].map((step) => ({ ...step, ago })),
  };
}

function makePosition(beganAgo: number, trade: Trade, random: Random): PositionFixture {
  const { instrument, side, hundredths, closed } = trade;
  const openedAgo = random.below(beganAgo);
  const volume = `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
  const open_price = quote(instrument);
  const position = { instrument, side, volume, open_price, ago: spanOf(openedAgo) };
  if (!closed) return position;
  return {
    ...position,
    closed: { ago: spanOf(random.below(openedAgo + 1)), price: open_price },
  };
}

/** A span of so many seconds, as a world file writes it. */
function spanOf(seconds: number): string {
  const days = Math.floor(seconds / daySeconds);
  const rest = seconds % daySeconds;
  return days === 0 ? `${rest}s` : `${days}d ${rest}s`;
}
