// Events that a scenario triggers, and the subscriptions that receive them. Which operation triggers
// which event is open (NS-11): an operator emits one if possible, otherwise an account is created.

import type { Role } from '../../engine/capabilities.ts';
import type { RecordedDelivery } from '../../engine/record/exchange-recorder.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenAccount, GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import { Blocked, Inconclusive, MissingCapability } from '../../engine/scenario-errors.ts';
import { idText, membersIn } from '../../engine/send/json.ts';
import type { AnswerPolicy, WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { Category } from '../../spec/literals.ts';
import { type Bodied, type Envelope, envelopeIn, eventIdOf, textOf } from './deliveries.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;

export interface TriggeredEvent {
  readonly words: string;
  /** The envelope that the operator who emitted it received. */
  readonly envelope?: Envelope;
  isIn(delivered: Bodied): boolean;
}

interface EventOptions {
  readonly category?: Category;
  /** The role whose brand has the event; the main role by default. */
  readonly role?: Role;
  readonly text?: string;
}

export async function triggerEvent(
  t: ScenarioContext,
  { category = 'account', role = t.mainRole, text }: EventOptions = {},
): Promise<TriggeredEvent> {
  if (!t.has('emit')) {
    if (category === 'account') return triggerAccountEvent(t, role, text);
    throw new MissingCapability('emit', `no way to cause ${category} events`);
  }
  const mark = t.fresh.reference();
  const brandId = t.brandId(role);
  const data = { mark, ...(text !== undefined && { text }) };
  const envelope = await t.operator.emit({ category, data, ...(brandId && { brandId }) });
  const id = eventIdOf(envelope);
  // By its unique text first: EVT-2b judges whether a repeat has the same id.
  return {
    words: `${category} event ${id}`,
    envelope,
    isIn: (each) => mentions(textOf(each), mark) || eventIdOf(envelopeIn(each)) === id,
  };
}

/** Creates an account, which may trigger one event, several or none; a text in it may be refused. */
export async function triggerAccountEvent(t: ScenarioContext, role = t.mainRole, text?: string) {
  const create = (country?: string) => t.given.account({ ...(country && { country }) }, role);
  const account = await create(text).catch((error: unknown) => {
    if (text === undefined || !(error instanceof Blocked)) throw error;
    return create();
  });
  return eventAbout(account);
}

type Subject = Pick<GivenAccount, 'id' | 'reference' | 'email'>;

export function eventAbout(account: Subject): TriggeredEvent {
  const isIn = (each: Bodied) => isAbout(each, account);
  return { words: `an event about the account ${account.id}`, isIn };
}

/** Names are numbered, so the first name is also a prefix of the tenth. */
function mentions(text: string, name: string): boolean {
  const [, ...rests] = text.split(name);
  return rests.some((rest) => !/^[0-9]/.test(rest));
}

/** An id this long cannot also be the id of another kind of record. */
const UNMISTAKABLE = 9;

/**
 * By its reference or email, or by its id as the value of a member (NS-9). A short id such as "7" may
 * also be the id of a brand or an event, so it only counts if the member names accounts.
 */
export function isAbout(delivered: Bodied, { id, reference, email }: Subject): boolean {
  const text = textOf(delivered);
  if (mentions(text, reference) || mentions(text, email)) return true;
  const envelope = envelopeIn(delivered) ?? {};
  const ofAccounts = Object.values(envelope).some(
    (value) => typeof value === 'string' && /^account\b/i.test(value),
  );
  return membersIn(envelope).some(([path, value]) => {
    if (idText(value) !== id) return false;
    const [holder = '', name = ''] = ['', ...path].slice(-2);
    const isNamed = /account/i.test(name) || (/account/i.test(holder) && /^id$/i.test(name));
    const isSubject = ofAccounts && path.length > 1 && /^id$/i.test(name);
    return id.length >= UNMISTAKABLE || ((isNamed || isSubject) && !/trading/i.test(path.join()));
  });
}

/** How long a delivery may take: no time if the clock can be moved, longer on a live target. */
export function deliveryTimeoutMs(t: ScenarioContext): number {
  return t.has('clock') ? 5_000 : 30_000;
}

/** How much later than its event a first attempt may be made; no retry comes as early (EVT-8a). */
const LATEST_S = 20;

const LATE = 'late deliveries';
/** Whether a first delivery came only after the clock was advanced, or some time later by any clock. */
export const deliversLate = (learned: ReadonlyMap<string, unknown>): boolean => learned.has(LATE);
export const noteLate = (t: ScenarioContext): unknown => t.run.learned.set(LATE, true);

/**
 * Waits for first deliveries. How soon one follows its event is open, so a clock that does not run by
 * itself is advanced.
 */
export async function untilArrived(
  t: ScenarioContext,
  hasArrived: () => boolean,
  withinMs: number,
): Promise<void> {
  const isFrozen = t.has('clock') && withinMs >= SECOND_MS;
  await t.until(hasArrived, isFrozen ? SECOND_MS : withinMs);
  for (let n = 0; isFrozen && n < LATEST_S && !hasArrived(); n += 1) {
    let isAdvanced = false;
    const advanced = t.operator.advance(SECOND_MS).catch(() => {});
    void advanced.then(() => {
      isAdvanced = true;
    });
    // An advance may wait for the response to a delivery, which the scenario may still hold.
    await t.until(() => isAdvanced || hasArrived(), withinMs);
    if (hasArrived()) noteLate(t);
  }
  if (isFrozen) await t.until(hasArrived, withinMs - SECOND_MS);
}

/** Waits for deliveries in progress: an advance returns when they have been answered. */
export async function flushDeliveries(t: ScenarioContext): Promise<void> {
  if (t.has('clock')) await t.operator.advance(1);
  else await t.sleep(2_000);
}

export async function subscribe(t: ScenarioContext, categories?: readonly Category[], role?: Role) {
  const hook = await t.receiver();
  return new Listener(t, hook, await t.given.webhook(hook, categories, role));
}

export class Listener {
  readonly hook: WebhookEndpoint;
  readonly given: GivenWebhook;
  readonly #t: ScenarioContext;

  constructor(t: ScenarioContext, hook: WebhookEndpoint, given: GivenWebhook) {
    this.#t = t;
    this.hook = hook;
    this.given = given;
  }

  get id(): string {
    return this.given.id;
  }

  get count(): number {
    return this.hook.deliveries.length;
  }

  answers(answer: number | AnswerPolicy): void {
    this.hook.answer(typeof answer === 'number' ? () => ({ status: answer }) : answer);
  }

  async deliver(options: EventOptions = {}) {
    const event = await triggerEvent(this.#t, options);
    return { event, delivered: await this.first(event) };
  }

  /** Triggers an event whose first delivery fails, so that it waits for its retry. */
  async fail(): Promise<TriggeredEvent> {
    this.answers(500);
    const { event } = await this.deliver();
    await flushDeliveries(this.#t);
    return event;
  }

  /** The first delivery of an event; ends the scenario if there is none. */
  async first(event: TriggeredEvent): Promise<RecordedDelivery> {
    const [first] = await this.of(event);
    if (first !== undefined) return first;
    const words = `no delivery of ${event.words} came within ${deliveryTimeoutMs(this.#t) / 1000} s`;
    // NS-11: unless an operator emitted the event, there may have been none.
    throw this.#t.has('emit') ? new Blocked(words) : new Inconclusive(words);
  }

  has(event: TriggeredEvent): boolean {
    return this.hook.deliveries.some((each) => event.isIn(each));
  }

  /** The deliveries of an event, as soon as there are `count`, or when the time is up. */
  async of(event: TriggeredEvent, count = 1, withinMs = deliveryTimeoutMs(this.#t)) {
    const own = () => this.hook.deliveries.filter((each) => event.isIn(each));
    const isThere = () => own().length >= count;
    if (count === 1) await untilArrived(this.#t, isThere, withinMs);
    else await this.#t.until(isThere, withinMs);
    return (await this.arrived()).filter((each) => event.isIn(each));
  }

  /** All deliveries so far except the first `from`. */
  async arrived(from = 0): Promise<RecordedDelivery[]> {
    return (await this.#t.deliveriesAt(this.hook, 0, 0)).slice(from);
  }
}

/** No delivery may have arrived; the finding lists those that did. */
export function claimNone(
  t: ScenarioContext,
  rules: Rules,
  words: string,
  all: readonly RecordedDelivery[],
): void {
  t.claim(rules, words, all.length === 0, `${all.length} deliveries`, ...all);
}
