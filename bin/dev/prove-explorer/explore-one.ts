// Explores one subject, and says what came of it.
import { Pacer } from '../../../conformance/engine/pace/pacer.ts';
import type { Idea } from '../../../conformance/explore/draw/idea.ts';
import { explore } from '../../../conformance/explore/explore.ts';
import { rulesFor } from '../../../conformance/explore/findings/rules.ts';
import { titleOf } from '../../../conformance/explore/findings/title.ts';
import { learn, unaskedIn } from '../../../conformance/explore/learn.ts';
import type { Sequence, Step } from '../../../conformance/explore/sequence.ts';
import type { LearnedOrders } from '../../../conformance/scenarios/support/orders.ts';
import { defaultSettings, parseSettings, type Settings } from '../../../fixtures/settings.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';
import type { Opened } from './live.ts';
import type { Subject } from './subjects.ts';

export interface Explored {
  readonly id: string;
  readonly kind: string;
  readonly breaks: readonly string[];
  readonly requests: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly sequences: number;
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
  /** Settings learned before from one like it. */
  readonly learned?: Settings;
  readonly orders?: LearnedOrders | undefined;
  /** Played in place of drawn ones. */
  readonly sequence?: Sequence;
  /** Calls of each sequence; mostly few unless given. */
  readonly length?: number;
  /** What is drawn from: every idea there is, unless given. */
  readonly ideas?: readonly Idea[];
}

export async function exploreOne(subject: Subject, options: ExploreOneOptions): Promise<Explored> {
  const startedMs = performance.now();
  const started = process.cpuUsage();
  const opened = await subject.open();
  try {
    const known = subject.settings ?? options.learned;
    const { settings, spent, orders, unasked } =
      known === undefined
        ? await learnFrom(opened, options)
        : { settings: known, spent: 0, orders: options.orders, unasked: new Set<string>() };
    const explored = await explore({
      provider: opened.provider,
      sender: opened.sender,
      makeModel: (wanted) => simulatorModel({ ...settings, ...wanted }),
      settings: { ...settings },
      unasked,
      ...(orders && { orders }),
      seed: options.seed,
      requests: options.requests - spent,
      untilMs: Number.POSITIVE_INFINITY,
      timeoutMs: 30_000,
      signal: options.signal,
      pacer: new Pacer(),
      crowd: 8,
      width: 1,
      ...(options.sequence && { sequences: [options.sequence] }),
      ...(options.length && { length: options.length }),
      ...(options.ideas && { ideas: options.ideas }),
      firstOnly: !options.all && subject.breaks.length > 0,
    });
    const { user, system } = process.cpuUsage(started);
    return {
      id: subject.id,
      kind: subject.kind,
      breaks: subject.breaks,
      requests: explored.requests + spent,
      cpuMs: Math.round((user + system) / 1000),
      wallMs: Math.round(performance.now() - startedMs),
      sequences: explored.sequences,
      inconclusive: explored.inconclusive,
      open: Object.fromEntries(explored.open),
      operations: Object.fromEntries(explored.coverage.operations),
      found: explored.found.map((found) => ({
        title: titleOf(found),
        rules: rulesFor(found),
        calls: found.calls,
        reproduced: found.reproduced,
        target: found.difference.target,
        model: found.difference.model,
        steps: found.sequence.steps,
      })),
    };
  } finally {
    await opened.close();
  }
}

export interface LearnedOnce {
  readonly settings: Settings;
  readonly orders: LearnedOrders | undefined;
}

/** As the command does: by at most half of the requests. */
export async function learnFrom(
  { provider, sender }: Opened,
  { requests, signal }: Pick<ExploreOneOptions, 'requests' | 'signal'>,
): Promise<LearnedOnce & { spent: number; unasked: ReadonlySet<string> }> {
  const most = Math.floor(requests / 2);
  const learned = await learn({
    ...{ provider, sender, most, signal, timeoutMs: 30_000 },
    secret: () => {},
  });
  const { settings = defaultSettings } = parseSettings(learned.settings);
  const { requests: spent, orders } = learned;
  return { settings, spent, orders, unasked: unaskedIn(learned.settings) };
}
