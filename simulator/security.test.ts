// Each sentence of the guide about security has a test: this one knows which, and that it is there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const security = suite('security, as it is written down');
const here = import.meta.dirname;

const options = '../bin/commands/sandbox/start-options.test.ts';
const coverage = '../bin/commands/sandbox/coverage/write-coverage.test.ts';
const start = '../bin/e2e/start.test.ts';
const hostile = 'transports/hostile-senders.test.ts';
const door = 'transports/door.test.ts';
const mount = 'transports/control/mount.test.ts';
const planted = 'host/storage/planted-files.test.ts';
const plane = 'control/plane.test.ts';

/** How a sentence begins, and the tests that hold it. */
const heldBy: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  'It binds `127.0.0.1`': [[options, 'what is not named stays open, for a kept world to say']],
  'Where other machines can reach it': [
    [options, 'a host of this machine needs no token, all others do'],
    ['index.test.ts', 'who lets other machines in needs a control token'],
  ],
  'It answers to the names': [
    [hostile, 'a name that is not ours is refused by everything that is served'],
    [door, 'by the names of this machine, the bound address, and names that were allowed'],
    [door, 'the refusal says what to do, and repeats no text that is no name'],
  ],
  'Without a socket': [
    ['index.test.ts', 'is called by the names that were allowed, and without a socket by any'],
  ],
  'The API asks for its own': [[start, 'the same seed makes the same tokens, another seed others']],
  'A page from another origin may not use': [
    [door, 'a page uses the plane and follows the events only from here'],
    [door, 'a read that a page elsewhere has a browser make is refused on the plane'],
    [mount, 'turns away foreign names and pages, whatever they ask'],
    [
      '../ui/hostile-pages.test.ts',
      'a page under a name that was rebound to the sandbox gets nothing',
    ],
  ],
  'A page from another origin may follow': [
    [hostile, 'a page from elsewhere follows no events, unless it was allowed'],
    [door, 'an origin that was allowed follows the events, and no more'],
  ],
  'Whoever reaches the control plane': [[plane, 'wants its token where it was given one']],
  'A control token from': [[options, 'a control token that no process list shows']],
  'The dashboard loads': [
    ['transports/serve.test.ts', 'the page and its parts, with a policy that lets nothing in'],
  ],
  'Nothing is written to disk': [
    [start, 'what is written was asked for, and is its owner’s alone'],
    [coverage, 'a file that others could read is its owner’s alone from now on'],
  ],
  'In a folder that others may write': [
    [planted, 'a link laid where a state is written first is not followed'],
    [planted, 'a link laid where a recording is about to begin is not written through'],
    [planted, 'a link, a pipe or a torn text where the lock stands is not a lock'],
    [planted, 'a write-ahead log that is a link, a pipe, a folder or another person’s is not told'],
  ],
  'The log shows no token': [
    [start, 'a token in a query stays out of the log, as a line and as an event'],
    [
      'control/rows/platform/requests.test.ts',
      'tokens, cookies and secrets are shown on demand only',
    ],
    ['../ui/story.test.ts', 'tokens are shown on demand only'],
  ],
  'A caller is judged': [
    [mount, 'a stranger is turned away before any of a body has come'],
    [plane, 'is refused by its head: '],
  ],
  'A request that names two hosts': [
    [hostile, 'a request that names two hosts is refused, in whatever order'],
    [hostile, 'a guard sees every header, however many come before it'],
  ],
  'A request has 30 seconds': [
    [hostile, 'the connection ends when the rest does not come: '],
    [hostile, 'an answer may take longer than a request'],
  ],
  'A refused handshake': [
    [hostile, 'a refused handshake ends, whatever it has still to say'],
    [hostile, 'what is no HTTP ends, whatever it has still to say'],
  ],
  'A body costs': [
    ['host/bodies/read-body.test.ts', 'no piece is kept'],
    [plane, 'each row reads as much as it has use for'],
  ],
  'Who asks for tokens': [
    ['testing/tokens.test.ts', 'leaves no more than a bounded count of them'],
    ['testing/tokens.test.ts', 'a name too long to be anybody’s is not kept'],
  ],
  'A file that somebody else wrote': [
    [
      '../bin/commands/foreign-files.test.ts',
      'however it is broken, it is used or refused in words',
    ],
    ['../bin/commands/foreign-files.test.ts', 'however they are broken, a sentence'],
    ['../bin/dev/tidy/regexes.test.ts', 'those that are written in the code'],
  ],
  'However much is wrong': [
    ['../fixtures/schemas/validate.test.ts', 'the first twenty are named'],
    ['control/bounds.test.ts', 'of every row'],
  ],
  'Webhooks go to public': [
    ['host/delivery/pinning.test.ts', 'rebinding: a public name whose connection would end at'],
    ['core/values/target-url.test.ts', 'HOOK-8: non-public literals are refused in every spelling'],
  ],
  'A webhook address with leading zeros': [
    ['core/values/target-url.test.ts', 'HOOK-8: an address with leading zeros is refused'],
  ],
};

const guide = readFileSync(join(here, 'README.md'), 'utf8');
const sentences = [...guide.slice(guide.indexOf('## Security')).matchAll(/^- (.+)$/gm)];
const beginnings = Object.keys(heldBy);

security('every sentence has its tests, and no test is named for one that is gone', () => {
  const found = sentences.map(([, sentence = '']) =>
    beginnings.filter((beginning) => sentence.startsWith(beginning)),
  );
  assert.equal(found.flat(), beginnings);
  for (const [at, one] of found.entries()) assert.is(one.length, 1, sentences[at]?.[1]);
});

for (const [beginning, tests] of Object.entries(heldBy)) {
  security(`${beginning} …`, () => {
    for (const [file, title] of tests) {
      const text = readFileSync(join(here, file), 'utf8');
      assert.ok(text.includes(title), `${file} has no test "${title}"`);
    }
  });
}

security.run();
