// Checks that a channel that tells slowly is not taken for one that has told all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credential } from '../../providers/target.ts';
import type { Comparing } from '../compare/values.ts';
import type { Ground } from './ground.ts';
import { judgeStep } from './judge-step.ts';
import { listen } from './listen.ts';
import type { HeardOutcome } from './outcome.ts';
import { Player } from './player.ts';

const listening = suite('listening to the events channel');

const step = { do: 'listen', n: 1, as: 'firm', after: 0 } as const;
const envelope = (id: string) => JSON.stringify({ id, seq: 1, category: 'account' });

/** A channel that tells each of these after so many milliseconds, and ends after `endsMs`. */
function playerOf(messages: readonly (readonly [ms: number, id: string])[], endsMs = 60_000) {
  const fromMs = performance.now();
  const isPast = (ms: number) => performance.now() - fromMs > ms;
  const channel = {
    get messages() {
      return messages.filter(([ms]) => isPast(ms)).map(([, id]) => envelope(id));
    },
    get closed() {
      return isPast(endsMs);
    },
    close: () => {},
  };
  const operator = { emit: async () => ({ id: 'now' }), settings: async () => ({}) };
  const credential = async () => ({ token: 't', rates: [] });
  const target = { baseUrl: 'http://x', offers: new Set(), credential, operator };
  const sender = { openChannel: async () => channel };
  return new Player({ target, sender, timeoutMs: 200 } as unknown as Ground, 'nonce');
}

const idsOf = ({ told }: HeardOutcome) =>
  told?.map(({ body }) => JSON.parse(Buffer.from(body).toString()).id);

listening('what it tells before the event of now is heard', async () => {
  const heard = await listen(
    step,
    playerOf([
      [50, 'old'],
      [100, 'now'],
    ]),
  );
  assert.equal(idsOf(heard), ['old']);
  assert.equal([heard.isCut, heard.isLate], [false, false]);
});

listening('one that ends before has told all that it will', async () => {
  const heard = await listen(step, playerOf([], 50));
  assert.equal([heard.isCut, heard.isLate], [true, false]);
});

listening('of one that has not told of now yet nothing can be said', async () => {
  const target = playerOf([[60_000, 'old']]);
  const [own, other] = await Promise.all(
    [
      target,
      playerOf([
        [0, 'old'],
        [50, 'now'],
      ]),
    ].map((each) => listen(step, each)),
  );
  assert.equal([own!.isCut, own!.isLate], [false, true]);
  const sides = { target, model: target };
  const verdict = judgeStep(step, own, other, sides, {} as Comparing);
  assert.match(verdict.why ?? '', /has not told all of it yet/);
  assert.is(verdict.difference, undefined);
});

// EVT-12
listening('who is bound to a brand waits for an event of that brand', async () => {
  const player = playerOf([[0, 'now']]);
  const emitted: unknown[] = [];
  player.credentials.set('brand', { token: 't', brandId: '10' } as Credential);
  Object.assign(player.ground.target.operator, {
    emit: async (event: unknown) => {
      emitted.push(event);
      return { id: 'now' };
    },
  });
  await listen({ ...step, as: 'brand' }, player);
  assert.equal(emitted, [{ category: 'account', kind: 'account.updated', brandId: '10' }]);
});

listening.run();
