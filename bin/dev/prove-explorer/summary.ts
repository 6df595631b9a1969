// The figures of a proof, kind by kind, and whether they are good enough.
import type { ExploredSubject } from './explore-one.ts';

/** The least share that has to be found, by kind. */
const LEAST: Readonly<Record<string, number>> = { deviation: 0.8, single: 0.8 };
const LEAST_SUBTLE = 0.9;
const LEAST_RIGHT = 0.9;
const MOST_CALLS = 4;

export interface Summary {
  readonly lines: readonly string[];
  readonly isProved: boolean;
}

export function summaryLines(all: readonly ExploredSubject[]): Summary {
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const parts = kinds.map((kind) =>
    summaryOf(
      kind,
      all.filter((each) => each.kind === kind),
    ),
  );
  const cpuS = Math.round(all.reduce((sum, each) => sum + each.cpuMs, 0) / 1000);
  const requests = all.reduce((sum, each) => sum + each.requests, 0);
  return {
    lines: [
      '',
      ...parts.map(({ line }) => line),
      `${requests} requests, ${cpuS} s of processor time`,
    ],
    isProved: parts.every(({ isProved }) => isProved),
  };
}

function summaryOf(kind: string, all: readonly ExploredSubject[]) {
  const broken = all.filter(({ breaks }) => breaks.length > 0);
  if (broken.length === 0) {
    const wrong = all.filter(({ found }) => found.length > 0);
    const requests = all.reduce((sum, each) => sum + each.requests, 0);
    const line = `${kind}: ${wrong.length} of ${all.length} differ, in ${requests} requests`;
    return { line, isProved: wrong.length === 0 };
  }
  const found = broken.filter((each) => each.found.length > 0);
  const right = found.filter(({ found: [first], breaks }) =>
    breaks.includes(first!.rules[0] ?? ''),
  );
  const named = found.filter(({ found: [first], breaks }) =>
    first!.rules.some((rule) => breaks.includes(rule)),
  );
  const calls = found.map(({ found: [first] }) => first!.calls).sort((one, other) => one - other);
  const median = calls[Math.floor(calls.length / 2)] ?? 0;
  const line =
    `${kind}: ${found.length} of ${broken.length} found, ${right.length} by the right rule first` +
    ` and ${named.length} with it among others, median ${median} calls`;
  const enough = found.length >= broken.length * (LEAST[kind] ?? LEAST_SUBTLE);
  const isRight = named.length >= found.length * LEAST_RIGHT;
  return { line, isProved: enough && isRight && median <= MOST_CALLS };
}
