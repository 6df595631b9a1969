// A receiver that deduplicates by id never drops a new event: if another world, a reset or a loaded
// state reuses sequence numbers, the ids differ.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachWith } from '../host/testing/each-with.ts';
import { openClient, type SandboxClient } from './sandbox-client.ts';

const ids = suite<{ client: SandboxClient }>('ids of events and requests');
eachWith(ids, 'client', () => openClient());

/** Every id of a world that a client may store: those of its events and requests. */
async function idsOf(client: SandboxClient, at = ''): Promise<string[]> {
  const { events } = await client.control('GET', `${at}events`);
  const { requests } = await client.control('GET', `${at}requests`);
  return [...events, ...requests].map(({ id, request_id }) => request_id ?? id);
}

function expectApart(...lists: readonly (readonly string[])[]): void {
  for (const list of lists) assert.ok(list.length > 10, `${list.length} ids`);
  const all = lists.flat();
  const twice = all.filter((id, index) => all.indexOf(id) !== index);
  assert.equal(twice, []);
}

ids('ids differ in another world, and in the next world of the same name', async ({ client }) => {
  const seen = [await idsOf(client)];
  for (const name of ['beside', 'same', 'same', 'same']) {
    const created = await client.control('POST', 'worlds', { name });
    const headers = { authorization: `Bearer ${created.credentials[0].token}` };
    assert.is((await client.person({}, { headers })).status, 201);
    seen.push(await idsOf(client, `worlds/${name}/`));
    await client.control('DELETE', `worlds/${name}`);
  }
  expectApart(...seen);
});

ids('ids differ after a reset', async ({ client }) => {
  const seen: string[][] = [];
  for (let round = 0; round < 4; round += 1) {
    await client.person();
    seen.push(await idsOf(client));
    await client.control('POST', 'reset');
  }
  expectApart(...seen);
});

ids('a loaded state keeps its past ids, and later ids differ', async ({ client }) => {
  await client.person();
  const past = await idsOf(client);
  const state = await client.control('GET', 'state');
  const later: string[][] = [];
  for (let round = 0; round < 4; round += 1) {
    await client.person();
    const now = await idsOf(client);
    for (const id of past) assert.ok(now.includes(id) || !id.startsWith('evt_'), id);
    later.push(now.filter((id) => !past.includes(id)));
    await client.control('PUT', 'state', state);
  }
  for (const list of later) assert.is(list.length, 2);
  assert.is(new Set(later.flat()).size, 8);
  const { idEras } = (await client.control('GET', 'state')).world;
  assert.is(idEras.length, 2, 'of the eras in between nothing is left');
});

ids('ids are reproducible under a frozen clock at a given time', async () => {
  const seen: string[][] = [];
  for (let round = 0; round < 2; round += 1) {
    const client = await openClient({ clock: '2026-03-02T12:00:00Z' });
    for (let again = 0; again < 2; again += 1) {
      await client.person();
      seen.push(await idsOf(client));
      await client.control('POST', 'reset');
    }
    await client.close();
  }
  for (const list of seen) assert.equal(list, seen[0]);
});

ids('events of a state that another program continues keep their ids', async () => {
  const [client, other] = [await openClient(), await openClient()];
  await client.person();
  const { events } = await client.control('GET', 'events');
  await other.control('PUT', 'state', await client.control('GET', 'state'));
  const loaded = await other.control('GET', 'events');
  const idOf = ({ id }: { readonly id: string }) => id;
  assert.equal(loaded.events.map(idOf), events.map(idOf));
  await client.close();
  await other.close();
});

ids.run();
