// Defects of the second mind that show in a single odd call: each answers it in another way than
// the whole one does.
import { suite } from 'uvu';
import { type Plays, showPlays } from '../testing/second-mind/plays.ts';

const PLAYS: Plays = {
  'txn-type-lower': (scene) =>
    scene.transact(scene.place(scene.create()), { transaction_type: 'deposit' }).status,
  'txs-account-empty': (scene) => {
    const { body } = scene.transact(scene.place(scene.create()));
    return scene.send(`POST /transactions/${body.id}/approve?account_id=`).status;
  },
  'hook-category-twice': (scene) => {
    const url = 'https://93.184.216.34/events';
    return scene.send('POST /webhooks', { url, event_categories: ['account', 'account'] }).status;
  },
  'hook-query-dropped': (scene) => {
    const url = 'https://93.184.216.34/events?of=1';
    return scene.send('POST /webhooks', { url, event_categories: ['account'] }).body.url;
  },
  'err-404-untitled': (scene) => scene.send('GET /webhooks/999').body.title,
  'conv-path-number': (scene) =>
    scene.send(`PATCH /accounts/${scene.create().body.id}.0`, { country: 'FR' }, { tag: '"1"' })
      .status,
  'acc-reference-constructor': (scene) =>
    scene.create({ client_reference_id: 'constructor' }).status,
  'acc-country-trimmed': (scene) => scene.create({ country: ' FR ' }).body.country,
  'acc-email-plus': (scene) => scene.create({ email: 'ann+one@example.com' }).status,
  'acc-email-dot': (scene) => scene.create({ email: 'ann@localhost' }).status,
  'txn-sign-of-whole': (scene) =>
    scene.transact(scene.place(scene.create()), { amount: '-0.40' }).body.method,
  'txn-amount-commas': (scene) =>
    scene.transact(scene.place(scene.create()), { amount: '1,000.00' }).status,
  'hook-mapped': (scene) => {
    const url = 'https://[::ffff:10.0.0.1]/events';
    return scene.send('POST /webhooks', { url, event_categories: ['account'] }).status;
  },
  'idem-key-plain': (scene) => scene.create({}, { key: 'one two' }).status,
  'err-null-body': (scene) => scene.send('POST /accounts', null).status,
};

const shown = suite('what defects in one odd call show');
showPlays(shown, PLAYS);
shown.run();
