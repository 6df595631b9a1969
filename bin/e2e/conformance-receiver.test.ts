// `conformance receiver` from options to exit code: what it prints before and after, its reports,
// its refusals, and receivers that stop or answer slowly.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allChecks, maxDeliveries } from '../../conformance/receiver/checks.ts';
import {
  correctSteps,
  type ReceiverSteps,
  startReceiver,
} from '../../conformance/receiver/testing/sample-receivers.ts';
import type { Report } from '../../conformance/reports/report.ts';
import { defineReceiver } from '../commands/conformance/receiver.ts';
import {
  type CommandRun,
  type Given,
  runCommand,
  withFolder,
  withServer,
} from '../commands/conformance/testing/run-judge.ts';

const command = suite('conformance receiver');

function judge(given: Given, cwd = process.cwd(), stop?: AbortSignal): Promise<CommandRun> {
  const env = { SECRET: correctSteps.secret };
  return runCommand(defineReceiver, given, { env, cwd, ...(stop ? { stop } : {}) });
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

const secretEnv = 'SECRET';

command('a correct receiver: exit 0, and no more deliveries than announced', () =>
  kept({}, async (url) => {
    const { code, out, err } = await judge({ url, secretEnv, json: true });
    assert.is(code, 0, out);
    const report = JSON.parse(out) as Report;
    assert.is(report.verdict, 'conformant');
    assert.is(report.rules.length, allChecks.length - 3);
    const [, most] = /at most (\d+) deliveries/.exec(err) ?? [];
    assert.is(Number(most), maxDeliveries(false));
    assert.is(report.requests, maxDeliveries(false));
    assert.not.match(out, correctSteps.secret);
  }),
);

command('a dry run names every check and sends nothing', () =>
  withFolder(async (cwd) => {
    let count = 0;
    const seen = () => {
      count += 1;
      return true;
    };
    await kept({ fresh: seen }, async (url) => {
      const { code, out } = await judge({ url, secretEnv, dryRun: true }, cwd);
      assert.is(code, 0, out);
      assert.match(out, /Nothing was sent\..*\d+ checks, at most \d+ deliveries/);
      assert.match(out, 'RCV-refuses-a-day-old');
    });
    assert.is(count, 0);
  }),
);

command('a broken one: exit 1, and what, why, at stake and mend in every report', () =>
  withFolder((cwd) =>
    kept({ fresh: () => true }, async (url) => {
      const report = ['json=r.json', 'markdown=r.md', 'html=r.html', 'junit=r.xml'];
      const { code, out } = await judge({ url, secretEnv, report }, cwd);
      assert.is(code, 1, out);
      const contents = ['r.md', 'r.html', 'r.xml'].map((file) =>
        readFileSync(join(cwd, file), 'utf8'),
      );
      for (const text of [out, ...contents]) {
        assert.match(text, 'a delivery signed a day ago');
        assert.match(text.replace(/\s+/g, ' '), 'five minutes off is refused');
        assert.match(text, 'today and next year');
        assert.match(text, 'five minutes from your clock');
        assert.match(text, '--secret-env SECRET');
        assert.not.match(text, correctSteps.secret);
        assert.not.match(text, /breaks rules|Must refuse: Must|seed 1/);
      }
      assert.match(out, /\d+ checks: 8 deviates/);
      assert.match(out, '✗ no age check: 8 checks');
      assert.not.match(out, 'not checked at all');
      const only = await judge({ url, secretEnv, only: ['RCV-refuses-a-day-old'] }, cwd);
      assert.is(only.code, 1);
      assert.match(only.out, '1 check: 1 deviates');
    }),
  ),
);

command('a receiver that crashes on hostile input: the report names the input', async () => {
  let gone = false;
  await withServer(
    async (request, response) => {
      let length = 0;
      for await (const chunk of request) length += (chunk as Buffer).length;
      gone ||= length === 0;
      if (gone) request.socket.destroy();
      else response.writeHead(request.headers['x-webhook-signature'] ? 204 : 400).end();
    },
    async (url) => {
      const { code, out } = await judge({ url, secretEnv });
      assert.is(code, 1, out);
      assert.match(out.replace(/\s+/g, ' '), 'went away when RCV-refuses-body-emptied was sent');
      assert.match(out.replace(/\s+/g, ' '), 'with one request');
      assert.match(out, /RCV-refuses-body-emptied deviates/);
    },
  );
});

/** An interrupt at the control, in a group, near the end, and among what must be refused. */
const MOMENTS: [moment: number, acceptsAll: boolean][] = [
  [1, false],
  [30, false],
  [maxDeliveries(false) - 1, false],
  [60, true],
];
for (const [moment, acceptsAll] of MOMENTS) {
  const receiver = acceptsAll ? 'that accepts everything' : 'that is correct';
  command(`interrupted at delivery ${moment} to one ${receiver}: what was judged stands`, () => {
    const stop = new AbortController();
    let count = 0;
    // A delivery that waits for its answer at that moment is cut off.
    const answer: ReceiverSteps['answer'] = (verified) => {
      count += 1;
      if (count === moment) stop.abort();
      return { status: verified || acceptsAll ? 204 : 400 };
    };
    return kept({ answer, delayMs: 1 }, async (url) => {
      const { code, out } = await judge({ url, secretEnv, json: true }, process.cwd(), stop.signal);
      assert.is(code, 130, out);
      const { interrupted, requests, summary, rules } = JSON.parse(out) as Report;
      assert.is(interrupted, true);
      assert.ok(requests <= moment + 1, `${requests}`);
      assert.is(rules.length, allChecks.length - 3);
      const bad = rules.filter(({ verdict }) => verdict === 'deviates' || verdict === 'advisory');
      if (acceptsAll) assert.ok(bad.length > 10, JSON.stringify(summary));
      else assert.equal(bad, []);
      assert.ok(summary.inconclusive > (acceptsAll ? 10 : 0), JSON.stringify(summary));
      assert.not.match(out, /destroyed|aborted/);
    });
  });
}

/** The URL of the receiver becomes another, or its secret does. */
const UNREACHED: [words: string, secret: string, elsewhere: (url: string) => string][] = [
  ['is the receiver running?', correctSteps.secret, () => 'http://127.0.0.1:9/'],
  [
    'nothing answers there (this port does not speak TLS: give the url',
    correctSteps.secret,
    (url) => url.replace('http:', 'https:'),
  ],
  ['most likely it has another secret', 'whsec_other', (url) => url],
];
for (const [words, secret, elsewhere] of UNREACHED) {
  command(`${words} exit 3`, () =>
    kept({ secret }, async (own) => {
      const { code, out } = await judge({ url: elsewhere(own), secretEnv });
      assert.is(code, 3, out);
      const printed = out.replace(/\s+/g, ' ');
      assert.match(printed, words);
      assert.is(printed.includes('is the receiver running?'), words.startsWith('is'));
    }),
  );
}

command(
  'side effects are counted; a probe that counts nothing is refused immediately',
  async () => {
    let effects = 0;
    const seen = new Set<string>();
    const answer: ReceiverSteps['answer'] = (verified, raw) => {
      const { id } = JSON.parse(raw.toString() || '{}') as { id?: string };
      if (verified && id !== undefined && !seen.has(id)) effects += 1;
      if (verified && id !== undefined) seen.add(id);
      return { status: verified ? 204 : 400 };
    };
    await withServer(
      ({ url }, response) => response.end(url === '/count' ? `{"count":${effects}}` : '<html>'),
      (at) =>
        kept({ answer }, async (url) => {
          const counted = { url, secretEnv, effectProbe: `${at}/count`, json: true };
          const { code, out } = await judge(counted);
          assert.is(code, 0, out);
          const report = JSON.parse(out) as Report;
          assert.is(report.rules.length, allChecks.length);
          assert.is(report.requests, maxDeliveries(true));
          const wrong = await judge({ url, secretEnv, effectProbe: `${at}/page` });
          assert.is(wrong.code, 2);
          assert.match(wrong.err, /--effect-probe: .*answers neither a number/);
        }),
    );
  },
);

const url = 'http://127.0.0.1:9/hooks';
const wrong: readonly (readonly [Given, RegExp])[] = [
  [{ secretEnv }, /required option '--url <url>' not specified/],
  [{ url: '127.0.0.1:3000', secretEnv }, /--url: "127.0.0.1:3000" is not an http/],
  [{ url: 'https://hooks.example.com/', secretEnv }, /hooks\.example\.com is not this machine/],
  [{ url }, /required option '--secret-env <name>' not specified/],
  [
    { url, secretEnv, previousSecretEnv: 'OLD' },
    /--previous-secret-env: the environment variable OLD/,
  ],
  [{ url, secretEnv, effectProbe: 'https://example.com' }, /--effect-probe: example\.com/],
  [{ url, secretEnv, report: ['pdf=x'] }, /--report: "pdf=x" must be json=FILE/],
];

for (const [given, words] of wrong) {
  command(`usage: ${words.source}`, async () => {
    const { code, err, out } = await judge(given);
    assert.is(code, 2, err);
    assert.match(err, words);
    assert.is(out, '');
  });
}

command.run();
