// The whole tree keeps its habits: walls, top level, sizes, words, citations, tests that run.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scenarios } from '../../conformance/scenarios/all.ts';
import { questions } from '../../fixtures/questions.ts';
import { rules } from '../../fixtures/rules.ts';
import { deviations } from '../../simulator/deviations/register.ts';
import { unbendable } from '../../simulator/deviations/unbendable.ts';
import { root } from '../dev/root.ts';
import { citationProblems, citationsIn } from '../dev/tidy/citations.ts';
import { exportProblems } from '../dev/tidy/exports.ts';
import {
  firstLineProblems,
  nameProblems,
  testProblems,
  unfinishedProblems,
} from '../dev/tidy/habits.ts';
import { exportsOf, importsOf } from '../dev/tidy/imports.ts';
import { binProblems, dependencyProblems, packageProblems } from '../dev/tidy/package.ts';
import { circleProblems } from '../dev/tidy/structure.ts';
import { topLevelProblems } from '../dev/tidy/top-level.ts';
import { wallProblems } from '../dev/tidy/walls.ts';
import { holes, traceRules } from '../dev/trace/trace.ts';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);

// What is new and not yet added is held to the habits too; what is deleted is not read.
const gone = new Set(git('ls-files', '--deleted'));
const paths = git('ls-files', '--cached', '--others', '--exclude-standard').filter(
  (path) => !gone.has(path),
);
const sources = paths
  .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const files = sources.map((source) => ({
  ...source,
  imports: importsOf(source.path, source.text),
}));

type Source = (typeof files)[number];
const everywhere = (check: (source: Source) => readonly string[]) => files.flatMap(check);

const tidy = suite('tidy');

// A listing that found nothing would make every check below pass.
tidy('there is a tree to look at', () => {
  assert.ok(sources.length > 50, `${sources.length} sources`);
  assert.ok(sources.some(({ path }) => path === 'bin/e2e/tidy.test.ts'));
});

const checks: readonly (readonly [string, () => readonly string[]])[] = [
  ['the top level is closed', () => topLevelProblems(paths)],
  [
    'no import goes through a wall',
    () => everywhere(({ path, imports }) => wallProblems(path, imports)),
  ],
  ['nothing is exported that nobody imports', () => exportProblems(files)],
  ['nothing waits for itself to be loaded', () => circleProblems(files)],
  ['the package installs nothing but itself', () => dependencyProblems(manifest)],
  [
    'every package is declared where it is needed',
    () => everywhere(({ path, imports }) => packageProblems(path, imports, manifest)),
  ],
  [
    'the commands are there and can be executed',
    () => binProblems(manifest, git('ls-files', '--stage', 'bin')),
  ],
  [
    'every file opens with its purpose',
    () => everywhere(({ path, text }) => firstLineProblems(path, text)),
  ],
  [
    'nothing is left for later',
    () => everywhere(({ path, text }) => unfinishedProblems(path, text)),
  ],
  [
    'names say something',
    () => everywhere(({ path, text }) => nameProblems(path, exportsOf(path, text))),
  ],
  ['every test runs', () => everywhere(({ path, text }) => testProblems(path, text))],
  [
    'every cited rule exists',
    () => {
      const known = new Set<string>([...rules, ...questions].map(({ id }) => id));
      return citationProblems(everywhereCited(), known);
    },
  ],
  [
    'every rule is cited where it is implemented, has a scenario, and a deviation that breaks it',
    () =>
      holes(traceRules({ rules, sources, scenarios, deviations }), unbendable).map(
        ({ id, lacks }) => `${id} lacks ${lacks}`,
      ),
  ],
];

function everywhereCited() {
  return sources.flatMap(({ path, text }) => citationsIn(path, text));
}

for (const [name, problems] of checks) {
  tidy(name, () => {
    assert.equal(problems(), []);
  });
}

tidy.run();
