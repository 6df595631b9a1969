// `npm run mutate [-- --sample N] [--seed S] [FILE…]`: small wrongs planted in the simulator's
// core, and whether the judge notices each.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type BuildContext, context } from 'esbuild';
import { findMutants, type Mutant } from './mutate/mutants.ts';
import { readArgs, wholeNumbers } from './read-args.ts';
import { root } from './root.ts';

const run = promisify(execFile);
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
const core = join(root, 'simulator', 'core');
const longestMs = 120_000;

// What nobody sees on the wire: starting worlds, saved states, the journal, and what an operator
// asks for.
const unseen = /(?:^|[\\/])(?:seed|commands|state|testing)[\\/]|journal\.ts$/;

interface Planted extends Mutant {
  readonly path: string;
  readonly source: string;
}

/** Blocked: no rule deviates, and some could not pass. */
type Outcome = 'noticed' | 'blocked' | 'survived' | 'broken';

const { values: numbers, positionals } = readArgs(import.meta.url, {
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
  },
});
const { sample, seed } = wholeNumbers(import.meta.url, numbers, { seed: 0 });

function findPlanted(): readonly Planted[] {
  const names = readdirSync(core, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => !unseen.test(name))
    .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
    .sort()
    .flatMap((name) => {
      const path = join(core, name);
      const source = readFileSync(path, 'utf8');
      return findMutants(source).map((mutant) => ({ ...mutant, path, source }));
    });
}

/** The same seed draws the same mutants from the same sources. */
function draw(all: readonly Planted[], count: number, seed: number): readonly Planted[] {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const ordered = all.map((planted) => ({ planted, at: random() })).sort((a, b) => a.at - b.at);
  return ordered.slice(0, count).map(({ planted }) => planted);
}

/** One bundler and one output for each worker: only the mutated file is read anew. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'mutate-'));
  #planted: Planted | null = null;
  #context: BuildContext | null = null;

  async try(planted: Planted): Promise<{ outcome: Outcome; by: string }> {
    this.#planted = planted;
    this.#context ??= await this.#begin();
    await this.#context.rebuild();
    const cited = [...new Set(planted.source.match(/\b[A-Z]+-\d+[a-z]?\b/g) ?? [])];
    try {
      const { stdout } = await run(process.execPath, [join(this.folder, 'judge.mjs'), ...cited], {
        cwd: root,
        timeout: longestMs,
        killSignal: 'SIGKILL',
        signal: ended.signal,
      });
      const [word = '', by = ''] = stdout.trim().split('\n').at(-1)?.split(' ') ?? [];
      const known = word === 'noticed' || word === 'blocked' || word === 'survived';
      return known ? { outcome: word, by } : { outcome: 'broken', by: 'it said nothing' };
    } catch {
      return { outcome: 'broken', by: 'it did not run to its end' };
    }
  }

  async close(): Promise<void> {
    await this.#context?.dispose();
    rmSync(this.folder, { recursive: true });
  }

  #begin(): Promise<BuildContext> {
    return context({
      absWorkingDir: root,
      entryPoints: { judge: 'bin/dev/mutate/judge.ts' },
      outdir: this.folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'silent',
      banner: {
        js:
          "import { createRequire as bundleRequire } from 'node:module';" +
          ` const require = bundleRequire(${JSON.stringify(join(root, 'package.json'))});`,
      },
      external: ['msw'],
      alias: { '#readers': join(root, 'dist', 'readers.js') },
      plugins: [
        {
          name: 'plant',
          setup: (build) => {
            build.onLoad({ filter: /simulator[\\/]core[\\/].*\.ts$/ }, ({ path }) => {
              const planted = this.#planted;
              if (planted === null || planted.path !== path) return undefined;
              const { source, start, end, text } = planted;
              return { contents: source.slice(0, start) + text + source.slice(end), loader: 'ts' };
            });
          },
        },
      ],
    });
  }
}

function describe({ path, source, start, end, text }: Planted): string {
  const line = source.slice(0, start).split('\n').length;
  const was = source.slice(start, end).trim().replaceAll(/\s+/g, ' ');
  return `${relative(root, path)}:${line}: ${was} → ${text.trim()}`;
}

const all = findPlanted();
const drawn = draw(all, sample, seed);
const counts: Record<Outcome, number> = { noticed: 0, blocked: 0, survived: 0, broken: 0 };
const queue = drawn.values();
const startedMs = performance.now();
console.log(`mutate: ${drawn.length} of ${all.length} mutants`);
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    const bench = new Bench();
    for (const planted of queue) {
      if (ended.signal.aborted) break;
      const { outcome, by } = await bench.try(planted);
      counts[outcome] += 1;
      if (outcome === 'survived' || outcome === 'blocked') {
        console.log(`  ${outcome}  ${describe(planted)}  ${by}`);
      }
      if (process.stdout.isTTY) process.stdout.write(`\r${outcome} by ${by}    `);
    }
    await bench.close();
  }),
);
const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
const words = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
console.log(`${words.join(', ')}; ${minutes} min`);
