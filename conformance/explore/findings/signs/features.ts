// What the sequence could not be made without says what it is about: another way to write a name, a
// member that is not there, another brand, another row.
import { memberAt } from '../../../engine/send/answer.ts';
import { rulesOf } from '../../compare/difference.ts';
import type { CallStep } from '../../sequence.ts';
import {
  answerOf,
  bodyOf,
  type Evidence,
  hasSymbol,
  isPlainEmail,
  type Members,
  rowsOf,
  stemsIn,
} from './evidence.ts';

/** Whose reach it is that ends. */
const OUT_OF_REACH: Readonly<Record<string, readonly string[]>> = {
  brand: ['AUTH-6'],
  other_brand: ['AUTH-6'],
  other_firm: ['AUTH-7'],
  delegated: ['AUTH-5'],
};

export function reachRules({ call, steps }: Evidence): readonly string[] {
  const minted = steps.flatMap((step) =>
    step.do === 'mint' && step.name === call?.as ? [step] : [],
  );
  // AUTH-5: a token of its own with a trader's scopes reaches as far as any other, or its account.
  if (minted.some(({ wish }) => wish.scopes?.some((scope) => scope.startsWith('trader:')))) {
    return ['AUTH-5'];
  }
  return OUT_OF_REACH[call?.as ?? ''] ?? [];
}

/** A create that finds what it should not, or does not find what it should. */
export function createRules(evidence: Evidence): readonly string[] {
  const { difference, call, due, came } = evidence;
  if (call === undefined || difference.at !== 'status') return [];
  const isCreate = (answer: string) => /^(200|201|409 invalid_state)$/.test(answer);
  if (due === came || !isCreate(due) || !isCreate(came)) return [];
  if (call.operation === 'createTransaction') return transactionRules(evidence);
  return call.operation === 'createAccount' ? accountRules(evidence, bodyOf(call)) : [];
}

function transactionRules({ due, came, call, others }: Evidence): readonly string[] {
  const stems = stemsIn(bodyOf(call).client_reference_id);
  const isKnown = others.some((each) => stemsIn(each.body).some((stem) => stems.includes(stem)));
  return isKnown && [due, came].includes('200') ? ['TXN-2'] : [];
}

/** ACC-5 to ACC-10: by which of its names the person was taken for another, or was not. */
function accountRules(evidence: Evidence, body: Members) {
  const { due, came, others } = evidence;
  const before = others.flatMap((each) => rowsOf(each)).map(oneOf);
  const stems = new Set(before.flatMap(stemsIn));
  const isShared = (name: string) => stemsIn(body[name]).some((each) => stems.has(each));
  // ACC-5: taken for known by a reference that an earlier one has had, or is much like.
  if (due.startsWith('409') && came === '200' && isShared('client_reference_id')) {
    return ['ACC-5', 'ACC-1'];
  }
  // ACC-12: a number that shrinking could not tell without a region.
  const hasRegion = [body, ...before].some((each) => 'phone_region' in each);
  if (due.startsWith('409') && hasRegion) return ['ACC-12', 'ACC-9'];
  // What the model refuses it refuses by a rule.
  if (due.startsWith('409')) return [];
  const shared = ['client_reference_id', 'email', 'phone'].filter(isShared);
  const byReference = shared.includes('client_reference_id');
  const places = new Set([body, ...before].map(({ brand_id }) => JSON.stringify(brand_id)));
  if (byReference && [due, came].includes('200')) {
    if (hasSymbol([body, before], '$case')) return ['ACC-6', 'ACC-5'];
    // ACC-7: it needs an update to lose its name.
    const isUpdated = others.some(({ operation }) => operation === 'updateAccount');
    if (isUpdated && due === '200') return ['ACC-7', 'ACC-5'];
    if (places.size === 1) return ['ACC-5'];
    // AUTH-6: the reference is one of several, at other brands.
    return due === '201' ? ['AUTH-6', 'ACC-17', 'ACC-5'] : [...reachRules(evidence), 'ACC-5'];
  }
  if (!came.startsWith('409')) return [];
  if (places.size > 1) return ['ACC-10'];
  if (shared.includes('phone') && !shared.includes('email')) return ['ACC-9'];
  return shared.includes('email') ? ['ACC-8'] : ['ACC-9', 'ACC-8'];
}

/** Members of a create, and the rule that wants them. */
const WANTED: Readonly<Record<string, readonly (readonly [member: string, rule: string])[]>> = {
  createAccount: [
    ['client_reference_id', 'ACC-3'],
    ['email', 'ACC-3'],
  ],
  bulkCreateAccounts: [],
  createTransaction: [['transaction_type', 'TXN-7']],
  rejectTransaction: [['reason', 'TXS-14']],
  cancelTransaction: [['reason', 'TXS-14']],
};

/** What should have been refused as it was not: the member that is wrong in it. */
export function wrongMemberRules(evidence: Evidence): readonly string[] {
  const { call, due, came, difference } = evidence;
  if (call === undefined || (due === came && difference.at === 'code')) return [];
  const cited = rulesOf(difference.basis);
  const own = faultsIn(call).filter((each) => cited.includes(each));
  if (!due.startsWith('4') || !due.endsWith('text/plain')) return own;
  const body = bodyOf(call);
  // ERR-2: what is sent as it stands lacks nothing, it cannot be read.
  const wanted = call.raw === undefined ? (WANTED[call.operation] ?? []) : [];
  const missing = wanted.filter(([member]) => !(member in body)).map(([, rule]) => rule);
  const numbers = hasNumberId(call.body) ? ['CONV-1b'] : [];
  return [...own, ...missing, ...numbers, ...(due === came ? ['ERR-2'] : [])];
}

/** Of several rules that a call offends those that are easy to see in it. */
function faultsIn({ operation, id, ifMatch, body }: CallStep): readonly string[] {
  const sent = Object.keys(bodyOf({ body } as CallStep));
  const isOddId = typeof id === 'string' && !/^\d+$/.test(id);
  const isOddTag =
    typeof ifMatch === 'string' ? !/^"\d+"$/.test(ifMatch) : hasSymbol(ifMatch, '$join');
  const isContact =
    operation === 'updateAccount' && (sent.includes('email') || sent.includes('phone'));
  return [
    ...(isOddId ? ['CONV-1c'] : []),
    ...(isOddTag ? ['UPD-9'] : []),
    ...(isContact ? ['UPD-11'] : []),
  ];
}

function hasNumberId(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(
    ([name, each]) =>
      (/(^|_)id$/.test(name) && (typeof each === 'number' || hasSymbol(each, '$number'))) ||
      hasNumberId(each),
  );
}

/** Members that shrinking could not leave out, or make plain, are what was refused. */
export function refusedMemberRules({ call, due, came }: Evidence): readonly string[] {
  if (due !== '201' || !came.startsWith('422')) return [];
  const body = bodyOf(call);
  if (call?.operation === 'createAccount') {
    if ('phone' in body) return ['ACC-11'];
    if ('country' in body || 'language' in body) return ['ACC-14'];
    if (hasSymbol(body.client_reference_id, 'length')) return ['ACC-2'];
    // ACC-4: whatever stands around its @.
    if (!isPlainEmail(body.email)) return ['ACC-4', 'ACC-1'];
    // ACC-1: one that nothing is wrong with but that it means something to somebody.
    if (stemsIn(body.client_reference_id).length === 0) return ['ACC-1', 'ACC-2'];
    // What is plain in everything is refused for what is not there: a name, or a brand.
    return 'brand_id' in body ? ['ACC-13', 'ACC-1'] : ['ACC-17'];
  }
  if (call?.operation !== 'createTransaction') return [];
  if (body.transaction_type !== 'Deposit') return ['TXN-7'];
  // CONV-2b: a body of nothing but strings is called unreadable.
  return came.endsWith('text/plain') ? ['CONV-2b'] : ['TXN-6'];
}

/** So many rows that it is their number that shows (BULK-7). */
const NEAR_THE_MOST = 900;

/** BULK-8, BULK-12: a row that came out otherwise for the sake of another row. */
export function rowRules(evidence: Evidence): readonly string[] {
  const { difference, call, found } = evidence;
  if (call?.operation !== 'bulkCreateAccounts' || !/^body\.rows\.\d+\./.test(difference.at))
    return [];
  const rows = rowsOf(call);
  const names = rows.filter((each) => !('$rows' in each)).map(nameOf);
  const isTwice = new Set(names).size < names.length;
  // BULK-5: of a row that failed as it should, what is said of it.
  if (/\.(code|detail)$/.test(difference.at)) return [];
  if (!difference.at.endsWith('.status')) return isTwice ? ['BULK-12'] : [];
  // What is made once, though it is asked for twice at once.
  if (evidence.isAtOnce) return ['IDEM-12', 'ACC-5'];
  const isTaken = [difference.target, difference.model].includes('409');
  const at = Number(difference.at.split('.')[2]);
  const taken = isTaken ? takenIn(rows, at) : [];
  // BULK-12: by one of the names that stand there twice, or for their sake.
  const own = rowAt(rows, at);
  const isOfTwins = own !== undefined && names.filter((each) => each === nameOf(own)).length > 1;
  if (isOfTwins || (isTwice && taken.length === 0)) return ['BULK-12', 'BULK-8'];
  if (taken.length > 0)
    return [...(failsBeside(evidence, at) ? ['BULK-8'] : []), ...taken, 'BULK-3'];
  // BULK-7: as many as these are served like one.
  if (countOf(rows) >= NEAR_THE_MOST) return ['BULK-7', 'BULK-3'];
  const alone = countOf(rows) > rows.length ? ownRules(evidence, own) : [];
  if (alone.length > 0) return [...alone, 'BULK-3'];
  // AUTH-8: what the firm might do is what an earlier call was told.
  const isForbidden =
    difference.model === '403' && evidence.steps.some((each) => each.do === 'permit');
  if (isForbidden && evidence.others.length > 0) return ['AUTH-8', 'BULK-3'];
  if (rows.length < 2) return resubmittedRules(evidence, rows);
  // BULK-3: it should have failed for its own sake.
  if (Number(difference.model) >= 400) return ['BULK-3', 'BULK-8'];
  const due = answerOf(found.duel.model.outcomes.get(call.n));
  const statuses = (memberAt(due?.json, 'rows') as readonly Members[] | undefined) ?? [];
  const hasFailed = statuses.some(({ status }) => Number(status) >= 400);
  return hasFailed ? ['BULK-8'] : [];
}

/** BULK-8: whether it takes a row that fails for its own sake, among rows that are few. */
function failsBeside({ found, call }: Evidence, at: number): boolean {
  if (call === undefined || rowsOf(call).some((each) => '$rows' in each)) return false;
  const due = answerOf(found.duel.model.outcomes.get(call.n));
  const rows = (memberAt(due?.json, 'rows') as readonly Members[] | undefined) ?? [];
  return rows.some(({ status }, index) => index !== at && Number(status) >= 400);
}

const sizeOf = ({ $rows }: Members): number => ($rows === undefined ? 1 : Number($rows));

const countOf = (rows: readonly Members[]): number =>
  rows.reduce((sum, row) => sum + sizeOf(row), 0);

/** Of rows that are told by their number, what each of them is. */
const oneOf = (row: Members): Members => ('$rows' in row ? (row.of as Members) : row);

/** What is told of the row that is answered at this place. */
function rowAt(rows: readonly Members[], at: number): Members | undefined {
  let before = 0;
  return rows.find((row) => {
    before += sizeOf(row);
    return at < before;
  });
}

/** BULK-3: what a create of its own would be called, of a row that is told by itself. */
function ownRules(evidence: Evidence, row: Members | undefined): readonly string[] {
  const { model: due, target: came } = evidence.difference;
  if (row === undefined || '$rows' in row) return [];
  return accountRules({ ...evidence, due, came }, row);
}

/** ACC-8, ACC-9: which name the row has in common with another, where it is one alone. */
function takenIn(rows: readonly Members[], at: number): readonly string[] {
  const row = rowAt(rows, at);
  const others = rows.filter((each) => each !== row);
  const isShared = (name: string) => {
    const stems = new Set(stemsIn(row?.[name]));
    return others.some((each) => stemsIn(each[name]).some((stem) => stems.has(stem)));
  };
  const [byEmail, byPhone] = ['email', 'phone'].map(isShared);
  if (byEmail === byPhone) return [];
  return byEmail ? ['ACC-8'] : ['ACC-9'];
}

/** ACC-6: whatever the case of its letters. */
const nameOf = ({ client_reference_id }: Members): string =>
  JSON.stringify(inOneCase(client_reference_id)).toLowerCase();

function inOneCase(name: unknown): unknown {
  const { $case, of } = (name ?? {}) as { readonly $case?: unknown; readonly of?: unknown };
  return $case === undefined ? (name ?? null) : inOneCase(of);
}

/** BULK-11: a row that landed in an earlier batch. */
function resubmittedRules({ difference, others }: Evidence, [row]: readonly Members[]) {
  const stems = stemsIn(row?.client_reference_id);
  const isAgain = others.some(
    (each) =>
      each.operation === 'bulkCreateAccounts' &&
      rowsOf(each).some((earlier) => stemsIn(earlier).some((stem) => stems.includes(stem))),
  );
  return isAgain && difference.model === '200' ? ['BULK-11'] : [];
}
