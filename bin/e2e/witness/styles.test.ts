// An honest platform that was written from the specification alone: the judge accuses it of nothing
// in either style, with a control plane or with a profile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complaintsOf, judgeWitness, unpassedOf } from '../testing/judge-witness.ts';
import { type StyleName, styles } from '../testing/witness/styles.ts';

const honest = suite('the honest witness');

/** Limits and deliveries take their time on a clock that runs: they are judged by control plane. */
const LIVE = ['CONV', 'ACC', 'UPD', 'BULK', 'POS', 'TXN', 'TXS', 'HOOK', 'ERR'];

for (const style of Object.keys(styles) as StyleName[]) {
  honest(`keeps every rule in the style ${style}`, async () => {
    assert.equal(unpassedOf(await judgeWitness({ style })), []);
  });

  honest(`is accused of nothing in the style ${style} with a profile alone`, async () => {
    const only = LIVE.map((family) => `${family}-*`);
    const report = await judgeWitness({ style, live: true, only });
    assert.equal(complaintsOf(report), []);
    assert.ok(report.summary.passed > 90, `${report.summary.passed} passed`);
  });
}

honest.run();
