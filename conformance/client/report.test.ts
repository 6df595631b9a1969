// The common report on a client: what it contains from a run of the judge.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Conclusion } from './check-play.ts';
import { checks } from './checks/all.ts';
import { everywhere, fail, type Outcome } from './checks/check.ts';
import type { ClientRun } from './judge.ts';
import { observe } from './recording.ts';
import { type ClientReportOptions, clientReport, typed } from './report.ts';
import { recorded } from './testing/recorded.ts';

const reports = suite('report on a client');

const lost = {
  key: 'k',
  fault: 'it ran, and the connection was cut',
  fate: 'answer_lost',
} as const;
const again = { key: 'tok_secret', answer: { secret: 's' } };
const recording = recorded(
  [lost, again].map((each) => ({ line: 'POST accounts', ...each })),
  { code: 1, output: 'Bearer tok_secret' },
  ['tok_secret'],
);

const concluded = (place: string, outcome: Outcome): Conclusion => ({
  ...{ aim: { ...everywhere, words: place }, outcome, recording, run: 2, seen: 2, plays: 2 },
});

const failing = [
  concluded('the 1st', fail('gave-up', 'gave up', recording.calls)),
  concluded('the 2nd', { ...fail('new-key', 'sent again', recording.calls), doubled: true }),
];

const run: ClientRun = {
  ...{ startedAt: '2026-01-31T12:00:00.000Z', durationMs: 1000, seen: observe(recording) },
  ...{ unusable: null, runs: 2, requests: 4, interrupted: false, notes: [] },
  results: ['CLT-answer-lost', 'CLT-500'].map((id) => {
    const check = checks.find((each) => each.id === id)!;
    return { check, verdict: 'deviates', why: null, concluded: failing };
  }),
};

const options: ClientReportOptions = {
  ...{ version: '0', command: ['node', 'x.js'], seed: 1, run, strict: false },
  unselected: checks.filter(({ id }) => id === 'CLT-429'),
  replay: ({ id }) => `npx conformance client --only ${id} -- node x.js`,
};
const report = clientReport(options);

reports('the worst place comes first: a duplicate record', () => {
  const [check] = report.rules;
  assert.equal([check!.findings[0]!.place, check!.findings[1]!.place], ['the 2nd', 'the 1st']);
  assert.is(check!.verdict, 'deviates');
  assert.is(report.verdict, 'deviates');
});

reports('how often a failure was seen: once is enough where another place confirms it', () => {
  const seenIn = (results: ClientRun['results']) => {
    const [rule] = clientReport({ ...options, run: { ...run, results } }).rules;
    return rule!.findings.map(({ seen }) => seen);
  };
  const [result] = run.results;
  const twiceAndOnce = { ...result!, concluded: [failing[1]!, { ...failing[1]!, seen: 1 }] };
  assert.equal(seenIn([twiceAndOnce]), ['2 of 2 runs', '1 of 2 runs, and at another place']);
  // Nothing is injected, so every run shows it.
  const habit = { ...result!, check: checks.find(({ id }) => id === 'CLT-key-sent')! };
  assert.equal(seenIn([habit]), [undefined, undefined]);
});

reports('checks with one cause are grouped', () => {
  const [cause, ...others] = report.causes!;
  assert.equal(others, []);
  assert.is(cause!.title, 'a repeat is sent under a new key');
  assert.equal(cause!.rules, ['CLT-answer-lost', 'CLT-500']);
});

reports('calls show their times and faults, and no secret', () => {
  const [call, again] = report.scenarios.find(({ id }) => id === 'run-2')!.exchanges;
  assert.equal([call!.response, call!.failure], [null, 'it ran, and the connection was cut']);
  assert.is(again!.response!.status, 201);
  assert.is(again!.duration_ms, 5);
  assert.not.match(JSON.stringify(report), /tok_secret/);
});

reports('a command is quoted for its terminal', () => {
  const command = ['npm', 'test', String.raw`C:\my tests\a.js`, "it's", '%PATH%'];
  assert.is(typed(command, 'linux'), String.raw`npm test 'C:\my tests\a.js' 'it'\''s' %PATH%`);
  assert.is(typed(command, 'win32'), String.raw`npm test "C:\my tests\a.js" "it's" "%PATH%"`);
});

reports.run();
