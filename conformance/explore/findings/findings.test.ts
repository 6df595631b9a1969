// The findings of a comparison: what they need, what names them, and how long they hold.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needed, type Step } from '../sequence.ts';
import { answered, differing } from '../testing/outcomes.ts';
import { keptFailureAt } from './blame.ts';
import { Book, type Found, type Shown } from './found.ts';

const findings = suite('findings');

findings('what the model shows no more after it has learned is withdrawn', async () => {
  const foundAt = (at: string, rule: string): Found => {
    const difference = differing({ at });
    return { difference, rules: [rule], met: [difference], times: 1 } as unknown as Found;
  };
  const book = new Book();
  book.add(foundAt('body.phone', 'ACC-11'));
  book.add(foundAt('body.country', 'ACC-14'));
  await book.review(async ({ difference }) => difference.at !== 'body.phone');
  const rules = book.found.map(({ rules }) => rules);
  assert.equal(rules, [['ACC-14']]);
  const known = ['body.phone', 'body.country'].map((at) => book.isKnown(differing({ at })));
  assert.equal(known, [false, true]);
});

findings('a call needs the credential that minted its own', () => {
  const steps: readonly Step[] = [
    { do: 'mint', n: 1, name: 'm1', wish: { scopes: [] } },
    { do: 'mint', n: 2, name: 'm2', wish: { scopes: [] } },
    { do: 'mint', n: 3, name: 'm3', wish: { kind: 'delegated', scopes: [], mintedBy: 'm1' } },
    { do: 'call', n: 4, operation: 'listWebhooks', as: 'm3' },
  ];
  const numbers = needed({ steps }, 4).map(({ n }) => n);
  assert.equal(numbers, [1, 3, 4]);
});

// IDEM-6: a passing failure that is repeated under its key is the fault of the key, not of a limit.
const KEPT: readonly (readonly [status: number, again: number, key: string, rules: string[]])[] = [
  [429, 429, 'k', ['IDEM-6a']],
  [503, 503, 'k', ['IDEM-6b']],
  [500, 500, 'k', ['IDEM-6c']],
  [429, 429, 'another', []],
  [429, 500, 'k', []],
  [422, 422, 'k', []],
];

for (const [status, again, key, rules] of KEPT) {
  findings(`${status}, then ${again} under ${key === 'k' ? 'the same' : 'another'} key`, () => {
    const first = answered(`${status}`, { sent: [['idempotency-key', 'k']] });
    const second = answered(`${again}`, { n: 2, sent: [['idempotency-key', key]] });
    const outcomes = new Map([first, second].map((each) => [each.n, each]));
    const recorded = { target: { outcomes } } as unknown as Shown['recorded'];
    assert.equal(keptFailureAt(recorded, 2), rules);
  });
}

findings.run();
