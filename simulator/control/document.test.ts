// The description of the control plane lists every row, and its schemas compile and bound all input:
// every list, text and object has a maximum size.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Schema } from '../../fixtures/schemas/validate.ts';
import type { Document } from '../../fixtures/testing/openapi-document.ts';
import { worldSchema } from '../../fixtures/worlds/world-fixture.ts';
import { rows } from './all-rows.ts';
import { controlDocument } from './document.ts';
import { createTestPlane } from './testing/plane.ts';

const description = suite('control: description');

const document = JSON.parse(controlDocument('http://127.0.0.1:7420/_sandbox')) as Document;

// The rows of the contract; the plane may have more.
const contract = `
  GET health, GET info, GET clock, PUT clock, POST clock/advance, GET credentials, POST credentials,
  PATCH credentials/{client_id}, GET firms/{id}, PATCH firms/{id}, POST accounts/{id}/trading-accounts,
  GET trading-accounts/{id}, GET accounts, GET transactions, POST transactions/{id}/settle, GET faults,
  POST faults, DELETE faults, DELETE faults/{id}, PUT dns/{hostname}, DELETE dns/{hostname},
  GET forwards, PUT forwards, DELETE forwards, GET requests, GET requests/{id}, GET events, POST events,
  GET deliveries, POST deliveries/{id}/retry, POST subscriptions/{id}/resume, GET state, PUT state,
  POST reset, GET snapshots, POST snapshots, POST snapshots/{name}/restore, DELETE snapshots/{name},
  GET coverage, DELETE coverage, GET worlds, POST worlds, DELETE worlds/{name}, GET stream,
  GET openapi.json`;

description('the description has every row of the contract', () => {
  const there = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.slice(1)}`),
  );
  for (const each of contract.trim().split(/,\s+/)) assert.ok(there.includes(each), each);
  assert.is(there.length, rows.length);
});

description('no two rows share a name or a path', () => {
  const names = rows.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
  const places = rows.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  assert.is(new Set(places).size, places.length);
});

description('every schema in the description compiles', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  const local = (schemas: object) =>
    JSON.parse(JSON.stringify(schemas).replaceAll('#/components/schemas/', 'control#/$defs/'));
  ajv.addSchema({ $id: 'control', $defs: local(document.components.schemas) });
  const compile = (schema: object) => ajv.compile(local(schema));
  for (const name of Object.keys(document.components.schemas)) {
    assert.type(compile({ $ref: `#/components/schemas/${name}` }), 'function');
  }
  for (const item of Object.values(document.paths)) {
    for (const { requestBody, responses } of Object.values(item)) {
      const media = [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.values(part?.content ?? {}),
      );
      for (const { schema = {} } of media) assert.type(compile(schema), 'function');
    }
  }
});

/** Places where a schema allows unbounded input. */
function unbounded(schema: Schema, where: string): string[] {
  const types = [schema.type ?? []].flat();
  const found: string[] = [];
  if (types.includes('string') && !isBoundedText(schema)) found.push(`${where}: a text`);
  if (types.includes('array') && schema.maxItems === undefined) found.push(`${where}: a list`);
  if (schema.items !== undefined) found.push(...unbounded(schema.items, `${where}[]`));
  const { additionalProperties: others, maxProperties, properties = {} } = schema;
  if (others !== false && schema.properties !== undefined && maxProperties === undefined) {
    found.push(`${where}: members`);
  }
  if (typeof others === 'object') found.push(...unbounded(others, `${where}.*`));
  for (const [name, member] of Object.entries(properties)) {
    found.push(...unbounded(member, `${where}.${name}`));
  }
  return found;
}

function isBoundedText({ enum: values, maxLength, pattern = '*' }: Schema): boolean {
  if (values !== undefined || maxLength !== undefined) return true;
  return pattern.startsWith('^') && pattern.endsWith('$') && !/[*+]|,\}/.test(pattern);
}

description('the input of every row is bounded', () => {
  const found = rows.flatMap(({ method, path, body, query }) => [
    ...(body === undefined ? [] : unbounded(body, `${method} ${path} body`)),
    ...Object.entries<Schema>(query.properties).flatMap(([name, schema]) =>
      unbounded(schema, `${method} ${path} ?${name}`),
    ),
  ]);
  assert.equal(found, []);
});

description('a starting world is bounded', () => {
  assert.equal(unbounded(worldSchema, 'world'), []);
});

description('the description names the address that the client used', async () => {
  const { ask } = await createTestPlane();
  const { body } = await ask('GET', 'openapi.json');
  assert.is(body.servers[0].url, 'http://sandbox/_sandbox');
  assert.is(Object.keys(body.paths).length, Object.keys(document.paths).length);
});

description.run();
