// Defects that were written down from the specification alone, by causes that back ends know, and
// kept from whoever worked on the explorer until they had been measured.
import type { Family } from './defect.ts';

export const sealedCombinations = {
  'comb-reference-like': [
    ['ACC-1', 'ACC-5', 'BULK-3', 'BULK-12', 'TXN-1', 'TXN-2', 'IDEM-12'],
    'In a reference that is looked for, _ and % stand for anything.',
  ],
  'comb-reference-accents': [
    ['TXN-1', 'TXN-2', 'IDEM-12'],
    "References of transactions are compared without the letters' accents.",
  ],
  'comb-savepoint-early': [
    ['BULK-8', 'BULK-11', 'BULK-5', 'BULK-3', 'ACC-5', 'ACC-7', 'IDEM-12', 'UPD-1'],
    'A row that is a conflict takes back the row before it.',
  ],
  'comb-tag-comes-back': [
    ['UPD-1', 'UPD-7'],
    'Who is updated back to how he was made has his first revision again.',
  ],
  'comb-list-joined': [['HOOK-11'], 'A subscription that was rotated is listed twice.'],
  'comb-writers-manage': [
    ['AUTH-4', 'HOOK-6'],
    'Who may write accounts, trades and transactions manages webhooks too.',
  ],
  'comb-twin-reversed': [
    ['TXS-10'],
    'Of two settled transactions of one amount at one place one is reversed.',
  ],
  'comb-reach-cached': [
    ['AUTH-5', 'AUTH-6', 'AUTH-7', 'TXN-10'],
    'A trading account that somebody has reached is in reach of all.',
  ],
  'comb-progress-by-url': [
    ['HOOK-2', 'EVT-10a'],
    'A second subscription to one url begins where the first has come to.',
  ],
  'comb-503-key-held': [
    ['IDEM-6b', 'IDEM-14a'],
    'A key that was answered 503 is in flight until it is given up.',
  ],
  'comb-person-shared': [
    ['UPD-2', 'UPD-1', 'ACC-5', 'ACC-10'],
    'A name changes wherever the firm knows the same email.',
  ],
  'comb-replay-validated': [
    ['IDEM-8', 'POS-2', 'IDEM-4a', 'IDEM-4b'],
    'A repeat whose volume or amount is no decimal is refused.',
  ],
} as const satisfies Family;

export const sealedSizes = {
  'size-last-seq-text': [['EVT-10a'], 'The last number delivered is compared as a text.'],
  'size-keys-subject-10': [
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-7a'],
    'Of each subject the ten newest keys are kept.',
  ],
  'size-derived-name-64': [['ACC-13'], 'A name that is taken from the email is cut to 64.'],
  'size-skip-limit-20': [['BULK-8', 'BULK-3'], 'After 20 failed rows no row is run.'],
  'size-entries-25': [
    ['TXS-10'],
    'A reversal looks at the 25 newest entries of the trading account.',
  ],
  'size-volume-exponent': [
    ['CONV-2a'],
    'Very large and very small volumes are shown with an exponent.',
  ],
  'size-money-reference-100': [
    ['TXN-1', 'TXN-2', 'IDEM-12'],
    'References of transactions are compared by 100 characters.',
  ],
  'size-firm-100': [
    ['LIM-3', 'LIM-1', 'LIM-2'],
    'A firm is served 100 calls a second, whatever its plan.',
  ],
} as const satisfies Family;

export const sealedTimes = {
  'time-token-shared': [
    ['AUTH-3a'],
    'While a token lives it is given again, and a whole lifetime told.',
  ],
  'time-channel-dates': [['EVT-10b'], "The channel's seven days are counted by dates."],
  'time-disabled-reason-day': [['EVT-11'], 'Why it was disabled is told for a day.'],
  'time-nightly-touch': [
    ['UPD-1', 'UPD-7', 'ACC-5'],
    'At midnight every account gets a new revision.',
  ],
  'time-bucket-minute': [['LIM-1', 'LIM-2'], 'An allowance is full again every minute.'],
  'time-retry-sweep': [
    ['EVT-8a', 'EVT-8b'],
    'Retries that wait for hours go out at the next full hour.',
  ],
  'time-batch-known-day': [
    ['BULK-11', 'BULK-3', 'ACC-5', 'IDEM-12'],
    'After a day a known reference is a conflict in a batch.',
  ],
} as const satisfies Family;

export const sealedRaces = {
  'race-delivery-rotate': [
    ['HOOK-4', 'EVT-6', 'EVT-7'],
    'A delivery that is on its way at a rotation brings the old secret back.',
  ],
  'race-refusal-ids': [
    ['ERR-1a', 'IDEM-5'],
    'The request_id of a refusal is that of the last call to begin.',
  ],
  'race-tokens-one': [['AUTH-3a', 'AUTH-1'], 'Of tokens that are asked for at once one works.'],
  'race-none-first': [['TXS-2'], 'Of two first deposits that race none is marked.'],
  'race-batch-counts': [['BULK-2', 'BULK-4'], "Batches that race count each other's rows."],
  'race-conflict-erases': [
    ['ACC-5', 'ACC-7', 'ACC-1', 'ACC-8', 'UPD-1', 'IDEM-12'],
    'A create that is a conflict undoes the create that it has raced.',
  ],
  'race-event-brand': [
    ['EVT-12', 'EVT-4'],
    'What racing calls do is told of as of the brand of the last to begin.',
  ],
} as const satisfies Family;
