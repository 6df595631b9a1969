// Defects of the second mind that were sealed until the explorer had been measured on them: each
// shows in what it was meant to, whatever the style.
import { suite } from 'uvu';
import { eventsAfter } from '../testing/second-mind/events.ts';
import { settle } from '../testing/second-mind/operations/money-moves.ts';
import { newToken } from '../testing/second-mind/operations/tokens.ts';
import {
  batch,
  DAY,
  HOUR,
  type Plays,
  row,
  rows,
  SECOND,
  showPlays,
} from '../testing/second-mind/plays.ts';
import type { Asked, Scene, Seen } from '../testing/second-mind/scene.ts';
import { addServer } from '../testing/second-mind/server/control.ts';
import { SCOPES } from '../testing/second-mind/server/profile.ts';
import type { TradingAccount } from '../testing/second-mind/values/records.ts';
import { other } from '../testing/second-mind/values/style-other.ts';
import { plain } from '../testing/second-mind/values/style-plain.ts';

/** Under the tag of the last answer. */
const update = (scene: Scene, { body }: Seen, wanted: Record<string, string>, key?: string) =>
  scene.send(`PATCH /accounts/${body.id}`, wanted, {
    tag: `"${body.revision}"`,
    ...(key === undefined ? {} : { key }),
  });
const named = (scene: Scene, reference: string) =>
  scene.create({ client_reference_id: reference, email: `${reference}@example.com` });

function open(scene: Scene, { id }: TradingAccount, volume: string, asked: Asked = {}): Seen {
  const { instrument, side, sides, volume: name } = scene.mind.style.position;
  const wanted = { [instrument]: 'EURUSD', [side]: sides[0]!, [name]: volume };
  return scene.send('POST /positions/open', { trading_account_id: id, ...wanted }, asked);
}

function settled(scene: Scene, place: TradingAccount): Seen {
  const made = scene.transact(place);
  scene.decide('approve', made);
  settle(scene.mind, scene.mind.transactions.find(({ id }) => id === made.body.id)!);
  return made;
}

const PLAYS: Plays = {
  'comb-reference-like': (scene) => {
    named(scene, 'axb');
    return named(scene, 'a_b').status;
  },
  'comb-reference-accents': (scene) => {
    const place = scene.place(scene.create());
    scene.transact(place, { client_reference_id: 'café' });
    return scene.transact(place, { client_reference_id: 'cafe' }).status;
  },
  'comb-savepoint-early': (scene) => {
    const { email } = scene.send('POST /accounts', row('there')) && row('there');
    batch(scene, [row('one'), row('two', { email })]);
    return scene.send('POST /accounts', row('one')).status;
  },
  'comb-tag-comes-back': (scene) => {
    const there = update(scene, scene.create({ country: 'GB' }), { country: 'FR' });
    return update(scene, there, { country: 'GB' }).body.revision;
  },
  'comb-list-joined': (scene) => {
    scene.send(`POST /webhooks/${scene.subscribe().body.id}/rotate-secret`);
    return scene.send('GET /webhooks').bytes.split('"created_at"').length;
  },
  'comb-writers-manage': (scene) => {
    const token = scene.token('writer', ['accounts:write', 'trades:write', 'transactions:write']);
    return scene.send('GET /webhooks', undefined, { token }).status;
  },
  'comb-twin-reversed': (scene) => {
    const place = scene.place(scene.create());
    for (const each of [settled(scene, place), settled(scene, place)]) scene.decide('cancel', each);
    return place.entries.length;
  },
  'comb-reach-cached': (scene) => {
    const place = scene.place(scene.create());
    const token = scene.token('brand', SCOPES, '11');
    const before = open(scene, place, '1', { token }).status;
    open(scene, place, '1');
    return [before, open(scene, place, '1', { token }).status];
  },
  'comb-progress-by-url': (scene) => {
    scene.subscribe();
    scene.create();
    scene.deliver(200);
    return scene.subscribe().body.last_delivered_seq;
  },
  'comb-503-key-held': (scene) => {
    const [match, effect] = [{ operation: 'createAccount' }, { kind: 'status', status: 503 }];
    scene.mind.faults.push({ id: 'one', match, phase: 'before', effect, times: 1, hits: 0 });
    return [1, 2].map(() => scene.send('POST /accounts', row('one'), { key: 'key' }).status);
  },
  'comb-person-shared': (scene) => {
    const email = 'one@example.com';
    const here = scene.create({ client_reference_id: 'here', email });
    const there = { client_reference_id: 'there', email, brand_id: '11' };
    scene.create(there);
    update(scene, here, { first_name: 'Ann' });
    return scene.create(there).body.first_name;
  },
  'comb-replay-validated': (scene) => {
    const place = scene.place(scene.create());
    return ['1', 'one'].map((volume) => open(scene, place, volume, { key: 'key' }).status);
  },
  'size-last-seq-text': (scene) => {
    const { id } = scene.subscribe().body;
    for (let n = 0; n < 11; n += 1) {
      scene.create();
      scene.deliver(200);
    }
    return scene.send(`GET /webhooks/${id}`).body.last_delivered_seq;
  },
  'size-keys-subject-10': (scene) => {
    const made = scene.create();
    let last = made;
    for (let n = 0; n < 11; n += 1) last = update(scene, last, { country: `c${n}` }, `key-${n}`);
    return update(scene, made, { country: 'c0' }, 'key-0').status;
  },
  'size-derived-name-64': (scene) =>
    scene.create({ email: `${'n'.repeat(80)}@example.com` }).body.first_name,
  'size-skip-limit-20': (scene) => {
    const failing = rows(20).map((each) => ({ ...each, email: 'no-at' }));
    return batch(scene, [...failing, row('last')]).body.created;
  },
  'size-entries-25': (scene) => {
    const place = scene.place(scene.create());
    const first = settled(scene, place);
    for (let n = 0; n < 25; n += 1) settled(scene, place);
    scene.decide('cancel', first);
    return place.entries.length;
  },
  'size-volume-exponent': (scene) =>
    open(scene, scene.place(scene.create()), '0.0000001').bytes.includes('"1e-7"'),
  'size-money-reference-100': (scene) => {
    const place = scene.place(scene.create());
    return ['a', 'b'].map((end) => {
      const client_reference_id = 'r'.repeat(100) + end;
      return scene.transact(place, { client_reference_id }).status;
    });
  },
  'size-firm-100': (scene) => {
    Object.assign(scene.mind.firms[0]!, { plan: 'standard', ratePerSecond: null });
    return Array.from({ length: 101 }, () => scene.send('GET /webhooks').status);
  },
  'time-token-shared': (scene) => {
    const { clientId: client_id, clientSecret: client_secret } = scene.mind.credentials[0]!;
    const wanted = { grant_type: 'client_credentials', client_id, client_secret };
    scene.send('POST /oauth/token', wanted);
    scene.pass(1_000 * SECOND);
    const { body } = scene.send('POST /oauth/token', wanted);
    scene.pass(1_000 * SECOND);
    scene.pass((scene.mind.style.token.seconds - 1_500) * SECOND);
    const token = String(body[scene.mind.style.token.name]);
    return scene.send('GET /webhooks', undefined, { token }).status;
  },
  'time-channel-dates': (scene) => {
    scene.create();
    scene.pass(6 * DAY + 20 * HOUR);
    return eventsAfter(scene.mind, scene.mind.credentials[0]!, 0).length;
  },
  'time-disabled-reason-day': (scene) => {
    const { id } = scene.subscribe().body;
    scene.send(`POST /webhooks/${id}/disable`);
    scene.pass(DAY);
    return scene.send(`GET /webhooks/${id}`).body.disabled_reason;
  },
  'time-nightly-touch': (scene) => {
    const made = scene.create();
    scene.pass(DAY);
    return update(scene, made, { country: 'FR' }).status;
  },
  'time-bucket-minute': (scene) => {
    const made = addServer(scene.mind, { scopes: [...SCOPES], rate_per_second: 5 });
    const token = newToken(scene.mind, made.clientId, null);
    const read = () => scene.send('GET /webhooks', undefined, { token }).status;
    read();
    scene.pass(59_900);
    const before = Array.from({ length: 5 }, read);
    scene.pass(100);
    return [...before, read()];
  },
  'time-retry-sweep': (scene) => {
    scene.subscribe();
    scene.create();
    return [0, 30, 120, 600, 1_800, 7_200].map((wait) => {
      scene.pass(wait * SECOND);
      return scene.deliver(500).length;
    });
  },
  'time-batch-known-day': (scene) => {
    batch(scene, [row('one')]);
    scene.pass(DAY);
    return batch(scene, [row('one')]).body.created;
  },
};

const shown = suite('what sealed defects show');
for (const style of [plain, other]) showPlays(shown, PLAYS, style);
shown.run();
