// A queue with workers over a pool of persistent connections: a failed request goes to the end with its
// key, and waits twice as long each time, half a minute in all.
import { randomUUID } from 'node:crypto';
import http from 'node:http';

const { SANDBOX_BASE_URL, SANDBOX_TOKEN, SANDBOX_BRAND_ID } = process.env;
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

function post(path, body, key) {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${SANDBOX_TOKEN}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    const call = http.request(`${SANDBOX_BASE_URL}/api/v1/${path}`, {
      agent,
      method: 'POST',
      headers,
      timeout: 5_000,
    });
    call.once('timeout', () => call.destroy(new Error('no answer within 5 s')));
    call.once('error', reject);
    call.once('response', (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ answer, text }));
    });
    call.end(body);
  });
}

const jobs = [1, 2, 3].map((n) => ({
  key: randomUUID(),
  tries: 0,
  body: JSON.stringify({
    client_reference_id: `queued-${n}`,
    email: `queued-${n}@example.com`,
    brand_id: SANDBOX_BRAND_ID,
  }),
}));
const failed = [];
// A rate limit pauses all workers.
let heldUntilMs = 0;

/** Milliseconds until the next attempt; null if it is done. */
async function perform(job) {
  const longer = 500 * 2 ** job.tries;
  job.tries += 1;
  const heard = await post('accounts', job.body, job.key).catch(() => null);
  if (heard === null) return longer;
  const { answer, text } = heard;
  if (answer.statusCode === 200 || answer.statusCode === 201) return null;
  if (answer.statusCode === 429) {
    heldUntilMs = Date.now() + 1000 * Number(answer.headers['retry-after']) + 20;
    return 0;
  }
  if ([500, 502, 503].includes(answer.statusCode)) return longer;
  if (text.includes('"idempotency_in_flight"')) return longer;
  throw new Error(`${answer.statusCode}: ${text}`);
}

async function work() {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    while (Date.now() < heldUntilMs) await pause(heldUntilMs - Date.now());
    try {
      const waitMs = await perform(job);
      if (waitMs === null) continue;
      if (job.tries === 7) throw new Error('given up after 7 tries');
      await pause(waitMs);
      jobs.push(job);
    } catch (error) {
      failed.push(error);
    }
  }
}

await Promise.all([work(), work()]);
agent.destroy();
if (failed.length > 0) throw new AggregateError(failed, `${failed.length} accounts were not made`);
