// Checks what a difference may become while its sequence is made plainer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callsOf } from '../sequence.ts';
import { investigate, type Play } from './investigate.ts';
import { call } from './plain-calls.ts';
import { foundOf } from './testing/made.ts';

const looking = suite('investigate');

const came = '401 unauthorized';
const steps = [call(1, 'listWebhooks', 'firm', {})];

/** A target that takes no token, whose creates would be answered so. */
const withoutTokens =
  (due: string): Play =>
  async (sequence) => {
    const last = callsOf(sequence.steps).at(-1)!;
    const isCreate = last.operation === 'createAccount';
    const { duel, difference } = foundOf({ steps: [last], due: isCreate ? due : '200', came });
    return { ...duel, difference };
  };

async function lookedAt(due: string) {
  const play = withoutTokens(due);
  const duel = await play({ steps });
  return investigate({ steps }, { ...duel, difference: duel.difference! }, play);
}

looking('what concerns every operation is shown by a create', async () => {
  assert.is((await lookedAt('201'))?.difference.operation, 'createAccount');
});

looking('unless that is refused for a reason of its own', async () => {
  assert.is((await lookedAt('403 forbidden'))?.difference.operation, 'listWebhooks');
});

looking.run();
