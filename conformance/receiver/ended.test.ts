// Receivers in processes of their own that end at what they did not expect: that is a failure of
// theirs, named at the delivery that ended them, whether or not something starts them again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runReceiver } from './run.ts';

const secret = 'whsec_of_one_that_ends';
const ended = suite('receivers that end');

/** What many write first: timingSafeEqual throws at another length, and nothing catches it. */
const program = `
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const header = String(request.headers['x-webhook-signature'] ?? '');
  const parts = header.split(',').map((part) => part.trim().split('='));
  const t = parts.filter(([key]) => key === 't').map(([, value]) => value);
  const body = Buffer.concat(chunks);
  const mac = createHmac('sha256', '${secret}').update(t[0] + '.').update(body).digest('hex');
  const fresh = t.length === 1 && /^\\d{12,}$/.test(t[0]) && Math.abs(Date.now() - t[0]) <= 300_000;
  const equal = (v1) => timingSafeEqual(Buffer.from(v1), Buffer.from(mac));
  const genuine = fresh && parts.some(([key, v1 = '']) => key === 'v1' && equal(v1));
  response.writeHead(genuine ? 204 : 400).end();
});
server.listen(Number(process.argv[1]), '127.0.0.1', () => console.log(server.address().port));
`;

function start(port: number): ChildProcess {
  const args = ['--input-type=module', '--eval', program, String(port)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
}

async function judge(startedAnew: boolean) {
  let child = start(0);
  let over = false;
  const [port] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const watch = () => {
    child.once('exit', () => {
      if (over || !startedAnew) return;
      child = start(Number(port));
      watch();
    });
  };
  watch();
  try {
    const names = { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' };
    const signing = { secret, previousSecret: null, names, mark: `ended${process.pid}` };
    const url = `http://127.0.0.1:${port}/`;
    const { results } = await runReceiver({ url, signing, effects: null });
    const by = (verdict: string) =>
      results.filter(({ judgement }) => judgement.verdict === verdict).map(({ check }) => check.id);
    return { deviating: by('deviates'), advice: by('advisory'), open: by('inconclusive') };
  } finally {
    over = true;
    child.kill('SIGKILL');
  }
}

ended(
  'one that no one starts again: the delivery that ended it, and nothing of the rest',
  async () => {
    const { deviating, advice, open } = await judge(false);
    assert.equal(deviating, ['RCV-refuses-empty-v1']);
    assert.equal(advice, []);
    assert.ok(open.includes('RCV-refuses-truncated-v1'));
    assert.not.ok(open.includes('RCV-refuses-no-v1'), 'what was shown before stands');
  },
);

ended(
  'one that is started again each time: every delivery that ends it, and the rest judged',
  async () => {
    const { deviating, advice, open } = await judge(true);
    assert.equal(deviating, [
      'RCV-refuses-empty-v1',
      'RCV-refuses-truncated-v1',
      'RCV-refuses-extended-v1',
      'RCV-advises-sha1',
      'RCV-advises-sha512',
    ]);
    assert.equal(advice, []);
    assert.equal(open, []);
  },
);

ended.run();
