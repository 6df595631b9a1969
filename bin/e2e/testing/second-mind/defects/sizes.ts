// Defects that show at a size, or only when things come together.
import type { Family } from './defect.ts';

export const sizeDefects = {
  'size-reversal-1000': [['TXS-10'], 'A reversal takes back 1000 at most.'],
  'size-amount-cents32': [['CONV-2a'], 'Amounts are kept as cents in 32 bits.'],
  'size-amount-grouped': [['CONV-2a'], 'Amounts from 1000 on are shown with commas.'],
  'size-phone-7': [['ACC-9', 'ACC-1'], 'Phones are compared by their last seven digits.'],
  'size-decide-20': [
    ['TXS-16', 'TXS-1', 'TXS-6', 'TXS-8'],
    "Only an account's newest 20 transactions can be decided.",
  ],
  'size-counts-byte': [['BULK-2', 'BULK-4'], 'The counts of a batch are kept in a byte.'],
  'size-hooks-evict-10': [
    ['HOOK-11', 'HOOK-12', 'HOOK-13', 'EVT-4'],
    'An eleventh subscription drops the oldest.',
  ],
  'size-places-2': [
    ['TXN-10', 'TXN-11', 'TXN-1', 'AUTH-6'],
    "An account's third trading account is not found.",
  ],
  'size-ftd-10': [['TXS-2'], 'A deposit of less than 10 is no first one.'],
  'size-batch-deliveries-20': [['EVT-4'], 'Of a batch the first twenty rows are told of.'],
  'size-phone-15': [['ACC-11'], 'A phone of more than 15 digits is refused.'],
  'size-subject-200': [
    ['IDEM-2a', 'IDEM-2c'],
    "A key's subject holds the first 200 characters of a reference.",
  ],
  'size-batch-subject-50': [['IDEM-9b'], "A key's batch holds its first 50 rows."],
  'size-index-in-chunk': [
    ['BULK-9', 'BULK-10'],
    'The row that refuses a batch is counted within its hundred.',
  ],
  'size-language-35': [['ACC-14'], 'Languages are cut to 35 characters.'],
  'size-known-25': [
    ['TXN-2'],
    "A known reference is looked for among an account's newest 25 transactions.",
  ],
  'size-id-int64': [
    ['UPD-5', 'CONV-1c'],
    'An account id of 20 digits in the path is answered 422.',
  ],
  'size-reason-3': [['TXS-6', 'TXS-8'], 'A reason needs three characters.'],
  'size-currency-3': [['TXN-1', 'TXN-4'], 'A currency has three characters.'],
  'size-keys-200': [
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'],
    'Only the newest 200 keys are kept.',
  ],
  'size-keys-1000': [
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'],
    'Only the newest 1000 keys are kept.',
  ],
  'size-replay-8k': [['IDEM-4b'], 'A replay of more than 8 KB is printed anew.'],
  'size-bulk-500': [['BULK-2'], 'A batch of more than 500 rows is answered out of order.'],
  'size-bulk-100-last': [
    ['BULK-4', 'BULK-2', 'BULK-7'],
    'The last of more than 100 rows is not created.',
  ],
  'size-reference-128': [
    ['ACC-5', 'ACC-2', 'IDEM-2a'],
    'References are compared by their first 128 characters.',
  ],
  'size-key-128': [['IDEM-1b', 'IDEM-4c'], 'Keys are compared by their first 128 characters.'],
  'size-amount-12': [['CONV-2a'], 'Amounts of more than 12 digits go through a float.'],
  'size-list-20': [['HOOK-11'], 'The list shows twenty subscriptions at most.'],
  'size-email-64': [['ACC-8'], 'Emails are compared by their first 64 characters.'],
  'size-name-100': [['UPD-3'], 'Names of more than 100 characters are cut by an update.'],
  'size-body-4k-signed': [['EVT-6'], 'The signature covers the first 4 KB of the body.'],
  'size-queue-10': [['EVT-4'], 'No more than ten deliveries wait for a subscription.'],
  'size-status-50': [['UPD-4'], 'A status of more than 50 characters is refused.'],
  'size-batch-chunks': [
    ['BULK-12', 'ACC-5', 'BULK-3'],
    'A reference met again 100 rows later in its batch is a conflict.',
  ],
  'size-reason-255': [['TXS-6', 'TXS-8'], 'A reason of more than 255 characters is refused.'],
  'size-revision-text': [
    ['UPD-1', 'UPD-7'],
    'Revisions are compared as text, so 10 comes before 9.',
  ],
  'size-email-100': [['ACC-1', 'ACC-4'], 'An email of more than 100 characters is refused.'],
  'size-hooks-5': [['EVT-4'], 'Only the first five subscriptions hear of an event.'],
  'size-country-emoji': [['ACC-14'], 'A country beyond the basic plane of Unicode is mangled.'],
} as const satisfies Family;

export const combinationDefects = {
  'comb-minted-share-keys': [
    ['IDEM-2b', 'AUTH-5'],
    'Delegated tokens of one minter share their keys.',
  ],
  'comb-delegated-rejects': [['AUTH-5'], 'A delegated token rejects what is out of its reach.'],
  'comb-brand-rotates': [
    ['HOOK-11', 'AUTH-6', 'HOOK-12'],
    'A brand rotates and disables subscriptions of its firm that it cannot see.',
  ],
  'comb-refused-open-close': [
    ['POS-3', 'IDEM-3'],
    'The refusal of an open is given again to a close under its key.',
  ],
  'comb-redirect-retry': [['EVT-9a'], 'A redirect answered to a retry counts as delivered.'],
  'comb-recheck-first': [['EVT-11'], 'The target is looked at again before the first try only.'],
  'comb-ftd-withdrawn-first': [
    ['TXS-2'],
    'After an approved withdrawal no deposit is a first one.',
  ],
  'comb-ftd-bulk': [['TXS-2'], 'Accounts made in a batch have no first deposit.'],
  'comb-429-penalty': [
    ['LIM-7', 'LIM-6', 'LIM-5'],
    'Who is limited three times in a row is limited for five seconds.',
  ],
  'comb-limits-apart': [['LIM-11', 'LIM-1', 'LIM-2'], 'Reads and writes have an allowance each.'],
  'comb-row-reserves': [
    ['ACC-1', 'BULK-8', 'ACC-8', 'ACC-9'],
    'A row whose email or phone is taken leaves its reference behind as taken.',
  ],
  'comb-update-spreads-phone': [
    ['ACC-10', 'ACC-9'],
    'The phone of an account that was updated is taken for every brand.',
  ],
  'comb-status-tag': [
    ['ACC-19', 'UPD-1'],
    'An update of the status and more makes two revisions, and shows the first.',
  ],
  'comb-known-as-made': [['TXN-2'], 'A known reference shows the transaction as it was recorded.'],
  'comb-refusal-subject': [
    ['IDEM-2a', 'IDEM-2c', 'POS-4', 'IDEM-9b'],
    'A refusal is given again under its key whatever the subject.',
  ],
  'comb-row-leaks': [
    ['ACC-14', 'ACC-13', 'BULK-8', 'ACC-5'],
    'What a row of a batch leaves out is as in the row before.',
  ],
  'comb-first-category': [['EVT-4', 'EVT-1'], 'Of several categories one is heard.'],
  'comb-hook-disabled-twin': [
    ['HOOK-2', 'HOOK-1'],
    'A new subscription to a url that was disabled is disabled.',
  ],
  'comb-disable-zeroes': [['EVT-10a'], 'Disabling sets last_delivered_seq to 0.'],
  'comb-bulk-email-brands': [
    ['ACC-10', 'BULK-3'],
    'In a batch an email of another brand is taken.',
  ],
  'comb-delegated-known': [
    ['AUTH-5', 'TXN-2', 'AUTH-6'],
    'A known reference shows a transaction that is out of reach.',
  ],
  'comb-amend-reason': [['TXS-14'], 'Cancelling what has settled takes an empty reason.'],
  'comb-412-locks': [['UPD-1', 'UPD-7'], 'After two stale updates no tag is right.'],
  'comb-restored-update': [
    ['UPD-1', 'UPD-8'],
    'Setting a field back to what it was created with changes nothing.',
  ],
  'comb-empty-text': [['UPD-3', 'UPD-4'], 'Empty text in an update counts as not sent.'],
  'comb-ftd-after-cancel': [
    ['TXS-2'],
    'Once the first deposit is cancelled, the next one is a first one too.',
  ],
  'comb-compensation-whole': [
    ['TXS-10'],
    'Cancelling what has settled gives back whole units, no cents.',
  ],
  'comb-bulk-email-case': [['BULK-3', 'ACC-8'], 'In a batch emails are compared by their case.'],
  'comb-key-invalidated': [
    ['IDEM-4a', 'IDEM-4b'],
    "An update makes older keys of the account's updates run again.",
  ],
  'comb-batch-of-one': [
    ['IDEM-3'],
    'A batch of one row shares its key with a create of that reference.',
  ],
  'comb-retry-one-signature': [
    ['EVT-7'],
    'During a rotation retries are signed with the new secret alone.',
  ],
  'comb-disabled-hidden': [['HOOK-11'], 'The list leaves out what is disabled.'],
  'comb-merge': [['UPD-7'], 'A stale tag is taken where other fields have changed since.'],
  'comb-country-over-region': [
    ['ACC-12'],
    'A country decides how a phone is read, whatever phone_region says.',
  ],
  'comb-half-named': [
    ['ACC-13'],
    'An account with a last name alone gets the email as first name.',
  ],
  'comb-method-derived': [['TXN-6'], 'A negative amount makes the method Deposit a Withdrawal.'],
  'comb-501-locks': [
    ['TXS-3', 'TXS-6'],
    'A withdrawal that was answered 501 can be neither rejected nor cancelled.',
  ],
  'comb-key-by-token': [
    ['IDEM-4c', 'IDEM-2b'],
    'A key runs again under a new token of the same credential.',
  ],
  'comb-waits-shared': [
    ['EVT-8a'],
    'A retry waits by the failures of the subscription, not of the delivery.',
  ],
  'comb-queue-replaced': [
    ['EVT-4'],
    'News of an account replaces what still waits to be delivered about it.',
  ],
  'comb-length-in-chars': [
    ['EVT-6', 'EVT-3'],
    'A delivery has as many bytes as its text has characters.',
  ],
  'comb-case-ascii': [['ACC-6', 'IDEM-2c'], 'References match in another case for ASCII only.'],
  'comb-rotate-enables': [['HOOK-13'], 'Rotating the secret of what is disabled enables it.'],
  'comb-rotate-forgets': [['EVT-10a'], 'Rotating sets last_delivered_seq to 0.'],
  'comb-tag-number': [['UPD-9', 'UPD-7'], 'A tag that reads as the same number is taken.'],
  'comb-converged-first': [
    ['ACC-5', 'ACC-19'],
    'A known reference shows the account as it was created.',
  ],
  'comb-bulk-converged-first': [
    ['BULK-3', 'BULK-4'],
    'A known reference in a batch fails once the account was updated.',
  ],
  'comb-cross-brand': [
    ['AUTH-6', 'ACC-17'],
    "A brand's create under a reference of another brand answers that account.",
  ],
  'comb-bonus-kept': [['TXS-10'], 'Cancelling a settled bonus leaves the money.'],
  'comb-withdrawal-twice': [
    ['TXS-10'],
    'Cancelling a settled withdrawal takes the money once more.',
  ],
  'comb-second-place': [['TXS-10', 'TXS-4'], "Deposits go to the account's first trading account."],
  'comb-equal-field': [['UPD-1', 'UPD-8'], 'A field equal to what is stored refuses the update.'],
  'comb-two-names': [['UPD-3', 'UPD-1'], 'Of two names in one update the last name is dropped.'],
  'comb-412-unrecorded': [['IDEM-4d', 'IDEM-11', 'IDEM-4a'], 'A 412 alone is not kept.'],
  'comb-404-unrecorded': [['IDEM-4d', 'IDEM-11', 'IDEM-4a'], 'A 404 alone is not kept.'],
  'comb-ftd-second-brand': [['TXS-2'], 'The first deposit is counted by currency and account.'],
  'comb-ftd-after-reject': [['TXS-2'], 'After a rejected deposit none is a first one.'],
  'comb-ftd-approve-again': [['TXS-2', 'TXS-4'], 'Approving twice takes the mark away.'],
  'comb-key-spaces': [['IDEM-1c', 'IDEM-2a', 'IDEM-1b'], 'Spaces within a key do not count.'],
  'comb-key-case': [['IDEM-4c', 'IDEM-2a', 'IDEM-1b'], 'Keys match in another case.'],
  'comb-noop-bumps': [
    ['UPD-8', 'UPD-7', 'UPD-1'],
    'An update that changes nothing makes tags stale.',
  ],
  'comb-disabled-retries': [['EVT-13', 'HOOK-5'], 'What failed before a disabling is tried again.'],
  'comb-retry-old-secret': [
    ['EVT-7', 'EVT-6'],
    'After a rotation a retry is signed as the first try.',
  ],
  'comb-brand-deaf': [
    ['EVT-12', 'EVT-4'],
    'A brand hears nothing of what the whole firm does there.',
  ],
  'comb-status-beside-name': [['UPD-3', 'UPD-4'], 'Beside a name a status is not stored.'],
  'comb-batch-phone-twins': [
    ['ACC-9', 'BULK-3', 'BULK-8'],
    'Two rows of one batch may have one phone.',
  ],
  'comb-rotated-secret-read': [['HOOK-3'], 'After a rotation the new secret is read.'],
  'comb-refused-email-taken': [
    ['ACC-8', 'ACC-1'],
    'The email of a refused account counts as taken.',
  ],
  'comb-failed-row-taints': [
    ['BULK-8', 'BULK-12'],
    'A reference that failed once in a batch fails again in it.',
  ],
  'comb-hook-twice': [['EVT-4'], 'A second subscription to one url gets nothing.'],
  'comb-all-four': [['EVT-1', 'EVT-4'], 'Who subscribes to all four gets no orders.'],
  'comb-known-other-place': [
    ['TXN-2', 'IDEM-12'],
    'A known reference with another trading account makes a new transaction.',
  ],
  'comb-cancelled-again': [
    ['TXN-2', 'IDEM-12'],
    'The reference of a cancelled transaction is free again.',
  ],
  'comb-phone-after-null': [['ACC-9'], 'A phone sent with spaces and a plus is not compared.'],
  'comb-third-use': [
    [
      'IDEM-4a',
      'IDEM-4b',
      'IDEM-4c',
      'IDEM-4d',
      'IDEM-8',
      'IDEM-10',
      'IDEM-11',
      'IDEM-15',
      'IDEM-13',
    ],
    'The third call under a key runs again.',
  ],
} as const satisfies Family;
