// Says in words what differs, so that it can be the title of a bug.

import type { OperationName } from '../../engine/operations.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { REDACTED } from '../../reports/redact.ts';
import { span } from '../../reports/verdict-words.ts';
import type { Difference } from '../compare/difference.ts';
import { shown } from '../compare/values.ts';
import type { CallOutcome } from '../play/outcome.ts';
import { type CallStep, callsOf } from '../sequence.ts';
import { expectedAt } from './expected.ts';
import type { Found } from './investigate.ts';
import {
  answerOf,
  bodyOf,
  type Evidence,
  evidenceOf,
  isAlike,
  rowsOf,
  statusOf,
  stemsIn,
} from './signs/evidence.ts';

const DOING: Readonly<Record<OperationName, string>> = {
  createAccount: 'creating an account',
  updateAccount: 'updating an account',
  bulkCreateAccounts: 'creating accounts in bulk',
  openPosition: 'opening a position',
  closePosition: 'closing a position',
  createTransaction: 'recording a transaction',
  approveTransaction: 'approving a transaction',
  rejectTransaction: 'rejecting a transaction',
  cancelTransaction: 'cancelling a transaction',
  createWebhook: 'creating a webhook subscription',
  listWebhooks: 'listing webhook subscriptions',
  getWebhook: 'reading a webhook subscription',
  rotateWebhookSecret: 'rotating a webhook secret',
  disableWebhook: 'disabling a webhook subscription',
  issueToken: 'asking for a token',
  listAccounts: 'listing accounts',
  listTransactions: 'listing transactions',
  getAccountStatus: "reading an account's status",
};

export function titleOf(found: Found): string {
  const { operation, at, model, target, modelAnswer } = found.difference;
  const when = circumstances(evidenceOf(found));
  if (operation === 'ledger') {
    return `The ${at} of a trading account${when}: ${target} in place of ${model}`;
  }
  if (at === 'signature') {
    const due = model.replace('signed by ', '');
    return `${BESIDE_ANSWERS.delivery}${when}: ${target} in place of ${due}`;
  }
  if (isBesideAnswers(operation)) {
    const where = at === 'count' ? '' : `, ${at}`;
    return `${BESIDE_ANSWERS[operation]}${where}${when}: ${target} in place of ${model}`;
  }
  const what = `${capitalised(DOING[operation])}${when}`;
  if (at === 'status' || at === 'code') {
    const { elsewhere } = found;
    const also = elsewhere === undefined ? '' : `, and so does ${DOING[elsewhere]}`;
    return `${what} answers ${target} in place of ${model}${also}`;
  }
  if (at.startsWith('replay.')) {
    // IDEM-4d: of refusals it is a question of its own whether they are kept.
    const first = statusOf(modelAnswer) >= 400 ? `, ${modelAnswer}` : '';
    return `${what} is not answered with the bytes of the first answer${first}`;
  }
  if (at === 'attempt') return `${what} answers ${modelAnswer} with the answer to another call`;
  if (at.startsWith('header.')) {
    return `${what} answers ${modelAnswer} with ${at.slice(7)} ${target}, expected ${model}`;
  }
  const member = at.replace(/^body\./, '').replace(/\.(\d+)/g, '[$1]');
  // HOOK-3: a secret is told in words alone.
  if (member === 'secret') return `${what} answers ${modelAnswer} with ${secretWords(found)}`;
  const expected = expectedAt(found);
  const lateMs = member.endsWith('_at') ? Number(target) - Number(expected) : Number.NaN;
  // CONV-4: of two times only what is between them says anything.
  if (Number.isInteger(lateMs) && lateMs !== 0) {
    const by = `${span(Math.abs(lateMs))} too ${lateMs > 0 ? 'late' : 'early'}`;
    return `${what} answers ${modelAnswer} with ${member} ${by}`;
  }
  const due = expected === undefined ? model : shown(expected);
  const another = member === 'id' ? recordWords(found) : null;
  if (another !== null) return `${what} answers ${modelAnswer} with ${another}`;
  return `${what} answers ${modelAnswer} with ${member} ${target} in place of ${due}`;
}

/** An id that another answer has had; null of one that is new. */
function recordWords({ duel, difference, sequence }: Found): string | null {
  const ofStep = (side: keyof Found['duel'] & ('model' | 'target'), id: string) =>
    callsOf(sequence.steps).find(({ n }) => {
      const json = answerOf(duel[side].outcomes.get(n))?.json;
      return n !== difference.n && JSON.stringify(memberAt(json, 'id')) === id;
    })?.n;
  const came = ofStep('target', difference.target);
  if (came === undefined) return null;
  const due = ofStep('model', difference.model);
  const own = due === undefined ? 'one of its own' : `that of step ${due}`;
  return `the id of step ${came} in place of ${own}`;
}

function secretWords({ difference: { target, model } }: Found): string {
  const isShown = target === REDACTED;
  return isShown ? `a secret in place of ${model}` : `${target} as secret in place of ${model}`;
}

const BESIDE_ANSWERS = {
  delivery: 'Webhook deliveries',
  channel: 'The events channel',
  burst: 'Calls at once',
} as const;

const isBesideAnswers = (of: Difference['operation']): of is keyof typeof BESIDE_ANSWERS =>
  of in BESIDE_ANSWERS;

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function callerWords(call: CallStep | undefined): readonly string[] {
  if (call?.headers?.authorization !== undefined) return ['under a token issued before'];
  return call === undefined || call.as === 'firm' ? [] : [`as ${call.as}`];
}

/** Shrinking has left no more of a batch, and no longer texts, than it takes. */
function sizeWords(call: CallStep | undefined): readonly string[] {
  if (call === undefined) return [];
  const rows = rowsOf(call).reduce((sum, { $rows = 1 }) => sum + Number($rows), 0);
  const long = Object.entries({ 'Idempotency-Key': call.key, ...bodyOf(call) }).flatMap(
    ([name, value]) => {
      const { $fresh, length } = (value ?? {}) as { readonly $fresh?: string; length?: number };
      return $fresh === undefined || length === undefined
        ? []
        : [`${name} of ${length} characters`];
    },
  );
  return [
    ...(rows > MOST_ROWS ? [`of ${rows} rows`] : []),
    ...(long.length === 0 ? [] : [`with ${long.join(' and ')}`]),
  ];
}

/** As many rows as are nothing special. */
const MOST_ROWS = 3;

/** A key that was made of another one, in other letters or longer. */
function keyWords(call: CallStep | undefined, others: readonly CallStep[]): readonly string[] {
  const stems = stemsIn(call?.key);
  const like = others.find(
    ({ key }) => !isAlike(key, call?.key) && stemsIn(key).some((each) => stems.includes(each)),
  );
  return like === undefined ? [] : [`under a key like that of step ${like.n}`];
}

/** A tag that is not simply one that an answer had. */
function tagWords(call: CallStep | undefined, answer: CallOutcome | undefined): readonly string[] {
  if (call?.operation !== 'updateAccount') return [];
  const { ifMatch } = call;
  if (ifMatch === undefined) return ['without If-Match'];
  if (ifMatch !== null && typeof ifMatch === 'object' && '$header' in ifMatch) return [];
  const sent = answer?.sent?.headers.find(([name]) => name.toLowerCase() === 'if-match')?.[1];
  return sent === undefined ? [] : [`with If-Match ${sent}`];
}

/** By whom, under which key, after what time: shrinking has left only what it takes. */
function circumstances({ found, call, others, isReplayed, isAtOnce, steps }: Evidence): string {
  const pausedMs = steps.reduce((sum, step) => sum + (step.do === 'advance' ? step.byMs : 0), 0);
  const many = steps.find((step) => step.do === 'many');
  return [
    ...(isReplayed ? ['again under its key'] : []),
    ...sizeWords(call),
    ...tagWords(call, answerOf(found.duel.target.outcomes.get(call?.n ?? 0))),
    ...keyWords(call, others),
    ...callerWords(call),
    ...(many === undefined ? [] : [`after ${many.count} other calls`]),
    ...(isAtOnce ? ['at once with another call'] : []),
    ...(pausedMs > 1 ? [`after ${span(pausedMs)}`] : []),
  ]
    .map((each) => ` ${each}`)
    .join('');
}
