// The defects that the explorer was measured with before it was mended by any of them: each shows
// in a short play.
import { suite } from 'uvu';
import { eventsAfter } from '../testing/second-mind/events.ts';
import { balanceOf } from '../testing/second-mind/operations/money-moves.ts';
import {
  batch,
  DAY,
  type Plays,
  row,
  rows,
  SECOND,
  settled,
  showPlays,
  update,
} from '../testing/second-mind/plays.ts';
import type { Scene } from '../testing/second-mind/scene.ts';

type Sent = Parameters<Scene['send']>;

const subscribed = (scene: Scene, token?: string) => {
  const body = { url: 'https://93.184.216.34/events', event_categories: ['account'] };
  return scene.send('POST /webhooks', body, token === undefined ? {} : { token }).body.id;
};
const deliveredTo = (scene: Scene) => scene.deliver(200).length;
const known = (scene: Scene, reference: string, more = {}) =>
  scene.send('POST /accounts', row(reference, more));

const COMBINATIONS: Plays = {
  'comb-batch-email-twins': (scene) =>
    batch(scene, [row('one'), row('two', { email: 'one@example.com' })]).body.failed,
  'comb-batch-born-case': (scene) => {
    batch(scene, rows(1));
    return known(scene, 'ROW-0').status;
  },
  'comb-replay-updated': (scene) => {
    const create = () => scene.send('POST /accounts', row('one'), { key: 'one' });
    update(scene, create(), { country: 'FR' }, 1);
    return create().body.country;
  },
  'comb-open-after-close': (scene) => {
    const { id } = scene.place(scene.create());
    const order = { trading_account_id: id, instrument: 'EURUSD', side: 'buy', volume: '1' };
    const open = () => scene.send('POST /positions/open', order, { key: 'one' });
    const first = open().body;
    const { position_id } = first;
    scene.send('POST /positions/close', { trading_account_id: id, position_id: position_id! });
    return open().body.id === first.id;
  },
  'comb-refused-decisions': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    const [reject] = scene.decision('reject', made);
    scene.send(reject, { reason: '' }, { key: 'one' });
    const [cancel, body] = scene.decision('cancel', made);
    return scene.send(cancel, body, { key: 'one' }).status;
  },
  'comb-phone-forms': (scene) => {
    scene.create({ phone: '+44 20 7946 0958' });
    return scene.create({ phone: '020 7946 0958', phone_region: 'GB' }).status;
  },
  'comb-brand-updates': (scene) => {
    subscribed(scene);
    const token = scene.token('brand', ['webhooks:manage'], '10');
    subscribed(scene, token);
    update(scene, scene.create(), { country: 'FR' }, 1);
    return scene.mind.deliveries.length;
  },
  'comb-converged-tag': (scene) => {
    update(scene, known(scene, 'one'), { country: 'FR' }, 1);
    return known(scene, 'one').headers.ETag;
  },
  'comb-amend-accounts': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    const token = scene.token('other', ['accounts:write', 'transactions:amend']);
    return scene.send(...scene.decision('cancel', made), { token }).status;
  },
  'comb-refused-reference': (scene) => {
    const place = scene.place(scene.create());
    const wanted = { client_reference_id: 'one' };
    scene.transact(place, { ...wanted, amount: 'much' });
    return scene.transact(place, wanted).status;
  },
  'comb-brand-revision': (scene) => {
    const { body } = scene.create();
    const token = scene.token('brand', ['accounts:write'], '10');
    const asked = { token, tag: '"1"' };
    return scene.send(`PATCH /accounts/${body.id}`, { country: 'FR' }, asked).body.revision;
  },
  'comb-known-by-maker': (scene) => {
    known(scene, 'one');
    const token = scene.token('other', ['accounts:write']);
    return scene.send('POST /accounts', row('one'), { token }).status;
  },
};

const LONG = `https://93.184.216.34/${'e'.repeat(200)}`;
const FAST = 200;

/** How many calls of a burst are served to a credential of this rate. */
function servedAt(scene: Scene, rate: number, count: number, pauseMs: number): number {
  scene.mind.credentials[0]!.ratePerSecond = rate;
  const statuses = Array.from({ length: count }, () => {
    scene.pass(pauseMs);
    return scene.send('GET /accounts').status;
  });
  return statuses.filter((each) => each === 200).length;
}

const SIZES: Plays = {
  'size-created-200': (scene) => {
    known(scene, 'row-0');
    return batch(scene, rows(201)).body.created;
  },
  'size-call-ids-64': (scene) => {
    const ids = Array.from({ length: 65 }, () => scene.create().headers['X-Request-Id']);
    return new Set(ids).size;
  },
  'size-replay-ascii': (scene) => {
    const create = () =>
      scene.send('POST /accounts', row('one', { country: '\u00e9' }), { key: 'one' }).bytes;
    create();
    return create();
  },
  'size-url-refused': (scene) =>
    scene.send('POST /webhooks', { url: LONG, event_categories: ['account'] }).status,
  'size-email-newest-30': (scene) => {
    known(scene, 'one');
    batch(scene, rows(30));
    return known(scene, 'two', { email: 'one@example.com' }).status;
  },
  'size-channel-20': (scene) => {
    batch(scene, rows(21));
    return eventsAfter(scene.mind, scene.mind.credentials[0]!, 0).length;
  },
  'size-burst-100': (scene) => {
    servedAt(scene, FAST, 1, 0);
    scene.pass(10 * SECOND);
    return servedAt(scene, FAST, FAST, 0);
  },
  'size-reference-case-64': (scene) => {
    const reference = 'r'.repeat(65);
    const email = 'one@example.com';
    known(scene, reference, { email });
    return known(scene, reference.toUpperCase(), { email }).status;
  },
};

const TIMES: Plays = {
  'time-expired-409': (scene) => {
    const create = () => scene.send('POST /accounts', row('one'), { key: 'one' }).status;
    create();
    scene.pass(25 * 60 * 60 * SECOND);
    return create();
  },
  'time-reject-again-day': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    scene.decide('reject', made);
    scene.pass(DAY);
    return scene.decide('reject', made).status;
  },
  'time-retry-unseen': (scene) => {
    const { body } = scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    scene.deliver(200);
    return scene.send(`GET /webhooks/${body.id}`).body.last_delivered_seq;
  },
  'time-minute-cap': (scene) => servedAt(scene, 2, 110, 500),
  'time-noop-day': (scene) => {
    const account = scene.create({ country: 'FR' });
    scene.pass(DAY);
    return update(scene, account, { country: 'FR' }, 1).status;
  },
  'time-disabled-gone': (scene) => {
    const { body } = scene.subscribe();
    scene.send(`POST /webhooks/${body.id}/disable`);
    scene.pass(30 * DAY);
    return scene.send(`GET /webhooks/${body.id}`).status;
  },
  'time-weak-tag-day': (scene) => {
    known(scene, 'one');
    scene.pass(DAY);
    return known(scene, 'one').headers.ETag;
  },
};

const RACES: Plays = {
  'race-update-silent': (scene) => {
    const accounts = [scene.create(), scene.create()];
    scene.subscribe();
    const calls = accounts.map(
      ({ body }): Sent => [`PATCH /accounts/${body.id}`, { country: 'FR' }, { tag: '"1"' }],
    );
    scene.sendTogether(...calls);
    return deliveredTo(scene);
  },
  'race-brand-mixed': (scene) => {
    const calls = ['10', '11'].map(
      (brand_id): Sent => ['POST /accounts', row(`at-${brand_id}`, { brand_id })],
    );
    return scene.sendTogether(...calls)[0]!.body.brand_id;
  },
  'race-reject-twice': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    const call = scene.decision('reject', made);
    return scene.sendTogether(call, call)[1]!.status;
  },
  'race-update-approval': (scene) => {
    const account = scene.create();
    const made = scene.transact(scene.place(account));
    const changed = { country: 'FR' };
    scene.sendTogether(
      [`PATCH /accounts/${account.body.id}`, changed, { tag: '"1"' }],
      scene.decision('approve', made),
    );
    return update(scene, account, { language: 'fr' }, 2).status;
  },
  'race-converged-own': (scene) => {
    const calls = ['Ann', 'Bob'].map(
      (first_name): Sent => ['POST /accounts', row('one', { first_name })],
    );
    return scene.sendTogether(...calls)[1]!.body.first_name;
  },
  'race-reversal-lost': (scene) => {
    const place = scene.place(scene.create());
    const first = scene.decide('approve', scene.transact(place));
    settled(scene, first);
    const next = scene.transact(place, { amount: '1.00' });
    scene.sendTogether(scene.decision('cancel', first), scene.decision('approve', next));
    return balanceOf(place);
  },
};

const shown = suite('what defects show that were held out');
showPlays(shown, { ...COMBINATIONS, ...SIZES, ...TIMES, ...RACES });
shown.run();
