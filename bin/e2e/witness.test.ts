// The witness is a platform written from the specification alone. The judge accuses it of nothing, in
// either style and with any trait, and catches its defects. `npm run prove -- --witness` judges them all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readWitnessProof } from '../dev/prove/witness.ts';
import { blamedIn, complaintsOf, judgeWitness, unpassedOf } from './testing/judge-witness.ts';
import { defects } from './testing/witness/defects.ts';
import { type StyleName, styles } from './testing/witness/styles.ts';
import { compatibleGroups } from './testing/witness/traits.ts';

const witness = suite('the witness');

for (const style of Object.keys(styles) as StyleName[]) {
  witness(`keeps every rule in the style ${style}`, async () => {
    assert.equal(unpassedOf(await judgeWitness({ style })), []);
  });
}

witness('is accused of nothing when only a profile is given', async () => {
  // Limits and deliveries need a clock that can be moved.
  const only = ['ACC', 'UPD', 'TXS', 'HOOK'].map((family) => `${family}-*`);
  const report = await judgeWitness({ style: 'other', live: true, only });
  assert.equal(complaintsOf(report), []);
  assert.ok(report.summary.passed > 45, `${report.summary.passed} passed`);
});

// One group that has no waits in it; the proof judges the others too.
witness('is accused of nothing with a group of traits', async () => {
  const traits = compatibleGroups(24)[2]!;
  const report = await judgeWitness({ traits });
  assert.equal(complaintsOf(report), [], traits.map(({ id }) => id).join(' '));
  assert.ok(report.summary.passed > 120, `${report.summary.passed} passed`);
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

const caught = defects.filter(({ id }) => proof[id]!.length > 0);

for (const kind of new Set(caught.map((each) => each.kind))) {
  const defect = caught.find((each) => each.kind === kind)!;
  witness(`is caught with the defect ${defect.id}: ${defect.sentence}`, async () => {
    const blamed = blamedIn(await judgeWitness({ defects: [defect], only: defect.breaks }));
    assert.ok(blamed.length > 0, 'no rule is blamed');
  });
}

witness.run();
