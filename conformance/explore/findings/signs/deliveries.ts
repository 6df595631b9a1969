// EVT, HOOK: what was delivered, and what a subscription says of it.

import { memberAt } from '../../../engine/send/answer.ts';
import { jsonOf, subscriptionOf } from '../../compare/arrivals.ts';
import { rulesOf } from '../../compare/difference.ts';
import type { CallStep, Step } from '../../sequence.ts';
import { answerOf, bodyOf, type Evidence } from './evidence.ts';

/** EVT-8b: so many attempts there are at most. */
const most = 8;

export function deliveryRules(evidence: Evidence): readonly string[] {
  const { difference, steps, others, hasPaused } = evidence;
  const { at, operation } = difference;
  const after = (name: string) => others.some((each) => each.operation === name);
  // HOOK-4: the secret of a rotation is there, and is no new one.
  if (operation === 'rotateWebhookSecret' && /secret$/.test(at)) return ['HOOK-4'];
  if (/last_delivered_seq$/.test(at)) return lastRules(evidence);
  // EVT-10b: what it repeats; EVT-2a: as it was delivered.
  if (operation === 'channel') {
    return at.startsWith('envelope.') ? ['EVT-2a', 'EVT-10b'] : ['EVT-10b', 'EVT-2a'];
  }
  if (operation !== 'delivery') return [];
  // EVT-3: what comes is an envelope in JSON; EVT-6: cut short, it fits no signature either.
  if (at === 'body') return ['EVT-3', 'EVT-6'];
  if (at === 'signature') return signatureRules(evidence, after('rotateWebhookSecret'));
  if (at !== 'count') return envelopeRules(evidence);
  const [came, due] = countsOf(evidence);
  const hasMore = came > due;
  // EVT-11: what the target resolves to has changed, and shrinking could not do without it.
  if (steps.some((step) => step.do === 'resolve')) return ['EVT-11', 'EVT-4'];
  if (hasMore && after('disableWebhook')) return ['EVT-13', 'HOOK-5'];
  if (!hasPaused) return hasMore ? tooManyRules(evidence) : [];
  if (came > most && hasMore) return ['EVT-8b', 'EVT-8a'];
  // EVT-9a: what is no failure was taken for one, or what is one was not.
  const answers = answersOf(steps);
  // EVT-4: where nothing has failed, nothing is to be sent again.
  if (!hasMore && answers.every((each) => each === 200)) return ['EVT-4', 'EVT-8a'];
  const isMistaken = answers.some(isOdd) || (hasMore && answers.every((each) => each === 200));
  return isMistaken ? ['EVT-9a', 'EVT-8a'] : ['EVT-8a'];
}

function envelopeRules({ difference: { at }, hasPaused, steps }: Evidence): readonly string[] {
  // EVT-12: whose event it is decides who hears of it.
  if (at === 'envelope.brand_id') return ['EVT-12', 'EVT-2a'];
  // EVT-2b: of a delivery that was sent again, which only one that failed is.
  const hasFailed = answersOf(steps).some((each) => each !== 200);
  return /^envelope\./.test(at) && hasPaused && hasFailed ? ['EVT-2b', 'EVT-2a'] : [];
}

/** Why an event reached somebody whom it does not concern, or was one at all. */
function tooManyRules(evidence: Evidence): readonly string[] {
  const { found, calls, difference, steps } = evidence;
  if (hasUnchosen(evidence)) return ['EVT-1', 'EVT-12'];
  const last = calls.findLast(
    ({ n, operation }) => n <= difference.n && !/Webhook/.test(operation),
  );
  const basis = answerOf(found.duel.model.outcomes.get(last?.n ?? 0))?.basis;
  if (basis?.idempotency === 'replayed') return ['IDEM-4c', 'EVT-2b'];
  const callers = new Set(calls.map(({ as }) => as));
  // What an operator lets happen is no caller's.
  // EVT-4: what happened while another event waits is to wait behind it, and comes all the same.
  if (basis?.idempotency === 'first' && answersOf(steps).some((each) => each !== 200)) {
    // EVT-8a: it was sent again before its time.
    if (hasComeTwice(evidence)) return ['EVT-8a', 'EVT-4'];
    return ['EVT-4', 'EVT-8a'];
  }
  const isForeign = callers.size > 1 || steps.some((step) => step.do === 'emit');
  return isForeign ? ['EVT-12', 'EVT-1'] : rulesOf(basis);
}

/** Whether one event came to one subscription more than once. */
function hasComeTwice({ found: { duel } }: Evidence): boolean {
  const all = [...duel.target.hooks.values()].flatMap(({ deliveries }) =>
    deliveries.map(
      (each) => `${subscriptionOf(each, duel.target)} ${memberAt(jsonOf(each), 'id')}`,
    ),
  );
  return new Set(all).size < all.length;
}

/** EVT-1: whether a delivery came of a category that its subscription did not choose. */
function hasUnchosen({ found: { duel }, calls }: Evidence): boolean {
  const chosenBy = new Map(
    calls.map(({ n, body }) => [
      String(memberAt(answerOf(duel.target.outcomes.get(n))?.json, 'id')),
      bodyOf({ body } as CallStep).event_categories,
    ]),
  );
  return [...duel.target.hooks.values()].some(({ deliveries }) =>
    deliveries.some((each) => {
      const chosen = chosenBy.get(subscriptionOf(each, duel.target));
      const category = memberAt(jsonOf(each), 'category');
      return Array.isArray(chosen) && category !== undefined && !chosen.includes(category);
    }),
  );
}

/** EVT-10a: which events count as delivered goes by what was answered. */
function lastRules(evidence: Evidence): readonly string[] {
  const { steps, call } = evidence;
  if (hasUnchosen(evidence)) return ['EVT-1', 'EVT-10a'];
  // HOOK-2: of a subscription that is new.
  if (call?.operation === 'createWebhook') return ['HOOK-2', 'EVT-10a'];
  return answersOf(steps).some(isOdd) ? ['EVT-9a', 'EVT-10a'] : ['EVT-10a'];
}

function signatureRules({ difference }: Evidence, isRotated: boolean): readonly string[] {
  // EVT-3: there is no such header.
  if (difference.target === 'not signed') return ['EVT-3', 'EVT-5a'];
  if (/lower-case hex/.test(difference.target)) return ['EVT-6', 'EVT-5a'];
  // EVT-5a: the header itself cannot be read.
  if (!difference.target.startsWith('signed by the') && !/unknown/.test(difference.target)) {
    return ['EVT-5a', 'EVT-3'];
  }
  // EVT-7: two sign while a rotation lasts; before and after it, it is about which one does.
  const isOfTwo = [difference.model, difference.target].some((each) => / and /.test(each));
  return isRotated && isOfTwo ? ['EVT-7', 'EVT-6'] : ['EVT-6', 'EVT-7', 'EVT-5a'];
}

const countsOf = ({ difference: { target, model } }: Evidence) =>
  [target, model].map((each) => Number.parseInt(each, 10)) as [number, number];

const answersOf = (steps: readonly Step[]): readonly number[] =>
  steps.flatMap((step) => (step.do === 'hook' ? step.answers : []));

/** Shrinking makes 200 and 500 of all others, unless it is about them. */
const isOdd = (status: number): boolean => status !== 200 && status !== 500;
