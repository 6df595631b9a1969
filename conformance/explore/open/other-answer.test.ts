// Another answer to an open question explains a difference only if the difference is still compared.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Difference } from '../compare/difference.ts';
import type { Reference } from '../compare/reference.ts';
import type { Shown } from '../findings/found.ts';
import { differing } from '../testing/outcomes.ts';
import { otherAnswerFor } from './other-answer.ts';

const answers = suite('other answers to open questions');

/** Whether a setting explains the difference, if the states part after this step under it. */
async function isExplained(operation: Difference['operation'], partedAt?: number) {
  const met = differing({ n: 4, operation, at: 'count' });
  const compareWith = async (_: object, given: object = {}) =>
    Object.keys(given).length === 0
      ? { differences: [met], open: [] }
      : { differences: [], open: [], partedAt };
  const reference = { settings: {}, isKnown: () => false, compareWith } as unknown as Reference;
  const steps = [{ do: 'advance', byMs: 1, n: 4 }];
  const shown = {
    difference: met,
    recorded: { sequence: { steps } },
    compared: { differences: [met] },
  };
  const unasked = new Set(['amount_sign']);
  return (await otherAnswerFor(shown as unknown as Shown, reference, unasked)) !== undefined;
}

answers('a difference that is not compared any more is not explained', async () => {
  assert.equal([await isExplained('getWebhook'), await isExplained('getWebhook', 4)], [true, true]);
  assert.not(await isExplained('getWebhook', 3));
  assert.equal([await isExplained('delivery'), await isExplained('delivery', 4)], [true, false]);
});

answers.run();
