// Defects that were written down from the specification alone, before it was looked at what the
// explorer draws.
import type { Family } from './defect.ts';

export const unforeseenCombinations = {
  'comb-closed-frees': [['ACC-8', 'ACC-9'], 'Who is closed no longer holds an email and a phone.'],
  'comb-case-no-change': [
    ['UPD-1', 'UPD-8', 'UPD-3'],
    'An update of the case of letters alone changes nothing.',
  ],
  'comb-hook-upsert': [
    ['EVT-1', 'EVT-4', 'HOOK-1', 'HOOK-2'],
    'A second subscription to one url gives the first its categories.',
  ],
  'comb-batch-joined': [
    ['IDEM-9b', 'IDEM-9a'],
    'The subject of a batch is its texts, one after the other.',
  ],
  'comb-rows-keyed': [
    ['IDEM-3', 'ACC-5'],
    "A row of a batch is kept under the batch's key as a create of that reference.",
  ],
  'comb-amount-signed': [
    ['CONV-2a'],
    'A positive amount that takes money away is shown with a minus.',
  ],
  'comb-approve-again-any': [
    ['TXS-16'],
    'What is approved already is approved whatever account is named.',
  ],
  'comb-brand-apart': [
    ['ACC-8', 'BULK-3'],
    'Emails of those who named their brand are apart from those who named none.',
  ],
  'comb-signed-once': [
    ['EVT-6', 'EVT-7'],
    'All who hear of one event get the signature of the first of them.',
  ],
  'comb-rotate-by-url': [
    ['HOOK-4', 'EVT-6', 'EVT-7'],
    'A rotation gives its secret to all subscriptions to that url.',
  ],
  'comb-ftd-delegated': [['TXS-2'], 'What a delegated token approves is no first deposit.'],
  'comb-known-conflict': [
    ['ACC-5', 'IDEM-12', 'BULK-3', 'BULK-11'],
    "A known reference with another's email or phone is a conflict.",
  ],
  'comb-derived-name-lost': [
    ['UPD-2'],
    'Who is named after the email loses that name when the last name is updated.',
  ],
  'comb-batch-brand-events': [
    ['EVT-12', 'EVT-4'],
    'What a batch makes is told of as of the brand of its first row.',
  ],
  'comb-batch-one-brand': [
    ['ACC-10', 'ACC-8', 'BULK-3'],
    "Emails of a batch are looked for at its first row's brand.",
  ],
  'comb-converged-unrecorded': [
    ['IDEM-4b', 'IDEM-4a', 'IDEM-12'],
    'What a known reference was answered is not kept under its key.',
  ],
  'comb-status-new-refused': [['UPD-4', 'UPD-3', 'UPD-1'], 'No status is followed by New.'],
  'comb-url-once': [
    ['HOOK-1', 'HOOK-7'],
    'The url of what was disabled cannot be subscribed to again.',
  ],
} as const satisfies Family;

export const unforeseenSizes = {
  'size-url-200': [['HOOK-1', 'HOOK-2'], 'Urls are cut to 200 characters.'],
  'size-phone-raw-20': [
    ['ACC-11', 'ACC-9'],
    'Of a phone the first twenty characters are read, spaces included.',
  ],
  'size-failed-details-50': [['BULK-5'], 'After 50 failed rows no reason is given any more.'],
  'size-replay-64k': [['IDEM-4b'], 'A replay of more than 64 KB is printed anew.'],
  'size-channel-100': [['EVT-10b'], 'The channel repeats a hundred events at most.'],
  'size-tokens-5': [['AUTH-3a', 'AUTH-1'], 'A sixth token ends the first.'],
  'size-batch-unrecorded-100': [
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c'],
    'Answers to batches of more than 100 rows are not kept.',
  ],
  'size-notify-8000': [['EVT-4'], 'An event of more than 8000 bytes is lost.'],
  'size-pending-50': [['TXN-1'], 'An account has fifty pending transactions at most.'],
} as const satisfies Family;

export const unforeseenTimes = {
  'time-dormant-quarter': [
    ['UPD-2', 'ACC-20', 'ACC-5', 'UPD-4'],
    'The status of who was left alone for 90 days is Dormant.',
  ],
  'time-known-cached': [
    ['ACC-5', 'ACC-19', 'IDEM-12'],
    'A known reference is answered as it was up to a minute ago.',
  ],
  'time-permission-cached': [['AUTH-8'], "A firm's permissions are looked at once a minute."],
  'time-target-cached': [['EVT-11'], 'What a target resolves to is kept for ten minutes.'],
  'time-token-ban': [['AUTH-3b', 'LIM-7'], 'Who asks for tokens while limited is limited longer.'],
  'time-rotation-restarts': [['EVT-8a', 'EVT-8b'], 'The waits begin anew after a rotation.'],
  'time-age-wraps': [['IDEM-7b'], 'The age of a key is kept in 32 bits of milliseconds.'],
  'time-tag-grace': [['UPD-7', 'UPD-12'], 'For a second the tag before is as good.'],
  'time-queue-ttl': [['EVT-8a', 'EVT-8b'], 'Four hours after an event it is not tried again.'],
} as const satisfies Family;

export const unforeseenRaces = {
  'race-approve-saves': [
    ['UPD-1', 'UPD-2', 'UPD-3'],
    'An approval undoes an update of the account that races it.',
  ],
  'race-delivery-disable': [
    ['HOOK-5', 'HOOK-13', 'EVT-13'],
    'What is disabled while a delivery is on its way is enabled again.',
  ],
  'race-known-places': [
    ['TXN-2', 'IDEM-12'],
    'One reference that races at two accounts or places makes two transactions.',
  ],
  'race-two-batches': [
    ['BULK-12', 'BULK-3', 'BULK-11', 'ACC-5', 'IDEM-12'],
    'Batches that race make one reference twice.',
  ],
  'race-key-credentials': [
    ['IDEM-2b', 'IDEM-14a'],
    'A key that runs for another credential is in flight.',
  ],
  'race-key-decisions': [
    ['IDEM-10', 'IDEM-15', 'IDEM-14a', 'IDEM-4c'],
    'One key decides two transactions of an account that race.',
  ],
  'race-token-budget': [['AUTH-3b'], 'Token requests that race all pass.'],
  'race-both-refused': [['ACC-1', 'ACC-8'], 'One email under racing references is refused to all.'],
  'race-compensation-lost': [
    ['TXS-10'],
    'Of two reversals that race at one trading account one moves no money.',
  ],
  'race-phone-brands': [
    ['ACC-10', 'ACC-9'],
    'One phone that races at two brands is refused at the second.',
  ],
  'race-crowd-500': [
    ['IDEM-15', 'ERR-3', 'ACC-1', 'UPD-12', 'TXN-1'],
    'The fifth of racing calls and those after it fail.',
  ],
} as const satisfies Family;
