// The fenced blocks of the documents, and what becomes of each when the documents are tried: it is
// run as a reader would, it is held by a test that is named, or it says why it is only to be read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** In the order in which a newcomer reads them; each goes on where the one before ended. */
export const documents = [
  'README.md',
  'simulator/README.md',
  'conformance/README.md',
  'conformance/client/README.md',
  'conformance/explore/README.md',
  'bin/README.md',
] as const;

export interface Run {
  readonly kind: 'run';
  /** Terminals stay open from block to block; the first one where nothing is said. */
  readonly terminal: number;
  /** What runs in that terminal is ended first, as by Ctrl-C. */
  readonly stop: boolean;
  /** For what keeps running: said when it is ready. */
  readonly until: string | null;
  /** Has to be said, as a regular expression. */
  readonly says: string | null;
  readonly exit: number;
  /** Placeholders of the page with what a reader puts there. */
  readonly put: Readonly<Record<string, string>>;
  /** Typed after the block, or after its file is saved. */
  readonly after: string | null;
}

export type Plan =
  | Run
  /** A test that takes the block from the page by its file name. */
  | { readonly kind: 'held'; readonly test: string }
  | { readonly kind: 'read'; readonly why: string };

export interface Block {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** What its first line calls the file, beside its command: `// clock.mjs: node clock.mjs`. */
  readonly file: string | null;
  readonly command: string | null;
  /** Null where the page does not say what becomes of it. */
  readonly plan: Plan | null;
}

const defaults: Run = {
  kind: 'run',
  terminal: 1,
  stop: false,
  until: null,
  says: null,
  exit: 0,
  put: {},
  after: null,
};

const fence = /^(?:<!-- (run|held by|not run):? ?(.*?) ?-->\n+)?```(\w*)\n([\s\S]*?)^```$/gm;
const named = /^(?:\/\/|#) ([\w./-]+\.\w+):\s*(.*)/;

export function blocksOf(document: string, text = read(document)): Block[] {
  return [...text.matchAll(fence)].map((match) => {
    const [, verb, rest = '', language = '', code = ''] = match;
    const [, file = null, command = null] = named.exec(code) ?? [];
    const line = text.slice(0, match.index).split('\n').length;
    const place = `${document}:${line}`;
    const plan = planOf(verb, rest, place) ?? usualPlan(language, file);
    return { document, line, language, code, file, command, plan };
  });
}

function read(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

function planOf(verb: string | undefined, rest: string, place: string): Plan | null {
  if (verb === undefined) return null;
  if (verb === 'held by') return { kind: 'held', test: rest };
  if (verb === 'not run') return { kind: 'read', why: rest };
  const given = JSON.parse(rest === '' ? '{}' : rest) as Partial<Run>;
  const unknown = Object.keys(given).filter((name) => !(name in defaults));
  if (unknown.length > 0) throw new Error(`${place}: a run has no ${unknown.join(', ')}`);
  return { ...defaults, ...given };
}

/** Lines for a shell and files with a command are run; anything else has to say what it is for. */
function usualPlan(language: string, file: string | null): Plan | null {
  if (language === 'sh') return defaults;
  return file === null ? null : { ...defaults };
}
