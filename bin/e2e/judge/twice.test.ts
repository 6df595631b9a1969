// EVT-4: a delivery may arrive twice; the judge must not mistake the second one for a retry.
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Deliverer } from '../../../simulator/host/delivery/deliverer.ts';
import { undiciDeliverer } from '../../../simulator/host/delivery/undici-deliverer.ts';
import { createTestSandbox } from '../../../simulator/host/testing/sandbox.ts';
import { controlPlane } from '../../../simulator/transports/control.ts';
import { serve } from '../../../simulator/transports/serve.ts';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';

const twice = suite('deliveries that arrive twice');

/** Sends each delivery twice, and ignores the response to the second. */
function sendingTwice(): Deliverer {
  const own = undiciDeliverer();
  return {
    resolve: (name) => own.resolve(name),
    close: () => own.close(),
    deliver: (request) => {
      own.deliver(request).catch(() => undefined);
      return own.deliver(request);
    },
  };
}

twice('are not retries', async () => {
  const sandbox = await createTestSandbox({ deliverer: sendingTwice() });
  const app = serve({ sandbox, plane: controlPlane({ sandbox }), version: '1' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    const only = ['evt-slow', 'EVT-4'];
    const { report } = await runJudge({ baseUrl, json: true, seed: '1', only });
    const deviating = report.rules.filter(({ verdict }) => verdict === 'deviates');
    assert.equal(
      deviating.map(({ id, findings }) => `${id}: ${findings[0]?.actual}`),
      [],
    );
    const verdicts = new Map(report.rules.map(({ id, verdict }) => [id, verdict]));
    assert.is(verdicts.get('EVT-9b'), 'passed');
  } finally {
    await app.close();
    await sandbox.close();
  }
});

twice.run();
