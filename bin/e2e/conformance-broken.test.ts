// The judge against targets that are broken in common ways, over real sockets: no rule passes, and
// the exit code says what happened.
import { createReadStream, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../../fixtures/rules.ts';
import { runJudge, withFolder, withServer } from '../commands/conformance/testing/run-judge.ts';

const drained = (play: (response: ServerResponse, body: Buffer) => void): RequestListener => {
  return async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    play(response, Buffer.concat(chunks));
  };
};
const answering = (status: number, type = '', text = '') =>
  drained((response) => response.writeHead(status, { 'content-type': type }).end(text));

const JSON_TYPE = 'application/json';
const PROBLEM = '{"code":"unauthorized"}';
const NOT_THE_API = /does not look like the API/;
const CUT = /the connection ended/;

const files: RequestListener = (incoming, response) => {
  incoming.resume();
  if (incoming.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
  else createReadStream(new URL(import.meta.url)).pipe(response);
};
const cutOff = drained((response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"id":');
  response.destroy();
});

const TARGETS: readonly (readonly [name: string, listener: RequestListener, words: RegExp])[] = [
  ['a static file server', files, /does not look like the API.*base url/i],
  ['a file server that knows no such path', answering(404, 'text/plain', 'no'), NOT_THE_API],
  ['an echo server', drained((response, body) => response.end(body)), NOT_THE_API],
  ['200 to all', answering(200, JSON_TYPE, '{"ok":true}'), NOT_THE_API],
  ['401 to all', answering(401, 'application/problem+json', PROBLEM), /token was refused \(401\)/],
  ['HTML error pages', answering(503, 'text/html', '<h1>Sorry</h1>'), /503/],
  [
    'a gateway without anything behind it',
    answering(502, 'text/html', '<p>bad</p>'),
    /Nothing was tried: POST .*accounts: 502 .*, 6 times.*check that the API runs behind it, and --base-url/,
  ],
  ['a server that always answers 429', answering(429), /429/],
  ['a server that never answers', () => {}, /no whole answer within 0.3 s/],
  [
    'a server that never ends a response',
    drained((r) => r.writeHead(200).write('{')),
    /no whole answer within/,
  ],
  ['a server that resets every connection', (incoming) => incoming.socket.destroy(), CUT],
  ['a server that truncates responses', cutOff, CUT],
  ['a server of SSH', ({ socket }) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), /not HTTP/],
];

const broken = suite('broken targets');

for (const [name, listener, words] of TARGETS) {
  broken(`${name}: exit 3, and no rule is passed`, () =>
    withServer(listener, async (baseUrl) => {
      const seen = await runJudge({ baseUrl, tokenEnv: 'TOKEN', json: true, timeoutS: '0.3' });
      assert.is(seen.code, 3);
      assert.is(seen.report.verdict, 'invalid');
      assert.is(seen.report.summary.passed, 0);
      assert.is(seen.report.summary.deviates, 0);
      const { notes, not_started: why } = seen.report;
      assert.match([...notes, why].join('\n'), words);
      assert.is(seen.report.rules.length, rules.length);
    }),
  );
}

broken('without a credential the exit code is 3 too', () =>
  withServer(TARGETS[0]![1], async (baseUrl) => {
    const seen = await runJudge({ baseUrl, json: true, timeoutS: '0.3', only: ['ACC-*'] });
    assert.is(seen.code, 3);
    assert.is(seen.report.summary.passed, 0);
  }),
);

// It looks like the API, so it is judged.
broken('a server that creates everything: it deviates, and passes no refusal', () =>
  withServer(
    drained((response) =>
      response
        .writeHead(201, { 'content-type': JSON_TYPE, etag: '"1"' })
        .end('{"id":"1","revision":1,"status":"New","brand_id":"10"}'),
    ),
    async (baseUrl) => {
      const only = ['ACC-4', 'ACC-8', 'BULK-6', 'BULK-7', 'BULK-9', 'IDEM-1a', 'ERR-2'];
      const seen = await withFolder((folder) => {
        const profile = join(folder, 'profile.json');
        const plan = { per_second: 1000 };
        const credentials = { firm: { token: 'env:TOKEN', brand_id: '10' } };
        writeFileSync(profile, JSON.stringify({ credentials, plan }));
        return runJudge({ baseUrl, profile, json: true, only });
      });
      assert.is(seen.code, 1);
      for (const { id, verdict } of seen.report.rules) {
        if (only.includes(id)) assert.is.not(verdict, 'passed', id);
      }
    },
  ),
);

broken.run();
