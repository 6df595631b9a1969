// `npm run prove-explorer [-- PART…]`: whether the explorer finds what deviates, by the right rule
// and in few calls, and nothing where nothing deviates.
//   parts: all of them unless named
//   --seed N         decides what is drawn (1)
//   --requests N     for each target (5000)
//   --sample N       only so many targets of each part, drawn by the seed
//   --only TEXT      only targets whose name has this text; repeatable
//   --learn-once     learns the answers to open questions from a whole one, for all like it
//   --all            goes on when the first difference of a target is known
//   --out FILE       one line of JSON a target; what stands there is not tried again
//   --fresh          starts that file again from empty
//   --again FILE     plays what such a file says was found instead of drawing
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { Random } from '../../fixtures/random.ts';
import {
  type ExploredSubject,
  exploreOne,
  type Learned,
  learnFrom,
} from './prove-explorer/explore-one.ts';
import { PARTS, type Part, type Subject, subjectsOf } from './prove-explorer/subjects.ts';
import { summaryLines } from './prove-explorer/summary.ts';
import { readArgs, refuse, wholeNumbers } from './read-args.ts';

const { values, positionals } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '5000' },
    sample: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    all: { type: 'boolean', default: false },
    'learn-once': { type: 'boolean', default: false },
    out: { type: 'string' },
    fresh: { type: 'boolean', default: false },
    again: { type: 'string' },
  },
});

const unknown = positionals.find((each) => !(PARTS as readonly string[]).includes(each));
if (unknown !== undefined) {
  refuse(import.meta.url, `${unknown} is no part: give ${PARTS.join(', ')}`);
}
const parts = positionals.length === 0 ? PARTS : (positionals as Part[]);
const { seed, requests, sample } = wholeNumbers(import.meta.url, {
  seed: values.seed,
  requests: values.requests,
  sample: values.sample ?? String(Number.MAX_SAFE_INTEGER),
});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

function chosenOf(part: Part): readonly Subject[] {
  const all = subjectsOf(part, seed).filter(
    ({ id }) => values.only.length === 0 || values.only.some((text) => id.includes(text)),
  );
  if (values.sample === undefined) return all;
  const random = new Random(seed);
  const ordered = all.map((subject) => ({ subject, at: random.next() }));
  ordered.sort((one, other) => one.at - other.at);
  return ordered.slice(0, sample).map(({ subject }) => subject);
}

function readDone(file: string | undefined): Map<string, ExploredSubject> {
  if (file === undefined || !existsSync(file)) return new Map();
  if (values.fresh) rmSync(file);
  return values.fresh ? new Map() : readOut(file);
}

function readOut(file: string): Map<string, ExploredSubject> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => JSON.parse(line) as ExploredSubject).map((each) => [each.id, each]),
  );
}

const learnedOf = new Map<string, Learned>();
const done = readDone(values.out);
const known = values.again === undefined ? undefined : readOut(values.again);
const chosen = parts
  .flatMap(chosenOf)
  .filter(({ id }) => known === undefined || (known.get(id)?.found.length ?? 0) > 0);
const left = chosen.filter(({ id }) => !done.has(id));
const startedMs = performance.now();
for (const [at, subject] of left.entries()) {
  if (stop.signal.aborted) break;
  const options = { seed, requests, all: values.all, signal: stop.signal };
  const steps = known?.get(subject.id)?.found[0]?.steps;
  const explored = await exploreOne(subject, {
    ...options,
    ...(await learnedBefore(subject)),
    ...(steps === undefined ? {} : { sequences: [{ steps }] }),
  });
  if (stop.signal.aborted) break;
  done.set(subject.id, explored);
  if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(explored)}\n`);
  console.log(`${progress(at + 1)} ${lineOf(explored)}`);
}
const tried = chosen.flatMap(({ id }) => done.get(id) ?? []);
const { lines, isProved } = summaryLines(tried);
for (const line of lines) console.log(line);
if (tried.length < chosen.length) console.log(`${chosen.length - tried.length} are left`);
process.exitCode = stop.signal.aborted ? 130 : isProved ? 0 : 1;

async function learnedBefore({ like }: Subject): Promise<{ learned?: Learned }> {
  if (!values['learn-once'] || like === undefined) return {};
  const known = learnedOf.get(like.id);
  if (known !== undefined) return { learned: known };
  const opened = await like.open();
  try {
    const { settings, forms } = await learnFrom(opened, { requests, signal: stop.signal });
    learnedOf.set(like.id, { settings, forms });
    return { learned: { settings, forms } };
  } finally {
    await opened.close();
  }
}

/** How many of those that were left are done, and how long the rest will take. */
function progress(count: number): string {
  const perOneMs = (performance.now() - startedMs) / count;
  const minutes = Math.ceil(((left.length - count) * perOneMs) / 60_000);
  return `${count}/${left.length} (${minutes} min left)`;
}

function lineOf({ id, kind, breaks, found, requests: sent, cpuMs, inconclusive }: ExploredSubject) {
  const [first] = found;
  const cost = `${sent} requests, ${(cpuMs / 1000).toFixed(1)} s of processor time`;
  const unsaid = inconclusive.length === 0 ? '' : `, ${inconclusive.length} inconclusive`;
  if (first === undefined) {
    return `${breaks.length === 0 ? 'agrees' : 'MISSED'} ${kind} ${id} (${cost}${unsaid})`;
  }
  const isRight = breaks.includes(first.rules[0] ?? '');
  const verdict = breaks.length === 0 ? 'WRONG' : isRight ? 'found' : 'found otherwise';
  const rules = `${first.rules.slice(0, 4).join(' ')} for ${breaks.join(' ')}`;
  const whole = `${verdict} ${kind} ${id}: ${rules}; ${first.calls} calls (${cost}${unsaid})`;
  return `${whole}\n    ${first.title}`;
}
