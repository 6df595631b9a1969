// JSON parser crashes as real programs print them, and similar output that is not a crash.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crashInParser } from './parser-crash.ts';

const crash = suite('crash in a parser');

const unexpected = 'SyntaxError: Unexpected token < in JSON at 0';
const node = `undici:5866
      throw error;
      ^

SyntaxError: Unexpected token '<', "<html>\r\n<h"... is not valid JSON
    at JSON.parse (<anonymous>)
    at async main (client.mjs:3:1)

Node.js v20.20.2`;

const python = `Traceback (most recent call last):
  File "client.py", line 4, in <module>
    json.loads(body)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)`;

const chained = `${python}

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "client.py", line 9, in <module>
ApiError: the platform answered 422`;

const java = `Exception in thread "main" com.google.gson.JsonSyntaxException: Expected BEGIN_OBJECT
	at com.google.gson.Gson.fromJson(Gson.java:932)`;

const cases: readonly (readonly [string, string, boolean])[] = [
  ['uncaught in Node', node, true],
  ['its message alone', 'failed: Unexpected token \'T\', "The body "... is not valid JSON', true],
  ['uncaught in Python', python, true],
  ['uncaught in Java', java, true],
  ['in Go', "invalid character '<' looking for beginning of value", true],
  ['the reason of another error, in Python', chained, false],
  ['in jq', 'parse error: Invalid numeric literal at line 1, column 4', true],
  ['in Perl', 'malformed JSON string, neither array, object, number, string or atom, at 0', true],
  ['of another parser', 'config.yml: parse error: unknown member at line 3', false],
  ['the reason of another error, in Node', `ApiError: no JSON\n  [cause]: ${unexpected}`, false],
  ['told with its status', 'Error: HTTP 502, and Unexpected end of JSON input', false],
  ['the text of the refusal', '422: The body could not be read', false],
  ['nothing', '', false],
];

for (const [name, output, isCrash] of cases) {
  crash(name, () => assert.is(crashInParser(output, '') !== null, isCrash));
}

crash('output that the first run printed as well is not a crash', () => {
  assert.is(crashInParser(node, node), null);
});

crash.run();
