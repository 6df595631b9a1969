// A whole run: chooses scenarios, shows that the target is there, plays them side by side by lane,
// and gathers results.
import { setMaxListeners } from 'node:events';
import type { Provider, Target } from '../providers/target.ts';
import { attribute, unexamined } from './attribute.ts';
import type { Line } from './capture.ts';
import { tryTarget } from './first.ts';
import { newNonce } from './fresh.ts';
import type { Need } from './needs.ts';
import { Pacer } from './pace.ts';
import { type PlayParts, play, unplayed } from './play.ts';
import { EVERYTHING, type Selection, selectedRules } from './select.ts';
import type { Sender } from './send.ts';
import { Turns } from './turns.ts';
import type { RuleId, Scenario, ScenarioResult } from './types.ts';
import { WATCHED_RULES, Watch } from './watch.ts';

export interface RunParts {
  readonly scenarios: readonly Scenario[];
  readonly provider: Provider;
  readonly sender: Sender;
  readonly selection?: Selection;
  /** Decides the order; the names of what is made are new each time whatever the seed. */
  readonly seed?: number;
  readonly timeoutMs?: number;
  /** Caps every rate, in requests a second. */
  readonly maxRate?: number;
  /** Scenarios in play at once. */
  readonly width?: number;
  readonly signal?: AbortSignal;
  /** How waits by the wall pass; tests hurry them. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly secret?: (value: string) => void;
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
}

/** After this many scenarios in a row without an answer the target is taken to be gone. */
const GONE_AFTER = 8;

interface Chosen {
  readonly scenario: Scenario;
  readonly rules: readonly RuleId[];
}

export async function runScenarios(parts: RunParts): Promise<RunResult> {
  const seed = parts.seed ?? 1;
  const startedAt = new Date().toISOString();
  const startedAtMs = performance.now();
  const signal = parts.signal ?? new AbortController().signal;
  // Every scenario that waits listens to it.
  setMaxListeners(0, signal);
  const mark = newNonce();
  let requests = 0;
  const line: Line = {
    sender: parts.sender,
    pacer: new Pacer(parts.maxRate),
    timeoutMs: parts.timeoutMs ?? 30_000,
    startedAtMs,
    signal,
    cut: whenStopped(signal),
    pause: parts.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    counted: () => {
      requests += 1;
    },
    secret: parts.secret ?? (() => {}),
    watch: new Watch(),
    turns: new Turns(),
  };
  line.turns.start();
  const { results, refusedToStart } = await playAll(parts, line, mark, seed).finally(() =>
    line.turns.stop(),
  );
  const order = new Map(parts.scenarios.map((each, index) => [each.id, index]));
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    seed,
    mark,
    requests,
    scenarios: results.sort((a, b) => order.get(a.id)! - order.get(b.id)!),
    interrupted: line.signal.aborted,
    refusedToStart,
  };
}

/** What is under way when a run is interrupted may still be answered for so long. */
const GRACE_MS = 2_000;

function whenStopped(signal: AbortSignal): AbortSignal {
  const cut = new AbortController();
  const later = () => setTimeout(() => cut.abort(), GRACE_MS).unref();
  if (signal.aborted) later();
  else signal.addEventListener('abort', later, { once: true });
  return cut.signal;
}

async function playAll(parts: RunParts, line: Line, mark: string, seed: number) {
  const results: ScenarioResult[] = [];
  const chosen: Chosen[] = [];
  const total = parts.scenarios.length;
  const add = (result: ScenarioResult) => {
    results.push(result);
    parts.onResult?.(result, results.length, total);
  };
  for (const scenario of parts.scenarios) {
    const rules = selectedRules(scenario, parts.selection ?? EVERYTHING);
    const missing = missingNeeds(scenario, parts.provider);
    if (rules.length === 0) add(unplayed(scenario, [], 'not_tested', 'not selected'));
    else if (missing.length > 0) {
      add(unplayed(scenario, rules, 'not_tested', 'the target offers too little', missing));
    } else chosen.push({ scenario, rules });
  }
  const start = chosen.length === 0 ? null : await tryTarget(parts.provider, line, mark);
  if (start !== null) {
    for (const { scenario, rules } of chosen)
      add(unplayed(scenario, rules, start.verdict, start.why));
    return { results, refusedToStart: start.why };
  }
  await playLanes(parts, line, mark, shuffled(chosen, seed), add);
  return { results: attribute(await examined(parts, line, mark, results)), refusedToStart: null };
}

/**
 * Before a rule is blamed, whatever its evidence takes for granted is looked at as well, though
 * nobody selected it; what was left out on purpose (`--skip`) stays out.
 */
async function examined(
  parts: RunParts,
  line: Line,
  mark: string,
  results: readonly ScenarioResult[],
): Promise<readonly ScenarioResult[]> {
  const presumed = unexamined(results);
  const chosen = parts.scenarios
    .filter((each) => missingNeeds(each, parts.provider).length === 0)
    .filter((each) => {
      const rules = selectedRules(each, { only: [], skip: parts.selection?.skip ?? [] });
      return rules.some((rule) => presumed.includes(rule));
    })
    .map((scenario) => ({ scenario, rules: [] }));
  if (chosen.length === 0 || line.signal.aborted) return results;
  const further = new Map<string, ScenarioResult>();
  await playLanes(parts, line, mark, chosen, (result) => further.set(result.id, result));
  return results.map((each) => (each.attempts > 0 ? each : (further.get(each.id) ?? each)));
}

function missingNeeds(scenario: Scenario, provider: Provider): Need[] {
  return (scenario.needs ?? []).filter((need) => !provider.offers.has(need));
}

async function playLanes(
  parts: RunParts,
  line: Line,
  nonce: string,
  chosen: readonly Chosen[],
  add: (result: ScenarioResult) => void,
): Promise<void> {
  const { provider } = parts;
  const shared = await provider.shared();
  const width = parts.width ?? (shared.disposable ? 12 : 6);
  let silent = 0;
  const one = async ({ scenario, rules }: Chosen) => {
    if (line.signal.aborted) {
      return add(unplayed(scenario, rules, 'not_tested', 'the run was interrupted'));
    }
    if (silent >= GONE_AFTER) {
      return add(unplayed(scenario, rules, 'inconclusive', 'the target stopped answering'));
    }
    const own = (scenario.lane ?? 'shared') !== 'shared';
    const enter: PlayParts['enter'] = own ? () => enterOwn(provider) : async () => stay(shared);
    const watchful = { ...scenario, rules: WATCHED_RULES };
    const watched = selectedRules(watchful, parts.selection ?? EVERYTHING);
    const result = await play({ scenario, rules, watched, line, nonce, enter });
    const calls = result.exchanges.filter((each) => each.kind === 'call');
    silent = calls.length > 0 && calls.every((each) => each.response === null) ? silent + 1 : 0;
    add(result);
  };
  const lane = (name: string) =>
    chosen.filter(({ scenario }) => (scenario.lane ?? 'shared') === name);
  if (provider.worlds) {
    // Worlds cannot disturb each other. Long ones first, so that none is left over at the end.
    await pool([...lane('limits'), ...lane('own_world'), ...lane('shared')], width, one);
    return;
  }
  await pool(lane('shared'), width, one);
  await pool(lane('own_world'), 1, one);
  await pool(lane('limits'), 1, one);
}

async function enterOwn(provider: Provider) {
  const target = await provider.own();
  return { target, leave: () => target.close() };
}

function stay(target: Target) {
  return { target, leave: async () => {} };
}

async function pool<T>(items: readonly T[], width: number, each: (item: T) => Promise<void>) {
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

/** The same order for the same seed, another for another (mulberry32 and Fisher-Yates). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const deck = [...items];
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  for (let at = deck.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [deck[at], deck[other]] = [deck[other]!, deck[at]!];
  }
  return deck;
}
