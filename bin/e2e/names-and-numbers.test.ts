// Platform, judge and witness each have their own list of the specification's names and numbers.
// This test compares them, so that a change cannot be forgotten in one of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as judge from '../../conformance/spec/literals.ts';
import * as platform from '../../fixtures/constants.ts';
import { eventCategories } from '../../fixtures/event-kinds.ts';
import { profileFields } from '../../fixtures/schemas/account-profile.ts';
import * as witness from './testing/witness/records.ts';

const same = suite('names and numbers');

same('the members of a profile', () => {
  assert.equal(judge.PROFILE_MEMBERS, profileFields);
  assert.equal(witness.PROFILE, profileFields);
});

same('the categories of events', () => {
  assert.equal(judge.CATEGORIES, eventCategories);
  assert.equal(witness.CATEGORIES, eventCategories);
});

same('durations and limits', () => {
  assert.is(judge.KEY_KEPT_MS, platform.keyRetentionMs);
  assert.is(judge.LONGEST, platform.longestText);
  assert.is(judge.MOST_ROWS, platform.bulkRows);
  assert.is(judge.TOKENS_A_MINUTE, platform.tokensAMinute);
});

same.run();
