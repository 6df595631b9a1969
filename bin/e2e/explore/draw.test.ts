// What an exploration of 4,000 requests has room for: each idea is there to have a turn.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Idea } from '../../../conformance/explore/draw/idea.ts';
import { ideas } from '../../../conformance/explore/draw/ideas.ts';
import { Source } from '../../../conformance/explore/draw/source.ts';
import { countCalls } from '../../../conformance/explore/sequence.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { simulatorModel } from '../../commands/conformance/explore-model.ts';

const draw = suite('draw');

const REQUESTS = 4_000;
/** What learning, shrinking and showing leave of them. */
const DRAWN = 3_500;

/** The share of those that were drawn by then. */
async function shareOf(kinds: readonly ((idea: Idea) => boolean)[]): Promise<readonly number[]> {
  const target = await simulatorModel({ ...defaultSettings });
  const model = await simulatorModel({ ...defaultSettings });
  try {
    const { provider, sender } = target;
    const source = new Source(
      {
        ...{ provider, sender, requests: REQUESTS, seed: 3, crowd: 8, width: 1, settings: {} },
        ...{ makeModel: async () => model, untilMs: Number.POSITIVE_INFINITY, timeoutMs: 10_000 },
        signal: new AbortController().signal,
      },
      () => model,
    );
    for (let left = REQUESTS; left > REQUESTS - DRAWN; ) {
      left -= countCalls((await source.next({ left, seeds: undefined })).steps);
    }
    return kinds.map((isOne) => {
      const all = ideas.filter(isOne);
      return all.filter(({ id }) => source.coverage.ideas.has(id)).length / all.length;
    });
  } finally {
    await target.close();
    await model.close();
  }
}

draw('most grids and mixtures have their turn, and nearly every single call', async () => {
  const isGrid = (idea: Idea) => idea.isGrid === true;
  const isMixture = (idea: Idea) => idea.isMixture === true;
  const isSingle = (idea: Idea) => !isGrid(idea) && !isMixture(idea);
  const [grids, mixtures, singles] = await shareOf([isGrid, isMixture, isSingle]);
  assert.ok(grids! > 0.6, `${grids} of the grids`);
  assert.ok(mixtures! > 0.5, `${mixtures} of the mixtures`);
  assert.ok(singles! > 0.8, `${singles} of the single calls`);
});

draw.run();
