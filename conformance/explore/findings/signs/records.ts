// What a record, or an answer about it, says that it should not.
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS, UPDATABLE_MEMBERS } from '../../../engine/account-members.ts';
import { rulesOf } from '../../compare/difference.ts';
import { type CallStep, callsOf } from '../../sequence.ts';
import { answerOf, bodyOf, type Evidence, statusOf } from './evidence.ts';
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
  if (member === 'status' && difference.operation !== 'createAccount') {
    const byStatus = STATUS[difference.model];
    // TXS-13: terminal states win over what came before or comes after.
    const isOlder = difference.target === '"settled"' || difference.target === '"approved"';
    if (byStatus !== undefined) return isOlder ? byStatus.toReversed() : byStatus;
  }
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

/** Rules of what a transaction's status should read. */
const STATUS: Readonly<Record<string, readonly string[]>> = {
  '"pending"': ['TXN-1'],
  '"approved"': ['TXS-1'],
  '"cancelled"': ['TXS-8', 'TXS-13'],
  '"rejected"': ['TXS-6'],
};

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
function answerRules({ difference, due, came, call }: Evidence): readonly string[] {
  const { operation, at } = difference;
  const isRefused = statusOf(came) >= 400;
  // IDEM-1d: the key is looked at first.
  if (isRefused && due.startsWith('400 idempotency')) return ['IDEM-1d'];
  // ERR-3: the code of the table under another status; of one operation it is that one's rule.
  if (at === 'status' && isRefused && due.slice(4) === came.slice(4)) {
    return [...rulesOf(difference.basis), 'ERR-3'];
  }
  // TXS-18: what goes by no provider is approved; TXS-3: what does is not.
  if (operation === 'approveTransaction' && came.startsWith('501')) return ['TXS-18', 'TXS-3'];
  if (operation === 'createAccount' && due === '201' && came.startsWith('403')) {
    return /brand/.test(call?.as ?? '') ? ['ACC-17'] : ['AUTH-4'];
  }
  // AUTH-3a: a token that was issued is one that works.
  if (came.startsWith('401') && call?.headers?.authorization !== undefined) return ['AUTH-3a'];
  if (due.startsWith('404')) return unreachedRules(call, came, operation);
  if (came.startsWith('413') && operation === 'bulkCreateAccounts') return ['BULK-7'];
  if (operation !== 'createWebhook' || due !== '422 validation_failed') return [];
  const { url } = bodyOf(call);
  return typeof url === 'string' && url.startsWith('https:') ? ['HOOK-8'] : [];
}

/** What cannot be reached is no other than what is not there, whatever state it is in. */
function unreachedRules(call: CallStep | undefined, came: string, operation: string) {
  if (came.startsWith('412')) return ['UPD-6'];
  if (came === '403 forbidden' && call?.as === 'delegated') return ['AUTH-4'];
  const isTold = statusOf(came) < 400 || came.startsWith('409');
  return isTold && !/Webhook/.test(operation) ? reachRules(call) : [];
}

/** Whose movement it is that was made twice, or not at all. */
function ledgerRules({ calls: all, steps }: Evidence): readonly string[] {
  const calls = all.filter(({ operation }) => /^(approve|cancel)/.test(operation));
  const repeats = calls.flatMap((each) =>
    calls.some((other) => other.n < each.n && isDeepStrictEqual(other.id, each.id)) ? [each] : [],
  );
  const isRepeat = repeats.some((each) =>
    calls.some((other) => other.n < each.n && isDeepStrictEqual(other.key, each.key)),
  );
  if (isRepeat) return steps.some(({ do: what }) => what === 'burst') ? ['IDEM-15'] : ['IDEM-4c'];
  const isAgain = (verb: RegExp) =>
    calls.filter(({ operation }) => verb.test(operation)).length > 1 && repeats.length > 0;
  if (isAgain(/^cancel/)) return ['TXS-9', 'TXS-10'];
  return isAgain(/^approve/) ? ['TXS-4'] : [];
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
