// More defects of the second mind that show at a size, after a time or in a race.
import { suite } from 'uvu';
import { patienceMs } from '../testing/second-mind/deliveries.ts';
import { newToken } from '../testing/second-mind/operations/tokens.ts';
import { HOUR, type Plays, row, SECOND, settled, showPlays } from '../testing/second-mind/plays.ts';
import type { Scene } from '../testing/second-mind/scene.ts';

type Sent = Parameters<Scene['send']>;

const PLAYS: Plays = {
  'size-reversal-1000': (scene) => {
    const place = scene.place(scene.create());
    const made = scene.decide('approve', scene.transact(place, { amount: '2500.00' }));
    settled(scene, made);
    scene.decide('cancel', made);
    return place.entries.map(({ amount }) => amount);
  },
  'time-token-half': (scene) => {
    const { clientId } = scene.mind.credentials[0]!;
    const token = newToken(scene.mind, clientId, scene.mind.now() + HOUR);
    scene.pass((2 * HOUR) / 3);
    return scene.send('GET /accounts', undefined, { token }).status;
  },
  'time-retry-patience': (scene) => {
    scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    scene.deliver(500);
    return patienceMs(scene.mind, scene.mind.deliveries[0]!);
  },
  'race-batches-mixed': (scene) => {
    const calls = ['one', 'two'].map(
      (name): Sent => ['POST /accounts/bulk', { accounts: [row(name)] }],
    );
    const [one, two] = scene.sendTogether(...calls).map(({ body }) => JSON.stringify(body.rows));
    return one === two;
  },
  'race-torn-tag': (scene) => {
    const { body } = scene.create({ client_reference_id: 'one' });
    const calls: Sent[] = [
      ['POST /accounts', row('one')],
      [`PATCH /accounts/${body.id}`, { country: 'FR' }, { tag: '"1"' }],
    ];
    return scene.sendTogether(...calls).map(({ headers }) => headers.ETag);
  },
};

const shown = suite('what more defects of size, time and race show');
showPlays(shown, PLAYS);
shown.run();
