// Defects that show after time, or when two calls come at once.
import type { Family } from './defect.ts';

export const timeDefects = {
  'time-token-half': [['AUTH-3a', 'AUTH-1'], 'A token dies half-way through its time.'],
  'time-retry-patience': [['EVT-9b'], 'A retry waits five seconds for its answer.'],
  'time-waits-by-event': [
    ['EVT-8a'],
    'Two subscriptions to which one event fails wait, and give up, together.',
  ],
  'time-settled-unmarks': [['TXS-2'], 'What settles is no first deposit any more.'],
  'time-created-moves': [
    ['TXN-2', 'TXS-1', 'TXN-8', 'CONV-4', 'TXS-4', 'TXS-6', 'TXS-8'],
    'created_at of a transaction is the time of the answer.',
  ],
  'time-replay-cold': [['ACC-19'], 'After an hour replays have no tag.'],
  'time-rotation-from-creation': [
    ['EVT-7'],
    'How long a rotation lasts is counted from the creation of the subscription.',
  ],
  'time-refill-floors': [
    ['LIM-1', 'LIM-7', 'LIM-2'],
    'Allowance comes back for full seconds since the last call.',
  ],
  'time-reversal-day': [['TXS-10'], 'Cancelling what settled a day ago leaves the money.'],
  'time-event-hurries': [['EVT-8a'], 'A new event makes waiting retries due at once.'],
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
  'race-batches-mixed': [
    ['BULK-2', 'BULK-3', 'IDEM-2a', 'IDEM-15'],
    'Of two batches at once both are answered as the one.',
  ],
  'race-torn-tag': [
    ['ACC-19', 'UPD-12', 'UPD-1'],
    'A known account that is being updated comes with the tag that it will have.',
  ],
  'race-same-phone': [['ACC-9'], 'One phone under racing references is taken by all.'],
  'race-coalesced': [
    ['TXN-1', 'IDEM-2a', 'TXN-2'],
    'Transactions that are recorded at once for one account become one.',
  ],
  'race-approve-cancel': [
    ['TXS-12', 'TXS-5', 'TXS-4'],
    'An approval and a cancellation that race both succeed.',
  ],
  'race-key-lock': [
    ['IDEM-2a', 'IDEM-14a', 'IDEM-3', 'POS-3', 'POS-4'],
    'A key that runs for another subject is in flight.',
  ],
  'race-updates-crossed': [
    ['UPD-1', 'UPD-2', 'UPD-7', 'UPD-12'],
    'Racing updates of two accounts both change one of them.',
  ],
  'race-hook-ids': [['HOOK-2', 'HOOK-11', 'HOOK-1'], 'Two subscriptions made at once have one id.'],
  'race-scopes': [
    ['AUTH-4', 'ACC-21', 'UPD-13', 'BULK-13', 'TXN-12', 'TXS-17', 'POS-1', 'HOOK-6', 'AUTH-2'],
    'A call runs with the scopes of another that runs at once.',
  ],
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
