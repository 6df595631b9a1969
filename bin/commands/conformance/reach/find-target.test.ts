// A problem on the way to a target is reported by its own cause, and nothing else is blamed for it.
import { writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sandboxed } from '../../../e2e/testing/sandboxed.ts';
import { type Given, runExplore, runJudge, withFolder, withServer } from '../testing/run-judge.ts';

const find = suite('finding a target');

/** No server listens there. */
const NOWHERE = 'http://127.0.0.1:9';

async function refusal(given: Given): Promise<string> {
  const { code, err } = await runJudge(given);
  assert.is(code, 2, err);
  return err;
}

find('a named control plane that does not answer stops the run', () =>
  withServer(
    (_request, response) => response.writeHead(404).end(),
    async (baseUrl) => {
      const given = { baseUrl, tokenEnv: 'TOKEN', only: ['ACC-1'] };
      const named = { ...given, controlUrl: `${baseUrl}/_sandbox` };
      assert.match(
        await refusal(named),
        /^error: --control-url: no control plane at .*: responded with 404/,
      );
      const dead = { ...given, controlUrl: `${NOWHERE}/_sandbox` };
      assert.match(await refusal(dead), /the connection was refused.*; --control-url none goes/);
      const guarded = { ...given, controlTokenEnv: 'TOKEN' };
      assert.match(await refusal(guarded), /^error: --control-token-env: no control plane at/);
      // Only optional if it is not named.
      assert.is((await runJudge(given)).code, 3);
    },
  ),
);

find('a control plane that needs a token is distinguished from a missing one', () =>
  sandboxed({ controlToken: 'c0ntr0l-token' }, async (baseUrl) => {
    const { out } = await runJudge({ baseUrl, only: ['ACC-1'] });
    assert.match(
      out.replace(/\s+/g, ' '),
      /The control plane at \S+ needs a token \(401\): give --control-token-env NAME/i,
    );
    const wrong = await refusal({ baseUrl, only: ['ACC-1'], controlTokenEnv: 'TOKEN' });
    assert.match(wrong, 'refuses the token of --control-token-env (401)');
  }),
);

find('a refused token is reported with its option', () =>
  withServer(
    (_request, response) => response.writeHead(401).end(),
    async (baseUrl) => {
      const { out } = await runJudge({ baseUrl, tokenEnv: 'TOKEN', only: ['ACC-1'] });
      assert.match(out, 'the token was refused (401): check --token-env TOKEN');
    },
  ),
);

const profile = {
  credentials: {
    firm: { token: 'env:TOKEN', brand_id: '10' },
    no_scopes: { token: 'other-token' },
  },
  receiver: { listen: '127.0.0.1:0', public_url: 'https://hooks.example.com/hooks' },
};

const runUnderProfile = (baseUrl: string, written: object = profile) =>
  withFolder(async (cwd) => {
    writeFileSync(join(cwd, 'p.json'), JSON.stringify(written));
    return await runJudge({ baseUrl, controlUrl: 'none', profile: 'p.json', json: true }, { cwd });
  });

find('a profile without a credential to act as is told which one it lacks', async () => {
  const { no_scopes } = profile.credentials;
  const { report } = await runUnderProfile(NOWHERE, { credentials: { no_scopes } });
  assert.match(report.not_started!, /server credential.*: add credentials\.firm or brand/);
});

find('if no server listens, nothing was created and the receiver is not blamed', async () => {
  const { code, report } = await runUnderProfile(NOWHERE);
  assert.is(code, 3);
  assert.match(report.not_started!, 'the connection was refused');
  assert.is(report.inventory!.unanswered, 0);
  assert.not.match(report.notes.join('\n'), 'receiver');
  assert.is(report.rules.filter(({ lost }) => lost.length > 0).length, 0);
});

find('if the token is refused, the receiver is not blamed and each request counts', () => {
  let calls = 0;
  const refuse: RequestListener = (request, response) => {
    if (request.url?.startsWith('/api/')) calls += 1;
    response.writeHead(401).end();
  };
  return withServer(refuse, async (baseUrl) => {
    const { report } = await runUnderProfile(baseUrl);
    assert.match(report.not_started!, 'check credentials.firm (env:TOKEN)');
    assert.not.match(report.notes.join('\n'), 'receiver');
    assert.is(report.requests, calls);
    assert.ok(calls > 0);
  });
});

find('an exploration says why it compared nothing, and that the target agreed nowhere', () =>
  withFolder(async (cwd) => {
    writeFileSync(join(cwd, 'm.json'), '{}');
    writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile));
    const given = { baseUrl: NOWHERE, profile: 'p.json', model: 'm.json' };
    const { code, out } = await runExplore(given, { cwd });
    assert.is(code, 3);
    const nothing =
      /Nothing was compared: nothing answers at \S+ \(the\s+connection\s+was\s+refused/;
    assert.match(out, nothing);
    assert.match(out, 'could not be compared');
    assert.not.match(out, 'until then it agreed');
  }),
);

find('a replayed difference keeps its id, and an exploration leaves no trace', () =>
  sandboxed({ deviations: ['account-create-answers-200'] }, async (baseUrl, sandbox) => {
    await withFolder(async (cwd) => {
      const wide = { baseUrl, requests: '300', report: ['json=kept.json'] };
      assert.is((await runExplore(wide, { cwd })).code, 1);
      const again = await runExplore({ baseUrl, replay: 'kept.json#d1' }, { cwd });
      assert.is(again.code, 1);
      assert.match(again.out, '--replay kept.json#d1');
    });
    // An exploration uses worlds of its own.
    assert.equal((await sandbox.control.listRequests()).requests, []);
  }),
);

find('an exploration with too few requests says that learning took them', () =>
  sandboxed({}, async (baseUrl) => {
    const { code, out } = await runExplore({ baseUrl, requests: '3' });
    assert.is(code, 3);
    const output = out.replace(/\s+/g, ' ');
    assert.match(output, /\d+ requests? went into learning.*no sequence fits.*Give 2000/);
  }),
);

find.run();
