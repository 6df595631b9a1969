// Which rules a difference is about: those of the member or header that differs first, then those
// that the model's answer rests on.
import { memberAt } from '../../engine/send/answer.ts';
import { type Difference, rulesOf } from '../compare/difference.ts';
import type { Found } from './investigate.ts';
import { limitRules, repeatRules, strangeRules } from './signs/before-it-runs.ts';
import { deliveryRules } from './signs/deliveries.ts';
import {
  answerOf,
  bodyOf,
  type Evidence,
  evidenceOf,
  hasSymbol,
  isAlike,
  stemsIn,
} from './signs/evidence.ts';
import { createRules, refusedMemberRules, rowRules, wrongMemberRules } from './signs/features.ts';
import { idleRules, recordRules } from './signs/records.ts';

/** Rules of a place in an answer, whatever the operation; the first that fits. */
const PLACES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^header\.etag$/, ['ACC-19', 'UPD-1']],
  [/^header\.x-request-id$/, ['ERR-4', 'IDEM-5']],
  [/^header\.content-type$/, ['ERR-1a', 'ERR-2']],
  [/^replay\./, ['IDEM-4b']],
  [/^(method|subscription header)$/, ['EVT-3']],
  [/^envelope\.id$/, ['EVT-2a', 'EVT-2b']],
  [/^envelope\.seq/, ['EVT-2a', 'EVT-2b']],
  [/^envelope\./, ['EVT-2a']],
  [/^signature\.t$/, ['EVT-5b', 'EVT-5a']],
  [/^signature/, ['EVT-6', 'EVT-7', 'EVT-5a']],
  [/^count$/, ['EVT-4', 'EVT-8a', 'EVT-1', 'EVT-12', 'EVT-13']],
  [/^(entries|balance)/, ['TXS-4', 'TXS-10', 'IDEM-4c']],
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
    brand_id: ['ACC-17', 'ACC-1', 'ACC-18'],
  },
  transaction: {
    id: ['CONV-1a', 'TXN-8'],
    account_id: ['CONV-1a', 'TXN-8'],
    amount: ['CONV-2a', 'TXN-8'],
    method: ['TXN-6'],
    status: ['TXS-1', 'TXS-13', 'TXN-1'],
    is_ftd: ['TXS-2'],
    created_at: ['CONV-4'],
    reason: ['TXS-19', 'TXN-9'],
  },
  subscription: {
    id: ['HOOK-2'],
    url: ['HOOK-2'],
    secret: ['HOOK-3', 'HOOK-4'],
    disabled: ['HOOK-5', 'HOOK-13', 'HOOK-2'],
    disabled_reason: ['HOOK-2', 'EVT-11'],
    last_delivered_seq: ['EVT-10a', 'HOOK-2'],
    brand_id: ['HOOK-10'],
    created_at: ['CONV-4', 'HOOK-2'],
    event_categories: ['EVT-1', 'HOOK-2'],
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
  order: { id: ['CONV-1a'], position_id: ['CONV-1a'], volume: ['CONV-2a'] },
};

function kindOf(operation: string): string {
  if (operation === 'bulkCreateAccounts') return 'bulk';
  if (/Webhook/.test(operation)) return 'subscription';
  if (/Position/.test(operation)) return 'order';
  return /Transaction/.test(operation) ? 'transaction' : 'account';
}

/** By where it shows and what happened before, the likeliest first. */
export function rulesFor(found: Found): readonly string[] {
  const evidence = evidenceOf(found);
  const { difference, isReplayed, due, member } = evidence;
  const kind = Number.parseInt(due, 10) >= 400 ? 'problem' : kindOf(difference.operation);
  const before = isReplayed
    ? []
    : [
        // The name that is said to be taken says more than why its first bearer was refused.
        ...takenRules(evidence),
        ...idleRules(evidence),
        ...rowRules(evidence),
        ...wrongMemberRules(evidence),
        ...createRules(evidence),
        ...refusedMemberRules(evidence),
        ...recordRules(evidence),
      ];
  return [
    ...new Set([
      ...everywhereRules(found),
      // ERR-4: whatever it took to see it, and whatever was limited besides.
      ...(difference.at === 'header.x-request-id' && !isReplayed ? ['ERR-4', 'IDEM-5'] : []),
      ...(isNoProblem(evidence) ? ['ERR-1a'] : []),
      ...strangeRules(evidence),
      ...(isReplayed ? [] : shapeRules(difference, kind, member)),
      ...limitRules(evidence),
      ...repeatRules(evidence),
      ...deliveryRules(evidence),
      ...before,
      ...placeRules(evidence, kind),
    ]),
  ];
}

/** ERR-1a: refused as it is due, in another form than a problem's; of a limit LIM-6 says so too. */
function isNoProblem({ due, came }: Evidence): boolean {
  const isDue = /^4(?!29)/.test(due) && Number.parseInt(due, 10) === Number.parseInt(came, 10);
  return isDue && /^\d+ \w+\//.test(came);
}

/** ACC-8, ACC-9: which of the names is taken, where it is one that only a refused call has had. */
function takenRules(evidence: Evidence): readonly string[] {
  const { due, came, difference } = evidence;
  const isTaken =
    difference.operation === 'createAccount' && (came === '409 invalid_state' || came === '200');
  return isTaken && due === '201' ? createRules(evidence) : [];
}

/** What several operations refuse wrongly is about refusals, and of none of the operations. */
function everywhereRules({ elsewhere, difference }: Found): readonly string[] {
  if (elsewhere === undefined) return [];
  // AUTH-6: that something is there is told by another refusal than that of what is not there.
  const isTold =
    difference.modelAnswer.startsWith('404') && difference.targetAnswer.startsWith('403');
  return isTold ? ['AUTH-6', 'ERR-3'] : ['ERR-3'];
}

/** ACC-17: whoever is of the whole firm names the brand himself. */
function isBoundToBrand({ call, steps }: Evidence): boolean {
  const minted = steps.find((step) => step.do === 'mint' && step.name === call?.as);
  if (minted?.do === 'mint') return minted.wish.brand !== undefined;
  return /brand/.test(call?.as ?? '');
}

/** Of the member or header that differs, and what the model's answer rests on. */
function placeRules(evidence: Evidence, kind: string): readonly string[] {
  const { difference, calls, member, isReplayed, isConverged } = evidence;
  const { at, basis } = difference;
  const placed = placedRules(evidence);
  if (at === 'body.secret' && difference.target === 'nothing') return rulesOf(basis);
  // The id of another record is as good an id.
  const isAnother = at === 'body.id' && typeOf(difference.target) === typeOf(difference.model);
  const own = isAnother ? [] : (MEMBERS[kind]?.[member] ?? []);
  // What an update may have done is no rule of a create that only shows it.
  const isUpdated = calls.some(({ operation }) => operation === 'updateAccount');
  const fitting = own.filter(
    (rule) =>
      (!rule.startsWith('UPD-') || isUpdated) && (rule !== 'ACC-17' || isBoundToBrand(evidence)),
  );
  // The first answer was right: what differs in its repeat is about repeats, not about the member.
  if (isReplayed) {
    const isAnswer = /^(replay|body|header)\b/.test(at);
    if (at === 'header.etag') return ['ACC-19', 'IDEM-4b', ...rulesOf(basis)];
    return [...(isAnswer ? ['IDEM-4b'] : []), ...rulesOf(basis), ...fitting];
  }
  const converged = isConverged ? (CONVERGED[kind] ?? []) : [];
  // What the create itself has shown as it is cannot be older than that; nor is a first deposit
  // (TXS-2), where the status beside it is the one of now.
  const isOlder =
    isUpdated ||
    (kind === 'transaction' && !/^(status|is_ftd)$/.test(member)) ||
    (member !== 'is_ftd' && hasBeenShown(evidence));
  const shown =
    isOlder || isChangedByIt(evidence) ? [...converged, ...fitting] : [...fitting, ...converged];
  return [...placed, ...shown, ...rulesOf(basis)];
}

const CONVERGED: Readonly<Record<string, readonly string[]>> = {
  account: ['ACC-5'],
  transaction: ['TXN-2'],
};

function placedRules({ difference, calls }: Evidence): readonly string[] {
  const { at, operation, model, target } = difference;
  if (at === 'header.etag' && operation === 'updateAccount') {
    // UPD-1: which tag it is; ACC-19: how every tag is written.
    const isTag = target === 'none' || /^"[^"]*"$/.test(target);
    return isTag ? ['UPD-1', 'ACC-19'] : ['ACC-19', 'UPD-1'];
  }
  if (at === 'body.detail' && model.startsWith('words that name')) return ['BULK-9', 'BULK-10'];
  if (at === 'header.content-type' && model === 'text/plain') return ['ERR-2', 'ERR-1a'];
  const hasRegion = calls.some(({ body }) => hasSymbol(body, 'phone_region'));
  if (hasRegion && /^body\.(rows\.\d+\.)?phone$/.test(at)) return ['ACC-12'];
  if (model === 'no such member' && /Transaction/.test(operation)) {
    return at === 'body.reason' ? ['TXS-19', 'TXN-9'] : ['TXN-9'];
  }
  return PLACES.find(([pattern]) => pattern.test(at))?.[1] ?? [];
}

/** What another call was answered rightly about the same record is no fault of its making. */
function hasBeenShown({ found, others, difference, member }: Evidence): boolean {
  const { model, target } = found.duel;
  return others.some(({ n }) => {
    const [due, came] = [model, target].map(({ outcomes }) => answerOf(outcomes.get(n))?.json);
    const shown = memberAt(due, member);
    return (
      shown !== undefined &&
      JSON.stringify(shown) === difference.model &&
      isAlike(shown, memberAt(came, member))
    );
  });
}

/** ACC-5: a call that only finds a record has put there what it says itself. */
function isChangedByIt({ call, member, difference }: Evidence): boolean {
  const sent = bodyOf(call)[member];
  if (sent === undefined) return member === '' || member === 'id' || member === 'revision';
  return typeof sent === 'string'
    ? difference.target === JSON.stringify(sent)
    : stemsIn(sent).some((each) => difference.target.includes(each));
}

/** What holds of a record's form as a whole, where a member is of another type or is not there. */
const FORMS: Readonly<Record<string, string>> = {
  account: 'ACC-18',
  transaction: 'TXN-8',
  subscription: 'HOOK-2',
  problem: 'ERR-1a',
};

function shapeRules({ operation, at, model, target }: Difference, kind: string, member: string) {
  // HOOK-1, HOOK-4: the secret is what the call is for.
  if (!at.startsWith('body.') || member === 'secret') return [];
  const [own, due] = [typeOf(target), typeOf(model)];
  const isMissing = own === 'nothing' && due === 'null';
  const isOpen = [own, due].includes('null') || due === 'words' || due === 'nothing';
  if (own === due || (isOpen && !isMissing)) return [];
  // CONV-3: what the reads give has forms of its own.
  if (operation.startsWith('list') && kind !== 'subscription') return ['CONV-3'];
  const form = FORMS[kind] === undefined ? [] : [FORMS[kind]];
  if (own === 'nothing') return form;
  if (/(^|_)id$/.test(member) && due === 'string') return ['CONV-1a', ...form];
  if (member === 'amount') return ['CONV-2a', ...form];
  return member === 'created_at' ? ['CONV-4', ...form] : form;
}

function typeOf(text: string): string {
  if (text === 'nothing' || text === 'null') return text;
  if (text.startsWith('"')) return 'string';
  if (/^(true|false)$/.test(text)) return 'boolean';
  return /^-?\d/.test(text) ? 'number' : /^[[{]/.test(text) ? 'other' : 'words';
}
