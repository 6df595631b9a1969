// Tries the receiver judge on a right receiver and on many with one defect each: exactly their
// checks trip.
// time limit: 240 s
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runReceiver } from './run.ts';
import { keep, right, type Steps } from './zoo.ts';
import { broken } from './zoo-broken.ts';

async function judge(change: Partial<Steps>) {
  const { url, close } = await keep(change);
  try {
    const terms = {
      secret: right.secret,
      previousSecret: null,
      names: { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' },
      mark: `zoo${Math.random().toString(16).slice(2, 8)}`,
    };
    return await runReceiver({ url, terms, effects: null });
  } finally {
    close();
  }
}

test('a right receiver raises nothing, not even advice', async () => {
  const { results, refused } = await judge({});
  assert.is(refused, null);
  const raised = results.filter(({ judgement }) => judgement.verdict !== 'passed');
  assert.equal(
    raised.map(({ check, judgement }) => `${check.id}: ${judgement.actual}`),
    [],
  );
});

test('there are at least forty broken ones', () => {
  assert.ok(broken.length >= 40, `${broken.length}`);
});

for (const { name, change, trips } of broken) {
  test(`one that ${name} trips its checks and no other`, async () => {
    const { results, refused } = await judge(change);
    assert.is(refused, null);
    const deviating = results
      .filter(({ judgement }) => judgement.verdict === 'deviates')
      .map(({ check }) => check.id);
    const stems = trips.filter((trip) => trip.endsWith('*')).map((trip) => trip.slice(0, -1));
    const exact = trips.filter((trip) => !trip.endsWith('*'));
    for (const stem of stems)
      assert.ok(
        deviating.some((id) => id.startsWith(stem)),
        `none of ${stem}*`,
      );
    for (const trip of exact) assert.ok(deviating.includes(trip), `${trip} did not notice`);
    const others = deviating.filter(
      (id) => !exact.includes(id) && !stems.some((stem) => id.startsWith(stem)),
    );
    assert.equal(others, []);
  });
}

test('a receiver with another secret is not judged, and the likely reason is told', async () => {
  const { results, refused } = await judge({ secret: 'whsec_other' });
  assert.match(refused ?? '', /another secret/);
  assert.ok(results.every(({ judgement }) => judgement.verdict === 'inconclusive'));
});

test('a receiver that wants seconds is not judged, and told so', async () => {
  const { refused } = await judge({
    time: (parts) => {
      const t = parts.find(([key]) => key === 't')?.[1] ?? '';
      return /^\d{10}$/.test(t) ? Number(t) * 1000 : null;
    },
  });
  assert.match(refused ?? '', /seconds/);
});

test('a receiver that looks into another header is not judged, and told which', async () => {
  const { refused } = await judge({
    header: ({ headers }) => {
      const value = headers['webhook-signature'];
      return typeof value === 'string' ? value : null;
    },
  });
  assert.match(refused ?? '', /Webhook-Signature: give --signature-header/);
});

test.run();
