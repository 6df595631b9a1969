// Which rules a difference is about: those of the member or header that differs first, then those
// that the model's answer rests on.
import { isDeepStrictEqual } from 'node:util';
import { rulesOf } from '../compare/difference.ts';
import { type CallStep, callsOf } from '../sequence.ts';
import type { Found } from './investigate.ts';

/** Rules of a place in an answer, whatever the operation; the first that fits. */
const PLACES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^header\.etag$/, ['ACC-19', 'UPD-1']],
  [/^header\.x-request-id$/, ['ERR-4', 'IDEM-5']],
  [/^header\.(x-ratelimit|retry-after)/, ['LIM-6', 'LIM-8']],
  [/^header\.content-type$/, ['ERR-1a', 'ERR-2']],
  [/^replay\./, ['IDEM-4b']],
  [/^envelope\.id$/, ['EVT-2b', 'EVT-2a']],
  [/^envelope\.seq/, ['EVT-2a', 'EVT-2b']],
  [/^envelope\./, ['EVT-2a']],
  [/^signature\.t$/, ['EVT-5b', 'EVT-5a']],
  [/^signature/, ['EVT-6', 'EVT-7', 'EVT-5a']],
  [/^count$/, ['EVT-4', 'EVT-8a', 'EVT-1', 'EVT-12', 'EVT-13']],
  [/^(entries|balance)/, ['TXS-10', 'TXS-4', 'IDEM-4c']],
];

/** Rules of a member of a success, by the kind of record. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  account: {
    id: ['CONV-1a', 'ACC-18'],
    phone: ['ACC-11', 'ACC-12'],
    first_name: ['ACC-13', 'UPD-2', 'UPD-3'],
    last_name: ['ACC-13', 'UPD-2', 'UPD-3'],
    country: ['ACC-14', 'UPD-2', 'UPD-3'],
    language: ['ACC-14', 'UPD-2', 'UPD-3'],
    status: ['ACC-20', 'UPD-4', 'UPD-2'],
    revision: ['UPD-1', 'ACC-18'],
    email: ['ACC-18'],
    brand_id: ['ACC-17', 'CONV-1a'],
  },
  transaction: {
    id: ['CONV-1a', 'TXN-8'],
    account_id: ['CONV-1a', 'TXN-8'],
    amount: ['CONV-2a', 'TXN-8'],
    method: ['TXN-6'],
    status: ['TXS-13', 'TXS-1', 'TXN-1'],
    is_ftd: ['TXS-2'],
    created_at: ['CONV-4'],
    reason: ['TXS-19', 'TXN-9'],
  },
  subscription: {
    id: ['HOOK-2'],
    secret: ['HOOK-3', 'HOOK-4'],
    disabled: ['HOOK-5', 'HOOK-13', 'HOOK-2'],
    disabled_reason: ['HOOK-2', 'EVT-11'],
    last_delivered_seq: ['EVT-10a', 'HOOK-2'],
    brand_id: ['HOOK-10'],
    created_at: ['CONV-4', 'HOOK-2'],
    event_categories: ['HOOK-2'],
    webhooks: ['HOOK-11'],
  },
  bulk: {
    total: ['BULK-2'],
    created: ['BULK-4'],
    failed: ['BULK-4'],
    status: ['BULK-3', 'ACC-5', 'BULK-12'],
    id: ['BULK-5', 'CONV-1a', 'BULK-12'],
    code: ['BULK-5', 'BULK-3'],
    detail: ['BULK-5'],
    client_reference_id: ['BULK-2'],
    rows: ['BULK-2'],
  },
  problem: {
    type: ['ERR-1b'],
    status: ['ERR-1b'],
    code: ['ERR-3'],
    title: ['ERR-1a'],
    detail: ['ERR-1a'],
    request_id: ['ERR-1a', 'IDEM-5'],
    errors: ['ERR-1a'],
  },
  order: { id: ['CONV-1a'], position_id: ['CONV-1a'] },
};

function kindOf(operation: string): string {
  if (operation === 'bulkCreateAccounts') return 'bulk';
  if (/Webhook/.test(operation)) return 'subscription';
  if (/Position/.test(operation)) return 'order';
  return /Transaction/.test(operation) ? 'transaction' : 'account';
}

/** The likeliest first. */
export function rulesFor(found: Found): readonly string[] {
  const { difference, sequence } = found;
  const { at, basis, operation, modelAnswer } = difference;
  const placed = PLACES.find(([pattern]) => pattern.test(at))?.[1] ?? [];
  const member = /^body\.(?:.*\.)?([a-z_]+)$/.exec(at)?.[1] ?? '';
  const kind = Number.parseInt(modelAnswer, 10) >= 400 ? 'problem' : kindOf(operation);
  const own = MEMBERS[kind]?.[member] ?? [];
  // What an update may have done is no rule of a create that only shows it.
  const fitting = own.filter((rule) => !rule.startsWith('UPD-') || isAfterUpdate(sequence.steps));
  const converged = basis?.idempotency === 'converged' && kind === 'account' ? ['ACC-5'] : [];
  const isReplayed = basis?.idempotency === 'replayed';
  // The first answer was right: what differs in its repeat is about repeats, not about the member.
  const cites = isReplayed
    ? [...(/^(replay|body|header)\b/.test(at) ? ['IDEM-4b'] : []), ...rulesOf(basis), ...fitting]
    : [...placed, ...converged, ...fitting, ...rulesOf(basis)];
  const story = [
    ...limitRules(found),
    ...repeatRules(found),
    ...deliveryRules(found),
    ...(isReplayed ? [] : historyRules(found, member)),
  ];
  return [...new Set([...story, ...cites])];
}

/** EVT-8a: how many deliveries there are once time has passed. */
function deliveryRules({ difference: { at, operation }, sequence }: Found): readonly string[] {
  const hasPaused = sequence.steps.some((step) => step.do === 'advance');
  return operation === 'delivery' && at === 'count' && hasPaused ? ['EVT-8a'] : [];
}

/** Rules of what happened before, where that says more than the place in the answer. */
function historyRules(found: Found, member: string): readonly string[] {
  const { difference, sequence } = found;
  const { operation, n, modelAnswer, targetAnswer, basis } = difference;
  const calls = callsOf(sequence.steps);
  const call = calls.find((each) => each.n === n);
  if (operation === 'updateAccount' && modelAnswer === '200') {
    return updateRules(call, member, targetAnswer);
  }
  // What an update has said and is not there, where it was made at once with others.
  if (basis?.idempotency === 'converged' && updatedAtOnce(sequence.steps, member)) {
    return ['UPD-12', 'UPD-2'];
  }
  const byCreate = createRules(found, call);
  if (byCreate.length > 0) return byCreate;
  const after = (name: string) => calls.some((each) => each.operation === name && each.n !== n);
  // EVT-7: under which secrets, where there was more than one.
  if (/^signature$/.test(difference.at) && after('rotateWebhookSecret')) return ['EVT-7'];
  if (operation === 'listWebhooks' && difference.at === 'body') return ['HOOK-11'];
  if (member === 'disabled' && operation === 'disableWebhook') return ['HOOK-5'];
  // HOOK-13: what is disabled stays so, whatever comes after.
  if (member === 'disabled' && after('disableWebhook')) return ['HOOK-13'];
  // UPD-7: a stale tag that was refused and applied all the same shows in what is read later.
  if (basis?.idempotency === 'converged' && wasRefused(found, 412)) return ['UPD-7'];
  const isServed = modelAnswer.startsWith('404') && Number.parseInt(targetAnswer, 10) < 400;
  return isServed ? (OUT_OF_REACH[call?.as ?? ''] ?? []) : [];
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
  if (!['first_name', 'last_name', 'country', 'language'].includes(member)) return [];
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

function wasRefused({ duel }: Found, status: number): boolean {
  return [...duel.model.outcomes.values()].some(
    (each) => each.kind === 'answer' && each.status === status,
  );
}

/** LIM-2, LIM-7: a refusal for the rate that was not due, or one that was due and did not come. */
function limitRules({ difference: { modelAnswer, targetAnswer } }: Found): readonly string[] {
  const [due, came] = [modelAnswer, targetAnswer].map((each) => each.startsWith('429'));
  if (due === came) return [];
  return came ? ['LIM-2', 'LIM-7', 'LIM-1', 'LIM-3'] : ['LIM-2', 'LIM-1', 'LIM-3', 'LIM-5'];
}

const DAY_MS = 86_400_000;

/** Rules of a call under a key that was used before, by what the model makes of it. */
function repeatRules({ difference, sequence: { steps } }: Found): readonly string[] {
  const { basis, n, modelAnswer } = difference;
  const isAtOnce = steps.some(
    (step) => step.do === 'burst' && step.calls.some((each) => each.n === n),
  );
  const waitedMs = sinceSameKey(steps, n);
  if (basis?.idempotency === 'replayed') {
    // One that only calls at once have shown is about what must happen once.
    if (isAtOnce) return ['IDEM-15'];
    const refusal = Number.parseInt(modelAnswer, 10) >= 400 ? ['IDEM-4d'] : [];
    return waitedMs !== undefined && waitedMs > 0 ? [...refusal, 'IDEM-7a'] : refusal;
  }
  return waitedMs !== undefined && waitedMs >= DAY_MS ? ['IDEM-7b'] : [];
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
  const names = ['status', 'first_name', 'last_name', 'country', 'language', 'revision'];
  return names.includes(member) && calls.some(({ operation }) => operation === 'updateAccount');
}

function isAfterUpdate(steps: Found['sequence']['steps']): boolean {
  return callsOf(steps).some(({ operation }) => operation === 'updateAccount');
}
