// Makes up people and their history for a starting world, the same ones for the same seed.
import { Random } from '../../../fixtures/random.ts';
import type {
  AccountFixture,
  GenerateFixture,
  PositionFixture,
  TransactionFixture,
  TransactionStep,
  WorldFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import type { GeneratedPeople } from '../../core/seed/start-world.ts';
import { quote } from '../../core/tables/quotes.ts';
import { sha256Hex } from '../../core/values/digest.ts';

const words = (text: string): readonly string[] => text.split(' ');

const firstNames = words(
  'Ada Amir Anna Ben Chiara Chloe Daniel Elif Emma Erik Fatima Felix Grace Hana Hugo Ines Ivan ' +
    'Jana Kenji Lars Leila Lucas Maja Marco Mei Mila Nadia Nikos Nora Omar Paula Pedro Priya ' +
    'Rafael Rosa Samuel Sara Sven Tomas Yara',
);
const lastNames = words(
  'Almeida Andersen Bauer Bianchi Campbell Costa Dubois Eriksen Fischer Garcia Haddad Horvat Ito ' +
    'Jansen Kaya Kovacs Kumar Larsen Lopez Marin Meyer Moreau Murphy Nagy Novak Okafor Papadakis ' +
    'Peeters Petrov Popescu Rossi Sato Schmidt Silva Svensson Tanaka Thompson Virtanen Wagner Walker',
);
const countries = words('AU DE ES FR GB IE IT JP NL PT SE ZA');
const languages = words('de en es fr it ja nl pt sv');
const statuses = words('New Active Dormant');
const instruments = words('EURUSD GBPUSD USDJPY XAUUSD DE40 US500');
const movements = ['Deposit', 'Withdrawal', 'Credit'] as const;
const fates: readonly (readonly TransactionStep['to'][])[] = [
  [],
  ['approved'],
  ['approved', 'settled'],
  ['rejected'],
  ['cancelled'],
];
const daySeconds = 24 * 3600;

/** The accounts of a `generate` part, one after another: a crowd is never held as a whole. */
export function generatePeople(
  generate: GenerateFixture,
  { firms }: WorldFixture,
  seed: string,
): GeneratedPeople {
  const random = new Random(Number.parseInt(sha256Hex(seed).slice(0, 8), 16));
  const brands = generate.brand_ids ?? firms[0]?.brands.map(({ id }) => id) ?? [];
  // In seconds, the largest that is drawn included.
  const longestAgo = 1 + (generate.days ?? 90) * daySeconds;
  return { accounts: accountsOf(), longestAgoMs: longestAgo * 1000 };

  function* accountsOf(): Generator<AccountFixture> {
    for (let n = 1; n <= generate.accounts; n += 1) {
      const brandId = brands[(n - 1) % brands.length] ?? '';
      yield makeAccount(n, brandId, 1 + random.below(longestAgo - 1), generate, random);
    }
  }
}

function makeAccount(
  n: number,
  brand_id: string,
  ago: number,
  generate: GenerateFixture,
  random: Random,
): AccountFixture {
  const [first_name, last_name] = [random.pick(firstNames), random.pick(lastNames)];
  const places = generate.trading_accounts_per_account ?? 1;
  const transactions = times(generate.transactions_per_account ?? 3, (at) =>
    makeTransaction(`made-up-${n}-${at + 1}`, ago, random),
  );
  const positions = times(generate.positions_per_account ?? 1, () => makePosition(ago, random));
  return {
    brand_id,
    client_reference_id: `made-up-${n}`,
    email: `${first_name}.${last_name}.${n}@example.com`.toLowerCase(),
    first_name,
    last_name,
    country: random.pick(countries),
    language: random.pick(languages),
    status: random.pick(statuses),
    ago,
    // What there is goes to the trading accounts in turn.
    trading_accounts: times(places, (at) => ({
      currency: at % 2 === 0 ? 'USD' : 'EUR',
      transactions: transactions.filter((_, index) => index % places === at),
      positions: positions.filter((_, index) => index % places === at),
    })),
  };
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

const hundredths = (count: number) => (count / 100).toFixed(2);

function makeTransaction(
  client_reference_id: string,
  beganAgo: number,
  random: Random,
): TransactionFixture {
  const transaction_type = random.pick(movements);
  const sign = transaction_type === 'Withdrawal' ? '-' : '';
  const ago = random.below(beganAgo);
  const decidedAgo = random.below(ago + 1);
  return {
    client_reference_id,
    amount: `${sign}${hundredths(1000 + random.below(999_001))}`,
    transaction_type,
    ago,
    steps: random.pick(fates).map((to) => {
      const isRefusal = to === 'rejected' || to === 'cancelled';
      const reason = isRefusal ? { reason: 'Made up with the world.' } : {};
      return { to, ago: decidedAgo, ...reason };
    }),
  };
}

function makePosition(beganAgo: number, random: Random): PositionFixture {
  const instrument = random.pick(instruments);
  const ago = random.below(beganAgo);
  const price = quote(instrument);
  const isClosed = random.chance(0.5);
  return {
    instrument,
    side: random.chance(0.5) ? 'sell' : 'buy',
    volume: hundredths(1 + random.below(500)),
    open_price: price,
    ago,
    ...(isClosed ? { closed: { ago: random.below(ago + 1), price } } : {}),
  };
}
