// Which rules a difference is about: those of the member or header that differs first, then those
// that the model's answer rests on.
import { type Difference, rulesOf } from '../compare/difference.ts';
import { callsOf } from '../sequence.ts';
import type { Found } from './investigate.ts';
import { storyOf } from './story.ts';

/** Rules of a place in an answer, whatever the operation; the first that fits. */
const PLACES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^header\.etag$/, ['ACC-19', 'UPD-1']],
  [/^header\.x-request-id$/, ['ERR-4', 'IDEM-5']],
  [/^header\.content-type$/, ['ERR-1a', 'ERR-2']],
  [/^replay\./, ['IDEM-4b']],
  [/^envelope\.id$/, ['EVT-2a', 'EVT-2b']],
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
    status: ['TXS-1', 'TXS-13', 'TXN-1'],
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
  const shape = isReplayed ? [] : shapeRules(difference, kind, member);
  return [...new Set([...shape, ...arrivalRules(found), ...storyOf(found, member), ...cites])];
}

/** What came after a disabling, what is lost as soon as it happens, a secret that is not new. */
function arrivalRules({ difference, sequence: { steps } }: Found): readonly string[] {
  const { at, n, operation, target, model } = difference;
  // HOOK-4: the secret of a rotation is there, and is no new one.
  if (operation === 'rotateWebhookSecret' && /secret$/.test(at)) return ['HOOK-4'];
  if (operation !== 'delivery' || at !== 'count') return [];
  if (Number.parseInt(target, 10) > Number.parseInt(model, 10)) {
    const isDisabled = callsOf(steps).some((each) => each.operation === 'disableWebhook');
    return isDisabled ? ['EVT-13', 'HOOK-5'] : [];
  }
  // EVT-8a: what the timetable brings is missed when time is moved on.
  return steps.some((step) => step.do === 'advance' && step.n === n) ? [] : ['EVT-4'];
}

/** What holds of a record's form as a whole, where a member is of another type or is not there. */
const FORMS: Readonly<Record<string, string>> = {
  account: 'ACC-18',
  transaction: 'TXN-8',
  subscription: 'HOOK-2',
  problem: 'ERR-1a',
};

function shapeRules({ at, model, target }: Difference, kind: string, member: string) {
  if (!at.startsWith('body.')) return [];
  const [own, due] = [typeOf(target), typeOf(model)];
  const isOpen = [own, due].includes('null') || due === 'words' || due === 'nothing';
  if (own === due || isOpen) return [];
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

function isAfterUpdate(steps: Found['sequence']['steps']): boolean {
  return callsOf(steps).some(({ operation }) => operation === 'updateAccount');
}
