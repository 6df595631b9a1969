// The defects of the second mind: each is in its code, and one of each kind is seen by the judge.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { type DefectId, defects } from '../testing/second-mind/defects.ts';
import { serve } from '../testing/second-mind/server/serve.ts';

const folder = join(import.meta.dirname, '../testing/second-mind');
const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('defects/'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n');

const broken = suite('defects of the second mind');

broken('stand in the code, each by its name', () => {
  const absent = defects.filter(({ id }) => !code.includes(`'${id}'`)).map(({ id }) => id);
  assert.equal(absent, []);
  assert.ok(defects.length > 400, `${defects.length} defects`);
});

const SAMPLES: readonly (readonly [DefectId, string])[] = [
  ['idem-replay-reprinted', 'IDEM-4b'],
  ['upd-stale-applies', 'UPD-7'],
  ['comb-second-place', 'TXS-4'],
];

for (const [id, rule] of SAMPLES) {
  broken(`${id} is seen, and named by its rule`, async () => {
    const served = await serve({ defects: [id] });
    try {
      const only = defects.find((each) => each.id === id)!.breaks.map(String);
      const { report } = await runJudge({ baseUrl: served.baseUrl, json: true, seed: '1', only });
      const blamed = report.rules.filter(({ verdict }) => verdict === 'deviates');
      assert.ok(
        blamed.some((each) => each.id === rule),
        `blamed: ${blamed.map((each) => each.id)}`,
      );
    } finally {
      await served.close();
    }
  });
}

broken.run();
