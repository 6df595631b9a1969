// The baseline for deliveries: undici.request in loops, without any other work.
import { Agent, request } from 'undici';

const [url, connections, durationMs] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(connections) });
const body = JSON.stringify({ id: 'evt_0', seq: 1, filling: 'x'.repeat(400) });
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-webhook-signature': `t=1700000000000,v1=${'0'.repeat(64)}`,
  'x-webhook-subscription-id': '1',
};

async function loop(untilMs) {
  let sent = 0;
  while (performance.now() < untilMs) {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump();
    if (answer.statusCode === 200) sent += 1;
  }
  return sent;
}

async function measure(forMs) {
  const beganMs = performance.now();
  const loops = Array.from({ length: Number(connections) }, () => loop(beganMs + forMs));
  const sent = (await Promise.all(loops)).reduce((sum, count) => sum + count, 0);
  return (sent * 1000) / (performance.now() - beganMs);
}

const warmUpMs = 750;
await measure(warmUpMs);
const perSecond = await measure(Number(durationMs));
process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
await dispatcher.close();
