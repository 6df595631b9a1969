// Defects of the second mind in races that were written down before it was looked at what the
// explorer draws.
import { suite } from 'uvu';
import { type Plays, row, settled, showPlays } from '../testing/second-mind/plays.ts';
import type { Scene } from '../testing/second-mind/scene.ts';

type Sent = Parameters<Scene['send']>;

const approval = (scene: Scene, made: ReturnType<Scene['transact']>): string =>
  scene.decision('approve', made)[0];

const PLAYS: Plays = {
  'race-both-refused': (scene) => {
    const email = 'one@example.com';
    const calls = ['one', 'two'].map((name): Sent => ['POST /accounts', row(name, { email })]);
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-compensation-lost': (scene) => {
    const place = scene.place(scene.create());
    const made = [scene.transact(place), scene.transact(place)];
    for (const each of made) settled(scene, scene.decide('approve', each));
    scene.sendTogether(...made.map((each): Sent => scene.decision('cancel', each)));
    return place.entries.length;
  },
  'race-phone-brands': (scene) => {
    const phone = '+447400123456';
    const calls = ['10', '11'].map((brand_id): Sent => {
      return ['POST /accounts', row(`at-${brand_id}`, { phone, brand_id })];
    });
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-crowd-500': (scene) => {
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name): Sent => ['POST /accounts', row(name)]);
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-approve-saves': (scene) => {
    const account = scene.create({ client_reference_id: 'one' });
    const made = scene.transact(scene.place(account));
    const calls: Sent[] = [
      [`PATCH /accounts/${account.body.id}`, { country: 'FR' }, { tag: '"1"' }],
      [approval(scene, made)],
    ];
    scene.sendTogether(...calls);
    return scene.create({ client_reference_id: 'one' }).body.country;
  },
  'race-delivery-disable': (scene) => {
    const { body } = scene.subscribe();
    scene.create();
    const id = String(body.id);
    scene.deliverMeanwhile(() => scene.send(`POST /webhooks/${id}/disable`));
    return scene.send(`GET /webhooks/${id}`).body.disabled;
  },
  'race-known-places': (scene) => {
    const account = scene.create();
    const [here, there] = [scene.place(account), scene.place(account)];
    const body = (place: typeof here) => ({
      ...{ client_reference_id: 'one', account_id: place.accountId, currency: 'USD' },
      ...{ trading_account_id: place.id, amount: '5.00', transaction_type: 'Deposit' },
    });
    const calls = [here, there].map((place): Sent => ['POST /transactions', body(place)]);
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-two-batches': (scene) => {
    const calls = ['one', 'two'].map(
      (name): Sent => ['POST /accounts/bulk', { accounts: [row('shared'), row(name)] }],
    );
    return scene.sendTogether(...calls).map(({ body }) => JSON.stringify(body.rows).slice(0, 60));
  },
  'race-key-credentials': (scene) => {
    const token = scene.token('another', ['accounts:write']);
    const calls: Sent[] = [
      ['POST /accounts', row('one'), { key: 'key' }],
      ['POST /accounts', row('one'), { key: 'key', token }],
    ];
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-key-decisions': (scene) => {
    const place = scene.place(scene.create());
    const made = [scene.transact(place), scene.transact(place)];
    const calls = made.map((each): Sent => [approval(scene, each), undefined, { key: 'key' }]);
    return scene.sendTogether(...calls).map(({ body }) => body.id);
  },
  'race-token-budget': (scene) => {
    const { clientId: client_id, clientSecret: client_secret } = scene.mind.credentials[0]!;
    const asked = { grant_type: 'client_credentials', client_id, client_secret };
    const calls = Array.from({ length: 12 }, (): Sent => ['POST /oauth/token', asked]);
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
};

const shown = suite('what races that nobody had foreseen show');
showPlays(shown, PLAYS);
shown.run();
