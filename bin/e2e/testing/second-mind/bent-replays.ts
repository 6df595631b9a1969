// Defects that show in a replay alone: each changes a kept answer as it is given again.
import {
  type Bend,
  edit,
  member,
  onCreated,
  onProblems,
  onTransactions,
  transactionOf,
  typeOf,
} from './bent-answers.ts';
import type { DefectId } from './defects.ts';
import { accountBody } from './operations/accounts.ts';
import { dropHeader, type RequestContext } from './request-context.ts';
import type { JsonObject } from './values/json.ts';
import type { Answer } from './values/records.ts';

const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Defects in how a kept answer is given again. */
const REPLAY_BENDS: Partial<Record<DefectId, Bend>> = {
  'acc-replay-no-etag': (answer) => dropHeader(answer, 'ETag'),
  'idem-replay-200': (answer) => {
    if (answer.status === 201) answer.status = 200;
  },
  'idem-replay-reprinted': (answer) => {
    if (/json/.test(typeOf(answer))) {
      answer.body = JSON.stringify(JSON.parse(answer.body), null, 1);
    }
  },
  'idem-replay-reordered': (answer) => {
    if (!/json/.test(typeOf(answer))) return;
    const body = JSON.parse(answer.body) as JsonObject;
    answer.body = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()));
  },
  'idem-replay-current': onTransactions(
    member((body, ctx) => {
      const now = transactionOf(body, ctx);
      if (now !== undefined) body.status = now.status;
    }),
  ),
  'idem-refusal-status': (answer) => {
    if (answer.status === 422) answer.status = 409;
  },
  'idem-refusal-detail': onProblems((body) => {
    if (body.code !== 'idempotency_in_flight') body.detail = `repeated: ${String(body.detail)}`;
  }),
  'idem-body-id-renewed': (answer, ctx) => {
    if (answer.status >= 400) edit(answer, (body) => (body.request_id = ctx.requestId));
  },
  'comb-replay-updated': onCreated(
    member((body, ctx) => {
      const now = ctx.mind.accounts.find((each) => each.id === body.id);
      if (now !== undefined) Object.assign(body, accountBody(ctx, now));
    }),
  ),
  'size-replay-ascii': (answer) => {
    answer.body = answer.body.replace(/[^\0-\x7f]/g, escaped);
  },
  'size-replay-8k': (answer) => reprinted(answer, 8192),
  'size-replay-64k': (answer) => reprinted(answer, 65_535),
};

function reprinted(answer: Answer, most: number): void {
  if (answer.body.length > most) answer.body = JSON.stringify(JSON.parse(answer.body), null, 1);
}

/** As it is given again by a mind that is broken in some way. */
export function bentReplay(ctx: RequestContext, answer: Answer): Answer {
  for (const each of ctx.mind.defects) REPLAY_BENDS[each]?.(answer, ctx);
  return answer;
}
