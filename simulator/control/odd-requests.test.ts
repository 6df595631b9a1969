// Thousands of generated requests to every row: each gets a response, and none breaks the plane or
// the world.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Schema } from '../../fixtures/schemas/kit.ts';
import { rows } from './all-rows.ts';
import type { Plane } from './plane.ts';
import type { Row } from './row.ts';
import { createTestPlane } from './testing/plane.ts';

const odd = suite('control: odd requests');

const known = ['1', '2', '10', '1001', '5001', '9001', 'cl_firm', 'default', 'a.example'];

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(-1, 1e308, 2 ** 53, '', ' ', '\u0000', '__proto__', '9'.repeat(400), '😀'),
);

const byType: Readonly<Record<string, (schema: Schema) => fc.Arbitrary<unknown>>> = {
  integer: ({ minimum = 0 }) => fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.constant(minimum)),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array: ({ items = {} }) => fc.array(near(items), { maxLength: 3 }),
  object: (schema) => members(schema),
};

/** Values that are close to what a schema allows, and values that are not. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const right = [schema.type ?? 'object'].flat().map((type) => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    return byType[type]?.(schema) ?? fc.constantFrom(...known);
  });
  return fc.oneof(
    { weight: 15, arbitrary: fc.oneof(...right) },
    { weight: 1, arbitrary: anything },
  );
}

function members({ properties = {}, required = [] }: Schema): fc.Arbitrary<object> {
  const each = Object.entries(properties).map(([name, schema]) => [name, near(schema)]);
  const requiredKeys = required.filter((name) => Object.hasOwn(properties, name));
  const fitting = fc.record(Object.fromEntries(each), {
    requiredKeys: requiredKeys as never[],
  }) as fc.Arbitrary<object>;
  const others = fc.dictionary(fc.string(), anything);
  return fc.oneof(
    { weight: 9, arbitrary: fitting },
    { weight: 1, arbitrary: fc.tuple(fitting, others).map((all) => Object.assign({}, ...all)) },
  );
}

const part = fc.oneof(
  fc.constantFrom(...known, 'side', '0'),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
  fc.constantFrom('%', '..', '%2e%2e', '%00', '%ff', 'x'.repeat(5000)),
);

function pathOf({ segments, query }: Row): fc.Arbitrary<string> {
  const parts = segments.map((each) => (each.startsWith('{') ? part : fc.constant(each)));
  const search = members(query).map((value) => {
    const pairs = Object.entries(value).map(([name, each]) => [name, String(each)]);
    return new URLSearchParams(pairs).toString();
  });
  return fc
    .tuple(fc.tuple(...parts), fc.oneof(search, fc.string({ maxLength: 30 })))
    .map(([all, text]) => `${all.join('/')}${text === '' ? '' : '?'}${text}`);
}

// A response that never ends, a document that only GET state produces, and time that would run out.
const left = ['followStream', 'putState', 'setClock', 'advanceClock'];
const tried = rows.filter(({ name }) => !left.includes(name));

const requests = fc.oneof(
  ...tried.map((row) => {
    const body = near(row.body ?? { type: 'object' }).map((value) => JSON.stringify(value) ?? '');
    const sent = row.method === 'GET' ? fc.constant('') : body;
    return fc.record({ row: fc.constant(row), path: pathOf(row), sent });
  }),
);

function send(plane: Plane, method: string, path: string, headers: object, body: Uint8Array) {
  const target = `/_sandbox/${path}`;
  const read = async () => body;
  return plane.handle({ method, target, headers: { ...headers }, base: 'http://localhost', read });
}

odd('no response is a 500, and every refusal is a problem document', async () => {
  const { plane, sandbox, ask } = await createTestPlane();
  const loaded = await plane.load();
  const worked = new Set<string>();
  const json = { 'content-type': 'application/json' };
  const property = fc.asyncProperty(requests, async ({ row, path, sent }) => {
    const { status, headers, body } = await send(loaded, row.method, path, json, Buffer.from(sent));
    assert.ok(status < 500, `${row.method} ${path} ${sent}: ${body}`);
    if (status < 300) worked.add(row.name);
    else assert.match(headers['content-type'] ?? '', /problem\+json/);
    if (sandbox.worlds.size > 20) for (const name of sandbox.worlds.keys()) sandbox.dropWorld(name);
  });
  await fc.assert(property, { numRuns: 400, seed: 7 });
  // Most requests pass the Host and Origin checks; a request refused there never reaches a row.
  assert.ok(worked.size > tried.length / 2, `${worked.size} of ${tried.length}`);
  for (const path of ['info', 'buckets', 'deliveries', 'subscriptions', 'faults']) {
    assert.is((await ask('GET', path)).status, 200);
  }
});

odd('a malformed path or header gets a response too', async () => {
  const { plane } = await createTestPlane();
  const loaded = await plane.load();
  const property = fc.asyncProperty(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE', 'X'),
    fc.dictionary(fc.constantFrom('host', 'origin', 'content-type', 'authorization'), fc.string()),
    fc.uint8Array({ maxLength: 200 }),
    async (path, method, headers, body) => {
      const { status } = await send(loaded, method, path, headers, body);
      assert.ok(status < 500, JSON.stringify([method, path, headers]));
    },
  );
  await fc.assert(property, { numRuns: 150, seed: 7 });
});

odd.run();
