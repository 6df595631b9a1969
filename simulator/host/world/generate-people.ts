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
import { quote } from '../../core/operations/positions.ts';
import type { GeneratedPeople } from '../../core/seed/start-world.ts';
import { sha256Hex } from '../../core/values/digest.ts';

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

/** Values derived from a single one are computed once, and shared. */
async function makePools(seed: number) {
  const { generate } = await import('json-schema-faker');
  const pool = async <S>(items: S) => {
    const schema = { type: 'array', items, minItems: poolSize, maxItems: poolSize };
    return (await generate(schema as never, { seed })) as readonly ValueOf<S>[];
  };
  const people = await pool(personSchema);
  const movements = await pool(movementSchema);
  const trades = await pool(positionSchema);
  return {
    // The mailbox is the address without the number that makes it unique.
    people: people.map((person) => {
      const mailbox = `${person.first_name}.${person.last_name}`.toLowerCase();
      return { ...person, mailbox };
    }),
    movements: movements.map(({ cents, transaction_type, status }) => {
      const sign = transaction_type === 'Withdrawal' ? '-' : '';
      return { transaction_type, status, amount: `${sign}${formatHundredths(cents)}` };
    }),
    trades: trades.map(({ hundredths, closed, ...order }) => {
      const volume = formatHundredths(hundredths);
      return { closed, order: { ...order, volume, open_price: quote(order.instrument) } };
    }),
  };
}

type Pools = Awaited<ReturnType<typeof makePools>>;

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
  const transactions = times(generate.transactions_per_account ?? 3, (at) =>
    makeTransaction(`made-up-${n}-${at + 1}`, beganAgo, random.pick(pools.movements), random),
  );
  const positions = times(generate.positions_per_account ?? 1, () =>
    makePosition(beganAgo, random.pick(pools.trades), random),
  );
  return {
    brand_id,
    client_reference_id: `made-up-${n}`,
    email: `${mailbox}.${n}@example.com`,
    ...person,
    ago: beganAgo,
    trading_accounts: times(tradingAccounts, (place) => ({
      currency: place % 2 === 0 ? 'USD' : 'EUR',
      transactions: transactions.filter((_, at) => at % tradingAccounts === place),
      positions: positions.filter((_, at) => at % tradingAccounts === place),
    })),
  };
}

const times = <T>(length: number, make: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => make(at));

const reason = 'Made up with the world.';
const stepsTo = {
  pending: [],
  approved: [{ to: 'approved' }],
  settled: [{ to: 'approved' }, { to: 'settled' }],
  rejected: [{ to: 'rejected', reason }],
  cancelled: [{ to: 'cancelled', reason }],
} satisfies Readonly<Record<string, readonly Omit<TransactionStep, 'ago'>[]>>;

function makeTransaction(
  client_reference_id: string,
  beganAgo: number,
  { amount, transaction_type, status }: Pools['movements'][number],
  random: Random,
): TransactionFixture {
  const ago = random.below(beganAgo);
  const decidedAgo = random.below(ago + 1);
  const steps = stepsTo[status].map((step) => ({ ...step, ago: decidedAgo }));
  return { client_reference_id, amount, transaction_type, ago, steps };
}

function makePosition(
  beganAgo: number,
  { order, closed }: Pools['trades'][number],
  random: Random,
): PositionFixture {
  const ago = random.below(beganAgo);
  if (!closed) return { ...order, ago };
  return { ...order, ago, closed: { ago: random.below(ago + 1), price: order.open_price } };
}
