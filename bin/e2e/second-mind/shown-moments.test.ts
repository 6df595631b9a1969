// Defects of the second mind that show at a size, after a time or in a race: each answers a short
// play of calls in another way than the whole one does.
import { suite } from 'uvu';
import {
  batch,
  DAY,
  HOUR,
  isSignedWith,
  type Plays,
  row,
  rows,
  SECOND,
  settled,
  showPlays,
  signatures,
} from '../testing/second-mind/plays.ts';
import type { Scene } from '../testing/second-mind/scene.ts';

const PLAYS: Plays = {
  'size-amount-cents32': (scene) =>
    scene.transact(scene.place(scene.create()), { amount: '30000000.00' }).body.amount,
  'size-amount-grouped': (scene) =>
    scene.transact(scene.place(scene.create()), { amount: '1000.00' }).body.amount,
  'size-phone-7': (scene) => {
    scene.create({ phone: '+44 7700 900123' });
    return scene.create({ phone: '+44 7800 900123' }).status;
  },
  'size-decide-20': (scene) => {
    const place = scene.place(scene.create());
    const first = scene.transact(place);
    for (let at = 0; at < 20; at += 1) scene.transact(place);
    return scene.decide('reject', first).status;
  },
  'size-counts-byte': (scene) => batch(scene, rows(256)).body.total,
  'size-hooks-evict-10': (scene) => {
    const { body } = scene.subscribe();
    for (let at = 0; at < 10; at += 1) scene.subscribe();
    return scene.send(`GET /webhooks/${body.id}`).status;
  },
  'size-places-2': (scene) => {
    const account = scene.create();
    for (const place of [account, account]) scene.place(place);
    return scene.transact(scene.place(account)).status;
  },
  'time-waits-by-event': (scene) => {
    scene.subscribe();
    scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    return scene.deliver(500).length;
  },
  'time-settled-unmarks': (scene) => {
    const made = scene.decide('approve', scene.transact(scene.place(scene.create())));
    settled(scene, made);
    return scene.decide('cancel', made).body.is_ftd;
  },
  'time-created-moves': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    scene.pass(HOUR);
    return scene.decide('reject', made).body.created_at;
  },
  'time-replay-cold': (scene) => {
    const again = () => scene.create({ client_reference_id: 'one' }, { key: 'one' }).headers.ETag;
    again();
    scene.pass(HOUR);
    return again();
  },
  'time-rotation-from-creation': (scene) => {
    const { body } = scene.subscribe();
    scene.pass(DAY);
    scene.send(`POST /webhooks/${body.id}/rotate-secret`);
    scene.create();
    return signatures(scene.deliver(200));
  },
  'time-refill-floors': (scene) => {
    scene.mind.credentials[0]!.ratePerSecond = 5;
    for (let at = 0; at < 5; at += 1) scene.send('GET /accounts');
    scene.pass(SECOND / 2);
    return scene.send('GET /accounts').status;
  },
  'time-reversal-day': (scene) => {
    const place = scene.place(scene.create());
    const made = scene.decide('approve', scene.transact(place));
    settled(scene, made);
    scene.pass(DAY);
    scene.decide('cancel', made);
    return place.entries.length;
  },
  'time-event-hurries': (scene) => {
    scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.create();
    return scene.deliver(200).length;
  },
  'race-same-phone': (scene) => {
    const calls = ['one', 'two'].map(
      (name): Parameters<Scene['send']> => [
        'POST /accounts',
        row(name, { phone: '+44 7700 900123' }),
      ],
    );
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-coalesced': (scene) => {
    const { id, accountId } = scene.place(scene.create());
    const calls = ['one', 'two'].map(
      (name): Parameters<Scene['send']> => [
        'POST /transactions',
        {
          ...{ client_reference_id: name, account_id: accountId, trading_account_id: id },
          ...{ currency: 'USD', amount: '5.00', transaction_type: 'Deposit' },
        },
      ],
    );
    const [one, two] = scene.sendTogether(...calls).map(({ body }) => body.id);
    return one === two;
  },
  'race-approve-cancel': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    const calls = ['approve', 'cancel'].map((verb) => scene.decision(verb, made));
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-key-lock': (scene) => {
    const calls = ['one', 'two'].map(
      (name): Parameters<Scene['send']> => ['POST /accounts', row(name), { key: 'one' }],
    );
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-updates-crossed': (scene) => {
    const calls = [scene.create(), scene.create()].map(
      ({ body }): Parameters<Scene['send']> => [
        `PATCH /accounts/${body.id}`,
        { country: 'FR' },
        { tag: '"1"' },
      ],
    );
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-hook-ids': (scene) => {
    const hook = { url: 'https://93.184.216.34/events', event_categories: ['account'] };
    const make: Parameters<Scene['send']> = ['POST /webhooks', hook];
    const [one, two] = scene.sendTogether(make, make).map(({ body }) => body.id);
    return one === two;
  },
  'race-scopes': (scene) => {
    const token = scene.token('poor', ['webhooks:manage']);
    const calls = [{ token }, {}].map(
      (asked, at): Parameters<Scene['send']> => ['POST /accounts', row(`row-${at}`), asked],
    );
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'size-subject-200': (scene) => {
    const one = scene.create({ client_reference_id: `${'a'.repeat(200)}1` }, { key: 'one' });
    const two = scene.create({ client_reference_id: `${'a'.repeat(200)}2` }, { key: 'one' });
    return one.body.id === two.body.id;
  },
  'size-batch-subject-50': (scene) => {
    batch(scene, rows(51), 'one');
    return batch(scene, rows(52), 'one').body.total;
  },
  'size-index-in-chunk': (scene) => {
    const accounts = rows(103).map((each, at) => (at === 102 ? { brand_id: '10' } : each));
    return scene.send('POST /accounts/bulk', { accounts }).body.detail;
  },
  'size-language-35': (scene) => scene.create({ language: 'x'.repeat(36) }).body.language,
  'size-known-25': (scene) => {
    const place = scene.place(scene.create());
    scene.transact(place, { client_reference_id: 'first' });
    for (let at = 0; at < 25; at += 1) scene.transact(place);
    return scene.transact(place, { client_reference_id: 'first' }).status;
  },
  'size-id-int64': (scene) =>
    scene.send(`PATCH /accounts/${'9'.repeat(20)}`, { country: 'FR' }, { tag: '"1"' }).status,
  'size-reason-3': (scene) =>
    scene.decide('reject', scene.transact(scene.place(scene.create())), 'no').status,
  'size-currency-3': (scene) =>
    scene.transact(scene.place(scene.create()), { currency: 'USDT' }).status,
  'time-pending-expires': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    scene.pass(31 * DAY);
    return scene.decide('approve', made).status;
  },
  'time-key-midnight': (scene) => {
    const again = () => scene.create({ client_reference_id: 'one' }, { key: 'one' }).status;
    again();
    scene.pass(13 * HOUR);
    return again();
  },
  'time-waits-from-first': (scene) => {
    scene.subscribe();
    scene.create();
    scene.deliver(500);
    scene.pass(30 * SECOND);
    scene.deliver(500);
    scene.pass(90 * SECOND);
    return scene.deliver(500).length;
  },
  'time-batch-hour': (scene) => {
    batch(scene, rows(1), 'one');
    scene.pass(2 * HOUR);
    return batch(scene, rows(1), 'one').body;
  },
  'time-fixed-window': (scene) => {
    scene.mind.credentials[0]!.ratePerSecond = 5;
    for (let at = 0; at < 5; at += 1) scene.send('GET /accounts');
    scene.pass(SECOND / 2);
    return scene.send('GET /accounts').status;
  },
  'time-rotation-reverts': (scene) => {
    const { body } = scene.subscribe();
    scene.send(`POST /webhooks/${body.id}/rotate-secret`);
    scene.pass(2 * DAY);
    scene.create();
    const { secret = '' } = scene.mind.subscriptions[0] ?? {};
    return scene.deliver(200).map((sent) => isSignedWith(secret, sent));
  },
  'time-transaction-week': (scene) => {
    const place = scene.place(scene.create());
    scene.transact(place, { client_reference_id: 'one' });
    scene.pass(8 * DAY);
    return scene.transact(place, { client_reference_id: 'one' }).status;
  },
  'race-reject-cancel': (scene) => {
    const made = scene.transact(scene.place(scene.create()));
    const calls = ['reject', 'cancel'].map((verb) => scene.decision(verb, made));
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-reference-case': (scene) => {
    const calls = ['one', 'ONE'].map((reference, at): [string, ReturnType<typeof row>] => [
      'POST /accounts',
      row(reference, { email: `${at}@example.com` }),
    ]);
    return scene.sendTogether(...calls).map(({ status }) => status);
  },
  'race-disable-lost': (scene) => {
    const { body } = scene.subscribe();
    const of = `POST /webhooks/${body.id}`;
    scene.sendTogether([`${of}/disable`], [`${of}/rotate-secret`]);
    return scene.send(`GET /webhooks/${body.id}`).body.disabled;
  },
  'race-in-flight-recorded': (scene) => {
    const again = (): Parameters<Scene['send']> => ['POST /accounts', row('one'), { key: 'one' }];
    scene.sendTogether(again(), again());
    return scene.send(...again()).status;
  },
  'size-ftd-10': (scene) => {
    const made = scene.transact(scene.place(scene.create()), { amount: '9.99' });
    return scene.decide('approve', made).body.is_ftd;
  },
  'size-batch-deliveries-20': (scene) => {
    scene.subscribe();
    batch(scene, rows(21));
    return scene.mind.deliveries.length;
  },
  'size-phone-15': (scene) => scene.create({ phone: '+44 7700 900123 ext 12345' }).status,
  'time-rejected-reopens': (scene) => {
    const made = scene.decide('reject', scene.transact(scene.place(scene.create())));
    scene.pass(31 * DAY);
    return scene.decide('approve', made).status;
  },
  'time-provider-opens': (scene) => {
    const place = scene.place(scene.create(), true);
    const made = scene.transact(place, { transaction_type: 'Withdrawal' });
    scene.pass(2 * DAY);
    return scene.decide('approve', made).status;
  },
  'race-create-update': (scene) => {
    const { body } = scene.create({ client_reference_id: 'one' });
    const again: Parameters<Scene['send']> = ['POST /accounts', row('one')];
    const change = { country: 'FR' };
    const calls = scene.sendTogether([`PATCH /accounts/${body.id}`, change, { tag: '"1"' }], again);
    return calls.map(({ status }) => status);
  },
  'race-batch-email': (scene) => {
    const of = (reference: string): Parameters<Scene['send']> => [
      'POST /accounts/bulk',
      { accounts: [row(reference, { email: 'ann@example.com' })] },
    ];
    return scene.sendTogether(of('one'), of('two')).map(({ body }) => body.failed);
  },
};

const shown = suite('what defects of size, time and race show');
showPlays(shown, PLAYS);
shown.run();
