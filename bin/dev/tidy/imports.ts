// What a source file imports and exports, read by a lexer: nothing is compiled or run.
import { init, parse } from 'es-module-lexer';
import { transformSync } from 'esbuild';

export interface Import {
  /** Undefined when it is computed, so that nobody can tell what is imported. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

await init();

/** Every import of a TypeScript or JavaScript source, type-only and dynamic ones included. */
export function importsOf(path: string, text: string): Import[] {
  const read = lexable(path, text).flatMap((source) =>
    parse(source)[0].flatMap((found): Import[] => {
      if (found.type === 'import-meta') return [];
      const dynamic = found.type === 'dynamic';
      return [{ specifier: found.specifier, typeOnly: !dynamic && found.typeOnly, dynamic }];
    }),
  );
  return [...read, ...importTypes(text, read)];
}

/** The names a source exports, types included. */
export function exportsOf(path: string, text: string): string[] {
  return lexable(path, text).flatMap((source) =>
    parse(source)[1].flatMap((found) => ('name' in found && found.name ? [found.name] : [])),
  );
}

// The lexer passes over `import('…')` where it stands for a type; a wall does not.
function importTypes(text: string, read: readonly Import[]): Import[] {
  const dynamic = read.filter((found) => found.dynamic).map((found) => found.specifier);
  const written = [...text.matchAll(/(?<![\w'"`.])import\(\s*(['"])(.+?)\1/g)].map((m) => m[2]);
  return written
    .filter((specifier) => !dynamic.includes(specifier))
    .map((specifier) => ({ specifier, typeOnly: true, dynamic: false }));
}

// The lexer knows TypeScript but not JSX: of a .tsx file it gets the head, where the imports are
// written, and the rest as JavaScript, where dynamic imports would be.
function lexable(path: string, text: string): string[] {
  if (!path.endsWith('.tsx')) return [text];
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => /^(import\b|\} from ).*;$/.test(line));
  const { code } = transformSync(text, {
    loader: 'tsx',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    format: 'esm',
  });
  return [lines.slice(0, last + 1).join('\n'), code];
}
