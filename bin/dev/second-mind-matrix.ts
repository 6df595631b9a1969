// `tsx bin/dev/second-mind-matrix.ts`: breaks the second mind in each of its ways, has it judged,
// and shows which rules are blamed: one at least that the defect breaks, and no other.
import { appendFileSync } from 'node:fs';
import { runJudge } from '../commands/conformance/testing/run-judge.ts';
import { type Defect, defects } from '../e2e/testing/second-mind/defects.ts';
import { serve } from '../e2e/testing/second-mind/server/serve.ts';
import { readArgs } from './read-args.ts';

const { values } = readArgs(import.meta.url, {
  options: {
    style: { type: 'string', default: 'plain' },
    kind: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    out: { type: 'string' },
    near: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '1' },
  },
});
const style = values.style === 'other' ? 'other' : 'plain';
const [nth = 1, of = 1] = values.part.split('/').map(Number);
const wanted = defects
  .filter(({ kind, id }) => kind.startsWith(values.kind) && new RegExp(values.only).test(id))
  .filter((_, at) => at % of === nth - 1);

/** With --near only the families of the rules that it breaks: quicker, and sees fewer innocents. */
function scopeOf({ breaks }: Defect): { only?: string[] } {
  return values.near ? { only: [...new Set(breaks.map((id) => id.replace(/-.*/, '-*')))] } : {};
}

async function blamedFor(defect: Defect) {
  const served = await serve({ style, defects: [defect.id] });
  try {
    const scope = { json: true, seed: '1', ...scopeOf(defect) };
    const { report, code } = await runJudge({ baseUrl: served.baseUrl, ...scope });
    const blamed = report.rules.filter(({ verdict }) => verdict === 'deviates');
    const failed = report.scenarios.filter(({ verdict }) => verdict === 'harness_error');
    return { code, blamed, failed: failed.map(({ id }) => id) };
  } finally {
    await served.close();
  }
}

function verdictOf(right: number, wrong: number, failed: number): string {
  if (failed > 0) return 'FAILED';
  if (right === 0) return 'MISSED';
  return wrong > 0 ? 'ALSO' : 'ok';
}

async function judge(defect: Defect): Promise<void> {
  const startedMs = performance.now();
  const { code, blamed, failed } = await blamedFor(defect).catch((error: unknown) => {
    console.log(`${defect.id}: ${String(error)}`);
    return { code: -1, blamed: [], failed: ['the run itself'] };
  });
  const broken: readonly string[] = defect.breaks;
  const right = blamed.filter(({ id }) => broken.includes(id)).map(({ id }) => id);
  const wrong = blamed.filter(({ id }) => !broken.includes(id));
  const verdict = verdictOf(right.length, wrong.length, failed.length);
  const said = wrong.map(({ id, findings }) => {
    const [first] = findings;
    return `\n    ${id} (${first?.scenario}): ${first?.expected} | ${first?.actual}`;
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const line = `${verdict} ${defect.kind} ${defect.id} [${broken}] -> ${right} ${said.join('')}`;
  if (failed.length > 0) console.log(`  the judge failed in ${failed.join(', ')}`);
  console.log(`${line} (${seconds} s, exit ${code})`);
  if (values.out) {
    const innocents = wrong.map(({ id, findings }) => ({ id, finding: findings[0] }));
    const row = { ...defect, verdict, right, innocents, failed, code };
    appendFileSync(values.out, `${JSON.stringify(row)}\n`);
  }
}

// Much of a run is waiting, so that several at once take little longer than one.
const left = wanted.values();
async function work(): Promise<void> {
  for (const defect of left) await judge(defect);
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
