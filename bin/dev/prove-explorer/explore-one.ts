// Explores one subject as the command does, and says what came of it.
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import { explore } from '../../../conformance/explore/explore.ts';
import { titleOf } from '../../../conformance/explore/findings/title.ts';
import { type Forms, observe, unaskedIn } from '../../../conformance/explore/observe.ts';
import type { Sequence, Step } from '../../../conformance/explore/sequence.ts';
import { defaultSettings, parseSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModels } from '../../commands/conformance/explore-model.ts';
import type { Opened } from './live.ts';
import type { Subject } from './subjects.ts';

export interface ExploredSubject {
  readonly id: string;
  readonly kind: string;
  readonly breaks: readonly string[];
  readonly requests: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly sequences: number;
  readonly agreed: number;
  readonly lost: number;
  readonly inconclusive: readonly string[];
  readonly open: Readonly<Record<string, number>>;
  /** How often each operation was called. */
  readonly operations: Readonly<Record<string, number>>;
  readonly found: readonly FoundRow[];
}

export interface FoundRow {
  readonly title: string;
  readonly rules: readonly string[];
  readonly calls: number;
  readonly reproduced: string;
  readonly target: string;
  readonly model: string;
  readonly steps: readonly Step[];
}

export interface ExploreOneOptions {
  readonly seed: number;
  readonly requests: number;
  /** Goes on when one is known. */
  readonly all: boolean;
  readonly signal: AbortSignal;
  /** What was learned before from one like it. */
  readonly learned?: Learned;
  /** Played instead of drawn ones. */
  readonly sequences?: readonly Sequence[];
}

export interface Learned {
  readonly settings: Settings;
  readonly forms: Forms | undefined;
}

export async function exploreOne(
  subject: Subject,
  options: ExploreOneOptions,
): Promise<ExploredSubject> {
  const startedMs = performance.now();
  const started = process.cpuUsage();
  const opened = await subject.open();
  try {
    const known =
      options.learned ?? (subject.settings && { settings: subject.settings, forms: undefined });
    const { settings, forms, spent, unasked } =
      known === undefined
        ? await learnFrom(opened, options)
        : { ...known, spent: 0, unasked: new Set<string>() };
    const { sequences } = options;
    const explored = await explore({
      ...{ provider: opened.provider, sender: opened.sender, settings: { ...settings } },
      ...{ models: simulatorModels(settings), unasked, forms, pacer: new Pacer() },
      ...{ seed: options.seed, requests: options.requests - spent, crowd: 8, width: 1 },
      ...{ untilMs: Number.POSITIVE_INFINITY, timeoutMs: 30_000, signal: options.signal },
      ...(sequences && { sequences }),
      firstOnly: !options.all && subject.breaks.length > 0,
    });
    const { user, system } = process.cpuUsage(started);
    return {
      ...{ id: subject.id, kind: subject.kind, breaks: subject.breaks },
      requests: explored.requests + spent,
      cpuMs: Math.round((user + system) / 1000),
      wallMs: Math.round(performance.now() - startedMs),
      ...{ sequences: explored.sequences, agreed: explored.agreed, lost: explored.lost },
      inconclusive: explored.inconclusive,
      open: Object.fromEntries(explored.open),
      operations: Object.fromEntries(explored.coverage.operations),
      found: [...explored.found, ...explored.unexplained].map((found) => ({
        ...{ title: titleOf(found), rules: found.rules, calls: found.calls },
        ...{ reproduced: found.reproduced, steps: found.sequence.steps },
        ...{ target: found.difference.target, model: found.difference.model },
      })),
    };
  } finally {
    await opened.close();
  }
}

/** As the command does: by at most half of the requests. */
export async function learnFrom(
  { provider, sender }: Opened,
  { requests, signal }: Pick<ExploreOneOptions, 'requests' | 'signal'>,
): Promise<Learned & { spent: number; unasked: ReadonlySet<string> }> {
  const observed = await observe({
    ...{ provider, sender, most: Math.floor(requests / 2), signal, timeoutMs: 30_000 },
    secret: () => {},
  });
  const { settings = defaultSettings } = parseSettings(observed.settings);
  return {
    settings,
    forms: observed,
    spent: observed.requests,
    unasked: unaskedIn(observed.settings),
  };
}
