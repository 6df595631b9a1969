// What a record, or an answer about it, says that it should not.
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS, UPDATABLE_MEMBERS } from '../../../engine/account-members.ts';
import { rulesOf } from '../../compare/difference.ts';
import type { CallOutcome } from '../../play/outcome.ts';
import { type CallStep, callsOf } from '../../sequence.ts';
import { answerOf, bodyOf, type Evidence, hasSymbol, statusOf } from './evidence.ts';
import { reachRules } from './features.ts';

/** Rules of what happened before, where that says more than the place in the answer. */
export function recordRules(evidence: Evidence): readonly string[] {
  const { difference, member } = evidence;
  const { operation } = difference;
  if (operation === 'ledger') return ledgerRules(evidence);
  if (operation === 'updateAccount') {
    const byUpdate = updateRules(evidence);
    if (byUpdate.length > 0) return byUpdate;
  }
  // What an update has said and is not there, where it was made at once with others.
  if (evidence.isConverged && updatedAtOnce(evidence)) return ['UPD-12', 'UPD-2'];
  const byAnswer = answerRules(evidence);
  if (byAnswer.length > 0) return byAnswer;
  if (member === 'status' && /Transaction/.test(operation)) return statusRules(evidence);
  const after = (name: string) => evidence.others.some((each) => each.operation === name);
  if (operation === 'listWebhooks' && difference.at === 'body') return ['HOOK-11'];
  if (member === 'disabled' && operation === 'disableWebhook') return ['HOOK-5'];
  // HOOK-13: what is disabled stays so, whatever comes after.
  if (member === 'disabled' && after('disableWebhook')) {
    const isOnlyRead = /^(get|list)/.test(operation) && !evidence.hasPaused;
    return isOnlyRead ? ['HOOK-5', 'HOOK-13'] : ['HOOK-13'];
  }
  return [];
}

/** What a transaction's status should read goes by the call that made it so. */
function statusRules(evidence: Evidence): readonly string[] {
  const { difference } = evidence;
  if (difference.model === '"pending"') return ['TXN-1'];
  const rules = rulesOf(movedBy(evidence)?.basis);
  // TXS-13: a terminal state wins over what came before it.
  const isOlder = difference.target === '"settled"' || difference.target === '"approved"';
  return isOlder ? rules.toSorted((one) => (one === 'TXS-13' ? -1 : 0)) : rules;
}

/** The last approval, rejection or cancellation up to the difference that changed something. */
function movedBy({ calls, found, difference }: Evidence): CallOutcome | undefined {
  const { outcomes } = found.duel.model;
  return calls
    .filter(({ n, operation }) => n <= difference.n && /^(approve|reject|cancel)/.test(operation))
    .map(({ n }) => answerOf(outcomes.get(n)))
    .findLast((each) => each?.status === 200 && each.basis?.idempotency !== 'replayed');
}

/**
 * A call that does nothing, and that shrinking could not do without, has done something all the
 * same: the rules of its refusal, or of repeats.
 */
export function idleRules({ difference, found, others, due }: Evidence): readonly string[] {
  // A refusal that is due says more of itself.
  if (statusOf(due) >= 400) return [];
  const before = others.flatMap(({ n }) => {
    const outcome = answerOf(found.duel.model.outcomes.get(n));
    return outcome === undefined || n > difference.n ? [] : [outcome];
  });
  // A repeat needs its first call, whatever that was answered.
  if (before.some(({ basis }) => basis?.idempotency === 'replayed')) return ['IDEM-4c'];
  return before.flatMap(({ status, basis }) => {
    // What failed for a moment was meant to be sent again (IDEM-6b, IDEM-6c).
    const isPassing = status === 500 || status === 503;
    return status >= 400 && !isPassing ? rulesOf(basis) : [];
  });
}

/** Where what was answered says which of several rules it is. */
function answerRules(evidence: Evidence): readonly string[] {
  const { difference, due, came, call } = evidence;
  const { operation, at } = difference;
  const isRefused = statusOf(came) >= 400;
  // IDEM-1d: the key is looked at first.
  if (isRefused && due.startsWith('400 idempotency')) return ['IDEM-1d'];
  // ERR-3: the code of the table under another status; of one operation it is that one's rule.
  if (at === 'status' && isRefused && due.slice(4) === came.slice(4)) {
    const isOfAll = /^(429|500|503)/.test(due);
    return isOfAll ? ['ERR-3'] : [...rulesOf(difference.basis), 'ERR-3'];
  }
  // TXS-18: what goes by no provider is approved; TXS-3: what does is not.
  if (operation === 'approveTransaction' && came.startsWith('501')) return ['TXS-18', 'TXS-3'];
  if (operation === 'createAccount' && due === '201' && came.startsWith('403')) {
    return /brand/.test(call?.as ?? '') ? ['ACC-17'] : ['AUTH-4'];
  }
  // AUTH-3a: a token that was issued is one that works.
  if (came.startsWith('401') && call?.headers?.authorization !== undefined) return ['AUTH-3a'];
  if (came.startsWith('400 idempotency')) return badKeyRules(call);
  if (came.startsWith('404') && statusOf(due) < 400) return reachRules(evidence);
  if (due.startsWith('404')) return unreachedRules(evidence);
  if (came.startsWith('413') && operation === 'bulkCreateAccounts') return ['BULK-7'];
  if (operation !== 'createWebhook' || due !== '422 validation_failed') return [];
  const { url } = bodyOf(call);
  return typeof url === 'string' && url.startsWith('https:') ? ['HOOK-8'] : [];
}

/** Why a key may have been refused that was a good one. */
function badKeyRules(call: CallStep | undefined): readonly string[] {
  if (hasSymbol(call?.key, 'length')) return ['IDEM-1b'];
  return hasSymbol(call?.key, '$join') ? ['IDEM-1c', 'IDEM-1b'] : ['IDEM-1a'];
}

/** What cannot be reached is no other than what is not there, whatever state it is in. */
function unreachedRules(evidence: Evidence): readonly string[] {
  const { call, came, difference } = evidence;
  if (came.startsWith('412')) return ['UPD-6'];
  if (came === '403 forbidden' && call?.as === 'delegated') return ['AUTH-4'];
  const isTold = statusOf(came) < 400 || came.startsWith('409');
  return isTold && !/Webhook/.test(difference.operation) ? reachRules(evidence) : [];
}

/** Whose movement it is that was made twice, or not at all. */
function ledgerRules(evidence: Evidence): readonly string[] {
  const { calls: all, steps } = evidence;
  const calls = all.filter(({ operation }) => /^(approve|cancel)/.test(operation));
  const repeats = calls.flatMap((each) =>
    calls.some((other) => other.n < each.n && isDeepStrictEqual(other.id, each.id)) ? [each] : [],
  );
  const isRepeat = repeats.some((each) =>
    calls.some((other) => other.n < each.n && isDeepStrictEqual(other.key, each.key)),
  );
  if (isRepeat) return steps.some(({ do: what }) => what === 'burst') ? ['IDEM-15'] : ['IDEM-4c'];
  return rulesOf(movedBy(evidence)?.basis);
}

function updateRules({ call, member, due, came, isAtOnce }: Evidence): readonly string[] {
  const sent = Object.keys(bodyOf(call));
  if (isAtOnce && due.startsWith('412')) return ['UPD-12', 'UPD-7'];
  // UPD-4: a status that is refused; UPD-8: something else that is taken for no change.
  const isServable = due === '200' || due.startsWith('412');
  const isRefused = isServable && came.startsWith('422');
  const isPlain = bodyOf(call).status === 'Active';
  if (isRefused && sent.join() === 'status') return isPlain ? ['UPD-3', 'UPD-4'] : ['UPD-4'];
  if (due !== '200') return [];
  // One that is plain and alone was not taken; several are told to change nothing.
  if (isRefused) return sent.length === 1 ? ['UPD-3', 'UPD-8'] : ['UPD-8', 'UPD-3'];
  if (member === 'phone' || member === 'email') return ['UPD-11'];
  if (member === 'status') return sent.includes(member) ? ['UPD-4'] : ['UPD-2'];
  if (!(PROFILE_MEMBERS as readonly string[]).includes(member)) return [];
  return sent.includes(member) ? ['UPD-3'] : ['UPD-2'];
}

function updatedAtOnce({ steps, member }: Evidence): boolean {
  const calls = callsOf(steps.filter(({ do: what }) => what === 'burst'));
  const names: readonly string[] = [...UPDATABLE_MEMBERS, 'revision'];
  return names.includes(member) && calls.some(({ operation }) => operation === 'updateAccount');
}
