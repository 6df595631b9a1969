// A target that has stopped is not called repeatedly; the run waits for a target that restarts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Reachability } from './reachability.ts';

const reach = suite('reachability');

type Event = 'refused' | 'answered' | 'silent';
const refused = (count: number): Event[] => Array(count).fill('refused');

const CASES: readonly (readonly [words: string, events: Event[], stepMs: number, gone: boolean])[] =
  [
    ['refused connections in a row', refused(16), 400, true],
    ['too few of them', refused(15), 400, false],
    ['within a restart', refused(40), 100, false],
    ['an answer between them', [...refused(15), 'answered', ...refused(15)], 400, false],
    ['scenarios without an answer', Array(8).fill('silent'), 0, true],
    ['an answer between those', [...Array(7).fill('silent'), 'answered', 'silent'], 0, false],
  ];
for (const [words, events, stepMs, gone] of CASES) {
  reach(`${words}: ${gone ? 'gone' : 'there'}`, () => {
    const reachability = new Reachability();
    events.forEach((event, at) => {
      if (event === 'refused') reachability.noteRefusal(at * stepMs);
      else if (event === 'silent') reachability.noteSilentScenario();
      else reachability.noteAnswer();
    });
    assert.is(reachability.isGone, gone);
  });
}

reach.run();
