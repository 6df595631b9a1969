// Where and why a text is not JSON; the scanner agrees with the parser on validity.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { syntaxWords } from './json-syntax.ts';

const mistakes = suite('JSON syntax errors');

const table = [
  ['{\n  "settings": { "a": 1, }\n}', 'line 2, column 23: a comma before }'],
  ['[1, 2,]', 'line 1, column 6: a comma before ]'],
  ['{"a": 1 "b": 2}', 'line 1, column 9: a comma or } is missing before this'],
  ["{'a': 1}", 'line 1, column 2: a name in double quotes was expected here'],
  ['{\n// why\n"a": 1}', 'line 2, column 1: JSON has no comments'],
  ['{"a": 1', 'line 1, column 8: the file ends before it is complete'],
  ['{"a" 1}', 'line 1, column 6: a colon is missing before this'],
  ['{"a": hello}', 'line 1, column 7: a value was expected here'],
  ['{"a": "one\ntwo"}', 'line 1, column 7: this text has no end'],
  ['{} {}', 'line 1, column 4: nothing may follow the value'],
  ['', 'line 1, column 1: the file ends before it is complete'],
] as const;

const none = new SyntaxError('nothing is wrong');

mistakes('errors are reported with their position', () => {
  for (const [text, expected] of table) {
    assert.is(syntaxWords(text, none), expected, text);
  }
});

const pieces = [...'{}[],: 1', '"a"', '-0.5e3', '01', 'null', '"\\x"', '"b":1', '"\u007f"'];

mistakes('the scanner reports an error exactly when the parser does', () => {
  // Every text of up to three pieces.
  let texts = [''];
  for (let length = 1; length <= 3; length += 1) {
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece));
    for (const text of texts) {
      assert.is(syntaxWords(text, none) === none.message, isJson(text), text);
    }
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

mistakes.run();
