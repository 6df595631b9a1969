// IDEM-15 on a target that refuses duplicates while the first one runs: in what form it says so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScenarios } from '../../engine/run/run.ts';
import { EVERYTHING } from '../../engine/run/select.ts';
import { fetchSender } from '../../engine/send/sender.ts';
import {
  type Defect,
  FAKE_BASE_URL,
  FAKE_CONTROL_URL,
  type FakeReply,
  FakeTarget,
} from '../../engine/testing/fake-target.ts';
import type { Finding, RuleId } from '../../engine/types.ts';
import { controlProvider } from '../../providers/control-provider.ts';
import { concurrencyScenarios } from './at-once.ts';

const [crowdOfAccounts] = concurrencyScenarios;

/** A target that answers the first of a crowd, and the others with this while it does. */
async function findingsOf(refusal: Omit<FakeReply, 'status'>) {
  const met = new Set<string | null>();
  const ended = new Set<string | null>();
  const refusesWhileOneRuns: Defect = ({ headers }, reply) => {
    const key = headers.get('idempotency-key');
    if (!met.has(key)) {
      met.add(key);
      // What comes later is a repeat, and gets the first answer.
      setImmediate(() => setImmediate(() => ended.add(key)));
      return undefined;
    }
    return ended.has(key)
      ? undefined
      : { ...refusal, status: 409, headers: { ...reply.headers, ...refusal.headers } };
  };
  const sender = fetchSender(new FakeTarget(refusesWhileOneRuns).fetch);
  const parts = { baseUrl: FAKE_BASE_URL, controlUrl: FAKE_CONTROL_URL, sender };
  const provider = await controlProvider(parts);
  const scenarios = [crowdOfAccounts!];
  const selection = EVERYTHING;
  const result = await runScenarios({ scenarios, provider, sender, selection, timeoutMs: 2_000 });
  await provider.close();
  return result.scenarios[0]!.findings;
}

const crowd = suite('a crowd of duplicates');

const IS_PROBLEM = { 'content-type': 'application/problem+json' };

function deviating(found: readonly Finding[]): RuleId[] {
  const rules = found
    .filter(({ verdict }) => verdict === 'deviates')
    .flatMap((each) => [...each.rules]);
  return [...new Set(rules)];
}

crowd('409 idempotency_in_flight is what the others may be told', async () => {
  const found = await findingsOf({
    body: JSON.stringify({ code: 'idempotency_in_flight' }),
    headers: IS_PROBLEM,
  });
  assert.not(deviating(found).includes('IDEM-15'));
  assert.ok(found.some(({ rules, verdict }) => rules[0] === 'IDEM-15' && verdict === 'passed'));
});

crowd('a 409 without a code is a refusal without its form, and shows nothing else', async () => {
  const found = await findingsOf({ body: 'wait', headers: { 'content-type': 'text/plain' } });
  assert.equal(deviating(found), ['ERR-1a']);
});

crowd('a 409 of another code is no answer to a duplicate', async () => {
  const found = await findingsOf({
    body: JSON.stringify({ code: 'invalid_state' }),
    headers: IS_PROBLEM,
  });
  assert.ok(deviating(found).includes('IDEM-15'));
});

crowd.run();
