// What each rule takes for granted: where one of those deviates, that is the reason, and a finding
// against this rule is reported under it ("follows from IDEM-4b").
import type { RuleId } from '../../fixtures/rules.ts';
import type { OperationName } from './operations.ts';

interface Presumption {
  readonly rules: readonly RuleId[];
  /** Only findings whose evidence is about one of these operations; all when absent. */
  readonly on?: readonly OperationName[];
  readonly presume: readonly RuleId[];
}

/** The repeat of a request gets the first answer. */
const REPLAYS: readonly RuleId[] = ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'];
/** A create that runs finds a known reference, and says 200 and not 201. */
const RUNS: readonly RuleId[] = ['ACC-5', 'TXN-2', 'BULK-3'];

const PRESUMES: readonly Presumption[] = [
  {
    rules: ['IDEM-1c', 'IDEM-2a', 'IDEM-2b', 'IDEM-2c', 'IDEM-3', 'IDEM-7a', 'IDEM-8', 'IDEM-9a'],
    presume: REPLAYS,
  },
  { rules: ['IDEM-9b', 'IDEM-10', 'IDEM-14a', 'IDEM-14b', 'IDEM-15'], presume: REPLAYS },
  // That refusals are kept at all is what these two say of a request that is put right.
  { rules: ['IDEM-11', 'IDEM-13'], presume: ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-8'] },
  { rules: ['IDEM-11', 'IDEM-13', 'IDEM-14a'], presume: ['IDEM-2c'] },
  { rules: ['IDEM-11'], presume: ['UPD-7'] },
  { rules: ['IDEM-13'], presume: ['ACC-8', 'ACC-9'] },
  // A refusal that is made again has a number of its own, as has a replay that is given another.
  { rules: ['IDEM-4d'], presume: ['IDEM-5'] },
  { rules: ['IDEM-14b'], presume: ['IDEM-14a'] },
  // Two bodies of one subject differ in what is no part of it.
  {
    rules: ['IDEM-2c'],
    on: ['createAccount', 'createTransaction', 'updateAccount'],
    presume: ['IDEM-8'],
  },
  // An email that is taken, answered with its account, reads like the first answer.
  { rules: ['IDEM-2c'], on: ['createAccount'], presume: ['IDEM-2a', 'ACC-8'] },
  { rules: ['IDEM-8'], presume: ['IDEM-10'] },
  { rules: ['IDEM-8'], on: ['openPosition', 'closePosition'], presume: ['POS-2'] },
  { rules: ['IDEM-1b', 'IDEM-2b', 'IDEM-7b', 'IDEM-9b'], presume: RUNS },
  { rules: ['IDEM-2c', 'IDEM-9a'], on: ['bulkCreateAccounts'], presume: RUNS },
  { rules: ['IDEM-9a'], presume: ['IDEM-9b'] },
  // What a batch made is read by sending it again.
  { rules: ['IDEM-4c', 'IDEM-15'], on: ['bulkCreateAccounts'], presume: [...RUNS, 'BULK-11'] },
  { rules: ['IDEM-15'], presume: ['UPD-1', ...RUNS] },

  // What decisions answer to a plain deposit, one after the other.
  { rules: ['TXS-18'], presume: ['TXS-1'] },
  { rules: ['TXS-5', 'TXS-12'], presume: ['TXS-1', 'TXS-6', 'TXS-8'] },
  { rules: ['TXS-7'], presume: ['TXS-6'] },
  { rules: ['TXS-9'], presume: ['TXS-8'] },
  { rules: ['TXS-15'], presume: ['CONV-1c'] },

  { rules: ['TXS-11', 'TXS-14'], presume: ['TXS-10'] },
  { rules: ['TXS-2'], presume: ['TXS-1', 'TXN-8'] },
  { rules: ['TXN-2'], presume: ['TXS-5', 'TXS-6', 'TXS-8'] },

  // An account is read by a create of its known reference, and what it keeps by its members.
  { rules: ['ACC-13', 'ACC-14', 'ACC-20', 'UPD-1', 'BULK-8'], presume: ['ACC-5'] },
  { rules: ['ACC-1', 'ACC-13', 'ACC-14', 'UPD-2', 'UPD-3'], presume: ['ACC-18'] },
  { rules: ['UPD-2', 'UPD-3', 'UPD-4'], presume: ['ACC-5'] },
  { rules: ['ACC-5', 'UPD-1'], presume: ['ACC-7'] },
  { rules: ['ACC-13'], presume: ['ACC-1'] },
  // If phones are compared or answered as they were typed, two would be the same person.
  { rules: ['ACC-12'], presume: ['ACC-5', 'ACC-9', 'ACC-11', 'BULK-3'] },
  { rules: ['ACC-11'], on: ['createAccount'], presume: ['ACC-10'] },
  // What a known reference is answered in a row, and whether a row that landed has an id.
  { rules: ['ACC-6'], on: ['bulkCreateAccounts'], presume: ['ACC-5', 'BULK-3', 'BULK-11'] },
  { rules: ['BULK-7'], presume: ['ACC-5', 'BULK-3', 'BULK-11', 'BULK-12'] },
  { rules: ['BULK-11'], presume: ['ACC-5', 'BULK-5'] },
  { rules: ['BULK-12'], presume: ['ACC-5', 'ACC-6', 'BULK-3', 'BULK-5', 'BULK-11'] },
  { rules: ['BULK-3'], presume: ['BULK-8'] },
  { rules: ['BULK-8'], presume: ['BULK-12'] },
  // A field cannot be tried under a tag that is not the account's.
  { rules: ['UPD-3', 'UPD-4'], presume: ['ACC-19'] },
  { rules: ['UPD-1', 'UPD-8', 'UPD-12'], presume: ['UPD-3'] },
  { rules: ['UPD-7'], presume: ['UPD-1'] },
  { rules: ['UPD-8'], presume: ['UPD-11'] },

  // A body is read before its members are looked at; a number for an amount is one that is not.
  {
    rules: ['TXN-1', 'ERR-1a', 'ERR-1b', 'ERR-3'],
    on: ['createTransaction'],
    presume: ['CONV-2b'],
  },
  { rules: ['TXN-2'], presume: ['TXN-6', 'TXN-7'] },
  { rules: ['ERR-2'], on: ['createWebhook'], presume: ['HOOK-1'] },
  { rules: ['AUTH-3b'], presume: ['ERR-3'] },
  { rules: ['LIM-6'], on: ['issueToken'], presume: ['AUTH-3b'] },

  // What a credential cannot reach looks unknown to every operation, or to none.
  { rules: ['UPD-5', 'UPD-6'], presume: ['AUTH-6', 'AUTH-7'] },
  { rules: ['UPD-5'], presume: ['UPD-6'] },
  // A stale update of another member than the last one changed.
  { rules: ['UPD-7'], presume: ['UPD-3'] },
  // What changes more than it names is never without a change.
  { rules: ['UPD-8'], presume: ['UPD-2', 'ACC-19'] },
  { rules: ['TXN-11'], presume: ['TXN-10'] },

  { rules: ['HOOK-1'], on: ['rotateWebhookSecret'], presume: ['HOOK-4'] },
  // A subscription that is bound to the wrong brand may be out of reach, or get other events.
  { rules: ['HOOK-4', 'HOOK-5', 'HOOK-11', 'EVT-10a', 'EVT-12'], presume: ['HOOK-10'] },
  // How a request for a record out of reach is refused.
  { rules: ['HOOK-11'], presume: ['AUTH-6', 'ERR-3', 'HOOK-12'] },
  { rules: ['HOOK-12'], presume: ['UPD-5', 'ERR-3'] },
  { rules: ['HOOK-13', 'EVT-11'], presume: ['HOOK-5'] },
  { rules: ['EVT-11'], presume: ['HOOK-8'] },

  // What is read from a delivery: its envelope, its signature.
  { rules: ['EVT-2a', 'EVT-2b', 'EVT-10a', 'EVT-10b'], presume: ['EVT-3'] },
  { rules: ['EVT-5b', 'EVT-6', 'EVT-7'], presume: ['EVT-3', 'EVT-5a'] },
  { rules: ['EVT-7'], presume: ['EVT-6', 'HOOK-4'] },
  // What arrives nowhere is lost to everybody.
  { rules: ['EVT-12'], presume: ['EVT-4'] },
  // That a failure is seen at all: the event comes again.
  { rules: ['EVT-9a', 'EVT-9b'], presume: ['EVT-8a'] },

  // What returns is counted by what is served between refusals, so these must cost nothing.
  { rules: ['LIM-1', 'LIM-2', 'LIM-4', 'LIM-10'], presume: ['LIM-5'] },
  { rules: ['LIM-4', 'LIM-10'], presume: ['LIM-1', 'LIM-2'] },
  { rules: ['LIM-11'], presume: ['LIM-3'] },
];

/**
 * Rules that hold for many operations, each for itself: a finding about one operation does not
 * explain a finding about another. Which number a replay has (IDEM-5) is one matter for all of them.
 */
const FOR_EACH_OPERATION = /^(IDEM-(?!5$)|AUTH-|CONV-)/;

/** The rules that a finding takes for granted, given the operations that its evidence is about. */
export function presumedBy(
  rules: readonly RuleId[],
  operations: readonly OperationName[],
): RuleId[] {
  return PRESUMES.filter(
    (each) =>
      each.rules.some((rule) => rules.includes(rule)) &&
      (each.on === undefined || each.on.some((name) => operations.includes(name))),
  ).flatMap(({ presume }) => presume);
}

export function presumesSomething(rule: RuleId): boolean {
  return PRESUMES.some(({ rules }) => rules.includes(rule));
}

/** Whether a deviation of a rule, seen on some operations, can explain a finding about others. */
export function explains(
  rule: RuleId,
  seenOn: readonly OperationName[],
  operations: readonly OperationName[],
): boolean {
  if (!FOR_EACH_OPERATION.test(rule) || seenOn.length === 0 || operations.length === 0) return true;
  return seenOn.some((name) => operations.includes(name));
}
