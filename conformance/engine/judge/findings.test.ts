// Checks what a refusal without a code is told as, and when.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Answer } from '../send/answer.ts';
import { Headers } from '../send/headers.ts';
import type { Scenario } from '../types.ts';
import { Findings } from './findings.ts';

const passing = suite('findings in passing');

const scenario: Scenario = { id: 'any', title: 'any', rules: ['TXS-16'], run: async () => {} };

function codeless(n: number, status = 404): Answer {
  const body = Buffer.from('not here');
  return new Answer({ n, status, headers: new Headers([]), body, atMs: 0, durationMs: 0 });
}

passing('the first of a scenario is told, and only that', () => {
  const findings = new Findings(scenario, null);
  findings.lacksCode(codeless(3), '404 not_found');
  findings.lacksCode(codeless(4), '404 not_found');
  const told = findings.inPassing.map(({ rules, exchanges }) => [...rules, ...exchanges]);
  assert.equal(told, [['ERR-1a', 3]]);
});

passing('what came before a lost call is told after it too; what came later is not', () => {
  const findings = new Findings(scenario, null);
  findings.lost(5, 'a 502', true);
  findings.lacksCode(codeless(6), '404 not_found');
  assert.is(findings.inPassing.length, 0);
  findings.lacksCode(codeless(4), '404 not_found');
  assert.is(findings.inPassing.length, 1);
});

passing('nothing is told of what may be something in front of the service', () => {
  const findings = new Findings(scenario, null);
  findings.lacksCode(codeless(3, 502), '404 not_found');
  assert.is(findings.inPassing.length, 0);
});

passing.run();
