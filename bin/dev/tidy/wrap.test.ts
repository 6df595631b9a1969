// Comments are wrapped where they are, without touching what the program does.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wrapComments } from './wrap.ts';

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
const wrap = suite('wrap');

wrap('short lines and long code stay', () => {
  const text = `// short\nconst x = '${'x'.repeat(120)}';\n`;
  assert.is(wrapComments(text), text);
});

wrap('what is too long goes to the next line of the comment', () => {
  const wrapped = wrapComments(`  // ${words(25)}\n  // end.\n  x();\n`);
  assert.is(wrapped, `  // ${words(19)}\n  // ${words(6)} end.\n  x();\n`);
});

wrap('a line is made where the comment has none', () => {
  assert.is(wrapComments(`// ${words(25)}\nx();\n`), `// ${words(19)}\n// ${words(6)}\nx();\n`);
});

wrap('a rule id begins its own line', () => {
  const wrapped = wrapComments(`// ${words(25)}\n// NS-1: x\n`);
  assert.is(wrapped, `// ${words(19)}\n// ${words(6)}\n// NS-1: x\n`);
});

wrap('a block on one line becomes a block of lines', () => {
  const wrapped = wrapComments(`  /** ${words(25)} */\n  x();\n`);
  assert.is(wrapped, `  /**\n   * ${words(19)}\n   * ${words(6)}\n   */\n  x();\n`);
});

wrap('a comment behind code goes above it', () => {
  const code = `x(${'x'.repeat(60)});`;
  assert.is(wrapComments(`  ${code} // ${words(9)}\n`), `  // ${words(9)}\n  ${code}\n`);
});

wrap('wrapping again changes nothing', () => {
  const once = wrapComments(`/** ${words(60)} */\n// ${words(60)}\n`);
  assert.is(wrapComments(once), once);
  assert.ok(once.split('\n').every((line) => line.length <= 100));
});

wrap.run();
