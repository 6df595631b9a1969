// Runtimes beside Node, as far as they go: calls in process and over a socket, a delivery, a
// signature, and the built command.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, run } from './consumer.ts';

const use = `
import { createSandbox } from 'trading-platform-sandbox';
import { signWebhook, verifyWebhook } from 'trading-platform-sandbox/webhooks';
const sandbox = await createSandbox({ clock: 'frozen' });
const create = (fetch, base, name) => fetch(base + '/api/v1/accounts', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ' + sandbox.credential('brand-a').token,
    'content-type': 'application/json',
    'idempotency-key': name,
  },
  body: JSON.stringify({ client_reference_id: name, email: name + '@example.com' }),
});
const { base_url } = await sandbox.listen({ port: 0 });
const sink = await sandbox.webhooks.collect({ categories: ['account'] });
const inProcess = await create(sandbox.fetch, 'http://sandbox', 'a');
const overSocket = await create(fetch, base_url, 'b');
const [delivery] = await sink.waitFor({ kind: 'account.created' }, { timeoutMs: 5000 });
const { header } = signWebhook({ secret: 's', body: '{}' });
const { ok } = verifyWebhook({ header, body: '{}', secret: 's' });
console.log(inProcess.status, overSocket.status, delivery.attempt, ok);
await sandbox.close();
`;

const runtimes = {
  Bun: { program: 'bun/bin/bun', args: [] },
  Deno: { program: 'deno/deno', args: ['run', '--allow-all'] },
} as const;

export async function* otherRuntimes(folder: string): AsyncGenerator<Check> {
  writeFileSync(join(folder, 'use.mjs'), use);
  const command = 'node_modules/trading-platform-sandbox/bin/sandbox.js';
  for (const [name, { program, args }] of Object.entries(runtimes)) {
    const file = join(folder, 'node_modules', program);
    const used = await run(file, [...args, 'use.mjs'], folder);
    const worked = used.code === 0 && /^201 201 \d+ true$/m.test(used.said);
    yield { what: `${name}: in code`, problem: worked ? null : used.said };
    const listed = await run(file, [...args, command, 'questions', '--json'], folder);
    const told = listed.code === 0 && listed.said.includes('"NS-1"');
    yield { what: `${name}: the command`, problem: told ? null : listed.said };
  }
}
