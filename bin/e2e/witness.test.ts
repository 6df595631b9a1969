// The witness is a platform written only from the specification. The judge accuses it of nothing,
// and catches its defects. `npm run prove -- --witness` judges all styles, traits and defects.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as judge from '../../conformance/spec/literals.ts';
import * as platform from '../../fixtures/constants.ts';
import { eventCategories } from '../../fixtures/event-kinds.ts';
import { profileFields } from '../../fixtures/schemas/account-profile.ts';
import { readWitnessProof } from '../dev/prove/witness.ts';
import { judgeWitness } from './testing/judge-witness.ts';
import { complaintsOf, repetitive, unpassedOf } from './testing/sandboxed.ts';
import { defects } from './testing/witness/defects.ts';
import * as own from './testing/witness/records.ts';

const witness = suite('the witness');

witness('keeps every rule in the style other', async () => {
  const skip = ['LIM-*', ...repetitive];
  assert.equal(unpassedOf(await judgeWitness({ style: 'other', skip })), []);
});

witness('is not accused with a profile and no control plane', async () => {
  const only = ['ACC-1*', 'UPD-*', 'TXS-1*', 'HOOK-*'];
  const report = await judgeWitness({ style: 'other', live: true, only });
  assert.equal(complaintsOf(report), []);
  assert.ok(report.summary.passed > 30, `${report.summary.passed} passed`);
});

const proof = readWitnessProof();

witness('has a row in its proof for every defect, with rules that the defect breaks', () => {
  assert.equal(
    Object.keys(proof),
    defects.map(({ id }) => id),
  );
  for (const { id, breaks } of defects) {
    const others = proof[id]!.filter((rule) => !breaks.some((own) => own === rule));
    assert.equal(others, [], id);
  }
});

witness.run();

// Platform, judge and witness each have their own list of the specification's names and numbers, so
// that none repeats a mistake of another.
const same = suite('names and numbers');

same('profile members, categories, durations and limits are the same for all three', () => {
  assert.equal([judge.PROFILE_MEMBERS, own.PROFILE], [profileFields, profileFields]);
  assert.equal([judge.CATEGORIES, own.CATEGORIES], [eventCategories, eventCategories]);
  assert.is(judge.KEY_KEPT_MS, platform.keyRetentionMs);
  assert.is(judge.LONGEST, platform.longestText);
  assert.is(judge.MOST_ROWS, platform.bulkRows);
  assert.is(judge.TOKENS_A_MINUTE, platform.tokensAMinute);
});

same.run();
