// Where and why a text is not JSON.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { syntaxWords } from './json.ts';

const mistakes = suite('JSON syntax errors');

const table = [
  ['{\n  "settings": { "a": 1, }\n}', 'line 2, column 25: a comma before }'],
  ['[1, 2,]', 'line 1, column 7: a comma before ]'],
  ['{"a": 1 "b": 2}', "line 1, column 9: expected ',' or '}' after property value"],
  ["{'a': 1}", "line 1, column 2: expected property name or '}'"],
  ['{\n// why\n"a": 1}', 'line 2, column 1: JSON has no comments'],
  ['{"a": 1', 'line 1, column 8: the file ends before it is complete'],
  ['{"a" 1}', "line 1, column 6: expected ':' after property name"],
  ['{"a": hello}', 'line 1, column 7: unexpected character'],
  ['{"a": "one\ntwo"}', 'line 1, column 11: bad control character in string literal'],
  ['{} {}', 'line 1, column 4: unexpected non-whitespace character after JSON'],
  ['[truth]', 'line 1, column 5: unexpected character'],
  ['', 'line 1, column 1: the file ends before it is complete'],
] as const;

function errorOf(text: string): SyntaxError | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error as SyntaxError;
  }
}

mistakes('errors are reported with their position', () => {
  for (const [text, expected] of table) {
    assert.is(syntaxWords(text, errorOf(text) as SyntaxError), expected, text);
  }
});

const pieces = [...'{}[],: 1', '"a"', '-0.5e3', '01', 'null', '"\\x"', '"b":1', '"\u007f"'];

mistakes('an error is where the text stops being the beginning of JSON', () => {
  // Every text of up to three pieces.
  let texts = [''];
  for (let length = 1; length <= 3; length += 1) {
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece));
    for (const text of texts) {
      const error = errorOf(text);
      if (error === null) continue;
      const column = Number(/^line 1, column (\d+): /.exec(syntaxWords(text, error))?.[1]);
      assert.ok(column >= 1 && column <= text.length + 1, text);
      // What comes before it can still become JSON, so a longer beginning has the same position.
      const longer = `${text} 1`;
      if (column <= text.length) {
        const again = syntaxWords(longer, errorOf(longer) as SyntaxError);
        assert.match(again, new RegExp(`column ${column}:`), text);
      }
    }
  }
});

mistakes.run();
