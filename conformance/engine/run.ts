// A whole run: chooses scenarios, shows that the target is there, plays them side by side by lane,
// and gathers results.
import type { Provider, Target } from '../providers/target.ts';
import { Capture, type Line } from './capture.ts';
import { newNonce } from './fresh.ts';
import type { Need } from './needs.ts';
import { Pacer } from './pace.ts';
import { type PlayParts, play, unplayed } from './play.ts';
import { EVERYTHING, type Selection, selectedRules } from './select.ts';
import type { Sender } from './send.ts';
import { Unreachable } from './stop.ts';
import type { RuleId, Scenario, ScenarioResult } from './types.ts';

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
  const never = new AbortController();
  let requests = 0;
  const line: Line = {
    sender: parts.sender,
    pacer: new Pacer(parts.maxRate),
    timeoutMs: parts.timeoutMs ?? 30_000,
    startedAtMs,
    signal: parts.signal ?? never.signal,
    pause: parts.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    counted: () => {
      requests += 1;
    },
    secret: parts.secret ?? (() => {}),
  };
  const { results, refusedToStart } = await playAll(parts, line, seed);
  const order = new Map(parts.scenarios.map((each, index) => [each.id, index]));
  return {
    startedAt,
    durationMs: performance.now() - startedAtMs,
    seed,
    requests,
    scenarios: results.sort((a, b) => order.get(a.id)! - order.get(b.id)!),
    interrupted: line.signal.aborted,
    refusedToStart,
  };
}

async function playAll(parts: RunParts, line: Line, seed: number) {
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
  const start = chosen.length === 0 ? null : await tryTarget(parts.provider, line);
  if (start !== null) {
    for (const { scenario, rules } of chosen)
      add(unplayed(scenario, rules, start.verdict, start.why));
    return { results, refusedToStart: start.why };
  }
  await playLanes(parts, line, shuffled(chosen, seed), add);
  return { results, refusedToStart: null };
}

function missingNeeds(scenario: Scenario, provider: Provider): Need[] {
  return (scenario.needs ?? []).filter((need) => !provider.offers.has(need));
}

/**
 * Shows that something answers and takes the token, before hundreds of requests find out one by
 * one. It judges nothing: it asks for something harmless, and only a missing service or a refused
 * token counts.
 */
async function tryTarget(
  provider: Provider,
  line: Line,
): Promise<{ verdict: 'blocked' | 'inconclusive'; why: string } | null> {
  let why = '';
  for (let attempt = 1; attempt <= 3 && !line.signal.aborted; attempt += 1) {
    try {
      const target = await provider.shared();
      const credential = await target.credential(target.mainRole);
      const draft = { method: 'POST', target: '/api/v1/accounts', body: Buffer.from('{}') };
      const headers = [['content-type', 'application/json'] as const];
      const rest = { authorization: undefined, timeoutMs: undefined, unpaced: false };
      const answer = await new Capture(line).call(target.baseUrl, credential, {
        ...draft,
        headers,
        ...rest,
      });
      if (answer.source === 'service' && answer.status !== 401) return null;
      if (answer.source === 'trouble') return null;
      why =
        answer.status === 401
          ? 'the token was refused (401): check the credential'
          : `the first request met ${answer.summary}, which is not the service's own answer`;
      if (answer.status === 401) return { verdict: 'blocked', why };
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
      if (!(error instanceof Unreachable)) return { verdict: 'blocked', why };
      why = `no answer from ${line.signal.aborted ? 'the target' : 'the first request'}: ${why}`;
    }
  }
  return { verdict: 'inconclusive', why };
}

async function playLanes(
  parts: RunParts,
  line: Line,
  chosen: readonly Chosen[],
  add: (result: ScenarioResult) => void,
): Promise<void> {
  const { provider } = parts;
  const nonce = newNonce();
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
    const result = await play({ scenario, rules, line, nonce, enter });
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
export function shuffled<T>(items: readonly T[], seed: number): T[] {
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
