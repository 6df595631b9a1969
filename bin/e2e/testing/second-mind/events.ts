// What has happened, numbered in order, and who is to be told.

import { meets } from './checks/races.ts';
import type { SecondMind } from './mind.ts';
import type { RequestContext } from './request-context.ts';
import { channelSince, toldBrand } from './sealed-effects.ts';
import type { JsonObject } from './values/json.ts';
import type { Credential, EventRecord, Subscription } from './values/records.ts';

const DAY_MS = 86_400_000;

export interface About {
  readonly firmId: string;
  readonly brandId: string | null;
  readonly id: string | null;
}

export function emit(
  mind: SecondMind,
  category: string,
  kind: string,
  about: About,
  content: JsonObject,
  ctx?: RequestContext,
): EventRecord {
  const isRace =
    ctx !== undefined && mind.has('race-event-numbers') && meets(ctx, ctx.operation.name);
  const last = mind.events.at(-1);
  const isNewDay = last !== undefined && mind.now() - last.atMs >= DAY_MS;
  const before = isNewDay && mind.has('time-seq-midnight') ? 0 : (last?.seq ?? 0);
  const seq = before + (isRace && mind.events.length > 0 ? 0 : 1);
  const event: EventRecord = {
    id: `evt_${mind.mark}_${mind.events.length + 1}`,
    seq,
    category,
    kind: mind.style.kindOf(kind),
    atMs: mind.now(),
    firmId: about.firmId,
    brandId: toldBrand(mind, about.brandId, ctx),
    accountId: about.id,
    content,
  };
  mind.events.push(event);
  for (const each of mind.subscriptions) {
    if (isUnheard(mind, each, ctx) || isPastTwenty(mind, ctx)) continue;
    if (wants(mind, each, event)) enqueue(mind, each, event);
  }
  for (const listener of mind.listeners) listener(event);
  return event;
}

/** A defect that tells of no more than twenty things that one call has done. */
function isPastTwenty(mind: SecondMind, ctx: RequestContext | undefined): boolean {
  if (ctx === undefined || !mind.has('size-batch-deliveries-20')) return false;
  return mind.count(`told of ${ctx.requestId}`) > 20;
}

/** Defects in which somebody who wants an event is passed over (EVT-4). */
function isUnheard(mind: SecondMind, each: Subscription, ctx: RequestContext | undefined): boolean {
  const own = mind.deliveries.filter(({ subscriptionId }) => subscriptionId === each.id);
  if (isEvicted(mind, each)) return true;
  const usedAtMs = Math.max(each.createdAtMs, ...own.map(({ event }) => event.atMs));
  return (
    (mind.has('size-hooks-5') && mind.subscriptions.indexOf(each) >= 5) ||
    (mind.has('time-hook-idle-week') && mind.now() - usedAtMs >= 7 * DAY_MS) ||
    (mind.has('comb-brand-deaf') && each.brandId !== null && ctx?.credential.brandId === null)
  );
}

/** A defect that keeps the newest ten of a firm. */
export function isEvicted(mind: SecondMind, each: Subscription): boolean {
  const own = mind.subscriptions.filter(({ firmId }) => firmId === each.firmId);
  return mind.has('size-hooks-evict-10') && own.indexOf(each) < own.length - 10;
}

/** EVT-1, EVT-12, EVT-13 */
function wants(mind: SecondMind, each: Subscription, event: EventRecord): boolean {
  if (each.disabled && !mind.has('hook-disable-delivers')) return false;
  if (each.firmId !== event.firmId && !mind.has('evt-other-firm')) return false;
  const isOwn = each.brandId === null || each.brandId === event.brandId;
  if (!isOwn && !mind.has('evt-brand-all')) return false;
  const first = mind.firms.find(({ id }) => id === each.firmId)?.brands[0];
  if (each.brandId === null && event.brandId !== first && mind.has('evt-firm-none')) return false;
  const isWanted = each.categories.includes(event.category) || mind.has('evt-all-categories');
  return isWanted && !isLost(mind, each, event);
}

/** Defects that lose a delivery before it is made. */
function isLost(mind: SecondMind, each: Subscription, event: EventRecord): boolean {
  const isSameUrl = (one: Subscription) => one.url === each.url && one.id < each.id;
  const waiting = mind.deliveries.filter(
    (one) => one.subscriptionId === each.id && one.status === 'pending',
  );
  return (
    (mind.has('size-notify-8000') && JSON.stringify(event.content).length > 8000) ||
    (mind.has('evt-third-lost') && event.seq % 3 === 0) ||
    (mind.has('comb-hook-twice') && mind.subscriptions.some(isSameUrl)) ||
    (mind.has('comb-first-category') && each.categories[0] !== event.category) ||
    (mind.has('comb-brand-updates') && each.brandId !== null && isOfFirmToo(mind, each, event)) ||
    (mind.has('size-queue-10') && waiting.length >= 10)
  );
}

/** An update at a firm that has a subscription for all of its brands. */
function isOfFirmToo(mind: SecondMind, { firmId }: Subscription, { kind }: EventRecord): boolean {
  const isWide = (one: Subscription) => one.firmId === firmId && one.brandId === null;
  const isUpdate = kind === mind.style.kindOf('account.updated');
  return isUpdate && mind.subscriptions.some(isWide);
}

/** Defects in which what was disabled comes back by itself (HOOK-13). */
export function wakeDisabled(mind: SecondMind): void {
  for (const each of mind.subscriptions) {
    const sinceMs = mind.now() - each.disabledAtMs;
    const isOver =
      (mind.has('hook-resumes') && sinceMs >= DAY_MS) ||
      (mind.has('time-disabled-week') && sinceMs >= 7 * DAY_MS);
    if (each.disabled && isOver) each.disabled = false;
  }
}

function enqueue(mind: SecondMind, { id }: Subscription, event: EventRecord): void {
  if (mind.has('comb-queue-replaced')) replaceWaiting(mind, id, event);
  for (const each of mind.deliveries) {
    const isLate = each.subscriptionId === id && each.attempts.length > 0;
    if (isLate && mind.has('time-event-hurries')) each.dueAtMs = mind.now();
  }
  mind.deliveries.push({
    id: `dlv_${mind.deliveries.length + 1}`,
    subscriptionId: id,
    event,
    status: 'pending',
    attempts: [],
    dueAtMs: mind.now(),
    inFlight: false,
  });
}

/** What waits for the same subscription with news of the same account is not sent any more. */
function replaceWaiting(mind: SecondMind, subscriptionId: number, { accountId }: EventRecord) {
  for (const each of mind.deliveries) {
    const isOwn = each.subscriptionId === subscriptionId && each.event.accountId === accountId;
    if (isOwn && each.status === 'pending' && !each.inFlight) each.status = 'stopped';
  }
}

/** EVT-10b: what a credential may hear of what came after a number, within seven days. */
export function eventsAfter(mind: SecondMind, credential: Credential, seq: number): EventRecord[] {
  const days = mind.has('evt-channel-day') ? 1 : mind.has('evt-channel-month') ? 30 : 7;
  const sinceMs = channelSince(mind, days);
  const from = mind.has('evt-channel-all') ? 0 : mind.has('evt-channel-from') ? seq - 1 : seq;
  const heard = mind.events.filter(
    (each) => each.seq > from && each.atMs > sinceMs && mayHear(credential, each),
  );
  if (mind.has('size-channel-20')) return heard.slice(0, 20);
  return mind.has('size-channel-100') ? heard.slice(0, 100) : heard;
}

export function mayHear(credential: Credential, event: EventRecord): boolean {
  if (credential.firmId !== event.firmId) return false;
  if (credential.brandId !== null && credential.brandId !== event.brandId) return false;
  return credential.kind !== 'delegated' || credential.accountId === event.accountId;
}
