// Webhook subscriptions: creating, showing, rotating and disabling them (HOOK-1 to HOOK-13).
import { randomBytes } from 'node:crypto';
import { isEvicted } from '../events.ts';
import type { SecondMind } from '../mind.ts';
import { answerWith, notFound, type RequestContext, refuse } from '../request-context.ts';
import { hostOf, isLiteral, isPublicAddress } from '../values/addresses.ts';
import { type JsonObject, textOr } from '../values/json.ts';
import type { Answer, Subscription } from '../values/records.ts';

const CATEGORIES = ['account', 'order', 'position', 'transaction'];

function hookBody({ mind }: RequestContext, each: Subscription): JsonObject {
  return {
    id: each.id,
    url: each.url,
    brand_id: each.brandId === null ? null : mind.style.hookBrand(each.brandId),
    event_categories: [...each.categories],
    disabled: each.disabled,
    disabled_reason: reasonOf(mind, each),
    last_delivered_seq: lastSeqOf(mind, each),
    created_at: each.createdAtMs,
  };
}

/** A defect tells it for a day. */
function reasonOf(mind: SecondMind, { disabledReason, disabledAtMs }: Subscription) {
  const isOld = mind.now() - disabledAtMs >= 86_400_000;
  return isOld && mind.has('time-disabled-reason-day') ? null : disabledReason;
}

/** EVT-10a */
function lastSeqOf(mind: SecondMind, each: Subscription): number {
  if (mind.has('evt-last-zero')) return 0;
  if (mind.has('evt-last-newest')) {
    return each.lastDeliveredSeq === 0 ? 0 : (mind.events.at(-1)?.seq ?? 0);
  }
  const last = mind.events.find(({ seq }) => seq === each.lastDeliveredSeq);
  const isOld = last !== undefined && mind.now() - last.atMs >= 7 * 86_400_000;
  return isOld && mind.has('time-last-seq-week') ? 0 : each.lastDeliveredSeq;
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`;
}

export function createHook(ctx: RequestContext): Answer {
  const { mind, credential, body } = ctx;
  const { status, code } = mind.style.hookRefusal;
  const url = textOr(body.url, '');
  const isLong = url.length > 200 && mind.has('size-url-refused');
  const words = isLong ? 'url is long' : targetProblem(mind, url, mind.style.refusesUnresolved);
  if (words !== null) return refuse(ctx, status, code, words, 'url');
  if (
    mind.has('comb-url-once') &&
    mind.subscriptions.some((one) => one.disabled && one.url === url)
  ) {
    return refuse(ctx, status, code, 'there is a subscription to this url', 'url');
  }
  const categories = categoriesOf(mind, body.event_categories as string[]);
  if (categories === null) {
    const list = `event_categories must hold at least one of ${CATEGORIES.join(', ')}`;
    return refuse(ctx, status, code, list, 'event_categories');
  }
  const first = mind.firms.find((each) => each.id === credential.firmId)?.brands[0] ?? null;
  const own = mind.has('hook-brand-null') ? null : credential.brandId;
  const isTwin = mind.subscriptions.some((each) => each.url === url && each.disabled);
  const made: Subscription = {
    id: nextHookId(ctx),
    firmId: credential.firmId,
    brandId: own ?? (mind.has('hook-firm-brand') ? first : null),
    url: storedUrl(mind, url),
    categories,
    disabled: isTwin && mind.has('comb-hook-disabled-twin'),
    disabledReason: null,
    lastDeliveredSeq: mind.has('comb-progress-by-url') ? progressTo(ctx, url) : 0,
    createdAtMs: mind.now(),
    secret: newSecret(),
    previousSecret: null,
    rotatedAtMs: 0,
    stopped: false,
    disabledAtMs: 0,
  };
  for (const each of mind.has('comb-hook-upsert') ? twinsOf(mind, made) : []) {
    each.categories = categories;
  }
  mind.subscriptions.push(made);
  const whole = { ...hookBody(ctx, made), secret: made.secret };
  return answerWith(ctx, mind.style.createHookStatus, whole);
}

function storedUrl(mind: SecondMind, url: string): string {
  if (mind.has('size-url-200')) return url.slice(0, 200);
  return mind.has('hook-query-dropped') ? url.replace(/\?[^#]*/, '') : url;
}

/** How far the firm's subscriptions to a url have come. */
function progressTo({ mind, credential: { firmId } }: RequestContext, url: string): number {
  const same = mind.subscriptions.filter((each) => each.firmId === firmId && each.url === url);
  return Math.max(0, ...same.map((each) => each.lastDeliveredSeq));
}

/** Others of the firm to the same url. */
const twinsOf = (mind: SecondMind, { firmId, url }: Subscription): Subscription[] =>
  mind.subscriptions.filter((each) => each.firmId === firmId && each.url === url);

/** Its own; a defect gives one that races another that one's. */
function nextHookId({ mind, overlaps, operation }: RequestContext): number {
  const last = mind.subscriptions.at(-1);
  const racing = overlaps.filter((each) => each.operation.name === operation.name);
  const isShared =
    mind.has('race-hook-ids') && racing.some((each) => !mind.underway.includes(each));
  return isShared && last !== undefined ? last.id : Number(mind.nextId());
}

/** HOOK-9 */
function categoriesOf(mind: SecondMind, named: readonly string[]): string[] | null {
  const known = CATEGORIES.filter((each) => named.includes(each));
  if (new Set(named).size < named.length && mind.has('hook-category-twice')) return null;
  const hasUnknown = named.some((each) => !CATEGORIES.includes(each));
  const takesAny = mind.has('hook-any-category');
  const isEmpty = known.length === 0 && !(takesAny && hasUnknown);
  if (isEmpty && !(named.length === 0 && mind.has('hook-no-categories'))) return null;
  if (hasUnknown && mind.style.unknownCategories === 'refused' && !takesAny) return null;
  if (named.includes('order') && mind.has('hook-order-refused')) return null;
  const hasAll = known.length === CATEGORIES.length && mind.has('comb-all-four');
  return hasAll ? known.filter((each) => each !== 'order') : known;
}

/** HOOK-7, HOOK-8, EVT-11: why a url cannot be delivered to, or null. */
export function targetProblem(mind: SecondMind, url: string, refusesUnresolved: boolean) {
  const host = hostOf(mind.has('hook-http') ? url.replace(/^http:/, 'https:') : url);
  if (host === null) return 'url must be an https:// url without credentials';
  const addresses = addressesOf(mind, host, url);
  if (addresses === null) return null;
  if (addresses.length === 0) return refusesUnresolved ? `${host} does not resolve` : null;
  const isPublic = mind.has('hook-one-public')
    ? addresses.some((each) => isOpen(mind, each))
    : addresses.every((each) => isOpen(mind, each));
  const isName = !isLiteral(host);
  if (isName && mind.has('hook-names-unresolved')) return null;
  return isPublic ? null : `${host} is not a public address`;
}

/** HOOK-8 */
function isOpen(mind: SecondMind, address: string): boolean {
  const isTaken =
    (mind.has('hook-private') && /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(address)) ||
    (mind.has('hook-metadata') && address === '169.254.169.254') ||
    (mind.has('hook-mapped') && /^::ffff:/i.test(address)) ||
    (mind.has('hook-ipv6') && address.includes(':'));
  return isTaken || isPublicAddress(address);
}

/** What a host resolves to; null where it is forwarded, and so public without being looked up. */
function addressesOf(mind: SecondMind, host: string, url: string): string[] | null {
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
  const isGone = each.disabled && mind.now() - each.disabledAtMs >= 30 * 86_400_000;
  if (isEvicted(mind, each) || (isGone && mind.has('time-disabled-gone'))) return false;
  if (each.firmId !== credential.firmId) return mind.has('hook-other-firm-shown');
  if (credential.brandId !== null) return each.brandId === credential.brandId;
  return mind.style.firmSeesBrandHooks || each.brandId === null;
}

function find(ctx: RequestContext): Subscription | Answer {
  const { mind, pathId } = ctx;
  if (!/^\d+$/.test(pathId) && mind.style.oddHookId !== 404) {
    return refuse(ctx, mind.style.oddHookId, 'validation_failed', 'the id must be a number');
  }
  const found = mind.subscriptions.find((each) => String(each.id) === pathId);
  if (found !== undefined && (sees(ctx, found) || isOpenToBrands(ctx, found))) return found;
  if (found !== undefined && mind.has('hook-other-firm-403')) {
    return refuse(ctx, 403, 'forbidden', 'the subscription belongs to another firm');
  }
  return notFound(ctx);
}

/** A defect that lets a brand change what is its firm's. */
function isOpenToBrands({ mind, credential, operation }: RequestContext, each: Subscription) {
  const isChange = /^(rotate|disable)/.test(operation.name);
  const isOfFirm = each.firmId === credential.firmId && each.brandId === null;
  return isChange && isOfFirm && mind.has('comb-brand-rotates');
}

const isAnswer = (found: Subscription | Answer): found is Answer => 'headers' in found;

export function listHooks(ctx: RequestContext): Answer {
  const { mind, credential } = ctx;
  const isListed = (each: Subscription) =>
    mind.has('hook-list-all') ||
    (mind.has('hook-list-firm') && each.firmId === credential.firmId) ||
    sees(ctx, each);
  let seen = mind.subscriptions.filter(isListed);
  if (mind.has('hook-list-first')) seen = seen.slice(0, -1);
  if (mind.has('comb-disabled-hidden')) seen = seen.filter(({ disabled }) => !disabled);
  if (mind.has('size-list-20')) seen = seen.slice(0, 20);
  if (mind.has('comb-list-joined')) {
    seen = seen.flatMap((each) => (each.previousSecret === null ? [each] : [each, each]));
  }
  const isTold = mind.has('hook-secret-listed');
  const secretOf = (each: Subscription) => (isTold ? { secret: each.secret } : {});
  const rows = seen.map((each) => ({ ...hookBody(ctx, each), ...secretOf(each) }));
  return answerWith(ctx, 200, mind.style.list === 'bare' ? rows : { webhooks: rows });
}

export function readHook(ctx: RequestContext): Answer {
  const found = find(ctx);
  if (isAnswer(found)) return found;
  const body = hookBody(ctx, found);
  if (ctx.mind.has('hook-secret-read')) body.secret = found.secret;
  if (ctx.mind.has('hook-secret-null')) body.secret = null;
  const isRotated = found.previousSecret !== null;
  if (ctx.mind.has('comb-rotated-secret-read') && isRotated) body.secret = found.secret;
  return answerWith(ctx, 200, body);
}

/** HOOK-4, EVT-7: a second rotation drops the oldest secret. */
export function rotateHook(ctx: RequestContext): Answer {
  const found = find(ctx);
  if (isAnswer(found)) return found;
  const { mind } = ctx;
  if (mind.has('race-rotate-twice') && isRotating(ctx) && found.rotatedAtMs === mind.now()) {
    return answerWith(ctx, 200, { ...hookBody(ctx, found), secret: found.secret });
  }
  if (mind.has('race-disable-lost') && isDisabling(ctx)) wake(found);
  found.previousSecret = found.secret;
  const secret = newSecret();
  if (!mind.has('hook-rotate-same')) found.secret = secret;
  found.rotatedAtMs = mind.now();
  for (const each of mind.has('comb-rotate-by-url') ? twinsOf(mind, found) : []) {
    if (each !== found) Object.assign(each, { secret, previousSecret: each.secret });
    each.rotatedAtMs = mind.now();
  }
  if (mind.has('comb-rotate-enables')) found.disabled = false;
  if (mind.has('comb-rotate-forgets')) found.lastDeliveredSeq = 0;
  const whole = { ...hookBody(ctx, found), secret: found.secret };
  return answerWith(ctx, 200, mind.style.rotateAnswer(whole, found));
}

const isRotating = ({ overlaps, pathId, operation }: RequestContext): boolean =>
  overlaps.some((each) => each.pathId === pathId && each.operation.name === operation.name);

const isDisabling = ({ overlaps, pathId }: RequestContext): boolean =>
  overlaps.some((each) => each.pathId === pathId && each.operation.name === 'disableWebhook');

function wake(found: Subscription): void {
  found.disabled = false;
  found.disabledReason = null;
}

/** HOOK-5, EVT-13 */
export function disableHook(ctx: RequestContext): Answer {
  const { mind } = ctx;
  const found = find(ctx);
  if (isAnswer(found)) return found;
  const body = { ...hookBody(ctx, found), disabled: true, disabled_reason: 'by request' };
  if (mind.has('hook-disable-nothing')) return answerWith(ctx, 200, body);
  disable(mind, found, found.disabledReason ?? 'disabled by request');
  const told = mind.has('hook-secret-disabled') ? { secret: found.secret } : {};
  const answer = answerWith(ctx, mind.style.disableStatus, { ...hookBody(ctx, found), ...told });
  if (mind.style.disableStatus === 204) answer.body = '';
  return answer;
}

export function disable(mind: SecondMind, each: Subscription, reason: string | null): void {
  each.disabled = true;
  each.disabledReason = reason;
  each.disabledAtMs = mind.now();
  if (mind.has('comb-disable-zeroes')) each.lastDeliveredSeq = 0;
  if (mind.has('evt-disabled-queue') || mind.has('hook-disable-delivers')) return;
  for (const delivery of mind.deliveries) {
    if (mind.has('comb-disabled-retries') && delivery.attempts.length > 0) continue;
    const isOwn = delivery.subscriptionId === each.id;
    if (isOwn && delivery.status === 'pending') delivery.status = 'stopped';
  }
}
