// The witness is a platform written from the specification alone. The judge accuses it of nothing, and
// catches its defects. `npm run prove -- --witness` judges both styles, every trait and every defect.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readWitnessProof } from '../dev/prove/witness.ts';
import { blamedIn, complaintsOf, judgeWitness, unpassedOf } from './testing/judge-witness.ts';
import { defects, defectsOf } from './testing/witness/defects.ts';

const witness = suite('the witness');

witness('keeps every rule in the style other', async () => {
  // They send more than half of all requests; the proof plays them.
  const skip = ['LIM-*', 'idem-many-keys', 'idem-crowd-*', 'auth-scope-matrix'];
  assert.equal(unpassedOf(await judgeWitness({ style: 'other', skip })), []);
});

witness('is accused of nothing when only a profile is given', async () => {
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

for (const defect of defectsOf('race-same-reference', 'key-renewed', 'crash-country')) {
  witness(`is caught with the defect ${defect.id}: ${defect.sentence}`, async () => {
    const only = proof[defect.id]!;
    assert.equal(blamedIn(await judgeWitness({ defects: [defect], only })), only);
  });
}

witness.run();
