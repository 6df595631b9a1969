// Defects of idempotency.
import type { Family } from './defect.ts';

export const idempotencyDefects = {
  'idem-key-plain': [
    ['IDEM-1a', 'IDEM-1b'],
    'A key with other characters than letters, digits and dashes is refused.',
  ],
  'idem-bulk-unrecorded': [['IDEM-4b', 'IDEM-9a', 'IDEM-4d'], 'Keys of batches are not kept.'],
  'idem-key-optional': [['IDEM-1a', 'IDEM-1d'], 'A write without a key is served.'],
  'idem-bulk-key-optional': [['IDEM-1a', 'IDEM-1d'], 'A batch without a key is served.'],
  'idem-blank-key': [['IDEM-1a'], 'A blank key is served.'],
  'idem-missing-422': [
    ['IDEM-1a', 'IDEM-1b', 'IDEM-1d', 'ERR-3'],
    'A missing key is answered 422.',
  ],
  'idem-long-key': [['IDEM-1b'], 'A key of 256 characters is served.'],
  'idem-255-refused': [['IDEM-1b'], 'A key of 255 characters is refused.'],
  'idem-key-late': [['IDEM-1d'], 'The key is looked at when the body has been read.'],
  'idem-one-subject': [
    ['IDEM-2a', 'IDEM-2c', 'POS-4', 'IDEM-9b'],
    'A key holds for every subject.',
  ],
  'idem-shared-credentials': [['IDEM-2b'], 'A key holds for every credential of the firm.'],
  'idem-brand-in-subject': [['IDEM-2c'], 'The subject of a create holds its brand as well.'],
  'idem-email-in-subject': [
    ['IDEM-2c', 'IDEM-8'],
    'The subject of a create holds its email as well.',
  ],
  'idem-subject-by-case': [['IDEM-2c'], "An account's reference is a subject by its case."],
  'idem-transaction-subject': [
    ['IDEM-10', 'IDEM-2c'],
    'The subject of an approval is the transaction.',
  ],
  'idem-operations-share': [['IDEM-3'], 'Approve, reject and cancel share their keys.'],
  'idem-replay-200': [['IDEM-4a'], 'A replay of a 201 is a 200.'],
  'idem-replay-reprinted': [['IDEM-4b'], 'A replay is printed with spaces.'],
  'idem-replay-reordered': [['IDEM-4b'], 'A replay has its members in another order.'],
  'idem-replay-current': [
    ['IDEM-4b', 'IDEM-10', 'IDEM-8'],
    'A replay of a transaction shows its present state.',
  ],
  'idem-create-unrecorded': [
    [
      'IDEM-4a',
      'IDEM-4b',
      'IDEM-15',
      'IDEM-8',
      'IDEM-7a',
      'IDEM-2c',
      'IDEM-4d',
      'IDEM-11',
      'IDEM-13',
    ],
    'Keys of account creates are not kept.',
  ],
  'idem-update-unrecorded': [
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-15', 'IDEM-8', 'IDEM-7a', 'IDEM-11', 'IDEM-4d'],
    'Keys of updates are not kept.',
  ],
  'idem-open-unrecorded': [
    [
      'IDEM-4a',
      'IDEM-4b',
      'IDEM-4c',
      'IDEM-15',
      'IDEM-8',
      'IDEM-7a',
      'POS-2',
      'IDEM-2c',
      'IDEM-4d',
    ],
    'Keys of opened positions are not kept.',
  ],
  'idem-replay-emits': [['IDEM-4c'], 'A replay of a create tells of it once more.'],
  'idem-replay-credits': [['IDEM-4c'], 'A replay of an approval credits once more.'],
  'idem-replay-opens': [['IDEM-4c'], 'A replay of an opened position opens one more.'],
  'idem-replay-bumps': [['IDEM-4c'], 'A replay of an update makes a new revision.'],
  'idem-refusals-rerun': [
    ['IDEM-4d', 'IDEM-11', 'IDEM-13', 'IDEM-4a', 'IDEM-4b', 'IDEM-5'],
    'Refusals are not kept.',
  ],
  'idem-409-rerun': [
    ['IDEM-13', 'IDEM-4d', 'IDEM-4b', 'IDEM-4a', 'IDEM-11'],
    'A 409 invalid_state is not kept.',
  ],
  'idem-501-rerun': [['IDEM-4d', 'IDEM-4b'], 'A 501 is not kept.'],
  'idem-refusal-status': [
    ['IDEM-4a', 'IDEM-4d', 'IDEM-11', 'IDEM-13'],
    'A replay of a 422 is a 409.',
  ],
  'idem-refusal-detail': [
    ['IDEM-4b', 'IDEM-4d', 'IDEM-11', 'IDEM-13'],
    'A replay of a refusal says that it is one.',
  ],
  'idem-call-id-replayed': [['IDEM-5', 'ERR-4'], 'A replay keeps the first X-Request-Id.'],
  'idem-body-id-renewed': [
    ['IDEM-5', 'IDEM-4b', 'IDEM-4d', 'IDEM-11', 'IDEM-13'],
    'A replayed refusal has a new request_id in its body.',
  ],
  'idem-503-recorded': [['IDEM-6b'], 'A 503 is kept.'],
  'idem-500-recorded': [['IDEM-6c'], 'A 500 is kept.'],
  'idem-429-recorded': [['IDEM-6a', 'LIM-7'], 'A 429 is kept.'],
  'idem-12-hours': [['IDEM-7a'], 'Keys are kept for twelve hours.'],
  'idem-forever': [['IDEM-7b'], 'Keys are kept for ever.'],
  'idem-body-compared': [['IDEM-8', 'IDEM-9a'], 'Another body under a key is answered 422.'],
  'idem-batch-first-names': [
    ['IDEM-9a', 'IDEM-8', 'IDEM-2c'],
    'First names are part of what makes a batch.',
  ],
  'idem-batch-unordered': [['IDEM-9b', 'IDEM-2c'], 'The order of rows does not make a batch.'],
  'idem-batch-references': [
    ['IDEM-2c', 'IDEM-9b', 'IDEM-9a'],
    'The references alone make a batch.',
  ],
  'idem-batch-counted': [
    ['IDEM-9b', 'IDEM-2c', 'IDEM-2a'],
    'The number of rows alone makes a batch.',
  ],
  'idem-in-flight-runs': [['IDEM-14a', 'IDEM-15'], 'A repeat runs while the first attempt does.'],
  'idem-in-flight-423': [
    ['IDEM-14a', 'ERR-3', 'IDEM-14b', 'IDEM-15'],
    'A repeat meanwhile gets 423.',
  ],
  'idem-abandoned-early': [['IDEM-14b'], 'An attempt is given up after 20 seconds.'],
} as const satisfies Family;
