// Checks that the explorer learns as much from the scenarios that it plays as from all there are.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { learn, NEVER_LEARNED, TOO_DEAR } from '../../../conformance/explore/learn.ts';
import { observedConfig, observedRows } from '../../../conformance/reports/observed.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { sampleOfDay } from '../../../fixtures/testing/sample-of-day.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';
import { drawSettings } from '../../dev/prove-explorer/subjects.ts';

const learning = suite('what the explorer learns');

const common = {
  timeoutMs: 30_000,
  signal: new AbortController().signal,
  secret: () => {},
};

const SEEDS = Array.from({ length: 20 }, (_, at) => 700 + at);
const observing = scenarios.filter(
  ({ id, observes = [] }) => observes.length > 0 && !TOO_DEAR.includes(id),
);

for (const seed of sampleOfDay('settings to be learned', SEEDS, 2)) {
  learning(
    `settings ${seed}: as from every scenario that observes, in fewer requests`,
    async () => {
      const target = await simulatorModel(drawSettings(seed));
      const { provider, sender } = target;
      try {
        const learned = await learn({ ...common, provider, sender, most: 4_000 });
        const all = await runScenarios({ ...common, scenarios: observing, provider, sender });
        const { config } = observedConfig(observedRows(observing, all.scenarios));
        for (const [key, value] of Object.entries(config.settings)) {
          if (!NEVER_LEARNED.includes(key)) assert.equal(learned.settings[key], value, key);
        }
        assert.ok(learned.requests < all.requests * 0.85, `${learned.requests} of ${all.requests}`);
      } finally {
        await target.close();
      }
    },
  );
}

learning.run();
