// Shows that no verdict depends on chance: wrong signatures are wrong in every byte, unless part
// of one is deliberately correct.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Check } from './check.ts';
import { receiverChecks } from './checks.ts';
import { macOf, type SigningOptions } from './delivery.ts';

const byDesign =
  /truncated|changed-v1|-bytes-v1|extended|unknown-version|upper-case|accepts|tolerates/;

const signing = (round: number): SigningOptions => ({
  secret: `whsec_round_${round}`,
  previousSecret: 'whsec_before',
  names: { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' },
  mark: `round${round}`,
});

/** Every pair of a sent signature and a signature that would be correct. */
function pairsOf(round: number, { probes }: Check): [sent: string, right: string][] {
  const { secret, previousSecret } = signing(round);
  return probes(signing(round)).flatMap(({ delivery }) => {
    const lines = delivery.headers.filter(([name]) => name === 'x-webhook-signature');
    const header = lines.map(([, value]) => value).join();
    const times = [...header.matchAll(/\bt=([^,]+)/g)].map(([, t = '']) => t);
    const rights = times.flatMap((t) => [
      macOf(secret, t, delivery.body),
      macOf(previousSecret ?? '', t, delivery.body),
    ]);
    const sent = [...header.matchAll(/v\d=([0-9a-f]+)/g)].map(([, v1 = '']) => v1);
    return sent.flatMap((v1) => rights.map((right): [string, string] => [v1, right]));
  });
}

const bytesOf = (hex: string) => hex.match(/../g) ?? [];

test('a wrong signature is wrong in every byte, and in the first and last digit', () => {
  const checks = receiverChecks.filter(({ id }) => !byDesign.test(id));
  const rounds = [...Array(40).keys()];
  const wrong = rounds.flatMap((round) =>
    checks.flatMap((check) => pairsOf(round, check).filter(([sent, right]) => sent !== right)),
  );
  for (const [sent, right] of wrong) {
    const shared = bytesOf(sent).filter((byte, at) => byte === bytesOf(right)[at]);
    assert.equal(shared, [], `${sent} instead of ${right}`);
    assert.is.not(sent[0], right[0]);
    assert.is.not(sent.at(-1), right.at(-1));
  }
  assert.ok(wrong.length > 500, `${wrong.length} pairs were looked at`);
});

test.run();
