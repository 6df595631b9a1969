// Defects that the explorer was measured with before anybody mended it by them.
import type { Family } from './defect.ts';

export const heldOutCombinations = {
  'comb-batch-email-twins': [
    ['ACC-8', 'BULK-3', 'BULK-8'],
    'Two rows of one batch may have one email.',
  ],
  'comb-batch-born-case': [
    ['ACC-6', 'ACC-5', 'IDEM-12'],
    'A create finds the reference of an account made in a batch in the same case only.',
  ],
  'comb-replay-updated': [
    ['IDEM-4b', 'IDEM-8', 'ACC-19'],
    'After an update a replayed create shows the account as it is now.',
  ],
  'comb-open-after-close': [
    ['POS-2', 'IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-8'],
    'Opening under a used key opens once more when that position was closed.',
  ],
  'comb-refused-decisions': [
    ['IDEM-3'],
    'The refusal of a rejection is given again to a cancellation under its key.',
  ],
  'comb-phone-forms': [
    ['ACC-9', 'ACC-12'],
    'A national phone is not compared with one in international form.',
  ],
  'comb-brand-updates': [
    ['EVT-4', 'EVT-12'],
    "A brand's subscription hears of no updates while its firm has one too.",
  ],
  'comb-converged-tag': [
    ['ACC-19', 'ACC-5'],
    'A known account that was updated comes with its first tag.',
  ],
  'comb-amend-accounts': [
    ['TXS-17', 'AUTH-4'],
    'transactions:amend beside accounts:write may cancel.',
  ],
  'comb-refused-reference': [
    ['TXN-1', 'IDEM-11', 'TXN-2'],
    'The reference of a transaction that was refused stays taken.',
  ],
  'comb-brand-revision': [
    ['UPD-1', 'UPD-7', 'ACC-19'],
    'An update by a brand-bound credential keeps the revision.',
  ],
  'comb-known-by-maker': [
    ['ACC-5', 'IDEM-12'],
    'A reference is known to the credential alone that created under it.',
  ],
} as const satisfies Family;

export const heldOutSizes = {
  'size-created-200': [
    ['BULK-4'],
    'Of more than 200 rows created counts those alone that are new.',
  ],
  'size-call-ids-64': [['ERR-4', 'IDEM-5'], 'X-Request-Id begins anew after 64 calls.'],
  'size-replay-ascii': [['IDEM-4b'], 'A replay escapes letters beyond ASCII.'],
  'size-url-refused': [['HOOK-1', 'HOOK-2'], 'A url of more than 200 characters is refused.'],
  'size-email-newest-30': [['ACC-8'], 'Emails are compared with those of the newest 30 accounts.'],
  'size-channel-20': [['EVT-10b'], 'The channel repeats twenty events at most.'],
  'size-burst-100': [['LIM-2'], 'No allowance above 100 is saved up.'],
  'size-reference-case-64': [
    ['ACC-6', 'ACC-5', 'IDEM-12'],
    'References match in another case in their first 64 characters only.',
  ],
} as const satisfies Family;

export const heldOutTimes = {
  'time-expired-409': [
    ['ACC-5', 'IDEM-7b', 'IDEM-12'],
    'When its key has expired, the repeat of a create is answered 409.',
  ],
  'time-reject-again-day': [['TXS-7'], 'A second rejection a day later is answered 409.'],
  'time-retry-unseen': [['EVT-10a'], 'What a retry delivers does not move last_delivered_seq.'],
  'time-minute-cap': [
    ['LIM-1', 'LIM-2'],
    'Within a minute no more than the allowance of 40 seconds is served.',
  ],
  'time-noop-day': [
    ['UPD-8'],
    'A day after the last change an update to equal values makes a new revision.',
  ],
  'time-disabled-gone': [
    ['HOOK-11', 'HOOK-13', 'HOOK-5', 'HOOK-12'],
    'What has been disabled for 30 days is gone.',
  ],
  'time-weak-tag-day': [
    ['ACC-19'],
    'A known account that has not changed for a day comes with a weak tag.',
  ],
} as const satisfies Family;

export const heldOutRaces = {
  'race-update-silent': [['EVT-4'], 'An update that races one of another account is not told of.'],
  'race-brand-mixed': [
    ['ACC-1', 'ACC-5', 'ACC-8', 'ACC-10', 'ACC-18'],
    'Creates that race are made at the brand of the last to begin.',
  ],
  'race-reject-twice': [['TXS-7'], 'Of two rejections that race the second is answered 409.'],
  'race-update-approval': [
    ['UPD-1', 'UPD-2', 'UPD-3', 'UPD-7'],
    'An update that races an approval for the account is answered, and lost.',
  ],
  'race-converged-own': [
    ['ACC-5', 'IDEM-12'],
    'Who comes second under a racing reference is shown the names in his own request.',
  ],
  'race-reversal-lost': [
    ['TXS-10'],
    'A reversal that races an approval at the trading account leaves the money.',
  ],
} as const satisfies Family;
