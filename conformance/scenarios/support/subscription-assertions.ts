// Subscriptions in answers: alone, in a list of open shape (NS-7), and whether they were created at
// all.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { Answer } from '../../engine/send/answer.ts';
import type { RecordId } from '../../engine/send/call.ts';
import { idText, isObject, type Json } from '../../engine/send/json.ts';
import type { RuleId } from '../../engine/types.ts';

export type Subscription = { readonly [name: string]: Json };

/** NS-7: disabling a webhook may return an empty body. */
export const SUCCESS_STATUSES = [200, 201, 202, 204] as const;

/**
 * The category with the fewest events: a subscription that is only read should get no deliveries.
 */
export const UNTRIGGERED_CATEGORIES = ['order'] as const;

export function categories(names: readonly string[]) {
  const wanted = [...names].sort().join();
  return {
    words: `the categories ${names.join(', ')}`,
    test: (value: unknown) => Array.isArray(value) && [...value].sort().join() === wanted,
  };
}

/** NS-52. */
export function observeBrandForm(t: ScenarioContext, brand: Json | undefined): void {
  if (typeof brand !== 'string' && typeof brand !== 'number') return;
  t.observe('NS-52', `brand_id is a ${typeof brand}`, { subscription_brand_id: typeof brand });
}

/** The subscriptions of a list, bare or in a member, and whether there may be more pages. */
export function subscriptionsIn(list: Answer): { rows: Subscription[]; whole: boolean } {
  const { json } = list;
  if (Array.isArray(json)) return { rows: json.filter(isObject), whole: true };
  // NS-7: the list may be nested, such as in `{data: {items: []}}`.
  for (let at: Json | undefined = json, depth = 0; isObject(at) && depth < 4; depth += 1) {
    const found = Object.entries(at).find(([, each]) => Array.isArray(each));
    if (found === undefined) {
      at = Object.values(at).find(isObject);
      continue;
    }
    const [name, all] = found;
    const rows = (all as Json[]).filter(isObject);
    // A total next to the list, an empty cursor or `has_more: false` shows that the list is complete.
    const done: unknown[] = [null, false, '', 0, 1, rows.length];
    const others = Object.entries(at).filter(([other]) => other !== name);
    return { rows, whole: others.every(([, value]) => done.includes(value)) };
  }
  throw new Blocked(`no list of subscriptions: ${list.summary}`);
}

export function rowOf(rows: readonly Subscription[], id: RecordId): Subscription | undefined {
  return rows.find((each) => idText(each.id) === idText(id));
}

export function shapeOf(list: Answer): 'array' | 'object' {
  return Array.isArray(list.json) ? 'array' : 'object';
}

export async function readSubscription(t: ScenarioContext, id: RecordId, role?: Role) {
  return t.answered('getWebhook', { as: role ?? t.mainRole, id });
}

/** HOOK-2 judges whether only `true` is used. */
export function isDisabled(subscription: Subscription | Answer): boolean {
  const value =
    subscription instanceof Answer ? subscription.at('disabled') : subscription.disabled;
  return value === true || value === 1 || value === 'true';
}

export const disabled = {
  words: 'true',
  test: (value: unknown) => isDisabled({ disabled: value as Json }),
};

/** Disables a subscription that should have been refused, so that the target does not send to it. */
export async function disableSubscription(
  t: ScenarioContext,
  created: Answer,
  role: Role = t.mainRole,
): Promise<void> {
  const id = created.idAt('id');
  if (!created.isServed || id === undefined) return;
  await t.answered('disableWebhook', { as: role, id });
}

export async function expectEnabled(
  t: ScenarioContext,
  rule: RuleId,
  id: string,
  words: string,
  role?: Role,
): Promise<void> {
  const after = await readSubscription(t, id, role);
  t.expect(rule, after).is(words, after.status === 200 && !isDisabled(after));
}
