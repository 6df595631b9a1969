// Which steps a call needs: the records it names, and its credential.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Step } from '../sequence.ts';
import { needed } from './cut.ts';

test('a call needs the credential that minted its own', () => {
  const steps: readonly Step[] = [
    { do: 'mint', n: 1, name: 'm1', wish: { scopes: [] } },
    { do: 'mint', n: 2, name: 'm2', wish: { scopes: [] } },
    { do: 'mint', n: 3, name: 'm3', wish: { kind: 'delegated', scopes: [], mintedBy: 'm1' } },
    { do: 'call', n: 4, operation: 'listWebhooks', as: 'm3' },
  ];
  const numbers = needed({ steps }, 4).map(({ n }) => n);
  assert.equal(numbers, [1, 3, 4]);
});

test.run();
