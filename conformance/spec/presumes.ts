// What each rule presumes: if a presumed rule deviates, it explains the finding, which is then
// reported under it ("follows from IDEM-4b"). Nothing else guards against duplicate reports.
import type { RuleId } from '../../fixtures/rules.ts';
import { OPERATIONS, type OperationName, SCOPED_NAMES } from './operations.ts';

/** What the evidence of a finding is about: its operations, and answers of some kinds. */
export type Topic =
  | OperationName
  | `${OperationName} served`
  | 'nothing served'
  | 'an account read back'
  | 'a transaction read back'
  | 'a transaction refused as invalid'
  | 'a key demanded by a webhook route'
  | 'a refusal without a code'
  | 'a 429 without a code';

/** Findings against these rules, or against any rule, but only about one of the topics. */
type Row = readonly [
  rules: readonly RuleId[] | 'any',
  presume: readonly RuleId[],
  topics?: readonly Topic[],
];

/** A repeated request gets the first answer. */
export const REPLAYS: readonly RuleId[] = ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'];
/** A create that runs again finds a known reference, and returns 200 instead of 201. */
const RUNS: readonly RuleId[] = ['ACC-5', 'TXN-2', 'BULK-3'];
const SUBJECTS_OF_ONE: readonly Topic[] = ['createAccount', 'createTransaction', 'updateAccount'];

const ROWS: readonly Row[] = [
  // The API has no read of one record except a create with its reference.
  ['any', ['ACC-5'], ['an account read back']],
  ['any', ['TXN-2'], ['a transaction read back']],
  // A webhook route that requires a key does nothing without one.
  ['any', ['HOOK-1'], ['a key demanded by a webhook route']],
  ['any', ['ERR-1a'], ['a refusal without a code']],
  ['any', ['LIM-6'], ['a 429 without a code']],

  [['IDEM-1c', 'IDEM-2a', 'IDEM-2b', 'IDEM-2c', 'IDEM-3', 'IDEM-7a', 'IDEM-8'], REPLAYS],
  [['IDEM-9a', 'IDEM-9b', 'IDEM-10', 'IDEM-14a', 'IDEM-14b', 'IDEM-15'], REPLAYS],
  // Both rules are about corrected requests, and presume that refusals are recorded at all.
  [
    ['IDEM-11', 'IDEM-13'],
    ['IDEM-2c', 'IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-8'],
  ],
  [['IDEM-14a'], ['IDEM-2c']],
  [['IDEM-14b'], ['IDEM-14a']],
  // If no key is required at all, it is not required first either.
  [['IDEM-1d'], ['IDEM-1a']],
  [['IDEM-4d'], ['IDEM-5']],
  [['IDEM-11'], ['UPD-7']],
  [['IDEM-13'], ['ACC-8', 'ACC-9']],
  // Two bodies with one subject differ only in members outside the subject.
  [['IDEM-2c'], ['IDEM-8'], SUBJECTS_OF_ONE],
  // If a taken email is answered with its account, that looks like a replay.
  [['IDEM-2c'], ['IDEM-2a', 'ACC-8'], ['createAccount']],
  [['IDEM-8'], ['IDEM-10']],
  [['IDEM-8'], ['POS-2'], ['openPosition', 'closePosition']],
  [['IDEM-1b', 'IDEM-2b', 'IDEM-7b', 'IDEM-9b', 'IDEM-15'], RUNS],
  [['IDEM-2c', 'IDEM-9a'], RUNS, ['bulkCreateAccounts']],
  [['IDEM-9a'], ['IDEM-9b']],
  // The records of a batch are read by sending it again.
  [['IDEM-4c', 'IDEM-15'], [...RUNS, 'BULK-11'], ['bulkCreateAccounts']],
  [['IDEM-15'], ['UPD-1']],

  // The answers to consecutive decisions on a plain deposit.
  [['TXS-18'], ['TXS-1']],
  [
    ['TXS-5', 'TXS-12'],
    ['TXS-1', 'TXS-6', 'TXS-8'],
  ],
  [['TXS-7'], ['TXS-6']],
  [['TXS-9'], ['TXS-8']],
  [['TXS-15'], ['CONV-1c']],
  [['TXS-11', 'TXS-13', 'TXS-14'], ['TXS-10']],
  [['TXS-10'], ['TXS-4']],
  [['TXS-2'], ['TXS-1']],
  [['TXN-2'], ['TXS-5', 'TXS-6', 'TXS-8']],
  // Members are compared in any notation.
  [['TXN-2', 'TXS-1', 'TXS-2', 'TXS-6', 'TXS-7', 'TXS-8', 'TXS-9', 'TXS-10'], ['TXN-8']],
  [['TXS-11', 'TXS-12', 'TXS-13', 'TXS-14', 'TXS-18'], ['TXN-8']],

  // The stored values of an account are read from its members.
  [['ACC-1', 'ACC-5', 'ACC-13', 'ACC-14', 'UPD-2', 'UPD-3', 'UPD-7'], ['ACC-18']],
  [['ACC-13', 'ACC-14', 'ACC-20', 'BULK-8'], ['ACC-5']],
  [['UPD-1', 'UPD-2', 'UPD-3', 'UPD-4'], ['ACC-5']],
  [['ACC-5', 'UPD-1'], ['ACC-7']],
  [['ACC-13'], ['ACC-1']],
  // If phones are returned as sent, the effect of the region cannot be seen.
  [['ACC-12'], ['ACC-5', 'ACC-11', 'BULK-3']],
  // A national number belongs to an account only within its region.
  [['ACC-9'], ['ACC-12']],
  [['ACC-11'], ['ACC-10'], ['createAccount']],
  // The result of a row with a known reference, and whether a successful row has an id.
  [['ACC-6'], ['ACC-5', 'BULK-3', 'BULK-11'], ['bulkCreateAccounts']],
  [['BULK-7'], ['ACC-5', 'BULK-3', 'BULK-11', 'BULK-12']],
  [['BULK-11'], ['ACC-5', 'BULK-5']],
  [['BULK-12'], ['ACC-5', 'ACC-6', 'BULK-3', 'BULK-5', 'BULK-11']],
  [['BULK-3'], ['AUTH-8', 'BULK-1', 'BULK-8']],
  [['BULK-8'], ['BULK-12']],
  // A field cannot be tested with a tag that does not belong to the account.
  [['UPD-3', 'UPD-4'], ['ACC-19']],
  [['UPD-1', 'UPD-8', 'UPD-12'], ['UPD-3']],
  [['UPD-7'], ['UPD-1']],
  [['UPD-4', 'UPD-5', 'UPD-8', 'UPD-12'], ['UPD-1'], ['an account read back']],
  // If no update of a race is applied, the race is not the cause.
  [['UPD-12'], ['UPD-1', 'UPD-7'], ['nothing served']],
  // A stale update of a different member than the last update.
  [['UPD-7'], ['UPD-3']],
  // An update that changes more than it names is never an update without changes.
  [['UPD-8'], ['UPD-2', 'UPD-11', 'ACC-19']],

  // A body is parsed before its members are checked; a number as an amount fails to parse.
  [['TXN-1', 'ERR-1a', 'ERR-1b', 'ERR-3'], ['CONV-2b'], ['createTransaction']],
  [['TXN-2'], ['TXN-6', 'TXN-7']],
  [['TXN-7'], ['TXN-6'], ['a transaction refused as invalid']],
  [['TXN-11'], ['TXN-10']],
  [['ERR-2'], ['HOOK-1'], ['createWebhook']],
  [['AUTH-3b'], ['ERR-3']],
  [['LIM-6'], ['AUTH-3b'], ['issueToken']],

  // An operation that requires no scope at all breaks another rule.
  ...SCOPED_NAMES.map((name): Row => {
    return [['AUTH-4'], [OPERATIONS[name].scopeRule], [`${name} served`]];
  }),
  // A record that a credential cannot reach looks unknown to every operation, or to none.
  [
    ['UPD-5', 'UPD-6'],
    ['AUTH-6', 'AUTH-7'],
  ],
  [['UPD-5'], ['UPD-6']],

  [['HOOK-1'], ['HOOK-4'], ['rotateWebhookSecret']],
  // A subscription that is bound to the wrong brand may be out of reach, or get other events.
  [['HOOK-4', 'HOOK-5', 'HOOK-11', 'EVT-10a', 'EVT-12'], ['HOOK-10']],
  [['EVT-12'], ['EVT-4']],
  // The refusal of a request for a record out of reach.
  [['HOOK-11'], ['AUTH-6', 'ERR-3', 'HOOK-12']],
  [['HOOK-12'], ['UPD-5', 'ERR-3']],
  [['HOOK-13', 'EVT-11'], ['HOOK-5']],
  [['EVT-11'], ['HOOK-8']],

  // Values that are read from a delivery: its envelope, its signature.
  [['EVT-2a', 'EVT-2b', 'EVT-10a', 'EVT-10b'], ['EVT-3']],
  [
    ['EVT-5b', 'EVT-6', 'EVT-7'],
    ['EVT-3', 'EVT-5a'],
  ],
  [['EVT-7'], ['EVT-6', 'HOOK-4']],
  // Whether a failure is noticed at all shows only when the event is sent again.
  [['EVT-9a', 'EVT-9b'], ['EVT-8a']],

  // The refill is measured by requests that succeed between refusals, so refusals must cost nothing.
  [['LIM-1', 'LIM-2', 'LIM-4', 'LIM-10'], ['LIM-5']],
  [
    ['LIM-4', 'LIM-10'],
    ['LIM-1', 'LIM-2'],
  ],
  [['LIM-11'], ['LIM-2', 'LIM-3']],
];

/** Judges the response to a create with a known reference. */
const OF_KNOWN_REFERENCES: readonly RuleId[] = ['IDEM-12'];

/** The rules that a finding presumes, given what its evidence is about. */
export function presumedBy(rule: RuleId, about: readonly Topic[]): RuleId[] {
  return ROWS.flatMap(([rules, presume, topics]) => {
    const isConcerned =
      rules === 'any' ? !OF_KNOWN_REFERENCES.includes(rule) : rules.includes(rule);
    const isAbout = topics?.some((topic) => about.includes(topic)) ?? true;
    return isConcerned && isAbout ? presume.filter((each) => each !== rule) : [];
  });
}

/**
 * Rules that apply to each operation separately: a finding about one operation does not explain
 * a finding about another. The request id of a replay is the same matter for all (IDEM-5).
 */
const FOR_EACH_OPERATION = /^(IDEM-(?!5$)|AUTH-|CONV-)/;

/** Whether a deviation of a rule, seen about some topics, can explain a finding about others. */
export function explains(rule: RuleId, seenAbout: readonly Topic[], about: readonly Topic[]) {
  const [seenOn, operations] = [seenAbout, about].map((each) => each.filter(isOperation));
  if (!FOR_EACH_OPERATION.test(rule) || !seenOn?.length || !operations?.length) return true;
  return seenOn.some((name) => operations.includes(name));
}

function isOperation(topic: Topic): topic is OperationName {
  return Object.hasOwn(OPERATIONS, topic);
}
