// The causes that checks of a receiver share: the most general one is shown.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Redactor } from '../reports/redact.ts';
import type { Check } from './check.ts';
import { receiverChecks } from './checks.ts';
import { receiverReport } from './report.ts';

const causes = suite('causes of failing receivers');

const BLIND = 'It accepted every forged delivery: the signature is not checked at all';
const UNREAD = 'chunked bodies are not read';

/** The titles of the causes if these checks deviate, and others break the receiver or pass. */
function titlesOf(fails: (check: Check) => boolean, breaks: readonly string[] = []): string[] {
  const results = receiverChecks.map((check) => {
    const isBroken = breaks.includes(check.id);
    const verdict = isBroken ? 'advisory' : fails(check) ? 'deviates' : 'passed';
    const judgement = { verdict, expected: 'e', actual: 'a' } as const;
    return { check, judgement, exchanges: [] };
  });
  const times = { startedAt: '2026-01-31T12:00:00.000Z', durationMs: 1, requests: 1 };
  const run = { ...times, results, refused: null, interrupted: false, observed: [] };
  const about = { version: '0', url: 'http://r', redactor: new Redactor(), replay: () => '' };
  return receiverReport({ ...about, run }).causes!.map(({ title }) => title);
}

const isForged = ({ group }: Check) => group === 'refuse';
const named =
  (...ids: string[]) =>
  ({ id }: Check) =>
    ids.includes(id);

causes('a receiver that accepts every forged delivery checks nothing', () => {
  assert.is(titlesOf(isForged)[0], BLIND);
  assert.is(titlesOf(isForged, ['RCV-refuses-body-emptied'])[0], BLIND, 'it fails to parse one');
  const refusing = (check: Check) => isForged(check) && check.id !== 'RCV-refuses-no-header';
  assert.not(titlesOf(refusing).includes(BLIND));
  const none = titlesOf(() => false);
  assert.equal(none, []);
});

causes('chunks that are not read explain letters that are cut by chunks', () => {
  const [cut, plain] = ['RCV-accepts-cut-letters', 'RCV-accepts-chunked'];
  assert.equal(titlesOf(named(cut, plain)), [UNREAD]);
  assert.equal(titlesOf(named(cut)), []);
});

causes.run();
