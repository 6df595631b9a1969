// The parts of a starting world must be consistent; an error names the inconsistent field.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Path, worldWith } from '../../../fixtures/testing/world-with.ts';
import { defaultWorld } from '../../../fixtures/worlds/built-in.ts';
import { parseWorld } from '../../../fixtures/worlds.ts';
import { seedWorld } from '../testing/begin-world.ts';
import { phoneTables } from '../values/phone.ts';
import { StartingWorldError } from './start-world.ts';

const pathOf = (path: Path) =>
  path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : (text && `.${part}`) || part),
    '',
  );

const first = ['accounts', 0, 'trading_accounts', 0] as const;
const settled = [...first, 'transactions', 0] as const;
const delivery = ['subscriptions', 0, 'deliveries', 0] as const;
const delegated = defaultWorld.credentials.findIndex(({ name }) => name === 'delegated');
const credential = (name: string): Path => ['credentials', delegated, name];

/** The changed path, its new value, the message, and the reported path if it differs. */
const rows: readonly (readonly [Path, unknown, RegExp, Path?])[] = [
  [['firms', 1, 'id'], '1', /1 is used twice/],
  [['firms', 1, 'brands', 0, 'id'], '11', /used twice/],
  [['credentials', 1, 'name'], 'firm', /used twice/],
  [['credentials', 1, 'client_id'], 'cl_firm', /cl_firm already/],
  [['credentials', 1, 'firm_id'], '9', /no firm/],
  [['credentials', 1, 'brand_id'], '20', /no brand 20/],
  [['credentials', 1, 'read_only'], true, /only a delegated/],
  [credential('account_id'), undefined, /name it/],
  [credential('account_id'), '1006', /firm 1/],
  [credential('minted_by'), 'cl_other_firm', /firm 1/],
  [credential('minted_by'), 'cl_brand_b', /brand 11/],
  [['accounts', 4, 'brand_id'], '99', /no brand 99/],
  [['accounts', 1, 'id'], '1003', /used twice/, ['accounts', 2, 'id']],
  [['accounts', 1, 'client_reference_id'], 'CRM-Eleanor-Hughes', /used twice/],
  [['accounts', 1, 'email'], 'Eleanor.Hughes@EXAMPLE.com', /used twice/],
  [[...first, 'id'], '5002', /used twice/, ['accounts', 1, 'trading_accounts', 0, 'id']],
  [[...first, 'transactions', 1, 'client_reference_id'], 'DEP-hughes-1', /used twice/],
  [[...first, 'transactions', 1, 'ago'], '40d', /older than its account/],
  [[...settled, 'steps', 0, 'to'], 'settled', /pending transaction does not become settled/],
  [[...settled, 'steps', 1, 'ago'], '15d', /older than its transaction/],
  [
    [...settled, 'steps', 2],
    { to: 'cancelled', ago: '1d' },
    /say why/,
    [...settled, 'steps', 2, 'reason'],
  ],
  [[...first, 'positions', 1, 'closed', 'ago'], '30d', /before the position/],
  [['subscriptions', 1, 'brand_id'], '20', /no brand/],
  [['subscriptions', 0, 'disabled_ago'], '13d', /before/],
  [[...delivery, 'record_id'], '1', /no transaction.settled of a record 1/],
  [
    [...delivery, 'kind'],
    'transaction.rejected',
    /no transaction.rejected/,
    [...delivery, 'record_id'],
  ],
  [
    ['subscriptions', 1, 'event_categories'],
    ['account'],
    /no category/,
    ['subscriptions', 1, 'deliveries', 0, 'kind'],
  ],
  [
    [...delivery, 'attempts', 0, 'status'],
    200,
    /after one that was taken/,
    [...delivery, 'attempts', 1],
  ],
  [[...delivery, 'attempts', 2, 'status'], 302, /or be eight/, [...delivery, 'attempts']],
  [['generate'], { accounts: 1, brand_ids: ['10', '99'] }, /99/, ['generate', 'brand_ids', 1]],
];

test.before(() => phoneTables.load());

test('inconsistent parts are reported by their field', () => {
  for (const [path, value, message, place = path] of rows) {
    const { world, problems } = parseWorld(worldWith(path, value));
    assert.is(problems, undefined, `${pathOf(path)} is of the right form`);
    try {
      seedWorld(world);
      assert.unreachable(`${pathOf(path)} was taken`);
    } catch (error) {
      assert.instance(error, StartingWorldError, `${pathOf(path)}: ${error}`);
      assert.is((error as StartingWorldError).field, pathOf(place));
      assert.match((error as StartingWorldError).message, message);
    }
  }
});

test.run();
