// The options of `conformance run` are checked one by one, each with a suggestion.
import { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../../../fixtures/rules.ts';
import { systemIo } from '../io.ts';
import { suggestIds } from '../suggest-ids.ts';
import { defineExplain } from './explain.ts';
import { defineList } from './list.ts';
import { addReportOptions, addTargetOptions, optionsOf, type RunOptions } from './options.ts';
import { defineRun } from './run.ts';
import { type Given, runCommand, runJudge } from './testing/run-judge.ts';

const env = { TOKEN: 'tok_of_a_target', EMPTY: '', BROKEN: 'tok_1\n' };
/** Nothing listens there: a request would fail with another error. */
const url = 'http://127.0.0.1:9/';

const options = suite('options of conformance run');

function read(...words: string[]): RunOptions {
  const command = new Command();
  addTargetOptions(command, { ...systemIo(), env });
  addReportOptions(command, 'rules', 'X').action(() => {});
  command.parse(words, { from: 'user' });
  return optionsOf<RunOptions>(command);
}

options('other commands name what they know, and what they do not', async () => {
  const { code, err } = await runCommand(defineExplain, {}, {}, ['nope']);
  assert.is(code, 2);
  assert.match(err, /"nope" is not a rule, a scenario, an open question/);
  const listed = await runCommand(defineList, {}, {}, ['POS']);
  assert.match(listed.out, /^POS: .*(\n {2,}\S.*)+\n\nIn all: \d+ rules, /);
  const positional = await runCommand(defineRun, {}, {}, ['http://x']);
  assert.match(positional.err, 'unexpected argument http://x: give the URL with --base-url');
});

const TYPED: [text: string, offered: string][] = [
  ['IDEM-4', '; did you mean IDEM-4a, IDEM-4b, IDEM-4c or IDEM-4d?'],
  ['idem4b', '; did you mean IDEM-4b?'],
  ['CONV_3', '; did you mean CONV-3?'],
  ['nothing-of-the-kind', ''],
  // Too many suggestions to be useful.
  ['HOOK', ''],
];
options('a mistyped id gets suggestions', () => {
  const ids = rules.map(({ id }) => id);
  for (const [text, offered] of TYPED) assert.is(suggestIds(text, ids), offered);
});

options('the minimal options', () => {
  const { baseUrl, controlUrl, timeoutS, report, only, strict } = read('--base-url', url);
  assert.equal([baseUrl, controlUrl, timeoutS], ['http://127.0.0.1:9', undefined, 30]);
  assert.equal([report, only, strict], [[], [], undefined]);
});

options('a token by the name of its variable', () => {
  const secret = { env: 'TOKEN', value: env.TOKEN };
  assert.equal(read('--base-url', url, '--token-env', 'TOKEN').tokenEnv, secret);
});

options('lists repeat and take commas', () => {
  const given = read(
    ...['--base-url', url, '--only', 'ACC-1,TXN-4', 'UPD-1', '--skip', 'X'],
    ...['--report', 'json=a.json,junit=b.xml', '--report', 'html=c=d.html'],
  );
  assert.equal([given.only, given.skip], [['ACC-1', 'TXN-4', 'UPD-1'], ['X']]);
  assert.equal(given.report, [
    { format: 'json', file: 'a.json' },
    { format: 'junit', file: 'b.xml' },
    { format: 'html', file: 'c=d.html' },
  ]);
});

const WRONG: [name: string, given: Given, words: RegExp][] = [
  ['no target', {}, /--base-url is missing/],
  ['no url', { baseUrl: 'localhost:7420' }, /--base-url: "localhost:7420" is not a url/],
  ['the path of the API', { baseUrl: `${url}api/v1/` }, /leave the path \/api\/v1 out.*: http:/],
  ['a file as control plane', { baseUrl: url, controlUrl: 'x' }, /--control-url: "x" is not a url/],
  ['a seed of words', { baseUrl: url, seed: 'one' }, /--seed: "one" is not a whole number from 0/],
  ['half a seed', { baseUrl: url, seed: '1.5' }, /--seed: "1.5" is not a whole number/],
  ['a rate of nothing', { baseUrl: url, maxRate: '0' }, /--max-rate: "0" is not a number from 0.1/],
  ['a negative time', { baseUrl: url, timeoutS: '-1' }, /--timeout-s: "-1" is not a number/],
  ['an unknown format', { baseUrl: url, report: ['pdf=x'] }, /"pdf=x" must be json=FILE, junit/],
  ['a format without a file', { baseUrl: url, report: ['json'] }, /"json" must be/],
  ['a file twice', { baseUrl: url, report: ['json=x', 'html=x'] }, /x is named twice/],
  ['two things in a file', { baseUrl: url, report: ['json=x'], observed: 'x' }, /named twice/],
  ['an update of nothing', { baseUrl: url, updateBaseline: true }, /needs --baseline FILE/],
  ['a token for a name', { baseUrl: url, tokenEnv: 'tok-1!' }, /name of an environment variable/],
  ['a variable that is not there', { baseUrl: url, tokenEnv: 'NOPE' }, /NOPE is not set/],
  ['a token of letters', { baseUrl: url, tokenEnv: 'tok_1' }, /environment variable, not a token/],
  ['a line break', { baseUrl: url, tokenEnv: 'BROKEN' }, /BROKEN ends with a line break/],
  ['an empty variable', { baseUrl: url, tokenEnv: 'EMPTY' }, /EMPTY is not set or is empty/],
  [
    'a token beside a profile',
    { baseUrl: url, tokenEnv: 'TOKEN', profile: 'p.json' },
    /--token-env.* cannot be used with.*--profile/,
  ],
  ['a glob without a match', { baseUrl: url, only: ['BULC-*'] }, /"BULC-\*" .*mean BULK-\*\?/],
  ['a skip without a match', { baseUrl: url, skip: ['x'] }, /--skip: "x" matches no rule/],
  ['no profile', { baseUrl: url, profile: 'nope.json' }, /nope\.json: there is no such file; conf/],
  ['no baseline', { baseUrl: url, baseline: 'nope.json' }, /nope\.json: there is no such file/],
  ['no folder', { baseUrl: url, report: ['json=no/r.json'] }, /cannot write no\/r\.json: there is/],
  ['settings to a folder', { baseUrl: url, observed: '.' }, /\. is a folder/],
  ['a brand by name', { baseUrl: url, brandId: 'north' }, /--brand-id: "north" is not an id/],
];
for (const [name, given, words] of WRONG) {
  options(`refused: ${name}`, async () => {
    const { code, err } = await runJudge(given, { env });
    assert.is(code, 2);
    assert.match(err, words);
    assert.not.match(err, /tok_1|tok_of/);
  });
}

options.run();
