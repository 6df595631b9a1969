// A receiver that remembers ids never drops a new event: wherever numbers are given out again, by
// another world, a reset or a state that is loaded, the ids are others.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox, type SandboxHandle } from '../index.ts';

const ids = suite('ids of events and requests');

// biome-ignore lint/suspicious/noExplicitAny: answers of any row, read as they are.
type Any = any;

const settings = { clock: 'frozen' } as const;

/** Everything that may be remembered of a world: its events' ids and its requests'. */
async function idsOf(sandbox: SandboxHandle, at = ''): Promise<string[]> {
  const { events } = (await sandbox.control('GET', `${at}events`)) as Any;
  const { requests } = (await sandbox.control('GET', `${at}requests`)) as Any;
  return [...events, ...requests].map(({ id, request_id }: Any) => request_id ?? id);
}

/** A person, so that there is an event and a request more. */
async function addPerson(sandbox: SandboxHandle, token: string, reference = 'one') {
  const body = { client_reference_id: reference, email: `${reference}@example.com` };
  const response = await sandbox.fetch('http://sandbox/api/v1/accounts', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': reference,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...body, brand_id: '10' }),
  });
  assert.is(response.status, 201, await response.text());
}

const tokenOf = (sandbox: SandboxHandle) => String(sandbox.credential('firm').token);

function expectApart(...lists: readonly (readonly string[])[]): void {
  for (const list of lists) assert.ok(list.length > 10, `${list.length} ids`);
  const all = lists.flat();
  const twice = all.filter((id, index) => all.indexOf(id) !== index);
  assert.equal(twice, []);
}

ids('are others in another world, and in the next one of the same name', async () => {
  const sandbox = await createSandbox(settings);
  const seen = [await idsOf(sandbox)];
  for (const name of ['beside', 'same', 'same', 'same']) {
    const made = (await sandbox.control('POST', 'worlds', { name })) as Any;
    await addPerson(sandbox, made.credentials[0].token);
    seen.push(await idsOf(sandbox, `worlds/${name}/`));
    await sandbox.control('DELETE', `worlds/${name}`);
  }
  expectApart(...seen);
  await sandbox.close();
});

ids('are others after a reset', async () => {
  const sandbox = await createSandbox(settings);
  const seen: string[][] = [];
  for (let round = 0; round < 4; round += 1) {
    await addPerson(sandbox, tokenOf(sandbox));
    seen.push(await idsOf(sandbox));
    await sandbox.control('POST', 'reset');
  }
  expectApart(...seen);
  await sandbox.close();
});

ids('of what is past stay in a state that is loaded, and what follows has others', async () => {
  const sandbox = await createSandbox(settings);
  await addPerson(sandbox, tokenOf(sandbox));
  const past = await idsOf(sandbox);
  const state = (await sandbox.control('GET', 'state')) as Any;
  const later: string[][] = [];
  for (let round = 0; round < 4; round += 1) {
    await addPerson(sandbox, tokenOf(sandbox), 'two');
    const now = await idsOf(sandbox);
    const events = past.filter((id) => id.startsWith('evt_'));
    assert.equal(
      events.filter((id) => !now.includes(id)),
      [],
    );
    later.push(now.filter((id) => !past.includes(id)));
    await sandbox.control('PUT', 'state', state);
  }
  for (const list of later) assert.is(list.length, 2);
  assert.is(new Set(later.flat()).size, 8);
  const { idEras } = ((await sandbox.control('GET', 'state')) as Any).world;
  assert.is(idEras.length, 2, 'of the eras in between nothing is left');
  await sandbox.close();
});

ids('are the same each time under a clock that stands at a given time', async () => {
  const seen: string[][] = [];
  for (let round = 0; round < 2; round += 1) {
    const sandbox = await createSandbox({ clock: '2026-03-02T12:00:00Z' });
    for (let again = 0; again < 2; again += 1) {
      await addPerson(sandbox, tokenOf(sandbox));
      seen.push(await idsOf(sandbox));
      await sandbox.control('POST', 'reset');
    }
    await sandbox.close();
  }
  for (const list of seen) assert.equal(list, seen[0]);
});

ids('stay with the events of a state that another program goes on with', async () => {
  const sandbox = await createSandbox(settings);
  await addPerson(sandbox, tokenOf(sandbox));
  const { events } = (await sandbox.control('GET', 'events')) as Any;
  const state = (await sandbox.control('GET', 'state')) as Any;
  const other = await createSandbox(settings);
  await other.control('PUT', 'state', state);
  const loaded = (await other.control('GET', 'events')) as Any;
  assert.equal(
    loaded.events.map(({ id }: Any) => id),
    events.map(({ id }: Any) => id),
  );
  await sandbox.close();
  await other.close();
});

ids.run();
