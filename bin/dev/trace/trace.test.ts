// The trace finds code, scenarios and deviations of a rule, and names what is missing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { holes, printTrace, traceRules } from './trace.ts';

const rules = [
  { id: 'IDEM-4a', words: 'A repeat answers the same status.' },
  { id: 'IDEM-4b', words: 'A repeat answers the same | bytes.' },
  { id: 'ACC-1', words: 'A good request makes an account.' },
];
const sources = [
  { path: 'simulator/core/replay.ts', text: '// Replays.\n// IDEM-4: stored bytes.\n' },
  { path: 'simulator/core/create.ts', text: "cite('ACC-1');\n// ACC-1 again\n" },
  { path: 'simulator/core/create.test.ts', text: '// ACC-1\n' },
  { path: 'simulator/deviations/keys.ts', text: '// IDEM-4a is not kept by who breaks it.' },
];
const scenarios = [
  { id: 'replay', rules: ['IDEM-4a', 'IDEM-4b'] },
  { id: 'create', rules: [] },
];
const deviations = [
  { id: 'reprinted', breaks: ['IDEM-4b'] },
  { id: 'status-lost', breaks: ['IDEM-4a', 'IDEM-4b'] },
];
const trace = traceRules({ rules, sources, scenarios, deviations });
const row = (id: string) => trace.find((found) => found.id === id);

const tracing = suite('trace');

tracing('the code is where the rule is cited, tests and deviations apart', () => {
  assert.equal(row('IDEM-4a')?.implementedAt, ['simulator/core/replay.ts:2']);
  assert.equal(row('IDEM-4b')?.implementedAt, ['simulator/core/replay.ts:2']);
  assert.equal(row('ACC-1')?.implementedAt, [
    'simulator/core/create.ts:1',
    'simulator/core/create.ts:2',
  ]);
});

tracing('scenarios and deviations count for the rules that they list', () => {
  assert.equal(row('IDEM-4a')?.scenarios, ['replay']);
  assert.equal(row('IDEM-4a')?.deviations, ['status-lost']);
  assert.equal(row('IDEM-4b')?.deviations, ['reprinted', 'status-lost']);
  assert.equal(row('ACC-1')?.scenarios, []);
  assert.equal(row('ACC-1')?.deviations, []);
});

tracing('holes are named', () => {
  assert.equal(holes(trace), [
    { id: 'ACC-1', lacks: 'scenario' },
    { id: 'ACC-1', lacks: 'deviation' },
  ]);
  assert.equal(holes(traceRules({ rules, sources: [], scenarios: [], deviations: [] })).length, 9);
});

tracing('a rule that nothing can bend needs a reason, and no more than that', () => {
  assert.equal(holes(trace, { 'ACC-1': 'why' }), [{ id: 'ACC-1', lacks: 'scenario' }]);
  assert.ok(holes(trace, { 'IDEM-4a': 'why' }).some(({ id }) => id === 'IDEM-4a'));
});

tracing('the table shows every rule, and what is missing', () => {
  const table = printTrace(trace, holes(trace));
  assert.match(
    table,
    '| IDEM-4b | A repeat answers the same \\| bytes. | simulator/core/replay.ts:2 |',
  );
  assert.match(table, '0 without implementation');
  assert.match(table, '1 without scenario: ACC-1');
});

tracing.run();
