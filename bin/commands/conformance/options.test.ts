// The options of `conformance run` are checked one by one, each with a word on what to give
// instead.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from './io.ts';
import { readRunOptions } from './options.ts';

const env = { TOKEN: 'tok_of_a_target', EMPTY: '' };
const url = 'http://127.0.0.1:7420/';

const options = suite('options of conformance run');

options('the least there is to give', () => {
  const read = readRunOptions({ baseUrl: url }, env);
  assert.is(read.baseUrl, 'http://127.0.0.1:7420');
  assert.is(read.controlUrl, undefined);
  assert.is(read.seed, 1);
  assert.is(read.timeoutS, 30);
  assert.equal(read.reports, []);
  assert.is(read.strict, false);
});

options('a token by the name of its variable, in two spellings', () => {
  assert.is(readRunOptions({ baseUrl: url, tokenEnv: 'TOKEN' }, env).token, env.TOKEN);
  assert.is(readRunOptions({ baseUrl: url, token: 'env:TOKEN' }, env).token, env.TOKEN);
});

options('reports of every format', () => {
  const report = ['json=a.json', 'junit=b.xml', 'html=c=d.html', 'markdown=e.md'];
  assert.equal(readRunOptions({ baseUrl: url, report }, env).reports, [
    { format: 'json', file: 'a.json' },
    { format: 'junit', file: 'b.xml' },
    { format: 'html', file: 'c=d.html' },
    { format: 'markdown', file: 'e.md' },
  ]);
});

const WRONG: [name: string, given: Parameters<typeof readRunOptions>[0], words: RegExp][] = [
  ['no target', {}, /--base-url is missing/],
  ['no url', { baseUrl: 'localhost:7420' }, /--base-url: "localhost:7420" is not a url/],
  ['the path of the API', { baseUrl: `${url}api/v1/` }, /leave the path \/api\/v1 out.*: http:/],
  ['a file as control plane', { baseUrl: url, controlUrl: 'x' }, /--control-url: "x" is not a url/],
  ['a seed of words', { baseUrl: url, seed: 'one' }, /--seed: "one" is not a whole number from 0/],
  ['half a seed', { baseUrl: url, seed: '1.5' }, /--seed: "1.5" is not a whole number/],
  ['a rate of nothing', { baseUrl: url, maxRate: '0' }, /--max-rate: "0" is not a number from 0.1/],
  ['a negative time', { baseUrl: url, timeoutS: '-1' }, /--timeout-s: "-1" is not a number/],
  ['an unknown format', { baseUrl: url, report: ['pdf=x'] }, /"pdf=x" is none of json=FILE, junit/],
  ['a format without a file', { baseUrl: url, report: ['json'] }, /"json" is none of/],
  ['a file twice', { baseUrl: url, report: ['json=x', 'html=x'] }, /x is named twice/],
  [
    'a file for two things',
    { baseUrl: url, report: ['json=x'], observed: 'x' },
    /x is named twice/,
  ],
  ['an update of nothing', { baseUrl: url, updateBaseline: true }, /needs --baseline FILE/],
  ['a token in the open', { baseUrl: url, token: 'tok_1' }, /never the token itself/],
  [
    'a token for a name',
    { baseUrl: url, tokenEnv: 'tok-1!' },
    /the name of an environment variable/,
  ],
  ['a variable that is not there', { baseUrl: url, tokenEnv: 'NOPE' }, /NOPE is not set/],
  ['an empty variable', { baseUrl: url, tokenEnv: 'EMPTY' }, /EMPTY is not set or is empty/],
  ['a brand by name', { baseUrl: url, brandId: 'north' }, /--brand-id: "north" is not an id/],
  ['two sources', { baseUrl: url, tokenEnv: 'TOKEN', profile: 'p.json' }, /exclude each other/],
];
for (const [name, given, words] of WRONG) {
  options(`refused: ${name}`, () => {
    try {
      readRunOptions(given, env);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, UsageError);
      assert.match((error as Error).message, words);
      assert.not.match((error as Error).message, 'tok_1');
      assert.not.match((error as Error).message, env.TOKEN);
    }
  });
}

options.run();
