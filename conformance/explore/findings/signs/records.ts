// What a record, or an answer about it, says that it should not.
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS, UPDATABLE_MEMBERS } from '../../../engine/account-members.ts';
import { memberAt } from '../../../engine/send/answer.ts';
import { rulesOf } from '../../compare/difference.ts';
import type { CallOutcome } from '../../play/outcome.ts';
import { callsOf } from '../../sequence.ts';
import { answerOf, bodyOf, type Evidence, isAlike, statusOf } from './evidence.ts';
import { refusalRules } from './refusals.ts';

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
  const raced = evidence.isConverged ? updatesAtOnce(evidence) : 0;
  // UPD-2: what comes at once with it is no update.
  if (raced > 0) return raced === 1 ? ['UPD-2', 'UPD-1', 'UPD-12'] : ['UPD-12', 'UPD-2'];
  const byAnswer = refusalRules(evidence);
  if (byAnswer.length > 0) return byAnswer;
  if (member === 'status' && /Transaction/.test(operation)) return statusRules(evidence);
  return subscriptionRules(evidence);
}

function subscriptionRules(evidence: Evidence): readonly string[] {
  const { difference, member } = evidence;
  const { operation } = difference;
  const after = (name: string) => evidence.others.some((each) => each.operation === name);
  if (operation === 'listWebhooks' && difference.at === 'body') return ['HOOK-11'];
  if (member === 'disabled' && operation === 'disableWebhook') return ['HOOK-5'];
  // HOOK-2: it is another that was disabled.
  if (member === 'disabled' && difference.target === 'true' && !isOfDisabled(evidence)) {
    return ['HOOK-2', 'HOOK-5'];
  }
  // EVT-11: there is a reason, and it is to be told.
  if (member === 'disabled_reason' && difference.model !== 'null') return ['EVT-11', 'HOOK-2'];
  // EVT-11: nobody has disabled it.
  const isLost = member === 'disabled' && difference.model === 'true' && !after('disableWebhook');
  if (isLost) return ['EVT-11', 'HOOK-5'];
  // HOOK-13: what is disabled stays so, whatever comes after.
  if (member === 'disabled' && after('disableWebhook')) {
    const isOnlyRead = /^(get|list)/.test(operation) && !evidence.hasPaused;
    return isOnlyRead && !after('rotateWebhookSecret') ? ['HOOK-5', 'HOOK-13'] : ['HOOK-13'];
  }
  return [];
}

/** Whether what is said is about a subscription that was disabled; of a list that is not known. */
function isOfDisabled({ call, others, difference }: Evidence): boolean {
  if (difference.operation === 'createWebhook') return false;
  const disabled = others.filter(({ operation }) => operation === 'disableWebhook');
  return call?.id === undefined || disabled.some(({ id }) => isAlike(id, call.id));
}

/** What a transaction's status should read goes by the call that made it so. */
function statusRules(evidence: Evidence): readonly string[] {
  const { difference } = evidence;
  if (difference.model === '"pending"') return ['TXN-1'];
  const rules = rulesOf(movedBy(evidence)?.basis);
  // TXS-12: of two decisions at once the one that came too late has changed it.
  if (isDecidedAtOnce(evidence)) return ['TXS-12', ...rules];
  // TXN-2: what its decision has shown is true, and a create that only finds it shows what it was.
  if (evidence.isConverged && difference.target === '"pending"' && hasShown(evidence)) {
    return ['TXN-2', ...rules];
  }
  // TXS-13: a terminal state wins over what came before it.
  const isOlder = difference.target === '"settled"' || difference.target === '"approved"';
  const isSettled = difference.model === '"cancelled"' && difference.target === '"settled"';
  return isSettled || (isOlder && rules.includes('TXS-13'))
    ? [...new Set(['TXS-13', ...rules])]
    : rules;
}

function isDecidedAtOnce({ steps, isAtOnce }: Evidence): boolean {
  const bursts = steps.filter(({ do: what }) => what === 'burst');
  const ids = callsOf(bursts)
    .filter(({ operation }) => /^(approve|reject|cancel)/.test(operation))
    .map(({ id }) => JSON.stringify(id));
  return !isAtOnce && new Set(ids).size < ids.length;
}

/** Whether another call was answered with the status that this one should have shown. */
function hasShown({ found, others, difference }: Evidence): boolean {
  const shown = others.map(({ n }) => answerOf(found.duel.target.outcomes.get(n))?.json);
  return shown.some((json) => JSON.stringify(memberAt(json, 'status')) === difference.model);
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
  return rulesOf((unreversed(evidence) ?? movedBy(evidence))?.basis);
}

/** The cancellation of what had moved, where the entry that takes it back is not there. */
function unreversed({ difference, calls, found }: Evidence): CallOutcome | undefined {
  const { at, model, target } = difference;
  if (at !== 'entries' || entriesIn(model) <= entriesIn(target) || !/(^| )-/.test(model)) {
    return undefined;
  }
  const served = calls.flatMap(({ n, operation }) => {
    const outcome = answerOf(found.duel.model.outcomes.get(n));
    return operation === 'cancelTransaction' && outcome?.status === 200 ? [outcome] : [];
  });
  // TXS-10: what was cancelled before it had settled brings no entry.
  return served.find(({ basis }) => rulesOf(basis).includes('TXS-10')) ?? served[0];
}

/** As many as are told, or as it is said that there are. */
function entriesIn(told: string): number {
  const [, count] = /^(\d+) entries\b/.exec(told) ?? [];
  return count === undefined ? told.split(', ').length : Number(count);
}

function updateRules(evidence: Evidence): readonly string[] {
  const { call, member, due, came, isAtOnce } = evidence;
  const sent = Object.keys(bodyOf(call));
  if (isAtOnce && due.startsWith('412')) return ['UPD-12', 'UPD-7'];
  // UPD-4: a status that is refused; UPD-8: something else that is taken for no change.
  const isServable = due === '200' || due.startsWith('412');
  const isRefused = isServable && came.startsWith('422');
  const { status } = bodyOf(call);
  if (isRefused && sent.join() === 'status') {
    // UPD-8: what it was before is a change again, and no odd status either.
    const before = evidence.others.filter(({ operation }) => operation === 'updateAccount');
    if (before.some((each) => isAlike(bodyOf(each).status, status))) return ['UPD-8', 'UPD-1'];
    return status === 'Active' ? ['UPD-3', 'UPD-4'] : ['UPD-4'];
  }
  if (due !== '200') return [];
  // One that is plain and alone was not taken; several are told to change nothing.
  if (isRefused) return sent.length === 1 ? ['UPD-3', 'UPD-8'] : ['UPD-8', 'UPD-3'];
  if (isOldAnswer(evidence)) return ['UPD-1', 'UPD-3'];
  if (member === 'phone' || member === 'email') return ['UPD-11'];
  if (member === 'status') return sent.includes(member) ? ['UPD-4'] : ['UPD-2'];
  return (PROFILE_MEMBERS as readonly string[]).includes(member) ? memberRules(evidence) : [];
}

/** What an update has made of one member. */
function memberRules(evidence: Evidence): readonly string[] {
  const { call, member } = evidence;
  const sent = Object.keys(bodyOf(call));
  // ACC-14: it was taken, and not as it was sent.
  const { model, target } = evidence.difference;
  const isCut = target.length > 2 && model.startsWith(target.slice(0, -1));
  if (isCut && /^(country|language)$/.test(member)) return ['ACC-14', 'UPD-3'];
  if (!sent.includes(member)) return ['UPD-2'];
  // UPD-1: what it has been before, and shrinking could not make another, is a change again.
  const value = bodyOf(call)[member];
  const isRestored = evidence.others.some((each) => isAlike(bodyOf(each)[member], value));
  return isRestored ? ['UPD-1', 'UPD-8', 'UPD-3'] : ['UPD-3'];
}

/** Whether the account was answered as it was before. */
function isOldAnswer({ found, call, calls }: Evidence): boolean {
  const { outcomes } = found.duel.target;
  const given = answerOf(outcomes.get(call?.n ?? 0));
  return calls.some(({ n }) => {
    const earlier = answerOf(outcomes.get(n));
    return n < (call?.n ?? 0) && isAlike(earlier?.json, given?.json);
  });
}

function updatesAtOnce({ steps, member }: Evidence): number {
  const names: readonly string[] = [...UPDATABLE_MEMBERS, 'revision'];
  if (!names.includes(member)) return 0;
  const calls = callsOf(steps.filter(({ do: what }) => what === 'burst'));
  return calls.filter(({ operation }) => operation === 'updateAccount').length;
}
