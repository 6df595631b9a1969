// Sealed defects of the second mind in races, whatever the style.
import { suite } from 'uvu';
import { isSignedWith, type Plays, row, showPlays } from '../testing/second-mind/plays.ts';
import type { Scene } from '../testing/second-mind/scene.ts';
import { SCOPES } from '../testing/second-mind/server/profile.ts';
import { other } from '../testing/second-mind/values/style-other.ts';
import { plain } from '../testing/second-mind/values/style-plain.ts';

type Sent = Parameters<Scene['send']>;

const PLAYS: Plays = {
  'race-delivery-rotate': (scene) => {
    const rotate = `POST /webhooks/${scene.subscribe().body.id}/rotate-secret`;
    scene.create();
    let secret = '';
    scene.deliverMeanwhile(() => {
      secret = String(scene.send(rotate).body.secret);
    });
    scene.create();
    return scene.deliver(200).map((sent) => isSignedWith(secret, sent));
  },
  'race-refusal-ids': (scene) => {
    const calls = ['one', 'two'].map((name): Sent => {
      return ['POST /accounts', row(name, { email: 'no-at' })];
    });
    const seen = scene.sendTogether(...calls);
    return seen.map(({ body, headers }) => body.request_id === headers['X-Request-Id']);
  },
  'race-tokens-one': (scene) => {
    const { clientId: client_id, clientSecret: client_secret } = scene.mind.credentials[0]!;
    const wanted = { grant_type: 'client_credentials', client_id, client_secret };
    const calls = Array.from({ length: 3 }, (): Sent => ['POST /oauth/token', wanted]);
    return scene.sendTogether(...calls).map(({ body }) => {
      const token = String(body[scene.mind.style.token.name]);
      return scene.send('GET /webhooks', undefined, { token }).status;
    });
  },
  'race-none-first': (scene) => {
    const place = scene.place(scene.create());
    const calls = [scene.transact(place), scene.transact(place)].map((made): Sent => {
      return [scene.decision('approve', made)[0]];
    });
    return scene.sendTogether(...calls).map(({ body }) => body.is_ftd);
  },
  'race-batch-counts': (scene) => {
    const calls = ['one', 'two'].map(
      (name): Sent => ['POST /accounts/bulk', { accounts: [row(name)] }],
    );
    return scene.sendTogether(...calls).map(({ body }) => [body.total, body.created]);
  },
  'race-conflict-erases': (scene) => {
    const email = 'one@example.com';
    const calls = ['one', 'two'].map((name): Sent => ['POST /accounts', row(name, { email })]);
    scene.sendTogether(...calls);
    return scene.send('POST /accounts', row('one', { email })).status;
  },
  'race-event-brand': (scene) => {
    const token = scene.token('brand', SCOPES, '10');
    const url = 'https://93.184.216.34/events';
    scene.send('POST /webhooks', { url, event_categories: ['account'] }, { token });
    const calls = ['10', '11'].map((brand_id): Sent => {
      return ['POST /accounts', row(`at-${brand_id}`, { brand_id })];
    });
    scene.sendTogether(...calls);
    return scene.mind.deliveries.length;
  },
};

const shown = suite('what sealed races show');
for (const style of [plain, other]) showPlays(shown, PLAYS, style);
shown.run();
