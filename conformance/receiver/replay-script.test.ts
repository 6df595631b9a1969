// Runs the scripts of the checks with bash, openssl and curl: a right receiver stands them all, a
// broken one is shown to be broken.
// time limit: 180 s
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleOfDay } from '../../fixtures/testing/sample-of-day.ts';
import type { Check } from './check.ts';
import { allChecks } from './checks.ts';
import { receiverScript } from './replay-script.ts';
import { brokenReceivers } from './testing/broken-receivers.ts';
import { correctSteps, type ReceiverSteps, startReceiver } from './testing/sample-receivers.ts';

const scripts = suite('scripts of receiver checks');

interface Ran {
  readonly exitCode: number | null;
  readonly out: string;
}

function runScript(check: Check, env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn('bash', [], {
    env: { PATH: process.env.PATH, SECRET: correctSteps.secret, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    out += chunk;
  });
  child.stdin.end(receiverScript(check));
  return new Promise((resolve) => child.once('close', (exitCode) => resolve({ exitCode, out })));
}

async function kept<T>(
  change: Partial<ReceiverSteps>,
  play: (url: string) => Promise<T>,
): Promise<T> {
  const { url, close } = await startReceiver(change);
  try {
    return await play(url);
  } finally {
    close();
  }
}

/** Two at a time, because each is a dozen programs. */
async function forEach<T>(all: readonly T[], play: (each: T) => Promise<void>): Promise<void> {
  const queue = [...all];
  const work = async () => {
    for (let each = queue.shift(); each !== undefined; each = queue.shift()) await play(each);
  };
  await Promise.all([work(), work()]);
}

const isEffect = ({ id }: Check) => /^RCV-(once|nothing)-/.test(id);
const lacking = ['bash', 'openssl', 'curl'].filter(
  (each) => spawnSync(each, [each === 'openssl' ? 'version' : '--version']).status !== 0,
);
if (lacking.length > 0) {
  console.log(`scripts of receiver checks: ${lacking.join(', ')} not there; only printed, not run`);
}

scripts('each names its check, what is at stake and how to mend it', () => {
  for (const check of allChecks) {
    const script = receiverScript(check, { url: 'http://127.0.0.1:9/x' });
    for (const words of [check.id, check.why, check.gains, check.fix, 'http://127.0.0.1:9/x']) {
      assert.ok(script.includes(words), `${check.id}: ${words}`);
    }
  }
});

scripts('a URL in a report is never taken for a command', () => {
  const [check] = allChecks;
  assert.ok(check);
  const script = receiverScript(check, { url: "http://127.0.0.1:9/?a=$(id)`id`'b" });
  assert.match(script, "usual='http://127.0.0.1:9/?a=$(id)`id`'\\''b'\n");
});

if (lacking.length === 0) {
  scripts('a right receiver stands them', () =>
    kept({}, (URL) =>
      forEach(
        sampleOfDay(
          'scripts on a right receiver',
          allChecks.filter((check) => !isEffect(check)),
          12,
        ),
        async (check) => {
          const { exitCode, out } = await runScript(check, { URL });
          assert.is(exitCode, 0, `${check.id}: ${out}`);
          assert.match(out, 'as it should be', `${check.id}: ${out}`);
        },
      ),
    ),
  );

  scripts('a broken receiver is shown to be broken', () => {
    // A signature that is found by trying every millisecond of a second or two, is not found again
    // in a script that counts in seconds.
    const slow = ['does not sign t', 'takes a t that is no number'];
    const tried = brokenReceivers.filter(({ name }) => !slow.includes(name));
    const sample = sampleOfDay('scripts on broken receivers', tried, 8);
    return forEach(sample, async ({ name, change, trips }) => {
      const any = name.startsWith('verifies only') ? 'no-header' : 'wrong-secret';
      const trip = trips.find((each) => !each.endsWith('*')) ?? `RCV-refuses-${any}`;
      const check = allChecks.find(({ id }) => id === trip);
      assert.ok(check, trip);
      // A script is slow on a busy machine: what is started anew stays away until it has ended.
      const away = typeof change.diesForMs === 'number' ? { diesForMs: 3_600_000 } : {};
      const { exitCode, out } = await kept({ ...change, ...away }, (URL) =>
        runScript(check, { URL }),
      );
      assert.is(exitCode, 1, `one that ${name}, ${trip}: ${out}`);
    });
  });

  scripts('with another secret it says that it shows nothing', () =>
    kept({}, async (URL) => {
      const check = allChecks.find(({ id }) => id === 'RCV-refuses-no-t');
      assert.ok(check);
      const { exitCode, out } = await runScript(check, { URL, SECRET: 'whsec_other' });
      assert.is(exitCode, 3, out);
      assert.match(out, 'look at URL, SECRET');
    }),
  );

  scripts('side effects are counted where a probe is given', async () => {
    let effects = 0;
    const seen = new Set<string>();
    const probe = createServer((_request, response) => response.end(`{"count": ${effects}}`));
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const PROBE = `http://127.0.0.1:${(probe.address() as AddressInfo).port}`;
    const act = (once: boolean) => (verified: boolean, raw: Buffer) => {
      const { id } = JSON.parse(raw.toString()) as { id: string };
      if (verified && !(once && seen.has(id))) effects += 1;
      seen.add(id);
      return { status: verified ? 204 : 400 };
    };
    try {
      const checks = sampleOfDay('scripts that count side effects', allChecks.filter(isEffect), 2);
      for (const check of checks) {
        for (const once of [true, false]) {
          const { exitCode, out } = await kept({ answer: act(once) }, (URL) =>
            runScript(check, { URL, PROBE }),
          );
          const right = once || check.id === 'RCV-nothing-when-refused';
          assert.is(exitCode, right ? 0 : 1, `${check.id}: ${out}`);
        }
      }
    } finally {
      probe.close();
      probe.closeAllConnections();
    }
  });
}

scripts.run();
