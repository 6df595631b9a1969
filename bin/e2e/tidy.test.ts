// The whole tree: imports between folders, unused code, cited and tested rules, tests that run.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { questions } from '../../fixtures/questions.ts';
import { rules } from '../../fixtures/rules.ts';
import { deviations, unbreakable } from '../../simulator/deviations/register.ts';
import { root } from '../dev/root.ts';

const topLevel =
  'package.json package-lock.json tsconfig.json biome.json .ci .gitignore README.md bin simulator conformance fixtures ui';

const pure = ['big.js', 'libphonenumber-js'];
const serving = ['fastify', '@fastify/static', 'msw', 'ws', 'node:'];

interface Wall {
  /** Our folders that it may import, in addition to itself. */
  readonly ours: readonly string[];
  /** Folders of which it may import types only. */
  readonly types?: readonly string[];
  /** `node:` is all of Node, `*` any package. A test may import any package. */
  readonly packages: readonly string[];
}

/** The longest matching path prefix decides. */
const walls: Readonly<Record<string, Wall>> = {
  fixtures: { ours: [], packages: ['fastest-levenshtein', 'json-schema-faker'] },
  'simulator/core': { ours: ['fixtures'], packages: pure },
  // A digest is a pure function of its bytes; no other module of Node is allowed.
  'simulator/core/values/digest.ts': {
    ours: ['simulator/core', 'fixtures'],
    packages: [...pure, 'node:crypto'],
  },
  'simulator/deviations': { ours: ['simulator/core', 'fixtures'], packages: [] },
  'simulator/host': {
    ours: ['simulator/core', 'simulator/deviations', 'simulator/storage', 'fixtures'],
    packages: ['undici', 'lowdb', 'json-schema-faker', 'node:'],
  },
  'simulator/storage': {
    ours: ['simulator/core', 'simulator/deviations', 'simulator/host', 'fixtures'],
    packages: ['lowdb', 'node:'],
  },
  'simulator/transports': {
    ours: ['simulator/core', 'simulator/host', 'simulator/control', 'fixtures'],
    packages: serving,
  },
  'simulator/control': {
    ours: ['simulator/core', 'simulator/host', 'fixtures'],
    packages: ['node:'],
  },
  // Tests of the plane send requests through the transports, like a client.
  'simulator/control/testing': { ours: ['simulator', 'fixtures'], packages: ['node:'] },
  simulator: { ours: ['fixtures'], packages: ['msw', 'node:'] },
  conformance: { ours: ['fixtures'], packages: ['undici', 'chalk', 'cross-spawn', 'node:'] },
  ui: { ours: [], types: ['simulator', 'fixtures'], packages: ['preact'] },
  'ui/testing': { ours: ['ui', 'fixtures/testing'], packages: ['playwright-core', 'node:'] },
  bin: { ours: ['simulator', 'conformance', 'fixtures'], packages: ['*'] },
};

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
const deleted = new Set(git('ls-files', '--deleted'));
const paths = git('ls-files', '--cached', '--others', '--exclude-standard').filter(
  (path) => !deleted.has(path),
);
const sources = paths
  .filter((path) => /\.(ts|tsx|js|mjs|cjs)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

const importPattern =
  /^(?:import|export) (?<isType>type )?(?:[^'";]*? from )?'(?<name>[^']+)'|(?<![\w'"`.])(?<isTypeOf>typeof )?import\(\s*'(?<late>[^']+)'/gm;

function wallProblems({ path, text }: (typeof sources)[number]): string[] {
  const isIn = (target: string, folder: string) =>
    target === folder || target.startsWith(`${folder}/`);
  const [folder = '', wall] =
    Object.entries(walls)
      .filter(([each]) => isIn(path, each))
      .sort(([a], [b]) => b.length - a.length)[0] ?? [];
  if (wall === undefined) return [`${path}: no wall knows its folder`];
  return [...text.matchAll(importPattern)].flatMap(({ groups = {} }) => {
    const specifier = groups.name ?? groups.late ?? '';
    const isType = groups.isType !== undefined || groups.isTypeOf !== undefined;
    if (specifier.startsWith('.')) {
      const target = posix.join(posix.dirname(path), specifier);
      const allowed = [folder, 'package.json', ...wall.ours, ...(isType ? (wall.types ?? []) : [])];
      return allowed.some((each) => isIn(target, each)) ? [] : [`${path} imports ${specifier}`];
    }
    const allowed = isTest(path) ? ['*'] : wall.packages;
    const isAllowed = allowed.some((each) =>
      each === '*' || each === 'node:'
        ? each === '*' || specifier.startsWith(each)
        : isIn(specifier, each),
    );
    return isAllowed ? [] : [`${path} imports ${specifier}`];
  });
}

const citation =
  /(?<![\w-])(?:CONV|ACC|UPD|BULK|POS|TXN|TXS|IDEM|AUTH|HOOK|EVT|ERR|LIM|NS)-\d+[a-z]?(?![\w-])/g;
const citedIn = (text: string): string[] => text.match(citation) ?? [];
const ruleIds = rules.map(({ id }) => id as string);
const known = new Set([...ruleIds, ...questions.map(({ id }) => id as string)]);
/** `IDEM-4` also means its parts IDEM-4a, IDEM-4b and so on. */
const standsFor = (cited: string, id: string) => id.replace(/[a-z]$/, '') === cited || id === cited;

const tidy = suite('tidy');

tidy('the top level is closed', () => {
  const found = new Set(paths.map((path) => path.split('/')[0] as string));
  const allowed = topLevel.split(' ');
  const others = [...found].filter((name) => !allowed.includes(name));
  assert.equal(others, []);
});

tidy('no import goes through a wall', () => {
  assert.ok(sources.length > 50, `${sources.length} sources`);
  assert.equal(sources.flatMap(wallProblems), []);
});

tidy('no file, export or package is unused, and no import is circular', () => {
  const { status, stdout, stderr } = spawnSync(
    'node_modules/.bin/knip',
    ['--no-progress', '--cache'],
    {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  assert.is(status, 0, stdout + stderr);
});

tidy('every file begins with a comment that says what it is for', () => {
  const opening = /^(?:#!.*\n)?(?:\/\/|\/\*\*?)\s+\*?\s*\S+ \S+/;
  const silent = sources.filter(({ text }) => !opening.test(text)).map(({ path }) => path);
  assert.equal(silent, []);
});

tidy('no comment leaves work for later', () => {
  // Written so that it does not match itself.
  const unfinished = /\b(T[O]DO|F[I]XME|X[X]X)\b/;
  const left = sources.filter(({ text }) => unfinished.test(text)).map(({ path }) => path);
  assert.equal(left, []);
});

tidy('every suite runs, and skips a test only if it lacks a program', () => {
  for (const { path, text } of sources.filter((source) => isTest(source.path))) {
    const names = [...text.matchAll(/^\s*const (\w+)(?:: [^=]+)? = suite\b/gm)].map((m) => m[1]);
    if (/^import \{[^}]*\btest\b[^}]*\} from 'uvu'/m.test(text)) names.push('test');
    assert.ok(names.length > 0, `${path} has no suite`);
    for (const name of names) {
      assert.match(
        text,
        new RegExp(`^\\s*${name}\\.run\\(\\);`, 'm'),
        `${path}: ${name} never runs`,
      );
      assert.not.match(text, new RegExp(`\\b${name}\\.only\\(`), path);
      if (!path.startsWith('ui/')) assert.not.match(text, new RegExp(`\\b${name}\\.skip\\(`), path);
    }
  }
});

tidy('every cited rule or question exists', () => {
  // A test uses the numbers 0 and 99 for ids that do not exist.
  const isFree = (id: string, path: string) => isTest(path) && /-(0|99)$/.test(id);
  const exists = (id: string) => [...known].some((each) => standsFor(id, each));
  const problems = sources.flatMap(({ path, text }) =>
    citedIn(text)
      .filter((id) => !exists(id) && !isFree(id, path))
      .map((id) => `${path}: ${id}`),
  );
  assert.equal(problems, []);
});

tidy(
  'every rule is cited where it is implemented, has a scenario and a deviation that breaks it',
  () => {
    // The simulator reads the scopes of an operation, and the scope rule, from its table.
    const served = /^(simulator\/(?!deviations)|fixtures\/operations\.ts$)/;
    const implementing = sources.filter(({ path }) => served.test(path) && !isTest(path));
    const cited = new Set(implementing.flatMap(({ text }) => citedIn(text)));
    const problems = ruleIds.flatMap((id) => [
      ...([...cited].some((each) => standsFor(each, id)) ? [] : [`${id}: not cited`]),
      ...(scenarios.some((each) => each.rules.some((rule) => rule === id))
        ? []
        : [`${id}: no scenario`]),
      ...(deviations.some(({ breaks }) => breaks.some((rule) => rule === id)) === id in unbreakable
        ? [`${id}: a deviation, or a reason in register.ts`]
        : []),
    ]);
    assert.equal(problems, []);
  },
);

tidy.run();
