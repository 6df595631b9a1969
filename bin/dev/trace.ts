// `npm run trace [-- --json]`: every rule with its words, its code, its scenarios and deviations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { rules } from '../../fixtures/rules.ts';
import { deviations } from '../../simulator/deviations/register.ts';
import { unbendable } from '../../simulator/deviations/unbendable.ts';
import { readArgs } from './read-args.ts';
import { root, sourceFiles } from './root.ts';
import { holes, printTrace, traceRules } from './trace/trace.ts';

const { values } = readArgs(import.meta.url, {
  options: { json: { type: 'boolean', default: false } },
});
const sources = sourceFiles()
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const trace = traceRules({ rules, sources, scenarios, deviations });
const lacking = holes(trace, unbendable);
console.log(
  values.json
    ? JSON.stringify({ rules: trace, holes: lacking }, null, 2)
    : printTrace(trace, lacking),
);
