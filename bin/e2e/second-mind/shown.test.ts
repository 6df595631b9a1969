// Defects of the second mind that show only in a mixture, at a size, after a time or in a race:
// each answers a short play of calls in another way than the whole one does.
import { createHmac } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DefectId, defects } from '../testing/second-mind/defects.ts';
import { Scene, type Seen } from '../testing/second-mind/scene.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

const update = (scene: Scene, { body }: Seen, wanted: Record<string, string>, tag: number) =>
  scene.send(`PATCH /accounts/${body.id}`, wanted, { tag: `"${tag}"` });
const row = (reference: string, more = {}) => ({
  ...{ client_reference_id: reference, email: `${reference}@example.com`, brand_id: '10' },
  ...more,
});
const rows = (count: number) => Array.from({ length: count }, (_, at) => row(`row-${at}`));
const batch = (scene: Scene, accounts: ReturnType<typeof rows>, key?: string) =>
  scene.send('POST /accounts/bulk', { accounts }, key === undefined ? {} : { key });
const settled = (scene: Scene, { body }: Seen) => {
  scene.pass(3 * SECOND);
  scene.mind.handle({ method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) });
  return body;
};
type Sent = ReturnType<Scene['deliver']>[number];
const signatures = (sent: readonly Sent[]) =>
  sent.map(({ headers }) => JSON.stringify(headers).split('v1=').length - 1);

const isSignedWith = (secret: string, { headers, body }: Sent) => {
  const [, t = ''] = /t=(\d+)/.exec(JSON.stringify(headers)) ?? [];
  const digest = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return JSON.stringify(headers).includes(`v1=${digest}`);
};

type Play = (scene: Scene) => unknown;

const PLAYS: Partial<Record<DefectId, Play>> = {
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
};

const shown = suite('what defects of the second mind show');

for (const [id, play] of Object.entries(PLAYS) as [DefectId, Play][]) {
  shown(`${id} shows`, () => {
    const story = defects.find((each) => each.id === id)?.story;
    const whole = play(new Scene([]));
    assert.not.equal(play(new Scene([id])), whole, story);
  });
}

shown.run();
