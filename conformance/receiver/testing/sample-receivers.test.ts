// Runs the receiver judge on a correct receiver and on many with one defect each: exactly the expected
// checks fail.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sample } from '../../../fixtures/testing/sample.ts';
import { receiverChecks } from '../checks.ts';
import { runReceiver } from '../run.ts';
import { brokenReceivers, endingReceiver } from './broken-receivers.ts';
import { correctSteps, type ReceiverSteps, startReceiver } from './sample-receivers.ts';

async function judge(change: Partial<ReceiverSteps>) {
  const { url, close } = await startReceiver(change);
  try {
    const signing = {
      secret: correctSteps.secret,
      previousSecret: null,
      names: { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' },
      mark: `sample${Math.random().toString(16).slice(2, 8)}`,
    };
    return await runReceiver({ url, signing, effects: null });
  } finally {
    close();
  }
}

test('a correct receiver gets no findings, not even advice', async () => {
  const { results, refused } = await judge({});
  assert.is(refused, null);
  const raised = results.filter(({ judgement }) => judgement.verdict !== 'passed');
  const advice = raised.map(({ check, judgement }) => `${check.id}: ${judgement.actual}`);
  assert.equal(advice, []);
});

const broken = [endingReceiver, ...sample(brokenReceivers, 6)];
for (const [name, change, trips, ends = false] of broken) {
  test(`a receiver that ${name} fails its checks and no others`, async () => {
    const { results, refused } = await judge(change);
    assert.is(refused, null);
    const idsOf = (verdict: string) =>
      results.filter(({ judgement }) => judgement.verdict === verdict).map(({ check }) => check.id);
    const isNamed = (trip: string, id: string) =>
      trip.endsWith('*') ? id.startsWith(trip.slice(0, -1)) : id === trip;
    const deviating = idsOf('deviates');
    const unnoticed = trips.filter((trip) => !deviating.some((id) => isNamed(trip, id)));
    const others = deviating.filter((id) => !trips.some((trip) => isNamed(trip, id)));
    assert.equal([unnoticed, others], [[], []]);
    assert.is(idsOf('inconclusive').length > 0, ends);
  });
}

const hmac = (key: string | Buffer, start: string, body: Buffer) =>
  createHmac('sha256', key).update(start).update(body).digest('hex');
const listeningTo = (hears: (headers: IncomingHttpHeaders) => boolean): Partial<ReceiverSteps> => ({
  header: (request) => (hears(request.headers) ? correctSteps.header(request) : null),
});

/** Receivers that refuse valid deliveries, and the diagnosis of each. */
const refusing: readonly (readonly [string, Partial<ReceiverSteps>, RegExp])[] = [
  ['has another secret', { secret: 'whsec_other' }, /another secret/],
  [
    'wants seconds',
    {
      time: (parts) => {
        const t = parts.find(([key]) => key === 't')?.[1] ?? '';
        return /^\d{10}$/.test(t) ? Number(t) * 1000 : null;
      },
    },
    /seconds/,
  ],
  [
    'looks into another header',
    { header: ({ headers }) => String(headers['webhook-signature'] ?? '') },
    /Webhook-Signature: give --signature-header/,
  ],
  [
    'knows its subscription by another header',
    listeningTo((headers) => headers['x-webhook-id'] !== undefined),
    /give --subscription-header/,
  ],
  [
    'refuses a charset',
    listeningTo((headers) => headers['content-type'] === 'application/json'),
    /charset/,
  ],
  [
    'prints the body again, with indentation',
    { body: (raw) => Buffer.from(JSON.stringify(JSON.parse(raw.toString()), null, 2)) },
    /prints the body again with spaces/,
  ],
  [
    'prints the body again, as Python does',
    {
      body: (raw) =>
        // Enough for the event of a control: its texts contain neither commas nor colons.
        Buffer.from(raw.toString().replaceAll(',', ', ').replaceAll(':', ': ')),
    },
    /as Python does/,
  ],
  [
    'leaves the dot out',
    { mac: (secret, t, body) => hmac(secret, t, body) },
    /without the dot between/,
  ],
  [
    'wants upper-case hex',
    { mac: (secret, t, body) => correctSteps.mac(secret, t, body).toUpperCase() },
    /in upper case: the platform sends it in lower case/,
  ],
  [
    'looks for the header by its letters',
    {
      header: ({ rawHeaders }) => {
        const at = rawHeaders.indexOf('X-Webhook-Signature');
        return at < 0 ? null : (rawHeaders[at + 1] ?? null);
      },
    },
    /exact letters of their names/,
  ],
  [
    'decodes the secret',
    {
      mac: (secret, t, body) => hmac(Buffer.from(secret.slice(6), 'base64'), `${t}.`, body),
    },
    /decodes the secret from base64/,
  ],
  [
    'leaves whsec_ out of the secret',
    { secret: correctSteps.secret.replace(/^whsec_/, '') },
    /without its prefix whsec_/,
  ],
  ['redirects', { answer: () => ({ status: 302 }) }, /redirect/],
  ['is at another path', { answer: () => ({ status: 404 }) }, /no receiver at this path/],
];

for (const [name, change, words] of sample(refusing, 4)) {
  test(`a receiver that ${name} is not judged, and the likely reason is reported`, async () => {
    const { results, refused } = await judge(change);
    assert.match(refused ?? '', words);
    assert.ok(results.length > receiverChecks.length);
    assert.ok(results.every(({ judgement }) => judgement.verdict === 'inconclusive'));
  });
}

test.run();
