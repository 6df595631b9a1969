// Checks what modules that are loaded late are told to import besides: what is there by then, and
// what is too small for a file of its own; never what would be loaded in vain, or waits for itself.
import type { Metafile } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findCompanions } from './companions.ts';

const companions = suite('companions');

type Imports = readonly (string | { readonly late: string })[];

/** Files of 50 kB, or of the size that their name ends with. */
function inputsOf(graph: Readonly<Record<string, Imports>>): Metafile['inputs'] {
  return Object.fromEntries(
    Object.entries(graph).map(([file, imports]) => [
      file,
      {
        bytes: Number(/-(\d+)\.ts$/.exec(file)?.[1] ?? 50_000),
        imports: imports.map((each) =>
          typeof each === 'string'
            ? { path: each, kind: 'import-statement' }
            : { path: each.late, kind: 'dynamic-import' },
        ),
      },
    ]),
  );
}

function found(graph: Readonly<Record<string, Imports>>, ...roots: string[]) {
  const all = findCompanions(inputsOf(graph), roots);
  return Object.fromEntries([...all].filter(([, others]) => others.length > 0));
}

companions('what whoever loads it has already, through others that load late too', () => {
  const graph = {
    'main.ts': ['core.ts', { late: 'serve.ts' }],
    'serve.ts': ['http.ts', { late: 'page.ts' }],
    'page.ts': [],
    'core.ts': [],
    'http.ts': [],
  };
  assert.equal(found(graph, 'main.ts'), {
    'serve.ts': ['core.ts'],
    'page.ts': ['core.ts', 'http.ts'],
  });
});

companions('of two that load it, what both have', () => {
  const graph = {
    'one.ts': ['core.ts', 'own.ts', { late: 'late.ts' }],
    'two.ts': ['core.ts', { late: 'late.ts' }],
    'core.ts': [],
    'own.ts': [],
    'late.ts': [],
  };
  assert.equal(found(graph, 'one.ts', 'two.ts'), { 'late.ts': ['core.ts'] });
});

companions('nothing where it would be loaded along with somebody else, or is not ours', () => {
  const graph = {
    'one.ts': ['core.ts', { late: 'shared.ts' }, { late: 'node_modules/x/index.js' }],
    'two.ts': ['shared.ts'],
    'core.ts': [],
    'shared.ts': [],
    'node_modules/x/index.js': [],
  };
  assert.equal(found(graph, 'one.ts', 'two.ts'), {});
});

companions('a small file goes with a larger company that lacks nothing it needs', () => {
  const graph = {
    'one.ts': ['core.ts', 'small-900.ts'],
    'two.ts': ['core.ts', 'small-900.ts'],
    'three.ts': ['core.ts'],
    'core.ts': [],
    'small-900.ts': [],
  };
  const roots = ['one.ts', 'two.ts', 'three.ts'];
  assert.equal(found(graph, ...roots), { 'three.ts': ['small-900.ts'] });
  const needy = { ...graph, 'small-900.ts': ['heavy.ts'], 'four.ts': ['heavy.ts'], 'heavy.ts': [] };
  assert.equal(found(needy, ...roots, 'four.ts'), { 'four.ts': ['small-900.ts'] });
});

companions.run();
