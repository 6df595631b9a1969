// Runs before any comparison: observes how the target answers the open questions, with the judge's
// own scenarios. Only this file of the explorer uses the scenarios of the judge.
import { defaultSettings } from '../../fixtures/settings.ts';
import { runScenarios } from '../engine/run/run.ts';
import type { TokenForm } from '../engine/send/call.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Scenario } from '../engine/types.ts';
import type { Provider } from '../providers/target.ts';
import { observedConfig, observedRows } from '../reports/observed.ts';
import { scenarios } from '../scenarios/all.ts';
import { deliversLate } from '../scenarios/delivery/events.ts';
import { profileScenarios } from '../scenarios/profile/profile.ts';
import { type LearnedOrders, learnedOrders, untriedOrders } from '../scenarios/support/orders.ts';
import { OPERATIONS } from '../spec/operations.ts';
import { formOf, TOKEN_FORMS, tokenIn, tokenRequest } from './play/forms.ts';
import { jsonOf } from './play/outcome.ts';

export {
  expectedMac,
  numberNames,
  sequenceAt,
  signatureOf,
  valuesAt,
} from '../scenarios/delivery/deliveries.ts';
export type { LearnedOrders };

export interface ObserveOptions {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly timeoutMs: number;
  readonly maxRate?: number;
  /** The most requests to send; questions that remain are not observed. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly secret: (value: string) => void;
}

/** How a target accepts requests whose form the specification leaves open. */
export interface Forms {
  /** NS-1: the form in which it takes orders, if it differs from the model's. */
  readonly orders: LearnedOrders | undefined;
  /** NS-1: whether orders can be sent: on a live target only the orders of its profile can. */
  readonly hasOrders: boolean;
  /** NS-8: the form in which it takes token requests; undefined if it accepted none. */
  readonly tokenForm: TokenForm | undefined;
  /** How soon an event is delivered is open: here it may come late, or that was not observed. */
  readonly deliversLate: boolean;
}

export interface Observed extends Forms {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly requests: number;
}

/** Plays nothing: only the requests that start every run are needed. */
const NOTHING: Scenario = {
  id: 'explore-start',
  title: 'The target answers and takes the token',
  rules: ['ACC-1'],
  run: async () => {},
};

/** Why the target cannot be observed, in words; null if it answers as the API does. */
export async function findStartProblem(
  options: Omit<ObserveOptions, 'most'>,
): Promise<string | null> {
  const plan = { scenarios: [NOTHING], profileScenarios, confirmsAll: true };
  return (await runScenarios({ ...options, ...plan })).refusedToStart;
}

/** Settings that allow a rule to be broken: such a target is reported, not imitated. */
export const NEVER_LEARNED: readonly string[] = [
  ...['unrecorded_refusals', 'key_across_brands', 'account_statuses', 'replay_etag'],
  ...['firm_rate_from', 'delegated_bucket', 'provider_withdrawals'],
];

/** NS-1: the form of orders shows here, and how soon an event is delivered. */
const ORDERS = 'conv-orders';
const FORMS = [ORDERS, 'evt-form'];

/**
 * Settings for which no other answer can be tried later, such as a time or a name. All others are
 * learned from the differences that they cause, so that only those that matter cost requests.
 */
const NAMES_AND_TIMES = [
  ...['err-check-order', 'auth-tokens-work', 'auth-token'],
  ...['acc-shape', 'acc-named-after-email', 'upd-applied', 'evt-rotation', 'evt-slow'],
  ...['idem-age-of-a-slow-answer', 'idem-not-abandoned', 'txs-cancelled-stays', 'evt-kinds'],
  'evt-progress',
];

export const observe = (options: ObserveOptions): Promise<Observed> =>
  observeBy([...FORMS, ...NAMES_AND_TIMES], options);

/** Only the forms of requests, if all other answers are known. */
export const observeForms = (options: ObserveOptions): Promise<Observed> =>
  observeBy(FORMS, options);

export const unaskedIn = (settings: Observed['settings']): ReadonlySet<string> =>
  new Set(Object.keys(defaultSettings).filter((key) => !(key in settings)));

async function observeBy(ids: readonly string[], options: ObserveOptions): Promise<Observed> {
  const { provider, sender, most, signal, ...rest } = options;
  const chosen = scenarios.filter(({ id }) => ids.includes(id));
  const learned = new Map<string, unknown>();
  const enough = new AbortController();
  const ended = AbortSignal.any([signal, enough.signal]);
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
  const run = await runScenarios({
    ...{ ...rest, provider, sender: counting, learned },
    ...{ scenarios: chosen, signal: ended },
  });
  const tokenForm = await findTokenForm({ ...options, sender: counting });
  // Names and times are needed even if a rule deviates beside them.
  const seen = run.scenarios.flatMap((each) => each.observations);
  const { config } = observedConfig(observedRows(chosen, seen));
  // Orders without any answer are sent nevertheless: their crash is a difference like any other. A
  // live target gets no order in a form that is only likely.
  const { byRule = {} } = run.scenarios.find(({ id }) => id === ORDERS) ?? {};
  const isSilent = Object.values(byRule).includes('inconclusive');
  const isSent = provider.worlds && isSilent && !ended.aborted;
  const orders = isSent ? (await provider.shared()).orders : undefined;
  const taken = learnedOrders(learned) ?? (orders && untriedOrders(orders));
  const settings = Object.entries(config.settings);
  const areKindsUnseen = ended.aborted && !('event_kinds' in config.settings);
  return {
    settings: Object.fromEntries(settings.filter(([key]) => !NEVER_LEARNED.includes(key))),
    // Nothing is tried on a live target: it gets only the orders of its profile.
    orders: provider.worlds ? formOf(taken) : taken,
    ...{ requests, hasOrders: taken !== undefined, tokenForm },
    deliversLate: areKindsUnseen || deliversLate(learned),
  };
}

/** NS-8: the first OAuth form in which a credential of the target gets a token. */
async function findTokenForm({ provider, sender, timeoutMs, signal }: ObserveOptions) {
  if (signal.aborted || !provider.offers.has('client')) return undefined;
  const target = await provider.own();
  try {
    const { clientId, clientSecret } = await target.credential('client');
    if (clientId === undefined || clientSecret === undefined) return undefined;
    const names = { client_id: clientId, client_secret: clientSecret };
    for (const form of TOKEN_FORMS) {
      const url = `${target.baseUrl}${OPERATIONS.issueToken.path}`;
      const { headers, body } = tokenRequest(form, names);
      const added = [...headers, ...(target.addedHeaders ?? [])];
      const wire = { method: 'POST', url, headers: added, body, timeoutMs, signal };
      const answer = await sender.send(wire).catch(() => undefined);
      const isServed = answer !== undefined && answer.status < 300;
      if (isServed && tokenIn(jsonOf(answer.body)) !== undefined) return form;
    }
    return undefined;
  } finally {
    if (target.disposable) await target.close();
  }
}
