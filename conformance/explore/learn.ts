// Before anything is compared: how the target answers the open questions, by the scenarios of the
// judge that observe them, so that the model can be made to do the same.
import { isDeepStrictEqual } from 'node:util';
import { questions } from '../../fixtures/questions.ts';
import { defaultSettings, type SettingKey } from '../../fixtures/settings.ts';
import { runScenarios } from '../engine/run/run.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Scenario, ScenarioResult } from '../engine/types.ts';
import { observedConfig, observedRows } from '../reports/observed.ts';
import { scenarios } from '../scenarios/all.ts';
import { positionScenarios } from '../scenarios/positions/positions.ts';
import { profileScenarios } from '../scenarios/profile/profile.ts';
import { type LearnedOrders, learnedOrders } from '../scenarios/support/orders.ts';
import { briefly } from './briefly.ts';
import { formOf } from './play/position-form.ts';
import type { ScenarioOptions } from './scenario-options.ts';

export interface Learned {
  /** Settings of the simulator, by name. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What the target does and the simulator does not, in words. */
  readonly unlike: readonly string[];
  readonly requests: number;
  /** NS-1: how it takes orders; undefined where that is not known, or as the model takes them. */
  readonly orders: LearnedOrders | undefined;
}

/** Plays nothing: what is asked first of any target is all that is wanted. */
const NOTHING: Scenario = {
  id: 'explore-start',
  title: 'The target answers and takes the token',
  rules: ['ACC-1'],
  run: async () => {},
};

/** Why nothing can be asked of the target, in words; null where it answers as the API does. */
export async function findStartProblem(
  options: Omit<ScenarioOptions, 'most'>,
): Promise<string | null> {
  const run = await runScenarios({
    ...options,
    scenarios: [NOTHING],
    profileScenarios,
    confirmsAll: true,
  });
  return run.refusedToStart;
}

/** They take many requests for one question that hardly anything else depends on. */
export const TOO_DEAR = ['lim-firm', 'lim-delegated', 'hook-spellings', 'auth-token-budget'];

/** NS-2, NS-21: which reads there are, and what moves providers' money, tells of no setting. */
const TELLS_OF_NONE = ['auth-token-everywhere', 'conv-reads', 'txs-approve-withdrawal'];

const PASSED_OVER = [...TOO_DEAR, ...TELLS_OF_NONE];

/**
 * What these settings allow breaks a rule, so that a target that does it is to be found out and not
 * to be imitated.
 */
export const NEVER_LEARNED = [
  'unrecorded_refusals',
  'key_across_brands',
  'account_statuses',
  'replay_etag',
  'firm_rate_from',
  'delegated_bucket',
  'provider_withdrawals',
];

const SETTABLE: ReadonlySet<string> = new Set(
  questions.flatMap(({ id, settings }) =>
    settings.some((key) => !NEVER_LEARNED.includes(key)) ? [id] : [],
  ),
);

/**
 * In what no other answer can be tried for, such as a time or a name, comes first: where requests
 * end half-way, the rest can still show in what is compared.
 */
const FIRST = [
  ...['err-check-order', 'evt-form', 'evt-channel', 'auth-tokens-work', 'auth-token'],
  ...['acc-shape', 'acc-named-after-email', 'upd-applied', 'evt-rotation', 'evt-slow'],
  ...['idem-age-of-a-slow-answer', 'idem-not-abandoned', 'txs-cancelled-stays', 'evt-kinds'],
  'evt-progress',
];

export async function learn(options: ScenarioOptions): Promise<Learned> {
  const chosen = scenarios.filter(observes).map(briefly);
  const isFirst = ({ id }: Scenario) => FIRST.includes(id);
  return learnBy([chosen.filter(isFirst), chosen.filter((each) => !isFirst(each))], options);
}

/** What the target was not asked about, as far as these settings say. */
export function unaskedIn(settings: Learned['settings']): ReadonlySet<string> {
  return new Set(Object.keys(defaultSettings).filter((key) => !(key in settings)));
}

/** NS-1: where the answers to all else are known. */
export async function learnOrders(options: ScenarioOptions): Promise<Learned> {
  return learnBy([positionScenarios.filter(observes).map(briefly)], options);
}

/** With fewer requests than these, few scenarios at once: what is cut off half-way is lost. */
const ENOUGH = 700;
const FEW_AT_ONCE = 2;

/** The scenarios of a stage at once, one stage after the other. */
async function learnBy(
  stages: readonly (readonly Scenario[])[],
  options: ScenarioOptions,
): Promise<Learned> {
  const { provider, sender, timeoutMs, maxRate, most, signal, secret } = options;
  const learned = new Map<string, unknown>();
  const enough = new AbortController();
  const stop = () => enough.abort();
  signal.addEventListener('abort', stop, { once: true });
  let sent = 0;
  let requests = 0;
  const counting: Sender = {
    send: (wire) => {
      if (isCall(wire.url)) sent += 1;
      if (sent >= most) enough.abort();
      return sender.send(wire);
    },
    close: () => sender.close(),
  };
  const results: ScenarioResult[] = [];
  for (const stage of stages) {
    if (enough.signal.aborted) break;
    const run = await runScenarios({
      scenarios: stage,
      provider,
      sender: counting,
      timeoutMs,
      signal: enough.signal,
      secret,
      learned,
      ...(most < ENOUGH && { width: FEW_AT_ONCE }),
      ...(maxRate === undefined ? {} : { maxRate }),
    });
    requests += run.requests;
    results.push(...run.scenarios);
  }
  signal.removeEventListener('abort', stop);
  const { config, dropped } = observedConfig(observedRows(stages.flat(), results));
  const settings = Object.entries(config.settings);
  const isBroken = ([key, value]: readonly [string, unknown]) =>
    NEVER_LEARNED.includes(key) && !isDeepStrictEqual(value, defaultSettings[key as SettingKey]);
  const orders = formOf(learnedOrders(learned));
  return {
    settings: Object.fromEntries(settings.filter(([key]) => !NEVER_LEARNED.includes(key))),
    unlike: [
      ...dropped,
      ...settings.filter(isBroken).map(([key, value]) => `${key} ${said(value)}, against a rule`),
      ...(orders === undefined ? [] : ['NS-1: orders are taken in another form']),
    ],
    requests: Math.max(sent, requests),
    orders,
  };
}

/** Whether it may teach a setting; of a question that has none nothing is learned. */
function observes({ id, observes: asked = [] }: Scenario): boolean {
  return asked.some((question) => SETTABLE.has(question)) && !PASSED_OVER.includes(id);
}

const said = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const isCall = (url: string): boolean => url.includes('/api/v1/');
