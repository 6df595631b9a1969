// One mutated simulator before the judge, in a process of its own: says which rule noticed, or
// none.
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { judgeDeviation } from '../prove/judge-deviation.ts';

/** Rules that the mutated file cites: theirs are the scenarios most likely to notice. */
const cited = new Set(process.argv.slice(2));
const isNear = (rules: readonly string[]) => rules.some((rule) => cited.has(rule));

const near = scenarios.filter(({ rules }) => isNear(rules));
const rest = scenarios.filter(({ rules }) => !isNear(rules));

const blocked: string[] = [];
for (const part of [near, rest]) {
  if (part.length === 0) continue;
  const { deviates, ungraded } = await judgeDeviation(null, part);
  const [first] = Object.keys(deviates);
  blocked.push(...Object.keys(ungraded));
  if (first === undefined) continue;
  console.log(`noticed ${first}`);
  process.exit(0);
}
console.log(blocked.length > 0 ? `blocked ${blocked.join(',')}` : 'survived');
process.exit(0);
