// EVT-8a, EVT-9a, EVT-9b where no clock can be moved: the first retry of each of several
// deliveries, which all wait for it at the same time.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { EndpointAnswer, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import {
  deliveriesOf,
  requireDelivery,
  type TriggeredEvent,
  triggerEvent,
} from './trigger-event.ts';

const SECOND_MS = 1_000;
/** EVT-8a: from the end of a failed attempt, or from its start (NS-42). */
const WAIT_MS = 30 * SECOND_MS;
/** For one who looks now and then what is due, and for the way. */
const LATE_MS = 10 * SECOND_MS;
const EARLY_MS = 2 * SECOND_MS;
const LIMIT_MS = 15 * SECOND_MS;

interface Probe {
  readonly words: string;
  readonly rule: RuleId;
  readonly fails: boolean;
  /** What its first delivery is answered; every other one 200. */
  readonly first: (hook: WebhookEndpoint) => EndpointAnswer;
}

const failing = (status: number): Probe => ({
  words: `an answer ${status}`,
  rule: 'EVT-9a',
  fails: true,
  first: () => ({ status }),
});

const slow = (seconds: number, fails: boolean): Probe => ({
  words: `an answer after ${seconds} s`,
  rule: 'EVT-9b',
  fails,
  first: () => ({ status: 200, delayMs: seconds * SECOND_MS }),
});

const PROBES: readonly Probe[] = [
  failing(500),
  failing(404),
  failing(410),
  {
    words: 'a redirect to itself',
    rule: 'EVT-9a',
    fails: true,
    first: (hook) => ({ status: 307, headers: { location: `${hook.url}/moved` } }),
  },
  { words: 'an answer 204', rule: 'EVT-9a', fails: false, first: () => ({ status: 204 }) },
  slow(6, false),
  slow(13, false),
  slow(17, true),
];

const evtRealTime: Scenario = {
  id: 'evt-real-time',
  title: 'In real time: what fails comes again 30 seconds later, and what is taken does not',
  rules: ['EVT-8a', 'EVT-9a', 'EVT-9b'],
  needs: ['receiver'],
  lane: 'own_world',
  standsInFor: ['evt-failures', 'evt-redirects', 'evt-slow'],
  async run(t) {
    const hooks = new Map<Probe, WebhookEndpoint>();
    for (const probe of PROBES) {
      const hook = await t.receiver();
      await t.given.webhook(hook, ['account']);
      hook.answer((_, count) => (count === 1 ? probe.first(hook) : { status: 200 }));
      hooks.set(probe, hook);
    }
    const event = await triggerEvent(t);
    for (const hook of hooks.values()) await requireDelivery(t, hook, event);
    // The slowest fails at the limit, or when its answer has come after all.
    await t.sleep(LIMIT_MS + 2 * SECOND_MS + WAIT_MS + LATE_MS);
    const seen = new Map<Probe, RecordedDelivery[]>();
    for (const [probe, hook] of hooks) seen.set(probe, await arrivals(t, hook, event));
    for (const [probe, all] of seen) expectRetry(t, probe, all);
    expectFirstWait(t, seen.get(PROBES[0]!) ?? []);
  },
};

/** A target may tell of an account in several events: each delivery is that of one of them. */
async function arrivals(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  event: TriggeredEvent,
): Promise<RecordedDelivery[]> {
  const all = await deliveriesOf(t, hook, event, 1, 0);
  const [first] = all;
  const idOf = ({ body }: RecordedDelivery) => eventId(body);
  if (first === undefined) return [];
  // EVT-4: one that arrives twice is no retry, which comes half a minute later at the earliest.
  const isRetry = ({ atMs }: RecordedDelivery) => atMs - first.atMs >= WAIT_MS - 2 * EARLY_MS;
  return all.filter((each) => idOf(each) === idOf(first) && (each === first || isRetry(each)));
}

function eventId(body: Uint8Array): string {
  const [, id = ''] = /"id"\s*:\s*("[^"]*"|\d+)/.exec(new TextDecoder().decode(body)) ?? [];
  return id;
}

function expectRetry(t: ScenarioContext, probe: Probe, all: readonly RecordedDelivery[]): void {
  const { words, rule, fails } = probe;
  const expected = fails
    ? `${words} is a failure: the event comes again`
    : `${words} is no failure: the event does not come again`;
  const truth = fails ? all.length >= 2 : all.length === 1;
  t.claim(rule, expected, truth, `${all.length} deliveries`, ...all);
}

function expectFirstWait(t: ScenarioContext, all: readonly RecordedDelivery[]): void {
  const [first, second] = all;
  if (first === undefined || second === undefined) {
    t.notTested('EVT-8a', 'nothing came again after a 500 (EVT-9a)');
    return;
  }
  const waitedMs = second.atMs - first.atMs;
  const truth = waitedMs >= WAIT_MS - EARLY_MS && waitedMs <= WAIT_MS + LATE_MS;
  const actual = `after ${(waitedMs / SECOND_MS).toFixed(1)} s`;
  t.claim('EVT-8a', 'the first retry 30 s after a failed attempt', truth, actual, first, second);
}

export const realTimeScenarios: readonly Scenario[] = [evtRealTime];
