// Made-up requests by the thousand to every row: each is answered, none breaks the plane or the
// world.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Schema } from '../../fixtures/schemas/kit.ts';
import { rows } from './all-rows.ts';
import type { Row } from './row.ts';
import { createTestPlane } from './testing/plane.ts';

const odd = suite('control: odd requests');

/** Values near what a schema asks for, and others that are not. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const types = [schema.type ?? 'object'].flat();
  const right: fc.Arbitrary<unknown>[] = types.map((type) => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    switch (type) {
      case 'integer':
        return fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.constant(schema.minimum ?? 0));
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(near(schema.items ?? {}), { maxLength: 3 });
      case 'object':
        return members(schema);
      default:
        return fc.constantFrom(
          '1',
          '10',
          '1001',
          '5001',
          '9001',
          'cl_firm',
          'default',
          'a.example',
        );
    }
  });
  return fc.oneof(
    { weight: 15, arbitrary: fc.oneof(...right) },
    { weight: 1, arbitrary: anything },
  );
}

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 1e308, 2 ** 53, '', ' ', '\u0000', '__proto__', '9'.repeat(400), '😀'),
);

function members({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const each = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, near(schema)]),
  );
  const known = fc.record(each, {
    requiredKeys: required.filter((name) => Object.hasOwn(each, name)),
  });
  return fc.oneof(
    { weight: 9, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, fc.dictionary(fc.string(), anything)).map(merge) },
  );
}

function merge([known, more]: [object, object]): object {
  return { ...known, ...more };
}

const part = fc.oneof(
  fc.constantFrom('1', '2', '10', '1001', '5001', '9001', 'cl_firm', 'side', 'a.example', '0'),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
  fc.constantFrom('%', '..', '%2e%2e', '%00', '%ff', 'x'.repeat(5000)),
);

/** A request that waits for a record waits briefly here: there is none to come. */
function shortWait(row: Row): Record<string, Schema> {
  return 'wait_ms' in row.query.properties ? { wait_ms: { enum: ['0', '1', '20'] } } : {};
}

function pathOf(row: Row): fc.Arbitrary<string> {
  const segments = row.segments.map((each) => (each.startsWith('{') ? part : fc.constant(each)));
  const query = fc.oneof(
    fc.constant(''),
    members({ properties: { ...row.query.properties, ...shortWait(row) } }).map((value) => {
      const pairs = Object.entries(value as object).map(([name, each]) => [name, String(each)]);
      return `?${new URLSearchParams(pairs)}`;
    }),
    fc.string({ maxLength: 30 }).map((text) => `?${text}`),
  );
  return fc.tuple(fc.tuple(...segments), query).map(([parts, search]) => parts.join('/') + search);
}

// An endless answer, a document that only GET state makes, and time that would run out.
const left = ['followStream', 'putState', 'setClock', 'advanceClock'];
const tried = rows.filter(({ name }) => !left.includes(name));

function requestTo(row: Row) {
  return fc.record({
    row: fc.constant(row),
    path: pathOf(row),
    body: row.method === 'GET' ? fc.constant(undefined) : near(row.body ?? { type: 'object' }),
  });
}

odd('none is answered with a 500, and refusals are problems', async () => {
  const { plane, sandbox, ask } = await createTestPlane();
  const counts = new Map<string, number>();
  const property = fc.asyncProperty(
    fc.oneof(...tried.map(requestTo)),
    async ({ row, path, body }) => {
      const reply = await (await plane.load()).handle({
        method: row.method,
        target: `/_sandbox/${path}`,
        headers: { host: 'localhost', 'content-type': 'application/json' },
        base: 'http://localhost',
        read: async () => Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      });
      const text = typeof reply.body === 'string' ? reply.body : '{}';
      assert.ok(reply.status < 500, `${row.method} ${path} ${JSON.stringify(body)}: ${text}`);
      const worked = reply.status < 300;
      if (!worked) assert.match(reply.headers['content-type'] ?? '', /problem\+json/);
      const key = `${row.name} ${worked ? 'worked' : 'refused'}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (sandbox.worlds.size > 20)
        for (const name of sandbox.worlds.keys()) sandbox.dropWorld(name);
    },
  );
  await fc.assert(property, { numRuns: 400, seed: 7 });
  // Most get past the door: what is refused there never reaches a row.
  const worked = tried.filter(({ name }) => counts.has(`${name} worked`));
  assert.ok(worked.length > tried.length / 2, `${worked.length} of ${tried.length}`);
  for (const path of ['info', 'buckets', 'deliveries', 'subscriptions', 'faults']) {
    assert.is((await ask('GET', path)).status, 200);
  }
});

odd('a path or a header that is odd is answered too', async () => {
  const { plane } = await createTestPlane();
  const property = fc.asyncProperty(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE', 'X'),
    fc.dictionary(fc.constantFrom('host', 'origin', 'content-type', 'authorization'), fc.string()),
    fc.uint8Array({ maxLength: 200 }),
    async (rest, method, headers, body) => {
      const target = `/_sandbox/${rest}`;
      const reply = await (await plane.load()).handle({
        method,
        target,
        headers: { host: 'localhost', ...headers },
        base: 'http://localhost',
        read: async () => body,
      });
      assert.ok(reply.status < 500, JSON.stringify([method, target, headers]));
    },
  );
  await fc.assert(property, { numRuns: 150, seed: 7 });
});

odd.run();
