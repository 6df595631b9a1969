// Defects of the second mind that show only when two things come together: each answers a short
// play of calls in another way than the whole one does.
import { suite } from 'uvu';
import {
  batch,
  type Plays,
  row,
  rows,
  SECOND,
  settled,
  showPlays,
  signatures,
  update,
} from '../testing/second-mind/plays.ts';

const PLAYS: Plays = {
  'comb-minted-share-keys': (scene) => {
    const places = [0, 1].map(() => scene.place(scene.create()));
    const body = { client_reference_id: 'one', currency: 'USD', amount: '5.00' };
    const [one, two] = places.map(({ id, accountId }) => {
      const own = { account_id: accountId, trading_account_id: id, transaction_type: 'Deposit' };
      const asked = { key: 'one', token: scene.tokenOfAccount(accountId, 'minter') };
      return scene.send('POST /transactions', { ...body, ...own }, asked).body.id;
    });
    return one === two;
  },
  'comb-delegated-rejects': (scene) => {
    const [mine, theirs] = [scene.create(), scene.create()];
    const token = scene.tokenOfAccount(String(mine.body.id));
    const [path, body] = scene.decision('reject', scene.transact(scene.place(theirs)));
    return scene.send(path, body, { token }).status;
  },
  'comb-brand-rotates': (scene) => {
    const { body } = scene.subscribe();
    const token = scene.token('brand', ['webhooks:manage'], '10');
    return scene.send(`POST /webhooks/${body.id}/rotate-secret`, undefined, { token }).status;
  },
  'comb-refused-open-close': (scene) => {
    const { id } = scene.place(scene.create());
    const body = { trading_account_id: id, instrument: 'EURUSD', side: 'up', volume: '1' };
    scene.send('POST /positions/open', body, { key: 'one' });
    const close = { trading_account_id: id, position_id: '999' };
    return scene.send('POST /positions/close', close, { key: 'one' }).status;
  },
  'comb-redirect-retry': (scene) => {
    scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    scene.deliver(302);
    scene.pass(120 * SECOND);
    return scene.deliver(200).length;
  },
  'comb-recheck-first': (scene) => {
    scene.mind.names = [{ host: 'hooks.example.com', addresses: ['93.184.216.34'] }];
    const url = 'https://hooks.example.com/events';
    scene.send('POST /webhooks', { url, event_categories: ['account'] });
    scene.create();
    scene.deliver(500);
    scene.mind.names = [{ host: 'hooks.example.com', addresses: ['10.0.0.1'] }];
    scene.pass(30 * SECOND);
    return scene.deliver(200).length;
  },
  'comb-ftd-withdrawn-first': (scene) => {
    const place = scene.place(scene.create());
    scene.decide('approve', scene.transact(place, { transaction_type: 'Withdrawal' }));
    return scene.decide('approve', scene.transact(place)).body.is_ftd;
  },
  'comb-ftd-bulk': (scene) => {
    batch(scene, rows(1));
    const place = scene.place(scene.send('POST /accounts', rows(1)[0]!));
    return scene.decide('approve', scene.transact(place)).body.is_ftd;
  },
  'comb-429-penalty': (scene) => {
    scene.mind.credentials[0]!.ratePerSecond = 2;
    for (let at = 0; at < 5; at += 1) scene.send('GET /accounts');
    scene.pass(SECOND);
    return scene.send('GET /accounts').status;
  },
  'comb-limits-apart': (scene) => {
    scene.mind.credentials[0]!.ratePerSecond = 2;
    for (let at = 0; at < 2; at += 1) scene.send('GET /accounts');
    return scene.create().status;
  },
  'comb-row-reserves': (scene) => {
    scene.create({ email: 'ann@example.com' });
    batch(scene, [row('other', { email: 'ann@example.com' })]);
    return scene.create({ client_reference_id: 'other' }).status;
  },
  'comb-update-spreads-phone': (scene) => {
    const phone = '+44 7700 900123';
    update(scene, scene.create({ phone }), { country: 'FR' }, 1);
    return scene.create({ phone, brand_id: '11' }).status;
  },
  'comb-status-tag': (scene) => {
    const { body, headers } = update(scene, scene.create(), { country: 'FR', status: 'Hot' }, 1);
    return headers.ETag === `"${body.revision}"`;
  },
  'comb-known-as-made': (scene) => {
    const place = scene.place(scene.create());
    const wanted = { client_reference_id: 'one' };
    scene.decide('reject', scene.transact(place, wanted));
    return scene.transact(place, wanted).body.status;
  },
  'comb-refusal-subject': (scene) => {
    const asked = { key: 'one' };
    scene.create({ email: 'nobody' }, asked);
    return scene.create({}, asked).status;
  },
  'comb-row-leaks': (scene) => {
    batch(scene, [row('one', { country: 'FR' }), row('two')]);
    return scene.send('POST /accounts', row('two')).body.country;
  },
  'comb-first-category': (scene) => {
    const place = scene.place(scene.create());
    const url = 'https://93.184.216.34/events';
    scene.send('POST /webhooks', { url, event_categories: ['account', 'transaction'] });
    scene.transact(place);
    return scene.deliver(200).length;
  },
  'comb-hook-disabled-twin': (scene) => {
    scene.send(`POST /webhooks/${scene.subscribe().body.id}/disable`);
    return scene.subscribe().body.disabled;
  },
  'comb-restored-update': (scene) => {
    const account = scene.create({ country: 'DE' });
    update(scene, account, { country: 'FR' }, 1);
    return update(scene, account, { country: 'DE' }, 2).status;
  },
  'comb-empty-text': (scene) =>
    update(scene, scene.create({ country: 'DE' }), { status: '' }, 1).status,
  'comb-ftd-after-cancel': (scene) => {
    const place = scene.place(scene.create());
    const first = scene.decide('approve', scene.transact(place));
    settled(scene, first);
    scene.decide('cancel', first);
    return scene.decide('approve', scene.transact(place)).body.is_ftd;
  },
  'comb-compensation-whole': (scene) => {
    const place = scene.place(scene.create());
    const made = scene.decide('approve', scene.transact(place));
    settled(scene, made);
    scene.decide('cancel', made);
    return place.entries.map(({ amount }) => amount);
  },
  'comb-bulk-email-case': (scene) => {
    scene.create({ email: 'ann@example.com' });
    return batch(scene, [row('other', { email: 'ANN@example.com' })]).body.failed;
  },
  'comb-key-invalidated': (scene) => {
    const account = scene.create();
    const asked = { key: 'one', tag: '"1"' };
    const again = () =>
      scene.send(`PATCH /accounts/${account.body.id}`, { country: 'FR' }, asked).status;
    again();
    update(scene, account, { country: 'IT' }, 2);
    return again();
  },
  'comb-batch-of-one': (scene) => {
    scene.create({ client_reference_id: 'row-0' }, { key: 'one' });
    return batch(scene, rows(1), 'one').body.total;
  },
  'comb-retry-one-signature': (scene) => {
    const { body } = scene.subscribe();
    scene.send(`POST /webhooks/${body.id}/rotate-secret`);
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    return signatures(scene.deliver(200));
  },
  'comb-disabled-hidden': (scene) => {
    const { body } = scene.subscribe();
    scene.send(`POST /webhooks/${body.id}/disable`);
    return scene.send('GET /webhooks').body;
  },
  'comb-merge': (scene) => {
    const account = scene.create();
    update(scene, account, { country: 'FR' }, 1);
    return update(scene, account, { language: 'fr' }, 1).status;
  },
  'comb-country-over-region': (scene) =>
    scene.create({ phone: '030 123456', phone_region: 'DE', country: 'GB' }).body.phone,
  'comb-half-named': (scene) => scene.create({ last_name: 'Lee' }).body.first_name,
  'comb-method-derived': (scene) => {
    const place = scene.place(scene.create());
    return scene.transact(place, { amount: '-5.00', method: 'Deposit' }).body.method;
  },
  'comb-501-locks': (scene) => {
    const place = scene.place(scene.create(), true);
    const made = scene.transact(place, { transaction_type: 'Withdrawal' });
    scene.decide('approve', made);
    return scene.decide('reject', made).status;
  },
  'comb-key-by-token': (scene) => {
    const place = scene.place(scene.create());
    const made = scene.transact(place);
    const [path] = scene.decision('approve', made);
    scene.send(path, undefined, { key: 'one' });
    scene.send(...scene.decision('cancel', scene.transact(place)));
    settled(scene, made);
    return scene.send(path, undefined, { key: 'one', token: scene.tokenOfSame() }).body.status;
  },
  'comb-waits-shared': (scene) => {
    scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    scene.deliver(200);
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    return scene.deliver(200).length;
  },
  'comb-queue-replaced': (scene) => {
    scene.subscribe();
    const account = scene.create();
    scene.deliver(500);
    update(scene, account, { country: 'FR' }, 1);
    scene.pass(30 * SECOND);
    return [...scene.deliver(200), ...scene.deliver(200)].length;
  },
  'comb-length-in-chars': (scene) => {
    scene.subscribe();
    scene.create({ first_name: 'Zoë' });
    return scene.deliver(200).map(({ body }) => body.endsWith('}}'));
  },
  'comb-disable-zeroes': (scene) => {
    const { body } = scene.subscribe();
    scene.create();
    scene.deliver(200);
    return scene.send(`POST /webhooks/${body.id}/disable`).body.last_delivered_seq;
  },
  'comb-bulk-email-brands': (scene) => {
    scene.create({ email: 'ann@example.com' });
    return batch(scene, [row('other', { email: 'ann@example.com', brand_id: '11' })]).body.failed;
  },
  'comb-delegated-known': (scene) => {
    const [one, two] = [scene.place(scene.create()), scene.place(scene.create())];
    scene.transact(one, { client_reference_id: 'one' });
    const delegated = scene.tokenOfAccount(two.accountId);
    return scene.transact(two, { client_reference_id: 'one' }, delegated).status;
  },
  'comb-amend-reason': (scene) => {
    const made = scene.decide('approve', scene.transact(scene.place(scene.create())));
    settled(scene, made);
    return scene.decide('cancel', made, '').status;
  },
  'comb-412-locks': (scene) => {
    const account = scene.create();
    for (const tag of [7, 8]) update(scene, account, { country: 'FR' }, tag);
    return update(scene, account, { country: 'FR' }, 1).status;
  },
};

const shown = suite('what defects in a mixture show');
showPlays(shown, PLAYS);
shown.run();
