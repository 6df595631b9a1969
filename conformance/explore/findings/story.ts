// Rules of what happened before a difference, where that says more than its place in an answer.
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS, UPDATABLE_MEMBERS } from '../../engine/account-members.ts';
import { rulesOf } from '../compare/difference.ts';
import { type CallStep, callsOf, type Step } from '../sequence.ts';
import type { Found } from './investigate.ts';

/** The likeliest first; nothing where only the place says something. */
export function storyOf(found: Found, member: string): readonly string[] {
  const isReplayed = found.difference.basis?.idempotency === 'replayed';
  return [
    ...limitRules(found),
    ...repeatRules(found),
    ...(isReplayed ? [] : refusedRules(found)),
    ...deliveryRules(found),
    ...(isReplayed ? [] : historyRules(found, member)),
  ];
}

/** EVT-8a: how many deliveries there are once time has passed. */
function deliveryRules({ difference, sequence }: Found): readonly string[] {
  const { at, operation, target, model } = difference;
  const answers = sequence.steps.flatMap((step) => (step.do === 'hook' ? step.answers : []));
  // EVT-10a: which events count as delivered goes by what was answered.
  if (/last_delivered_seq$/.test(at) && answers.some((each) => each !== 200)) return ['EVT-9a'];
  if (operation !== 'delivery' || at !== 'count' || !hasPaused(sequence.steps)) return [];
  const [came, due] = [target, model].map((each) => Number.parseInt(each, 10)) as [number, number];
  // EVT-9a: what is no failure was taken for one, or what is one was not.
  const isMistaken = came > due ? answers.every(isSuccess) : answers.some(isOddFailure);
  return isMistaken ? ['EVT-9a', 'EVT-8a'] : ['EVT-8a'];
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const isOddFailure = (status: number): boolean => status >= 300 && status < 500;

const hasPaused = (steps: readonly Step[]): boolean =>
  steps.some(({ do: what }) => what === 'advance');

/**
 * A refused call that shrinking could not do without has done something all the same: the rules of
 * its refusal.
 */
function refusedRules({ difference, duel, sequence: { steps } }: Found): readonly string[] {
  return callsOf(steps).flatMap(({ n }) => {
    const outcome = duel.model.outcomes.get(n);
    // What failed for a moment was meant to be sent again (IDEM-6b, IDEM-6c).
    const isRefusal = outcome?.kind === 'answer' && outcome.status >= 400 && outcome.status < 500;
    return n !== difference.n && isRefusal ? rulesOf(outcome.basis) : [];
  });
}

/** Rules of what happened before, where that says more than the place in the answer. */
function historyRules(found: Found, member: string): readonly string[] {
  const { difference, sequence } = found;
  const { operation, n, modelAnswer, targetAnswer, basis } = difference;
  const calls = callsOf(sequence.steps);
  const call = calls.find((each) => each.n === n);
  if (operation === 'ledger') return ledgerRules(found);
  if (operation === 'updateAccount' && modelAnswer === '200') {
    return updateRules(call, member, targetAnswer);
  }
  // What an update has said and is not there, where it was made at once with others.
  if (basis?.idempotency === 'converged' && updatedAtOnce(sequence.steps, member)) {
    return ['UPD-12', 'UPD-2'];
  }
  const byAnswer = answerRules(found, call);
  if (byAnswer.length > 0) return byAnswer;
  const byCreate = createRules(found, call);
  if (byCreate.length > 0) return byCreate;
  const after = (name: string) => calls.some((each) => each.operation === name && each.n !== n);
  // EVT-7: under which secrets, where there was more than one.
  if (/^signature$/.test(difference.at) && after('rotateWebhookSecret')) return ['EVT-7'];
  if (operation === 'listWebhooks' && difference.at === 'body') return ['HOOK-11'];
  if (member === 'disabled' && operation === 'disableWebhook') return ['HOOK-5'];
  // HOOK-13: what is disabled stays so, whatever comes after.
  if (member === 'disabled' && after('disableWebhook')) {
    return hasPaused(sequence.steps) ? ['HOOK-13'] : ['HOOK-5', 'HOOK-13'];
  }
  const isServed = modelAnswer.startsWith('404') && Number.parseInt(targetAnswer, 10) < 400;
  return isServed ? (OUT_OF_REACH[call?.as ?? ''] ?? []) : [];
}

/** Where what was answered says which of several rules it is. */
function answerRules({ difference }: Found, call: CallStep | undefined): readonly string[] {
  const { operation, at, modelAnswer: due, targetAnswer: came } = difference;
  const isRefused = Number.parseInt(came, 10) >= 400;
  if (isRefused && due.startsWith('400 idempotency')) return ['IDEM-1d'];
  // ERR-3: the code of the table under another status.
  if (at === 'status' && isRefused && due.slice(4) === came.slice(4)) return ['ERR-3'];
  if (due === '201' && came.startsWith('422')) return memberRules(call);
  // TXS-18: what goes by no provider is approved; TXS-3: what does is not.
  if (operation === 'approveTransaction' && came.startsWith('501')) return ['TXS-18', 'TXS-3'];
  if (operation === 'createAccount' && due === '201' && came.startsWith('403')) {
    return /brand/.test(call?.as ?? '') ? ['ACC-17'] : ['AUTH-4'];
  }
  // AUTH-3a: a token that was issued is one that works.
  if (came.startsWith('401') && call?.headers?.authorization !== undefined) return ['AUTH-3a'];
  if (operation !== 'createWebhook' || due !== '422 validation_failed') return [];
  const url = (call?.body as { readonly url?: unknown } | undefined)?.url;
  return typeof url === 'string' && url.startsWith('https:') ? ['HOOK-8'] : [];
}

/** Members that shrinking could not leave out, or make plain, are what was refused. */
function memberRules(call: CallStep | undefined): readonly string[] {
  const body = (call?.body ?? {}) as { readonly [name: string]: unknown };
  if (call?.operation === 'createAccount') {
    if ('phone' in body) return ['ACC-11'];
    return 'country' in body || 'language' in body ? ['ACC-14'] : [];
  }
  if (call?.operation !== 'createTransaction') return [];
  if ('method' in body) return ['TXN-6'];
  return body.transaction_type === 'Deposit' ? [] : ['TXN-7'];
}

/** Whose movement it is that was made twice, or not at all. */
function ledgerRules({ sequence: { steps } }: Found): readonly string[] {
  const calls = callsOf(steps).filter(({ operation }) => /^(approve|cancel)/.test(operation));
  const twice = calls.filter((each) =>
    calls.some((other) => other.n < each.n && isDeepStrictEqual(other.id, each.id)),
  );
  if (
    twice.some((each) =>
      calls.some((other) => other.n < each.n && isDeepStrictEqual(other.key, each.key)),
    )
  ) {
    return ['IDEM-4c'];
  }
  const isAgain = (verb: RegExp) =>
    calls.filter(({ operation }) => verb.test(operation)).length > 1 && twice.length > 0;
  if (isAgain(/^cancel/)) return ['TXS-9', 'TXS-10'];
  return isAgain(/^approve/) ? ['TXS-4'] : [];
}

/** What a create finds that should have made something, or the other way round. */
function createRules(found: Found, call: CallStep | undefined): readonly string[] {
  const { operation, modelAnswer: made, targetAnswer: came } = found.difference;
  const isOtherWay = (made === '201' && came === '200') || (made === '200' && came === '201');
  if (!isOtherWay) return [];
  // Answered like an earlier call under a key of its own: the two keys were taken for one.
  if (came === '201' && isTakenForRepeat(found, call)) return ['IDEM-2a', 'IDEM-1b'];
  if (operation === 'createTransaction') return ['TXN-2'];
  if (operation !== 'createAccount') return [];
  return made === '201' ? [...(OUT_OF_REACH[call?.as ?? ''] ?? []), 'ACC-5'] : ['ACC-5'];
}

function updateRules(call: CallStep | undefined, member: string, answer: string) {
  const { body } = call ?? {};
  const sent = body !== null && typeof body === 'object' ? Object.keys(body) : [];
  // UPD-4: a status that is refused; UPD-8: something else that is taken for no change.
  if (answer.startsWith('422')) return sent.join() === 'status' ? ['UPD-4'] : ['UPD-8', 'UPD-3'];
  if (member === 'status') return sent.includes(member) ? ['UPD-4'] : ['UPD-2'];
  if (!(PROFILE_MEMBERS as readonly string[]).includes(member)) return [];
  return sent.includes(member) ? ['UPD-3'] : ['UPD-2'];
}

/** Whose reach it is that ends, where what is out of reach was served. */
const OUT_OF_REACH: Readonly<Record<string, readonly string[]>> = {
  brand: ['AUTH-6'],
  other_brand: ['AUTH-6'],
  other_firm: ['AUTH-7'],
  delegated: ['AUTH-5'],
};

function isTakenForRepeat({ duel, sequence }: Found, call: CallStep | undefined): boolean {
  const given = duel.target.outcomes.get(call?.n ?? 0);
  if (given?.kind !== 'answer') return false;
  return callsOf(sequence.steps).some(({ n, operation, key }) => {
    const earlier = duel.target.outcomes.get(n);
    const isLike = earlier?.kind === 'answer' && isDeepStrictEqual(earlier.json, given.json);
    const isOther = operation === call?.operation && !isDeepStrictEqual(key, call.key);
    return n < (call?.n ?? 0) && isOther && isLike && earlier.status === given.status;
  });
}

/** A refusal for the rate that was not due, or one that was due and did not come. */
function limitRules({ difference, sequence: { steps } }: Found): readonly string[] {
  const { modelAnswer, targetAnswer, n, operation, at } = difference;
  const [due, came] = [modelAnswer, targetAnswer].map((each) => each.startsWith('429'));
  if (/^header\.(x-ratelimit|retry-after)/.test(at) && due === came) {
    if (!due) return ['LIM-8'];
    return operation === 'issueToken' ? ['AUTH-3b', 'LIM-6'] : ['LIM-6'];
  }
  if (due && came) return ['LIM-6'];
  if (due === came) return [];
  if (operation === 'issueToken') return ['AUTH-3b', 'AUTH-3c'];
  const whose = bucketRules(steps, n);
  const had = due || hasPaused(steps) ? ['LIM-2'] : [];
  const earlier = came ? earlierRules(steps, n) : [];
  return [...earlier, ...had, ...whose, 'LIM-2', 'LIM-7', 'LIM-5'];
}

/** Whose allowance it is: of a plan, of its own, of a minter, of the firm. */
function bucketRules(steps: readonly Step[], n: number): readonly string[] {
  const as = callsOf(steps).find((each) => each.n === n)?.as;
  const minted = steps.flatMap((step) => (step.do === 'mint' && step.name === as ? [step] : []));
  const wish = minted[0]?.wish;
  if (steps.some(({ do: what }) => what === 'firmRate')) return ['LIM-3', 'LIM-1'];
  if (wish?.mintedBy !== undefined) return ['LIM-10', 'LIM-1'];
  return typeof wish?.perSecond === 'number' ? ['LIM-1', 'LIM-4'] : ['LIM-1', 'LIM-3'];
}

/** LIM-9, LIM-11: what the call before it may have cost. */
function earlierRules(steps: readonly Step[], n: number): readonly string[] {
  const before = callsOf(steps).filter((each) => each.n !== n);
  if (before.some(({ operation }) => operation === 'bulkCreateAccounts')) return ['LIM-9'];
  return before.length > 0 && before.length < 2 ? ['LIM-11'] : [];
}

const DAY_MS = 86_400_000;

/** Rules of a call under a key that was used before, by what the model makes of it. */
function repeatRules(found: Found): readonly string[] {
  const { difference, sequence } = found;
  const { steps } = sequence;
  const { basis, n, modelAnswer } = difference;
  const isAtOnce = steps.some(
    (step) => step.do === 'burst' && step.calls.some((each) => each.n === n),
  );
  const waitedMs = sinceSameKey(steps, n);
  if (basis?.idempotency !== 'replayed' && waitedMs !== undefined) {
    const mistaken = mistakenFor(found);
    if (mistaken.length > 0) return mistaken;
  }
  if (basis?.idempotency === 'replayed') {
    // One that only calls at once have shown is about what must happen once.
    if (isAtOnce) return ['IDEM-15'];
    const refusal = Number.parseInt(modelAnswer, 10) >= 400 ? ['IDEM-4d'] : [];
    if (waitedMs !== undefined && waitedMs > 0) return [...refusal, 'IDEM-7a'];
    return [...refusal, ...subjectRules(steps, n)];
  }
  return waitedMs !== undefined && waitedMs >= DAY_MS ? ['IDEM-7b'] : [];
}

/** The answer to an earlier call under that key, about something else. */
function mistakenFor({ duel, sequence, difference: { n } }: Found): readonly string[] {
  const calls = callsOf(sequence.steps);
  const call = calls.find((each) => each.n === n);
  const given = duel.target.outcomes.get(n);
  if (call === undefined || given?.kind !== 'answer') return [];
  const first = calls.find((each) => {
    const earlier = duel.target.outcomes.get(each.n);
    const isBefore = each.n !== n && earlier?.kind === 'answer' && given.body.length > 0;
    return isBefore && Buffer.from(earlier.body).equals(given.body);
  });
  if (first === undefined) return [];
  if (first.operation !== call.operation) {
    return /Position$/.test(call.operation) ? ['POS-3', 'IDEM-3'] : ['IDEM-3'];
  }
  if (first.as !== call.as) return ['IDEM-2b', 'IDEM-2a'];
  const own = /Position$/.test(call.operation) ? ['POS-4'] : [];
  return call.operation === 'bulkCreateAccounts'
    ? ['IDEM-9b', 'IDEM-9a', 'IDEM-2a']
    : [...own, 'IDEM-2c', 'IDEM-2a'];
}

/** Which part of the call is another than the first time, and does not count. */
function subjectRules(steps: readonly Step[], n: number): readonly string[] {
  const calls = callsOf(steps);
  const call = calls.find((each) => each.n === n);
  const first = calls.find(
    (each) => each.n !== n && isDeepStrictEqual(each.key, call?.key) && call?.key !== undefined,
  );
  if (call === undefined || first === undefined) return [];
  const { operation } = call;
  // IDEM-2: under another token of the same credential it is the same key.
  if (!isDeepStrictEqual(first.headers, call.headers)) return ['IDEM-2b'];
  const isSame = isDeepStrictEqual(first.body, call.body);
  if (/^(approve|reject|cancel)/.test(operation)) {
    if (!isDeepStrictEqual(first.id, call.id)) return ['IDEM-10'];
    return isSame ? [] : ['IDEM-8'];
  }
  if (isSame) return [];
  if (operation === 'bulkCreateAccounts') return ['IDEM-9a', 'IDEM-8'];
  if (/Position$/.test(operation)) return ['POS-2', 'IDEM-8'];
  const members = ['client_reference_id', 'brand_id', 'account_id', 'trading_account_id'];
  const [one, other] = [first.body, call.body] as { readonly [name: string]: unknown }[];
  const isOther = members.some((name) => !isDeepStrictEqual(one?.[name], other?.[name]));
  return isOther ? ['IDEM-2c', 'IDEM-8'] : ['IDEM-8'];
}

/** How much time passed since the first call under the same key; undefined without one. */
function sinceSameKey(steps: Found['sequence']['steps'], n: number): number | undefined {
  const key = callsOf(steps).find((each) => each.n === n)?.key;
  if (key === undefined) return undefined;
  let waitedMs: number | undefined;
  for (const step of steps) {
    if (step.do === 'advance' && waitedMs !== undefined) waitedMs += step.byMs;
    const isSame = callsOf([step]).some(
      (each) => each.n !== n && JSON.stringify(each.key) === JSON.stringify(key),
    );
    if (isSame) waitedMs ??= 0;
  }
  return waitedMs;
}

function updatedAtOnce(steps: Found['sequence']['steps'], member: string): boolean {
  const calls = callsOf(steps.filter(({ do: what }) => what === 'burst'));
  const names: readonly string[] = [...UPDATABLE_MEMBERS, 'revision'];
  return names.includes(member) && calls.some(({ operation }) => operation === 'updateAccount');
}
