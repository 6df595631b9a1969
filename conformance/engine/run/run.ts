// A whole run: tries what the target offers, chooses scenarios, plays them side by side by lane, and
// gathers results.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../../fixtures/random.ts';
import type { Provider, Target } from '../../providers/target.ts';
import { attribute, unexamined } from '../judge/attribute.ts';
import { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import { Pacer } from '../pace/pacer.ts';
import { Reachability } from '../pace/reachability.ts';
import { AnswerMonitor, MONITORED_RULES } from '../record/answer-monitor.ts';
import { GONE, type RunContext } from '../record/exchange-recorder.ts';
import { newMark } from '../scenario/fresh-values.ts';
import type { Sender } from '../send/sender.ts';
import type { Scenario, ScenarioResult } from '../types.ts';
import { type Crash, reportCrashes } from './crashes.ts';
import { ExpiredTokens } from './expired-tokens.ts';
import { notPlayed, type PlayOptions, playScenario } from './play-scenario.ts';
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
  /** Played before all others; parts of the profile that do not work are withdrawn. */
  readonly profileScenarios?: readonly Scenario[];
  /** Tries every part of the profile, needed or not. */
  readonly confirmsAll?: boolean;
  readonly provider: Provider;
  readonly sender: Sender;
  readonly selection?: Selection;
  /** Decides the order of the scenarios. Names of records are new in every run. */
  readonly seed?: number;
  /** Part of every name that the run makes; new by default. */
  readonly mark?: string;
  readonly timeoutMs?: number;
  /** Caps every rate, in requests a second. */
  readonly maxRate?: number;
  /** Scenarios in play at once. */
  readonly width?: number;
  readonly signal?: AbortSignal;
  /** Waits in real time; tests replace it. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly secret?: (value: string) => void;
  /** What scenarios find out for each other, so that it is not asked again. */
  readonly learned?: Map<string, unknown>;
  readonly onResult?: (result: ScenarioResult, done: number, total: number) => void;
}

export interface RunResult {
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  /** In every reference, key and email that the run made. */
  readonly mark: string;
  readonly requests: number;
  readonly scenarios: readonly ScenarioResult[];
  readonly interrupted: boolean;
  /** Why nothing was tried, when the first request already failed. */
  readonly refusedToStart: string | null;
  /** Each kind of request that never gets an answer of the API. */
  readonly crashes?: readonly Crash[];
}

/** After this many scenarios in a row without an answer the target counts as gone. */
const GONE_AFTER = 8;

export async function runScenarios(options: ScenarioRunOptions): Promise<RunResult> {
  const seed = options.seed ?? 1;
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const signal = options.signal ?? new AbortController().signal;
  // Every scenario that waits listens to it.
  setMaxListeners(0, signal);
  const mark = options.mark ?? newMark();
  let requests = 0;
  const runContext: RunContext = {
    sender: options.sender,
    pacer: new Pacer(options.maxRate),
    timeoutMs: options.timeoutMs ?? 30_000,
    startedAtMs,
    signal,
    abandonSignal: whenStopped(signal),
    // A wait that was cut short does not keep the process alive.
    pause: options.pause ?? ((ms) => sleep(ms, undefined, { signal }).catch(() => undefined)),
    onRequest: () => {
      requests += 1;
    },
    onSecret: options.secret ?? (() => {}),
    learned: options.learned ?? new Map(),
    answerMonitor: new AnswerMonitor(),
    eventLoop: new EventLoopMonitor(),
    reachability: new Reachability(),
  };
  runContext.eventLoop.start();
  const { results: played, refusedToStart } = await playAll(
    options,
    runContext,
    mark,
    seed,
  ).finally(() => runContext.eventLoop.stop());
  const { results, crashes } = reportCrashes(played);
  const order = new Map(options.scenarios.map((each, index) => [each.id, index]));
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    seed,
    mark,
    requests,
    scenarios: [...results].sort((a, b) => order.get(a.id)! - order.get(b.id)!),
    interrupted: runContext.signal.aborted,
    refusedToStart,
    crashes,
  };
}

/** How long requests in flight may still be answered after an interruption. */
const GRACE_MS = 2_000;

function whenStopped(signal: AbortSignal): AbortSignal {
  const cut = new AbortController();
  const later = () => setTimeout(() => cut.abort(), GRACE_MS).unref();
  if (signal.aborted) later();
  else signal.addEventListener('abort', later, { once: true });
  return cut.signal;
}

async function playAll(
  options: ScenarioRunOptions,
  runContext: RunContext,
  mark: string,
  seed: number,
) {
  const { scenarios, selection = EVERYTHING, provider } = options;
  const refusedToStart = await confirm(options, runContext, mark);
  const { offers, lost } = provider;
  const { chosen, left } = chooseScenarios({ scenarios, selection, offers, lost });
  const results: ScenarioResult[] = [...left];
  const add = (result: ScenarioResult) => {
    results.push(result);
    options.onResult?.(result, results.length - left.length, chosen.length);
  };
  if (refusedToStart !== null && chosen.length > 0) {
    const { verdict, why } = refusedToStart;
    for (const { scenario, rules } of chosen) add(notPlayed(scenario, rules, verdict, why));
    return { results, refusedToStart: why };
  }
  await playLanes(options, runContext, mark, new Random(seed).shuffled(chosen), add);
  return {
    results: attribute(await examined(options, runContext, mark, results)),
    refusedToStart: null,
  };
}

/**
 * Plays the profile family: each scenario whose part is needed. What is of no use is withdrawn with
 * a note. Gives the reason if the run cannot start.
 */
async function confirm(
  options: ScenarioRunOptions,
  runContext: RunContext,
  mark: string,
): Promise<{ verdict: 'blocked' | 'inconclusive'; why: string } | null> {
  const { provider, selection = EVERYTHING, profileScenarios = [] } = options;
  const needed = neededCapabilities(options.scenarios, selection);
  for (const scenario of profileScenarios) {
    const { confirms: part } = scenario;
    const isNeeded = part === undefined || options.confirmsAll === true || needed.has(part);
    if (!isNeeded || (part !== undefined && !provider.offers.has(part))) continue;
    if (part !== undefined && !provider.confirmable) continue;
    if (runContext.signal.aborted) return { verdict: 'inconclusive', why: INTERRUPTED };
    const enter = () => provider.shared().then(stay);
    const about = { scenario, rules: [], watched: [], unskipped: [] };
    const { ending, why, missing } = await playScenario({ ...about, runContext, mark, enter });
    for (const each of missing) provider.withdraw(each, why ?? 'is of no use');
    const isBad = part === undefined && (ending === 'blocked' || ending === 'inconclusive');
    if (isBad) return { verdict: ending, why: why ?? '' };
  }
  return null;
}

const INTERRUPTED = 'the run was interrupted';

/**
 * Also plays the scenarios of rules that evidence against another rule presumes, even if they were
 * not selected; what was left out on purpose (`--skip`) stays out.
 */
async function examined(
  options: ScenarioRunOptions,
  runContext: RunContext,
  mark: string,
  results: readonly ScenarioResult[],
): Promise<readonly ScenarioResult[]> {
  const presumed = unexamined(results);
  const chosen = options.scenarios
    .filter((each) => missingCapabilities(each, options.provider.offers).length === 0)
    .filter((each) => {
      const rules = selectedRules(each, { only: [], skip: options.selection?.skip ?? [] });
      return rules.some((rule) => presumed.includes(rule));
    })
    .map((scenario) => ({ scenario, rules: [] }));
  if (chosen.length === 0 || runContext.signal.aborted) return results;
  const further = new Map<string, ScenarioResult>();
  await playLanes(options, runContext, mark, chosen, (result) => further.set(result.id, result));
  return results.map((each) => (each.attempts > 0 ? each : (further.get(each.id) ?? each)));
}

async function playLanes(
  options: ScenarioRunOptions,
  runContext: RunContext,
  mark: string,
  chosen: readonly SelectedScenario[],
  add: (result: ScenarioResult) => void,
): Promise<void> {
  const { provider } = options;
  const shared = await provider.shared();
  const width = options.width ?? (shared.disposable ? 12 : 6);
  const tokens = new ExpiredTokens(runContext, mark);
  let silent = 0;
  const one = async ({ scenario, rules }: SelectedScenario) => {
    if (runContext.signal.aborted) {
      return add(notPlayed(scenario, rules, 'not_tested', INTERRUPTED));
    }
    if (silent >= GONE_AFTER || runContext.reachability.isGone) {
      return add(notPlayed(scenario, rules, 'inconclusive', GONE));
    }
    const expired = tokens.whyExpired(scenario, shared);
    if (expired !== undefined) {
      return add(notPlayed(scenario, rules, 'inconclusive', expired));
    }
    const own = (scenario.lane ?? 'shared') !== 'shared';
    const enter: PlayOptions['enter'] = own ? () => enterOwn(provider) : async () => stay(shared);
    const watchful = { ...scenario, rules: MONITORED_RULES };
    const selection = options.selection ?? EVERYTHING;
    const watched = selectedRules(watchful, selection);
    const unskipped = selectedRules(watchful, { ...selection, only: [] });
    const about = { scenario, rules, watched, unskipped };
    const result = await playScenario({ ...about, runContext, mark, enter });
    const calls = result.exchanges.filter((each) => each.kind === 'call');
    silent = calls.length > 0 && calls.every((each) => each.response === null) ? silent + 1 : 0;
    add(await tokens.review(result, shared));
  };
  const lane = (name: string) =>
    chosen.filter(({ scenario }) => (scenario.lane ?? 'shared') === name);
  if (provider.worlds) {
    // Worlds cannot disturb each other. Long ones first, so that none is left over at the end.
    await runConcurrently([...lane('limits'), ...lane('own_world'), ...lane('shared')], width, one);
    return;
  }
  await runConcurrently(lane('shared'), width, one);
  await runConcurrently(lane('own_world'), 1, one);
  await runConcurrently(lane('limits'), 1, one);
}

async function enterOwn(provider: Provider) {
  const target = await provider.own();
  return { target, leave: () => target.close() };
}

function stay(target: Target) {
  return { target, leave: async () => {} };
}

async function runConcurrently<T>(
  items: readonly T[],
  width: number,
  each: (item: T) => Promise<void>,
) {
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const item = items[next]!;
      next += 1;
      await each(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}
