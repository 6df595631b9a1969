// Defects of the second mind that were written down before it was looked at what the explorer
// draws: each shows in what it was meant to.
import { suite } from 'uvu';
import { eventsAfter } from '../testing/second-mind/events.ts';
import {
  batch,
  DAY,
  isSignedWith,
  type Plays,
  row,
  rows,
  SECOND,
  showPlays,
  update,
} from '../testing/second-mind/plays.ts';
import type { Scene } from '../testing/second-mind/scene.ts';

const URL = 'https://93.184.216.34/events';
const subscribe = (scene: Scene, event_categories: string[], url = URL) =>
  scene.send('POST /webhooks', { url, event_categories });
const approval = (scene: Scene, made: ReturnType<Scene['transact']>): string =>
  scene.decision('approve', made)[0];

const PLAYS: Plays = {
  'comb-closed-frees': (scene) => {
    const made = scene.create({ email: 'one@example.com' });
    update(scene, made, { status: 'Closed' }, 1);
    return scene.create({ email: 'one@example.com' }).status;
  },
  'comb-case-no-change': (scene) =>
    update(scene, scene.create({ country: 'gb' }), { country: 'GB' }, 1).status,
  'comb-hook-upsert': (scene) => {
    subscribe(scene, ['account']);
    subscribe(scene, ['transaction']);
    scene.create();
    return scene.deliver(200).length;
  },
  'comb-batch-joined': (scene) => {
    batch(scene, [row('ab', { email: 'c@example.com' })], 'one');
    return batch(scene, [row('a', { email: 'bc@example.com' })], 'one').body.rows;
  },
  'comb-rows-keyed': (scene) => {
    batch(scene, [row('one')], 'key');
    return scene.send('POST /accounts', row('one'), { key: 'key' }).status;
  },
  'comb-amount-signed': (scene) =>
    scene.transact(scene.place(scene.create()), { transaction_type: 'Debit' }).body.amount,
  'comb-approve-again-any': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    scene.decide('approve', made);
    const other = scene.create().body.id;
    return scene.send(`POST /transactions/${made.body.id}/approve?account_id=${other}`).status;
  },
  'comb-brand-apart': (scene) => {
    const token = scene.token('brand', ['accounts:write'], '10');
    const { brand_id: _, ...unnamed } = row('one');
    scene.send('POST /accounts', unnamed, { token });
    return scene.send('POST /accounts', row('two', { email: unnamed.email })).status;
  },
  'comb-signed-once': (scene) => {
    const secrets = [1, 2].map(() => String(scene.subscribe().body.secret));
    scene.create();
    return scene.deliver(200).map((sent, at) => isSignedWith(secrets[at]!, sent));
  },
  'comb-rotate-by-url': (scene) => {
    const [one, other] = [scene.subscribe(), scene.subscribe()];
    const { body } = scene.send(`POST /webhooks/${other.body.id}/rotate-secret`);
    scene.create();
    return scene.deliver(200).map((sent) => isSignedWith(String(body.secret), sent) && one.status);
  },
  'comb-ftd-delegated': (scene) => {
    const account = scene.create();
    const made = scene.transact(scene.place(account));
    const token = scene.tokenOfAccount(String(account.body.id));
    return scene.send(approval(scene, made), undefined, { token }).body.is_ftd;
  },
  'comb-known-conflict': (scene) => {
    scene.create({ client_reference_id: 'one' });
    const { status } = scene.create({ email: 'other@example.com' });
    return [
      status,
      scene.create({ client_reference_id: 'one', email: 'other@example.com' }).status,
    ];
  },
  'comb-derived-name-lost': (scene) =>
    update(scene, scene.create(), { last_name: 'King' }, 1).body.first_name,
  'comb-batch-brand-events': (scene) => {
    const token = scene.token('brand', ['webhooks:manage'], '10');
    const event_categories = ['account'];
    scene.send('POST /webhooks', { url: URL, event_categories }, { token });
    batch(scene, [row('one'), row('two', { brand_id: '11' })]);
    return scene.mind.deliveries.length;
  },
  'comb-batch-one-brand': (scene) => {
    scene.create({ email: 'one@example.com' });
    const other = { email: 'one@example.com', brand_id: '11' };
    return batch(scene, [row('first'), row('two', other)]).body.created;
  },
  'comb-converged-unrecorded': (scene) => {
    const made = scene.send('POST /accounts', row('one'));
    const known = () => scene.send('POST /accounts', row('one'), { key: 'known' }).body.country;
    const before = known();
    update(scene, made, { country: 'FR' }, 1);
    return [before, known()];
  },
  'comb-status-new-refused': (scene) => {
    const made = scene.create();
    update(scene, made, { status: 'Active' }, 1);
    return update(scene, made, { status: 'New' }, 2).status;
  },
  'comb-url-once': (scene) => {
    const { body } = scene.subscribe();
    scene.send(`POST /webhooks/${body.id}/disable`);
    return scene.subscribe().status;
  },
  'size-batch-unrecorded-100': (scene) => {
    batch(scene, rows(101), 'key');
    return batch(scene, rows(101), 'key').body.rows;
  },
  'size-notify-8000': (scene) => {
    scene.subscribe();
    scene.create({ first_name: 'n'.repeat(9000) });
    return scene.deliver(200).length;
  },
  'size-pending-50': (scene) => {
    const place = scene.place(scene.create());
    return Array.from({ length: 51 }, () => scene.transact(place).status);
  },
  'time-age-wraps': (scene) => {
    const known = () => scene.send('POST /accounts', row('one'), { key: 'key' }).status;
    const before = known();
    scene.pass(50 * DAY);
    return [before, known()];
  },
  'time-tag-grace': (scene) => {
    const made = scene.create();
    update(scene, made, { country: 'FR' }, 1);
    return update(scene, made, { country: 'DE' }, 1).status;
  },
  'time-queue-ttl': (scene) => {
    scene.subscribe();
    scene.create();
    return [0, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].map((wait) => {
      scene.pass(wait * SECOND);
      return scene.deliver(500).length;
    });
  },
  'size-url-200': (scene) => subscribe(scene, ['account'], `${URL}/${'u'.repeat(200)}`).body.url,
  'size-phone-raw-20': (scene) =>
    scene.create({ phone: '+44   7  4  0  0  1  2  3  4  5  6' }).body.phone,
  'size-failed-details-50': (scene) =>
    batch(
      scene,
      rows(60).map((each) => ({ ...each, email: 'no-at' })),
    ).body.rows,
  'size-replay-64k': (scene) => {
    const many = rows(900);
    batch(scene, many, 'key');
    const seen = scene.send('POST /accounts/bulk', { accounts: many }, { key: 'key' });
    return seen.bytes;
  },
  'size-channel-100': (scene) => {
    batch(scene, rows(120));
    return eventsAfter(scene.mind, scene.mind.credentials[0]!, 0).length;
  },
  'size-tokens-5': (scene) => {
    const { clientId: client_id, clientSecret: client_secret } = scene.mind.credentials[0]!;
    const asked = { grant_type: 'client_credentials', client_id, client_secret };
    const [first] = Array.from({ length: 6 }, () => scene.send('POST /oauth/token', asked));
    return scene.send('GET /accounts', undefined, { token: String(first?.body.access_token) })
      .status;
  },
  'time-dormant-quarter': (scene) => {
    scene.create({ client_reference_id: 'one' });
    scene.pass(91 * DAY);
    return scene.create({ client_reference_id: 'one' }).body.status;
  },
  'time-known-cached': (scene) => {
    const made = scene.create({ client_reference_id: 'one' });
    const known = () => scene.create({ client_reference_id: 'one' }).body.country;
    const before = known();
    update(scene, made, { country: 'FR' }, 1);
    return [before, known()];
  },
  'time-permission-cached': (scene) => {
    scene.create();
    scene.mind.firms[0]!.permissions.createAccount = false;
    return scene.create().status;
  },
  'time-target-cached': (scene) => {
    const resolve = (address: string) => {
      scene.mind.names = [{ host: 'a.example.com', addresses: [address] }];
    };
    resolve('93.184.216.34');
    subscribe(scene, ['account'], 'https://a.example.com/');
    scene.create();
    const before = scene.deliver(200).length;
    resolve('10.0.0.1');
    scene.create();
    return [before, scene.deliver(200).length];
  },
  'time-token-ban': (scene) => {
    const { clientId: client_id, clientSecret: client_secret } = scene.mind.credentials[0]!;
    const asked = { grant_type: 'client_credentials', client_id, client_secret };
    const ask = (count: number) =>
      Array.from({ length: count }, () => scene.send('POST /oauth/token', asked).status);
    ask(20);
    scene.pass(30 * SECOND);
    ask(10);
    scene.pass(31 * SECOND);
    return ask(1);
  },
  'time-rotation-restarts': (scene) => {
    const { body } = scene.subscribe();
    scene.create();
    for (const wait of [0, 30, 120]) {
      scene.pass(wait * SECOND);
      scene.deliver(500);
    }
    scene.pass(SECOND);
    scene.send(`POST /webhooks/${body.id}/rotate-secret`);
    scene.pass(600 * SECOND);
    scene.deliver(500);
    scene.pass(60 * SECOND);
    return scene.deliver(500).length;
  },
};

const shown = suite('what defects that nobody had foreseen show');
showPlays(shown, PLAYS);
shown.run();
