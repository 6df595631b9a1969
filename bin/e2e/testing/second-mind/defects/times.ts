// Defects that show after time, or when two calls come at once.
import type { Family } from './defect.ts';

export const timeDefects = {
  'time-rejected-reopens': [['TXS-5', 'TXS-7'], 'What was rejected 30 days ago is approved.'],
  'time-provider-opens': [['TXS-3'], 'A withdrawal by a provider is approved a day on.'],
  'time-pending-expires': [['TXS-1'], 'What was pending for 30 days cannot be approved.'],
  'time-key-midnight': [['IDEM-7a'], 'Keys are forgotten at midnight.'],
  'time-waits-from-first': [['EVT-8a'], 'Every wait is counted from the first attempt.'],
  'time-batch-hour': [['IDEM-7a'], 'Answers to batches are kept for an hour.'],
  'time-fixed-window': [
    ['LIM-2', 'LIM-1'],
    'The allowance comes back as a whole with each full second.',
  ],
  'time-rotation-reverts': [['EVT-6'], 'When a rotation is over, the secret before it signs.'],
  'time-transaction-week': [
    ['TXN-2', 'IDEM-12'],
    "A transaction's reference is free after a week.",
  ],
  'time-pause-saves': [['LIM-2'], 'After a pause of ten seconds ten seconds are saved up.'],
  'time-pause-free': [['LIM-2', 'LIM-1'], 'After a pause of ten seconds nothing is limited.'],
  'time-idle-empty': [['LIM-7', 'LIM-2'], 'After an idle hour the first request is limited.'],
  'time-converge-day': [
    ['ACC-5', 'IDEM-12', 'IDEM-7b', 'ACC-7'],
    'A day later a known reference makes a new account.',
  ],
  'time-reference-month': [['ACC-7', 'ACC-5'], 'References are forgotten after 30 days.'],
  'time-email-two-days': [['ACC-8'], 'An email is free again after two days.'],
  'time-key-slides': [['IDEM-7b'], 'Each replay keeps the key for another day.'],
  'time-refusal-hour': [['IDEM-7a', 'IDEM-4d'], 'Refusals are kept for an hour.'],
  'time-settled-forgets': [['TXS-1', 'TXS-13'], 'A settled transaction reads approved a week on.'],
  'time-cancelled-settles': [
    ['TXS-13', 'TXS-9'],
    'What was cancelled reads settled again an hour later.',
  ],
  'time-ftd-quarter': [['TXS-2'], 'After 90 days a deposit is a first one again.'],
  'time-disabled-week': [['HOOK-13'], 'What is disabled is enabled again after a week.'],
  'time-seventh-wait': [['EVT-8a'], 'The seventh attempt comes after 4 hours.'],
  'time-in-flight-repeats': [
    ['IDEM-14b', 'IDEM-14a'],
    'An attempt is given up 10 seconds after it was asked for again.',
  ],
  'time-token-budget-hour': [['AUTH-3b'], 'After an idle hour twenty tokens are issued.'],
  'time-tag-hour': [['UPD-1', 'UPD-7'], 'A tag is stale an hour after the last update.'],
  'time-revision-day': [['UPD-1', 'UPD-7'], 'The revision begins anew after a day.'],
  'time-seq-midnight': [['EVT-2a', 'EVT-2b'], 'After a day the numbers of events begin anew.'],
  'time-cancel-month': [['TXS-10', 'TXS-13'], 'What settled a month ago cannot be taken back.'],
  'time-hook-idle-week': [['EVT-4'], 'A subscription that was idle for a week hears nothing.'],
  'time-phone-month': [['ACC-9'], 'A phone is free again after a month.'],
  'time-last-seq-week': [['EVT-10a'], 'last_delivered_seq reads 0 a week after the delivery.'],
} as const satisfies Family;

export const raceDefects = {
  'race-create-update': [
    ['ACC-5', 'IDEM-12'],
    'A known reference that races an update makes a new account.',
  ],
  'race-batch-email': [['ACC-8', 'BULK-3'], 'Batches that race may share an email.'],
  'race-reject-cancel': [['TXS-12'], 'A rejection and a cancellation that race both succeed.'],
  'race-reference-case': [
    ['ACC-6', 'IDEM-12'],
    'References that race match only in the same case.',
  ],
  'race-disable-lost': [['HOOK-5', 'HOOK-13'], 'A rotation that races a disabling undoes it.'],
  'race-in-flight-recorded': [
    ['IDEM-14a', 'IDEM-15'],
    'A 409 given meanwhile is kept in place of the answer.',
  ],
  'race-updates': [['UPD-12', 'UPD-7'], 'The tag is not compared when two updates race.'],
  'race-lost-update': [
    ['UPD-12', 'UPD-2', 'UPD-3'],
    'Of two racing updates the later one undoes the other.',
  ],
  'race-approve-credits': [['TXS-4', 'IDEM-15'], 'Two racing approvals credit twice.'],
  'race-two-first': [['TXS-2'], 'Two deposits that are approved at once are both first ones.'],
  'race-same-key': [['IDEM-15', 'IDEM-14a'], 'Identical requests that race all run.'],
  'race-same-reference': [
    ['IDEM-12', 'ACC-5', 'IDEM-15'],
    'One reference under racing keys makes several accounts.',
  ],
  'race-same-email': [['ACC-8'], 'One email under racing references is taken by all.'],
  'race-same-transaction': [
    ['TXN-2', 'IDEM-12', 'IDEM-15'],
    'One reference under racing keys makes several transactions.',
  ],
  'race-approve-reject': [
    ['TXS-12', 'TXS-5', 'TXS-4'],
    'An approval and a rejection that race both succeed, and so do several approvals.',
  ],
  'race-cancel-twice': [
    ['TXS-9', 'TXS-10'],
    'Racing cancellations of what has settled reverse the money each.',
  ],
  'race-bulk-single': [
    ['BULK-3', 'ACC-5', 'IDEM-12', 'BULK-11'],
    'A batch that races a create makes its account once more.',
  ],
  'race-allowance': [['LIM-1', 'LIM-2'], 'Requests that race a write do not count.'],
  'race-rotate-twice': [['HOOK-4'], 'Two racing rotations give one secret.'],
  'race-same-batch': [
    ['IDEM-15', 'BULK-11', 'ACC-5'],
    'A batch that races itself makes its rows twice.',
  ],
  'race-other-fields': [['UPD-12', 'UPD-7'], 'Racing updates of other fields all apply.'],
  'race-call-ids': [['ERR-4', 'IDEM-5'], 'Racing calls have one X-Request-Id.'],
  'race-event-numbers': [['EVT-2a'], 'Racing creates share a sequence number.'],
} as const satisfies Family;
