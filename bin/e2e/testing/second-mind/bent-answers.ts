// Defects that show in the answer alone: each changes it after it was made, and before it is kept.
import type { DefectId } from './defects.ts';
import { dropHeader, type RequestContext, setHeader, unreadable } from './request-context.ts';
import { lastToBegin } from './sealed-effects.ts';
import { isObject, type JsonObject, textOr } from './values/json.ts';
import type { Answer } from './values/records.ts';

export type Bend = (answer: Answer, ctx: RequestContext) => void;

export function edit(answer: Answer, change: (body: JsonObject) => void): void {
  if (answer.body === '' || !/json/.test(typeOf(answer))) return;
  const body = JSON.parse(answer.body) as JsonObject;
  change(body);
  answer.body = JSON.stringify(body);
}

export function typeOf(answer: Answer): string {
  return answer.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
}

const among =
  (names: readonly string[]) =>
  (bend: Bend): Bend =>
  (answer, ctx) => {
    if (answer.status < 300 && names.includes(ctx.operation.name)) bend(answer, ctx);
  };

const onAccounts = among(['createAccount', 'updateAccount']);
export const onCreated = among(['createAccount']);
const onUpdated = among(['updateAccount']);
const onOrders = among(['openPosition', 'closePosition']);
export const onTransactions = among([
  'createTransaction',
  'approveTransaction',
  'rejectTransaction',
  'cancelTransaction',
]);
const onMoney = among(['createTransaction']);
const onApproved = among(['approveTransaction']);
const onHooks = among(['createWebhook', 'getWebhook']);
const onNewHook = among(['createWebhook']);
const onRotated = among(['rotateWebhookSecret']);
const onBatch = among(['bulkCreateAccounts']);

export const member =
  (change: (body: JsonObject, ctx: RequestContext) => void): Bend =>
  (answer, ctx) =>
    edit(answer, (body) => change(body, ctx));

/** What is said of an ordinary error. */
export const onProblems =
  (change: (body: JsonObject, answer: Answer) => void): Bend =>
  (answer) => {
    if (answer.status < 400 || !/problem/.test(typeOf(answer))) return;
    edit(answer, (body) => change(body, answer));
  };

export const transactionOf = (body: JsonObject, { mind }: RequestContext) =>
  mind.transactions.find((each) => each.id === body.id);

const BENDS: Partial<Record<DefectId, Bend>> = {
  'conv-number-ids': onAccounts(member((body) => (body.id = Number(body.id)))),
  'conv-number-brand': onAccounts(member((body) => (body.brand_id = Number(body.brand_id)))),
  'conv-txn-number-account': onTransactions(
    member((body) => (body.account_id = Number(body.account_id))),
  ),
  'conv-order-number-id': onOrders(
    member((body) => {
      if (isObject(body.order)) body.order.id = Number(body.order.id);
      else body.id = Number(body.id);
    }),
  ),
  'conv-amount-number': onTransactions(member((body) => (body.amount = Number(body.amount)))),
  'size-amount-grouped': onTransactions(
    member((body) => (body.amount = textOr(body.amount, '').replace(/^(-?\d+)(\d{3})/, '$1,$2'))),
  ),
  'time-created-moves': onTransactions(member((body, { mind }) => (body.created_at = mind.now()))),
  'conv-amount-rounded': onTransactions(
    member((body) => (body.amount = String(Math.round(Number(body.amount))))),
  ),
  'txn-amount-absolute': onTransactions(
    member((body) => (body.amount = textOr(body.amount, '').replace(/^-/, ''))),
  ),
  'conv-amount-one-place': onTransactions(
    member((body) => (body.amount = textOr(body.amount, '').replace(/(\.\d)\d+$/, '$1'))),
  ),
  'conv-seconds': onTransactions(
    member((body) => (body.created_at = Math.floor(Number(body.created_at) / 1000))),
  ),
  'conv-iso-times': onTransactions(
    member((body) => (body.created_at = new Date(Number(body.created_at)).toISOString())),
  ),
  'conv-hook-seconds': onHooks(
    member((body) => (body.created_at = Math.floor(Number(body.created_at) / 1000))),
  ),
  'acc-create-200': onCreated((answer) => (answer.status = 200)),
  'acc-shows-email': onAccounts(
    member((body, { mind }) => {
      body.email = mind.accounts.find((each) => each.id === body.id)?.email ?? null;
    }),
  ),
  'acc-no-language': onAccounts(member((body) => delete body.language)),
  'acc-no-firm': onAccounts(member((body) => delete body.firm_id)),
  'acc-revision-text': onAccounts(member((body) => (body.revision = String(body.revision)))),
  'acc-no-etag': onCreated((answer) => {
    if (answer.status === 201) dropHeader(answer, 'ETag');
  }),
  'acc-weak-etag': onCreated((answer) => {
    if (answer.status === 201) setHeader(answer, 'ETag', `W/"${JSON.parse(answer.body).revision}"`);
  }),
  'acc-etag-other': onCreated((answer) => {
    if (answer.status === 201) setHeader(answer, 'ETag', `"v${JSON.parse(answer.body).revision}"`);
  }),
  'acc-converged-no-etag': onCreated((answer) => {
    if (answer.status === 200) dropHeader(answer, 'ETag');
  }),
  'acc-owner-taken': onCreated(
    member((body, ctx) => {
      if (ctx.body.owner !== undefined) body.owner = ctx.body.owner;
      if (ctx.body.owner_id !== undefined) body.owner_id = ctx.body.owner_id;
    }),
  ),
  'upd-no-etag': onUpdated((answer) => dropHeader(answer, 'ETag')),
  'upd-old-etag': onUpdated((answer, { mind }) => {
    const { revision } = JSON.parse(answer.body) as { revision: number };
    setHeader(answer, 'ETag', `"${revision - mind.style.revisionStep}"`);
  }),
  'upd-201': onUpdated((answer) => (answer.status = 201)),
  'bulk-207': onBatch((answer) => (answer.status = 207)),
  'txn-create-200': onMoney((answer) => (answer.status = 200)),
  'txn-no-is-ftd': onTransactions(member((body) => delete body.is_ftd)),
  'txn-ftd-text': onTransactions(member((body) => (body.is_ftd = String(body.is_ftd)))),
  'txn-shows-reason': onTransactions(
    member((body, ctx) => (body.reason = transactionOf(body, ctx)?.reason ?? null)),
  ),
  'txn-shows-provider': onTransactions(member((body) => (body.payment_provider = 'acme-pay'))),
  'txs-approve-shows-pending': onApproved(
    member((body) => {
      if (body.status === 'approved') body.status = 'pending';
    }),
  ),
  'txs-approve-202': onApproved((answer) => (answer.status = 202)),
  'hook-no-secret': onNewHook(member((body) => delete body.secret)),
  'hook-id-text': onHooks(member((body) => (body.id = String(body.id)))),
  'hook-seq-null': onNewHook(member((body) => (body.last_delivered_seq = null))),
  'hook-no-disabled': onHooks(member((body) => delete body.disabled)),
  'hook-reason-empty': onHooks(member((body) => (body.disabled_reason ??= ''))),
  'hook-rotate-silent': onRotated(member((body) => delete body.secret)),
  'hook-brand-hidden': onHooks(member((body) => (body.brand_id = null))),
  'err-json-type': (answer) => {
    if (/problem/.test(typeOf(answer))) setHeader(answer, 'Content-Type', 'application/json');
  },
  'err-404-untitled': onProblems((body) => {
    if (body.status === 404) delete body.title;
  }),
  'err-no-errors': onProblems((body) => delete body.errors),
  'err-no-request-id': onProblems((body) => delete body.request_id),
  'err-no-detail': onProblems((body) => {
    if (body.status === 409) delete body.detail;
  }),
  'err-status-text': onProblems((body) => (body.status = String(body.status))),
  'err-type-blank': onProblems((body) => (body.type = 'about:blank')),
  'err-type-relative': onProblems((body) => {
    body.type = `/errors/${textOr(body.code, '')}`;
  }),
  'err-type-title': onProblems((body) => {
    body.type = textOr(body.type, '').replace(/[^/]*$/, textOr(body.title, '').replace(/ /g, '-'));
  }),
  'err-status-400': onProblems((body) => (body.status = 400)),
  'err-invalid-400': onProblems((body, answer) => {
    if (body.code !== 'validation_failed') return;
    answer.status = 400;
    body.status = 400;
  }),
  'err-conflict-code': onProblems((body) => {
    if (body.code !== 'invalid_state') return;
    body.code = 'conflict';
    body.type = textOr(body.type, '').replace(/invalid_state$/, 'conflict');
  }),
  'race-refusal-ids': (answer, ctx) =>
    onProblems((body) => (body.request_id = lastToBegin(ctx)))(answer, ctx),
  'lim-no-retry-after': limited((answer) => dropHeader(answer, 'Retry-After')),
  'lim-reset-zero': limited((answer) => setHeader(answer, 'X-RateLimit-Reset', '0')),
  'lim-reset-epoch': limited((answer, { mind }) =>
    setHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(mind.now() / 1000) + 1)),
  ),
  'lim-limit-minute': limited((answer) => {
    const perSecond = answer.headers.find(([name]) => name === 'X-RateLimit-Limit')?.[1];
    setHeader(answer, 'X-RateLimit-Limit', String(Number(perSecond) * 60));
  }),
  'lim-remaining-one': limited((answer) => setHeader(answer, 'X-RateLimit-Remaining', '1')),
  'lim-errors-filled': limited((answer) =>
    edit(answer, (body) => (body.errors = [{ field: 'rate', message: 'too many' }])),
  ),
  'lim-plain-429': limited((answer) => {
    setHeader(answer, 'Content-Type', 'text/plain');
    answer.body = 'slow down';
  }),
  'lim-retry-date': limited((answer, { mind }) =>
    setHeader(answer, 'Retry-After', new Date(mind.now() + 1000).toUTCString()),
  ),
  'lim-fraction': limited((answer) => {
    const wait = answer.headers.find(([name]) => name === 'Retry-After')?.[1];
    setHeader(answer, 'Retry-After', `${wait}.5`);
  }),
};

function limited(bend: Bend): Bend {
  return (answer, ctx) => {
    if (answer.status === 429) bend(answer, ctx);
  };
}

/** Bends an answer in the ways that the mind is broken. */
export function bent(ctx: RequestContext, answer: Answer): Answer {
  for (const each of ctx.mind.defects) BENDS[each]?.(answer, ctx);
  return answer;
}

/** Defects in what leaves, whatever it is. */
export function bentOnLeaving(ctx: RequestContext, answer: Answer): Answer {
  const { mind, operation } = ctx;
  if (mind.has('err-same-call-id')) setHeader(answer, 'X-Request-Id', 'req_0');
  if (mind.has('err-no-call-id') && /Transaction$/.test(operation.name)) {
    dropHeader(answer, 'X-Request-Id');
  }
  if (mind.has('err-call-id-on-success') && answer.status >= 400) {
    dropHeader(answer, 'X-Request-Id');
  }
  if (mind.has('lim-always-headers') && operation.keyed) {
    setHeader(answer, 'X-RateLimit-Remaining', '3');
  }
  const isOdd = operation.fields(mind.style) !== null && /^text\/plain/.test(typeOf(answer));
  if (isOdd && (mind.has('err-unreadable-problem') || isBrokenJson(ctx, answer))) {
    return asProblem(ctx, answer);
  }
  return answer;
}

function isBrokenJson({ mind }: RequestContext, answer: Answer): boolean {
  return mind.has('err-broken-json-problem') && /is not JSON/.test(answer.body);
}

function asProblem(ctx: RequestContext, { status, body }: Answer): Answer {
  const answer = unreadable(ctx, status, '');
  setHeader(answer, 'Content-Type', 'application/problem+json');
  answer.body = JSON.stringify({
    type: `${ctx.mind.style.docsUrl}/errors/validation_failed`,
    title: 'validation failed',
    status,
    code: 'validation_failed',
    detail: body,
    request_id: ctx.requestId,
    errors: [],
  });
  return answer;
}
