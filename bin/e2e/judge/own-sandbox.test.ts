// A run on a sandbox uses its own worlds: it leaves no trace in the default world.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { sandboxed } from '../testing/sandboxed.ts';

const own = suite('a run on a sandbox');

own('leaves nothing in the journal and the coverage of the default world', () =>
  sandboxed({}, async (baseUrl, sandbox) => {
    // These rules send requests without a token, with unknown ones, and ask for tokens.
    const only = ['AUTH-1', 'AUTH-3a', 'ERR-2', 'HOOK-1', 'EVT-1'];
    const { code, out } = await runJudge({ baseUrl, only, json: true });
    assert.is(code, 0, out);
    const { requests } = await sandbox.control.listRequests();
    assert.equal(
      requests.map((each) => JSON.stringify(each)),
      [],
    );
  }),
);

own.run();
