// A run and an exploration of a sandbox use their own worlds: they leave no trace in the default world.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runExplore, runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { sandboxed } from '../testing/sandboxed.ts';

const own = suite('worlds of a run');

own('nothing is left in the journal and the coverage of the default world', () =>
  sandboxed({}, async (baseUrl, sandbox) => {
    // These rules send requests without a token, with unknown ones, and ask for tokens.
    const only = ['AUTH-1', 'AUTH-3a', 'ERR-2', 'HOOK-1', 'EVT-1'];
    const judged = await runJudge({ baseUrl, only, json: true });
    assert.is(judged.code, 0, judged.out);
    const explored = await runExplore({ baseUrl, requests: '300', seed: '2' });
    assert.is(explored.code, 0, explored.out);
    const { requests } = await sandbox.control.listRequests();
    assert.equal(
      requests.map((each) => JSON.stringify(each)),
      [],
    );
  }),
);

own.run();
