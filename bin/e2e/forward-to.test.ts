// `sandbox start --forward-to`: the first minutes of the author of a receiver, as in the guide.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withServer } from '../commands/conformance/testing/run-judge.ts';
import { codeOf } from './testing/guides.ts';
import { freePort, Program, startSandbox } from './testing/program.ts';

const forwarding = suite('forward to');

/** Starts a sandbox, and sends requests with the token of a brand and to the control plane. */
async function start(...args: string[]) {
  const { program, ready } = await startSandbox(args);
  const token = ready.credentials.find(({ name }) => name === 'brand-a')?.token;
  const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
    const json = { 'content-type': 'application/json', ...headers };
    return await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
  };
  const create = async (path: string, key: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
    const { status } = await post(`${ready.base_url}/api/v1/${path}`, body, headers);
    assert.is(status, 201, key);
  };
  const createAccount = (name: string) =>
    create('accounts', name, { client_reference_id: name, email: `${name}@example.com` });
  const reset = () => post(`${ready.control_url}/reset`, {});
  return { program, ready, create, createAccount, reset };
}

forwarding('the receiver of the guide verifies what it gets, also after a reset', async () => {
  const port = await freePort();
  const hooks = `http://localhost:${port}/hooks`;
  const { program, ready, createAccount, reset } = await start('--forward-to', hooks);
  const { forwards_to, secret: SECRET = '' } = ready.subscription ?? {};
  assert.is(forwards_to, hooks);
  assert.match(SECRET, /^whsec_/);
  const code = codeOf('simulator/WEBHOOKS.md', 'receiver.mjs').replace('3000', `${port}`);
  const local = new Program(['--input-type=module', '--eval', code], { env: { SECRET } });
  try {
    await local.says('waiting for deliveries');
    await createAccount('ada');
    await local.says('account.created\n');
    await program.says('"outcome":"delivered"');
    const sent = program.out.split('\n').find((line) => line.includes('"phase":"sent"')) ?? '';
    const { kind, attempt, url } = JSON.parse(sent) as Record<string, unknown>;
    assert.equal([kind, attempt, url], ['account.created', 1, hooks]);
    // A reset keeps the subscription and its secret.
    await reset();
    await createAccount('bob');
    await local.says('account.created\naccount.created\n');
  } finally {
    for (const each of [local, program]) each.signal('SIGKILL');
  }
});

forwarding('a forward of an origin, and allowed local webhooks', async () => {
  const received: string[] = [];
  let onBoth = () => {};
  const both = new Promise<void>((resolve) => {
    onBoth = resolve;
  });
  const receiver: RequestListener = (request, response) => {
    received.push(request.url ?? '');
    response.end();
    if (received.length === 2) onBoth();
  };
  await withServer(receiver, async (local) => {
    const forward = ['--forward', `https://hooks.example.com=${local}`, '--allow-local-webhooks'];
    const { program, ready, create, createAccount } = await start('--plan', 'pro', ...forward);
    try {
      assert.is(ready.subscription, null);
      for (const url of ['https://hooks.example.com/forwarded', `${local}/local`]) {
        await create('webhooks', url, { url, event_categories: ['account'] });
      }
      await createAccount('zoe');
      await both;
      assert.equal(received.sort(), ['/forwarded', '/local']);
    } finally {
      program.signal('SIGKILL');
    }
  });
});

forwarding.run();
