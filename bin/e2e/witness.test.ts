// The witness is a platform written only from the specification. The judge accuses it of nothing,
// and catches its defects. `npm run prove -- --witness` judges all styles, traits and defects.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readWitnessProof } from '../dev/prove/witness.ts';
import { judgeWitness } from './testing/judge-witness.ts';
import { complaintsOf, repetitive, unpassedOf } from './testing/sandboxed.ts';
import { defects } from './testing/witness/defects.ts';

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
