// The schemas of a row bound all its input: every list, text and object has a maximum size.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Schema } from '../../fixtures/schemas/validate.ts';
import { worldSchema } from '../../fixtures/worlds/world-fixture.ts';
import { rows } from './all-rows.ts';
import { createTestPlane } from './testing/plane.ts';

const bounds = suite('control: bounds');

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

bounds('the input of every row is bounded', () => {
  const found = rows.flatMap(({ method, path, body, query }) => [
    ...(body === undefined ? [] : unbounded(body, `${method} ${path} body`)),
    ...Object.entries<Schema>(query.properties).flatMap(([name, schema]) =>
      unbounded(schema, `${method} ${path} ?${name}`),
    ),
  ]);
  assert.equal(found, []);
});

bounds('a starting world is bounded', () => {
  assert.equal(unbounded(worldSchema, 'world'), []);
});

bounds('the response to fifty thousand mistakes is a few kilobytes long', async () => {
  const { ask } = await createTestPlane();
  const scopes = Array.from({ length: 50_000 }, (_, n) => `s${n}`);
  const outsiders = Object.fromEntries(scopes.map((name) => [name, 1]));
  for (const body of [{ scopes }, { scopes: [], ...outsiders }]) {
    const { status, body: problem } = await ask('POST', 'credentials', body);
    assert.is(status, 422);
    assert.ok(
      JSON.stringify(problem).length < 8000,
      `${JSON.stringify(problem).length} characters`,
    );
  }
});

bounds.run();
