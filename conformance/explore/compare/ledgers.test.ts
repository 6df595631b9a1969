// Which entries of two trading accounts are alike: what each transaction moved, in its own order.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../providers/target.ts';
import { compareLedgers } from './ledgers.ts';
import { Match } from './match.ts';
import type { Comparing } from './values.ts';

const ledgers = suite('ledgers compared');

type Line = readonly [transaction: string | null, amount: string];

/** `target` names transactions in capitals, `model` in small letters. */
function compare(target: readonly Line[], model: readonly Line[], unsettled: string[] = []) {
  const match = new Match();
  for (const name of ['a', 'b', 'c']) match.pair('transaction', name.toUpperCase(), name);
  const entriesOf = (lines: readonly Line[]): LedgerEntry[] =>
    lines.map(([transaction_id, amount]) => ({ transaction_id, amount, kind: 'transaction' }));
  const balance = (lines: readonly Line[]) =>
    String(lines.reduce((sum, [, amount]) => sum + Number(amount), 0));
  const outcome = (lines: readonly Line[]) =>
    ({ kind: 'ledger', n: 9, balance: balance(lines), entries: entriesOf(lines) }) as const;
  const comparing = { match } as Comparing;
  return compareLedgers(outcome(target), outcome(model), new Set(unsettled), comparing);
}

ledgers('NS-3: of two transactions either may be booked first', () => {
  const model: Line[] = [
    ['a', '25'],
    ['b', '100'],
    ['a', '-25'],
  ];
  assert.is(
    compare(
      [
        ['B', '100'],
        ['A', '25'],
        ['A', '-25'],
      ],
      model,
    ),
    null,
  );
  const turned = compare(
    [
      ['B', '100'],
      ['A', '-25'],
      ['A', '25'],
    ],
    model,
  );
  assert.is(turned, null, 'NS-27: which way the first goes is open');
});

ledgers('what one of them moved is told, wherever it stands', () => {
  const model: Line[] = [
    ['a', '25'],
    ['b', '100'],
  ];
  assert.is(
    compare(
      [
        ['B', '100'],
        ['A', '26'],
      ],
      model,
    )?.target,
    '26, 100',
  );
  assert.is(
    compare(
      [
        ['B', '25'],
        ['A', '100'],
      ],
      model,
    )?.at,
    'entries',
  );
  assert.is(
    compare(
      [
        ['A', '25'],
        ['A', '25'],
        ['B', '100'],
      ],
      model,
    )?.at,
    'entries',
  );
  assert.is(compare([['A', '25']], model)?.model, '25, 100');
});

ledgers('entries that stand for none yet are paired in their order', () => {
  const model: Line[] = [
    ['x', '7'],
    ['a', '25'],
    [null, '3'],
  ];
  assert.is(
    compare(
      [
        ['A', '25'],
        [null, '3'],
        ['X', '7'],
      ],
      model,
    ),
    null,
  );
  assert.is(
    compare(
      [
        ['A', '25'],
        [null, '3'],
        ['X', '8'],
      ],
      model,
    )?.at,
    'entries',
  );
});

ledgers('NS-3: what is on its way may be booked or not', () => {
  const model: Line[] = [
    ['a', '25'],
    ['b', '100'],
  ];
  assert.is(compare([['B', '100']], model, ['a']), null);
  assert.is(
    compare(
      [
        ['A', '25'],
        ['B', '100'],
      ],
      [['b', '100']],
      ['a'],
    ),
    null,
  );
});

ledgers('of many entries the first that differs is told', () => {
  const many = Array.from({ length: 14 }, (): Line => ['a', '1']);
  const found = compare(many, [many[0]!, ['a', '-1'], ...many.slice(1)]);
  assert.is(found?.target, '14 entries, number 2 of them 1');
  assert.is(found?.model, '15 entries, number 2 of them -1');
});

ledgers.run();
