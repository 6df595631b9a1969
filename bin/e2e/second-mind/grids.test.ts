// Each grid of the explorer finds, by itself, a defect that only its kind of question shows, and
// nothing on the whole second mind.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ideas } from '../../../conformance/explore/draw/ideas.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { sampleOfDay } from '../../../fixtures/testing/sample-of-day.ts';
import { exploreOne } from '../../dev/prove-explorer/explore-one.ts';
import { secondMind } from '../../dev/prove-explorer/subjects.ts';
import { type DefectId, defects } from '../testing/second-mind/defects.ts';

const grids = suite('grids');

const SHOWN_BY: Readonly<Record<string, DefectId>> = {
  'alike/people': 'comb-reference-like',
  'alike/references': 'comb-reference-accents',
  'story/1': 'comb-closed-frees',
  'story/2': 'comb-approve-again-any',
  'story/3': 'comb-case-no-change',
  'story/4': 'comb-case-no-change',
  'burst/any-five-1': 'race-lost-update',
  'burst/any-five-2': 'race-bulk-single',
  'burst/any-five-3': 'race-same-email',
  'burst/tokens': 'race-token-budget',
  'burst/by-two': 'race-key-credentials',
  'burst/about-two': 'race-key-decisions',
  'burst/at-two-places': 'race-known-places',
  'bulk/every-size': 'size-created-200',
  'bulk/rows-far-apart': 'size-failed-details-50',
  'account/spread-phones': 'size-phone-raw-20',
  'webhook/long-urls': 'size-url-200',
  'token/first-of-many': 'size-tokens-5',
  'webhook/long-channel': 'size-channel-100',
  'update/many-changes': 'size-revision-text',
  'position/many': 'idem-open-unrecorded',
  'transaction/many': 'size-known-25',
  'limit/saved-up': 'time-pause-saves',
  'limit/firm': 'lim-firm-none',
  'limit/sandbox': 'lim-burst-double',
  'limit/own-rate': 'lim-burst-double',
  'limit/standard': 'lim-none',
  'limit/bulk-is-one': 'lim-bulk-by-rows',
  'limit/refused-then-repeated': 'idem-429-recorded',
  'webhook/channel-around-a-week': 'evt-channel-month',
  'again/moved-boundaries': 'comb-batch-joined',
  'fault/every-write-failed-before': 'idem-500-recorded',
  'fault/every-write-put-off': 'idem-503-recorded',
  'fault/every-write-failed-after': 'idem-500-recorded',
  'fault/every-write-lost': 'idem-update-unrecorded',
  'fault/every-write-held': 'idem-in-flight-423',
  'scope/every-write-forbidden': 'time-permission-cached',
  'scope/every-write-rescoped': 'upd-scope-open',
  'limit/every-write-limited': 'idem-429-recorded',
  'webhook/while-others-change': 'time-rotation-restarts',
  'webhook/target-changes': 'time-target-cached',
  'limit/asked-while-limited': 'time-token-ban',
  'account/known-in-every-spelling': 'comb-bulk-email-case',
  'account/said-at-every-length': 'size-language-35',
  'update/changed-at-every-length': 'size-language-35',
  'account/of-every-status': 'comb-closed-frees',
  'update/refused-often': 'comb-412-locks',
  'update/there-and-back': 'comb-restored-update',
  'again/long-subjects': 'size-subject-200',
  'again/long-batches': 'size-index-in-chunk',
  'again/across-operations': 'comb-batch-of-one',
  'operator/every-way': 'comb-compensation-whole',
  'decide/every-decision': 'comb-501-locks',
  'decide/unknown-ids': 'size-id-int64',
  'transaction/known-to-others': 'comb-delegated-known',
  'transaction/at-every-length': 'size-reason-3',
  'webhook/one-after-the-other': 'comb-waits-shared',
  'webhook/many-at-once': 'size-batch-deliveries-20',
  'webhook/while-one-waits': 'comb-queue-replaced',
  'webhook/every-age-of-secrets': 'time-rotation-reverts',
  'webhook/retried-over-a-rotation': 'comb-retry-one-signature',
  'burst/same-name': 'race-reference-case',
  'burst/same-money': 'race-reject-cancel',
  'account/changed-and-elsewhere': 'comb-update-spreads-phone',
  'account/rows-of-every-fulness': 'comb-row-leaks',
  'account/every-person': 'acc-email-dot',
  'account/every-body': 'err-null-body',
  'update/every-change': 'upd-status-trimmed',
  'transaction/every-amount': 'txn-amount-commas',
  'webhook/every-target': 'hook-mapped',
  'again/every-key': 'idem-key-plain',
  'decide/every-spelling-of-ids': 'conv-path-number',
  'again/refused-then-another': 'comb-refusal-subject',
  'webhook/again-to-one-url': 'comb-hook-disabled-twin',
  'webhook/every-choice': 'comb-first-category',
  'place/many': 'size-places-2',
  'burst/strangers': 'race-coalesced',
  'burst/under-one-key': 'race-key-lock',
  'burst/callers': 'race-scopes',
  'burst/subscriptions': 'race-hook-ids',
  'scope/decided-by-everybody': 'comb-delegated-rejects',
  'scope/used-by-everybody': 'comb-brand-rotates',
  'again/everybodys-key': 'comb-minted-share-keys',
  'again/refused-then-otherwise': 'idem-operations-share',
  'webhook/every-try': 'comb-redirect-retry',
  'webhook/target-lost': 'evt-no-recheck',
  'webhook/every-good-target': 'hook-query-dropped',
  'transaction/first-of-everybody': 'comb-ftd-bulk',
  'operator/every-sum-and-back': 'size-reversal-1000',
  'operator/every-way-again': 'idem-replay-credits',
  'operator/every-way-of-a-kind': 'txs-ftd-every',
  'again/every-write-at-once': 'idem-replay-current',
  'again/every-write-around-a-day': 'time-key-midnight',
  'again/orders': 'idem-open-unrecorded',
  'burst/same-account': 'race-call-ids',
  'burst/same-tag': 'race-lost-update',
  'limit/every-part-of-a-second': 'lim-burst-double',
  'account/known-however-made': 'size-reference-case-64',
  'scope/all-but-its-own': 'comb-amend-accounts',
  'scope/moved-by-every-grant': 'auth-amend-funds',
  'webhook/brand-beside-firm': 'comb-brand-updates',
  'update/untouched': 'time-noop-day',
  'limit/for-a-minute': 'time-minute-cap',
  'burst/neighbours': 'race-update-approval',
};

const all = ideas.filter(({ isGrid }) => isGrid === true);

function explored(only: readonly string[], requests: number, defect?: DefectId) {
  const broken = defects.find(({ id }) => id === defect);
  return exploreOne(secondMind('plain', broken), {
    ...{ seed: 1, requests, all: false, learned: defaultSettings },
    ideas: all.filter(({ id }) => only.includes(id)),
    signal: new AbortController().signal,
  });
}

grids('each has a defect that it shows', () => {
  assert.equal(all.map(({ id }) => id).sort(), Object.keys(SHOWN_BY).sort());
});

grids('find nothing where nothing is broken', async () => {
  const ids = all.map(({ id }) => id);
  const { found, inconclusive } = await explored(ids, 1900);
  assert.equal({ found, inconclusive }, { found: [], inconclusive: [] });
});

grids('what the model cannot set up, with a step left out, ends no search', async () => {
  const { found } = await explored(['burst/neighbours'], 400, 'race-update-approval');
  assert.match(found[0]?.rules[0] ?? '', /^UPD-[12]$/);
});

for (const [id, defect] of sampleOfDay('grids', Object.entries(SHOWN_BY), 15)) {
  grids(`${id} shows ${defect}`, async () => {
    const { found } = await explored([id], 400, defect);
    assert.is.not(found.length, 0);
  });
}

grids.run();
