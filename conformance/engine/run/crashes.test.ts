// Finds what crashing requests have in common, and reports the rule whose own request got no
// answer. A network that loses an occasional request is never reported.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchangeOf, resultOf } from '../testing/exchanges.ts';
import type { Exchange, ScenarioResult } from '../types.ts';
import { crashedCalls, reportCrashes, stillCrashed } from './crashes.ts';

let count = 0;

function call(path: string, body: object, status: number | null, type?: string): Exchange {
  count += 1;
  const sent = { client_reference_id: `r${count}`, ...body };
  return exchangeOf({ n: count, path, body: sent, status, ...(type && { type }), answer: '' });
}

const result = (id: string, exchanges: Exchange[], over: Partial<ScenarioResult> = {}) => {
  const rest = { exchanges, ending: 'inconclusive', attempts: 6, ...over } as const;
  return resultOf(id, { 'TXN-5': 'inconclusive' }, rest);
};

/** The result of these attempts at a scenario, of which the last one counts. */
function after(...attempts: readonly Exchange[][]): ScenarioResult {
  const all = attempts.map((exchanges) => result('a', exchanges));
  const crashed = all.map(crashedCalls).reduce(stillCrashed);
  return { ...all.at(-1)!, attempts: attempts.length, crashed };
}

const answered = (path = '/transactions', body: object = { method: 'Card' }) =>
  Array.from({ length: 6 }, () => call(path, body, 201));

const withCrashed = (each: ScenarioResult) => ({ ...each, crashed: crashedCalls(each) });

const crashes = suite('crashes');

crashes('a request of one scenario that crashes in each of six attempts is a deviation', () => {
  const attempt = () => [...answered(), call('/transactions', { method: 'Bonus' }, null)];
  const six = reportCrashes([after(...Array.from({ length: 6 }, attempt))]);
  assert.is(six.results[0]!.byRule['TXN-5'], 'deviates');
  assert.is(six.crashes[0]!.times, 6);
  const elsewhere = () => [...answered(), call('/accounts', { country: 'FR' }, null)];
  const five = after(...[attempt, attempt, elsewhere, attempt, attempt, attempt].map((it) => it()));
  assert.equal(five.crashed, []);
  assert.is(reportCrashes([five]).results[0]!.byRule['TXN-5'], 'inconclusive');
});

crashes('a page instead of an answer in the middle of a scenario is one too', () => {
  const attempt = () => {
    const crash = call('/transactions', { method: 'Bonus' }, 500, 'text/html');
    const findings = [{ rules: ['TXN-5'], verdict: 'inconclusive', exchanges: [crash.n] }];
    return result('a', [crash, ...answered()], { findings, ending: null } as never);
  };
  const all = Array.from({ length: 6 }, attempt);
  const crashed = all.map(crashedCalls).reduce(stillCrashed);
  const { results } = reportCrashes([{ ...all.at(-1)!, crashed }]);
  assert.is(results[0]!.byRule['TXN-5'], 'deviates');
});

crashes('crashes with one member in common are named, counted and judged', () => {
  const bonus = () => call('/transactions', { method: 'Bonus' }, 500, 'text/html');
  const { results, crashes: found } = reportCrashes([
    ...['a', 'b'].map((id) => withCrashed(result(id, [...answered(), bonus()]))),
    withCrashed(result('c', [...answered(), bonus()], { attempts: 1 })),
  ]);
  const crash = {
    ...{ operation: 'createTransaction', distinguishes: 'with method: Bonus' },
    ...{ failure: '500 with an HTML page', times: 3, of: 3, rules: ['TXN-5'] },
  };
  assert.equal(found, [crash]);
  const verdicts = results.map(({ byRule }) => byRule['TXN-5']);
  assert.equal(verdicts, ['deviates', 'deviates', 'inconclusive']);
  assert.match(results[0]!.findings[0]!.actual, 'each of 3 requests createTransaction with');
});

crashes('a setup that crashes is reported with the rules that it blocks', () => {
  const again = call('/accounts', { country: 'FR' }, null);
  const results = ['a', 'b'].map((id) => result(id, [...answered(), again, { ...again }]));
  const more = result('c', [call('/accounts', { country: 'DE' }, null), ...answered()]);
  const { crashes: found, results: judged } = reportCrashes([...results, more]);
  assert.is(found[0]!.operation, 'createAccount');
  assert.equal(found[0]!.rules, ['TXN-5']);
  assert.is(judged[0]!.byRule['TXN-5'], 'inconclusive');
});

crashes('occasional lost requests are not a crash, nor is a target that never answers', () => {
  const lossy = Array.from({ length: 40 }, (_, at) =>
    call('/accounts', { country: 'FR', n: at % 3 }, at % 8 === 0 ? null : 201),
  );
  assert.equal(reportCrashes([result('a', lossy)]).crashes, []);
  const dead = Array.from({ length: 9 }, () => call('/accounts', {}, null));
  assert.equal(reportCrashes([result('a', dead)]).crashes, []);
});

crashes.run();
