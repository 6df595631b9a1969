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
