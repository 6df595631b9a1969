// Finds a difference of an earlier report, to play it again.
import type { Sequence } from '../sequence.ts';

/** Undefined when there is none of that id; throws a TypeError when it is no such report. */
export function sequenceIn(report: unknown, id: string): Sequence | undefined {
  const { schema, differences, unexplained } = (report ?? {}) as {
    readonly schema?: unknown;
    readonly differences?: unknown;
    readonly unexplained?: unknown;
  };
  if (schema !== 'explore/1') throw new TypeError('it is no JSON report of conformance explore');
  const all = [differences, unexplained].flatMap((each) => (Array.isArray(each) ? each : [])) as {
    readonly id?: unknown;
    readonly sequence?: Sequence;
  }[];
  const { sequence } = all.find((each) => each.id === id) ?? {};
  if (sequence === undefined) return undefined;
  if (!Array.isArray(sequence.steps) || sequence.steps.length === 0) {
    throw new TypeError(`the sequence of ${id} has no steps`);
  }
  return sequence;
}

/** Of a report of the explorer; null where a difference has none, undefined where there is none. */
export function scriptIn(report: unknown, id: string): string | null | undefined {
  const { schema, differences, unexplained } = (report ?? {}) as Record<string, unknown>;
  if (schema !== 'explore/1') return undefined;
  const all = [differences, unexplained].flatMap((each) => (Array.isArray(each) ? each : [])) as {
    readonly id?: unknown;
    readonly script?: string | null;
  }[];
  return all.find((each) => each.id === id)?.script;
}

/** The settings of the model that the differences of a report were found with. */
export function settingsIn(report: unknown): unknown {
  const { coverage } = report as { readonly coverage?: { readonly settings_learned?: unknown } };
  return coverage?.settings_learned ?? {};
}
