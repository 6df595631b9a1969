// What fits a schema and what does not, case by case, with the field that is named.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  flag,
  id,
  listOf,
  object,
  oneOf,
  orNull,
  type Schema,
  text,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';

const fit = suite('control: fit');

const shape = object('A thing.', {
  name: text('Its name.'),
  'colour?': orNull(oneOf('Its colour.', ['red', 'blue'])),
  'count?': whole('How many.', 1, 5),
  'parts?': listOf(object('A part.', { id: id('Its id, in digits.') }), 'Its parts.'),
  'open?': flag('Whether it is open.'),
  'any?': {},
  'labels?': { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
});

// [value, fields at fault]
const cases: readonly (readonly [unknown, readonly string[]])[] = [
  [{ name: 'a' }, []],
  [{ name: 'a', colour: null, count: 5, parts: [], open: false, any: [{}], labels: {} }, []],
  [{ name: 'a', colour: 'red', parts: [{ id: '1' }], any: null, labels: { x: 'y' } }, []],
  [{}, ['name']],
  [null, ['body']],
  [[], ['body']],
  ['a', ['body']],
  [{ name: null }, ['name']],
  [{ name: ' ' }, ['name']],
  [{ name: 'a'.repeat(1001) }, ['name']],
  [{ name: 'a', colour: 'green' }, ['colour']],
  [{ name: 'a', colour: 1 }, ['colour']],
  [{ name: 'a', count: 0 }, ['count']],
  [{ name: 'a', count: 6 }, ['count']],
  [{ name: 'a', count: 1.5 }, ['count']],
  [{ name: 'a', count: null }, ['count']],
  [{ name: 'a', count: '1' }, ['count']],
  [{ name: 'a', parts: {} }, ['parts']],
  [{ name: 'a', parts: [{ id: '1' }, { id: 2 }] }, ['parts[1].id']],
  [{ name: 'a', parts: [{}] }, ['parts[0].id']],
  [{ name: 'a', parts: [{ id: 'x' }] }, ['parts[0].id']],
  [{ name: 'a', open: 0 }, ['open']],
  [{ name: 'a', labels: { x: 1 } }, ['labels.x']],
  [{ nam: 'a', count: 9 }, ['name', 'nam', 'count']],
  [JSON.parse('{"name":"a","__proto__":1}'), ['__proto__']],
  [{ name: 'a', toString: 1 }, ['toString']],
];

for (const [value, fields] of cases) {
  fit(`${JSON.stringify(value).slice(0, 60)} is wrong in ${fields.join(', ') || 'nothing'}`, () => {
    assert.equal(
      validate(shape, value, 'body').map(({ field }) => field),
      fields,
    );
  });
}

fit('says what to do instead', () => {
  const said = (schema: Schema, value: unknown) => validate(schema, value, 'body')[0]?.message;
  assert.is(said(shape, { name: 'a', colur: 'red' }), 'is not known here; did you mean "colour"?');
  assert.is(said(shape, { name: 'a', colour: 'x' }), 'must be one of "red", "blue", not "x"');
  assert.is(said(shape, {}), 'is missing (its name)');
  assert.is(said(object('None.', {}), { zebra: 1 }), 'is not known here; nothing is taken');
  assert.is(said(id('In digits.'), '1a'), 'has not the right form: "1a". In digits.');
});

fit('counts the members where only one may be given', () => {
  const either = { ...object('Either.', { 'a?': flag('A.'), 'b?': flag('B.') }) };
  const one = { ...either, minProperties: 1, maxProperties: 1 };
  assert.equal(validate(one, { a: true }, 'body'), []);
  for (const value of [{}, { a: true, b: true }]) {
    assert.equal(validate(one, value, 'body'), [
      { field: 'body', message: 'must have exactly one of "a", "b"' },
    ]);
  }
});

fit.run();
