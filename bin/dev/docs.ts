// `npm run docs`: does what the documents say, block by block in the order of the pages, in a fresh
// clone with an empty npm cache, as somebody would who has just met the project.
// `--instead 3000=3456` takes another port where one of the pages is taken; `--packed` does it in
// an empty project, with the packed package in place of a clone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Block, blocksOf, documents, type Run } from './docs/blocks.ts';
import { Terminal } from './docs/terminal.ts';
import { readArgs } from './read-args.ts';
import { root } from './root.ts';

/** An install and a whole judgement are the longest of them. */
const limitMs = 900_000;

interface Desk {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminals: Map<number, Terminal>;
  /** In place of `npm ci`, where there is no clone. */
  readonly install: string | null;
  /** Ports of the pages that are taken here, with those to use instead. */
  readonly ports: readonly (readonly [string, string])[];
}

async function main(): Promise<number> {
  const { values } = readArgs(import.meta.url, {
    options: {
      instead: { type: 'string', multiple: true, default: [] },
      packed: { type: 'boolean', default: false },
    },
  });
  const place = mkdtempSync(join(tmpdir(), 'docs-'));
  const desk = makeDesk(place, values.packed, portsOf(values.instead));
  const failures: string[] = [];
  try {
    for (const block of documents.flatMap((document) => blocksOf(document))) {
      const words = await tryBlock(desk, block);
      console.log(`${words === null ? 'ok  ' : 'FAIL'} ${block.document}:${block.line}`);
      if (words === null) continue;
      failures.push(`${block.document}:${block.line}`);
      console.log(words);
    }
  } finally {
    for (const terminal of desk.terminals.values()) await terminal.end();
    rmSync(place, { recursive: true, force: true });
  }
  console.log(failures.length === 0 ? 'every block does what its page says' : failures.join('\n'));
  return failures.length === 0 ? 0 : 1;
}

function portsOf(instead: readonly string[]): Desk['ports'] {
  return instead.map((each) => each.split('=')).map(([from = '', to = '']) => [from, to] as const);
}

function makeDesk(place: string, isPacked: boolean, ports: Desk['ports']): Desk {
  const folder = join(place, 'project');
  const env = { ...process.env, npm_config_cache: join(place, 'npm-cache'), NO_COLOR: '1' };
  // What npm tells the scripts it runs is not what a reader's shell has.
  const own = Object.entries(env).filter(([name]) => !/^npm_(?!config_cache)/.test(name));
  const desk = { folder, env: Object.fromEntries(own), terminals: new Map(), ports };
  if (!isPacked) {
    execFileSync('git', ['clone', '--quiet', root, folder]);
    return { ...desk, install: null };
  }
  mkdirSync(folder);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', place], { cwd: root });
  const tarball = readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '';
  // Mock Service Worker is the reader's own, where the page is about it.
  const install = `npm init -y > /dev/null && npm install ${join(place, tarball)} msw`;
  return { ...desk, install };
}

/** What went wrong; null when all is as the page says. */
async function tryBlock(desk: Desk, block: Block): Promise<string | null> {
  const { plan } = block;
  if (plan === null) return 'the page does not say what becomes of this block';
  if (plan.kind !== 'run') return null;
  try {
    return await runBlock(desk, block, plan);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message;
  }
}

async function runBlock(desk: Desk, block: Block, plan: Run): Promise<string | null> {
  if (plan.stop) {
    await desk.terminals.get(plan.terminal)?.end();
    desk.terminals.delete(plan.terminal);
  }
  const terminal = desk.terminals.get(plan.terminal) ?? new Terminal(desk.folder, desk.env);
  desk.terminals.set(plan.terminal, terminal);
  const code = linesOf(desk, block, plan);
  if (plan.until !== null) {
    await terminal.leaveRunning(code, plan.until, limitMs);
    return null;
  }
  const { output, exit } = await terminal.paste(code, limitMs);
  if (exit !== plan.exit) return `exit code ${exit} in place of ${plan.exit}:\n${output}`;
  for (const wanted of [plan.says ?? '', ...saidInComments(block)]) {
    if (!new RegExp(wanted, 'm').test(output)) return `it does not say ${wanted}:\n${output}`;
  }
  return null;
}

/** What is typed: the block itself, or the command of a file that is saved first. */
function linesOf(desk: Desk, block: Block, plan: Run): string {
  const page = desk.ports.reduce(
    (code, [from, to]) => code.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to),
    block.code,
  );
  const typed = block.file === null ? page : saveFile(desk.folder, { ...block, code: page });
  let code = [typed, plan.after ?? ''].join('\n').trim();
  for (const [from, to] of Object.entries(plan.put)) code = code.replaceAll(from, to);
  return desk.install === null ? code : code.replace(/^npm ci\b/m, `${desk.install} `);
}

function saveFile(folder: string, { file, code, command }: Block): string {
  if (file === null) throw new Error('a block without a file was to be saved');
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), code);
  return (command ?? '').replace(/ {2,}\(.*$/, '');
}

/** `console.log(…); // 200` has to say 200. */
function saidInComments({ language, code }: Block): string[] {
  if (language !== 'js') return [];
  const said = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(
    ([, words = '']) => words,
  );
  return said.map((words) => `^${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}

process.exitCode = await main();
