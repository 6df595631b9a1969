// Names and forwards over the control plane, and what they do to webhook targets.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane } from '../testing/plane.ts';

const names = suite('control: names and forwards');

names('a name resolves to what it is told, and to the resolver again', async () => {
  const { ask, call } = await createTestPlane();
  const subscribe = async () => {
    const body = { url: 'https://hooks.partner.example/in', event_categories: ['account'] };
    return (await call('firm', 'POST', 'webhooks', { body })).status;
  };
  assert.is(await subscribe(), 201);
  const set = await ask('PUT', 'dns/Hooks.Partner.example', { addresses: ['10.0.0.7'] });
  assert.equal(set.body, { hostname: 'hooks.partner.example', addresses: ['10.0.0.7'] });
  assert.equal((await ask('GET', 'dns')).body.dns, [set.body]);
  assert.is(await subscribe(), 422);
  await ask('PUT', 'dns/hooks.partner.example', { addresses: [] });
  assert.is(await subscribe(), 422);
  await ask('PUT', 'dns/hooks.partner.example', { addresses: ['93.184.216.34', '10.0.0.7'] });
  assert.is(await subscribe(), 422);
  assert.is((await ask('DELETE', 'dns/hooks.partner.example')).status, 204);
  assert.is((await ask('DELETE', 'dns/hooks.partner.example')).status, 404);
  assert.is(await subscribe(), 201);
});

names('a name is kept as a url would spell it, and what is no name is refused', async () => {
  const { ask } = await createTestPlane();
  const addresses = ['93.184.216.34'];
  const spelled = [
    ['B%C3%BCcher.example.', 'xn--bcher-kva.example'],
    ['A.Example', 'a.example'],
  ] as const;
  for (const [name, hostname] of spelled) {
    assert.is((await ask('PUT', `dns/${name}`, { addresses })).body.hostname, hostname);
  }
  for (const name of ['a%20b', 'a%2Fb', 'a:80', 'u%40a', '127.0.0.1', '%5B::1%5D', '0x7f.1']) {
    const refused = await ask('PUT', `dns/${name}`, { addresses });
    assert.equal([refused.status, refused.body.errors[0].field], [422, 'hostname'], name);
  }
});

names('an address that is none is refused by field', async () => {
  const { ask } = await createTestPlane();
  const cases = [
    [{ addresses: ['hooks.example'] }, 'addresses'],
    [{ addresses: '10.0.0.1' }, 'addresses'],
    [{ addresses: [10] }, 'addresses[0]'],
    [{ address: [] }, 'addresses'],
    [{}, 'addresses'],
  ] as const;
  for (const [body, field] of cases) {
    const { status, body: said } = await ask('PUT', 'dns/a.example', body);
    assert.equal([status, said.errors[0].field], [422, field], JSON.stringify(body));
  }
});

names('forwards are kept by their origin and removed by it', async () => {
  const { ask } = await createTestPlane();
  const forward = { from: 'https://hooks.example.com', to: 'http://127.0.0.1:9000' };
  assert.equal((await ask('PUT', 'forwards', forward)).body, forward);
  const slash = { from: 'https://HOOKS.example.com/', to: 'http://127.0.0.1:9001/in' };
  const moved = await ask('PUT', 'forwards', slash);
  assert.equal(moved.body, { ...slash, from: forward.from });
  assert.equal((await ask('GET', 'forwards')).body, { forwards: [moved.body] });
  const from = encodeURIComponent(forward.from);
  assert.is((await ask('DELETE', `forwards?from=${from}`)).status, 204);
  assert.is((await ask('DELETE', `forwards?from=${from}`)).status, 404);
  assert.equal((await ask('GET', 'forwards')).body, { forwards: [] });
});

names('a delivery to a forwarded origin goes where it is forwarded', async () => {
  const { ask, call, sent } = await createTestPlane();
  await ask('PUT', 'forwards', { from: 'https://hooks.example.com', to: 'http://127.0.0.1:9000' });
  const body = { url: 'https://hooks.example.com/in?a=1', event_categories: ['account'] };
  assert.is((await call('firm', 'POST', 'webhooks', { body })).status, 201);
  await ask('POST', 'events', { category: 'account', brand_id: '10' });
  await ask('POST', 'clock/advance', { by_ms: 0 });
  assert.equal(
    sent.map(({ url }) => url),
    ['http://127.0.0.1:9000/in?a=1'],
  );
  const { subscriptions } = (await ask('GET', 'subscriptions')).body;
  assert.is(subscriptions.at(-1).forwards_to, 'http://127.0.0.1:9000');
});

names('a forward that is none is refused by field', async () => {
  const { ask } = await createTestPlane();
  const to = 'http://127.0.0.1:9000';
  const cases = [
    [{ from: 'http://hooks.example.com', to }, 'from'],
    [{ from: 'https://hooks.example.com/path', to }, 'from'],
    [{ from: 'https://a@hooks.example.com', to }, 'from'],
    [{ from: 'https://hooks.example.com', to: 'ftp://x' }, 'to'],
    [{ from: 'https://hooks.example.com', to: 'nowhere' }, 'to'],
    [{ from: 'https://hooks.example.com' }, 'to'],
    [{ to }, 'from'],
  ] as const;
  for (const [body, field] of cases) {
    const refused = await ask('PUT', 'forwards', body);
    assert.equal([refused.status, refused.body.errors[0].field], [422, field]);
  }
  const unnamed = await ask('DELETE', 'forwards');
  assert.equal([unnamed.status, unnamed.body.errors[0].field], [422, 'from']);
});

names.run();
