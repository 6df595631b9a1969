// `tsx bin/dev/sequences.ts [--steps N] [--seed N] [--length N] [--defect ID]`: long random
// sequences, played on the simulator and on the second mind. The first that they answer differently
// is cut down, shown.
import fc from 'fast-check';
import { defectIdOf } from '../e2e/testing/second-mind/defects.ts';
import { readArgs, wholeNumbers } from './read-args.ts';
import { play } from './sequences/play.ts';
import { Simulator } from './sequences/sides.ts';
import { steps } from './sequences/steps.ts';

const { defect: named, ...numbers } = readArgs(import.meta.url, {
  options: {
    steps: { type: 'string', default: '100000' },
    length: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    defect: { type: 'string' },
  },
}).values;
const { length, steps: total, seed } = wholeNumbers(import.meta.url, numbers, { seed: 0 });
const numRuns = Math.max(1, Math.ceil((2 * total) / length));
const defect = named === undefined ? undefined : defectIdOf(named);
const simulator = await Simulator.start();
let played = 0;
const startedMs = performance.now();
const progress = setInterval(() => {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stderr.write(`${played} steps in ${seconds} s\n`);
}, 10_000);
const property = fc.asyncProperty(
  fc.array(steps, { maxLength: length, size: 'max' }),
  async (sequence) => {
    played += sequence.length;
    const found = await play(simulator, sequence, defect === undefined ? [] : [defect]);
    if (found !== null) throw new Error(found.words);
  },
);
const result = await fc.check(property, { numRuns, seed });
clearInterval(progress);
await simulator.close();
if (result.failed) {
  const [sequence = []] = result.counterexample ?? [];
  console.log(`seed ${seed}: differs after ${played} steps; cut down to ${sequence.length}:`);
  for (const step of sequence) console.log(`  ${JSON.stringify(step)}`);
  console.log(`simulator | second mind: ${String(result.errorInstance)}`);
  process.exitCode = 1;
} else console.log(`seed ${seed}: ${played} steps in ${numRuns} sequences, answered alike`);
