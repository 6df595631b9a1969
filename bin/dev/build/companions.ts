// What each entry of the bundle imports besides its own, so that esbuild makes fewer chunks: it
// cuts between modules that different entries load, whoever has loaded what by then, and however
// small a chunk is. Each one is a file to find, to read and to link: 50 are a sixth of a start.
import type { Metafile } from 'esbuild';

/** A chunk of less is not worth a file of its own. */
const smallBytes = 10_000;

type Inputs = Metafile['inputs'];
type Files = Set<string>;

/** For each entry what it is to import besides, which changes nothing but where the cuts are. */
export function findCompanions(
  inputs: Inputs,
  roots: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const loaders = findLoaders(inputs);
  const entries = [...new Set([...roots, ...loaders.keys()])];
  const own = new Map(entries.map((entry) => [entry, reachOf(inputs, entry)]));
  const loaded = new Map([...own].map(([entry, files]) => [entry, new Set(files)]));
  const open = findOpenEntries(inputs, entries);
  const late = [...open].filter((entry) => !roots.includes(entry));
  takeWhatIsThere(loaded, { own, loaders, late });
  foldSmallChunks(inputs, { own, loaded });
  const isTaken = (entry: string, file: string) =>
    // An entry may wait for what it loads late: were it waited for in turn, neither would end.
    own.get(entry)?.has(file) === false && !own.has(file) && !file.includes(':');
  return new Map(
    [...loaded].map(([entry, files]) => [entry, [...files].filter((file) => isTaken(entry, file))]),
  );
}

/** By a module that is loaded with `import()`: the modules that do so. */
function findLoaders(inputs: Inputs): Map<string, Files> {
  const loaders = new Map<string, Files>();
  for (const [file, { imports }] of Object.entries(inputs)) {
    for (const { kind, path, external } of imports) {
      if (kind !== 'dynamic-import' || external) continue;
      loaders.set(path, (loaders.get(path) ?? new Set()).add(file));
    }
  }
  return loaders;
}

/** What is loaded with a module, itself included. */
function reachOf(inputs: Inputs, entry: string): Files {
  const reach = new Set([entry]);
  for (const file of reach) {
    for (const { kind, path, external } of inputs[file]?.imports ?? []) {
      if (kind !== 'dynamic-import' && !external && path in inputs) reach.add(path);
    }
  }
  return reach;
}

const isOurs = (file: string): boolean => /^(?!node_modules).*\.ts$/.test(file);

/** Sources of our own can be told to import more, where nobody imports that along with them. */
function findOpenEntries(inputs: Inputs, entries: readonly string[]): Files {
  const imported = new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.flatMap(({ kind, path }) => (kind === 'dynamic-import' ? [] : [path])),
    ),
  );
  return new Set(entries.filter((file) => isOurs(file) && !imported.has(file)));
}

interface Graph {
  readonly own: ReadonlyMap<string, Files>;
  readonly loaders: ReadonlyMap<string, Files>;
  /** Modules that are loaded late, and can be told to import more. */
  readonly late: readonly string[];
}

/** Whoever loads a module late has all of its own modules by then. */
function takeWhatIsThere(loaded: Map<string, Files>, { own, loaders, late }: Graph): void {
  const everything = new Set([...own.values()].flatMap((files) => [...files]));
  for (const entry of late) loaded.set(entry, everything);
  for (let changed = true; changed; ) {
    changed = false;
    for (const entry of late) {
      const by = [...(loaders.get(entry) ?? [])];
      const from = [...own].filter(([, files]) => by.some((file) => files.has(file)));
      const there = from.map(([each]) => loaded.get(each) ?? everything);
      const found = new Set(own.get(entry));
      for (const file of everything) {
        if (there.every((files) => files.has(file))) found.add(file);
      }
      changed ||= found.size !== loaded.get(entry)?.size;
      loaded.set(entry, found);
    }
  }
}

interface Chunk {
  readonly files: readonly string[];
  /** The entries that load it. */
  readonly by: readonly string[];
  readonly bytes: number;
}

function chunksOf(inputs: Inputs, loaded: ReadonlyMap<string, Files>): Chunk[] {
  const chunks = new Map<string, { files: string[]; by: string[]; bytes: number }>();
  for (const [file, { bytes }] of Object.entries(inputs)) {
    const by = [...loaded].flatMap(([entry, files]) => (files.has(file) ? [entry] : []));
    // Types alone, of which nothing is left.
    if (by.length === 0) continue;
    const chunk = chunks.get(by.join('\n')) ?? { files: [], by, bytes: 0 };
    chunk.files.push(file);
    chunk.bytes += bytes;
    chunks.set(by.join('\n'), chunk);
  }
  return [...chunks.values()];
}

interface Folding {
  readonly own: ReadonlyMap<string, Files>;
  readonly loaded: ReadonlyMap<string, Files>;
}

/** Puts each small chunk into the one that the fewest others load besides. */
function foldSmallChunks(inputs: Inputs, { own, loaded }: Folding): void {
  for (;;) {
    const chunks = chunksOf(inputs, loaded).sort((one, other) => one.by.length - other.by.length);
    const fold = chunks
      .filter(({ files, bytes }) => bytes < smallBytes && !files.some((file) => own.has(file)))
      .map((small) => ({ small, into: chunks.find((into) => mayTake(into, small)) }))
      .find(({ into }) => into !== undefined);
    if (fold?.into === undefined) return;
    for (const entry of fold.into.by) {
      for (const file of fold.small.files) loaded.get(entry)?.add(file);
    }
  }

  function mayTake(into: Chunk, small: Chunk): boolean {
    if (into === small || !small.by.every((entry) => into.by.includes(entry))) return false;
    const needs = small.files.flatMap((file) => [...reachOf(inputs, file)]);
    return into.by
      .filter((entry) => !small.by.includes(entry))
      .every(
        (entry) =>
          isOurs(entry) &&
          needs.every((file) => small.files.includes(file) || loaded.get(entry)?.has(file)),
      );
  }
}
