// Every check of the tree can fail: for each a case where it does, and one where it does not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { citationProblems, citationsIn, standsFor } from './citations.ts';
import {
  firstLineProblems,
  nameProblems,
  sizeProblems,
  testProblems,
  unfinishedProblems,
} from './habits.ts';
import { exportsOf, importsOf } from './imports.ts';
import { binProblems, dependencyProblems, packageProblems } from './package.ts';
import { circleProblems, foldProblems, roomProblems } from './structure.ts';
import { topLevelProblems } from './top-level.ts';
import { wallProblems } from './walls.ts';

const lexer = suite('imports and exports');

lexer('every form of import is seen', () => {
  const text = `
    import type { A } from './a.ts';
    import { type B, b } from './b.ts';
    import c from './c.json' with { type: 'json' };
    export { d } from './d.ts';
    export * from './e.ts';
    export type { F } from './f.ts';
    import 'g';
    type H = import('./h.ts').H;
    const i = await import('./i.ts');
    const j = await import(somewhere);`;
  assert.equal(
    importsOf('x.ts', text).map((found) => found.specifier),
    [
      './a.ts',
      './b.ts',
      './c.json',
      './d.ts',
      './e.ts',
      './f.ts',
      'g',
      './i.ts',
      undefined,
      './h.ts',
    ],
  );
  const types = importsOf('x.ts', text).filter((found) => found.typeOnly);
  assert.equal(
    types.map((found) => found.specifier),
    ['./a.ts', './f.ts', './h.ts'],
  );
});

lexer('a file with markup is read too', () => {
  const text = `
import type { A } from './a.ts';
import {
  b,
} from './b.ts';

export const App = () => <p title='x'>don't {b}</p>;
const lazy = () => import('./lazy.ts');
`;
  const found = importsOf('x.tsx', text).map(({ specifier }) => specifier);
  for (const specifier of ['./a.ts', './b.ts', './lazy.ts']) assert.ok(found.includes(specifier));
  assert.equal(exportsOf('x.tsx', text), ['App']);
});

lexer.run();

const walls = suite('walls');
const imports = (specifier: string | undefined, typeOnly = false) => [
  { specifier, typeOnly, dynamic: false },
];

// [file, what it imports, allowed, as a type only]
const crossings = [
  ['fixtures/rules.ts', './rules/accounts.ts', true],
  ['fixtures/rules.ts', '../simulator/core/world.ts', false],
  ['fixtures/rules.ts', 'node:fs', false],
  ['fixtures/rules.test.ts', 'node:fs', true],
  ['fixtures/rules.test.ts', '../simulator/core/world.ts', false],
  ['simulator/core/step.ts', './values/digest.ts', true],
  ['simulator/core/values/phone.ts', '../world.ts', true],
  ['simulator/core/step.ts', '../../fixtures/rules.ts', true],
  ['simulator/core/step.ts', '../host/clock.ts', false],
  ['simulator/core/step.ts', '../host/clock.ts', false, 'type'],
  ['simulator/core/step.ts', 'big.js', true],
  ['simulator/core/step.ts', '#readers', true],
  ['simulator/core/step.ts', 'undici', false],
  ['simulator/core/step.ts', 'node:crypto', false],
  ['simulator/core/step.ts', undefined, false],
  ['simulator/core/values/digest.ts', 'node:crypto', true],
  ['simulator/core/values/digest.ts', 'node:fs', false],
  ['simulator/core/values/digest.ts', './decimal.ts', true],
  ['simulator/deviations/keys.ts', '../core/behaviour.ts', true],
  ['simulator/deviations/keys.ts', '../host/clock.ts', false],
  ['simulator/deviations/keys.ts', 'node:fs', false],
  ['simulator/host/world/clock.ts', '../../deviations/index.ts', true],
  ['simulator/host/world/clock.ts', '../../control/routes.ts', false],
  ['simulator/host/send.ts', 'undici', true],
  ['simulator/host/send.ts', 'undici/types/agent.js', true],
  ['simulator/host/send.ts', 'fastify', false],
  ['simulator/transports/http.ts', '../host/clock.ts', true],
  ['simulator/transports/http.ts', '../core/call.ts', true, 'type'],
  ['simulator/transports/http.ts', '../core/step.ts', false],
  ['simulator/transports/http.ts', '@fastify/static', true],
  ['simulator/transports/http.ts', 'undici', false],
  ['simulator/control/routes.ts', '../core/step.ts', false],
  ['simulator/index.ts', './core/step.ts', true],
  ['simulator/index.ts', '../conformance/engine/run.ts', false],
  ['simulator/index.ts', '../package.json', true],
  ['conformance/engine/run/run.ts', '../../../fixtures/rules.ts', true],
  ['conformance/engine/run/run.ts', '../../../simulator/index.ts', false],
  ['conformance/engine/run/run.ts', '../../../simulator/core/call.ts', false, 'type'],
  ['conformance/engine/run/run.test.ts', '../../../simulator/index.ts', false],
  ['conformance/engine/run/run.ts', 'fastify', false],
  ['ui/app.tsx', '../simulator/control/shapes.ts', true, 'type'],
  ['ui/app.tsx', '../simulator/control/shapes.ts', false],
  ['ui/app.tsx', '../conformance/engine/run.ts', false, 'type'],
  ['ui/app.tsx', 'preact/hooks', true],
  ['ui/app.tsx', 'node:fs', false],
  ['bin/dev/trace.ts', '../../conformance/engine/run.ts', true],
  ['bin/dev/trace.ts', 'esbuild', true],
  ['scripts/x.ts', 'node:fs', false],
] as const;

for (const [path, specifier, allowed, kind] of crossings) {
  walls(`${path} ${allowed ? 'may' : 'may not'} import ${kind ?? ''} ${specifier}`, () => {
    const problems = wallProblems(path, imports(specifier, kind === 'type'));
    assert.is(problems.length, allowed ? 0 : 1, problems.join('\n'));
  });
}

walls.run();

const habits = suite('habits');
const good = '// Reads a thing and says what it is.\nexport const x = 1;\n';

// [check, a file it lets pass, the same with one fault]
const cases: readonly (readonly [string, (text: string) => readonly string[], string, string])[] = [
  ['first line', (t) => firstLineProblems('x.ts', t), good, 'export const x = 1;\n'],
  ['first line, empty', (t) => firstLineProblems('x.ts', t), good, `//\n${good}`],
  ['first line of a block', (t) => firstLineProblems('x.ts', t), `/**\n * A b.\n */`, '/**\n'],
  ['first line of a command', (t) => firstLineProblems('x.js', t), `#!/x\n${good}`, '#!/x\nx();\n'],
  ['file size', (t) => sizeProblems('x.ts', t), 'x;\n'.repeat(300), 'x;\n'.repeat(301)],
  ['line length', (t) => sizeProblems('x.ts', t), `${'x'.repeat(100)}\n`, `${'x'.repeat(101)}\n`],
  [
    'prose',
    (t) => sizeProblems('x.ts', t),
    `  a: '${'x'.repeat(99)}',\n`,
    `// '${'x'.repeat(99)}'\n`,
  ],
  ['unfinished', (t) => unfinishedProblems('x.ts', t), good, `// TO${''}DO: later\n`],
  ['unfinished too', (t) => unfinishedProblems('x.ts', t), 'prefixme', `// FIX${''}ME\n`],
];

for (const [name, check, pass, fail] of cases) {
  habits(name, () => {
    assert.equal(check(pass), []);
    assert.is(check(fail).length, 1);
  });
}

habits('names', () => {
  assert.equal(nameProblems('a/journal.ts', ['findKey', 'dated', 'metadata']), []);
  assert.is(nameProblems('a/journal.ts', ['KeyManager']).length, 1);
  assert.is(nameProblems('a/journal.ts', ['processCall']).length, 1);
  assert.is(nameProblems('a/test-utils.ts', []).length, 1);
});

habits('tests that run', () => {
  const run = "const a = suite('a');\na('x', () => {});\na.run();\n";
  assert.equal(testProblems('x.test.ts', run), []);
  assert.equal(testProblems('x.ts', 'const a = 1;'), []);
  const faults = [
    run.replace('a.run();', ''),
    run.replace('a.run();', '// a.run();'),
    `${run}const b = suite('b');\n`,
    run.replace("a('x'", `a.${'skip'}('x'`),
    run.replace("a('x'", `a.${'only'}('x'`),
    "import { test } from 'uvu';\ntest('x', () => {});\n",
    'export {};\n',
  ];
  for (const fault of faults) assert.is(testProblems('x.test.ts', fault).length, 1, fault);
});

habits.run();

const whole = suite('the tree');

whole('top level', () => {
  assert.equal(topLevelProblems(['bin/x.ts', 'README.md', '.ci/run']), []);
  assert.is(topLevelProblems(['bin/x.ts', 'scripts/x.ts', 'scripts/y.ts']).length, 1);
});

whole('rooms', () => {
  const files = (count: number) => Array.from({ length: count }, (_, n) => `room/${n}.ts`);
  assert.equal(roomProblems([...files(25), 'other/x.ts']), []);
  assert.is(roomProblems([...files(26), 'other/x.ts']).length, 1);
});

function importing(path: string, lines: number, ...specifiers: readonly string[]) {
  const imports = specifiers.map((specifier) => ({ specifier, typeOnly: false, dynamic: false }));
  return { path, text: '// A line.\n'.repeat(lines), imports };
}

whole('a few lines for one importer', () => {
  const parent = importing('a/parent.ts', 90, './small.ts', './long.ts', './shared.ts');
  const others = [importing('a/long.ts', 40), importing('a/shared.ts', 5)];
  const other = importing('a/other.ts', 90, './shared.ts');
  assert.equal(foldProblems([parent, ...others, other]), []);
  const small = importing('a/small.ts', 39);
  assert.is(foldProblems([parent, ...others, other, small]).length, 1);
  assert.equal(foldProblems([parent, ...others, other, small], { 'a/s': 'a row' }), []);
  assert.is(foldProblems([parent, ...others, other], { 'a/s': 'a row' }).length, 1);
  // What is loaded later has to be a file of its own.
  const later = { specifier: './small.ts', typeOnly: false, dynamic: true };
  const loading = { path: 'a/parent.ts', text: '', imports: [later] };
  assert.equal(foldProblems([loading, small]), []);
  const type = { ...loading, imports: [{ ...later, typeOnly: true }] };
  assert.is(foldProblems([type, small]).length, 1);
});

whole('import circles', () => {
  const line = [importing('a/x.ts', 1, './y.ts'), importing('a/y.ts', 1, './z.ts')];
  assert.equal(circleProblems([...line, importing('a/z.ts', 1)]), []);
  assert.is(circleProblems([...line, importing('a/z.ts', 1, './x.ts')]).length, 1);
  const type = { specifier: './x.ts', typeOnly: true, dynamic: false };
  assert.equal(circleProblems([...line, { path: 'a/z.ts', text: '', imports: [type] }]), []);
});

whole('packages', () => {
  const manifest = { devDependencies: { undici: '1', uvu: '1' }, peerDependencies: { msw: '1' } };
  const problems = (path: string, specifier: string, typeOnly = false) =>
    packageProblems(path, imports(specifier, typeOnly), manifest).length;
  assert.is(problems('simulator/x.ts', 'undici'), 0);
  assert.is(problems('simulator/x.ts', 'node:fs'), 0);
  assert.is(problems('simulator/x.test.ts', 'uvu/assert'), 0);
  assert.is(problems('simulator/x.ts', 'msw', true), 0);
  assert.is(problems('bin/dev/x.ts', 'lodash'), 1);
  assert.equal(dependencyProblems(manifest), []);
  assert.is(dependencyProblems({ dependencies: { undici: '1' } }).length, 1);
});

whole('commands', () => {
  const manifest = { bin: { sandbox: 'bin/sandbox.js' } };
  assert.equal(binProblems(manifest, ['100755 abc 0\tbin/sandbox.js']), []);
  assert.is(binProblems(manifest, ['100644 abc 0\tbin/sandbox.js']).length, 1);
  assert.is(binProblems(manifest, []).length, 1);
  assert.is(binProblems({}, []).length, 1);
});

whole('citations', () => {
  const known = new Set(['IDEM-4a', 'IDEM-4b', 'IDEM-99', 'NS-6']);
  const text =
    "// IDEM-4a: why.\ncite('NS-6');\n// IDEM-4 stands for its parts, X-IDEM-5 for nothing\n";
  const found = citationsIn('x.ts', text);
  assert.equal(
    found.map(({ id, line }) => [id, line]),
    [
      ['IDEM-4a', 1],
      ['NS-6', 2],
      ['IDEM-4', 3],
    ],
  );
  assert.equal(citationProblems(found, known), []);
  assert.equal(standsFor('IDEM-4', known), ['IDEM-4a', 'IDEM-4b']);
  const lost = citationsIn('x.ts', '// IDEM-0, NS-0, NS-99');
  assert.is(citationProblems(lost, known).length, 3);
});

whole.run();
