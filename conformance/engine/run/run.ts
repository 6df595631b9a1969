// A whole run: checks what the target offers, selects scenarios, plays them concurrently by lane, and
// collects results.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../fixtures/random.ts';
import type { Provider } from '../../providers/target.ts';
import type { Capability } from '../capabilities.ts';
import { type Lane, laneOf } from '../capabilities.ts';
import { attribute, followRefusals, unexamined } from '../judge/attribute.ts';
import { notPlayed } from '../judge/verdicts.ts';
import { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import { Pacer } from '../pace/pacer.ts';
import { Reachability } from '../pace/reachability.ts';
import { AnswerMonitor } from '../record/answer-monitor.ts';
import { GONE, INTERRUPTED, type RunContext } from '../record/exchange-recorder.ts';
import { newMark } from '../scenario/fresh-values.ts';
import type { Sender } from '../send/sender.ts';
import type { Scenario, ScenarioResult } from '../types.ts';
import { type Crash, reportCrashes } from './crashes.ts';
import { playScenario } from './play-scenario.ts';
import {
  chooseScenarios,
  EVERYTHING,
  missingCapabilities,
  neededCapabilities,
  type SelectedScenario,
  type Selection,
  selectedRules,
} from './select.ts';

export interface ScenarioRunOptions {
  readonly scenarios: readonly Scenario[];
  /** Played before all others; broken parts of the profile are withdrawn. */
  readonly profileScenarios?: readonly Scenario[];
  /** Checks every part of the profile, even if no scenario needs it. */
  readonly confirmsAll?: boolean;
  readonly provider: Provider;
  readonly sender: Sender;
  readonly selection?: Selection;
  /** Decides the order of the scenarios. Names of records are new in every run. */
  readonly seed?: number;
  /** Part of every name that the run creates; new by default. */
  readonly mark?: string;
  readonly timeoutMs?: number;
  /** Limits every rate, in requests a second. */
  readonly maxRate?: number;
  /** Scenarios that run concurrently. */
  readonly width?: number;
  readonly signal?: AbortSignal;
  /** Waits in real time, or until the run is interrupted; tests replace it. */
  readonly pause?: (ms: number) => Promise<void>;
  /** Called with every secret in a response, so that reports redact it. */
  readonly secret?: (value: string) => void;
  /** Facts that scenarios share, so that each is requested only once. */
  readonly learned?: Map<string, unknown>;
  /** Holds the ids of scenarios while they run. */
  readonly running?: Set<string>;
  /** Called when the target has answered the requests that start every run. */
  readonly onStart?: () => void;
  readonly onResult?: (result: ScenarioResult, done: number, total: number) => void;
}

export interface RunResult {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  /** Part of every reference, key and email that the run created. */
  readonly mark: string;
  readonly scenarios: readonly ScenarioResult[];
  readonly interrupted: boolean;
  /** Why no scenario ran, if the first request failed. */
  readonly refusedToStart: string | null;
  /** Each kind of request that never gets an answer of the API. */
  readonly crashes?: readonly Crash[];
}

/** The default number of concurrent scenarios: on one target, and in worlds of a control plane. */
export const WIDTH = { profile: 6, control: 12 } as const;
/** How long requests in flight may still be answered after an interruption. */
const GRACE_MS = 2_000;

export async function runScenarios(options: ScenarioRunOptions): Promise<RunResult> {
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const { signal = new AbortController().signal } = options;
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  // Every waiting scenario listens to it.
  setMaxListeners(0, signal, over);
  const { seed = 1, mark = newMark() } = options;
  const context: RunContext = {
    selection: EVERYTHING,
    timeoutMs: 30_000,
    // A wait does not keep the process alive once the run is over.
    pause: (ms) => sleep(ms, undefined, { signal: over }).catch(() => undefined),
    secret: () => {},
    learned: new Map(),
    ...options,
    ...{ signal, mark, startedAtMs },
    pacer: new Pacer(options.maxRate),
    abandonSignal: whenStopped(signal),
    expired: new Set(),
    failedSetups: new Map(),
    answerMonitor: new AnswerMonitor(),
    eventLoop: new EventLoopMonitor(),
    reachability: new Reachability(),
  };
  context.eventLoop.start();
  const played = await playAll(options, context, seed).finally(() => {
    context.eventLoop.stop();
    ended.abort();
  });
  const { results: judged, crashes } = reportCrashes(played.results);
  const results = followRefusals(judged);
  const order = new Map(options.scenarios.map((each, index) => [each.id, index]));
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    seed,
    mark,
    scenarios: results.sort((a, b) => order.get(a.id)! - order.get(b.id)!),
    interrupted: signal.aborted,
    refusedToStart: played.refusedToStart,
    crashes,
  };
}

/** Aborts some time after another signal. */
function whenStopped(signal: AbortSignal): AbortSignal {
  const cut = new AbortController();
  const later = () => setTimeout(() => cut.abort(), GRACE_MS).unref();
  if (signal.aborted) later();
  else signal.addEventListener('abort', later, { once: true });
  return cut.signal;
}

/** The scenarios of one run, in the order and the lanes in which they may run. */
async function playAll(options: ScenarioRunOptions, context: RunContext, seed: number) {
  const { scenarios, onResult } = options;
  const { provider, selection, signal, reachability } = context;

  /**
   * Plays the scenarios of the profile family for the parts that are needed. Broken parts are
   * withdrawn with a note. Returns the reason if the run cannot start.
   */
  async function confirmProfile() {
    const { profileScenarios = [], confirmsAll = false } = options;
    const needed = neededCapabilities(scenarios, selection);
    const isTried = (part: Capability) =>
      provider.withdraw && provider.offers.has(part) && (confirmsAll || needed.has(part));
    for (const scenario of profileScenarios) {
      const { confirms: part } = scenario;
      if (part !== undefined && !isTried(part)) continue;
      if (signal.aborted) return { verdict: 'inconclusive', why: INTERRUPTED } as const;
      const { ending, why, missing } = await playScenario({ scenario, rules: [] }, context);
      for (const each of missing) provider.withdraw?.(each, why ?? 'is of no use');
      if (part === undefined && (ending === 'blocked' || ending === 'inconclusive')) {
        return { verdict: ending, why: why ?? '' };
      }
    }
    return null;
  }

  async function playOne(each: SelectedScenario): Promise<ScenarioResult> {
    const { scenario, rules } = each;
    if (signal.aborted) return notPlayed(scenario, rules, 'not_tested', INTERRUPTED);
    if (reachability.isGone) return notPlayed(scenario, rules, 'inconclusive', GONE);
    options.running?.add(scenario.id);
    const result = await playScenario(each, context);
    options.running?.delete(scenario.id);
    const calls = result.exchanges.filter(({ kind }) => kind === 'call');
    const isSilent = calls.length > 0 && calls.every(({ response }) => response === null);
    if (isSilent) reachability.noteSilentScenario();
    return result;
  }

  async function playLanes(
    chosen: readonly SelectedScenario[],
    add: (result: ScenarioResult) => void,
  ): Promise<void> {
    const { disposable } = await provider.shared();
    const width = options.width ?? WIDTH[disposable ? 'control' : 'profile'];
    const one = async (each: SelectedScenario) => add(await playOne(each));
    const lane = (name: Lane) => chosen.filter(({ scenario }) => laneOf(scenario) === name);
    if (provider.worlds) {
      // Worlds cannot disturb each other. Long scenarios first, so that none is left at the end.
      const all = [...lane('limits'), ...lane('own_world'), ...lane('shared')];
      return runConcurrently(all, width, one);
    }
    await runConcurrently(lane('shared'), width, one);
    await runConcurrently([...lane('own_world'), ...lane('limits')], 1, one);
  }

  /**
   * Also plays the scenarios of rules that a finding presumes, even if they were not selected.
   * Rules excluded by the user (`--skip`) are not played.
   */
  async function examine(results: readonly ScenarioResult[]): Promise<readonly ScenarioResult[]> {
    const presumed = unexamined(results);
    const { skip } = selection;
    const isPresumed = (each: Scenario) =>
      selectedRules(each, { only: [], skip }).some((rule) => presumed.includes(rule));
    const chosen = scenarios
      .filter((each) => missingCapabilities(each, provider.offers).length === 0 && isPresumed(each))
      .map((scenario) => ({ scenario, rules: [] }));
    if (chosen.length === 0 || signal.aborted) return results;
    const further = new Map<string, ScenarioResult>();
    await playLanes(chosen, (result) => further.set(result.id, result));
    return results.map((each) => (each.attempts > 0 ? each : (further.get(each.id) ?? each)));
  }

  const refusal = await confirmProfile();
  const { chosen, left } = chooseScenarios(scenarios, selection, provider);
  if (refusal === null) options.onStart?.();
  const results: ScenarioResult[] = [...left];
  const add = (result: ScenarioResult) => {
    results.push(result);
    onResult?.(result, results.length - left.length, chosen.length);
  };
  if (refusal !== null && chosen.length > 0) {
    const { verdict, why } = refusal;
    for (const { scenario, rules } of chosen) add(notPlayed(scenario, rules, verdict, why));
    return { results, refusedToStart: why };
  }
  await playLanes(new Random(seed).shuffled(chosen), add);
  return { results: attribute(await examine(results)), refusedToStart: null };
}

async function runConcurrently<T>(
  items: readonly T[],
  width: number,
  each: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await each(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}
