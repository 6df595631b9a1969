// When an aim has been played often enough: letters are runs, together or alone, one case per line.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conclude, explained, isSpoiled, type Played } from './check-play.ts';
import { advise, everywhere, fail, missed, type Outcome, pass } from './checks/check.ts';
import type { Recording } from './recording.ts';
import { recorded } from './testing/recorded.ts';

const concluded = suite('concluded');

const outcomes: Readonly<Record<string, Outcome>> = {
  p: pass('right'),
  f: fail('new-key', 'wrong'),
  g: fail('gave-up', 'wrong in another way'),
  w: fail('waits-for-ever', 'waits'),
  a: advise('gave-up', 'not so good'),
  m: missed(everywhere),
  x: fail('new-key', 'wrong'),
};

/** `P`: several aims in one run; `p`: alone. `x`: it read no response, and failed. */
function playedOf(runs: string): Played[] {
  return [...runs].map((run, index) => ({
    ...{ outcome: outcomes[run.toLowerCase()]!, recording: recorded([]), run: index + 1 },
    ...{ alone: run === run.toLowerCase(), instead: false, spoiled: run.toLowerCase() === 'x' },
  }));
}

const cases: readonly (readonly [runs: string, verdict: string, why: string])[] = [
  ['P', 'passed', 'who is right among others is right'],
  ['p', 'passed', 'and alone'],
  ['F', 'again', 'what went wrong beside it may be the reason'],
  ['Fp', 'passed', 'alone it was right'],
  ['Ff', 'deviates', 'seen twice'],
  ['f', 'again', 'once is not enough'],
  ['ff', 'deviates', 'seen twice'],
  ['fp', 'again', 'one says so and one says so'],
  ['fpf', 'deviates', 'the third decides'],
  ['fpp', 'passed', 'the third decides'],
  ['fg', 'again', 'two kinds of mistakes are not one seen twice'],
  ['fgp', 'passed', 'and in the end there was none'],
  ['fgm', 'inconclusive', 'three runs, three things'],
  ['w', 'deviates', 'no one has to wait a minute twice'],
  ['M', 'again', 'it may have ended before its turn'],
  ['m', 'again', 'chance may have led it elsewhere'],
  ['mm', 'inconclusive', 'it does not come there'],
  ['a', 'advisory', 'alone, that is all there is to say'],
  ['x', 'again', 'it did not hear what it was told'],
  ['xp', 'passed', 'what it did then does not count'],
  ['xxff', 'deviates', 'nor does it excuse what it does when it has heard'],
  ['xxf', 'again', 'which has to be seen twice'],
  ['Pxxxx', 'passed', 'what it did in the end stands'],
  ['xxxx', 'inconclusive', 'the machine stays too busy'],
  ['fxxxx', 'inconclusive', 'and no one is accused who was heard once'],
  ['fpxxxx', 'passed', 'nor played for ever'],
  ['A', 'again', 'among others it may be their fault'],
];

for (const [runs, verdict, why] of cases) {
  concluded(`${runs}: ${why}`, () => {
    const found = conclude(everywhere, playedOf(runs), new Set());
    assert.is(found?.outcome.verdict ?? 'again', verdict);
  });
}

const unheard = { line: 'POST accounts', key: 'a', abandonedAtMs: 950 };
const another = { line: 'POST transactions', key: 'b' };
const heardAll = recorded([another]);

const early = recorded([{ ...unheard, abandonedAtMs: 300 }, another], { durationMs: 1_000 });
const atEnd = recorded([another, unheard], { durationMs: 1_000 });
const never = recorded([unheard, unheard, another]);
const fault = recorded([{ ...unheard, fault: 'answered 500', abandonedAtMs: 300 }, another]);

/** Whether responses that the client did not read spoil a run. */
const SPOILED: readonly (readonly [
  words: string,
  run: Recording,
  site: string,
  outcome: string,
  first: Recording,
  isSpoiled: boolean,
])[] = [
  ['a response that it did not read', early, 'createTransaction#1', 'f', heardAll, true],
  ['a response that it never reads', never, 'createAccount#1', 'f', never, false],
  ['a call dropped at the end', atEnd, 'createTransaction#1', 'f', heardAll, false],
  ['a drop that was the reason for the end', atEnd, 'createAccount#1', 'f', heardAll, true],
  ['the client passed', early, 'createAccount#1', 'p', heardAll, false],
  ['the client passed, and read no fault', fault, 'createAccount#1', 'p', heardAll, true],
];
for (const [words, run, id, outcome, first, expected] of SPOILED) {
  concluded(`${words}: ${expected ? 'spoils the run' : 'does not count'}`, () => {
    assert.is(isSpoiled(run, outcomes[outcome]!, id, first), expected);
  });
}

concluded('a mistake seen twice elsewhere needs no confirmation', () => {
  const found = conclude(everywhere, playedOf('f'), new Set(['new-key']));
  assert.is(found?.outcome.verdict, 'deviates');
});

concluded('a failure with another reason is advice', () => {
  const found = conclude(everywhere, playedOf('gg'), new Set())!;
  const reason: Played = { ...playedOf('p')[0]!, instead: true };
  assert.is(explained(found, [...playedOf('gg'), reason]).outcome.verdict, 'advisory');
  const none: Played = { ...playedOf('g')[0]!, instead: true };
  const both = explained(found, [...playedOf('gg'), { ...none, run: 9 }]);
  assert.equal([both.outcome.verdict, both.run], ['deviates', 9], 'the run of the other fault');
});

concluded.run();
