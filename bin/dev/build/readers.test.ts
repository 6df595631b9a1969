// The generated readers say yes to what the schema describes, and their types say what that is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declareReaders, typeOf } from './reader-types.ts';
import { bundleCode, generate } from './readers.ts';

const schemas = {
  createThing: {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 2 },
      kind: { enum: ['a', 'b'] },
      note: { type: ['string', 'null'] },
      rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    },
    required: ['name'],
  },
};

const readers = suite('readers');

readers('generated code stands alone and judges', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readers-'));
  try {
    const file = join(folder, 'readers.mjs');
    await bundleCode(generate(schemas), file);
    const { createThing } = await import(pathToFileURL(file).href);
    assert.ok(createThing({ name: 'ab', note: null, rows: [{ n: 1 }], other: true }));
    // Characters are code points: two, in four UTF-16 units.
    assert.ok(createThing({ name: '😀😀' }));
    assert.not.ok(createThing({ name: 5 }));
    assert.is(createThing.errors[0].instancePath, '/name');
    assert.not.ok(createThing({}));
    assert.is(createThing.errors[0].params.missingProperty, 'name');
    assert.not.ok(createThing({ name: 'a', rows: [{ n: 1 }, { n: 'x' }] }));
    assert.is(createThing.errors[0].instancePath, '/rows/1/n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

readers('a schema with a mistake in it does not build', () => {
  assert.throws(() => generate({ a: { type: 'object', propertys: {} } }), /propertys/);
});

const types = [
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'integer' }, 'number'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: 'a' }, '"a"'],
  [{ type: 'array', items: { type: 'string' } }, 'readonly (string)[]'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ type: 'object' }, 'Readonly<Record<string, unknown>>'],
  [
    { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
    '{ readonly "a": string; readonly "b"?: unknown }',
  ],
  [{}, 'unknown'],
] as const;

for (const [schema, expected] of types) {
  readers(`${JSON.stringify(schema)} is a ${expected}`, () => {
    assert.is(typeOf(schema), expected);
  });
}

readers('one function and one type an operation', () => {
  const text = declareReaders(schemas);
  assert.match(text, 'export const createThing: Reader<CreateThingBody>;');
  assert.match(text, 'export type CreateThingBody = { readonly "name": string;');
});

readers.run();
