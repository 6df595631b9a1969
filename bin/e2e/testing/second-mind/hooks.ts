// Webhook subscriptions: creating, showing, rotating and disabling them (HOOK-1 to HOOK-13).
import { randomBytes } from 'node:crypto';
import { hostOf, isLiteral, isPublicAddress } from './addresses.ts';
import { type JsonObject, textOr } from './json.ts';
import type { SecondMind } from './mind.ts';
import type { Answer, Subscription } from './records.ts';
import { answerWith, notFound, type RequestContext, refuse } from './request-context.ts';

const CATEGORIES = ['account', 'order', 'position', 'transaction'];

function hookBody({ mind }: RequestContext, each: Subscription): JsonObject {
  return {
    id: each.id,
    url: each.url,
    brand_id: each.brandId === null ? null : mind.style.hookBrand(each.brandId),
    event_categories: [...each.categories],
    disabled: each.disabled,
    disabled_reason: each.disabledReason,
    last_delivered_seq: each.lastDeliveredSeq,
    created_at: each.createdAtMs,
  };
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`;
}

export function createHook(ctx: RequestContext): Answer {
  const { mind, credential, body } = ctx;
  const { status, code } = mind.style.hookRefusal;
  const url = textOr(body.url, '');
  const words = targetProblem(mind, url, mind.style.refusesUnresolved);
  if (words !== null) return refuse(ctx, status, code, words, 'url');
  const named = body.event_categories as string[];
  const known = CATEGORIES.filter((each) => named.includes(each));
  const hasUnknown = named.some((each) => !CATEGORIES.includes(each));
  if (known.length === 0 || (hasUnknown && mind.style.unknownCategories === 'refused')) {
    const list = `event_categories must hold at least one of ${CATEGORIES.join(', ')}`;
    return refuse(ctx, status, code, list, 'event_categories');
  }
  const made: Subscription = {
    id: Number(mind.nextId()),
    firmId: credential.firmId,
    brandId: credential.brandId,
    url,
    categories: known,
    disabled: false,
    disabledReason: null,
    lastDeliveredSeq: 0,
    createdAtMs: mind.now(),
    secret: newSecret(),
    previousSecret: null,
    rotatedAtMs: 0,
    stopped: false,
  };
  mind.subscriptions.push(made);
  const whole = { ...hookBody(ctx, made), secret: made.secret };
  return answerWith(ctx, mind.style.createHookStatus, whole);
}

/** HOOK-7, HOOK-8, EVT-11: why a url cannot be delivered to, or null. */
export function targetProblem(mind: SecondMind, url: string, refusesUnresolved: boolean) {
  const host = hostOf(url);
  if (host === null) return 'url must be an https:// url without credentials';
  const addresses = addressesOf(mind, host, url);
  if (addresses === null) return null;
  if (addresses.length === 0) return refusesUnresolved ? `${host} does not resolve` : null;
  const isPublic = addresses.every((each) => isPublicAddress(each));
  return isPublic ? null : `${host} is not a public address`;
}

/** What a host resolves to; null where it is forwarded, and so public without being looked up. */
export function addressesOf(mind: SecondMind, host: string, url: string): string[] | null {
  if (isLiteral(host)) return [host];
  const same = (each: { host: string }) => each.host.toLowerCase() === host.toLowerCase();
  const set = mind.names.find(same);
  if (set !== undefined) return [...set.addresses];
  if (forwardOf(mind, url) !== undefined) return null;
  return [...(mind.resolved.find(same)?.addresses ?? [])];
}

export function forwardOf(mind: SecondMind, url: string) {
  const { origin } = new URL(url);
  return mind.forwards.find((each) => new URL(each.from).origin === origin);
}

/** HOOK-11, HOOK-12, NS-38 */
function sees({ mind, credential }: RequestContext, each: Subscription): boolean {
  if (each.firmId !== credential.firmId) return false;
  if (credential.brandId !== null) return each.brandId === credential.brandId;
  return mind.style.firmSeesBrandHooks || each.brandId === null;
}

function find(ctx: RequestContext): Subscription | Answer {
  const { mind, pathId } = ctx;
  if (!/^\d+$/.test(pathId) && mind.style.oddHookId !== 404) {
    return refuse(ctx, mind.style.oddHookId, 'validation_failed', 'the id must be a number');
  }
  const found = mind.subscriptions.find((each) => String(each.id) === pathId);
  return found !== undefined && sees(ctx, found) ? found : notFound(ctx);
}

const isAnswer = (found: Subscription | Answer): found is Answer => 'headers' in found;

export function listHooks(ctx: RequestContext): Answer {
  const seen = ctx.mind.subscriptions.filter((each) => sees(ctx, each));
  const rows = seen.map((each) => hookBody(ctx, each));
  return answerWith(ctx, 200, ctx.mind.style.list === 'bare' ? rows : { webhooks: rows });
}

export function readHook(ctx: RequestContext): Answer {
  const found = find(ctx);
  return isAnswer(found) ? found : answerWith(ctx, 200, hookBody(ctx, found));
}

/** HOOK-4, EVT-7: a second rotation drops the oldest secret. */
export function rotateHook(ctx: RequestContext): Answer {
  const found = find(ctx);
  if (isAnswer(found)) return found;
  found.previousSecret = found.secret;
  found.secret = newSecret();
  found.rotatedAtMs = ctx.mind.now();
  const whole = { ...hookBody(ctx, found), secret: found.secret };
  return answerWith(ctx, 200, ctx.mind.style.rotateAnswer(whole, found));
}

/** HOOK-5, EVT-13 */
export function disableHook(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const found = find(ctx);
  if (isAnswer(found)) return found;
  disable(mind, found, found.disabledReason ?? 'disabled by request');
  const answer = answerWith(ctx, mind.style.disableStatus, hookBody(ctx, found));
  if (mind.style.disableStatus === 204) answer.body = '';
  return answer;
}

export function disable(mind: SecondMind, each: Subscription, reason: string): void {
  each.disabled = true;
  each.disabledReason = reason;
  for (const delivery of mind.deliveries) {
    const isOwn = delivery.subscriptionId === each.id;
    if (isOwn && delivery.status === 'pending') delivery.status = 'stopped';
  }
}
