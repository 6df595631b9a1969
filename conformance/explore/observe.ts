// Before anything is compared: how the target answers the open questions, by the judge's own
// scenarios that observe them. This is the explorer's one door to the scenarios of the judge.
import { questions } from '../../fixtures/questions.ts';
import { defaultSettings } from '../../fixtures/settings.ts';
import { runScenarios } from '../engine/run/run.ts';
import type { TokenForm } from '../engine/send/call.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Scenario, ScenarioResult } from '../engine/types.ts';
import type { Provider } from '../providers/target.ts';
import { observedConfig, observedRows } from '../reports/observed.ts';
import { scenarios } from '../scenarios/all.ts';
import { profileScenarios } from '../scenarios/profile/profile.ts';
import { type LearnedOrders, learnedOrders } from '../scenarios/support/orders.ts';
import { OPERATIONS } from '../spec/operations.ts';
import { jsonOf } from './play/outcome.ts';
import { formOf } from './play/position-form.ts';
import { TOKEN_FORMS, tokenIn, tokenRequest } from './play/token-form.ts';

export { numberNames, sequenceAt } from '../scenarios/delivery/envelopes.ts';
export { expectedMac, signatureOf, valuesAt } from '../scenarios/delivery/signatures.ts';
export type { LearnedOrders };

export interface ObserveOptions {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly timeoutMs: number;
  readonly maxRate?: number;
  /** No more requests than so many: what is left is not asked. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly secret: (value: string) => void;
}

/** How a target takes what the specification leaves to it. */
export interface Forms {
  /** NS-1: how it takes orders, if that is another form than the model's. */
  readonly orders: LearnedOrders | undefined;
  /** NS-1: whether orders can be sent: a live target takes those of its profile alone. */
  readonly hasOrders: boolean;
  /** NS-8: how it takes requests for tokens; undefined if none was taken. */
  readonly tokenForm: TokenForm | undefined;
}

export interface Observed extends Forms {
  /** Settings of the simulator, by name. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly requests: number;
}

/** Plays nothing: what is asked first of any target is all that is wanted. */
const NOTHING: Scenario = {
  id: 'explore-start',
  title: 'The target answers and takes the token',
  rules: ['ACC-1'],
  run: async () => {},
};

/** Why nothing can be asked of the target, in words; null if it answers as the API does. */
export async function findStartProblem(
  options: Omit<ObserveOptions, 'most'>,
): Promise<string | null> {
  const plan = { scenarios: [NOTHING], profileScenarios, confirmsAll: true };
  return (await runScenarios({ ...options, ...plan })).refusedToStart;
}

/** They take many requests for one question that hardly anything else depends on. */
const TOO_DEAR = ['lim-firm', 'lim-delegated', 'hook-spellings', 'auth-token-budget'];
/** NS-2, NS-21: which reads there are, and what moves providers' money, decide no setting. */
const TELLS_OF_NONE = ['auth-token-everywhere', 'conv-reads', 'txs-approve-withdrawal'];
const PASSED_OVER = [...TOO_DEAR, ...TELLS_OF_NONE];

/** Settings that allow what breaks a rule: a target that does so is found out, not imitated. */
export const NEVER_LEARNED: readonly string[] = [
  ...['unrecorded_refusals', 'key_across_brands', 'account_statuses', 'replay_etag'],
  ...['firm_rate_from', 'delegated_bucket', 'provider_withdrawals'],
];

const SETTABLE: ReadonlySet<string> = new Set(
  questions.flatMap(({ id, settings }) =>
    settings.some((key) => !NEVER_LEARNED.includes(key)) ? [id] : [],
  ),
);

/**
 * Settings that no other answer can be tried for later, such as a time or a name, are asked first:
 * if requests end half-way, the rest can still show in what is compared.
 */
const FIRST = [
  ...['err-check-order', 'evt-form', 'evt-channel', 'auth-tokens-work', 'auth-token'],
  ...['acc-shape', 'acc-named-after-email', 'upd-applied', 'evt-rotation', 'evt-slow'],
  ...['idem-age-of-a-slow-answer', 'idem-not-abandoned', 'txs-cancelled-stays', 'evt-kinds'],
  'evt-progress',
];

/** With fewer requests than these, few scenarios at once: what is cut off half-way is lost. */
const ENOUGH = 700;
const FEW_AT_ONCE = 2;

/** Whether it may teach a setting; of a question that has none nothing is learned. */
const observes = ({ id, observes: asked = [] }: Scenario): boolean =>
  asked.some((question) => SETTABLE.has(question)) && !PASSED_OVER.includes(id);

export function observe(options: ObserveOptions): Promise<Observed> {
  const chosen = scenarios.filter(observes);
  const isFirst = ({ id }: Scenario) => FIRST.includes(id);
  return observeBy([chosen.filter(isFirst), chosen.filter((each) => !isFirst(each))], options);
}

/** The forms of requests alone, if the answers to all else are known. */
export const observeForms = (options: ObserveOptions): Promise<Observed> =>
  observeBy([scenarios.filter((each) => observes(each) && each.id.startsWith('pos-'))], options);

/** What the target was not asked about, as far as these settings say. */
export const unaskedIn = (settings: Observed['settings']): ReadonlySet<string> =>
  new Set(Object.keys(defaultSettings).filter((key) => !(key in settings)));

/** The scenarios of a stage at the same time, one stage after the other. */
async function observeBy(
  stages: readonly (readonly Scenario[])[],
  options: ObserveOptions,
): Promise<Observed> {
  const { provider, sender, most, signal, ...rest } = options;
  const learned = new Map<string, unknown>();
  const enough = new AbortController();
  const stop = () => enough.abort();
  signal.addEventListener('abort', stop, { once: true });
  let requests = 0;
  const counting: Sender = {
    ...sender,
    send: (wire) => {
      if (wire.url.includes('/api/v1/')) requests += 1;
      if (requests >= most) enough.abort();
      return sender.send(wire);
    },
    close: () => sender.close(),
  };
  const width = most < ENOUGH ? { width: FEW_AT_ONCE } : {};
  const given = { ...rest, ...width, provider, sender: counting, learned };
  const results: ScenarioResult[] = [];
  for (const stage of stages) {
    if (enough.signal.aborted || stage.length === 0) continue;
    const run = await runScenarios({ ...given, scenarios: stage, signal: enough.signal });
    results.push(...run.scenarios);
  }
  const tokenForm = await findTokenForm({ ...options, sender: counting });
  signal.removeEventListener('abort', stop);
  const { config } = observedConfig(observedRows(stages.flat(), results));
  const taken = learnedOrders(learned);
  const settings = Object.entries(config.settings);
  return {
    settings: Object.fromEntries(settings.filter(([key]) => !NEVER_LEARNED.includes(key))),
    // Nothing is tried on a live target: it gets the orders of its profile and no others.
    orders: provider.worlds ? formOf(taken) : taken,
    ...{ requests, hasOrders: taken !== undefined, tokenForm },
  };
}

/** NS-8: the first of OAuth's forms in which a credential of the target gets a token. */
async function findTokenForm({ provider, sender, timeoutMs, signal }: ObserveOptions) {
  if (signal.aborted || !provider.offers.has('client')) return undefined;
  const target = await provider.own();
  try {
    const { clientId, clientSecret } = await target.credential('client');
    if (clientId === undefined || clientSecret === undefined) return undefined;
    const names = { client_id: clientId, client_secret: clientSecret };
    for (const form of TOKEN_FORMS) {
      const url = `${target.baseUrl}${OPERATIONS.issueToken.path}`;
      const wire = { method: 'POST', url, ...tokenRequest(form, names), timeoutMs, signal };
      const answer = await sender.send(wire).catch(() => undefined);
      const isServed = answer !== undefined && answer.status < 300;
      if (isServed && tokenIn(jsonOf(answer.body)) !== undefined) return form;
    }
    return undefined;
  } finally {
    if (target.disposable) await target.close();
  }
}
